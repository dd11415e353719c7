"""Deals played in several cells: the numbers that are kept of each deal.

The deal is the unit. A line-up of one policy plays a deal once; one of different policies plays it in each of
its rotations (seatings), and what is kept of a deal is summed over them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from calcsim.engine import columns, driver
from calcsim.experiments.plan import rotations
from calcsim.stats.block import Block
from calcsim.stats.marks import mark_games
from calcsim.stats.metrics import Metric, metrics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calcsim.engine.driver import Cell

ALWAYS: Final = (
    "turns",
    *(f"end.{reason}" for reason in columns.ENDS),
    "share.tied_first",
    "win.*",
    "score.*",
)
"""Metrics that are kept whatever is asked for: no stalled or endless game goes unseen."""

SQUARES: Final = "turns.squared"
"""The component that the spread of the turns is made of."""


@dataclass(frozen=True)
class Component:
    """One number of a metric: a mean over games, or a ratio of two sums.

    Attributes
    ----------
    name
        Such as ``turns``, ``win.seat0`` or ``win.greedy``.
    metric
        Name of its metric, such as ``win.*``.
    kind, unit, per
        As of the metric.
    x
        Row of the numerators.
    y
        Row of the denominators; None if it is the same for each deal.
    games
        What a deal's denominator is where it is the same for each.
    """

    name: str
    metric: str
    kind: str
    unit: str
    per: str
    x: int
    y: int | None
    games: int


@dataclass
class DealRows:
    """What is kept of some deals of a cell.

    Attributes
    ----------
    first
        Number of the first deal.
    values
        int64, shape (rows, deals): numerators and denominators, see `Reducer.components`.
    marks
        int64, shape (deals,): equal where nothing that happened in the deal's games differs.
    turns
        int64: games by their number of turns.
    """

    first: int
    values: NDArray[np.int64]
    marks: NDArray[np.int64]
    turns: NDArray[np.int64]

    @property
    def deals(self) -> int:
        """How many deals."""
        return len(self.marks)


def seatings(cell: Cell) -> list[Cell]:
    """Return a cell with its line-up in each of its different rotations, the line-up as given first.

    Examples
    --------
    >>> from calcsim.rules import preset
    >>> [c.policies for c in seatings(driver.prepare(preset("calc"), 2, ["greedy", "random"]))]
    [('greedy', 'random'), ('random', 'greedy')]
    """
    resolved = dict(zip(cell.policies, cell.resolved, strict=True))
    return [
        replace(cell, policies=names, resolved=tuple(resolved[name] for name in names))
        for names in rotations(cell.policies)
    ]


class Reducer:
    """Takes from the games of a cell what is kept of each deal.

    Parameters
    ----------
    cell
        Rules, players and line-up.
    names
        Metrics to keep, of `calcsim.stats.metrics`, besides those that are kept `ALWAYS`.

    Attributes
    ----------
    seatings
        The cells that each deal is played in.
    components
        What can be made of the rows, in order.
    policies
        The different policies of the line-up; empty if there is only one.
    rows
        How many numbers are kept of a deal.
    """

    def __init__(self, cell: Cell, names: Sequence[str]) -> None:
        self.cell = cell
        self.seatings = seatings(cell)
        wanted = {*ALWAYS, *names}
        self._metrics = [metric for metric in metrics(cell.players) if metric.name in wanted]
        self.policies = list(dict.fromkeys(cell.policies)) if len(self.seatings) > 1 else []
        self.components: list[Component] = []
        self.rows = 0
        self._at: dict[str, int] = {}
        for metric in self._metrics:
            self._at[metric.name] = self.rows
            self._lay(metric)
        self._squares = self.rows
        self._put(SQUARES, "turns", "mean", "", "game", ratio=False, games=len(self.seatings))

    def _lay(self, metric: Metric) -> None:
        """Give a metric's components their rows."""
        ratio = metric.kind in ("ratio", "place")
        for name in metric.names(self.cell.players):
            self._put(name, metric.name, metric.kind, metric.unit, metric.per, ratio, len(self.seatings))
        if self.policies and "*" in metric.name and not ratio:
            for policy in self.policies:
                held = self.cell.policies.count(policy) * len(self.seatings)
                name = metric.name.replace("*", policy)
                self._put(
                    name, metric.name, "mean", metric.unit, f"{metric.per} and seat of {policy}", False, held
                )

    def _put(self, name: str, metric: str, kind: str, unit: str, per: str, ratio: bool, games: int) -> None:
        y = self.rows + 1 if ratio else None
        self.components.append(Component(name, metric, kind, unit, per, self.rows, y, games))
        self.rows += 2 if ratio else 1

    def reduce(self, first: int, outs: Sequence[NDArray[np.int32]]) -> DealRows:
        """Return what is kept of deals, from their games in each seating.

        Parameters
        ----------
        first
            Number of the first deal.
        outs
            A block of games as the engine writes it (`calcsim.engine.columns`) for each of `seatings`.
        """
        rows = self.start(first, outs[0].shape[1])
        for index, out in enumerate(outs):
            self.add(rows, index, out)
        return rows

    def start(self, first: int, deals: int) -> DealRows:
        """Return the rows of deals of which nothing has been played yet."""
        values = np.zeros((self.rows, deals), dtype=np.int64)
        return DealRows(first, values, np.zeros(deals, dtype=np.int64), np.zeros(1, dtype=np.int64))

    def add(self, rows: DealRows, seating: int, out: NDArray[np.int32]) -> None:
        """Add the games of one seating to the rows of their deals. Modified in place: `rows`."""
        block = Block(out, self.cell.players)
        values = rows.values
        for metric in self._metrics:
            self._add_metric(values[self._at[metric.name] :], metric, seating, metric.take(block))
        turns = block.game("turns").astype(np.int64)
        values[self._squares] += turns * turns
        mark_games(out, rows.marks)
        rows.turns = add_counts(rows.turns, np.bincount(turns))

    def _add_metric(self, values: NDArray[np.int64], metric: Metric, seating: int, taken: Any) -> None:
        players = self.cell.players
        if metric.kind == "ratio":
            values[0] += taken[0]
            values[1] += taken[1]
        elif metric.kind == "place":
            numbers, places = taken
            for place in range(players):
                here = places == place + 1
                values[2 * place] += (numbers * here).sum(axis=0)
                values[2 * place + 1] += here.sum(axis=0)
        elif taken.ndim == 1:
            values[0] += taken
        else:
            values[:players] += taken
            line_up = self.seatings[seating].policies
            for k, policy in enumerate(self.policies):
                for seat in range(players):
                    if line_up[seat] == policy:
                        values[players + k] += taken[seat]


