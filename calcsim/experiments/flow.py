"""How games go: changes of the lead, comebacks, drama, and when the winner is settled.

The games are played again one by one, and the position after every turn is read off their logs
(`calcsim.experiments.course`). Who leads is told in two ways: by the fewest cards, and by a win probability
V (names that end in ``.v``, and `drama`, `uncertainty`).

V is the table of STATISTICS 3: of each coarse position of a player (own hand and smallest hand of another,
capped at 10, how many others have that, turns to wait, whether a penalty is pending, the player's policy,
and where the stock ends the game how far it lasts) it is (wins + 1) / (visits + players), then scaled to add
up to 1 over the seats. Deals of even number are judged by the table of the odd ones and the other way round,
so every prediction is about a deal that the table has not seen; `Flow.calibration` says how good they are.

All is about place 1. The course of a game begins with the position after the first turn and ends with the
turn in which the first player goes out, or with the game; there the outcome itself says who leads. If place
1 is shared, everyone who shares it counts in equal parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from calcsim.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calcsim.engine.driver import Cell


class Bin(NamedTuple):
    """Predictions of about the same size, and what came of them."""

    predicted: float
    """Their mean."""
    observed: float
    """The share of them that won."""
    n: int
    """How many."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How well V predicted: one prediction for each seat after each turn.

    Attributes
    ----------
    bins
        The predictions by size, in steps of 0.05; steps without any are left out.
    brier
        Mean squared error of V.
    brier_fair
        Mean squared error of the fair share 1/players, for comparison.
    """

    bins: tuple[Bin, ...]
    brier: float
    brier_fair: float

    @property
    def predictions(self) -> int:
        """How many there were."""
        return sum(b.n for b in self.bins)

    @property
    def error(self) -> float:
        """Mean distance of what was predicted from what came (expected calibration error)."""
        return sum(b.n * abs(b.predicted - b.observed) for b in self.bins) / max(1, self.predictions)

    @property
    def skill(self) -> float:
        """Share of the squared error of the fair share that V takes away."""
        return 1 - self.brier / self.brier_fair if self.brier_fair else 0.0


@dataclass(frozen=True, slots=True)
class Flow:
    """The course of the games of one line-up.

    Attributes
    ----------
    first, deals, games
        The first deal, how many, and the games played on them.
    values
        By name (`calcsim.stats.special`) a number for each deal, the mean over its seatings.
    calibration
        Of V, over all games.
    """

    first: int
    deals: int
    games: int
    values: dict[str, NDArray[np.float64]]
    calibration: Calibration


@dataclass(frozen=True, slots=True)
class _Courses:
    """The courses of one seating's games, as `course` takes them."""

    rows: NDArray[np.uint8]
    ends: NDArray[np.int64]
    winners: NDArray[np.int64]
    policies: NDArray[np.int64]


def measure_flow(
    seatings: Cell | Sequence[Cell],
    *,
    seed: int,
    deals: int,
    first: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Flow:
    """Play deals, and measure how the games go.

    Parameters
    ----------
    seatings
        What to play; several rotations of one line-up are played on each deal, and share one table for V.
    seed, first, deals
        Deals `first` to ``first + deals - 1`` of the seed, at least 2.
    progress
        Called now and then with the number of games done.

    Raises
    ------
    UsageError
        If there are fewer than two deals, or the seatings differ in more than who sits where.
    PolicyError
        If a player fails.
    """
    import numpy as np

    from calcsim.engine.driver import Cell
    from calcsim.experiments import course

    cells = [seatings] if isinstance(seatings, Cell) else list(seatings)
    _check(cells, deals)
    rules, players = cells[0].rules, cells[0].players
    names = list(dict.fromkeys(name for cell in cells for name in cell.policies))
    tell = progress or (lambda games: None)
    played = [
        _record(cell, names, seed, first, deals, lambda n, k=k: tell(k * deals + n))  # type: ignore[misc]
        for k, cell in enumerate(cells)
    ]

    fixed = (first, players, course.STAGES if rules.end == "stock-out" else 1)
    visits = np.zeros((2, course.SIZE_TABLE), dtype=np.int64)
    wins = np.zeros_like(visits)
    for one in played:
        course.count_courses(one.rows, one.ends, one.winners, *fixed, one.policies, visits, wins)
    # (wins + 1) / (visits + players): no position is hopeless for never having been seen to win.
    table = (wins + course.SHARE) / (course.SHARE * (visits + players))
    total = np.zeros((course.N_VALUES, deals))
    values = np.zeros_like(total)
    seen = np.zeros((2, course.BINS), dtype=np.int64)
    predicted = np.zeros(course.BINS)
    misses = np.zeros(2)
    for one in played:
        games = (one.rows, one.ends, one.winners)
        course.measure_cards(*games, players, values)
        course.measure_chances(*games, *fixed, one.policies, table, values, seen, predicted, misses)
        total += values
    total /= len(cells)
    return Flow(
        first,
        deals,
        deals * len(cells),
        {name: total[k] for k, name in enumerate(course.NAMES)},
        _calibration(seen, predicted, misses, course.SHARE),
    )


def _check(cells: list[Cell], deals: int) -> None:
    """Refuse what cannot be measured together.

    Raises
    ------
    UsageError
        If there are fewer than two deals, or the seatings differ in more than who sits where.
    """
    if deals < 2:
        raise UsageError(f"flow of {deals} deals: one half is judged by the other; give 2 or more")
    kinds = {(cell.rules, cell.players, tuple(sorted(cell.policies))) for cell in cells}
    if len(kinds) != 1:
        raise UsageError("flow: the seatings must have the same rules and policies; measure others apart")


def _record(
    cell: Cell, names: list[str], seed: int, first: int, deals: int, progress: Callable[[int], None]
) -> _Courses:
    """Play the games of one seating and keep their courses."""
    import numpy as np

    from calcsim.experiments import course
    from calcsim.experiments.tape import Tape
    from calcsim.stats.block import Block

    penalties = (cell.rules.streak_penalty, cell.rules.set_penalty)
    bits = 1 << np.arange(cell.players)
    rows = np.zeros((64 * deals, course.WIDTH), dtype=np.uint8)
    ends = np.zeros(deals, dtype=np.int64)
    winners = np.zeros(deals, dtype=np.int64)
    end = done = 0
    for log, out in Tape(cell).batches(seed, first, deals):
        block = Block(out, cell.players)
        new = slice(done, done + block.games)
        turns = int(block.game("turns").sum())
        if end + turns > len(rows):
            rows = np.concatenate([rows, np.zeros((len(rows) + turns, course.WIDTH), dtype=np.uint8)])
        end = course.follow(log, *penalties, rows, ends[new], end)
        winners[new] = bits @ block.has_place(1)
        done += block.games
        progress(done)
    policies = np.array([names.index(name) for name in cell.policies], dtype=np.int64)
    return _Courses(rows[:end], ends, winners, policies)


def _calibration(
    seen: NDArray[np.int64], predicted: NDArray[np.float64], misses: NDArray[np.float64], share: int
) -> Calibration:
    """Turn the account of all predictions into means."""
    bins = tuple(
        Bin(float(predicted[b] / n), float(won / (share * n)), int(n))
        for b, (n, won) in enumerate(seen.T)
        if n
    )
    n = max(1, int(seen[0].sum()))
    return Calibration(bins, float(misses[0] / n), float(misses[1] / n))
