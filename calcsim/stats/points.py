"""Shares and differences of shares as text, in percent and percentage points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calcsim.stats.text import decimals

if TYPE_CHECKING:
    from calcsim.stats.intervals import Estimate

MINUS = "−"


def signed(value: float, places: int) -> str:
    """Return a number with its sign, 0 without one.

    Examples
    --------
    >>> signed(1.26, 1), signed(-0.04, 1)
    ('+1.3', '0.0')
    """
    text = f"{value:+.{places}f}"
    return text[1:] if not float(text) else text.replace("-", MINUS)


def gain_text(gain: Estimate) -> tuple[str, str]:
    """Return a difference of shares in percentage points, and its interval.

    Examples
    --------
    >>> from calcsim.stats.intervals import Estimate
    >>> gain_text(Estimate(0.0123, 0.001, 0.0103, 0.0143))
    ('+1.23', '+1.03 to +1.43')
    """
    low, high = gain.low, gain.high
    if low is None or high is None:
        return signed(100 * gain.estimate, 1), "one only"
    if high <= low:
        return signed(100 * gain.estimate, 1), "on every deal"
    places = decimals(50 * (high - low))
    return (
        signed(100 * gain.estimate, places),
        f"{signed(100 * low, places)} to {signed(100 * high, places)}",
    )


def share_of_all(share: Estimate) -> tuple[str, str]:
    """Return a share in percent, and its interval.

    Examples
    --------
    >>> from calcsim.stats.intervals import Estimate
    >>> share_of_all(Estimate(0.2511, 0.001, 0.2491, 0.2531))
    ('25.11 %', '24.91 to 25.31 %')
    """
    low, high = share.low, share.high
    if low is None or high is None:
        return "none", ""
    if high <= low:
        return f"{100 * share.estimate:.4g} %", "always"
    places = decimals(50 * (high - low))
    numbers = [f"{100 * x:.{places}f}".replace("-", MINUS) for x in (share.estimate, low, high)]
    return f"{numbers[0]} %", f"{numbers[1]} to {numbers[2]} %"


def whole_percent(share: float) -> str:
    """Return a share in whole percent, that are 0 or 100 only where it is none or all.

    Examples
    --------
    >>> whole_percent(0.999), whole_percent(0.0), whole_percent(0.5)
    ('> 99 %', '0 %', '50 %')
    """
    if 0 < share < 0.01:
        return "< 1 %"
    if 0.99 < share < 1:
        return "> 99 %"
    return f"{100 * share:.0f} %"
