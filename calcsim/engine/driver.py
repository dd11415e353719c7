"""Plays many games on threads: in blocks, in order, the same whatever the number of threads."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from calcsim.engine import choose, columns, game
from calcsim.engine import layout as at
from calcsim.engine.params import pack_rules
from calcsim.engine.plugged import nobody
from calcsim.errors import PolicyError
from calcsim.policies import Policy, line_up, resolve
from calcsim.rules import RuleSet

T = TypeVar("T")
R = TypeVar("R")

_POLL_S = 0.2
"""How long the main thread waits before it looks for an interrupt."""

_KINDS = {
    "random": choose.RANDOM,
    "greedy": choose.GREEDY,
    "plugged": choose.PLUGGED,
    "thinker": choose.THINKER,
    "weigher": choose.WEIGHER,
}

PARAMS = 64
"""Parameters that a policy can have."""


@dataclass(frozen=True)
class Cell:
    """A rule set with a line-up: what is played.

    Attributes
    ----------
    rules, players
        The rules, and how many play.
    policies
        The name of the policy at each seat.
    """

    rules: RuleSet
    players: int
    policies: tuple[str, ...]
    resolved: tuple[Policy, ...] = field(repr=False)


def prepare(rules: RuleSet, players: int, policies: Sequence[str]) -> Cell:
    """Check a line-up and make it ready to play.

    Parameters
    ----------
    rules
        The rule set.
    players
        2 to 6.
    policies
        One name for all seats, or one a seat.

    Raises
    ------
    UsageError
        If the rules do not seat so many, or a policy is unknown.
    """
    rules.validate_players(players)
    names = line_up(policies, players)
    known = {name: resolve(name, rules, players) for name in dict.fromkeys(names)}
    return Cell(rules, players, names, tuple(known[name] for name in names))


class _Worker:
    """What one thread needs to play a cell's games."""

    def __init__(self, cell: Cell, *, log_size: int = 0, noise: int = 0) -> None:
        self.state = np.zeros(at.SIZE_STATE + log_size, dtype=np.int64)
        self.state[: at.SIZE_RULES] = pack_rules(cell.rules)
        self.state[at.R_NOISE] = noise
        self.status = np.zeros(game.SIZE_STATUS, dtype=np.int64)
        kinds = [_KINDS[p.kind] | p.forbidden << choose.KIND_BITS for p in cell.resolved]
        self.kinds = np.array(kinds, dtype=np.int64)
        functions = [p.function or nobody for p in cell.resolved]
        self.plugged = tuple(functions + [nobody] * (at.SEATS - cell.players))
        self.params = np.zeros((at.SEATS, PARAMS), dtype=np.float64)
        for seat, one in enumerate(cell.resolved):
            self.params[seat, : len(one.params)] = one.params

    def play(self, cell: Cell, seed: int, first: int, games: int, out: NDArray[np.int32]) -> int:
        """Play games into `out`; return the kernel's status.

        Raises
        ------
        PolicyError
            If a player answers with no legal action, or raises.
        """
        try:
            status: int = game.play_games(
                self.state,
                cell.players,
                self.kinds,
                self.plugged,
                self.params,
                seed,
                first,
                games,
                out,
                self.status,
            )
        except Exception as error:
            raise self._broken(cell, seed, _raised(error)) from error
        if status == game.ILLEGAL:
            answer = (
                f"answered {self.status[game.AT_ANSWER]}, no index of its {self.status[game.AT_LEGAL]} legal"
            )
            raise self._broken(cell, seed, f"{answer} actions")
        return status

    def _broken(self, cell: Cell, seed: int, what: str) -> PolicyError:
        """Return the error of a player who failed, with where and how to see it again."""
        seat = int(self.status[game.AT_SEAT])
        number = int(self.status[game.AT_GAME])
        where = f"seed {seed}, game {number}, turn {self.status[game.AT_TURN]}, {cell.rules.label}"
        again = replay_command(cell, seed, number)
        return PolicyError(f"policy {cell.policies[seat]!r} at seat {seat} {what} ({where}); see it: {again}")


class _Table(threading.local):
    """What one thread needs to play the games of several cells, one cell after the other."""

    def __init__(self, cells: Sequence[Cell], noise: int) -> None:
        self.workers = [_Worker(cell, noise=noise) for cell in cells]
        most = max(columns.n_columns(cell.players) for cell in cells)
        self.out = np.zeros((most, columns.BLOCK), dtype=np.int32)


def _raised(error: Exception) -> str:
    """Return in one line what a player's function raised."""
    said = str(error).strip().splitlines()
    return f"raised {type(error).__name__}{': ' + said[0] if said else ''}"


