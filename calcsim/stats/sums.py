"""Exact sums over a block's rows: the loops that every game of a run passes through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from calcsim.engine._jit import entry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calcsim.stats.block import Ints

    Sums: TypeAlias = NDArray[np.int64]

_LARGEST: Final = 2**63 - 1


# Signatures are declared so that these are compiled when imported, not by whichever threads come first.
@entry("UniTuple(int64, 3)(int32[::1])")
def _moments(x: Ints) -> Any:
    """Return Σx, Σx² and an upper bound of every |x|."""
    total = 0
    squares = 0
    bits = 0
    for i in range(x.shape[0]):
        value = int(x[i])
        total += value
        squares += value * value
        bits |= abs(value)
    return total, squares, 2 * bits


@entry("int64(int32[::1], int32[::1], int64[:, ::1])")
def _moments_by(x: Ints, keys: Ints, out: Sums) -> Any:
    """Add, for the key k of each x, to row k - 1 of `out`: 1, x and x². Return an upper bound of every |x|.

    Modified in place: `out`, int64, shape (keys, 3).
    """
    bits = 0
    for i in range(x.shape[0]):
        value = int(x[i])
        k = keys[i] - 1
        out[k, 0] += 1
        out[k, 1] += value
        out[k, 2] += value * value
        bits |= abs(value)
    return 2 * bits


@entry("UniTuple(int64, 6)(int32[::1], int32[::1])")
def _products(x: Ints, y: Ints) -> Any:
    """Return Σx, Σy, Σx², Σy², Σxy and an upper bound of every |x| and |y|."""
    x_total = 0
    y_total = 0
    x_squares = 0
    y_squares = 0
    products = 0
    bits = 0
    for i in range(x.shape[0]):
        a = int(x[i])
        b = int(y[i])
        x_total += a
        y_total += b
        x_squares += a * a
        y_squares += b * b
        products += a * b
        bits |= abs(a) | abs(b)
    return x_total, y_total, x_squares, y_squares, products, 2 * bits


def _fits(bound: int, games: int) -> bool:
    """Return whether sums of squares, over so many games, cannot have left int64."""
    return bound * bound * games <= _LARGEST


def moments(x: Ints) -> tuple[int, int]:
    """Return Σx and Σx² of a row."""
    total, squares, bound = map(int, _moments(x))
    if _fits(bound, len(x)):
        return total, squares
    values = x.tolist()
    return sum(values), sum(v * v for v in values)


def moments_by(rows: Ints, keys: Ints, n_keys: int) -> list[int]:
    """Return for each key from 1 to `n_keys` how many numbers have it, and their Σx and Σx²."""
    out = np.zeros((n_keys, 3), dtype=np.int64)
    with np.errstate(over="ignore"):  # not compiled, it would warn of what the bound tells
        bound = max(int(_moments_by(row, row_keys, out)) for row, row_keys in zip(rows, keys, strict=True))
    if _fits(bound, rows.size):
        sums: list[int] = out.ravel().tolist()
        return sums
    chosen = [rows[keys == key] for key in range(1, n_keys + 1)]
    return [number for x in chosen for number in (len(x), *moments(x))]


def products(x: Ints, y: Ints) -> tuple[int, int, int, int, int]:
    """Return Σx, Σy, Σx², Σy² and Σxy of two rows."""
    x_total, y_total, x_squares, y_squares, both, bound = map(int, _products(x, y))
    if _fits(bound, len(x)):
        return x_total, y_total, x_squares, y_squares, both
    (x_total, x_squares), (y_total, y_squares) = moments(x), moments(y)
    both = sum(a * b for a, b in zip(x.tolist(), y.tolist(), strict=True))
    return x_total, y_total, x_squares, y_squares, both
