"""What a hand that is left could be played on: what every feature of `left_...` is made of."""

from __future__ import annotations

from typing import Final

from calcsim.engine import layout as at
from calcsim.engine._jit import State, inlined, kernel, leading_zeros, lowest_bit, popcount
from calcsim.engine.features import ALL_NUMBERS, count_cards, sum_of
from calcsim.engine.legality import numbers_in
from calcsim.engine.tables import GROWTH_NUMBERS

# What `hand_left` tells beside the numbers for one to four cards, by where it stands.
OUT_ON: Final = 0
FIVE: Final = 16
N_OUT_ON: Final = 48
N_MET: Final = 52
N_CARDS: Final = 56

_MIX: Final = 0x1E3779B97F4A7C15
_MIX_SHIFT: Final = 40
_FIELDS: Final = 0x0001000100010001
_FIELD: Final = 0x3FFF
_THREE: Final = 0xFFFFFFFFFFFF
_NUMBERS: Final = 0x3FFE3FFE3FFE3FFE


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
def _raised(low: int, high: int, step: int) -> tuple[int, int]:
    """Return sets of numbers with `step` added to each; what exceeds 13 falls away."""
    room = (_FIELD >> step) * _FIELDS
    return (low & room) << step, (high & room) << step


@kernel
def _lowered(low: int, high: int, step: int) -> tuple[int, int]:
    """Return sets of numbers with `step` taken from each; what falls below 0 falls away."""
    room = (_FIELD >> step) * _FIELDS
    return (low >> step) & room, (high >> step) & room


@kernel
def _with_a_card(low: int, high: int) -> tuple[int, int]:
    """Return sets by how many cards they have at least, one card more in each; six are as many as any."""
    return ((low & _THREE) << 16) | (low & _FIELD), ((high << 16) & _THREE) | (low >> 48)


@kernel
def plays_on(naturals: int, jokers: int) -> tuple[int, int]:
    """Return on which numbers 1 to 13 a hand could be played, by how many cards at least.

    Rules: R4.1 to R4.3, R4.7.

    Parameters
    ----------
    naturals, jokers : int
        The natural cards, packed, and the number of jokers. Of jokers only that is looked at which stand
        among the summands, and one as the minuend.

    Returns
    -------
    low, high : int
        Sixteen bits for each number of cards, one to four and five to six (or more), each a bit for each
        number on which some play takes at least so many.
    """
    ranks = numbers_in(naturals)
    # The sums of 0 to 3 and of 4 to 6 cards, at least; and the same counted down from 13.
    low = 1
    high = 0
    down_low = 1 << 13
    down_high = 0
    left = ranks
    while left:
        number = lowest_bit(left)
        left &= left - 1
        for _ in range((naturals >> (4 * number - 4)) & 15 if number < 7 else 1):
            more_low, more_high = _raised(low, high, number)
            more_low, more_high = _with_a_card(more_low, more_high)
            low |= more_low
            high |= more_high
            more_low, more_high = _lowered(down_low, down_high, number)
            more_low, more_high = _with_a_card(more_low, more_high)
            down_low |= more_low
            down_high |= more_high
    # With a minuend: what it exceeds the sums by, with a joker any number to 13.
    rest_low = 0
    rest_high = 0
    if jokers:
        rest_low = down_low
        rest_high = down_high
        for step in (1, 2, 4, 8):
            more_low, more_high = _lowered(rest_low, rest_high, step)
            rest_low |= more_low
            rest_high |= more_high
    else:
        left = ranks
        while left:
            more_low, more_high = _lowered(down_low, down_high, 13 - lowest_bit(left))
            left &= left - 1
            rest_low |= more_low
            rest_high |= more_high
    rest_low, rest_high = _with_a_card(rest_low, rest_high)
    rest_low |= low
    rest_high |= high
    for _ in range(jokers):
        # A joker makes each sum any higher one.
        low, high = _raised(low, high, 1)
        for step in (1, 2, 4, 8):
            more_low, more_high = _raised(low, high, step)
            low |= more_low
            high |= more_high
        low, high = _with_a_card(low, high)
        rest_low |= low
        rest_high |= high
    rest_low &= _NUMBERS
    rest_high &= _NUMBERS
    return (rest_low >> 16) | ((rest_high & _FIELD) << 48), rest_high >> 16


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
def most_cards(fits: int, facts: int, numbers: int) -> int:
    """Return the most cards that `hand_left` tells of for any of a set of numbers; six are as many as any."""
    high = (facts >> FIVE) & (numbers * (_FIELDS & ((1 << 32) - 1)))
    if high:
        return 5 + (high >> 16 != 0)
    low = fits & (numbers * _FIELDS)
    return (79 - leading_zeros(low)) >> 4 if low else 0


@kernel
def _find_out(state: State, naturals: int, jokers: int, slot: int, key: int) -> None:
    """Write what `hand_left` tells of a hand where it is kept, and the key."""
    size = count_cards(naturals) + jokers
    low, high = plays_on(naturals, jokers)
    if jokers and not state[at.R_JOKER_FINISH]:
        # They cannot be the last to go (R4.8): one card less than all.
        low &= (1 << min(16 * (size - 1), 62)) - 1
        high &= (1 << max(16 * (size - 5), 0)) - 1 if size < 7 else -1
    out_on = ways_out(state, naturals, jokers, size)
    state[slot] = key
    state[slot + 1] = low
    state[slot + 2] = (
        (out_on << OUT_ON)
        | (high << FIVE)
        | (popcount(out_on) << N_OUT_ON)
        | (popcount(low & _FIELD) << N_MET)
        | ((popcount(low) + popcount(high)) << N_CARDS)
    )


@inlined
def hand_left(state: State, naturals: int, jokers: int) -> tuple[int, int]:
    """Return what a hand could be played on: `plays_on`, and `ways_out` for all of it.

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
    fits : int
        For one to four cards, sixteen bits each: a bit for each number on which a play takes at least so
        many. The lowest of these are all the numbers on which some card could be played.
    facts : int
        At `OUT_ON` a bit for each number on which all of it could be played, at `FIVE` what `fits` tells for
        five and six cards; at `N_OUT_ON` and `N_MET` how many numbers those of `OUT_ON` and of one card are,
        at `N_CARDS` the most cards for each number, added up.
    """
    rules = (1 << 4) | (state[at.R_JOKER_FINISH] << 3) | (state[at.R_FINISH_MULTIPLY] << 2)
    key = naturals | ((rules | jokers) << 52)
    slot = at.MEMO + 3 * (((key * _MIX) >> _MIX_SHIFT) & (at.MEMO_SLOTS - 1))
    if state[slot] != key:
        _find_out(state, naturals, jokers, slot, key)
    return state[slot + 1], state[slot + 2]
