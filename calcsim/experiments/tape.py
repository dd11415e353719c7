"""Logs of many games at once: a call into compiled code that takes players costs more than a game."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from calcsim.engine import columns, game
from calcsim.engine import layout as at
from calcsim.engine.driver import Cell, Recorder

BATCH = 256
"""Games of one call."""


class Tape(Recorder):
    """Plays games of a cell in a row and keeps what happened in them."""

    def __init__(self, cell: Cell) -> None:
        super().__init__(cell)
        self._many = np.zeros((columns.n_columns(cell.players), BATCH), dtype=np.int32)
        self._grow(2048 * BATCH)

    def batches(
        self, seed: int, first: int, games: int
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        """Play games and yield, for some of them after some, their logs in a row and what is kept of them.

        Both are valid until the next are asked for.

        Raises
        ------
        PolicyError
            If a player fails.
        """
        start, step = first, BATCH
        while start < first + games:
            n = min(step, first + games - start)
            state = self._worker.state
            state[at.LOG_END] = at.LOG
            if self._worker.play(self._cell, seed, start, n, self._many) != game.LOG_FULL:
                yield state[at.LOG : state[at.LOG_END]], self._many[:, :n]
                start, step = start + n, BATCH
            elif n > 1:
                step = n // 2
            else:
                self._grow(4 * self._log_size)

    def _grow(self, log_size: int) -> None:
        """Make room for a longer log."""
        self._log_size = log_size
        self._worker = type(self._worker)(self._cell, log_size=log_size)
