"""Tables in plain text: aligned columns that fit 80 characters where the words allow it."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence

GAP = "  "
PLAIN_WIDTH = 80
"""Width where stdout is no terminal."""

LEAST_TEXT_WIDTH = 16
"""Text columns are not made narrower than this; numbers are never cut."""


def output_width() -> int:
    """Return the characters a line on stdout should have at most."""
    if sys.stdout.isatty():
        return shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns
    return PLAIN_WIDTH


def format_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], align: str = "", width: int | None = None
) -> str:
    """Return `rows` as lines of aligned columns under `header`, without a trailing newline.

    Parameters
    ----------
    header
        Name of each column; all empty for no header.
    rows
        Cells as text, as many in each row as in `header`.
    align
        A letter a column: ``l`` left, ``r`` right; what is missing is ``l``. Left columns may be wrapped
        over several lines where the table is too wide, the widest first; right columns never.
    width
        Characters a line should have at most; default `output_width`.

    Examples
    --------
    >>> print(format_table(("what", "n"), [("stars", "12"), ("rings", "3")], "lr"))
    what    n
    stars  12
    rings   3
    """
    align = align.ljust(len(header), "l")
    table = [tuple(header), *(tuple(row) for row in rows)] if any(header) else [tuple(row) for row in rows]
    widths = [max((len(row[column]) for row in table), default=0) for column in range(len(header))]
    _narrow(widths, align, output_width() if width is None else width)
    lines = []
    for row in table:
        cells = [_wrap(cell, widths[column], align[column]) for column, cell in enumerate(row)]
        for line_idx in range(max(len(cell) for cell in cells)):
            parts = [cell[line_idx] if line_idx < len(cell) else "" for cell in cells]
            lines.append(
                GAP.join(
                    part.rjust(widths[column]) if align[column] == "r" else part.ljust(widths[column])
                    for column, part in enumerate(parts)
                ).rstrip()
            )
    return "\n".join(lines)


def _narrow(widths: list[int], align: str, width: int) -> None:
    """Shrink the widest left columns until the table fits `width`. Modified in place: `widths`."""
    excess = sum(widths) + len(GAP) * (len(widths) - 1) - width
    while excess > 0:
        wide = [column for column, side in enumerate(align[: len(widths)]) if side == "l"]
        widest = max(wide, key=lambda column: widths[column], default=None)
        if widest is None or widths[widest] <= LEAST_TEXT_WIDTH:
            return
        widths[widest] -= 1
        excess -= 1


def _wrap(cell: str, width: int, side: str) -> list[str]:
    if side == "r" or len(cell) <= width:
        return [cell]
    return textwrap.wrap(cell, width, break_on_hyphens=False) or [""]
