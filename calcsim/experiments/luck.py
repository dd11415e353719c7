"""How much of who wins the deal settles, and how much the choices of the players on it.

Each deal is played many times by the same policies, who choose anew each time where they choose by chance.
What is left of the outcome's variance when the deal is held fixed is not the deal's. Policies that never
choose by chance leave nothing, and the deal's share is 1 for them whatever the rules.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from calcsim.errors import UsageError
from calcsim.stats.intervals import LEVEL, Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calcsim.engine.driver import Cell

    Counts = NDArray[np.int64]
    Floats = NDArray[np.float64]

LEAST_DEALS: Final = 3
"""With two deals, leaving one out leaves no variance between deals."""

_POLL_S: Final = 0.2
"""How long the main thread waits before it looks for an interrupt."""


@dataclass(frozen=True, slots=True)
class Luck:
    """What the deal settles.

    Attributes
    ----------
    share
        The share of the variance of winning (place 1, alone or shared) that lies between deals, all seats
        taken together. It is free of bias by the limited number of replays, so it can fall a little below
        0 where the deal settles nothing. NaN without an interval if nothing ever varies.
    spread
        Standard deviation, between deals, of a seat's chance of winning: root mean square over the seats.
    deals, replays, level
        How many deals, how often each was played, and the level of the interval.
    """

    share: Estimate
    spread: float
    deals: int
    replays: int
    level: float


def deal_luck(
    cell: Cell,
    *,
    seed: int,
    deals: int,
    replays: int,
    first: int = 0,
    level: float = LEVEL,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Luck:
    """Play deals many times each, and tell what the deal settles.

    Parameters
    ----------
    cell
        What to play.
    seed, first, deals
        Deals `first` to ``first + deals - 1`` of the seed, 3 at least.
    replays
        How often each is played, 2 at least.
    level
        Of the interval.
    threads
        How many; 0 for one a core. The result does not depend on it.
    progress
        Called with the number of games done.

    Raises
    ------
    UsageError
        If there are too few deals or replays.
    PolicyError
        If a player fails.
    """
    import numpy as np

    _check(deals, replays)
    wins = np.zeros((cell.players, deals), dtype=np.int64)
    for k, won in enumerate(_replays(cell, seed, first, deals, replays, threads)):
        wins += won
        if progress is not None:
            progress((k + 1) * deals)
    return luck_share(wins, replays, level)


def luck_share(wins: Counts, replays: int, level: float = LEVEL) -> Luck:
    """Tell what the deal settles from how often each seat won on each deal.

    With r the share of the replays of a deal that a seat wins, and M replays, its part of the variance is
    var(r) - mean(r (1 - r)) / (M - 1), of mean(r) (1 - mean(r)) in all; both are summed over the seats
    before they are divided. The error is that of the jackknife over deals.

    Parameters
    ----------
    wins
        Shape (seats, deals): of how many replays.
    replays
        How often each deal was played.
    level
        Of the interval.

    Raises
    ------
    UsageError
        If there are too few deals or replays.
    """
    import numpy as np
    from scipy.special import stdtrit

    deals = wins.shape[1]
    _check(deals, replays)
    shares = wins / replays
    total = shares.sum(axis=1, keepdims=True)
    squares = (shares * shares).sum(axis=1, keepdims=True)
    between, whole = _variances(total, squares, deals, replays)
    spread = math.sqrt(max(0.0, float(between.sum()) / len(wins)))
    if whole.sum() <= 0:
        return Luck(Estimate(math.nan, None, None, None), spread, deals, replays, level)
    share = float(between.sum() / whole.sum())
    # The same with each deal left out in turn.
    betweens, wholes = _variances(total - shares, squares - shares * shares, deals - 1, replays)
    with np.errstate(invalid="ignore", divide="ignore"):
        without = betweens.sum(axis=0) / wholes.sum(axis=0)
    without = np.where(np.isfinite(without), without, share)
    error = math.sqrt((deals - 1) * float(without.var()))
    reach = error * float(stdtrit(deals - 1, (1 + level) / 2))
    return Luck(Estimate(share, error, share - reach, share + reach), spread, deals, replays, level)


def _variances(total: Floats, squares: Floats, deals: int, replays: int) -> tuple[Floats, Floats]:
    """Return the variance of the chances between deals, and that of one outcome, from sums over deals."""
    between = (squares - total * total / deals) / (deals - 1)
    noise = (total - squares) / deals / (replays - 1)
    mean = total / deals
    return between - noise, mean * (1 - mean)


def _check(deals: int, replays: int) -> None:
    """Refuse too few.

    Raises
    ------
    UsageError
        If there are too few deals or replays.
    """
    if deals < LEAST_DEALS:
        raise UsageError(f"luck over {deals} deals: give {LEAST_DEALS} or more (2,000 tell something)")
    if replays < 2:
        raise UsageError(f"luck with {replays} replays: give 2 or more (50 tell something)")


def _replays(
    cell: Cell, seed: int, first: int, deals: int, replays: int, threads: int
) -> Iterator[NDArray[np.bool_]]:
    """Yield who won (place 1, alone or shared), shape (seats, deals), one replay after the other."""
    import numpy as np

    from calcsim.engine.driver import blocks
    from calcsim.stats.block import Block

    def winners(_: int, out: NDArray[np.int32]) -> NDArray[np.bool_]:
        return Block(out, cell.players).has_place(1)

    def play(noise: int) -> NDArray[np.bool_]:
        played = blocks(cell, seed=seed, games=deals, map=winners, first=first, threads=1, noise=noise)
        return np.concatenate(list(played), axis=1)

    # Replays side by side: the few deals of one fill a single block, which is a single thread's work.
    pool = ThreadPoolExecutor(threads or os.cpu_count() or 1, thread_name_prefix="calcsim-luck")
    try:
        for task in [pool.submit(play, noise) for noise in range(replays)]:
            while not task.done():  # a bare wait would hold back Ctrl-C on some systems
                wait([task], timeout=_POLL_S)
            yield task.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
