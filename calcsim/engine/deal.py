"""Setting up a game (R2)."""

from __future__ import annotations

import numpy as np

from calcsim.engine import columns
from calcsim.engine import layout as at
from calcsim.engine._jit import State, kernel
from calcsim.engine.field import new_pile
from calcsim.engine.rng import (
    GAMMA,
    NOISE_STEP,
    PURPOSE_DEAL,
    PURPOSE_POLICY,
    PURPOSE_RESHUFFLE,
    mix,
    scale,
    stream_key,
)

G_FIRST_OUT = columns.GAME.index("first_out")

LANES = 8
"""The first cards of a hand come from places of their own in the shuffled deck, up to so many a seat."""

PILE_PLACE = LANES * at.SEATS
"""Where the start piles lie in the shuffled deck."""


@kernel
def shuffle(state: State, start: int, end: int, key: np.uint64) -> None:
    """Shuffle ``state[start:end]`` in place by the stream of a key."""
    for i in range(end - 1, start, -1):
        key += GAMMA
        j = start + scale(mix(key), i - start + 1)
        card = state[i]
        state[i] = state[j]
        state[j] = card


@kernel
def clear(state: State, players: int) -> None:
    """Reset the state to an empty table of `players` seats."""
    for i in range(at.PLAYERS, at.LOG_END):
        state[i] = 0
    for i in range(at.ON_FIELD, at.TOP):
        state[i] = 0
    for i in range(at.COUNTS, at.COUNTS + columns.N_GAME + players * columns.N_SEAT):
        state[i] = 0
    state[at.COUNTS + G_FIRST_OUT] = -1
    state[at.PLAYERS] = players
    state[at.ALIVE] = players
    state[at.IN_GAME] = (1 << players) - 1
    state[at.END] = -1


@kernel
def lay_line(state: State, n_piles: int) -> None:
    """Make the first piles a line (R5.2)."""
    state[at.SHAPE] = at.LINE
    state[at.N_GAPS] = n_piles - 1
    state[at.FIRST_END] = 0
    state[at.LAST_END] = n_piles - 1
    for gap in range(n_piles - 1):
        state[at.GAP + gap] = gap | ((gap + 1) << 8)


@kernel
def deal(state: State, players: int, seed: int, game: int) -> None:
    """Deal game number `game` of a seed (R2.1 to R2.4).

    The whole deck of 54 is shuffled, whatever the rules. Card `k` of a hand lies at place ``6 k + seat``,
    the start piles at place 48 and on, and the rest in order is the stock. So the hands stay what they are
    when players, piles or cards of a hand are added: these come out of the stock. A joker that the rules
    leave out is taken away where it lies, and what lay there is replaced by the stock's next card.

    Parameters
    ----------
    state : int64[::1], see `layout`
        The rules are read; all else is set.
    players : int
        2 to 6.
    seed, game : int
        The key of the deal.
    """
    clear(state, players)
    state[at.SEED] = seed
    state[at.GAME] = game
    for seat in range(players):
        purpose = PURPOSE_POLICY + seat + state[at.R_NOISE] * NOISE_STEP
        state[at.RNG + seat] = int(np.int64(stream_key(seed, game, purpose)))
    for i in range(52):
        state[at.STOCK + i] = (i >> 2) + 1
    # The jokers are told apart until here, so that leaving one out leaves out the same one in every game.
    state[at.STOCK + 52] = at.JOKER
    state[at.STOCK + 53] = at.JOKER + 1
    shuffle(state, at.STOCK, at.STOCK + at.DECK, stream_key(seed, game, PURPOSE_DEAL))
    last_joker = at.JOKER + state[at.R_JOKERS] - 1

    hand_size = state[at.R_HAND_SIZE]
    n_piles = state[at.R_START_PILES]
    for seat in range(players):
        state[at.SIZE + seat] = hand_size
    missing = 0  # a digit for each seat that lacks a card left out by the rules
    for seat in range(players):
        hand = 0
        for k in range(min(hand_size, LANES)):
            card = state[at.STOCK + at.SEATS * k + seat]
            state[at.STOCK + at.SEATS * k + seat] = 0
            if card > last_joker:
                missing += 1 << (4 * seat)
            else:
                hand += 1 << (4 * (min(card, at.JOKER) - 1))
        state[at.HAND + seat] = hand
    piles = 0
    for pile in range(n_piles):
        card = state[at.STOCK + PILE_PLACE + pile]
        if card < at.JOKER:
            state[at.STOCK + PILE_PLACE + pile] = 0
        else:
            card = 0  # R2.3: a joker goes back
        piles |= card << (4 * pile)

    # What is left, in order, is the stock; then it fills what is missing.
    end = 0
    for i in range(at.DECK):
        card = state[at.STOCK + i]
        if card and card <= last_joker:
            state[at.STOCK + end] = min(card, at.JOKER)
            end += 1
    start = 0
    for seat in range(players):
        for _ in range((missing >> (4 * seat)) & 15):
            state[at.HAND + seat] += 1 << (4 * (state[at.STOCK + start] - 1))
            start += 1
    for _ in range(LANES, hand_size):
        for seat in range(players):
            state[at.HAND + seat] += 1 << (4 * (state[at.STOCK + start] - 1))
            start += 1
    reshuffle = False
    for pile in range(n_piles):
        card = (piles >> (4 * pile)) & 15
        if card == 0:  # R2.3: the next natural card is turned up instead
            i = start
            while state[at.STOCK + i] == at.JOKER:
                i += 1
            card = state[at.STOCK + i]
            for j in range(i, start, -1):
                state[at.STOCK + j] = state[at.STOCK + j - 1]
            start += 1
            reshuffle = True
        new_pile(state, card)
    if reshuffle:
        shuffle(state, at.STOCK + start, at.STOCK + end, stream_key(seed, game, PURPOSE_RESHUFFLE))
    state[at.STOCK_NEXT] = start
    state[at.STOCK_END] = end
    lay_line(state, n_piles)
