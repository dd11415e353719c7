"""Sums and sums of products of integers over deals: all that paired differences and factorial effects need.

They are exact, so they are the same however the deals were cut into blocks and on however many threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from calcsim.engine._jit import entry, kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST: Final = 2**63 - 1
_LARGEST_32: Final = 2**31 - 1

_NARROW: Final = 2**30
"""With sums of squares below this, numbers fit into 16 bits and sums of products into 32."""

_STRIDE: Final = 1024
"""Deals taken at a time, so that all rows of them stay in the processor's cache."""


# Two loops for one sum: numbers of 16 bits are multiplied four times as many at a time.
@kernel
def _dot_narrow(x: Any, y: Any) -> int:
    total = np.int32(0)
    for i in range(x.shape[0]):
        total = np.int32(total + np.int32(x[i]) * np.int32(y[i]))
    return int(total)


@kernel
def _dot(x: Any, y: Any) -> int:
    total = 0
    for i in range(x.shape[0]):
        total += int(x[i]) * int(y[i])
    return total


# Own loops, not BLAS: its threads and those that play games would stop each other.
@entry("void(int32[:, ::1], int16[:, ::1], int64[:, ::1])")
def _products(values: Any, narrow: Any, out: Any) -> None:
    """Write Σx·y of each two rows.

    Parameters
    ----------
    values : int32[:, ::1], shape (rows, deals)
        Read only.
    narrow : int16[:, ::1], shape (rows, deals)
        The same numbers, but those that do not fit.
    out : int64[:, ::1], shape (rows, rows)
        Modified in place.

    Notes
    -----
    Unchecked: sums of squares fit into int64. By Cauchy and Schwarz no partial sum of products exceeds the
    larger one of two rows.
    """
    rows, deals = values.shape
    for i in range(rows):
        out[i, i] = _dot(values[i], values[i])
        out[i, i + 1 :] = 0
    for first in range(0, deals, _STRIDE):
        last = min(first + _STRIDE, deals)
        for i in range(rows):
            if out[i, i] == 0:
                continue
            for j in range(i + 1, rows):
                if out[i, i] < _NARROW and out[j, j] < _NARROW:
                    out[i, j] += _dot_narrow(narrow[i, first:last], narrow[j, first:last])
                else:
                    out[i, j] += _dot(values[i, first:last], values[j, first:last])
    for i in range(rows):
        for j in range(i):
            out[i, j] = out[j, i]


@dataclass(slots=True)
class Gram:
    """The sums of some deals, added to as more are played.

    Attributes
    ----------
    deals
        Deals summed up.
    sums
        Σx of each row; int64, or Python integers where those would overflow; shape (rows,).
    products
        Σx·y of each two rows, of the same type, shape (rows, rows).

    Examples
    --------
    >>> gram = Gram.of(np.array([[1, 2, 3], [0, 0, 1]]))
    >>> gram.add(Gram.of(np.array([[2], [1]])))
    >>> gram.deals, gram.means().tolist()
    (4, [2.0, 0.5])
    """

    deals: int
    sums: NDArray[Any]
    products: NDArray[Any]

    @classmethod
    def of(cls, values: NDArray[Any]) -> Gram:
        """Sum up deals from the integers of each: shape (rows, deals)."""
        deals = values.shape[1]
        largest = max(int(values.max(initial=0)), -int(values.min(initial=0)))
        if largest > _LARGEST_32 or deals * largest**2 > _LARGEST:
            exact = values.astype(object)
            return cls(deals, exact.sum(axis=1), exact @ exact.T)
        rows = np.ascontiguousarray(values, dtype=np.int32)
        products = np.empty((len(rows), len(rows)), dtype=np.int64)
        _products(rows, rows.astype(np.int16), products)
        return cls(deals, rows.sum(axis=1, dtype=np.int64), products)

    def add(self, other: Gram) -> None:
        """Add the sums of other deals, with the same rows."""
        if len(self.sums) != len(other.sums):
            raise ValueError(f"{len(other.sums)} rows cannot be added to {len(self.sums)}")
        self.deals += other.deals
        # Sums of squares are the largest of all: |Σxy| is at most the larger of Σx² and Σy², and so is |Σx|.
        if self.products.dtype == np.int64 and self._largest() + other._largest() > _LARGEST:
            self.sums = self.sums.astype(object)
            self.products = self.products.astype(object)
        self.sums = self.sums + other.sums
        self.products = self.products + other.products

    def _largest(self) -> int:
        return int(max(self.products.diagonal(), default=0))

    def means(self) -> NDArray[np.float64]:
        """Return the mean of each row over the deals."""
        if self.deals == 0:
            return np.full(len(self.sums), np.nan)
        return np.asarray(self.sums / self.deals, dtype=np.float64)

    def covariance(self) -> NDArray[np.float64]:
        """Return the sample covariance of the rows of one deal; NaN with fewer than two deals.

        That of the means is this divided by the deals.
        """
        n = self.deals
        if n < 2:
            return np.full(self.products.shape, np.nan)
        if self.products.dtype == object:
            # Python integers: nothing is rounded before the division.
            spread = (n * self.products - np.outer(self.sums, self.sums)) / (n * (n - 1))
            return np.asarray(spread, dtype=np.float64)
        # Moved by whole numbers close to the means, so that no digits cancel below. The steps may overflow,
        # but as integers modulo 2**64, and what comes out is no larger than the sums of squares.
        shifts = np.rint(self.sums / n).astype(np.int64)
        cross = np.outer(shifts, self.sums)
        centred = self.products - cross - cross.T + n * np.outer(shifts, shifts)
        rest = (self.sums - n * shifts).astype(np.float64)
        return np.asarray((centred - np.outer(rest, rest) / n) / (n - 1))
