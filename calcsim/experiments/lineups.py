"""Line-ups of different policies in many seatings on the same deals, and what is kept of each deal.

The deal is the unit: what the seatings of all line-ups bring a policy on it is added up, each seating with
its weight. All is kept in whole numbers, so nothing depends on threads or on the order of the games.
"""

from __future__ import annotations

import functools
import itertools
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from calcsim.engine import driver
from calcsim.stats.block import WHOLE, Block
from calcsim.stats.gram import Gram
from calcsim.stats.ranking import choices_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calcsim.policies import Policy
    from calcsim.rules import RuleSet

    Ints = NDArray[np.int64]

ALL_ORDERS: Final = 4
"""Up to so many players a line-up is seated in all ways; beyond, in some that balance the neighbours."""

BLOCKS: Final = 200
"""Deal i is of block i % 200: how the blocks differ says how uncertain strengths are."""

ROUND: Final = 10_000
"""Deals that are kept one by one before they are summed up."""

_POLL_S: Final = 0.2
_TASK_S: Final = 0.3
"""How long a thread plays before it can be stopped, about."""
_FIRST_SLICE: Final = 10


@dataclass(frozen=True, slots=True)
class LineUp:
    """Who plays at a table, and how they are seated.

    Attributes
    ----------
    seatings
        The policy at each seat, by its number, in each seating.
    group
        Results are kept apart by group.
    weight
        Of each seating.
    """

    seatings: tuple[tuple[int, ...], ...]
    group: int = 0
    weight: int = 1


class Key(NamedTuple):
    """What a row of a ledger is.

    Attributes
    ----------
    what
        ``win`` (place 1, a shared one in parts of `WHOLE`), ``score``, ``place``, or ``ahead``: 2 where
        `policy` finishes ahead of `other`, 1 where they share a place, for each two seats of them.
    group
        Of the line-ups.
    policy, other
        Their numbers; `other` is -1 but for ``ahead``.
    """

    what: str
    group: int
    policy: int
    other: int = -1


UNITS: Final = {"win": WHOLE, "score": 1, "place": 1, "ahead": 2}
"""What the numbers of each kind of row have to be divided by."""


