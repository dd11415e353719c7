"""Drawing a field of piles as a line, a ring or a star, in plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from calcsim.cards import field_card_name, field_number, is_joker
from calcsim.notation.position import top_run

_LINK: Final = "---"


def draw_cell(pile_id: int, pile: Sequence[int], *, beneath: bool) -> str:
    """Return a pile as it stands in a drawing: id, top card, height of the top run.

    Parameters
    ----------
    pile_id
        Its id.
    pile
        Field cards, bottom to top.
    beneath
        Whether to name another number beneath a joker on top, which R4.6 lets be played.

    Examples
    --------
    >>> draw_cell(0, [9, 5, 5], beneath=True), draw_cell(3, [8, 16 + 3], beneath=True)
    ('0:[5 x2]', '3:[X=3 on 8]')
    """
    top, run = pile[-1], top_run(pile)
    text = field_card_name(top)
    if run > 1:
        text += f" x{run}"
    elif beneath and is_joker(top) and len(pile) > 1 and field_number(pile[-2]) != field_number(top):
        text += f" on {field_card_name(pile[-2])}"
    return f"{pile_id}:[{text}]"


def draw_line(cells: Sequence[str], width: int) -> list[str]:
    """Return the cells in a row, as many rows as `width` makes needed; rows that go on end with a link."""
    rows = [cells[0]]
    for cell in cells[1:]:
        if len(rows[-1]) + len(cell) + 2 * len(_LINK) <= width:
            rows[-1] += _LINK + cell
        else:
            rows[-1] += _LINK
            rows.append(_LINK + cell)
    return rows


def draw_ring(cells: Sequence[str], width: int) -> list[str]:
    r"""Return the cells as a loop: the first ones on top from the left, the others back below.

    A ring too wide for that is drawn as a line whose end says where it goes on.

    Examples
    --------
    >>> print("\n".join(draw_ring(["0:[5]", "2:[10 x2]", "1:[2]", "3:[10]"], 80)))
    .-0:[5]---2:[10 x2]-.
    |                   |
    '-3:[10]------1:[2]-'
    """
    half = (len(cells) + 1) // 2
    above, below = cells[:half], cells[half:][::-1]
    inner = max(_least(above), _least(below))
    if inner + 4 > width:
        return draw_line([*cells, f"(back to {cells[0].partition(':')[0]})"], width)
    return [f".-{_spread(above, inner)}-.", f"|{' ' * (inner + 2)}|", f"'-{_spread(below, inner)}-'"]


def draw_star(center: str, arms: Sequence[Sequence[str]], width: int) -> list[str]:
    r"""Return a star: the centre on the left, and its three arms outwards to the right.

    Examples
    --------
    >>> print("\n".join(draw_star("3:[2]", [["0:[4]"], ["4:[2]", "2:[A]"], ["1:[8]"]], 80)))
             .---0:[4]
    3:[2]----+---4:[2]---2:[A]
             '---1:[8]
    """
    stem = len(center) + len(_LINK) + 1
    rows: list[str] = []
    for arm, corner in zip(arms, ".+'", strict=True):
        for idx, row in enumerate(draw_line(arm, width - stem - 1 - len(_LINK))):
            if idx == 0:
                lead = f"{center}----" if corner == "+" else " " * stem
                rows.append(f"{lead}{corner}{_LINK}{row}")
            else:
                # Below the last arm nothing hangs on the stem any more.
                hanging = " " if corner == "'" else "|"
                rows.append(f"{' ' * stem}{hanging}{' ' * len(_LINK)}{row}")
    return rows


def _least(cells: Sequence[str]) -> int:
    return sum(map(len, cells)) + len(_LINK) * (len(cells) - 1)


def _spread(cells: Sequence[str], width: int) -> str:
    """Return the cells over the whole `width`, the dashes between them as even as they come."""
    spare = width - sum(map(len, cells))
    if len(cells) == 1:
        return cells[0].center(width, "-")
    share, rest = divmod(spare, len(cells) - 1)
    return "".join(
        cell + "-" * (share + (idx < rest) if idx < len(cells) - 1 else 0) for idx, cell in enumerate(cells)
    )