def replay_command(cell: Cell, seed: int, number: int) -> str:
    """Return the command that shows one game of a cell."""
    import shlex

    words = ["calcsim", "replay", "--rules", cell.rules.name]
    for change in cell.rules.changes:
        words += ["--set", change]
    words += ["--players", str(cell.players)]
    names = dict.fromkeys(cell.policies)
    for name in names if len(names) == 1 else cell.policies:
        words += ["--policy", name]
    return shlex.join([*words, "--seed", str(seed), "--game", str(number)])


def blocks(
    cell: Cell,
    *,
    seed: int,
    games: int,
    map: Callable[[int, NDArray[np.int32]], T],
    first: int = 0,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
    noise: int = 0,
) -> Iterator[T]:
    """Play games of a cell and yield what `map` makes of each block, in the order of the games.

    Parameters
    ----------
    cell
        What to play.
    seed, first, games
        Games `first` to ``first + games - 1`` of the seed.
    map
        Called in the playing thread with the first game's number and the block, an int32 array of shape
        ``(columns.n_columns(players), n)`` with ``n <= columns.BLOCK``; the array is used again afterwards.
    threads
        How many threads; 0 for one a core.
    progress
        Called in the calling thread with the number of games done.
    noise
        Other numbers give the same deals, played by players who choose anew where they choose by chance.

    Yields
    ------
    T
        The result of `map`, block by block.

    Raises
    ------
    PolicyError
        If a player fails.
    """

    def each(_: int, start: int, out: NDArray[np.int32]) -> T:
        return map(start, out)

    def join(_: int, results: list[T]) -> T:
        return results[0]

    return joint_blocks(
        [cell],
        seed=seed,
        deals=games,
        each=each,
        join=join,
        first=first,
        threads=threads,
        progress=progress,
        noise=noise,
    )


def joint_blocks(
    cells: Sequence[Cell],
    *,
    seed: int,
    deals: int,
    each: Callable[[int, int, NDArray[np.int32]], R],
    join: Callable[[int, list[R]], T],
    first: int = 0,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
    noise: int = 0,
) -> Iterator[T]:
    """Play the same deals in several cells, block by block, and yield what is made of each block.

    Parameters
    ----------
    cells
        What to play.
    seed, first, deals
        Deals `first` to ``first + deals - 1`` of the seed: the games of these numbers, in each cell.
    each
        Called in the playing thread for each cell of a block, with the cell's index, the first deal and the
        games as for `blocks`.
    join
        Called in the same thread with the first deal and the results of `each`, by cell.
    threads, noise
        As for `blocks`.
    progress
        Called in the calling thread with the number of games done, of all cells together.

    Yields
    ------
    T
        The result of `join`, block by block, in the order of the deals.

    Raises
    ------
    PolicyError
        If a player fails.
    """
    n_threads = threads or os.cpu_count() or 1
    table = _Table(cells, noise)

    def play(start: int) -> T:
        n = min(columns.BLOCK, first + deals - start)
        results = []
        for index, cell in enumerate(cells):
            worker = table.workers[index]
            worker.play(cell, seed, start, n, table.out)
            results.append(each(index, start, table.out[: columns.n_columns(cell.players), :n]))
        return join(start, results)

    starts = iter(range(first, first + deals, columns.BLOCK))
    running: deque[Future[T]] = deque()
    done = 0
    pool = ThreadPoolExecutor(n_threads, thread_name_prefix="calcsim")
    try:
        while True:
            while len(running) < 2 * n_threads:
                start = next(starts, None)
                if start is None:
                    break
                running.append(pool.submit(play, start))
            if not running:
                return
            head = running[0]
            while not head.done():  # a bare wait would hold back Ctrl-C on some systems
                wait([head], timeout=_POLL_S, return_when=FIRST_COMPLETED)
            running.popleft()
            result = head.result()
            done = min(done + columns.BLOCK, deals)
            if progress is not None:
                progress(done * len(cells))
            yield result
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class Recorder:
    """Plays single games of a cell and keeps what happened in them."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self._log_size = 8192
        self._worker = _Worker(cell, log_size=self._log_size)
        self._out = np.zeros((columns.n_columns(cell.players), 1), dtype=np.int32)

    def record(self, seed: int, number: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Play one game and return its log (`events`) and what is kept of it (`columns`), until the next.

        Raises
        ------
        PolicyError
            If a player fails; its `log` is what happened before.
        """
        while True:
            state = self._worker.state
            state[at.LOG_END] = at.LOG
            try:
                status = self._worker.play(self._cell, seed, number, 1, self._out)
            except PolicyError as error:
                error.log = state[at.LOG : state[at.LOG_END]]
                raise
            if status != game.LOG_FULL:
                return state[at.LOG : state[at.LOG_END]], self._out[:, 0]
            self._log_size *= 4
            self._worker = _Worker(self._cell, log_size=self._log_size)
