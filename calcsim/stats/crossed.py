"""Skill and luck: what of the outcome's variance is due to policies, the seat, the deal, and chance in play.

Line-ups are crossed with deals, and each of the games is played several times, with the players' own choices
drawn anew. The line-ups are taken as all there are. Each part is estimated without bias by the method of
moments, so it can come out a little below 0.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from calcsim.stats.intervals import LEVEL, Estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PARTS: Final = {
    "policies": "who plays what: the mean outcome of each line-up, over all deals",
    "seat": "the seat: its mean outcome, over all line-ups and deals",
    "deal": "the cards dealt: the outcome of each deal, over all line-ups",
    "policies x deal": "what line-ups make of a deal, beyond both",
    "play": "what differs when the same line-up plays the same deal again, with the choices it makes by "
    "chance drawn anew",
}
"""What the variance is made of."""

GROUPS: Final = 50
"""Groups of deals that are left out in turn for the errors."""

LEAST_DEALS: Final = 100


def shares_of_variance(outcomes: Floats, level: float = LEVEL) -> tuple[dict[str, Estimate], float]:
    """Return the share of the outcome's variance that each of `PARTS` has.

    Parameters
    ----------
    outcomes
        Each seat's outcome, shape (replays, line-ups, seats, deals), summing to the same over the seats: 2
        replays or more, 2 line-ups or more, and `LEAST_DEALS` deals or more.
    level
        Of the intervals, by the jackknife over groups of deals.

    Returns
    -------
    shares, variance
        The shares, and the variance of a seat's outcome, on the average over the seats. The shares are NaN
        without an interval where nothing varies.
    """
    deals = outcomes.shape[-1]
    found = _parts(outcomes)
    whole = float(found.sum())
    if whole <= 0:
        return {name: Estimate(math.nan, None, None, None) for name in PARTS}, 0.0
    shares = found / whole
    group = np.arange(deals) * GROUPS // deals
    left_out = np.array([_parts(outcomes[..., group != g]) for g in range(GROUPS)])
    left_out /= left_out.sum(axis=1, keepdims=True)
    errors = np.sqrt((GROUPS - 1) / GROUPS * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0))
    from scipy.special import stdtrit

    reach = float(stdtrit(GROUPS - 1, (1 + level) / 2)) * errors
    estimates = {
        name: Estimate(float(share), float(error), float(share - far), float(share + far))
        for name, share, error, far in zip(PARTS, shares, errors, reach, strict=True)
    }
    return estimates, whole


def _parts(outcomes: Floats) -> Floats:
    """Return the variances in the order of `PARTS`, of one seat, on the average over the seats."""
    replays, line_ups, _, deals = outcomes.shape
    centred = outcomes - outcomes.mean(axis=(0, 1, 3), keepdims=True)
    by_game = centred.mean(axis=0)
    chance = centred.var(axis=0, ddof=1).mean()  # between replays of the same game
    # Variances between deals of one line-up; what chance adds to the mean of the replays is taken off.
    within = by_game.var(axis=-1, ddof=1)
    by_line_up = within.mean() - chance / replays
    # The mean over line-ups is over as many replays for each, all of them drawn by themselves.
    of_deals = by_game.mean(axis=0).var(axis=-1, ddof=1)
    deal = of_deals.mean() - chance / (replays * line_ups)
    # The line-ups' means, less what deals and chance make of them; they have been played on the same deals.
    means = by_game.mean(axis=-1)
    noise = (within.mean(axis=0) - of_deals).mean() / deals
    skill = means.var(axis=0).mean() - noise
    seat = float(outcomes.mean(axis=(0, 1, 3)).var())
    # The seats' outcomes sum to the same in each game, so all of their means' noise is in their differences.
    seat -= float(of_deals.mean()) / deals
    return np.array([skill, seat, deal, by_line_up - deal, chance])
