"""Matches of several games by total score, and how many deals tell two policies apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from calcsim.errors import UsageError
from calcsim.stats.intervals import LEVEL, Estimate, mean, normal_quantile, share_estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AHEAD: Final = 1.6448536269514722
"""A normal variable stays below this with a probability of 95 %."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Who won the matches.

    Attributes
    ----------
    games
        Games of one match.
    matches
        How many matches there were.
    left_over
        Deals at the end that made no whole match; they are not counted.
    won
        For each row of the scores the share of the matches won; one shared by m counts 1/m for each.
    tied
        The share of the matches whose best total is shared.
    """

    games: int
    matches: int
    left_over: int
    won: tuple[Estimate, ...]
    tied: Estimate


class ToTell(NamedTuple):
    """How many deals it takes until the better of two policies is ahead with a probability of 95 %.

    All are infinite where nothing tells the two apart; `high` is, too, where they may be equal.
    """

    deals: float
    low: float
    high: float


def matches(scores: NDArray[np.integer[Any]], k: int, *, lower_wins: bool, level: float = LEVEL) -> Matches:
    """Put games together to matches of `k` and tell who wins them by total score.

    Parameters
    ----------
    scores
        Integers of shape (seats or policies, deals), in the order of the deals: a match is `k` in a row.
    k
        Games of a match.
    lower_wins
        Whether the lowest total wins, as under ``scoring = "rank-points"`` (R9.5).
    level
        Of the intervals.

    Raises
    ------
    UsageError
        If there is no whole match.
    """
    import numpy as np

    rows, deals = scores.shape
    if k < 1:
        raise UsageError(f"matches of {k} games: give 1 or more")
    n = deals // k
    if n == 0:
        raise UsageError(f"matches of {k} games: there are only {deals} deals; play {k} or more")
    totals = scores[:, : n * k].reshape(rows, n, k).sum(axis=2, dtype=np.int64)
    best = totals == (totals.min(axis=0) if lower_wins else totals.max(axis=0))
    sharing = best.sum(axis=0)
    tied = int((sharing > 1).sum())
    # In parts of a match, so that any number of winners share one without rounding.
    whole = math.lcm(*range(1, rows + 1))
    parts = np.where(best, whole // sharing, 0)
    won = tuple(_won(row, whole, level) for row in parts)
    return Matches(k, n, deals - n * k, won, share_estimate(tied, n, level))


def _won(parts: NDArray[np.int64], whole: int, level: float) -> Estimate:
    """Return the share of the matches won: a plain share unless some are shared."""
    total = int(parts.sum())
    if not (parts % whole).any():
        return share_estimate(total // whole, len(parts), level)
    found = mean(len(parts), total, int((parts * parts).sum()), level)
    if found.error is None or found.low is None or found.high is None:
        return Estimate(found.estimate / whole, None, None, None)
    return Estimate(*(value / whole for value in (found.estimate, found.error, found.low, found.high)))


def games_to_tell(difference: float, sd: float, deals: int, level: float = LEVEL) -> ToTell:
    """Return the deals until the better of two policies is ahead with a probability of 95 %.

    That is (1.645 sd / difference)²; the interval comes from that of difference / sd, which over so many
    deals has the error sqrt((1 + (difference / sd)² / 2) / deals).

    Parameters
    ----------
    difference, sd
        Mean and standard deviation, over deals, of how much one policy does better on a deal (the sum over
        its seatings).
    deals
        How many deals these come from.
    level
        Of the interval.

    Examples
    --------
    >>> round(games_to_tell(0.1, 0.5, deals=10_000).deals, 1)
    67.6
    """
    z = normal_quantile(level)
    if sd == 0:  # always ahead, from the first deal on; or never
        least = 1.0 if difference else math.inf
        return ToTell(least, least, least)
    effect = abs(difference) / sd
    reach = z * math.sqrt((1 + effect * effect / 2) / deals)
    return ToTell(_to_tell(effect), _to_tell(effect + reach), _to_tell(effect - reach))


def _to_tell(effect: float) -> float:
    """Return the deals for a difference of so many standard deviations: one at least."""
    return max(1.0, (AHEAD / effect) ** 2) if effect > 0 else math.inf
