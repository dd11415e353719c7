"""Line-ups of different policies on common deals: the share of the wins that each of the policies gets.

A first place that is shared by n players is 1/n of a win, so the shares of a game sum to 1. The deal is the
unit: what is kept of it is the mean over the seatings in which it was played.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from calcsim.engine import driver
from calcsim.engine.driver import Cell
from calcsim.errors import UsageError
from calcsim.experiments.plan import rotations
from calcsim.stats.block import WHOLE, Block

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calcsim.rules import RuleSet

    Floats = NDArray[np.float64]

T = TypeVar("T")
R = TypeVar("R")

MOST_ORDERS: Final = 24
"""Orders around the table that a line-up is seated in, at most."""

_AT_ONCE: Final = 64
"""Tables that are played together: each takes some memory in each thread."""

_CHUNK: Final = 500
"""Deals that are played in one go."""

_POLL_S: Final = 0.2
"""How long the main thread waits before it looks for an interrupt."""


def different(names: Sequence[str], least: int = 2, most: int = 12) -> tuple[str, ...]:
    """Return policies' names, each of which has to be given once.

    Raises
    ------
    UsageError
        If there are too few or too many, or one is given twice.
    """
    for name in names:
        if list(names).count(name) > 1:
            raise UsageError(f"policy {name!r} is given twice; give each policy once")
    if not least <= len(names) <= most:
        raise UsageError(f"{len(names)} policies: give {least} to {most} different ones with --policy")
    return tuple(names)


def ready(rules: RuleSet, players: int, names: Sequence[str]) -> dict[str, Cell]:
    """Return a table for each policy at which it has all seats; `seated` makes others from these."""
    return {name: driver.prepare(rules, players, [name]) for name in names}


def seated(known: dict[str, Cell], line_up: Sequence[str]) -> Cell:
    """Return the table of a line-up."""
    first = known[line_up[0]]
    return replace(
        first, policies=tuple(line_up), resolved=tuple(known[name].resolved[0] for name in line_up)
    )


def orders(players: int) -> list[tuple[int, ...]]:
    """Return ways around the table, as permutations that leave the first where it is.

    There are (players - 1)! of them; of more than `MOST_ORDERS`, as many are taken at equal distances.

    Examples
    --------
    >>> orders(3)
    [(0, 1, 2), (0, 2, 1)]
    """
    found = [(0, *rest) for rest in itertools.permutations(range(1, players))]
    if len(found) <= MOST_ORDERS:
        return found
    return [found[i * len(found) // MOST_ORDERS] for i in range(MOST_ORDERS)]


def segments(deals: int, players: int) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Cut deals into one part for each of `orders`: first deal, how many, and the order."""
    ways = orders(players)
    for i, way in enumerate(ways):
        first, last = i * deals // len(ways), (i + 1) * deals // len(ways)
        if last > first:
            yield first, last - first, way


def games_of(line_ups: Sequence[Sequence[str]], deals: int) -> int:
    """Return how many games `play_shares` plays."""
    players = len(line_ups[0])
    return sum(
        count * len(rotations([line_up[i] for i in way]))
        for _, count, way in segments(deals, players)
        for line_up in line_ups
    )


