"""What an action is judged by: the numbers behind the weights of `weigh`, and the bit sets they are made of.

The indices below are places in a vector of weights, in the order of `calcsim.policies.features.FEATURES`,
which says what each means. Nothing here reads what a player may not see (R10.2).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from calcsim.engine import layout as at
from calcsim.engine._jit import State, inlined, kernel, popcount
from calcsim.engine.actions import (
    BOTTOM_SHIFT,
    GROW,
    JOKER_BIT,
    JOKERS_SHIFT,
    NATURALS_MASK,
    NATURALS_SHIFT,
    NUMBER_SHIFT,
    PATTERN_SHIFT,
    PLACE_SHIFT,
    PLAY,
)
from calcsim.engine.candidates import cards_in
from calcsim.engine.tables import FIRST_BIT

CARDS: Final = 0
OUT: Final = 1
BONUS: Final = 2
JOKERS: Final = 3
HIGH: Final = 4
PASS: Final = 5
PASS_FEW: Final = 6
STOP: Final = 7
ACCEPT: Final = 8
AVOID: Final = 9
GROWTH: Final = 10
RING: Final = 11
STAR: Final = 12
SPOIL_GROWTH: Final = 13
SPOIL_SHIELD: Final = 14
PENALTY: Final = 15
STRIKE: Final = 16
STRIKE_NEAR: Final = 17
STREAK: Final = 18
TEMPT: Final = 19
TOP: Final = 20
EXPOSE: Final = 21
EXPOSE_NEAR: Final = 22
HANDOFF: Final = 23
HANDOFF_NEAR: Final = 24
HANDOFF_NEXT: Final = 25
HANDOFF_JOKER: Final = 26
HANDOFF_HIGH: Final = 27
HANDOFF_AGAIN: Final = 28
LEFT_ONE: Final = 29
LEFT_TWO: Final = 30
LEFT_DEAD: Final = 31
LEFT_JOKERS: Final = 32
LEFT_FLEX: Final = 33
LEFT_FITS: Final = 34
LEFT_SHED: Final = 35
LEFT_MOST: Final = 36
LEFT_OUT: Final = 37
LEFT_WAYS: Final = 38
ENDS: Final = 39
N_FEATURES: Final = 40

ALL_NUMBERS: Final = 0x3FFE
"""A bit for each number 1..13."""

NATURALS: Final = 0xFFFFFFFFFFFFF
"""The counters of the natural cards in a packed hand."""

FOUR_EACH: Final = 0x4444444444444
"""The natural cards of a deck (R1.1), packed."""

OF_NUMBER: Final = np.array(
    [0] + [(1 << FIRST_BIT[n + 1]) - (1 << FIRST_BIT[n]) for n in range(1, 14)] + [0, 0], dtype=np.int64
)
"""By number: the bits of its cards in a set of `tables`."""


_ODD_NUMBERS: Final = 0x01030507090B0D
_EVEN_NUMBERS: Final = 0x020406080A0C0E
_PAIRS: Final = 0x0F0F0F0F0F0F0F0F


@kernel
def count_cards(packed: int) -> int:
    """Return how many cards a packed hand holds."""
    pairs = (packed & _PAIRS) + ((packed >> 4) & _PAIRS)
    pairs += pairs >> 32
    pairs += pairs >> 16
    return (pairs + (pairs >> 8)) & 255


@kernel
def counters_at(numbers: int) -> int:
    """Return full counters for the numbers of a set of bits 1..13, and none for the others."""
    x = numbers >> 1
    x = (x | (x << 24)) & 0x000000FF000000FF
    x = (x | (x << 12)) & 0x000F000F000F000F
    x = (x | (x << 6)) & 0x0303030303030303
    x = (x | (x << 3)) & 0x1111111111111111
    return x * 15


@kernel
def sum_of(packed: int) -> int:
    """Return the sum of some natural cards, packed: of so few, 19 at most, that no byte here overflows."""
    odd = (packed & _PAIRS) * _ODD_NUMBERS
    even = ((packed >> 4) & _PAIRS) * _EVEN_NUMBERS
    return ((odd >> 48) & 255) + ((even >> 48) & 255)


@kernel
def unseen_cards(state: State, seat: int) -> int:
    """Return the cards that a seat sees nowhere, packed: others' private hands and the stock (R10.2)."""
    packed = FOUR_EACH + (state[at.R_JOKERS] << 52) - state[at.HAND + seat] - state[at.ON_FIELD]
    for other in range(state[at.PLAYERS]):
        packed -= state[at.FRONT + other]
    return packed


