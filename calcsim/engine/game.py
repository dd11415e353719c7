"""Whole games: the one entry into compiled code that takes players."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from calcsim.engine import columns, events
from calcsim.engine import layout as at
from calcsim.engine._jit import POLICY, State, entry, kernel, memory
from calcsim.engine.actions import HANDOFF
from calcsim.engine.choose import (
    KIND_BITS,
    PLUGGED,
    THINKER,
    WEIGHER,
    choose,
    choose_among,
    count_decision,
    handoffs_now,
    idle_action,
    list_candidates,
    list_legal,
)
from calcsim.engine.deal import deal
from calcsim.engine.restrict import restrict
from calcsim.engine.score import groups_weighed
from calcsim.engine.transitions import apply_action
from calcsim.engine.view import SIZE_VIEW, observe
from calcsim.engine.weigh import weigh_up

OK = 0
ILLEGAL = -2
"""A player answered with no index of a legal action."""

LOG_FULL = -3
"""The log must be longer; the game can be played again."""

TILE = 16
"""Games written at once: so many fill a cache line of each row, and every row lies on a page of its own."""

# Where the status says what was going on, for an error.
AT_GAME = 0
AT_TURN = 1
AT_SEAT = 2
AT_ANSWER = 3
AT_LEGAL = 4
SIZE_STATUS = 5


@kernel
def log_deal(state: State) -> None:
    """Log the hands, piles and stock before the first turn."""
    if state[at.LOG_END] == 0:
        return
    players = state[at.PLAYERS]
    events.put_event(state, events.DEAL, players, 0, 0, 0, 1)
    for seat in range(players):
        events.put(state, state[at.HAND + seat])
    events.put(state, state[at.N_PILES])
    for pile in range(state[at.N_PILES]):
        events.put(state, state[at.FIELD + pile * at.DEPTH])
    events.put_cards(state, at.STOCK + state[at.STOCK_NEXT], at.STOCK + state[at.STOCK_END])


@kernel
def play_on(
    state: State,
    kinds: NDArray[np.int64],
    plugged: tuple[Any, ...],
    params: NDArray[np.float64],
    rngs: NDArray[np.uint64],
    legal: NDArray[np.int64],
    scratch: NDArray[np.int64],
    view: NDArray[np.int64],
    given: NDArray[np.float64],
    status: NDArray[np.int64],
    array: NDArray[np.int64],
) -> int:
    """Play a dealt game to its end.

    Parameters
    ----------
    state : int64[::1], see `layout`
        Modified in place.
    array : int64[::1]
        The same as an array: what THINKERs are given, and how long the log may become.
    legal, scratch, view : int64[::1]; given : float64[::1]
        Working memory; `legal` and `scratch` as long as each other, `given` as a row of `params`.
    rngs : uint64[:, ::1], shape (6, 1)
        The streams of plugged players by seat. Modified in place.
    kinds, plugged, params, status
        As for `play_games`.

    Returns
    -------
    status : int
        OK, ILLEGAL or LOG_FULL; or how long `legal` has to be to go on, which another call then does.
    """
    while state[at.PHASE] != at.OVER:
        seat = state[at.SEAT]
        kind = kinds[seat]
        if kind == WEIGHER:
            n, total = list_candidates(state)
            n_handoffs = handoffs_now(state)
            count_decision(state, total + n_handoffs + 1, n_handoffs)
            if total + n_handoffs:
                groups = state[at.GROUPS + seat]
                action = weigh_up(state, n, memory(params[seat]), groups, rngs[seat])
            else:
                action = idle_action(state)
        elif kind >= PLUGGED:
            n = list_legal(state, legal)
            if n > legal.size:
                return n
            count_decision(state, n, int(n > 1 and legal[n - 2] & 15 == HANDOFF))
            if kind >> KIND_BITS:
                n = restrict(state, legal, n, kind >> KIND_BITS)
                kind &= (1 << KIND_BITS) - 1
            if kind < PLUGGED:
                action = choose_among(state, kind, legal, n)
            else:
                status[AT_TURN] = state[at.TURNS] + 1
                status[AT_SEAT] = seat
                status[AT_LEGAL] = n
                if kind >= THINKER:
                    # Where there is no choice none of them thinks.
                    answer = plugged[seat](array, legal[:n], n, params[seat], rngs[seat]) if n > 1 else 0
                else:
                    # Copies: what a player writes there is neither played nor remembered.
                    observe(state, view)
                    offered = scratch[:n]
                    for i in range(n):
                        offered[i] = legal[i]
                    for i in range(given.size):
                        given[i] = params[seat, i]
                    answer = plugged[seat](view, offered, n, given, rngs[seat])
                status[AT_ANSWER] = answer
                if answer < 0 or answer >= n:
                    return ILLEGAL
                action = legal[answer]
        else:
            action = choose(state, kind)
        if state[at.LOG_END] and state[at.LOG_END] + events.TURN_SIZE > array.size:
            return LOG_FULL
        apply_action(state, action)
    return OK


@entry(
    types.int64(
        types.int64[::1],
        types.int64,
        types.int64[::1],
        types.UniTuple(POLICY, at.SEATS),
        types.float64[:, ::1],
        types.int64,
        types.int64,
        types.int64,
        types.int32[:, ::1],
        types.int64[::1],
    )
)
def play_games(
    array: NDArray[np.int64],
    players: int,
    kinds: NDArray[np.int64],
    plugged: tuple[Any, ...],
    params: NDArray[np.float64],
    seed: int,
    first: int,
    games: int,
    out: NDArray[np.int32],
    status: NDArray[np.int64],
) -> int:
    """Play games `first` to ``first + games - 1`` of a seed.

    Rules: R2 to R11.

    Parameters
    ----------
    array : int64[::1], shape (layout.SIZE_STATE,) or longer
        The state. The packed rules are read, all else is working memory. If ``state[layout.LOG_END]`` is
        not 0, the events of the one game played are kept.
    players : int
        2 to 6.
    kinds : int64[::1], shape (players,)
        What sits at each seat, see `choose.WEIGHER`; above `choose.KIND_BITS` what that player may not do
        (`restrict`).
    plugged : tuple of 6 functions, params : float64[:, ::1]
        The functions of plugged players by seat, and their parameters.
    seed, first, games : int
        Which games.
    out : int32[:, ::1], shape (columns.n_columns(players), games) or larger
        Modified in place, see `columns`.
    status : int64[::1], shape (SIZE_STATUS,)
        Modified in place: game, turn and seat at the last question to a plugged player, its answer, how many
        actions were legal.

    Returns
    -------
    status : int
        OK, ILLEGAL or LOG_FULL.
    """
    state = memory(array)
    legal = np.empty(1024, dtype=np.int64)
    scratch = np.empty(1024, dtype=np.int64)
    view = np.zeros(SIZE_VIEW, dtype=np.int64)
    given = np.zeros(params.shape[1], dtype=np.float64)
    rngs = np.zeros((at.SEATS, 1), dtype=np.uint64)
    tile = np.empty((TILE, columns.N_GAME + at.SEATS * columns.N_SEAT), dtype=np.int32)
    n_columns = columns.N_GAME + players * columns.N_SEAT

    for seat in range(players):
        state[at.GROUPS + seat] = groups_weighed(memory(params[seat]))
    for g in range(games):
        game = first + g
        deal(state, players, seed, game)
        for seat in range(players):
            rngs[seat, 0] = state[at.RNG + seat]
        log_deal(state)
        status[AT_GAME] = game
        while True:
            code = play_on(state, kinds, plugged, params, rngs, legal, scratch, view, given, status, array)
            if code <= 0:
                break
            legal = np.empty(2 * code, dtype=np.int64)
            scratch = np.empty(2 * code, dtype=np.int64)
        if code < 0:
            return code
        for i in range(n_columns):
            tile[g % TILE, i] = state[at.COUNTS + i]
        if g % TILE == TILE - 1 or g == games - 1:
            start = g - g % TILE
            for i in range(n_columns):
                for k in range(start, g + 1):
                    out[i, k] = tile[k - start, i]
    return OK
