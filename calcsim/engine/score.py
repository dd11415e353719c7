"""The score of an action: a weighted sum of its features, and of the features themselves, one by one.

With one weight of 1 and all others 0 the score is the feature. Features without weight are not computed,
group by group.
"""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np

from calcsim.engine import columns
from calcsim.engine import features as f
from calcsim.engine import layout as at
from calcsim.engine._jit import State, inlined, kernel, popcount
from calcsim.engine.actions import (
    GROW,
    HANDOFF,
    NUMBER_SHIFT,
    PASS,
    PATTERN_SHIFT,
    PLACE_SHIFT,
    PLAY,
    STOP,
    pattern_of,
)
from calcsim.engine.leftover import N_CARDS, N_MET, N_OUT_ON, growths_after, hand_left, most_cards
from calcsim.engine.legality import usable_naturals
from calcsim.engine.transitions import next_seat

G_GROWTH_TURN = columns.GAME.index("growth_turn")
S_HANDOFFS = columns.SEAT.index("handoffs")

# Groups of features that are left out together.
_ON_PENALTY: Final = 1
_ON_EXPOSE: Final = 2
_ON_HANDOFF: Final = 4
_ON_LEFT: Final = 8
_ON_ENDS: Final = 16
_ON_BONUS: Final = 32
_ON_MOST: Final = 64
_ON_FITS: Final = 128
_ON_FEW: Final = 256
_ON_OTHERS: Final = 512

THIRTEENTHS: Final = np.arange(256) / 13
"""By number: a thirteenth of it."""

ONE_BY: Final = 1 / np.maximum(np.arange(at.DECK + 1), 1)
"""By number of cards: one divided by it."""


class Weights(Protocol):
    """A vector of weights, or in kernels the `memory` of one."""

    def __getitem__(self, index: int, /) -> float:
        """Return a weight."""


@kernel
def groups_weighed(params: Weights) -> int:
    """Return a bit for each group of features that has a weight: 0 if none has."""
    groups = _ON_OTHERS if params[f.TOP] != 0.0 else 0
    for i in range(f.CARDS, f.STAR + 1):
        groups |= _ON_OTHERS if params[i] != 0.0 else 0
    for i in range(f.PENALTY, f.TEMPT + 1):
        groups |= _ON_PENALTY if params[i] != 0.0 else 0
    groups |= _ON_EXPOSE if params[f.EXPOSE] != 0.0 or params[f.EXPOSE_NEAR] != 0.0 else 0
    for i in range(f.HANDOFF, f.HANDOFF_AGAIN + 1):
        groups |= _ON_HANDOFF if params[i] != 0.0 else 0
    for i in range(f.LEFT_ONE, f.LEFT_WAYS + 1):
        groups |= _ON_LEFT if params[i] != 0.0 else 0
    for i in range(f.LEFT_ONE, f.LEFT_JOKERS + 1):
        groups |= _ON_FEW if params[i] != 0.0 else 0
    for i in range(f.LEFT_FLEX, f.LEFT_WAYS + 1):
        groups |= _ON_MOST if params[i] != 0.0 else 0
    groups |= _ON_FITS if params[f.LEFT_FITS] != 0.0 or params[f.LEFT_MOST] != 0.0 else 0
    groups |= _ON_ENDS if params[f.ENDS] != 0.0 else 0
    for i in (f.BONUS, f.SPOIL_GROWTH, f.SPOIL_SHIELD):
        groups |= _ON_BONUS if params[i] != 0.0 else 0
    return groups


@kernel
def _hurried(state: State, seat: int, left: int, drawer: int, drawn: int) -> float:
    """Return how much cards drawn from the stock hurry an end at which a seat with `left` cards stands well.

    The share of the stock that `drawer` draws, times the share of the others in the game who then have more
    cards less that of those who have fewer (R8.2, R9.4).
    """
    if state[at.R_END] != at.STOCK_OUT:
        return 0.0
    stock = state[at.STOCK_END] - state[at.STOCK_NEXT]
    drawn = min(drawn, stock)
    own = left + drawn if drawer == seat else left
    ahead = 0
    n = 0
    for other in range(state[at.PLAYERS]):
        if other == seat or not (state[at.IN_GAME] >> other) & 1:
            continue
        size = state[at.SIZE + other]
        if other == drawer:
            size += drawn
        n += 1
        ahead += int(size > own) - int(size < own)
    return ahead * drawn / (n * stock) if n * stock else 0.0


