"""What an action is judged by: the numbers behind the weights of `weigh`, and the bit sets they are made of.

The indices below are places in a vector of weights, in the order of `calcsim.policies.features.FEATURES`,
which says what each means. Nothing here reads what a player may not see (R10.2).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from calcsim.engine import layout as at
from calcsim.engine._jit import State, inlined, kernel, leading_zeros, lowest_bit, popcount
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
)
from calcsim.engine.legality import numbers_in
from calcsim.engine.tables import FIRST_BIT, GROWTH_NUMBERS

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

# What `hand_left` tells, by where it stands.
OUT_ON: Final = 0
MET: Final = 16
N_OUT_ON: Final = 32
N_MET: Final = 36
N_CARDS: Final = 40

_MIX: Final = 0x1E3779B97F4A7C15
_MIX_SHIFT: Final = 40
_KEY_BOTTOM: Final = 26
_KEY_JOKERS: Final = 30
_ODD_NUMBERS: Final = 0x01030507090B0D
_EVEN_NUMBERS: Final = 0x020406080A0C0E
_LANES: Final = 0x11111111111111
_GUARDS: Final = 0x88888888888888
_FOURTEEN: Final = 0xFFFFFFFFFFFFFF
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
    packed = FOUR_EACH + (state[at.R_JOKERS] << 52) - state[at.HAND + seat]
    for other in range(state[at.PLAYERS]):
        packed -= state[at.FRONT + other]
    for pile in range(state[at.N_PILES]):
        start = at.FIELD + pile * at.DEPTH
        for i in range(start, start + state[at.HEIGHT + pile]):
            card = state[i]
            number = at.JOKER if card > at.JOKER_FLAG else card
            packed -= 1 << (4 * (number - 1))
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
def cards_key(action: int) -> int:
    """Return a number that tells which cards a play or growth takes, whatever it puts on top and where.

    Bits 0 to 25 are its natural cards but the bottom one, a set of `tables`, bits 26 to 29 the natural card
    at the bottom, 0 if none, from bit 30 on the number of its jokers.
    """
    if action & JOKER_BIT:
        key = 1 << _KEY_JOKERS
    else:
        # The top is one card more of its number: the bit above those of the others.
        key = 1 << FIRST_BIT[(action >> NUMBER_SHIFT) & 15]
    if action & 15 == GROW:
        return key
    naturals = (action >> NATURALS_SHIFT) & NATURALS_MASK
    if action & JOKER_BIT == 0:
        key <<= popcount(naturals & OF_NUMBER[(action >> NUMBER_SHIFT) & 15])
    key |= naturals
    bottom = (action >> BOTTOM_SHIFT) & 31
    if bottom:
        key += 1 << _KEY_JOKERS if bottom > 15 else bottom << _KEY_BOTTOM
    pair = (action >> JOKERS_SHIFT) & 255
    if pair:
        key += (1 + int(pair > 15)) << _KEY_JOKERS
    return key


@inlined
def cards_by(key: int) -> tuple[int, int, int]:
    """Return the natural cards of a `cards_key`, packed, how many jokers are with them, and cards in all."""
    naturals = key & NATURALS_MASK
    packed = counters_of(naturals)
    jokers = key >> _KEY_JOKERS
    cards = popcount(naturals) + jokers
    bottom = (key >> _KEY_BOTTOM) & 15
    if bottom:
        packed += 1 << (4 * (bottom - 1))
        cards += 1
    return packed, jokers, cards


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


@kernel
def growths_after(state: State, pile: int, number: int) -> int:
    """Return the numbers that fit a gap between two piles, once `pile` (or -1) has `number` on top (R5.1)."""
    if not state[at.R_GROWTH]:
        return 0
    numbers = 0
    for gap in range(state[at.N_GAPS]):
        first = state[at.GAP + gap] & 255
        second = state[at.GAP + gap] >> 8
        x = number if first == pile else state[at.TOP + first]
        y = number if second == pile else state[at.TOP + second]
        numbers |= GROWTH_NUMBERS[16 * x + y]
    return numbers


@kernel
def _higher(a: int, b: int) -> int:
    """Return lane by lane the higher of two vectors of numbers 0 to 7."""
    wins = ((a | _GUARDS) - b) & _GUARDS
    mask = wins - (wins >> 3)
    return (a & mask) | (b & (_GUARDS - _LANES) & ~mask)


@kernel
def _lower(a: int, b: int) -> int:
    """Return lane by lane the lower of two such vectors."""
    return a + b - _higher(a, b)


@kernel
def _one_more(x: int) -> int:
    """Return a vector with one more in each lane that is not 0, nor 7."""
    some = x | (x >> 1) | (x >> 2)
    full = x & (x >> 1) & (x >> 2)
    return x + (some & ~full & _LANES)


@kernel
def _reversed(x: int) -> int:
    """Return sixteen lanes of numbers 0 to 7 the other way round."""
    x = ((x & _PAIRS) << 4) | ((x >> 4) & _PAIRS)
    x = ((x & 0x00FF00FF00FF00FF) << 8) | ((x >> 8) & 0x00FF00FF00FF00FF)
    x = ((x & 0x0000FFFF0000FFFF) << 16) | ((x >> 16) & 0x0000FFFF0000FFFF)
    return ((x & 0x00000000FFFFFFFF) << 32) | (x >> 32)


@kernel
def most_on(naturals: int, jokers: int) -> int:
    """Return for each number 1 to 13 the most cards of a hand that a play on it could take.

    Rules: R4.1 to R4.3, R4.7.

    Parameters
    ----------
    naturals, jokers : int
        The natural cards, packed, and the number of jokers. Of jokers only that is looked at which stand
        among the summands, and one as the minuend.

    Returns
    -------
    lanes : int
        Four bits for each number, from bit 4 on: 0 if there is no play, else one more than its cards; more
        than six count as six.
    """
    ranks = numbers_in(naturals)
    # Sets by their sum: the lane of a number is its place.
    sums = 1
    left = ranks
    while left:
        number = lowest_bit(left)
        left &= left - 1
        step = 4 * number
        for _ in range((naturals >> (step - 4)) & 15 if number < 7 else 1):
            sums = _higher(sums, _one_more((sums << step) & _FOURTEEN))
    # What is left of a minuend, from the sums counted down from it.
    if jokers:
        most = sums
        for step in (4, 8, 16, 32):
            most = _higher(most, (most << step) & _FOURTEEN)
        rests = _reversed(most) >> 8
    else:
        rests = 0
        down = _reversed(sums)
        left = ranks
        while left:
            rests = _higher(rests, down >> (60 - 4 * lowest_bit(left)))
            left &= left - 1
    lanes = _higher(sums, _one_more(rests))
    for _ in range(jokers):
        # A joker makes each sum any higher one.
        sums <<= 4
        for step in (4, 8, 16, 32):
            sums = _higher(sums, (sums << step) & _FOURTEEN)
        sums = _one_more(sums & _FOURTEEN)
        lanes = _higher(lanes, sums)
    return lanes & ~15


@kernel
def ways_out(state: State, naturals: int, jokers: int, size: int) -> int:
    """Return a bit for each number on which a player could play all that is left, and so go out.

    Rules: R4.1 to R4.4, R4.7, R4.8.

    Parameters
    ----------
    naturals : int
        The natural cards, packed.
    jokers, size : int
        How many jokers there are, how many cards in all, 1 or more.
    state : int64[::1], see `layout`
        Only its rules are read.
    """
    if jokers and not state[at.R_JOKER_FINISH]:
        return 0
    if size > 11:  # the most there can be: four 1s and three 2s, two jokers, taken from a 13, are ten
        return 0
    total = sum_of(naturals)
    largest = (67 - leading_zeros(naturals)) >> 2 if naturals else 0
    multiply = size == 2 and state[at.R_FINISH_MULTIPLY]
    if jokers == 0:
        numbers = 1 << min(total, 14)
        if size > 1 and 2 * largest > total:
            numbers |= 1 << (2 * largest - total)
        if multiply:
            smallest = total - largest
            numbers |= 1 << min(smallest * largest, 14)
            if largest % smallest == 0:
                numbers |= 1 << (largest // smallest)
        return numbers & ALL_NUMBERS
    if jokers == size:
        return ALL_NUMBERS
    # With jokers in a sum; as the minuend; taken away from the largest card.
    numbers = 0
    if total + jokers <= 13:
        numbers |= ALL_NUMBERS >> (total + jokers) << (total + jokers)
        numbers |= (1 << (14 - total - jokers + 1)) - 1
    most = 2 * largest - total - jokers
    if most >= 1:
        numbers |= (2 << most) - 1
    if multiply:
        for other in range(1, 14):
            if largest * other <= 13:
                numbers |= (1 << (largest * other)) | (1 << other)
            if largest % other == 0:
                numbers |= (1 << other) | (1 << (largest // other))
    return numbers & ALL_NUMBERS


@kernel
def numbers_met(lanes: int) -> int:
    """Return a bit for each number 1 to 13 whose lane is not 0."""
    return numbers_in((lanes >> 4) & NATURALS)


@kernel
def most_cards(lanes: int, numbers: int) -> int:
    """Return the most cards that `most_on` tells of for any of a set of numbers."""
    lanes &= counters_at(numbers) << 4
    for step in (32, 16, 8, 4):
        lanes = _higher(lanes & _FOURTEEN, lanes >> step)
    return max((lanes & 7) - 1, 0)


@kernel
def _find_out(state: State, naturals: int, jokers: int, slot: int, key: int) -> None:
    """Write what `hand_left` tells of a hand where it is kept, and the key."""
    size = count_cards(naturals) + jokers
    lanes = most_on(naturals, jokers)
    if jokers and not state[at.R_JOKER_FINISH]:
        # They cannot be the last to go (R4.8).
        lanes = _lower(lanes, min(size, 7) * _LANES) if size > 1 else 0
    met = numbers_met(lanes)
    n_met = popcount(met)
    out_on = ways_out(state, naturals, jokers, size)
    state[slot] = key
    state[slot + 1] = lanes
    state[slot + 2] = (
        (out_on << OUT_ON)
        | (met << MET)
        | (popcount(out_on) << N_OUT_ON)
        | (n_met << N_MET)
        | ((count_cards(lanes) - n_met) << N_CARDS)
    )


@inlined
def hand_left(state: State, naturals: int, jokers: int) -> tuple[int, int]:
    """Return what a hand could be played on: `most_on`, and `ways_out` for all of it.

    Most hands are asked about many times over, so the answers are kept in the state: they depend on nothing
    but the key they stand under, so whatever is there is right.

    Parameters
    ----------
    state : int64[::1], see `layout`
        From `layout.MEMO` on modified in place.
    naturals, jokers : int
        The natural cards, packed, and the number of jokers, 1 card or more in all.

    Returns
    -------
    lanes : int
        As `most_on` tells it, but no more than may be played.
    facts : int
        At `OUT_ON` a bit for each number on which all of it could be played, at `MET` one for each on which
        some could; at `N_OUT_ON` and `N_MET` how many those are, at `N_CARDS` the cards of all lanes.
    """
    rules = (1 << 4) | (state[at.R_JOKER_FINISH] << 3) | (state[at.R_FINISH_MULTIPLY] << 2)
    key = naturals | ((rules | jokers) << 52)
    slot = at.MEMO + 3 * (((key * _MIX) >> _MIX_SHIFT) & (at.MEMO_SLOTS - 1))
    if state[slot] != key:
        _find_out(state, naturals, jokers, slot, key)
    return state[slot + 1], state[slot + 2]
