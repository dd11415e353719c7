"""A mark of each game: equal marks mean that nothing that happened in two games differs."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from calcsim.engine import columns
from calcsim.engine._jit import entry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calcsim.stats.block import Ints

    Marks: TypeAlias = NDArray[np.int64]

_FACTOR = 0x1E3779B97F4A7C15


@entry("void(int32[:, :], int64[::1], int64[::1])")
def _mix_in(out: Ints, rows: NDArray[np.int64], marks: Marks) -> Any:
    for row in rows:
        for i in range(out.shape[1]):
            mixed = (marks[i] ^ out[row, i]) * _FACTOR  # modulo 2**64
            marks[i] = mixed ^ (mixed >> 29)


def _is_deed(name: str) -> bool:
    """Return whether a row of `columns` tells what happened, and not only what might have."""
    return not name.startswith(("actions_", "forced_")) and name != "handoff_chances"


@functools.cache
def _deeds(n_columns: int) -> NDArray[np.int64]:
    """Return the rows that tell what happened, in blocks of so many columns."""
    names = [*columns.GAME, *columns.SEAT * ((n_columns - columns.N_GAME) // columns.N_SEAT)]
    return np.array([row for row, name in enumerate(names) if _is_deed(name)], dtype=np.int64)


def mark_games(out: Ints, marks: Marks | None = None) -> Marks:
    """Return a 64-bit mark of each game of a block, from everything that is counted of what happened in it.

    What a player might have done does not count: a rule that only adds choices nobody makes changes nothing.

    Parameters
    ----------
    out
        Games as the engine writes them (`calcsim.engine.columns`): int32, shape (columns, games).
    marks
        Marks of earlier games of the same deals, which the new ones go on from; modified in place.

    Returns
    -------
    marks
        int64, shape (games,). Different games have equal marks once in 2**64.
    """
    if marks is None:
        marks = np.zeros(out.shape[1], dtype=np.int64)
    with np.errstate(over="ignore"):  # not compiled, it would warn of what is meant
        _mix_in(out, _deeds(out.shape[0]), marks)
    return marks