@inlined
def _left_facts(
    state: State, params: Weights, groups: int, naturals: int, jokers: int, left: int, drawn: int
) -> tuple[float, float, float, int, int]:
    """Return what the features of what is left have in common, wherever its owner has played.

    Parameters
    ----------
    naturals, jokers, left, drawn : int
        The usable naturals, packed, all jokers, how many cards, 1 or more, and how many to be drawn.
    state, params, groups
        As for `score_laid`.

    Returns
    -------
    first, shed, ways : float
        The weighed features up to `left_flex`, then `left_shed`, and `left_ways`.
    fits, facts : int
        As `leftover.hand_left` tells them.
    """
    first = 0.0
    if groups & _ON_FEW:
        size = left + drawn
        if size == 1:
            first += params[f.LEFT_ONE]
        elif size == 2:
            first += params[f.LEFT_TWO]
        if drawn == 0 and jokers == left and not state[at.R_JOKER_FINISH]:
            first += params[f.LEFT_DEAD]
        first += params[f.LEFT_JOKERS] * jokers
    if not groups & _ON_MOST:
        return first, 0.0, 0.0, 0, 0
    fits, facts = hand_left(state, naturals, jokers)
    first += params[f.LEFT_FLEX] * (((facts >> N_MET) & 15) * (1 / 13))
    shed = params[f.LEFT_SHED] * (((facts >> N_CARDS) & 127) * (1 / 13))
    ways = params[f.LEFT_WAYS] * ((facts >> N_OUT_ON) & 15) if drawn == 0 else 0.0
    return first, shed, ways, fits, facts


@inlined
def _left_score(
    state: State,
    params: Weights,
    groups: int,
    action: int,
    known: tuple[float, float, float, int, int],
    left: int,
    drawn: int,
    tops: int,
) -> float:
    """Return the weighed features of what is left, of which `_left_facts` are known."""
    score, shed, ways, fits, facts = known
    if not groups & _ON_MOST:
        return score
    if groups & _ON_FITS:
        score += params[f.LEFT_FITS] * popcount(fits & tops)
    score += shed
    if groups & _ON_FITS and params[f.LEFT_MOST] != 0.0:
        score += params[f.LEFT_MOST] * most_cards(fits, facts, tops)
    if drawn == 0:
        score += ways
        out_on = facts & tops  # `OUT_ON` is the lowest there, and above it no top
        if left == 1 and out_on == 0 and state[at.R_GROWTH] and params[f.LEFT_OUT] != 0.0:
            pile = (action >> PLACE_SHIFT) & 63 if action & 15 == PLAY else -1
            out_on = facts & growths_after(state, pile, (action >> NUMBER_SHIFT) & 15)
        score += params[f.LEFT_OUT] if out_on else 0.0
    return score


@inlined
def what_is_seen(
    state: State, params: Weights, groups: int
) -> tuple[int, int, int, float, int, int, int, int, float]:
    """Return what is the same for all actions of the seat to move.

    Parameters
    ----------
    state, params
        As for `score_laid`.
    groups : int
        Which groups of features have weights (`groups_weighed`).

    Returns
    -------
    groups : int
        The same.
    seat, follower : int
        Who moves, and the next player.
    near : float
        One divided by the next player's hand size.
    naturals, jokers : int
        The usable natural cards of the seat, packed, and all its jokers.
    unseen, n_exposed, scale : int, int, float
        The cards it sees nowhere, packed, how many of them have a number that is on top of a pile, and one
        divided by how many there are; 0 where nothing depends on them.
    """
    seat = state[at.SEAT]
    follower = next_seat(state, seat)
    naturals = usable_naturals(state, seat)
    jokers = (state[at.HAND + seat] >> 52) + (state[at.FRONT + seat] >> 52)
    near = ONE_BY[state[at.SIZE + follower]]
    if not groups & _ON_EXPOSE:
        return groups, seat, follower, near, naturals, jokers, 0, 0, 0.0
    unseen = f.unseen_cards(state, seat)
    n_exposed = f.count_cards(unseen & f.counters_at(state[at.TOPS]))
    scale = ONE_BY[f.count_cards(unseen)]
    return groups, seat, follower, near, naturals, jokers, unseen, n_exposed, scale


