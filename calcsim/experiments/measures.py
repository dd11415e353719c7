"""What a study measures besides counting: the course of games, the luck of the deal, matches."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from calcsim.experiments.analysis import Lone
from calcsim.experiments.cells import StoredCell, identity_of
from calcsim.experiments.flow import Bin, Calibration, Flow, measure_flow
from calcsim.experiments.luck import deal_luck
from calcsim.experiments.matches import matches
from calcsim.experiments.store import Arrays, Store, key_of
from calcsim.stats.intervals import Estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calcsim.experiments.deals import DealRows
    from calcsim.experiments.plan import Design

FLOW = "flow"
LUCK = "luck"
MATCH = "match"

_DIGITS = 12
"""Decimals that are kept: what lies beyond depends on the version of the library that adds up."""


def games_of(design: Design) -> int:
    """Return the games that a design takes besides those of its deals, none of them kept yet."""
    cells = design.cells()
    games = 0
    if FLOW in design.needs:
        games += design.flow_deals * design.games_per_deal()
    if LUCK in design.needs:
        games += design.luck.deals * design.luck.replays * len(cells)
    return games


@dataclass
class Measures:
    """Measures the cells of a design, or reads from the store what was measured.

    Attributes
    ----------
    design, cells, store
        What is measured, and where it is kept.
    entries
        What was measured with its checksum, for the manifest.
    """

    design: Design
    cells: Sequence[StoredCell]
    store: Store
    entries: list[dict[str, Any]] = field(default_factory=list)

    def flows(self, progress: Callable[[int], None]) -> dict[int, Flow]:
        """Return the course of games by cell, or nothing if no metric needs it.

        Parameters
        ----------
        progress
            Called with the number of games done.
        """
        if FLOW not in self.design.needs:
            return {}
        deals, seed = self.design.flow_deals, self.design.seed
        found = {}
        done = 0
        for index, cell in enumerate(self.cells):

            def measure(cell: StoredCell = cell, done: int = done) -> Arrays:
                flow = measure_flow(
                    cell.reducer.seatings, seed=seed, deals=deals, progress=lambda n: progress(done + n)
                )
                return _flow_arrays(flow)

            kept = self._kept(cell, FLOW, deals, {"deals": deals}, measure)
            found[index] = _flow(kept, deals)
            done += deals * cell.games
        return found

    def luck(self, threads: int, progress: Callable[[int], None]) -> list[Lone]:
        """Return what the deal settles, by cell, or nothing if no metric needs it.

        Of different policies the line-up as written is replayed, not its rotations.

        Parameters
        ----------
        threads
            How many; 0 for one a core.
        progress
            Called with the number of games done.
        """
        if LUCK not in self.design.needs:
            return []
        deals, replays, level = self.design.luck.deals, self.design.luck.replays, self.design.level
        found = []
        for index, cell in enumerate(self.cells):
            done = index * deals * replays

            def measure(cell: StoredCell = cell, done: int = done) -> Arrays:
                luck = deal_luck(
                    cell.reducer.cell,
                    seed=self.design.seed,
                    deals=deals,
                    replays=replays,
                    level=level,
                    threads=threads,
                    progress=lambda n: progress(done + n),
                )
                numbers = [math.nan if number is None else number for number in luck.share]
                return {"share": np.round(numbers, _DIGITS), "spread": np.round([luck.spread], _DIGITS)}

            more = {"deals": deals, "replays": replays, "level": level}
            kept = self._kept(cell, LUCK, deals, more, measure)
            estimate, *rest = (float(number) for number in kept["share"])
            interval = (None if math.isnan(number) else number for number in rest)
            found.append(
                Lone(
                    cell=index,
                    name="luck.deal",
                    metric="luck.deal",
                    unit="",
                    per="deal",
                    estimate=Estimate(estimate, *interval),
                    method=f"{replays} replays of each deal, jackknife",
                    deals=deals,
                    games=deals * replays,
                )
            )
        return found

    def _kept(
        self, cell: StoredCell, kind: str, deals: int, more: dict[str, Any], measure: Callable[[], Arrays]
    ) -> Arrays:
        """Return what the store has of a cell; measured and kept, if it has nothing."""
        identity = identity_of(cell.plan, self.design.seed, kind, **more)
        key = key_of(identity)
        kept = self.store.read(key, 0, deals)
        if kept is None:
            kept = self.store.write(key, 0, deals, measure(), identity)
        self.entries.append(
            {
                "kind": kind,
                "group": cell.plan.group.label,
                "variant": cell.plan.variant.name,
                "key": key,
                **more,
                "checksum": kept.digest,
            }
        )
        return kept.arrays


def _flow_arrays(flow: Flow) -> Arrays:
    calibration = flow.calibration
    return {
        "names": np.array(list(flow.values)),
        "values": np.round(list(flow.values.values()), _DIGITS),
        "bins": np.round(np.reshape([list(bin_) for bin_ in calibration.bins], (-1, 3)), _DIGITS),
        "brier": np.round([calibration.brier, calibration.brier_fair], _DIGITS),
        "games": np.array([flow.games]),
    }


def _flow(arrays: Arrays, deals: int) -> Flow:
    bins = tuple(Bin(float(predicted), float(seen), int(n)) for predicted, seen, n in arrays["bins"])
    calibration = Calibration(bins, *(float(number) for number in arrays["brier"]))
    values = {str(name): row for name, row in zip(arrays["names"], arrays["values"], strict=True)}
    return Flow(0, deals, int(arrays["games"][0]), values, calibration)


def calibrations(flows: Mapping[int, Flow]) -> list[Lone]:
    """Return how well the win probabilities hold that each cell's course was measured by."""
    found = []
    for cell, flow in flows.items():
        for name, value in (("v.error", flow.calibration.error), ("v.skill", flow.calibration.skill)):
            found.append(
                Lone(
                    cell=cell,
                    name=name,
                    metric=name,
                    unit="",
                    per="prediction",
                    estimate=Estimate(round(value, _DIGITS), None, None, None),
                    method="each half of the deals by the other's table",
                    deals=flow.deals,
                    games=flow.games,
                )
            )
    return found


