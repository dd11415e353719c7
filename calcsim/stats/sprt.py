"""A sequential test of a mean: which of two values it is closer to, on as few deals as that takes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from calcsim.errors import UsageError

Decision: TypeAlias = Literal["high", "low", "undecided"]

PSEUDO: Final = 1e-3
"""Deals added to each possible score that was never seen: no variance is believed to be 0."""

_FAR: Final = 700.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is told apart, and how surely.

    Attributes
    ----------
    low, high
        The two values of the mean.
    alpha
        Probability of deciding for `high` where the mean is `low` (less where it is lower).
    beta
        Probability of deciding for `low` where the mean is `high`.

    Raises
    ------
    UsageError
        If `low` is not below `high`, or a probability is not between 0 and 1/2.
    """

    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Check them."""
        if not self.low < self.high:
            raise UsageError(f"bounds {self.low:g},{self.high:g}: the first must be the lower one")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise UsageError(f"{name} {value:g}: must lie between 0 and 0.5, as 0.05")

    @property
    def reject(self) -> float:
        """At this log likelihood ratio or below, the mean is decided to be `low`.

        Examples
        --------
        >>> round(Bounds(0.0, 0.01).reject, 3)
        -2.944
        """
        return math.log(self.beta / (1.0 - self.alpha))

    @property
    def accept(self) -> float:
        """At this log likelihood ratio or above, the mean is decided to be `high`."""
        return math.log((1.0 - self.beta) / self.alpha)

    def decide(self, ratio: float) -> Decision:
        """Return what a log likelihood ratio decides."""
        if ratio >= self.accept:
            return "high"
        return "low" if ratio <= self.reject else "undecided"


def moments(counts: Mapping[int, int], possible: Iterable[int], unit: float) -> tuple[float, float]:
    """Return mean and variance of scores of deals; the variance is never 0.

    Parameters
    ----------
    counts
        Deals by their score, in units.
    possible
        Scores that could be seen, in units; where they were not, `PSEUDO` deals are added.
    unit
        What one unit is.
    """
    weights: dict[int, float] = {score: PSEUDO for score in possible if not counts.get(score)}
    weights.update({score: float(n) for score, n in counts.items() if n})
    whole = math.fsum(weights.values())
    mean = math.fsum(score * n for score, n in weights.items()) / whole
    spread = math.fsum((score - mean) ** 2 * n for score, n in weights.items()) / whole
    return mean * unit, spread * unit * unit


def log_ratio(deals: int, mean: float, variance: float, bounds: Bounds) -> float:
    """Return the log likelihood ratio of the two values of the mean, for as many scores as there are deals.

    It is the generalised one (GSPRT) in its normal form, as Fishtest uses it.

    Examples
    --------
    >>> round(log_ratio(1000, 0.01, 0.04, Bounds(0.0, 0.01)), 3)
    1.25
    """
    return deals * (bounds.high - bounds.low) * (2.0 * mean - bounds.low - bounds.high) / (2.0 * variance)


def operating(mean: float, variance: float, bounds: Bounds) -> tuple[float, float]:
    """Return how likely a test decides for `high` where the mean is this, and after how many deals it ends.

    Wald's approximations: they take it that the ratio ends on its bounds; real tests take some deals more.

    Parameters
    ----------
    mean, variance
        Of one deal's score.
    bounds
        What is told apart.

    Returns
    -------
    chance, deals
        Probability of ``high``, and the mean number of deals.

    Examples
    --------
    >>> chance, deals = operating(0.01, 0.04, Bounds(0.0, 0.01))
    >>> round(chance, 6), round(deals)
    (0.95, 2120)
    """
    a, b = bounds.reject, bounds.accept
    gap = bounds.high - bounds.low
    drift = gap * (2.0 * mean - bounds.low - bounds.high) / (2.0 * variance)
    wobble = gap * gap / variance
    h = -2.0 * drift / wobble
    if abs(h) * max(b, -a) < 1e-9:
        return -a / (b - a), -a * b / wobble
    # Where one bound is out of reach its exponential would overflow.
    low, high = math.expm1(min(h * a, _FAR)), math.expm1(min(h * b, _FAR))
    chance = -low / (high - low)
    return chance, (chance * b + (1.0 - chance) * a) / drift