def add_counts(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of two histograms, as long as the longer."""
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    total = longer.astype(np.int64)
    total[: len(shorter)] += shorter
    return total


def play(
    reducers: Sequence[Reducer],
    *,
    seed: int,
    deals: int,
    make: Callable[[list[DealRows]], Any],
    first: int = 0,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Any]:
    """Play the same deals in all cells, and yield what is made of each block of them, in order.

    Parameters
    ----------
    reducers
        One a cell.
    seed, first, deals
        Deals `first` to ``first + deals - 1`` of the seed.
    make
        Called in the playing thread with the rows of a block of deals, by cell.
    threads
        0 for one a core.
    progress
        Called with the number of games done, seatings and all cells counted.
    """
    tables = [(i, k, cell) for i, reducer in enumerate(reducers) for k, cell in enumerate(reducer.seatings)]
    open_rows: dict[tuple[int, int], DealRows] = {}

    def each(index: int, start: int, out: NDArray[np.int32]) -> DealRows:
        i, seating, _ = tables[index]
        if seating == 0:
            open_rows[start, i] = reducers[i].start(start, out.shape[1])
        rows = open_rows[start, i]
        reducers[i].add(rows, seating, out)
        return rows

    def join(start: int, found: list[DealRows]) -> Any:
        firsts = [rows for (_, seating, _), rows in zip(tables, found, strict=True) if seating == 0]
        for i in range(len(reducers)):
            del open_rows[start, i]
        return make(firsts)

    cells = [cell for _, _, cell in tables]
    yield from driver.joint_blocks(
        cells, seed=seed, deals=deals, each=each, join=join, first=first, threads=threads, progress=progress
    )
