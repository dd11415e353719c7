"""One player among copies of others, on common deals: what it wins there, deal by deal.

On each deal the player sits in each seat once, and copies of one rival in all the others. The deal is the
unit: its number is the sum over the seats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from calcsim.engine import columns, driver
from calcsim.engine.driver import Cell
from calcsim.stats.block import WHOLE, Block

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calcsim.policies import Policy
    from calcsim.rules import RuleSet

Objective = Literal["win", "score"]

OBJECTIVES: Final = {
    "win": "share of games won: a first place shared by n players is 1/n of a win",
    "score": "points by the scoring of the rules, taken as losses where fewer are better (R9.5)",
}

_ENDLESS: Final = (columns.ENDS.index("stalled"), columns.ENDS.index("turn-limit"))


@dataclass(frozen=True)
class Measure:
    """What is wanted of a player, as a whole number each game.

    Attributes
    ----------
    objective
        A key of `OBJECTIVES`.
    rules, players
        What is played.
    endless
        Whether games that stall or reach the turn limit count as the rules say. If not, all share the last
        place: nothing is won by handing cards to and fro until the end.
    """

    objective: Objective
    rules: RuleSet
    players: int
    endless: bool = True

    @property
    def units(self) -> int:
        """The whole number that counts as 1."""
        return WHOLE if self.objective == "win" else 1

    @property
    def fair(self) -> float | None:
        """What each of equal players gets; None where that depends on how they play."""
        return 1 / self.players if self.objective == "win" else None

    def take(self, out: NDArray[np.int32], seat: int) -> NDArray[np.int64]:
        """Return the number of one seat in each game of a block."""
        block = Block(out, self.players)
        if self.objective == "win":
            numbers = block.win_parts()[seat]
        else:
            numbers = block.seat("score")[seat].astype(np.int64)
            if self.rules.scoring == "rank-points":
                numbers = -numbers
        if not self.endless:
            numbers = np.where(np.isin(block.game("end"), _ENDLESS), self._last_place(block, seat), numbers)
        return np.asarray(numbers, dtype=np.int64)

    def _last_place(self, block: Block, seat: int) -> NDArray[np.int64] | int:
        if self.objective == "win" or self.rules.scoring == "win":
            return 0
        if self.rules.scoring == "places":
            return int(self.rules.place_points[self.players - 1])
        return np.asarray(-(self.players + block.seat("left")[seat].astype(np.int64)))


def tables(measure: Measure, hero: Policy, rival: Policy) -> list[Cell]:
    """Return the tables at which a player sits among copies of a rival: one for each of its seats."""
    found = []
    for seat in range(measure.players):
        sitting = [rival] * measure.players
        sitting[seat] = hero
        names = tuple(policy.name for policy in sitting)
        found.append(Cell(measure.rules, measure.players, names, tuple(sitting)))
    return found


def play(
    measure: Measure,
    hero: Policy,
    rivals: Sequence[Policy],
    *,
    seed: int,
    first: int,
    deals: int,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> NDArray[np.int64]:
    """Play a player against each of some rivals on the same deals.

    Parameters
    ----------
    measure
        What is counted.
    hero, rivals
        The player, and those whose copies it meets.
    seed, first, deals
        Deals `first` to ``first + deals - 1`` of the seed.
    threads
        0 for one a core.
    progress
        Called with the number of games done.

    Returns
    -------
    numbers
        Shape (rivals, deals): summed over the seats.
    """
    cells = [cell for rival in rivals for cell in tables(measure, hero, rival)]

    def each(index: int, start: int, out: NDArray[np.int32]) -> NDArray[np.int64]:
        return measure.take(out, index % measure.players)

    def join(start: int, found: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        numbers = np.array(found).reshape(len(rivals), measure.players, -1)
        return np.asarray(numbers.sum(axis=1), dtype=np.int64)

    blocks = driver.joint_blocks(
        cells,
        seed=seed,
        deals=deals,
        each=each,
        join=join,
        first=first,
        threads=threads,
        progress=progress,
    )
    return np.concatenate(list(blocks), axis=1)


def play_all(
    measure: Measure,
    heroes: Sequence[Policy],
    rivals: Sequence[Policy],
    *,
    seed: int,
    first: int,
    deals: int,
    threads: int,
) -> NDArray[np.int64]:
    """Play several players, each against each rival, all on the same deals.

    Returns
    -------
    numbers
        Shape (heroes, rivals, deals): summed over the seats.
    """

    def one(hero: Policy) -> NDArray[np.int64]:
        return play(measure, hero, rivals, seed=seed, first=first, deals=deals)

    # A thread takes a whole player: deals are too few here to be cut into blocks.
    with ThreadPoolExecutor(threads, thread_name_prefix="calcsim") as pool:
        return np.array(list(pool.map(one, heroes)))
