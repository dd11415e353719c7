"""Candidates: what `legality` lists, each for the actions that differ only in pile and top card.

A candidate is written like an action (`actions`), but with its number of possible top cards in place of the
top card, with the number on the pile in place of the pile unless `FIXED` is set, and with its number of
cards at bit 58. A play of pattern product or quotient has one top card only, kept where the jokers' numbers
are. A growth is an action as it is.
"""

from __future__ import annotations

from typing import Any

from calcsim.engine import layout as at
from calcsim.engine._jit import State, kernel, lowest_bit
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
from calcsim.engine.tables import BIT_NUMBER, FIRST_BIT

FIXED = 1 << 62
CARDS_SHIFT = 58


@kernel
def actions_in(state: State, candidate: int) -> int:
    """Return how many actions a candidate stands for."""
    if candidate & 15 == GROW:
        return 1
    weight = (candidate >> NUMBER_SHIFT) & 15
    if candidate & FIXED:
        return weight
    return weight * state[at.N_TOPS + ((candidate >> PLACE_SHIFT) & 15)]


@kernel
def cards_in(candidate: int) -> int:
    """Return how many cards a candidate gets rid of."""
    if candidate & 15 == GROW:
        return 1
    return (candidate >> CARDS_SHIFT) & 15


@kernel
def first_pile(state: State, number: int) -> int:
    """Return the first pile with a number on top that lies on some pile."""
    if state[at.N_TOPS + number] == 1:
        return state[at.PILES_OF + number]
    pile = 0
    while state[at.TOP + pile] != number:
        pile += 1
    return pile


@kernel
def expand(state: State, candidate: int, index: int) -> int:
    """Return the action number `index` of those a candidate stands for: by pile, then by top card (R4.9)."""
    if candidate & 15 == GROW:
        return candidate
    weight = (candidate >> NUMBER_SHIFT) & 15
    pattern = (candidate >> PATTERN_SHIFT) & 15
    place = (candidate >> PLACE_SHIFT) & 63
    pile = place
    which = index
    if not candidate & FIXED:
        nth = 0
        while which >= weight:  # a division would take longer
            which -= weight
            nth += 1
        pile = first_pile(state, place)
        while nth > 0:
            pile += 1
            nth -= int(state[at.TOP + pile] == place)
    bottom = candidate & (31 << BOTTOM_SHIFT)
    action = PLAY | (pattern << PATTERN_SHIFT) | (pile << PLACE_SHIFT) | bottom
    first = (candidate >> JOKERS_SHIFT) & 15
    second = (candidate >> (JOKERS_SHIFT + 4)) & 15
    if pattern >= at.PRODUCT:
        return action | (first << NUMBER_SHIFT) | (JOKER_BIT if second else 0)
    naturals = (candidate >> NATURALS_SHIFT) & NATURALS_MASK
    left = naturals
    while left:
        number: int = BIT_NUMBER[lowest_bit(left)]
        group: int = left & ((1 << FIRST_BIT[number + 1]) - 1)
        left ^= group
        if which == 0:
            top = group & ~(group >> 1)
            action |= (first << JOKERS_SHIFT) | (second << (JOKERS_SHIFT + 4))
            action |= (number << NUMBER_SHIFT) | ((naturals ^ top) << NATURALS_SHIFT)
            return action
        which -= 1
    action |= JOKER_BIT | (naturals << NATURALS_SHIFT)
    if which == 0:
        return action | (first << NUMBER_SHIFT) | (second << JOKERS_SHIFT)
    return action | (second << NUMBER_SHIFT) | (first << JOKERS_SHIFT)


@kernel
def expand_all(state: State, candidate: int, legal: Any, k: int) -> int:
    """Write all actions a candidate stands for, as `expand` orders them.

    Parameters
    ----------
    legal : int64[::1] or its `memory`
        From `k` on modified in place.
    state, candidate, k : int64[::1], int, int
        The state, the candidate, and where the first action goes.

    Returns
    -------
    k : int
        Where the last of them ends.
    """
    if candidate & 15 == GROW:
        legal[k] = candidate
        return k + 1
    place = (candidate >> PLACE_SHIFT) & 63
    n_piles = 1
    pile = place
    if not candidate & FIXED:
        n_piles = state[at.N_TOPS + place]
        pile = first_pile(state, place)
    start = k
    action = candidate & ((31 << BOTTOM_SHIFT) | (15 << PATTERN_SHIFT) | 15) | (pile << PLACE_SHIFT)
    first = (candidate >> JOKERS_SHIFT) & 15
    second = (candidate >> (JOKERS_SHIFT + 4)) & 15
    if (candidate >> PATTERN_SHIFT) & 15 >= at.PRODUCT:
        legal[k] = action | (first << NUMBER_SHIFT) | (JOKER_BIT if second else 0)
        k += 1
    else:
        naturals = candidate & (NATURALS_MASK << NATURALS_SHIFT)
        action |= naturals
        under = action | (candidate & (255 << JOKERS_SHIFT))
        left = naturals >> NATURALS_SHIFT
        while left:
            number: int = BIT_NUMBER[lowest_bit(left)]
            group: int = left & ((1 << FIRST_BIT[number + 1]) - 1)
            left ^= group
            # The highest card of the number goes to the top.
            top = group & ~(group >> 1)
            legal[k] = (under ^ (top << NATURALS_SHIFT)) | (number << NUMBER_SHIFT)
            k += 1
        if first:
            legal[k] = action | JOKER_BIT | (first << NUMBER_SHIFT) | (second << JOKERS_SHIFT)
            k += 1
            if second and second != first:
                legal[k] = action | JOKER_BIT | (second << NUMBER_SHIFT) | (first << JOKERS_SHIFT)
                k += 1
    weight = k - start
    while n_piles > 1:
        n_piles -= 1
        last = pile
        pile += 1
        while state[at.TOP + pile] != place:
            pile += 1
        for i in range(k - weight, k):
            legal[i + weight] = legal[i] ^ ((last ^ pile) << PLACE_SHIFT)
        k += weight
    return k