@kernel
def _spread_seven(bits: int) -> int:
    """Return seven bits four places apart."""
    x = (bits | (bits << 12)) & 0x000F000F
    x = (x | (x << 6)) & 0x03030303
    return (x | (x << 3)) & 0x11111111


@kernel
def counters_of(cards: int) -> int:
    """Return a set of natural cards of `tables`, 26 bits, as a packed hand.

    Numbers 1 to 3 have four bits each there, 4 three, 5 and 6 two, the others one; moved to where their
    counters are, the bits of each four are added up.
    """
    x = cards & 0xFFF
    x |= ((cards >> 12) & 7) << 12
    x |= ((cards >> 15) & 3) << 16
    x |= ((cards >> 17) & 3) << 20
    x |= _spread_seven(cards >> 19) << 24
    x -= (x >> 1) & 0x5555555555555
    return (x & 0x3333333333333) + ((x >> 2) & 0x3333333333333)


@inlined
def _below_the_top(word: int) -> tuple[int, int, int]:
    """Return the natural cards, packed, the jokers and the cards in those fields that hold no top card."""
    naturals = (word >> NATURALS_SHIFT) & NATURALS_MASK
    packed = counters_of(naturals)
    cards = popcount(naturals)
    bottom = (word >> BOTTOM_SHIFT) & 31
    if bottom == 0:
        return packed, 0, cards
    if bottom > 15:
        return packed, 1, cards + 1
    return packed + (1 << (4 * (bottom - 1))), 0, cards + 1


@inlined
def cards_of_action(action: int) -> tuple[int, int, int]:
    """Return the natural cards of a play or growth, packed, its jokers, and how many cards it has."""
    packed = 0
    jokers = 0
    cards = 0
    if action & 15 == PLAY:
        packed, jokers, cards = _below_the_top(action)
        more = int((action >> JOKERS_SHIFT) & 15 != 0) + int((action >> (JOKERS_SHIFT + 4)) & 15 != 0)
        jokers += more
        cards += more
    if action & JOKER_BIT:
        jokers += 1
    else:
        packed += 1 << (4 * (((action >> NUMBER_SHIFT) & 15) - 1))
    return packed, jokers, cards + 1


@inlined
def cards_of_candidate(candidate: int) -> tuple[int, int, int]:
    """Return the same of a candidate (`candidates`): all its actions take the same cards."""
    if candidate & 15 == GROW:
        if candidate & JOKER_BIT:
            return 0, 1, 1
        return 1 << (4 * (((candidate >> NUMBER_SHIFT) & 15) - 1)), 0, 1
    packed, jokers, _ = _below_the_top(candidate)
    first = (candidate >> JOKERS_SHIFT) & 15
    second = (candidate >> (JOKERS_SHIFT + 4)) & 15
    if (candidate >> PATTERN_SHIFT) & 15 < at.PRODUCT:
        jokers += int(first != 0) + int(second != 0)
    elif second:
        jokers += 1
    else:
        packed += 1 << (4 * (first - 1))
    return packed, jokers, cards_in(candidate)


@inlined
def streak_after(state: State, action: int, cards: int) -> int:
    """Return the streak of the number on top after a play or growth (R6.1).

    Parameters
    ----------
    state : int64[::1], see `layout`
        Read only.
    action : int
        A play or a growth.
    cards : int
        How many cards it has.
    """
    number = (action >> NUMBER_SHIFT) & 15
    if action & 15 == GROW:
        return 1 if state[at.R_SAME_PILE] else state[at.STREAK + number] + 1
    pile = (action >> PLACE_SHIFT) & 63
    pattern = (action >> PATTERN_SHIFT) & 15
    old = state[at.TOP + pile]
    if pattern == at.UNDER_JOKER:
        # The joker takes the number beneath it (R4.6), and what lies there joins the run.
        last = at.FIELD + pile * at.DEPTH + state[at.HEIGHT + pile] - 1
        run = 2
        while run <= state[at.HEIGHT + pile] and state[last + 1 - run] & 15 == number:
            run += 1
        return run if state[at.R_SAME_PILE] else state[at.STREAK + number] + run
    # The top, and the cards of its number beneath it; if that is all of the play, what lies below them too.
    # No branches: they would be guessed wrong too often.
    run = 1 + popcount((action >> NATURALS_SHIFT) & OF_NUMBER[number])
    run += int((action >> JOKERS_SHIFT) & 15 == number) + int((action >> (JOKERS_SHIFT + 4)) & 15 == number)
    run += int(run == cards - 1) & int((action >> BOTTOM_SHIFT) & 15 == number)
    below = state[at.RUN + pile] * int(number == old)
    others = (state[at.STREAK + number] - below) * int(state[at.R_SAME_PILE] == 0)
    return run + below * int(run == cards) + others
