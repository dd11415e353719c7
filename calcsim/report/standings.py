"""The picture of a tournament: who wins how much, and who finishes ahead of whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from calcsim.report.figures import Mark, Panel, forest
from calcsim.report.prose import count
from calcsim.report.style import COLOURS, GREY, NOTE_CHARS, WIDTH, house_style
from calcsim.stats.text import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from calcsim.experiments.tournament import Tournament

_LABEL_CHARS: Final = 24
_LEAST_SPAN: Final = 0.05
"""Half the range of the colours at least: chance alone is not to look like contrast."""


def tournament_figure(found: Tournament) -> Figure:
    """Return the picture of a tournament or gauntlet."""
    return _gauntlet(found) if found.bouts else _field(found)


def _note(found: Tournament) -> str:
    played = f"{count(found.deals)} deals, {count(found.games)} games"
    return f"{found.rules.label}, {found.players} players; {played}; bars: {percent(found.level)} intervals"


def _gauntlet(found: Tournament) -> Figure:
    fair = 1 / found.players
    marks = []
    for bout in sorted(found.bouts, key=lambda bout: -bout.win.estimate):
        low, high = (
            None if bound is None else 100 * (bound - fair) for bound in (bout.win.low, bout.win.high)
        )
        marks.append(Mark(bout.policy, "", 100 * (bout.win.estimate - fair), low, high))
    return forest(
        [Panel("", tuple(marks))],
        axis=f"games that {found.hero} wins alone among copies of each, beyond the fair share "
        "[percentage points]",
        note=f"{_note(found)} that hold together",
        margin=None,
    )


def _short(name: str) -> str:
    return name if len(name) <= _LABEL_CHARS else f"…{name[1 - _LABEL_CHARS :]}"


def _field(found: Tournament) -> Figure:
    import textwrap

    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    names = [one.policy for one in found.standings]
    n = len(names)
    with house_style():
        layout = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.05, wspace=0.03)
        figure = Figure(figsize=(WIDTH, max(2.6, 1.9 + 0.36 * n)), layout=layout)
        points, matrix = figure.subplots(1, 2, width_ratios=(1, 1.15))
        labels = [_short(name) for name in names]
        _points(points, found, labels)
        _matrix(matrix, found, names, labels)
        lines = textwrap.wrap(f"{_note(found)}; numbers in bold: beyond doubt, all together", NOTE_CHARS)
        figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=8, color=GREY, linespacing=1.25)
    return figure


def _points(ax: Axes, found: Tournament, labels: list[str]) -> None:
    shares = [one.win for one in found.standings]
    values = [100 * share.estimate for share in shares]
    reach = [
        [0.0 if share.low is None else 100 * (share.estimate - share.low) for share in shares],
        [0.0 if share.high is None else 100 * (share.high - share.estimate) for share in shares],
    ]
    ax.axvline(100 / found.players, color=GREY, linestyle="--", linewidth=1)
    ax.errorbar(
        values, range(len(values)), xerr=reach, fmt="o", color=COLOURS[0], capsize=2.5, elinewidth=1.5
    )
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("games won [%]; dashed: fair share")


def _matrix(ax: Axes, found: Tournament, names: list[str], labels: list[str]) -> None:
    import numpy as np

    n = len(names)
    ahead = np.full((n, n), np.nan)
    clear = np.zeros((n, n), dtype=bool)
    for pair in found.pairs:
        i, j = names.index(pair.first), names.index(pair.second)
        ahead[i, j], ahead[j, i] = pair.share.estimate, 1 - pair.share.estimate
        clear[i, j] = clear[j, i] = pair.verdict != "undecided"
    span = max(_LEAST_SPAN, float(np.nanmax(np.abs(ahead - 0.5))))
    ax.imshow(100 * ahead, cmap="PuOr_r", vmin=50 - 100 * span, vmax=50 + 100 * span, aspect="auto")
    for i in range(n):
        for j in range(n):
            if i != j:
                dark = abs(ahead[i, j] - 0.5) > 0.62 * span
                ax.text(
                    j,
                    i,
                    f"{100 * ahead[i, j]:.1f}",
                    ha="center",
                    va="center",
                    fontsize=8 if n <= 8 else 6.5,
                    color="white" if dark else "#202124",
                    fontweight="bold" if clear[i, j] else "normal",
                )
    ax.grid(visible=False)
    ax.tick_params(length=0)
    ax.set_xticks(
        range(n), labels, rotation=35 if n > 2 else 0, ha="right" if n > 2 else "center", fontsize=8
    )
    ax.set_yticks(range(n), [])
    ax.set_title("row finishes ahead of column [%]")
