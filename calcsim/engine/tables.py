"""Small tables computed once: growth numbers, and sets of natural cards as bits.

The natural cards of a sum (never more than 13 in all) are a set of 26 bits: for each number as many bits as
cards of it fit into 13, at most four; `k` cards of a number set its lowest `k` bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

N_BITS = 26

SUM_SHIFT = 26
SIZE_SHIFT = 30
KINDS_SHIFT = 34


def copies(number: int) -> int:
    """Return how many cards of a number a sum of at most 13 can hold."""
    return min(4, 13 // number)


def _first_bits() -> NDArray[np.int64]:
    first = np.zeros(15, dtype=np.int64)
    for number in range(1, 14):
        first[number + 1] = first[number] + copies(number)
    return first


def _bit_numbers() -> NDArray[np.int64]:
    return np.array([n for n in range(1, 14) for _ in range(copies(n))], dtype=np.int64)


def _growth_numbers() -> NDArray[np.int64]:
    """R5.1: the numbers that may lie between tops x and y, as bits, at ``16 * x + y``."""
    table = np.zeros(256, dtype=np.int64)
    for x in range(1, 14):
        for y in range(1, 14):
            numbers = {x * y} if x * y <= 13 else set()
            numbers |= {x // y} if x % y == 0 else set()
            numbers |= {y // x} if y % x == 0 else set()
            table[16 * x + y] = sum(1 << n for n in numbers)
    return table


FIRST_BIT = _first_bits()
"""By number: its lowest bit in a set of natural cards."""

BIT_NUMBER = _bit_numbers()
"""By bit: the number of the card it stands for."""

GROWTH_NUMBERS = _growth_numbers()
