"""Hand-offs: push and shield (R7)."""

from __future__ import annotations

from typing import Any

from calcsim.engine import layout as at
from calcsim.engine._jit import State, kernel, lowest_bit, popcount
from calcsim.engine.actions import HANDOFF, NUMBER_SHIFT, PATTERN_SHIFT, PLACE_SHIFT

CARDS = 0x11111111111111
"""The lowest bit of each counter in a packed hand, jokers included."""

COURTS = 0x1110000000000
"""Those of the court cards J, Q and K."""


@kernel
def kinds_in(packed: int) -> int:
    """Return a bit, at its counter's lowest, for each different card of a packed hand."""
    return (packed | (packed >> 1) | (packed >> 2)) & CARDS


@kernel
def may_hand_off(state: State, seat: int) -> bool:
    """Return whether the hand size allows a hand-off (R7.1, R7.4)."""
    way = state[at.R_HANDOFF]
    if way == at.PUSH:
        return state[at.SIZE + seat] >= state[at.R_PUSH_MIN]
    return way == at.SHIELD and state[at.SIZE + seat] >= state[at.R_SHIELD_MIN]


@kernel
def may_receive(state: State, seat: int, target: int) -> bool:
    """Return whether `target` may be handed a card by `seat` (R7.1, R7.4)."""
    if target == seat or not (state[at.IN_GAME] >> target) & 1:
        return False
    return state[at.R_HANDOFF] == at.PUSH or state[at.SIZE + target] <= state[at.R_SHIELD_MAX]


@kernel
def cards_for(state: State, seat: int, target: int) -> tuple[int, int]:
    """Return the cards that `seat` may hand to `target`, from the hand and from the front, as `kinds_in`."""
    from_hand = kinds_in(state[at.HAND + seat])
    from_front = kinds_in(state[at.FRONT + seat])
    if state[at.R_HANDOFF] == at.PUSH:
        if state[at.COURTS + seat] >= state[at.R_PUSH_FACE]:  # R7.2
            from_hand &= ~COURTS
            from_front &= ~COURTS
    elif (state[at.BANNED + seat] >> target) & 1:  # R7.7
        card = state[at.KO + at.SEATS * seat + target]
        bit = 4 * (card - 1)
        if (state[at.FRONT + seat] >> bit) & 15 <= 1:
            from_front &= ~(1 << bit)
    return from_hand, from_front


@kernel
def count_handoffs(state: State) -> int:
    """Return how many hand-offs the seat to move, free, may make (R7.8)."""
    seat = state[at.SEAT]
    if not may_hand_off(state, seat):
        return 0
    n = 0
    for target in range(state[at.PLAYERS]):
        if may_receive(state, seat, target):
            from_hand, from_front = cards_for(state, seat, target)
            n += popcount(from_hand) + popcount(from_front)
    return n


@kernel
def nth_handoff(state: State, index: int) -> int:
    """Return hand-off `index`: by target, those from the hand first, by card; -1 if there are fewer."""
    seat = state[at.SEAT]
    for target in range(state[at.PLAYERS]):
        if may_receive(state, seat, target):
            from_hand, from_front = cards_for(state, seat, target)
            for source in range(2):
                cards = from_hand if source == 0 else from_front
                n = popcount(cards)
                if index < n:
                    for _ in range(index):
                        cards &= cards - 1
                    card = (lowest_bit(cards) >> 2) + 1
                    place = (source << PATTERN_SHIFT) | (target << PLACE_SHIFT)
                    return HANDOFF | place | (card << NUMBER_SHIFT)
                index -= n
    return -1


@kernel
def put_handoffs(legal: Any, k: int, target: int, from_hand: int, from_front: int) -> int:
    """Write the hand-offs to one target of the cards that `cards_for` tells; return where they end.

    Parameters
    ----------
    legal : int64[::1] or its `memory`
        From `k` on modified in place.
    k, target, from_hand, from_front : int
        See above.
    """
    for source in range(2):
        cards = from_hand if source == 0 else from_front
        plain = HANDOFF | (source << PATTERN_SHIFT) | (target << PLACE_SHIFT)
        while cards:
            legal[k] = plain | (((lowest_bit(cards) >> 2) + 1) << NUMBER_SHIFT)
            k += 1
            cards &= cards - 1
    return k


@kernel
def list_handoffs(state: State, legal: Any, k: int) -> int:
    """Write all hand-offs of the seat to move, free, in the order of `nth_handoff`.

    Parameters
    ----------
    legal : int64[::1] or its `memory`
        From `k` on modified in place.
    state, k : int64[::1], int
        The state, and where the first one goes.

    Returns
    -------
    k : int
        Where the last of them ends.
    """
    seat = state[at.SEAT]
    if not may_hand_off(state, seat):
        return k
    for target in range(state[at.PLAYERS]):
        if may_receive(state, seat, target):
            from_hand, from_front = cards_for(state, seat, target)
            k = put_handoffs(legal, k, target, from_hand, from_front)
    return k
