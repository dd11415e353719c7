"""Estimates as text for people: as many digits as the interval bears out, and no ± 0."""

from __future__ import annotations

import math
from typing import Final

from calcsim.stats.intervals import Estimate, Share

_MOST_DECIMALS: Final = 12


def decimals(width: float) -> int:
    """Return the decimals that show a width with two significant digits.

    Examples
    --------
    >>> decimals(0.012), decimals(3.0), decimals(250.0)
    (3, 1, 0)
    """
    if width <= 0:
        return 0
    return min(max(1 - math.floor(math.log10(width)), 0), _MOST_DECIMALS)


def percent(value: float) -> str:
    """Return a share as a percentage, with no more digits than it has.

    Examples
    --------
    >>> percent(0.95)
    '95 %'
    """
    return f"{100 * value:.10g} %"


def share_text(share: Share) -> tuple[str, str]:
    """Return a share and its interval as text.

    Examples
    --------
    >>> from calcsim.stats.intervals import share
    >>> share_text(share(3814, 1_000_000))
    ('0.381 %', '0.370 % to 0.394 %')
    >>> share_text(share(0, 1_000_000))
    ('none seen', 'below 0.00030 %')
    """
    if share.method == "no-games":
        return "no games", ""
    if share.method in ("upper-bound", "lower-bound"):
        # Rounded outwards, so that what is printed is a bound as well.
        places = decimals(100 * (share.high - share.low))
        scale = 10**places
        if share.method == "upper-bound":
            return "none seen", f"below {math.ceil(100 * share.high * scale) / scale:.{places}f} %"
        return "every game", f"above {math.floor(100 * share.low * scale) / scale:.{places}f} %"
    places = decimals(100 * share.half_width)
    estimate, low, high = (
        _percentage(value, places) for value in (share.estimate or 0.0, share.low, share.high)
    )
    return estimate, f"{low} to {high}"


def _percentage(value: float, places: int) -> str:
    """Return a share with so many decimals, or more where it would seem to be 0 or 100 % and is not."""
    text = f"{100 * value:.{places}f} %"
    if 0 < value < 1 and float(text[:-2]) in (0, 100):
        return f"{100 * value:.{decimals(100 * min(value, 1 - value))}f} %"
    return text


def estimate_text(estimate: Estimate) -> tuple[str, str]:
    """Return a mean or ratio and its interval as text.

    Examples
    --------
    >>> estimate_text(Estimate(36.7453, 0.0148, 36.7163, 36.7743))
    ('36.745', '36.716 to 36.774')
    >>> estimate_text(Estimate(50.0, 0.0, 50.0, 50.0))
    ('50', 'always')
    """
    value, _, low, high = estimate
    if low is None or high is None:
        return f"{value:.6g}", "one only"
    if high <= low:
        return f"{value:.6g}", "always"
    places = decimals((high - low) / 2)
    return f"{value:.{places}f}", f"{low:.{places}f} to {high:.{places}f}"
