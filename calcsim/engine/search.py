"""Looking ahead: hidden cards are dealt anew again and again, and each action is played out on these deals.

Few actions come into question: those that the weights of `weigh` like best. The playouts are spent in rounds
of about as many each; after each round the worse half of the actions is dropped.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from calcsim.engine import columns
from calcsim.engine import layout as at
from calcsim.engine._jit import POLICY_SIGNATURE, State, entry, kernel, memory
from calcsim.engine.choose import GREEDY, choose, choose_among, list_candidates, list_legal
from calcsim.engine.features import N_FEATURES
from calcsim.engine.restrict import restrict
from calcsim.engine.rng import split
from calcsim.engine.sample import S_PLACE, S_SCORE, SIZE_DEALT, copy_dealt, copy_public, deal_unseen
from calcsim.engine.score import Weights, groups_weighed
from calcsim.engine.transitions import apply_action
from calcsim.engine.weigh import best_scores, highest_of, weigh_up

# Parameters: first the weights, then these.
P_PLAYOUTS: Final = N_FEATURES
P_WIDTH: Final = P_PLAYOUTS + 1
P_DEPTH: Final = P_PLAYOUTS + 2
P_TRUST: Final = P_PLAYOUTS + 3
P_WEIGHED: Final = P_PLAYOUTS + 4
P_SCORE: Final = P_PLAYOUTS + 5
P_FORBIDDEN: Final = P_PLAYOUTS + 6
N_PARAMS: Final = P_PLAYOUTS + 7

WON: Final = 60 * 64
"""Value of the best place still free; any number of players can share it."""

PLACE_WORTH: Final = 240
"""Value of each place above the last."""

CARD_WORTH: Final = 12
"""What each card left costs, so that of equals fewer are better."""

POINT_WORTH: Final = 38
"""Value of a point where it is points that count; about 100 of them are worth what winning is."""

_SIZES: Final = 16

CHANCE: Final = np.array([int(2**20 * 1.7**-size) for size in range(_SIZES)], dtype=np.int64)
"""By hand size: chances to be out next stand to each other about like this."""

ROLLOUT: Final = 256
"""Candidates, or actions, that a playout by weights looks at; where there are more, it goes on greedily."""


@kernel
def value_of(table: State, seat: int, goal: int, by_score: bool) -> int:
    """Return what a table is worth to a seat.

    Parameters
    ----------
    table : int64[::1], see `layout`
        Read only.
    seat : int
        Whose value.
    goal : int
        The best place that was free when the seat had to decide.
    by_score : bool
        Whether points count (R9.5); the game is over then.
    """
    row = at.COUNTS + columns.N_GAME + columns.N_SEAT * seat
    if by_score:
        score = POINT_WORTH * table[row + S_SCORE]
        return -score if table[at.R_SCORING] == at.RANK_POINTS else score
    players = table[at.PLAYERS]
    over = table[at.PHASE] == at.OVER
    size = table[at.SIZE + seat]
    if not over and table[at.N_OUT] + 1 == goal:
        total = 0
        for other in range(players):
            if (table[at.IN_GAME] >> other) & 1:
                total += CHANCE[min(table[at.SIZE + other], _SIZES - 1)]
        best = WON + PLACE_WORTH * (players - goal)
        return int(best * CHANCE[min(size, _SIZES - 1)] // total)
    place = table[row + S_PLACE]
    sharing = 1
    if over:
        for other in range(players):
            there = table[at.COUNTS + columns.N_GAME + columns.N_SEAT * other + S_PLACE]
            sharing += int(other != seat and there == place)
    elif place == 0:
        place = table[at.N_OUT] + 1
        for other in range(players):
            place += int((table[at.IN_GAME] >> other) & 1 and table[at.SIZE + other] < size)
    value = PLACE_WORTH * (players - place) - CARD_WORTH * min(size, _SIZES - 1)
    if place == goal:
        value += WON // sharing
    return value


@kernel
def choose_allowed(
    table: State,
    params: Weights,
    groups: int,
    forbidden: int,
    legal: NDArray[np.int64],
    scores: NDArray[np.float64],
    rng: NDArray[np.uint64],
) -> int:
    """Return what the seat to move does in a playout where it may not do everything; see `play_out`."""
    n = list_legal(table, legal)
    if n > ROLLOUT:  # nothing was written
        return choose(table, GREEDY)
    n = restrict(table, legal, n, forbidden)
    if groups < 0:
        return choose_among(table, GREEDY, legal, n)
    best_scores(table, legal, n, params, scores)
    return int(legal[highest_of(scores, n, rng)])


@kernel
def play_out(
    table: State,
    params: Weights,
    depth: int,
    groups: int,
    by_score: bool,
    seat: int,
    forbidden: int,
    legal: NDArray[np.int64],
    scores: NDArray[np.float64],
    rng: NDArray[np.uint64],
) -> None:
    """Play a table on until the next player is out or `depth` turns are over; by score to the game's end.

    Parameters
    ----------
    table : int64[::1], see `layout`
        Modified in place.
    params : float64[::1]
        The weights of all seats.
    depth : int
        See above.
    groups : int
        Which weights there are (`score.groups_weighed`); below 0 all seats are greedy instead (R11.2).
    by_score : bool
        See above.
    seat, forbidden : int
        Who looks ahead, and what it may not do (`restrict`).
    legal, scores : shape (ROLLOUT,)
        Working memory.
    rng : uint64[::1], shape (1,)
        The stream of those who weigh. Modified in place.
    """
    n_out = table[at.N_OUT]
    last = table[at.TURNS] + depth
    while table[at.PHASE] != at.OVER:
        if not by_score and (table[at.N_OUT] != n_out or table[at.TURNS] >= last):
            return
        if forbidden and table[at.SEAT] == seat:
            apply_action(table, choose_allowed(table, params, groups, forbidden, legal, scores, rng))
            continue
        n = list_candidates(table)[0] if groups >= 0 else ROLLOUT + 1
        if n <= ROLLOUT:
            apply_action(table, weigh_up(table, n, params, groups, rng))
        else:
            apply_action(table, choose(table, GREEDY))


@kernel
def bring_forward(keys: NDArray[np.float64], index: NDArray[np.int64], n: int, most: int) -> None:
    """Bring the `most` actions with the largest keys to the front, in order; equal ones stay in order."""
    for i in range(min(n, most)):
        best = i
        for k in range(i + 1, n):
            if keys[k] > keys[best]:
                best = k
        key = keys[best]
        which = index[best]
        for k in range(best, i, -1):
            keys[k] = keys[k - 1]
            index[k] = index[k - 1]
        keys[i] = key
        index[i] = which


@kernel
def look_ahead(
    array: NDArray[np.int64],
    legal: NDArray[np.int64],
    n: int,
    params: NDArray[np.float64],
    rng: NDArray[np.uint64],
    dealt_array: NDArray[np.int64],
    table_array: NDArray[np.int64],
    keys: NDArray[np.float64],
    index: NDArray[np.int64],
    sums: NDArray[np.int64],
    rollout: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> int:
    """Return the index of the action that did best in the playouts.

    Parameters
    ----------
    array, legal, n, params, rng
        As for `search`.
    dealt_array, table_array : int64[::1], shape (SIZE_DEALT,) and (layout.SIZE_STATE,)
        Working memory; arrays, since their `memory` alone would not be kept.
    keys, index, sums : shape (n,)
        Working memory.
    rollout, scores : shape (ROLLOUT,)
        Working memory.
    """
    state = memory(array)
    dealt = memory(dealt_array)
    table = memory(table_array)
    weights = memory(params)
    playouts = int(params[P_PLAYOUTS])
    depth = int(params[P_DEPTH])
    groups = groups_weighed(weights) if params[P_WEIGHED] != 0 else -1
    by_score = params[P_SCORE] != 0
    forbidden = int(params[P_FORBIDDEN])
    seat = state[at.SEAT]
    goal = state[at.N_OUT] + 1

    best_scores(state, legal, n, weights, keys)
    for i in range(n):
        index[i] = i
    width = min(n, int(params[P_WIDTH]), playouts)
    bring_forward(keys, index, n, width)
    n = width
    for i in range(n):
        sums[i] = 0
    sums[0] = int(WON * params[P_TRUST])  # by place in the order of the weights; `legal[index]` is the action

    n_unseen = copy_public(state, dealt)
    rounds = 0
    while (1 << rounds) < n:
        rounds += 1
    while rounds > 0:
        each = max(1, playouts // (rounds * n))
        for _ in range(each):
            dealt[at.RNG] = split(rng)
            deal_unseen(dealt, n_unseen, at.RNG)
            dealt[at.SEED] = split(rng)
            for other in range(dealt[at.PLAYERS]):
                dealt[at.RNG + other] = split(rng)
            common = rng[0]
            for i in range(n):
                rng[0] = common
                copy_dealt(dealt, table)
                apply_action(table, legal[index[i]])
                play_out(table, weights, depth, groups, by_score, seat, forbidden, rollout, scores, rng)
                sums[i] += value_of(table, seat, goal, by_score)
            rng[0] = common
        playouts -= each * n
        rounds -= 1
        n = halve(sums, index, n)
    return int(index[0])


@kernel
def halve(sums: NDArray[np.int64], index: NDArray[np.int64], n: int) -> int:
    """Keep the better half of the actions, in order; return how many that are."""
    half = (n + 1) >> 1
    for i in range(half):
        best = i
        for k in range(i + 1, n):
            if sums[k] > sums[best]:
                best = k
        total = sums[best]
        which = index[best]
        for k in range(best, i, -1):
            sums[k] = sums[k - 1]
            index[k] = index[k - 1]
        sums[i] = total
        index[i] = which
    return half


@entry(POLICY_SIGNATURE)
def search(state: Any, legal: Any, n: int, params: Any, rng: Any) -> int:
    """Answer as the player `search`: the action that does best when it is played out.

    Parameters
    ----------
    state : int64[::1], see `layout`
        Read only, and of it nothing that the seat to move may not see.
    legal, n
        The actions to choose from, and how many.
    params : float64[::1], shape (N_PARAMS,) or longer
        Weights (`features`), then the options, see above.
    rng : uint64[::1], shape (1,)
        The seat's stream. Modified in place.

    Returns
    -------
    index : int
        Of the action in `legal`.
    """
    if n == 1:
        return 0
    dealt = np.empty(SIZE_DEALT, dtype=np.int64)
    table = np.empty(at.SIZE_STATE, dtype=np.int64)
    keys = np.empty(n, dtype=np.float64)
    index = np.empty(n, dtype=np.int64)
    sums = np.empty(n, dtype=np.int64)
    rollout = np.empty(ROLLOUT, dtype=np.int64)
    scores = np.empty(ROLLOUT, dtype=np.float64)
    return look_ahead(state, legal, n, params, rng, dealt, table, keys, index, sums, rollout, scores)
