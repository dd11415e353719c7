"""How many deals it takes, and intervals that hold while one looks on."""

from __future__ import annotations

import math
from typing import Final

from calcsim.stats.intervals import LEVEL, normal_quantile

LEAST_DEALS: Final = 1_000
"""No precision is believed on fewer deals: the error itself is uncertain."""


def deals_for(error: float, deals: int, half_width: float, level: float = LEVEL) -> int:
    """Return how many deals it takes until an interval is as narrow as asked for.

    To stop as soon as this many deals were played keeps the level of the ordinary interval (Chow and
    Robbins): when that is depends on the spread alone, not on where the estimate lies.

    Parameters
    ----------
    error
        Standard error of the estimate on the deals played so far.
    deals
        Deals played so far.
    half_width
        Half the length of the interval asked for, above 0.
    level
        Of the interval.

    Returns
    -------
    deals
        In all, not further ones; at least `LEAST_DEALS`.

    Examples
    --------
    >>> deals_for(0.01, 10_000, 0.0098)
    39999
    """
    if math.isnan(error):
        return LEAST_DEALS
    factor = (normal_quantile(level) * error / half_width) ** 2
    return max(LEAST_DEALS, math.ceil(deals * factor))


def confidence_sequence(deviation: float, deals: int, planned: int, level: float = LEVEL) -> float:
    """Return the half width of an interval of a mean that may be looked at after each deal.

    With probability `level` it covers the mean at all looks, not at one of them alone: the asymptotic
    confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (arXiv 2103.06476).

    Parameters
    ----------
    deviation
        Standard deviation of one deal, as known at this look.
    deals
        Deals played at this look.
    planned
        Deals at which the interval is to be narrowest for its kind.
    level
        Of all intervals together.

    Examples
    --------
    >>> round(confidence_sequence(1.0, 10_000, 10_000) / (1.96 / 100), 2)
    1.55
    """
    normal_quantile(level)  # complains of a level that is none
    alpha = 1.0 - level
    strength = -2.0 * math.log(alpha)
    width = (strength + math.log(strength + 1.0)) / planned
    grown = deals * width + 1.0
    return deviation * math.sqrt(2.0 * grown / (deals * deals * width) * math.log(math.sqrt(grown) / alpha))
