"""Running sums of all metrics: what is kept of games that are not kept themselves.

Sums are integers, so they are the same in whatever order, and on however many threads, the games were played.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from calcsim.stats.block import Block
from calcsim.stats.intervals import LEVEL, Estimate, mean, normal_quantile, ratio, share_estimate
from calcsim.stats.metrics import Kind, Metric, metrics
from calcsim.stats.percentiles import percentile
from calcsim.stats.sums import moments, moments_by, products

if TYPE_CHECKING:
    from numpy.typing import NDArray

SUMS: Final[dict[Kind, int]] = {"share": 1, "mean": 2, "ratio": 5, "place": 3}
"""Integers kept of one row, by kind: the count; Σx, Σx²; Σx, Σy, Σx², Σy², Σxy; seats, Σx, Σx²."""

_metrics = functools.lru_cache(metrics)


@dataclass(slots=True)
class Totals:
    """The sums of some games, added to as more are played.

    Attributes
    ----------
    players
        Seats of each game.
    games
        Games summed up.
    sums
        `SUMS` integers of each row of each metric, in the order of `calcsim.stats.metrics.metrics`.
    turns
        Games by their number of turns: int64, as long as the longest game needs.
    """

    players: int
    games: int
    sums: list[int]
    turns: NDArray[np.int64]

    @classmethod
    def of(cls, out: NDArray[np.int32], players: int) -> Totals:
        """Sum up a block of games as the engine writes it."""
        block = Block(out, players)
        sums: list[int] = []
        for metric in _metrics(players):
            sums += _SUM[metric.kind](metric.take(block))
        return cls(players, block.games, sums, np.bincount(block.game("turns")))

    def add(self, other: Totals) -> None:
        """Add the sums of other games, played by as many players."""
        self.games += other.games
        self.sums = [a + b for a, b in zip(self.sums, other.sums, strict=True)]
        longer, shorter = sorted((self.turns, other.turns), key=len, reverse=True)
        longer[: len(shorter)] += shorter
        self.turns = longer

    def estimates(self, level: float = LEVEL) -> dict[str, Estimate]:
        """Return each metric by name, but those whose denominator stayed 0: no such decision or seat."""
        found: dict[str, Estimate] = {}
        at = 0
        for metric in _metrics(self.players):
            width = SUMS[metric.kind]
            for name in metric.names(self.players):
                estimate = self._estimate(metric, self.sums[at : at + width], level)
                if estimate is not None:
                    found[name] = estimate
                at += width
            if metric.name == "turns":
                found["turns.sd"] = self._turns_deviation(level)
        return found

    def _estimate(self, metric: Metric, sums: list[int], level: float) -> Estimate | None:
        found = self._unbounded(metric, sums, level)
        # Only points can be negative.
        if found is None or found.low is None or metric.unit == "points":
            return found
        return found._replace(low=max(0.0, found.low))

    def _unbounded(self, metric: Metric, sums: list[int], level: float) -> Estimate | None:
        if metric.kind == "share":
            return share_estimate(sums[0], self.games, level)
        if metric.kind == "mean":
            return mean(self.games, sums[0], sums[1], level)
        if metric.kind == "ratio":
            x, y, xx, yy, xy = sums
            return ratio(self.games, x, y, xx, yy, xy, level) if y else None
        return mean(sums[0], sums[1], sums[2], level) if sums[0] else None

    def _turns_deviation(self, level: float) -> Estimate:
        """Return the standard deviation of the turns, its error from their fourth moment."""
        counts = [(turns, int(games)) for turns, games in enumerate(self.turns) if games]
        n = self.games
        if n == 1:
            return Estimate(0.0, None, None, None)
        centre = sum(turns * games for turns, games in counts) / n
        square = sum(games * (turns - centre) ** 2 for turns, games in counts) / n
        fourth = sum(games * (turns - centre) ** 4 for turns, games in counts) / n
        deviation = math.sqrt(square * n / (n - 1))
        # The variance's own variance is (m4 - m2²) / n; the root halves it, relative to the deviation.
        error = math.sqrt(max(0.0, fourth - square * square) / n) / (2 * deviation) if deviation else 0.0
        reach = normal_quantile(level) * error
        return Estimate(deviation, error, max(0.0, deviation - reach), deviation + reach)

    def turns_percentile(self, percent: float, level: float = LEVEL) -> tuple[int, int, int]:
        """Return a percentile of the turns and its interval, between two games in the order of their turns.

        Returns
        -------
        turns, low, high
            The number of turns that `percent` of the games do not exceed, and its distribution-free interval.
        """
        return percentile(self.turns, percent, level)


def _sum_share(holds: Any) -> list[int]:
    return [int(np.count_nonzero(row)) for row in _rows(holds)]


def _sum_mean(values: Any) -> list[int]:
    return [number for row in _rows(values) for number in moments(row)]


def _sum_ratio(values: tuple[Any, Any]) -> list[int]:
    return list(products(*values))


def _sum_place(values: tuple[Any, Any]) -> list[int]:
    rows, places = values
    return moments_by(rows, places, len(rows))


def _rows(values: Any) -> Any:
    return values if values.ndim == 2 else (values,)


_SUM: Final = {"share": _sum_share, "mean": _sum_mean, "ratio": _sum_ratio, "place": _sum_place}
