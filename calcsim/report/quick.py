"""The picture of a comparison that is no study: all differences on one scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from calcsim.errors import UsageError
from calcsim.report.figures import Mark, Panel, forest
from calcsim.report.prose import count
from calcsim.report.rows import read_effects
from calcsim.stats.text import percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

MOST_PANELS: Final = 6
MOST_ROWS: Final = 40


def margins_figure(effects: pd.DataFrame) -> Figure:
    """Return differences as multiples of their margins, a panel for each group.

    Parameters
    ----------
    effects
        As `calcsim.experiments.analysis` makes them; those without a margin are left out, and the note says
        how many rows were.

    Raises
    ------
    UsageError
        If no difference has a margin.
    """
    known = read_effects(effects)
    judged = [effect for effect in known if effect.margin]
    if not judged:
        raise UsageError("nothing to draw: no metric has a margin; give it as NAME=MARGIN")
    groups = list(dict.fromkeys(effect.group for effect in judged))[:MOST_PANELS]
    names: dict[str, None] = {}
    panels = []
    for group in groups:
        marks = []
        for effect in judged:
            name = f"{effect.metric}: {effect.effect}{f' at {effect.at}' if effect.at else ''}"
            if effect.group != group or (name not in names and len(names) == MOST_ROWS):
                continue
            names[name] = None
            margin = effect.margin or 1.0
            low, high = (None if bound is None else bound / margin for bound in (effect.low, effect.high))
            marks.append(Mark(name, "", (effect.difference or 0.0) / margin, low, high))
        panels.append(Panel(group, tuple(marks)))
    shown = sum(len(panel.marks) for panel in panels)
    left = f"; {len(known) - shown} rows more in the table" if shown < len(known) else ""
    first = judged[0]
    return forest(
        panels,
        axis="difference, as a multiple of the metric's margin",
        note=f"{count(first.deals or 0)} deals; bars: {percent(first.level or 0)} intervals; "
        f"grey band: within the margin, which does not matter{left}",
        margin=1.0,
        columns=min(len(panels), 2),
    )