class Scores:
    """Collects the scores of a cell's deals, and puts them together to matches.

    Parameters
    ----------
    index, cell
        The cell and its place in the design.
    games
        Games of a match.
    level
        Of the intervals.
    """

    def __init__(self, index: int, cell: StoredCell, games: int, level: float) -> None:
        self._index = index
        self._lower_wins = cell.plan.rules.scoring == "rank-points"
        self._seatings = cell.games
        self._games = games
        self._level = level
        known = {component.name: component for component in cell.reducer.components}
        who = cell.reducer.policies or [f"seat{seat}" for seat in range(cell.plan.players)]
        self._components = {name: known[f"score.{name}"] for name in who}
        self._parts: list[NDArray[np.int64]] = []

    def add(self, rows: DealRows) -> None:
        """Add deals that follow those before."""
        self._parts.append(rows.values[[component.x for component in self._components.values()]])

    def lone(self) -> list[Lone]:
        """Return who wins the matches.

        A policy's score on a deal is its mean over the seats that it holds in all seatings.
        """
        scores = np.concatenate(self._parts, axis=1)
        held = [component.games for component in self._components.values()]
        whole = math.lcm(*held)
        scores *= np.array([[whole // games] for games in held])
        found = matches(scores, self._games, lower_wins=self._lower_wins, level=self._level)
        estimates = {f"match.win.{name}": won for name, won in zip(self._components, found.won, strict=True)}
        estimates["match.tied"] = found.tied
        deals = found.matches * found.games
        return [
            Lone(
                cell=self._index,
                name=name,
                metric="match.tied" if name == "match.tied" else "match.win.*",
                unit="",
                per=f"match of {found.games}",
                estimate=estimate,
                method="share of matches",
                deals=deals,
                games=deals * self._seatings,
            )
            for name, estimate in estimates.items()
        ]
