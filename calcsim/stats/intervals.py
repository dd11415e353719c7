"""Estimates with their standard errors and intervals, from integer counts and sums.

Sums are taken as Python integers and differences of them formed before anything is rounded, so an estimate
does not depend on the order in which games were added up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, NamedTuple

from calcsim.errors import UsageError

LEVEL: Final = 0.95
"""The level of intervals unless another is asked for."""

RARE: Final = 10
"""With fewer events (or fewer failures) than this, Wilson's interval gives way to Clopper and Pearson's."""

SMALL_SAMPLE: Final = 100
"""With fewer units than this, intervals of means use Student's t; above, t and the normal agree to 1 %."""

METHODS: Final = {
    "wilson": "Wilson score interval",
    "clopper-pearson": f"Clopper-Pearson exact interval (fewer than {RARE} games with, or without, it)",
    "upper-bound": "exact one-sided upper bound (never seen)",
    "lower-bound": "exact one-sided lower bound (seen in every game)",
    "no-games": "nothing to take a share of",
}
"""What each `Share.method` is."""


class Estimate(NamedTuple):
    """A mean or ratio; all but the estimate is None where there is one unit alone and so no spread."""

    estimate: float
    error: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Share:
    """A share of independent games, with its interval."""

    count: int
    games: int
    estimate: float | None
    """None if there were no games."""
    low: float
    high: float
    method: str
    """A key of `METHODS`."""

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2


def normal_quantile(level: float) -> float:
    """Return z with probability `level` between -z and z.

    Examples
    --------
    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    if not 0 < level < 1:
        raise UsageError(
            f"level {level!r} is no level of an interval; give a number between 0 and 1, as 0.95"
        )
    return NormalDist().inv_cdf((1 + level) / 2)


def parse_level(text: str) -> float:
    """Return the level of an interval written as ``0.95`` or ``95%``.

    Raises
    ------
    UsageError
        If it is no number from 0.5 to 0.999999.

    Examples
    --------
    >>> parse_level("99%")
    0.99
    """
    plain = text.strip()
    try:
        level = float(plain.removesuffix("%")) / (100 if plain.endswith("%") else 1)
    except ValueError:
        level = 0.0
    if not 0.5 <= level <= 0.999_999:
        raise UsageError(f"level {text!r}: must be a number from 0.5 to 0.999999, as 0.95 or 95%")
    return level


def wilson(count: int, games: int, level: float = LEVEL) -> tuple[float, float]:
    """Return Wilson's score interval of a share, clipped to 0..1.

    Examples
    --------
    >>> [round(bound, 4) for bound in wilson(5, 10)]
    [0.2366, 0.7634]
    """
    z = normal_quantile(level)
    share = count / games
    shrink = 1 + z * z / games
    centre = (share + z * z / (2 * games)) / shrink
    reach = z / shrink * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    # At 0 and at all games rounding can leave the unit interval by 1e-17.
    return (0.0 if count == 0 else max(0.0, centre - reach)), (
        1.0 if count == games else min(1.0, centre + reach)
    )


def clopper_pearson(count: int, games: int, level: float = LEVEL) -> tuple[float, float]:
    """Return Clopper and Pearson's exact interval of a share: its coverage is never below `level`.

    Examples
    --------
    >>> [round(bound, 4) for bound in clopper_pearson(1, 10)]
    [0.0025, 0.445]
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = 0.0 if count == 0 else float(betaincinv(count, games - count + 1, tail))
    high = 1.0 if count == games else float(betaincinv(count + 1, games - count, 1 - tail))
    return low, high


def unseen_bound(games: int, level: float = LEVEL) -> float:
    """Return the share that an event never seen in `games` games stays below, with confidence `level`.

    Examples
    --------
    >>> round(unseen_bound(1000), 6)  # about 3 / 1000
    0.002991
    """
    return -math.expm1(math.log1p(-level) / games)


def share(count: int, games: int, level: float = LEVEL) -> Share:
    """Return a share with the interval that suits it: Wilson's, for rare events an exact one.

    Parameters
    ----------
    count, games
        How many of the games had the event.
    level
        Confidence of the interval; of the bound, where the event was never (or always) seen.
    """
    normal_quantile(level)
    if games == 0:
        return Share(0, 0, None, 0.0, 1.0, "no-games")
    if count == 0:
        return Share(0, games, 0.0, 0.0, unseen_bound(games, level), "upper-bound")
    if count == games:
        return Share(games, games, 1.0, 1.0 - unseen_bound(games, level), 1.0, "lower-bound")
    method = "clopper-pearson" if min(count, games - count) < RARE else "wilson"
    low, high = (clopper_pearson if method == "clopper-pearson" else wilson)(count, games, level)
    return Share(count, games, count / games, low, high, method)


def share_estimate(count: int, games: int, level: float = LEVEL) -> Estimate:
    """Return a share as an `Estimate`: the error of the sample, the interval of `share`."""
    found = share(count, games, level)
    if games < 2:
        return Estimate(float(count), None, found.low, found.high)
    error = math.sqrt(count * (games - count) / (games - 1)) / games
    return Estimate(count / games, error, found.low, found.high)


def _interval(estimate: float, error: float, units: int, level: float) -> Estimate:
    reach = _quantile(units, level) * error
    return Estimate(estimate, error, estimate - reach, estimate + reach)


def _quantile(units: int, level: float) -> float:
    if units >= SMALL_SAMPLE:
        return normal_quantile(level)
    from scipy.special import stdtrit

    return float(stdtrit(units - 1, (1 + level) / 2))


def mean(units: int, total: int, squares: int, level: float = LEVEL) -> Estimate:
    """Return the mean of `units` independent integers from their sum and their sum of squares.

    Examples
    --------
    >>> mean(4, 10, 30).estimate
    2.5
    """
    if units == 1:
        return Estimate(float(total), None, None, None)
    variance = (units * squares - total * total) / (units * (units - 1))
    return _interval(total / units, math.sqrt(variance / units), units, level)


def ratio(
    units: int, over: int, under: int, over_over: int, under_under: int, over_under: int, level: float = LEVEL
) -> Estimate:
    """Return the ratio of two sums over independent units, its error by the delta method.

    Parameters
    ----------
    units
        How many units (games) were summed.
    over, under
        The sums of the numerators x and of the denominators y; `under` is not 0.
    over_over, under_under, over_under
        The sums of x², y² and x·y.
    """
    if units == 1:
        return Estimate(over / under, None, None, None)
    # Sum of (x - ratio * y)², times under²: an integer, so no digits cancel.
    residual = under * under * over_over - 2 * over * under * over_under + over * over * under_under
    error = math.sqrt(units * residual / (units - 1) / (under * under)) / under
    return _interval(over / under, error, units, level)
