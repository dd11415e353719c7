"""A player who weighs: it takes the action of the highest score (`score`), of equals any."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from calcsim.engine import layout as at
from calcsim.engine._jit import State, inlined, kernel
from calcsim.engine.actions import GROW, HANDOFF, PLACE_SHIFT, PLAY
from calcsim.engine.candidates import actions_in, expand, expand_all
from calcsim.engine.choose import idle_action
from calcsim.engine.features import cards_of_action, cards_of_candidate
from calcsim.engine.handoffs import (
    cards_for,
    count_handoffs,
    may_hand_off,
    may_receive,
    nth_handoff,
    put_handoffs,
)
from calcsim.engine.rng import below
from calcsim.engine.score import (
    Weights,
    groups_weighed,
    score_laid,
    score_other,
    what_is_laid,
    what_is_seen,
    worth_of_handoff,
)

CLEARLY: Final = 1e-6
"""What rounding cannot make up for: weights have absolute values up to 1000."""


@kernel
def best_scores(
    state: State, legal: NDArray[np.int64], n: int, params: Weights, scores: NDArray[np.float64]
) -> None:
    """Score the actions of the seat to move.

    Parameters
    ----------
    state : int64[::1], see `layout`
        From `layout.MEMO` on modified in place; nothing of it is read that the seat may not see.
    legal, n
        The actions, and how many.
    params : float64[::1] or its `memory`, shape (N_FEATURES,) or longer
        The weights, see `features`.
    scores : float64[::1]
        Modified in place.
    """
    seen = what_is_seen(state, params, groups_weighed(params))
    for i in range(n):
        action = legal[i]
        if action & 15 in (PLAY, GROW):
            found = what_is_laid(state, params, seen, cards_of_action(action))
            scores[i] = score_laid(state, action, params, seen, found)
            continue
        worth = 0.0
        if action & 15 == HANDOFF:
            worth = worth_of_handoff(state, params, seen[0], seen[1], seen[2], (action >> PLACE_SHIFT) & 63)
        scores[i] = score_other(state, action, params, seen, worth)


@inlined
def _either(
    best: int, highest: float, equals: int, other: int, score: float, rng: NDArray[np.uint64]
) -> tuple[int, float, int]:
    """Return the better of the best so far and another, its score, and how many had that: of equals any."""
    if score > highest:
        return other, score, 1
    if score == highest:
        equals += 1
        if below(rng, equals) == 0:
            return other, highest, equals
    return best, highest, equals


@kernel
def take_any(state: State, n: int, hands_off: bool, rng: NDArray[np.uint64]) -> int:
    """Return any action, all alike; parameters as for `weigh_up` and `list_others`."""
    n_laid = 0
    for i in range(n):
        n_laid += actions_in(state, state[at.CANDIDATES + i])
    n_handoffs = count_handoffs(state) if hands_off else 0
    index = below(rng, n_laid + n_handoffs + 1)
    if index >= n_laid + n_handoffs:
        return idle_action(state)
    if index >= n_laid:
        return nth_handoff(state, index - n_laid)
    i = 0
    while index >= actions_in(state, state[at.CANDIDATES + i]):
        index -= actions_in(state, state[at.CANDIDATES + i])
        i += 1
    return expand(state, state[at.CANDIDATES + i], index)


@kernel
def list_others(
    state: State,
    params: Weights,
    seen: tuple[int, int, int, float, int, int, int, int, float],
    hands_off: bool,
) -> int:
    """Write what is neither a play nor a growth, but of hand-offs none that another clearly outdoes.

    The same card is better handed to whom it is better to hand any card to.

    Parameters
    ----------
    state : int64[::1], see `layout`
        From `layout.PARTS` on modified in place.
    params, seen
        As for `score.score_other`.
    hands_off : bool
        Whether the seat to move may hand off.

    Returns
    -------
    end : int
        Where in `state` the actions end.
    """
    end = at.PARTS
    if hands_off:
        groups, seat, follower = seen[0], seen[1], seen[2]
        most = -np.inf
        to_best = 0
        for target in range(state[at.PLAYERS]):
            if may_receive(state, seat, target):
                worth = worth_of_handoff(state, params, groups, seat, follower, target)
                from_hand, from_front = cards_for(state, seat, target)
                if worth > most:
                    most = worth
                    to_best = 0
                if worth == most:
                    to_best |= from_hand | from_front
        for target in range(state[at.PLAYERS]):
            if may_receive(state, seat, target):
                worth = worth_of_handoff(state, params, groups, seat, follower, target)
                without = to_best if worth < most - CLEARLY else 0
                from_hand, from_front = cards_for(state, seat, target)
                end = put_handoffs(state, end, target, from_hand & ~without, from_front & ~without)
    state[end] = idle_action(state)
    return end + 1


@kernel
def weigh_up(state: State, n: int, params: Weights, groups: int, rng: NDArray[np.uint64]) -> int:
    """Return the action of the highest score, of equals any, among all that are legal.

    They need not be written out: all of a candidate take the same cards, and a card is best handed to
    whomever it is best to hand any card to.

    Parameters
    ----------
    state : int64[::1], see `layout`
        Holds the `n` candidates of the seat to move (`choose.list_candidates`). Its working memory is
        modified in place; nothing of it is read that the seat may not see.
    n : int
        How many candidates.
    params : float64[::1] or its `memory`, shape (N_FEATURES,) or longer
        The weights, see `features`.
    groups : int
        Which of them there are (`score.groups_weighed`).
    rng : uint64[::1], shape (1,) or more
        The seat's stream, which decides between equals. Modified in place.
    """
    seat = state[at.SEAT]
    hands_off = state[at.PHASE] == at.FREE and may_hand_off(state, seat)
    best = idle_action(state)
    if n == 0 and not hands_off:
        return best
    if groups == 0:
        return take_any(state, n, hands_off, rng)
    seen = what_is_seen(state, params, groups)
    highest = -np.inf
    equals = 0
    for i in range(n):
        candidate = state[at.CANDIDATES + i]
        found = what_is_laid(state, params, seen, cards_of_candidate(candidate))
        # The parts that candidates were made of are no longer needed.
        end = expand_all(state, candidate, state, at.PARTS)
        for k in range(at.PARTS, end):
            action = state[k]
            score = score_laid(state, action, params, seen, found)
            best, highest, equals = _either(best, highest, equals, action, score, rng)
    target = -1
    worth = 0.0
    for k in range(at.PARTS, list_others(state, params, seen, hands_off)):
        action = state[k]
        if action & 15 == HANDOFF and (action >> PLACE_SHIFT) & 63 != target:
            target = (action >> PLACE_SHIFT) & 63
            worth = worth_of_handoff(state, params, groups, seat, seen[2], target)
        score = score_other(state, action, params, seen, worth)
        best, highest, equals = _either(best, highest, equals, action, score, rng)
    return best


@kernel
def highest_of(scores: NDArray[np.float64], n: int, rng: NDArray[np.uint64]) -> int:
    """Return the index of the highest of `n` scores, of equals any."""
    best = 0
    highest = -np.inf
    equals = 0
    for i in range(n):
        best, highest, equals = _either(best, highest, equals, i, scores[i], rng)
    return best
