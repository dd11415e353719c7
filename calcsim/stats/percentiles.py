"""Percentiles of a histogram, with distribution-free intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from calcsim.stats.intervals import LEVEL, normal_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

PERCENTILES: Final = (5, 50, 95)
"""Percentiles of the turns that are reported."""


def percentile(
    counts: NDArray[np.int64], percent: float, level: float = LEVEL, per_unit: int = 1
) -> tuple[int, int, int]:
    """Return a percentile and its interval, between two of the numbers in their order.

    Parameters
    ----------
    counts
        How often each whole number from 0 on was seen.
    percent
        Which percentile.
    level
        Of the interval.
    per_unit
        How many of the numbers come from one independent unit; the interval is as wide as if they were equal.

    Returns
    -------
    number, low, high
        The number that `percent` of all do not exceed, and its interval.

    Examples
    --------
    >>> percentile(np.array([0, 10, 80, 10]), 50)
    (2, 2, 2)
    """
    total = int(counts.sum())
    p = percent / 100
    reach = normal_quantile(level) * math.sqrt(total * per_unit * p * (1 - p))
    cumulated = np.cumsum(counts)

    def ranked(rank: float) -> int:
        return int(np.searchsorted(cumulated, min(max(math.ceil(rank), 1), total)))

    middle = total * p
    return ranked(middle), ranked(middle - reach), ranked(middle + reach + 1)