@inlined
def what_is_laid(
    state: State,
    params: Weights,
    seen: tuple[int, int, int, float, int, int, int, int, float],
    laid: tuple[int, int, int],
) -> tuple[int, float, float, float, float, int, int]:
    """Return what is the same for all plays and growths of the same cards.

    Parameters
    ----------
    state, params, seen
        As for `score_laid`.
    laid : tuple
        The natural cards, packed, how many jokers, and how many cards in all.

    Returns
    -------
    cards : int
        How many cards are laid.
    start : float
        The weighed features of the cards themselves.
    first, shed, ways, fits, facts
        As `_left_facts` tells them.
    """
    groups, seat, _, _, naturals, jokers, _, _, _ = seen
    packed, n_jokers, cards = laid
    size = state[at.SIZE + seat]
    start = params[f.CARDS] * cards
    start += params[f.JOKERS] * n_jokers
    if params[f.HIGH] != 0.0:
        start += params[f.HIGH] * THIRTEENTHS[f.sum_of(packed)]
    if groups & _ON_LEFT and size > cards:
        first, shed, ways, fits, facts = _left_facts(
            state, params, groups, naturals - packed, jokers - n_jokers, size - cards, 0
        )
        return cards, start, first, shed, ways, fits, facts
    return cards, start, 0.0, 0.0, 0.0, 0, 0


@inlined
def score_laid(
    state: State,
    action: int,
    params: Weights,
    seen: tuple[int, int, int, float, int, int, int, int, float],
    found: tuple[int, float, float, float, float, int, int],
) -> float:
    """Return the weighed sum of the features of a play or a growth.

    Parameters
    ----------
    state : int64[::1], see `layout`
        From `layout.MEMO` on modified in place.
    action : int
        A legal action.
    params : float64[::1]
        The weights, see `features`.
    seen
        As `what_is_seen` tells it.
    found
        As `what_is_laid` tells it of the cards of this action.
    """
    groups, seat, follower, near, _, _, unseen, n_exposed, scale = seen
    kind = action & 15
    size = state[at.SIZE + seat]
    tops = state[at.TOPS]
    cards, start, first, shed, ways, fits, facts = found
    score: float = start
    number = (action >> NUMBER_SHIFT) & 15
    left = size - cards
    new = ((tops >> number) & 1) ^ 1
    tops |= 1 << number
    n_exposed += ((unseen >> (4 * (number - 1))) & 15) * new
    if kind == PLAY:
        old = state[at.TOP + ((action >> PLACE_SHIFT) & 63)]
        gone = int(old != number) & int(state[at.N_TOPS + old] == 1)
        tops ^= gone << old
        n_exposed -= ((unseen >> (4 * (old - 1))) & 15) * gone
    score += params[f.TOP] * THIRTEENTHS[number]
    star = state[at.SHAPE] == at.STAR
    if kind == GROW:
        shape = pattern_of(action) - at.GROW_LINE
        score += params[f.GROWTH]
        if state[at.SHAPE] == at.LINE:
            if shape == at.RING:
                score += params[f.RING]
            elif shape == at.STAR:
                star = True
                score += params[f.STAR]
        if groups & _ON_BONUS and state[at.R_BONUSES] and state[at.N_OUT] == 0:
            if state[at.COUNTS + G_GROWTH_TURN] == 0:
                score += params[f.SPOIL_GROWTH]
    elif state[at.PHASE] == at.PENALTY:
        score += params[f.AVOID]
    if left == 0:
        score += params[f.OUT]
        if groups & _ON_BONUS and state[at.R_BONUSES] and state[at.N_OUT] == 0:
            points = 50 * int(cards == 1) + 50 * int(star) + 10 * int(state[at.N_RECYCLES] == 0)
            points += 30 * int(kind == PLAY and state[at.COUNTS + G_GROWTH_TURN] == 0)
            points += 30 * int(state[at.SHIELDED + seat] == 0)
            score += params[f.BONUS] * (points / 100)
    if groups & (_ON_PENALTY | _ON_ENDS):
        # No longer than this, but where a joker takes the number beneath it.
        streak = state[at.STREAK + number] + cards
        if streak >= 2 or (action >> PATTERN_SHIFT) & 15 == at.UNDER_JOKER:
            streak = f.streak_after(state, action, cards)
        if streak >= 3 or cards >= 3:
            owed_streak = state[at.R_STREAK_PENALTY] * (streak - 2) if streak >= 3 else 0
            owed_set = state[at.R_SET_PENALTY] * (cards - 2) if cards >= 3 else 0
            owed = owed_streak + owed_set
        else:
            owed_set = 0
            owed = 0
        if owed:
            score += params[f.STRIKE] + params[f.STRIKE_NEAR] * near
            if owed_set == 0:
                score += params[f.STREAK]
            if star and state[at.R_STAR_HALVING]:
                owed >>= 1
            score += params[f.PENALTY] * owed
            if groups & _ON_ENDS and left > 0:
                score += params[f.ENDS] * _hurried(state, seat, left, follower, owed)
        elif params[f.TEMPT] != 0.0 and streak == 2 and state[at.R_STREAK_PENALTY]:
            score += params[f.TEMPT]
    if groups & _ON_EXPOSE:
        share = scale * n_exposed
        score += params[f.EXPOSE] * share + params[f.EXPOSE_NEAR] * (share * near)
    if groups & _ON_LEFT and left > 0:
        known = (first, shed, ways, fits, facts)
        score += _left_score(state, params, groups, action, known, left, 0, tops)
    return score


