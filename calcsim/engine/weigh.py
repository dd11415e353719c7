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
from calcsim.engine._jit import POLICY_SIGNATURE, State, door, entry, inlined, kernel, memory, popcount
from calcsim.engine.actions import GROW, HANDOFF, NUMBER_SHIFT, PASS, PLACE_SHIFT, PLAY, STOP, pattern_of
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
_ON_FITS: Final = 128
_ON_FEW: Final = 256

_CLEARLY: Final = 1e-6
"""What rounding cannot make up for: weights have absolute values up to 1000."""

THIRTEENTHS: Final = np.arange(256) / 13
"""By number: a thirteenth of it."""


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
    lanes, facts : int
        As `features.hand_left` tells them.
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
    lanes, facts = f.hand_left(state, naturals, jokers)
    first += params[f.LEFT_FLEX] * (((facts >> f.N_MET) & 15) * (1 / 13))
    shed = params[f.LEFT_SHED] * (((facts >> f.N_CARDS) & 127) * (1 / 13))
    ways = params[f.LEFT_WAYS] * ((facts >> f.N_OUT_ON) & 15) if drawn == 0 else 0.0
    return first, shed, ways, lanes, facts


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
    score, shed, ways, lanes, facts = known
    if not groups & _ON_MOST:
        return score
    if groups & _ON_FITS:
        score += params[f.LEFT_FITS] * popcount((facts >> f.MET) & tops)
    score += shed
    if groups & _ON_FITS and params[f.LEFT_MOST] != 0.0:
        score += params[f.LEFT_MOST] * f.most_cards(lanes, tops)
    if drawn == 0:
        score += ways
        out_on = facts & tops  # `OUT_ON` is the lowest there, and above it no top
        if left == 1 and out_on == 0 and state[at.R_GROWTH] and params[f.LEFT_OUT] != 0.0:
            pile = (action >> PLACE_SHIFT) & 63 if action & 15 == PLAY else -1
            out_on = facts & f.growths_after(state, pile, (action >> NUMBER_SHIFT) & 15)
        score += params[f.LEFT_OUT] if out_on else 0.0
    return score


@inlined
def what_is_seen(state: State, params: Weights) -> tuple[int, int, int, float, int, int, int, int, float]:
    """Return what is the same for all actions of the seat to move.

    Returns
    -------
    groups : int
        Which groups of features have weights (`groups_weighed`).
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
    groups = groups_weighed(params)
    seat = state[at.SEAT]
    follower = next_seat(state, seat)
    naturals = usable_naturals(state, seat)
    jokers = (state[at.HAND + seat] >> 52) + (state[at.FRONT + seat] >> 52)
    near = 1.0 / state[at.SIZE + follower]
    if not groups & _ON_EXPOSE:
        return groups, seat, follower, near, naturals, jokers, 0, 0, 0.0
    unseen = f.unseen_cards(state, seat)
    n_exposed = f.count_cards(unseen & f.counters_at(state[at.TOPS]))
    scale = 1.0 / max(f.count_cards(unseen), 1)
    return groups, seat, follower, near, naturals, jokers, unseen, n_exposed, scale


NOTHING: Final = (-1, 0, 0.0, 0.0, 0.0, 0.0, 0, 0)
"""For the first action, see `score_laid`."""


@inlined
def score_laid(
    state: State,
    action: int,
    params: Weights,
    seen: tuple[int, int, int, float, int, int, int, int, float],
    before: tuple[int, int, float, float, float, float, int, int],
) -> tuple[float, tuple[int, int, float, float, float, float, int, int]]:
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
    before
        What was found out about the cards of the play or growth before this one: the next often takes the
        same cards for another pile, or puts another of them on top.

    Returns
    -------
    score : float
        The sum.
    found
        `before` for the next play or growth.
    """
    groups, seat, follower, near, naturals, jokers, unseen, n_exposed, scale = seen
    kind = action & 15
    size = state[at.SIZE + seat]
    tops = state[at.TOPS]
    key = f.cards_key(action)
    if key != before[0]:
        packed, n_jokers, cards = f.cards_by(key)
        start = params[f.CARDS] * cards
        start += params[f.JOKERS] * n_jokers
        if params[f.HIGH] != 0.0:
            start += params[f.HIGH] * THIRTEENTHS[f.sum_of(packed)]
        known = (0.0, 0.0, 0.0, 0, 0)
        if groups & _ON_LEFT and size > cards:
            known = _left_facts(state, params, groups, naturals - packed, jokers - n_jokers, size - cards, 0)
        before = (key, cards, start, known[0], known[1], known[2], known[3], known[4])
    cards = before[1]
    score = before[2]
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
        known = (before[3], before[4], before[5], before[6], before[7])
        score += _left_score(state, params, groups, action, known, left, 0, tops)
    return score, before


@inlined
def worth_of_handoff(
    state: State, params: Weights, groups: int, seat: int, follower: int, target: int
) -> float:
    """Return the weighed sum of those features of a hand-off that tell of its target, not of its card."""
    if not groups & _ON_HANDOFF:
        return 0.0
    worth = params[f.HANDOFF] + params[f.HANDOFF_NEAR] / state[at.SIZE + target]
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
    seen = what_is_seen(state, params)
    found = NOTHING
    for i in range(n):
        action = legal[i]
        if action & 15 in (PLAY, GROW):
            scores[i], found = score_laid(state, action, params, seen, found)
            continue
        worth = 0.0
        if action & 15 == HANDOFF:
            worth = worth_of_handoff(state, params, seen[0], seen[1], seen[2], (action >> PLACE_SHIFT) & 63)
        scores[i] = score_other(state, action, params, seen, worth)


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
    seen = what_is_seen(state, params)
    found = NOTHING
    best = 0
    highest = -np.inf
    equals = 0
    target = -1
    worth = 0.0
    most = -np.inf
    cards = 0
    for i in range(n):
        action = legal[i]
        if action & 15 in (PLAY, GROW):
            score, found = score_laid(state, action, params, seen, found)
        else:
            if action & 15 == HANDOFF:
                if (action >> PLACE_SHIFT) & 63 != target:
                    target = (action >> PLACE_SHIFT) & 63
                    worth = worth_of_handoff(state, params, seen[0], seen[1], seen[2], target)
                # The same card is better handed to another, and that has been looked at.
                card = 1 << ((action >> NUMBER_SHIFT) & 15)
                if worth > most:
                    most = worth
                    cards = 0
                elif worth < most - _CLEARLY and cards & card:
                    continue
                if worth == most:
                    cards |= card
            score = score_other(state, action, params, seen, worth)
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
