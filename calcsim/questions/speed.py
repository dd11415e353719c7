"""How fast games are played, and how long a first command takes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from calcsim.engine import columns
from calcsim.errors import CalcsimError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calcsim.engine.driver import Cell

_PILOT_BLOCKS: Final = 2
"""Blocks for each thread that are played first, to warm up and to know how many fill the time."""


@dataclass(frozen=True, slots=True)
class Speed:
    """What was played in how many seconds.

    Attributes
    ----------
    threads
        How many threads played.
    games, turns, decisions
        What they got done.
    wall, processor
        Seconds that passed, and seconds of all processors together.
    """

    threads: int
    games: int
    turns: int
    decisions: int
    wall: float
    processor: float


def speed(cell: Cell, *, seed: int, threads: int, games: int | None = None, seconds: float = 1.0) -> Speed:
    """Play games and take the time, without what compiling and starting takes.

    Parameters
    ----------
    cell
        Rules, players and policies, as `calcsim.engine.driver.prepare` makes it.
    seed
        Of the games.
    threads
        How many to play on, 1 or more.
    games
        How many games, None for as many as take about `seconds`.
    seconds
        Wall time to aim at.
    """
    pilot = _play(cell, seed, threads, _PILOT_BLOCKS * threads * columns.BLOCK)
    if games is None:
        blocks = round(pilot.games * seconds / pilot.wall / columns.BLOCK)
        games = max(blocks, _PILOT_BLOCKS * threads) * columns.BLOCK
    return _play(cell, seed, threads, games)


def _play(cell: Cell, seed: int, threads: int, games: int) -> Speed:
    from calcsim.engine import driver

    decisions = [columns.game(f"decisions_{moment}") for moment in ("free", "after_draw", "penalty")]
    turns = columns.game("turns")

    def count(first: int, out: NDArray[np.int32]) -> tuple[int, int]:
        return int(out[turns].sum()), sum(int(out[row].sum()) for row in decisions)

    wall, processor = time.perf_counter(), time.process_time()
    counts = list(driver.blocks(cell, seed=seed, games=games, threads=threads, map=count))
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    return Speed(threads, games, sum(n for n, _ in counts), sum(n for _, n in counts), wall, processor)


def start_seconds() -> tuple[float, float]:
    """Return the wall time of a small command where nothing is compiled yet, and of the same one again.

    Raises
    ------
    CalcsimError
        If the command fails.
    """
    with tempfile.TemporaryDirectory(prefix="calcsim-bench-") as folder:
        surroundings = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
        surroundings["CALCSIM_CACHE_DIR"] = folder
        return _command_seconds(surroundings), _command_seconds(surroundings)


def _command_seconds(surroundings: dict[str, str]) -> float:
    words = [sys.executable, "-m", "calcsim", "ask", "star", "--games", "1000"]
    began = time.perf_counter()
    ended = subprocess.run(words, env=surroundings, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise CalcsimError(f"cannot time a start: {' '.join(words[1:])} failed: {ended.stderr.strip()}")
    return time.perf_counter() - began
