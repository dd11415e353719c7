"""All figures of one cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calcsim.engine.driver import Cell
    from calcsim.stats.totals import Totals


def measure(
    cell: Cell,
    *,
    games: int,
    seed: int,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Totals:
    """Play games of a cell and return the sums of all figures.

    The sums depend on the cell, the seed and the number of games alone, not on the threads.

    Parameters
    ----------
    cell
        Rules, players and policies, as `calcsim.engine.driver.prepare` makes it.
    games
        How many to play, 1 or more.
    seed, threads, progress
        As for `calcsim.engine.driver.blocks`.
    """
    from calcsim.engine import driver
    from calcsim.stats.totals import Totals

    def sum_up(first: int, out: NDArray[np.int32]) -> Totals:
        return Totals.of(out, cell.players)

    blocks = driver.blocks(cell, seed=seed, games=games, threads=threads, map=sum_up, progress=progress)
    totals = next(blocks)
    for block in blocks:
        totals.add(block)
    return totals
