"""What is summed up over the deals of a design: enough for every estimate and every paired difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calcsim.experiments.deals import Component, DealRows, Reducer, add_counts
from calcsim.stats.gram import Gram
from calcsim.stats.special import SPECIALS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calcsim.experiments.plan import Design

MADE_OF = {
    "edge.first": "win.*",
    "edge.last": "win.*",
    "edge.largest": "win.*",
    "edge.range": "win.*",
    "turns.sd": "turns",
    "games_to_tell": "win.*",
}
"""The metric that each derived one is made of."""


@dataclass(frozen=True)
class Item:
    """A component of one variant, and where its numbers lie in a panel's sums.

    Attributes
    ----------
    variant
        Index of the variant.
    component
        What it is.
    pair
        Row of the numerators, and row or constant of the denominators, as `stats.linear.components` takes it.
    """

    variant: int
    component: Component
    pair: tuple[int, int | float]


@dataclass(frozen=True)
class Panel:
    """A metric in a group: what is summed up together, all variants beside each other.

    Attributes
    ----------
    group
        Index of the group.
    metric
        Name of the metric.
    sources
        For each variant the cell and its rows that are stacked, in order.
    items
        The components, variant by variant.
    """

    group: int
    metric: str
    sources: tuple[tuple[int, tuple[int, ...]], ...]
    items: tuple[Item, ...]


@dataclass
class Sums:
    """The sums over some deals.

    Attributes
    ----------
    deals
        How many.
    grams
        One for each panel.
    changed
        For each cell, deals on which something counted differs from its group's baseline; None where they
        cannot be compared.
    turns
        For each cell, games by their number of turns.
    """

    deals: int
    grams: list[Gram]
    changed: list[int | None]
    turns: list[NDArray[np.int64]]

    def add(self, other: Sums) -> None:
        """Add the sums over other deals of the same design."""
        self.deals += other.deals
        for gram, more in zip(self.grams, other.grams, strict=True):
            gram.add(more)
        pairs = zip(self.changed, other.changed, strict=True)
        self.changed = [None if a is None or b is None else a + b for a, b in pairs]
        self.turns = [add_counts(a, b) for a, b in zip(self.turns, other.turns, strict=True)]


def kept_metrics(design: Design) -> list[str]:
    """Return the metrics that have to be counted for a design, those that others are made of included."""
    special = {entry.name: entry.needs for entry in SPECIALS}
    needed = {"match": "score.*"}
    found = []
    for choice in design.choices:
        needs = special.get(choice.metric)
        if needs is None:
            found.append(choice.metric)
        elif needs == "derived":
            found.append(MADE_OF[choice.metric])
        elif needs in needed:
            found.append(needed[needs])
    return list(dict.fromkeys(found))


class Tally:
    """Sums up the deals of a design.

    Parameters
    ----------
    design
        Groups and variants.
    reducers
        One for each cell, in the order of ``design.cells()``.
    """

    def __init__(self, design: Design, reducers: Sequence[Reducer]) -> None:
        self.design = design
        self.reducers = list(reducers)
        n = len(design.variants)
        self.panels: list[Panel] = []
        for group in range(len(design.groups)):
            cells = range(group * n, group * n + n)
            names = dict.fromkeys(c.metric for cell in cells for c in reducers[cell].components)
            self.panels += [self._panel(group, name, cells) for name in names]

    def _panel(self, group: int, metric: str, cells: Sequence[int]) -> Panel:
        sources: list[tuple[int, tuple[int, ...]]] = []
        items: list[Item] = []
        offset = 0
        for variant, cell in enumerate(cells):
            rows: dict[int, int] = {}
            for component in self.reducers[cell].components:
                if component.metric != metric:
                    continue
                x = rows.setdefault(component.x, offset + len(rows))
                y: int | float = float(component.games)
                if component.y is not None:
                    y = rows.setdefault(component.y, offset + len(rows))
                items.append(Item(variant, component, (x, y)))
            sources.append((cell, tuple(rows)))
            offset += len(rows)
        return Panel(group, metric, tuple(sources), tuple(items))

    def baseline_of(self, cell: int) -> int:
        """Return the cell that a cell is compared with."""
        n = len(self.design.variants)
        return cell - cell % n + self.design.baseline

    def sum_up(self, parts: Sequence[DealRows]) -> Sums:
        """Return the sums over the same deals of all cells, in the order of the reducers."""
        grams = []
        for panel in self.panels:
            stacked: list[Any] = [parts[cell].values[list(rows)] for cell, rows in panel.sources]
            grams.append(Gram.of(np.concatenate(stacked)))
        changed: list[int | None] = []
        for cell, part in enumerate(parts):
            base = self.baseline_of(cell)
            if self.reducers[cell].cell.players == self.reducers[base].cell.players:
                changed.append(int(np.count_nonzero(part.marks != parts[base].marks)))
            else:
                changed.append(None)
        return Sums(parts[0].deals, grams, changed, [part.turns for part in parts])
