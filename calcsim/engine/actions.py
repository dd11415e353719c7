"""How an action is written into one integer, and the order of its cards.

An action (R4.10, R5.7, R7.8) is an int64 of bit fields:

===== ============ ==========================================================================
bits  name         meaning
===== ============ ==========================================================================
0-3   kind         `PASS` `ACCEPT` `STOP` `PLAY` `GROW` `HANDOFF`
4-7   pattern      of a play, or of a growth: index in `columns.FINISHES`; of a hand-off: 1 from the front
8-13  place        pile of a play; gap of a growth (`CLOSING` for a new ring or star); target of a hand-off
14-17 number       on top of a play, of a growth; the card 1..14 of a hand-off
18    joker        whether that card is a joker
19-22 bottom       minuend or dividend, 0 if none
23    bottom joker whether it is a joker
24-31 jokers       numbers of up to two further jokers, four bits each
32-57 naturals     the natural cards between bottom and top, a set of `tables`
===== ============ ==========================================================================

A growth keeps the piles it lies between at bits 32, 38 and 44, six bits each (`CLOSING` if there is no
third).
"""

from __future__ import annotations

from calcsim.engine import layout as at
from calcsim.engine._jit import State, kernel, lowest_bit, popcount
from calcsim.engine.tables import BIT_NUMBER

PASS = 0
ACCEPT = 1
STOP = 2
PLAY = 3
GROW = 4
HANDOFF = 5

PATTERN_SHIFT = 4
PLACE_SHIFT = 8
NUMBER_SHIFT = 14
JOKER_BIT = 1 << 18
BOTTOM_SHIFT = 19
BOTTOM_JOKER_BIT = 1 << 23
JOKERS_SHIFT = 24
NATURALS_SHIFT = 32
NATURALS_MASK = (1 << 26) - 1
CLOSING = 63


@kernel
def kind_of(action: int) -> int:
    """Return the kind of an action."""
    return action & 15


@kernel
def pattern_of(action: int) -> int:
    """Return the pattern of a play, the shape of a growth, or the source of a hand-off."""
    return (action >> PATTERN_SHIFT) & 15


@kernel
def place_of(action: int) -> int:
    """Return the pile of a play, the gap of a growth, or the target of a hand-off."""
    return (action >> PLACE_SHIFT) & 63


@kernel
def number_of(action: int) -> int:
    """Return the number on top of a play or growth, or the card of a hand-off."""
    return (action >> NUMBER_SHIFT) & 15


@kernel
def cards_of(action: int) -> int:
    """Return how many cards an action puts on the field: those of a play, one of a growth, else none."""
    if action & 15 == GROW:
        return 1
    if action & 15 != PLAY:
        return 0
    cards = 1 + popcount((action >> NATURALS_SHIFT) & NATURALS_MASK)
    cards += int((action >> BOTTOM_SHIFT) & 15 != 0)
    cards += int((action >> JOKERS_SHIFT) & 15 != 0)
    return cards + int((action >> (JOKERS_SHIFT + 4)) & 15 != 0)


@kernel
def jokers_of(action: int) -> int:
    """Return how many jokers are among the cards of a play or growth."""
    if action & 15 != PLAY and action & 15 != GROW:
        return 0
    jokers = int(action & JOKER_BIT != 0)
    if action & 15 == PLAY:
        jokers += int(action & BOTTOM_JOKER_BIT != 0)
        jokers += int((action >> JOKERS_SHIFT) & 15 != 0)
        jokers += int((action >> (JOKERS_SHIFT + 4)) & 15 != 0)
    return jokers


@kernel
def spell(state: State, action: int) -> int:
    """Write the cards of a play or growth from bottom to top (R4.9).

    Parameters
    ----------
    state : int64[::1], see `layout`
        From `layout.CARDS` on modified in place: field cards, a number plus `layout.JOKER_FLAG` for a joker.
    action : int
        A play or a growth.

    Returns
    -------
    k : int
        How many cards, 1 or more.
    """
    top = number_of(action)
    top_card = top
    if action & JOKER_BIT:
        top_card += at.JOKER_FLAG
    k = 0
    if action & 15 == PLAY:
        bottom = (action >> BOTTOM_SHIFT) & 15
        if bottom:
            state[at.CARDS + 0] = bottom
            if action & BOTTOM_JOKER_BIT:
                state[at.CARDS + 0] += at.JOKER_FLAG
            k = 1
        first = (action >> JOKERS_SHIFT) & 15
        second = (action >> (JOKERS_SHIFT + 4)) & 15
        naturals = (action >> NATURALS_SHIFT) & NATURALS_MASK
        n_same = 0
        while naturals:
            number = BIT_NUMBER[lowest_bit(naturals)]
            naturals &= naturals - 1
            # Jokers of a smaller number lie beneath this card; of the same number above it.
            if first and first < number:
                if first != top:
                    state[at.CARDS + k] = first + at.JOKER_FLAG
                    k += 1
                    first = second
                    second = 0
                    if first and first < number and first != top:
                        state[at.CARDS + k] = first + at.JOKER_FLAG
                        k += 1
                        first = 0
                elif second and second < number and second != top:
                    state[at.CARDS + k] = second + at.JOKER_FLAG
                    k += 1
                    second = 0
            if number == top:
                n_same += 1
            else:
                state[at.CARDS + k] = number
                k += 1
        if first and first != top:
            state[at.CARDS + k] = first + at.JOKER_FLAG
            k += 1
            first = 0
        if second and second != top:
            state[at.CARDS + k] = second + at.JOKER_FLAG
            k += 1
            second = 0
        for _ in range(n_same):
            state[at.CARDS + k] = top
            k += 1
        if first:
            state[at.CARDS + k] = first + at.JOKER_FLAG
            k += 1
        if second:
            state[at.CARDS + k] = second + at.JOKER_FLAG
            k += 1
    state[at.CARDS + k] = top_card
    return k + 1