def seatings(line_up: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return how a line-up is seated.

    Up to four players in all different ways. Five or six in all rotations of the orders that one gets by
    taking every k-th of the players, for each k without a common divisor with their number: both directions
    round the table, and with five everybody follows everybody else equally often.

    Examples
    --------
    >>> seatings((0, 0, 1))
    ((0, 0, 1), (0, 1, 0), (1, 0, 0))
    >>> len(seatings((0, 1, 2, 3))), len(seatings((0, 1, 2, 3, 4)))
    (24, 20)
    """
    n = len(line_up)
    if n <= ALL_ORDERS:
        return tuple(sorted(set(itertools.permutations(line_up))))
    steps = [step for step in range(1, n) if math.gcd(step, n) == 1]
    orders = [
        tuple(line_up[(start + i * step) % n] for i in range(n)) for step in steps for start in range(n)
    ]
    return tuple(dict.fromkeys(orders))


def field(policies: int, players: int) -> list[LineUp]:
    """Return all line-ups of so many policies, weighted as if every seat were filled by a fair draw.

    Examples
    --------
    >>> [(line_up.seatings, line_up.weight) for line_up in field(2, 2)]
    [(((0, 0),), 1), (((0, 1), (1, 0)), 1), (((1, 1),), 1)]
    """
    found = []
    for line_up in itertools.combinations_with_replacement(range(policies), players):
        ways = math.factorial(players)
        for policy in set(line_up):
            ways //= math.factorial(line_up.count(policy))
        found.append((ways, seatings(line_up)))
    whole = math.lcm(*(len(seated) for _, seated in found))
    weights = [ways * whole // len(seated) for ways, seated in found]
    common = math.gcd(*weights)
    return [LineUp(seated, 0, weight // common) for (_, seated), weight in zip(found, weights, strict=True)]


def one_among(policy: int, other: int, players: int, group: int) -> LineUp:
    """Return the line-up of one policy among copies of another one, at each seat in turn."""
    return LineUp(seatings((policy, *(other,) * (players - 1))), group)


class _Reader:
    """Reads the games of one line-up into rows of its own."""

    def __init__(self, line_up: LineUp, players: int) -> None:
        self.line_up = line_up
        self.players = players
        self.policies = sorted(set(line_up.seatings[0]))
        self.keys = [
            Key(what, line_up.group, k) for k in self.policies for what in ("win", "score", "place")
        ] + [Key("ahead", line_up.group, a, b) for a, b in itertools.combinations(self.policies, 2)]
        self._row = {key: row for row, key in enumerate(self.keys)}
        _, masks, _ = _choices(players)
        self.sets = sorted({self._members(seating, mask) for seating in line_up.seatings for mask in masks})
        columns = {members: column for column, members in enumerate(self.sets)}
        n = len(self.policies)
        self._spread = np.zeros((len(line_up.seatings), players + len(masks), n + len(columns)), np.int64)
        for index, seating in enumerate(line_up.seatings):
            for seat, policy in enumerate(seating):
                self._spread[index, seat, self.policies.index(policy)] = 1
            for i, mask in enumerate(masks):
                self._spread[index, players + i, n + columns[self._members(seating, mask)]] = 1

    @staticmethod
    def _members(seating: tuple[int, ...], mask: int) -> tuple[int, ...]:
        return tuple(sorted(policy for seat, policy in enumerate(seating) if mask >> seat & 1))

    def exposures(self) -> list[int]:
        """Return how often each row is counted on a deal."""
        seats = self.line_up.seatings
        counts = []
        for key in self.keys:
            other = key.policy if key.other < 0 else key.other
            pairs = sum(s.count(key.policy) * (s.count(other) if key.other >= 0 else 1) for s in seats)
            counts.append(pairs * self.line_up.weight)
        return counts

    def start(self, deals: int) -> tuple[Ints, Ints]:
        """Return empty rows, and empty choices of each deal."""
        return (
            np.zeros((len(self.keys), deals), dtype=np.int64),
            np.zeros((deals, self._spread.shape[2]), dtype=np.int64),
        )

    def add(self, values: Ints, choices: Ints, index: int, out: NDArray[np.int32]) -> None:
        """Add the games of a seating. Modified in place: `values`, `choices`."""
        block = Block(out, self.players)
        places, scores = block.seat("place"), block.seat("score")
        credit = block.win_parts()
        seating = self.line_up.seatings[index]
        for seat, policy in enumerate(seating):
            row = 3 * self.policies.index(policy)
            values[row] += credit[seat]
            values[row + 1] += scores[seat]
            values[row + 2] += places[seat]
        for i, j in itertools.combinations(range(self.players), 2):
            a, b = (i, j) if seating[i] < seating[j] else (j, i)
            if seating[a] != seating[b]:
                row = self._row[Key("ahead", self.line_up.group, seating[a], seating[b])]
                values[row] += 1 + np.sign(places[b] - places[a])
        codes, _, table = _choices(self.players)
        powers = self.players ** np.arange(self.players)
        choices += table[codes[powers @ (places - 1)]] @ self._spread[index]


@functools.cache
def _choices(players: int) -> tuple[Ints, list[int], Ints]:
    """Return the choices of every ranking (`calcsim.stats.ranking.choices_of`).

    Returns
    -------
    codes
        Row of the table by places less 1, read as digits to the base of the players, the first the lowest.
    masks
        Sets of seats that are chosen from.
    table
        A row for each ranking: how often each seat was chosen, then how often from each of the masks.
    """
    masks = [mask for mask in range(1 << players) if mask.bit_count() > 1]
    codes = np.zeros(players**players, dtype=np.int64)
    rows: list[list[int]] = []
    for places in itertools.product(range(1, players + 1), repeat=players):
        # Shared places are followed by a gap (R9.4); other numbers are no ranking.
        if all(place == 1 + sum(other < place for other in places) for place in places):
            codes[sum((place - 1) * players**seat for seat, place in enumerate(places))] = len(rows)
            won, sets = choices_of(places)
            rows.append(won + [sets.get(mask, 0) for mask in masks])
    return codes, masks, np.array(rows, dtype=np.int64)


class Ledger:
    """What line-ups bring their policies, summed up over the deals played.

    Parameters
    ----------
    rules, players
        What is played.
    policies
        Their names; line-ups refer to them by their place here.
    line_ups
        Who plays whom.

    Attributes
    ----------
    keys, exposures
        What each row is, and how often it is counted on a deal.
    sets
        The sets of policies that choices were made from, by their members.
    gram
        Sums over the deals; None before any was played.
    by_block, won_by_block, sets_by_block
        The rows, how often each policy was chosen and how often from each of the sets: a row a block.
    """

    def __init__(
        self, rules: RuleSet, players: int, policies: Sequence[str], line_ups: Sequence[LineUp]
    ) -> None:
        self.rules = rules
        self.players = players
        self.policies = tuple(policies)
        self.readers = [_Reader(line_up, players) for line_up in line_ups]
        self.keys = list(dict.fromkeys(key for reader in self.readers for key in reader.keys))
        self.row = {key: row for row, key in enumerate(self.keys)}
        self.exposures = [0] * len(self.keys)
        for reader in self.readers:
            for key, count in zip(reader.keys, reader.exposures(), strict=True):
                self.exposures[self.row[key]] += count
        self.sets = sorted({members for reader in self.readers for members in reader.sets})
        columns = {members: column for column, members in enumerate(self.sets)}
        n = len(self.policies)
        self._rows = [np.array([self.row[key] for key in reader.keys]) for reader in self.readers]
        self._columns = [
            np.array(reader.policies + [n + columns[members] for members in reader.sets])
            for reader in self.readers
        ]
        self._choices = np.zeros((BLOCKS, n + len(self.sets)), dtype=np.int64)
        self.by_block = np.zeros((BLOCKS, len(self.keys)), dtype=np.int64)
        self.gram: Gram | None = None
        self._resolved: dict[str, Policy] = {}

    @property
    def deals(self) -> int:
        """Deals played so far."""
        return 0 if self.gram is None else self.gram.deals

    @property
    def seatings(self) -> int:
        """Games of each deal."""
        return sum(len(reader.line_up.seatings) for reader in self.readers)

    @property
    def won_by_block(self) -> Ints:
        """How often each policy was chosen."""
        return self._choices[: self.blocks, : len(self.policies)]

    @property
    def sets_by_block(self) -> Ints:
        """How often each of `sets` was chosen from."""
        return self._choices[: self.blocks, len(self.policies) :]

    @property
    def blocks(self) -> int:
        """Blocks that deals were played of."""
        return min(self.deals, BLOCKS)

    def members(self) -> Ints:
        """Return how many members each of `sets` has of each policy, shape (sets, policies)."""
        return np.array([[members.count(k) for k in range(len(self.policies))] for members in self.sets])

    def pairs(self, keys: Sequence[Key]) -> list[tuple[int, int | float]]:
        """Return numerator and denominator of rows, as `stats.linear.components` takes them."""
        return [(self.row[key], float(self.exposures[self.row[key]] * UNITS[key.what])) for key in keys]

    def prepare(self) -> None:
        """Make the policies ready to play.

        Raises
        ------
        UsageError
            If the rules do not seat so many, or a policy does not do.
        """
        for name in self.policies:
            cell = driver.prepare(self.rules, self.players, [name])
            self._resolved[name] = cell.resolved[0]

    def play(
        self,
        *,
        seed: int,
        first: int,
        deals: int,
        threads: int = 0,
        progress: Callable[[int], None] | None = None,
    ) -> Iterator[tuple[int, Ints]]:
        """Play deals, add them up, and yield the rows of each in the order of the deals.

        Parameters
        ----------
        seed, first, deals
            Deals `first` to ``first + deals - 1`` of the seed.
        threads
            0 for one a core.
        progress
            Called with the number of games done.

        Yields
        ------
        first, values
            The first deal, and int64 of shape (rows, deals).

        Raises
        ------
        PolicyError
            If a player fails.
        """
        if not self._resolved:
            self.prepare()
        done = 0
        for start in range(first, first + deals, ROUND):
            n = min(ROUND, first + deals - start)
            values = np.zeros((len(self.keys), n), dtype=np.int64)
            for index, at, rows, choices in self._games(seed, start, n, threads):
                weight = self.readers[index].line_up.weight
                end = at - start + rows.shape[1]
                values[self._rows[index], at - start : end] += weight * rows
                blocks = np.arange(at, at + rows.shape[1]) % BLOCKS
                np.add.at(self._choices, (blocks[:, None], self._columns[index]), weight * choices)
                done += rows.shape[1] * len(self.readers[index].line_up.seatings)
                if progress is not None:
                    progress(done)
            np.add.at(self.by_block, np.arange(start, start + n) % BLOCKS, values.T)
            sums = Gram.of(values)
            if self.gram is None:
                self.gram = sums
            else:
                self.gram.add(sums)
            yield start, values

    def _games(
        self, seed: int, first: int, deals: int, threads: int
    ) -> Iterator[tuple[int, int, Ints, Ints]]:
        """Yield line-up, first deal, rows and choices of slices of deals, in no order to be relied on."""
        n_threads = threads or os.cpu_count() or 1
        tasks = self._slices(first, deals)
        running: set[Future[Any]] = set()
        pool = ThreadPoolExecutor(n_threads, thread_name_prefix="calcsim")
        seconds = games = 0.0
        try:
            task: tuple[int, int, int] | None = next(tasks)
            while task is not None or running:
                while task is not None and len(running) < 2 * n_threads:
                    running.add(pool.submit(self._slice, seed, *task))
                    try:
                        task = tasks.send(seconds / games if games else 0.0)
                    except StopIteration:
                        task = None
                finished, running = wait(running, timeout=_POLL_S, return_when=FIRST_COMPLETED)
                for future in finished:
                    index, start, rows, choices, took = future.result()
                    seconds += took
                    games += rows.shape[1] * len(self.readers[index].line_up.seatings)
                    yield index, start, rows, choices
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _slices(self, first: int, deals: int) -> Any:
        """Yield line-up, first deal and number of deals of what a thread plays at once.

        It is sent how many seconds a game takes; how much is cut off at once changes no number.
        """
        pace = 0.0
        for index, reader in enumerate(self.readers):
            start = first
            while start < first + deals:
                size = _FIRST_SLICE
                if pace:
                    size = min(max(1, int(_TASK_S / (pace * len(reader.line_up.seatings)))), 1000)
                n = min(size, first + deals - start)
                pace = (yield index, start, n) or pace
                start += n

    def _slice(self, seed: int, index: int, start: int, deals: int) -> tuple[int, int, Ints, Ints, float]:
        """Play some deals of a line-up in all its seatings."""
        began = time.perf_counter()
        reader = self.readers[index]
        cells = []
        for seating in reader.line_up.seatings:
            names = tuple(self.policies[k] for k in seating)
            cells.append(
                driver.Cell(self.rules, self.players, names, tuple(self._resolved[name] for name in names))
            )
        rows, choices = reader.start(deals)

        def each(seating: int, _: int, out: NDArray[np.int32]) -> None:
            reader.add(rows, choices, seating, out)

        for _ in driver.joint_blocks(
            cells, seed=seed, deals=deals, first=start, threads=1, each=each, join=lambda *_: None
        ):
            pass
        return index, start, rows, choices, time.perf_counter() - began
