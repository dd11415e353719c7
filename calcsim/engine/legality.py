"""What may be played: the plays (R4), growths (R5) and avoiding plays (R6.6), as `candidates`."""

from __future__ import annotations

from calcsim.engine import layout as at
from calcsim.engine._jit import State, kernel, leading_zeros, lowest_bit
from calcsim.engine.actions import (
    BOTTOM_JOKER_BIT,
    BOTTOM_SHIFT,
    CLOSING,
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
from calcsim.engine.candidates import CARDS_SHIFT, FIXED
from calcsim.engine.tables import FIRST_BIT, GROWTH_NUMBERS, KINDS_SHIFT, SIZE_SHIFT, SUM_SHIFT

ONES = 0x1111111111111
"""The lowest bit of each natural card's counter in a packed hand."""


@kernel
def usable_naturals(state: State, seat: int) -> int:
    """Return a seat's usable natural cards as a packed hand (R3.5, R7.3, R7.5)."""
    jokers = 15 << 52
    return (state[at.HAND + seat] + state[at.FRONT + seat]) & ~jokers


@kernel
def usable_jokers(state: State, seat: int) -> int:
    """Return a seat's usable jokers: those in front only under push (R7.3, R7.5)."""
    n = state[at.HAND + seat] >> 52
    if state[at.R_HANDOFF] == at.PUSH:
        n += state[at.FRONT + seat] >> 52
    return n


@kernel
def joker_limit(state: State, seat: int) -> int:
    """Return the most cards a play with a joker may have: it must not empty the hand (R4.8)."""
    if state[at.R_JOKER_FINISH]:
        return at.DECK
    return state[at.SIZE + seat] - 1


@kernel
def numbers_in(naturals: int) -> int:
    """Return a bit for each number held in a packed hand without jokers: bit `v` for number `v`."""
    x = (naturals | (naturals >> 1) | (naturals >> 2)) & ONES
    # Every fourth bit moves next to its neighbour, then pairs, fours, eights.
    x = (x | (x >> 3)) & 0x0303030303030303
    x = (x | (x >> 6)) & 0x000F000F000F000F
    x = (x | (x >> 12)) & 0x000000FF000000FF
    x = (x | (x >> 24)) & 0x1FFF
    return x << 1


@kernel
def list_parts(state: State, naturals: int, ranks: int, limit: int, useful: int) -> tuple[int, int]:
    """Write every set of the natural cards that adds up to at most `limit` (R4.2).

    Parameters
    ----------
    naturals : int
        A packed hand without jokers.
    ranks : int
        Its numbers (`numbers_in`).
    limit : int
        0 to 13.
    useful : int
        A bit for each sum that matters, none above the limit.
    state : int64[::1]
        From `layout.PARTS` modified in place: the cards as a set of `tables` in bits 0-25, their sum at bit
        26, how many they are at bit 30, how many different numbers at bit 34. The first is the empty set.

    Returns
    -------
    n : int
        How many sets.
    n_useful : int
        How many of them were written from `layout.USEFUL` on, too.
    """
    state[at.PARTS] = 0
    n = 1
    n_useful = 0
    left = ranks & ((2 << limit) - 1)
    while left:
        number = lowest_bit(left)
        left &= left - 1
        # One more card of a number: the next bit of its set, the sum and the size go up. Each set is written,
        # and kept if it is not too large: a branch would be guessed wrong too often.
        card = 1 << FIRST_BIT[number]
        step = (number << SUM_SHIFT) + (1 << SIZE_SHIFT) + (1 << KINDS_SHIFT)
        room = limit - number
        start = 0
        end = n
        for _ in range((naturals >> (4 * (number - 1))) & 15):
            for i in range(start, end):
                part = state[at.PARTS + i]
                total = (part >> SUM_SHIFT) & 15
                state[at.PARTS + n] = part + card + step
                state[at.USEFUL + n_useful] = part + card + step
                n += total <= room
                n_useful += (useful >> (total + number)) & 1
            if n == end:
                break
            start = end
            end = n
            card <<= 1
            step = (number << SUM_SHIFT) + (1 << SIZE_SHIFT)
    return n, n_useful


@kernel
def _with_jokers(state: State, seat: int, ranks: int, jokers: int, n_parts: int, n: int) -> tuple[int, int]:
    """Add the sums and differences with jokers (R4.7); return how many candidates, and actions added.

    `parts` are the sets of natural cards among the play's summands or subtrahends, `ranks` the natural
    numbers held, as bits: they may be the minuend.
    """
    limit = joker_limit(state, seat)
    total = 0
    tops = state[at.TOPS]
    while tops:
        top = lowest_bit(tops)
        tops &= tops - 1
        n_piles = state[at.N_TOPS + top]
        base = PLAY | (top << PLACE_SHIFT)
        difference = base | (at.DIFFERENCE << PATTERN_SHIFT)
        plain_sum = base | (at.SUM << PATTERN_SHIFT)
        for i in range(n_parts):
            part = state[at.PARTS + i]
            total_part = (part >> SUM_SHIFT) & 15
            size = (part >> SIZE_SHIFT) & 15
            kinds = part >> KINDS_SHIFT
            cards = (part & NATURALS_MASK) << NATURALS_SHIFT
            if size + 1 > limit:
                continue
            one = (size + 1) << CARDS_SHIFT
            two = (size + 2) << CARDS_SHIFT
            short = top - total_part
            if short >= 1:
                # One joker makes the sum; alone it is a card of the same number (R4.1).
                pattern = plain_sum if size else base
                state[at.CANDIDATES + n] = (
                    pattern | ((kinds + 1) << NUMBER_SHIFT) | (short << JOKERS_SHIFT) | cards | one
                )
                n += 1
                total += (kinds + 1) * n_piles
                if jokers == 2 and size + 2 <= limit:
                    for first in range(1, (short >> 1) + 1):
                        second = short - first
                        weight = kinds + 1 + (first != second)
                        pair = first | (second << 4)
                        state[at.CANDIDATES + n] = (
                            plain_sum | (weight << NUMBER_SHIFT) | (pair << JOKERS_SHIFT) | cards | two
                        )
                        n += 1
                        total += weight * n_piles
            minuend = top + total_part
            if size and minuend <= 13:
                # The joker is the minuend (R4.3).
                state[at.CANDIDATES + n] = (
                    difference
                    | (kinds << NUMBER_SHIFT)
                    | (minuend << BOTTOM_SHIFT)
                    | BOTTOM_JOKER_BIT
                    | cards
                    | one
                )
                n += 1
                total += kinds * n_piles
            if size + 2 > limit:
                continue
            if jokers == 2:
                # Both: the minuend and one that is taken away.
                for second in range(1, 13 - minuend + 1):
                    state[at.CANDIDATES + n] = (
                        difference
                        | ((kinds + 1) << NUMBER_SHIFT)
                        | ((minuend + second) << BOTTOM_SHIFT)
                        | BOTTOM_JOKER_BIT
                        | (second << JOKERS_SHIFT)
                        | cards
                        | two
                    )
                    n += 1
                    total += (kinds + 1) * n_piles
            above = ranks >> (minuend + 1) << (minuend + 1)
            while above:
                bottom = lowest_bit(above)
                above &= above - 1
                short = bottom - minuend
                held = difference | (bottom << BOTTOM_SHIFT) | cards
                state[at.CANDIDATES + n] = (
                    held | ((kinds + 1) << NUMBER_SHIFT) | (short << JOKERS_SHIFT) | two
                )
                n += 1
                total += (kinds + 1) * n_piles
                if jokers == 2 and size + 3 <= limit:
                    for first in range(1, (short >> 1) + 1):
                        second = short - first
                        weight = kinds + 1 + (first != second)
                        pair = first | (second << 4)
                        state[at.CANDIDATES + n] = (
                            held
                            | (weight << NUMBER_SHIFT)
                            | (pair << JOKERS_SHIFT)
                            | ((size + 3) << CARDS_SHIFT)
                        )
                        n += 1
                        total += weight * n_piles
    return n, total


@kernel
def _multiplied(state: State, first_card: int, second_card: int, n: int) -> tuple[int, int]:
    """Add products and quotients of the last two cards, 0 being a joker (R4.4); return as `_with_jokers`.

    Each ordered pair is one action, so the top is fixed. What a sum or a difference puts there as well is
    theirs (R4.10).
    """
    total = 0
    for turn in range(2):
        lower = first_card if turn == 0 else second_card
        upper = second_card if turn == 0 else first_card
        if turn == 1 and lower == upper:
            break
        for bottom in range(lower if lower else 1, (lower if lower else 13) + 1):
            for top in range(upper if upper else 1, (upper if upper else 13) + 1):
                tops = state[at.TOPS]
                while tops:
                    number = lowest_bit(tops)
                    tops &= tops - 1
                    is_product = bottom * top == number
                    if not is_product and bottom != number * top:
                        continue
                    if bottom + top == number or bottom - top == number:
                        continue
                    pattern = at.PRODUCT if is_product else at.QUOTIENT
                    candidate = PLAY | (pattern << PATTERN_SHIFT) | (number << PLACE_SHIFT)
                    candidate |= (1 << NUMBER_SHIFT) | (bottom << BOTTOM_SHIFT) | (top << JOKERS_SHIFT)
                    if lower == 0:
                        candidate |= BOTTOM_JOKER_BIT
                    if upper == 0:
                        candidate |= 1 << (JOKERS_SHIFT + 4)
                    state[at.CANDIDATES + n] = candidate | (2 << CARDS_SHIFT)
                    n += 1
                    total += state[at.N_TOPS + number]
    return n, total


@kernel
def _one_card(pile: int, pattern: int, number: int, is_joker: bool) -> int:
    """Return the candidate of a single card of a number on a fixed pile."""
    candidate = FIXED | PLAY | (pattern << PATTERN_SHIFT) | (pile << PLACE_SHIFT) | (1 << NUMBER_SHIFT)
    candidate |= 1 << CARDS_SHIFT
    if is_joker:
        return candidate | (number << JOKERS_SHIFT)
    first: int = FIRST_BIT[number]
    return candidate | (1 << (first + NATURALS_SHIFT))


@kernel
def _add_growth(state: State, numbers: int, ranks: int, jokers: bool, action: int, n: int) -> int:
    """Add a growth for each number that may lie there (R5.1); return how many candidates there are."""
    both = numbers & ranks
    while both:
        state[at.CANDIDATES + n] = action | (lowest_bit(both) << NUMBER_SHIFT)
        n += 1
        both &= both - 1
    if jokers:
        while numbers:
            state[at.CANDIDATES + n] = action | (lowest_bit(numbers) << NUMBER_SHIFT) | JOKER_BIT
            n += 1
            numbers &= numbers - 1
    return n


@kernel
def _between(first: int, second: int) -> int:
    """Return the piles of a gap as an action keeps them, the smaller first."""
    low = min(first, second)
    high = max(first, second)
    return (low << 32) | (high << 38) | (CLOSING << 44)


@kernel
def _grown(state: State, ranks: int, jokers: bool, n: int) -> int:
    """Add the growths (R5); return how many candidates there are."""
    shape = state[at.SHAPE]
    n_gaps = state[at.N_GAPS]
    plain = GROW | ((at.GROW_LINE + shape) << PATTERN_SHIFT)
    for gap in range(n_gaps):
        pair = state[at.GAP + gap]
        first = pair & 255
        second = pair >> 8
        numbers = GROWTH_NUMBERS[16 * state[at.TOP + first] + state[at.TOP + second]]
        action = plain | (gap << PLACE_SHIFT) | _between(first, second)
        n = _add_growth(state, numbers, ranks, jokers, action, n)
    if shape == at.LINE and n_gaps >= 2:
        first = state[at.FIRST_END]
        last = state[at.LAST_END]
        if n_gaps == 2 or state[at.R_ANY_LINE]:  # R5.3
            numbers = GROWTH_NUMBERS[16 * state[at.TOP + first] + state[at.TOP + last]]
            action = GROW | ((at.GROW_LINE + at.RING) << PATTERN_SHIFT) | (CLOSING << PLACE_SHIFT)
            n = _add_growth(state, numbers, ranks, jokers, action | _between(first, last), n)
        if n_gaps == 2:  # R5.4
            middle = state[at.GAP] >> 8
            numbers = GROWTH_NUMBERS[16 * state[at.TOP + first] + state[at.TOP + middle]]
            numbers &= GROWTH_NUMBERS[16 * state[at.TOP + middle] + state[at.TOP + last]]
            action = GROW | ((at.GROW_LINE + at.STAR) << PATTERN_SHIFT) | (CLOSING << PLACE_SHIFT)
            action |= (first << 32) | (middle << 38) | (last << 44)
            n = _add_growth(state, numbers, ranks, jokers, action, n)
    return n


@kernel
def list_plays(state: State) -> tuple[int, int]:
    """Write the plays and growths of the seat to move as candidates; free or after a pass's draw.

    Rules: R4.1 to R4.10, R5.1 to R5.7.

    Parameters
    ----------
    state : int64[::1], see `layout`
        Only candidates and parts are modified.

    Returns
    -------
    n : int
        How many candidates.
    total : int
        How many actions they stand for.
    """
    seat = state[at.SEAT]
    naturals = usable_naturals(state, seat)
    jokers = usable_jokers(state, seat)
    tops = state[at.TOPS]
    ranks = numbers_in(naturals)
    # The sums that make something: a top (R4.2), or what a minuend exceeds a top by (R4.3).
    useful = tops
    left = tops
    while left:
        useful |= ranks >> lowest_bit(left)
        left &= left - 1
    limit = 63 - leading_zeros(useful)
    if jokers:  # which may be the minuend
        limit = max(limit, 13 - lowest_bit(tops))
    n_parts, n_useful = list_parts(state, naturals, ranks, limit, useful)

    n = 0
    total = 0
    for i in range(n_useful):
        part = state[at.USEFUL + i]
        total_part = (part >> SUM_SHIFT) & 15
        size = (part >> SIZE_SHIFT) & 15
        kinds = part >> KINDS_SHIFT
        cards = (kinds << NUMBER_SHIFT) | ((part & NATURALS_MASK) << NATURALS_SHIFT) | PLAY
        if (tops >> total_part) & 1:
            pattern = at.SUM if size > 1 else at.SAME
            state[at.CANDIDATES + n] = (
                cards | (pattern << PATTERN_SHIFT) | (total_part << PLACE_SHIFT) | (size << CARDS_SHIFT)
            )
            n += 1
            total += kinds * state[at.N_TOPS + total_part]
        minuends = ranks & (tops << total_part)
        while minuends:
            bottom = lowest_bit(minuends)
            minuends &= minuends - 1
            top = bottom - total_part
            state[at.CANDIDATES + n] = (
                cards
                | (at.DIFFERENCE << PATTERN_SHIFT)
                | (top << PLACE_SHIFT)
                | (bottom << BOTTOM_SHIFT)
                | ((size + 1) << CARDS_SHIFT)
            )
            n += 1
            total += kinds * state[at.N_TOPS + top]

    joker_allowed = jokers > 0 and joker_limit(state, seat) > 0
    if joker_allowed:
        n, more = _with_jokers(state, seat, ranks, jokers, n_parts, n)
        total += more

    unders = state[at.UNDERS]
    while unders:  # R4.6
        pile = lowest_bit(unders)
        unders &= unders - 1
        number = state[at.UNDER + pile]
        if (ranks >> number) & 1:
            state[at.CANDIDATES + n] = _one_card(pile, at.UNDER_JOKER, number, False)
            n += 1
            total += 1
        if joker_allowed:
            state[at.CANDIDATES + n] = _one_card(pile, at.UNDER_JOKER, number, True)
            n += 1
            total += 1

    if state[at.SIZE + seat] == 2 and state[at.R_FINISH_MULTIPLY]:
        if jokers == 0 or state[at.R_JOKER_FINISH]:
            first_card = 0
            second_card = 0
            n_cards = jokers
            if ranks:
                first_card = lowest_bit(ranks)
                second_card = 63 - leading_zeros(ranks)
                n_cards += 2 if first_card != second_card else (naturals >> (4 * (first_card - 1))) & 15
                if jokers == 1:
                    second_card = 0
            if n_cards == 2:  # a joker in front cannot be used under shield
                n, more = _multiplied(state, first_card, second_card, n)
                total += more

    if state[at.R_GROWTH]:
        before = n
        n = _grown(state, ranks, joker_allowed, n)
        total += n - before
    return n, total


@kernel
def list_avoids(state: State) -> tuple[int, int]:
    """Write the plays that avoid the pending penalty (R6.6); parameters and result as `list_plays`."""
    if state[at.OWED_SET]:
        return 0, 0
    seat = state[at.SEAT]
    number = state[at.OWED_NUMBER]
    naturals = usable_naturals(state, seat)
    has_natural = (naturals >> (4 * (number - 1))) & 15 > 0
    has_joker = usable_jokers(state, seat) > 0 and joker_limit(state, seat) > 0
    n = 0
    for pile in range(state[at.N_PILES]):
        if state[at.R_SAME_PILE] and pile != state[at.OWED_PILE]:
            continue
        if state[at.TOP + pile] == number:
            if has_natural:
                state[at.CANDIDATES + n] = _one_card(pile, at.SAME, number, False)
                n += 1
            if has_joker:
                state[at.CANDIDATES + n] = _one_card(pile, at.SAME, number, True)
                n += 1
    return n, n
