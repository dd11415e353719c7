"""The yardstick players (R11), and every legal action for the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calcsim.engine import columns
from calcsim.engine import layout as at
from calcsim.engine._jit import State, kernel, memory
from calcsim.engine.actions import ACCEPT, GROW, HANDOFF, PASS, PLAY, STOP, cards_of
from calcsim.engine.candidates import actions_in, cards_in, expand, expand_all
from calcsim.engine.handoffs import count_handoffs, list_handoffs, nth_handoff
from calcsim.engine.legality import list_avoids, list_plays
from calcsim.engine.rng import next_below

G_DECISIONS = columns.GAME.index("decisions_free")
G_ACTIONS = columns.GAME.index("actions_free")
G_FORCED = columns.GAME.index("forced_free")
S_CHANCES = columns.SEAT.index("handoff_chances")

RANDOM = 0
GREEDY = 1
PLUGGED = 2
THINKER = 3
WEIGHER = 4
"""Kinds of player: the two of R11, a function that is shown a view, and two of calcsim's own that read the
state itself (what a player may see of it, which tests hold them to). A thinker is a function that is given
the legal actions; a weigher none, unless something is forbidden to it: the engine weighs the candidates."""

MOST_HANDOFFS = 2 * at.JOKER * (at.SEATS - 1)
"""Each card from the hand and from the front to each other seat."""

KIND_BITS = 4
"""What a player may not do stands above these bits of its kind, see `restrict`."""


@kernel
def list_candidates(state: State) -> tuple[int, int]:
    """Write the plays and growths of the seat to move in whatever phase; see `legality.list_plays`."""
    if state[at.PHASE] == at.PENALTY:
        return list_avoids(state)
    return list_plays(state)


@kernel
def idle_action(state: State) -> int:
    """Return what a player does who neither plays, grows nor hands off."""
    phase = state[at.PHASE]
    if phase == at.FREE:
        return PASS
    return STOP if phase == at.AFTER_DRAW else ACCEPT


@kernel
def handoffs_now(state: State) -> int:
    """Return how many hand-offs are legal in whatever phase (R3.3, R6.9)."""
    if state[at.PHASE] == at.FREE and state[at.R_HANDOFF]:
        return count_handoffs(state)
    return 0


@kernel
def count_decision(state: State, n_legal: int, n_handoffs: int) -> None:
    """Count a decision, its legal actions (R11.3), whether it was forced, and whether it could hand off."""
    phase = state[at.PHASE]
    state[at.COUNTS + G_DECISIONS + phase] += 1
    state[at.COUNTS + G_ACTIONS + phase] += n_legal
    state[at.COUNTS + G_FORCED + phase] += n_legal == 1
    if n_handoffs:
        state[at.COUNTS + columns.N_GAME + columns.N_SEAT * state[at.SEAT] + S_CHANCES] += 1


@kernel
def choose(state: State, kind: int) -> int:
    """Return the action of a yardstick player (R11.1, R11.2) and count the decision (R11.3).

    Parameters
    ----------
    state : int64[::1], see `layout`
        Counters, candidates and the seat's stream are modified in place.
    kind : int
        RANDOM or GREEDY.
    """
    stream = at.RNG + state[at.SEAT]
    n, total = list_candidates(state)
    n_handoffs = handoffs_now(state)
    count_decision(state, total + n_handoffs + 1, n_handoffs)
    if n:
        most = 0
        if kind == GREEDY:
            total = 0
            for i in range(n):
                cards = cards_in(state[at.CANDIDATES + i])
                if cards > most:
                    most = cards
                    total = 0
                if cards == most:
                    total += actions_in(state, state[at.CANDIDATES + i])
        index = next_below(state, stream, total) if total > 1 else 0
        for i in range(n):
            if most == 0 or cards_in(state[at.CANDIDATES + i]) == most:
                here = actions_in(state, state[at.CANDIDATES + i])
                if index < here:
                    return expand(state, state[at.CANDIDATES + i], index)
                index -= here
    if n_handoffs and next_below(state, stream, 2):
        return nth_handoff(state, next_below(state, stream, n_handoffs))
    return idle_action(state)


@kernel
def list_legal(state: State, legal: NDArray[np.int64]) -> int:
    """Write every legal action of the seat to move: plays and growths, hand-offs, then pass, stop or accept.

    Parameters
    ----------
    state : int64[::1], see `layout`
        Only the candidates are modified.
    legal : int64[::1]
        Modified in place, if it is long enough.

    Returns
    -------
    n : int
        How many, 1 or more. If `legal` is shorter than that, nothing was written.
    """
    n, total = list_candidates(state)
    if total + MOST_HANDOFFS >= legal.size and total + handoffs_now(state) >= legal.size:
        return total + handoffs_now(state) + 1
    actions = memory(legal)
    k = 0
    for i in range(n):
        k = expand_all(state, state[at.CANDIDATES + i], actions, k)
    if state[at.PHASE] == at.FREE and state[at.R_HANDOFF]:
        k = list_handoffs(state, actions, k)
    actions[k] = idle_action(state)
    return k + 1


@kernel
def choose_among(state: State, kind: int, legal: NDArray[np.int64], n: int) -> int:
    """Return what a yardstick player does (R11.1, R11.2) where only some of the legal actions are allowed.

    Parameters
    ----------
    state : int64[::1], see `layout`
        The seat's stream is modified in place.
    kind : int
        RANDOM or GREEDY.
    legal, n
        The actions, how many.
    """
    stream = at.RNG + state[at.SEAT]
    most = 0
    n_best = 0
    n_handoffs = 0
    for i in range(n):
        what = legal[i] & 15
        if what in (PLAY, GROW):
            cards = cards_of(legal[i]) if kind == GREEDY else 1
            if cards > most:
                most = cards
                n_best = 0
            n_best += int(cards == most)
        n_handoffs += int(what == HANDOFF)
    if n_best:
        index = next_below(state, stream, n_best) if n_best > 1 else 0
        for i in range(n):
            what = legal[i] & 15
            if what in (PLAY, GROW) and (kind == RANDOM or cards_of(legal[i]) == most):
                if index == 0:
                    return int(legal[i])
                index -= 1
    # Without a pass left there is a play, as a joker's; so the last is what a player does who does nothing.
    if n_handoffs and next_below(state, stream, 2):
        index = next_below(state, stream, n_handoffs)
        for i in range(n):
            if legal[i] & 15 == HANDOFF:
                if index == 0:
                    return int(legal[i])
                index -= 1
    return int(legal[n - 1])
