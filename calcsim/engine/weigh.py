"""A player who weighs: a linear score over the features of each action, the highest of which it takes.

The same code tells the features themselves: with one weight of 1 and all others 0 the score is the feature.
Features without weight are not computed, group by group.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from calcsim.engine import columns
from calcsim.engine import features as f
from calcsim.engine import layout as at
from calcsim.engine._jit import POLICY_SIGNATURE, State, door, entry, kernel, memory, popcount
from calcsim.engine.actions import (
    GROW,
    HANDOFF,
    NUMBER_SHIFT,
    PASS,
    PLACE_SHIFT,
    PLAY,
    STOP,
    cards_of,
    pattern_of,
)
from calcsim.engine.legality import usable_naturals
from calcsim.engine.rng import below

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


class Weights(Protocol):
    """A vector of weights, or in kernels the `memory` of one."""

    def __getitem__(self, index: int, /) -> float:
        """Return a weight."""


@kernel
def groups_weighed(params: Weights) -> int:
    """Return a bit for each group of features that has a weight."""
    groups = 0
    for i in range(f.PENALTY, f.TEMPT + 1):
        groups |= _ON_PENALTY if params[i] != 0.0 else 0
    groups |= _ON_EXPOSE if params[f.EXPOSE] != 0.0 or params[f.EXPOSE_NEAR] != 0.0 else 0
    for i in range(f.HANDOFF, f.HANDOFF_AGAIN + 1):
        groups |= _ON_HANDOFF if params[i] != 0.0 else 0
    for i in range(f.LEFT_ONE, f.LEFT_WAYS + 1):
        groups |= _ON_LEFT if params[i] != 0.0 else 0
    for i in range(f.LEFT_FLEX, f.LEFT_WAYS + 1):
        groups |= _ON_MOST if params[i] != 0.0 else 0
    groups |= _ON_ENDS if params[f.ENDS] != 0.0 else 0
    for i in (f.BONUS, f.SPOIL_GROWTH, f.SPOIL_SHIELD):
        groups |= _ON_BONUS if params[i] != 0.0 else 0
    return groups


@kernel
def next_seat(state: State, seat: int) -> int:
    """Return the next seat still in the game (R6.4)."""
    other = seat
    while True:
        other += 1
        if other == state[at.PLAYERS]:
            other = 0
        if (state[at.IN_GAME] >> other) & 1:
            return other


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


@kernel
def _left_score(
    state: State,
    params: Weights,
    groups: int,
    action: int,
    naturals: int,
    jokers: int,
    left: int,
    drawn: int,
    tops: int,
) -> float:
    """Return the weighed features of what is left: the usable naturals, all jokers, and cards to be drawn."""
    score = 0.0
    size = left + drawn
    if size == 1:
        score += params[f.LEFT_ONE]
    elif size == 2:
        score += params[f.LEFT_TWO]
    if drawn == 0 and jokers == left and not state[at.R_JOKER_FINISH]:
        score += params[f.LEFT_DEAD]
    score += params[f.LEFT_JOKERS] * jokers
    if not groups & _ON_MOST:
        return score
    lanes, out_on = f.hand_left(state, naturals, jokers)
    if params[f.LEFT_FLEX] != 0.0 or params[f.LEFT_FITS] != 0.0:
        met = f.numbers_met(lanes)
        score += params[f.LEFT_FLEX] * (popcount(met) * (1 / 13))
        score += params[f.LEFT_FITS] * popcount(met & tops)
    if params[f.LEFT_SHED] != 0.0:
        score += params[f.LEFT_SHED] * f.cards_on_average(lanes)
    if params[f.LEFT_MOST] != 0.0:
        score += params[f.LEFT_MOST] * f.most_cards(lanes, tops)
    if drawn == 0:
        score += params[f.LEFT_WAYS] * popcount(out_on)
        if out_on & tops:
            score += params[f.LEFT_OUT]
        elif left == 1 and state[at.R_GROWTH] and params[f.LEFT_OUT] != 0.0:
            pile = (action >> PLACE_SHIFT) & 63 if action & 15 == PLAY else -1
            if out_on & f.growths_after(state, pile, (action >> NUMBER_SHIFT) & 15):
                score += params[f.LEFT_OUT]
    return score


@kernel
def score_action(
    state: State,
    action: int,
    params: Weights,
    groups: int,
    seat: int,
    follower: int,
    near: float,
    naturals: int,
    unseen: int,
    scale: float,
) -> float:
    """Return the weighed sum of the features of one action.

    Parameters
    ----------
    state : int64[::1], see `layout`
        Read only.
    action : int
        A legal action.
    params : float64[::1]
        The weights, see `features`.
    groups : int
        Which groups of features have weights (`groups_weighed`).
    seat, follower : int
        Who moves, and the next player.
    near : float
        One divided by the next player's hand size.
    naturals : int
        The usable natural cards of the seat, packed.
    unseen, scale : int, float
        The cards it sees nowhere, packed, and one divided by how many; 0 where nothing depends on them.
    """
    kind = action & 15
    size = state[at.SIZE + seat]
    jokers = (state[at.HAND + seat] >> 52) + (state[at.FRONT + seat] >> 52)
    score = 0.0
    tops = state[at.TOPS]
    drawn = 0
    if kind in (PLAY, GROW):
        cards = cards_of(action)
        number = (action >> NUMBER_SHIFT) & 15
        packed, n_jokers = f.cards_used(action)
        left = size - cards
        tops = f.tops_after(state, action)
        score += params[f.CARDS] * cards
        score += params[f.JOKERS] * n_jokers
        if params[f.HIGH] != 0.0:
            score += params[f.HIGH] * (f.sum_of(packed) / 13)
        score += params[f.TOP] * (number / 13)
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
            streak = f.streak_after(state, action, cards)
            owed_streak = state[at.R_STREAK_PENALTY] * (streak - 2) if streak >= 3 else 0
            owed_set = state[at.R_SET_PENALTY] * (cards - 2) if cards >= 3 else 0
            owed = owed_streak + owed_set
            if owed:
                score += params[f.STRIKE] + params[f.STRIKE_NEAR] * near
                if owed_set == 0:
                    score += params[f.STREAK]
                if star and state[at.R_STAR_HALVING]:
                    owed >>= 1
                score += params[f.PENALTY] * owed
                if groups & _ON_ENDS and left > 0:
                    score += params[f.ENDS] * _hurried(state, seat, left, follower, owed)
            elif streak == 2 and state[at.R_STREAK_PENALTY]:
                score += params[f.TEMPT]
        naturals -= packed
        jokers -= n_jokers
    elif kind == HANDOFF:
        left = size - 1
        card = (action >> NUMBER_SHIFT) & 15
        if groups & _ON_HANDOFF:
            target = (action >> PLACE_SHIFT) & 63
            score += params[f.HANDOFF] + params[f.HANDOFF_NEAR] / state[at.SIZE + target]
            made = state[at.COUNTS + columns.N_GAME + columns.N_SEAT * seat + S_HANDOFFS]
            score += params[f.HANDOFF_AGAIN] * (min(made, 10) * 0.1)
            if target == follower:
                score += params[f.HANDOFF_NEXT]
            if card == at.JOKER:
                score += params[f.HANDOFF_JOKER]
            else:
                score += params[f.HANDOFF_HIGH] * (card / 13)
        if groups & _ON_BONUS and state[at.R_BONUSES] and state[at.N_OUT] == 0:
            if state[at.SHIELDED + seat] == 0:
                score += params[f.SPOIL_SHIELD]
        if card == at.JOKER:
            jokers -= 1
        else:
            naturals -= 1 << (4 * (card - 1))
    else:
        left = size
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
        share = scale * f.count_cards(unseen & f.counters_at(tops))
        score += params[f.EXPOSE] * share + params[f.EXPOSE_NEAR] * (share * near)
    if groups & _ON_LEFT and left > 0:
        score += _left_score(state, params, groups, action, naturals, jokers, left, drawn, tops)
    return score


@kernel
def best_scores(
    state: State, legal: NDArray[np.int64], n: int, params: Weights, scores: NDArray[np.float64]
) -> None:
    """Score the actions of the seat to move.

    Parameters
    ----------
    state : int64[::1], see `layout`
        Read only; nothing of it that the seat may not see.
    legal, n
        The actions, and how many.
    params : float64[::1] or its `memory`, shape (N_FEATURES,) or longer
        The weights, see `features`.
    scores : float64[::1]
        Modified in place.
    """
    seat = state[at.SEAT]
    groups = groups_weighed(params)
    follower = next_seat(state, seat)
    naturals = usable_naturals(state, seat)
    near = 1.0 / state[at.SIZE + follower]
    unseen = f.unseen_cards(state, seat) if groups & _ON_EXPOSE else 0
    scale = 1.0 / max(f.count_cards(unseen), 1)
    for i in range(n):
        scores[i] = score_action(
            state, legal[i], params, groups, seat, follower, near, naturals, unseen, scale
        )


@kernel
def weigh_up(state: State, legal: NDArray[np.int64], n: int, params: Weights, rng: NDArray[np.uint64]) -> int:
    """Return the index of the action of the highest score, of equals any.

    Parameters
    ----------
    state, legal, n, params
        As for `best_scores`.
    rng : uint64[::1], shape (1,) or more
        The seat's stream, which decides between equals. Modified in place.
    """
    if n == 1:
        return 0
    seat = state[at.SEAT]
    groups = groups_weighed(params)
    follower = next_seat(state, seat)
    naturals = usable_naturals(state, seat)
    near = 1.0 / state[at.SIZE + follower]
    unseen = f.unseen_cards(state, seat) if groups & _ON_EXPOSE else 0
    scale = 1.0 / max(f.count_cards(unseen), 1)
    best = 0
    highest = -np.inf
    equals = 0
    for i in range(n):
        score = score_action(state, legal[i], params, groups, seat, follower, near, naturals, unseen, scale)
        if score > highest:
            highest = score
            best = i
            equals = 1
        elif score == highest:
            equals += 1
            if below(rng, equals) == 0:
                best = i
    return best


@entry(POLICY_SIGNATURE)
def weigh(array: Any, legal: Any, n: int, params: Any, rng: Any) -> int:
    """Answer as the player `weighted`, see `weigh_up`."""
    return weigh_up(memory(array), legal, n, memory(params), rng)


@door
def scores_of(array: Any, legal: Any, n: int, params: Any, scores: Any) -> None:
    """Write the scores of the actions of a state, see `best_scores`."""
    best_scores(memory(array), legal, n, memory(params), scores)
