"""What an action is judged by: the numbers behind the weights of `weigh`, and the bit sets they are made of.

The indices below are places in a vector of weights, in the order of `calcsim.policies.features.FEATURES`,
which says what each means. Nothing here reads what a player may not see (R10.2).
"""

from __future__ import annotations

from typing import Final

from calcsim.engine import layout as at
from calcsim.engine._jit import State, kernel, leading_zeros, lowest_bit, popcount
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

_JOKER_AT: Final = 18
_BOTTOM_JOKER_AT: Final = 23
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
    """Return the sum of the natural cards of a packed hand."""
    ranks = numbers_in(packed & NATURALS)
    total = 0
    while ranks:
        number = lowest_bit(ranks)
        ranks &= ranks - 1
        total += number * ((packed >> (4 * (number - 1))) & 15)
    return total


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


@kernel
def cards_used(action: int) -> tuple[int, int]:
    """Return the natural cards of a play or growth, packed, and how many jokers are with them."""
    top = (action >> NUMBER_SHIFT) & 15
    if action & 15 == GROW:
        if action & JOKER_BIT:
            return 0, 1
        return 1 << (4 * (top - 1)), 0
    packed = counters_of((action >> NATURALS_SHIFT) & NATURALS_MASK)
    top_joker = (action >> _JOKER_AT) & 1
    packed += (1 - top_joker) << (4 * (top - 1))
    bottom = (action >> BOTTOM_SHIFT) & 15
    bottom_joker = (action >> _BOTTOM_JOKER_AT) & 1
    if bottom:
        packed += (1 - bottom_joker) << (4 * (bottom - 1))
    jokers = top_joker + bottom_joker
    pair = (action >> JOKERS_SHIFT) & 255
    if pair:
        jokers += 1 + int(pair > 15)
    return packed, jokers


@kernel
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
    first = FIRST_BIT[number]
    mask = (1 << (FIRST_BIT[number + 1] - first)) - 1
    same = (action >> (NATURALS_SHIFT + first)) & mask
    run = 1
    while same:
        run += 1
        same &= same - 1
    run += int((action >> JOKERS_SHIFT) & 15 == number)
    run += int((action >> (JOKERS_SHIFT + 4)) & 15 == number)
    bottom = (action >> BOTTOM_SHIFT) & 15
    if bottom == number and run == cards - 1:
        run = cards
    if run == cards and number == old:
        run += state[at.RUN + pile]
    if state[at.R_SAME_PILE]:
        return run
    others = state[at.STREAK + number]
    if number == old:
        others -= state[at.RUN + pile]
    return others + run


@kernel
def tops_after(state: State, action: int) -> int:
    """Return a bit for each number on top of some pile after a play or growth."""
    number = (action >> NUMBER_SHIFT) & 15
    tops = state[at.TOPS]
    if action & 15 != GROW:
        old = state[at.TOP + ((action >> PLACE_SHIFT) & 63)]
        if state[at.N_TOPS + old] == 1:
            tops &= ~(1 << old)
    return tops | (1 << number)


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
    # Sets by their sum, and by what is left of a minuend: the lane of a number is its place.
    sums = 1
    rests = counters_at(ALL_NUMBERS if jokers else ranks) & _LANES
    rests <<= 5  # two in each lane: `counters_at` starts with number 1 at bit 0
    while ranks:
        number = lowest_bit(ranks)
        ranks &= ranks - 1
        step = 4 * number
        for _ in range((naturals >> (step - 4)) & 15):
            sums = _higher(sums, _one_more((sums << step) & _FOURTEEN))
            rests = _higher(rests, _one_more((rests >> step) & ~15))
    lanes = _higher(sums, rests)
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
def cards_on_average(lanes: int) -> float:
    """Return the mean over the numbers 1 to 13 of the cards that `most_on` tells of."""
    return (count_cards(lanes) - popcount(numbers_met(lanes))) * (1 / 13)


@kernel
def most_cards(lanes: int, numbers: int) -> int:
    """Return the most cards that `most_on` tells of for any of a set of numbers."""
    lanes &= counters_at(numbers) << 4
    for step in (32, 16, 8, 4):
        lanes = _higher(lanes & _FOURTEEN, lanes >> step)
    return max((lanes & 7) - 1, 0)


@kernel
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
    """
    rules = (1 << 4) | (state[at.R_JOKER_FINISH] << 3) | (state[at.R_FINISH_MULTIPLY] << 2)
    key = naturals | ((rules | jokers) << 52)
    fold = key ^ (key >> 28)
    fold ^= (fold >> 7) ^ (fold >> 14) ^ (fold >> 21)
    slot = at.MEMO + 3 * (fold & (at.MEMO_SLOTS - 1))
    if state[slot] != key:
        size = count_cards(naturals) + jokers
        lanes = most_on(naturals, jokers)
        if jokers and not state[at.R_JOKER_FINISH]:
            # They cannot be the last to go (R4.8).
            lanes = _lower(lanes, min(size, 7) * _LANES) if size > 1 else 0
        state[slot] = key
        state[slot + 1] = lanes
        state[slot + 2] = ways_out(state, naturals, jokers, size)
    return state[slot + 1], state[slot + 2]