@inlined
def worth_of_handoff(
    state: State, params: Weights, groups: int, seat: int, follower: int, target: int
) -> float:
    """Return the weighed sum of those features of a hand-off that tell of its target, not of its card."""
    if not groups & _ON_HANDOFF:
        return 0.0
    worth: float = params[f.HANDOFF] + params[f.HANDOFF_NEAR] * ONE_BY[state[at.SIZE + target]]
    made = state[at.COUNTS + columns.N_GAME + columns.N_SEAT * seat + S_HANDOFFS]
    worth += params[f.HANDOFF_AGAIN] * (min(made, 10) * 0.1)
    if target == follower:
        worth += params[f.HANDOFF_NEXT]
    return worth


@inlined
def score_other(
    state: State,
    action: int,
    params: Weights,
    seen: tuple[int, int, int, float, int, int, int, int, float],
    worth: float,
) -> float:
    """Return the weighed sum of the features of what is neither a play nor a growth.

    Parameters
    ----------
    worth : float
        Of a hand-off, `worth_of_handoff`.
    state, action, params, seen
        As for `score_laid`.
    """
    groups, seat, _, near, naturals, jokers, _, n_exposed, scale = seen
    kind = action & 15
    size = state[at.SIZE + seat]
    tops = state[at.TOPS]
    score = 0.0
    drawn = 0
    left = size
    if kind == HANDOFF:
        left -= 1
        card = (action >> NUMBER_SHIFT) & 15
        if groups & _ON_HANDOFF:
            score = worth
            if card == at.JOKER:
                score += params[f.HANDOFF_JOKER]
            else:
                score += params[f.HANDOFF_HIGH] * THIRTEENTHS[card]
        if groups & _ON_BONUS and state[at.R_BONUSES] and state[at.N_OUT] == 0:
            if state[at.SHIELDED + seat] == 0:
                score += params[f.SPOIL_SHIELD]
        if card == at.JOKER:
            jokers -= 1
        else:
            naturals -= 1 << (4 * (card - 1))
    else:
        if kind == PASS:
            score += params[f.PASS]
            if size <= 2:
                score += params[f.PASS_FEW]
            drawn = 1
        elif kind == STOP:
            score += params[f.STOP]
        else:
            score += params[f.ACCEPT]
            drawn = state[at.OWED_STREAK] + state[at.OWED_SET]
            if state[at.SHAPE] == at.STAR and state[at.R_STAR_HALVING]:
                drawn >>= 1
        if groups & _ON_ENDS and drawn:
            score += params[f.ENDS] * _hurried(state, seat, left, seat, drawn)
    if groups & _ON_EXPOSE:
        share = scale * n_exposed
        score += params[f.EXPOSE] * share + params[f.EXPOSE_NEAR] * (share * near)
    if groups & _ON_LEFT and left > 0:
        known = _left_facts(state, params, groups, naturals, jokers, left, drawn)
        score += _left_score(state, params, groups, action, known, left, drawn, tops)
    return score