def play_shares(
    known: dict[str, Cell],
    line_ups: Sequence[Sequence[str]],
    *,
    seed: int,
    deals: int,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
) -> list[dict[str, Floats]]:
    """Play line-ups on the same deals, in all their rotations.

    Who sits next to whom matters, so the order around the table changes from one part of the deals to the
    next (`segments`), until a line-up has been seated in each of `orders`.

    Parameters
    ----------
    known
        As `ready` returns it.
    line_ups
        The policy of each seat.
    seed, deals
        Deals 0 to ``deals - 1`` of the seed.
    threads
        0 for one a core.
    progress
        Called with the number of games done.

    Returns
    -------
    shares
        For each line-up and policy in it, what one player of it wins on each deal: shape (deals,).
    """
    found = [{name: np.empty(deals) for name in dict.fromkeys(line_up)} for line_up in line_ups]
    tasks = []
    for first, count, way in segments(deals, len(line_ups[0])):
        tables = [(i, names) for i, one in enumerate(line_ups) for names in rotations([one[k] for k in way])]
        for start, n in chunks(count):
            tasks += [(batch, first + start, n) for batch in _batches(tables)]

    def play(task: tuple[list[tuple[int, tuple[str, ...]]], int, int]) -> int:
        batch, first, count = task
        _play_batch(known, batch, first, count, found, seed)
        return len(batch) * count

    for _ in in_threads(play, tasks, games=lambda played: played, threads=threads, progress=progress):
        pass
    return found


def in_threads(
    play: Callable[[T], R],
    tasks: Iterable[T],
    *,
    games: Callable[[R], int],
    threads: int,
    progress: Callable[[int], None] | None,
) -> Iterator[R]:
    """Play tasks, each of them in one thread, and yield their results in order.

    The blocks that the engine shares among threads are too long where many tables play few deals.

    Parameters
    ----------
    play
        Plays a task, in a thread of its own.
    tasks
        What to play.
    games
        How many games a result stands for.
    threads
        0 for one a core.
    progress
        Called in the calling thread with the number of games done.
    """
    done = 0
    pool = ThreadPoolExecutor(threads or os.cpu_count() or 1, thread_name_prefix="calcsim")
    try:
        for future in [pool.submit(play, task) for task in tasks]:
            while not future.done():  # a bare wait would hold back Ctrl-C on some systems
                wait([future], timeout=_POLL_S)
            result = future.result()
            done += games(result)
            if progress is not None:
                progress(done)
            yield result
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def chunks(deals: int) -> Iterator[tuple[int, int]]:
    """Cut deals into parts for `in_threads`: first deal, and how many."""
    for first in range(0, deals, _CHUNK):
        yield first, min(_CHUNK, deals - first)


def _batches(tables: Sequence[tuple[int, tuple[str, ...]]]) -> Iterator[list[tuple[int, tuple[str, ...]]]]:
    """Cut tables into batches, with all seatings of a line-up in the same one."""
    batch: list[tuple[int, tuple[str, ...]]] = []
    for _, group in itertools.groupby(tables, key=lambda table: table[0]):
        seatings = list(group)
        if batch and len(batch) + len(seatings) > _AT_ONCE:
            yield batch
            batch = []
        batch += seatings
    if batch:
        yield batch


def _play_batch(
    known: dict[str, Cell],
    batch: Sequence[tuple[int, tuple[str, ...]]],
    first: int,
    count: int,
    found: Sequence[dict[str, Floats]],
    seed: int,
) -> None:
    """Play some tables and write what their players win. Modified in place: `found`."""
    players = len(batch[0][1])

    def each(index: int, start: int, out: NDArray[np.int32]) -> NDArray[np.int64]:
        return Block(out, players).win_parts()

    def join(start: int, parts: list[NDArray[np.int64]]) -> tuple[int, dict[tuple[int, str], Any], int]:
        sums: dict[tuple[int, str], Any] = {}
        for (i, names), taken in zip(batch, parts, strict=True):
            for name, row in zip(names, taken, strict=True):
                sums[i, name] = sums.get((i, name), 0) + row
        return start, sums, parts[0].shape[1]

    seatings = {i: sum(1 for j, _ in batch if i == j) for i, _ in batch}
    copies = {(i, name): names.count(name) for i, names in batch for name in names}
    blocks = driver.joint_blocks(
        [seated(known, names) for _, names in batch],
        seed=seed,
        deals=count,
        each=each,
        join=join,
        first=first,
        threads=1,
    )
    for start, sums, n in blocks:
        for (i, name), total in sums.items():
            found[i][name][start : start + n] = total / (WHOLE * seatings[i] * copies[i, name])
