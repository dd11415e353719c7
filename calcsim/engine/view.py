"""What a player may see (R10.1), as one vector of integers, and nothing else (R10.2).

The names below are where things lie in it. Counters of a hand are 16 numbers, one for each card 1..13 and
14 for jokers; those of a seat follow each other by seat.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from calcsim.engine import columns
from calcsim.engine import layout as at
from calcsim.engine._jit import State, kernel
from calcsim.engine.legality import usable_jokers, usable_naturals

V_PLAYERS: Final = 0  # players at the table
V_SEAT: Final = 1  # the seat that decides
V_PHASE: Final = 2  # 0 free, 1 after a pass's draw, 2 under a penalty
V_TURNS: Final = 3  # turns that are over
V_STOCK: Final = 4  # cards in the stock
V_N_PILES: Final = 5
V_SHAPE: Final = 6  # 0 line, 1 ring, 2 star
V_N_GAPS: Final = 7
V_OWED_STREAK: Final = 8  # cards owed for a streak and for a set, before halving (R6)
V_OWED_SET: Final = 9
V_OWED_NUMBER: Final = 10  # the streak's number and pile
V_OWED_PILE: Final = 11
V_RECYCLES: Final = 12
V_COURTS: Final = 13  # court cards this seat has pushed (R7.2)
V_IN_GAME: Final = 14  # a bit for each seat still in
V_HAND: Final = 16  # [card]: the private hand
V_USABLE: Final = V_HAND + 16  # [card]: what may be played of hand and front together (R3.5)
V_FRONT: Final = V_USABLE + 16  # [seat, card]: the cards in front of each seat
V_SIZE: Final = V_FRONT + 16 * at.SEATS  # [seat]: hand sizes (R3.4)
V_KO: Final = V_SIZE + at.SEATS  # [giver]: the card in front that may not go back there, 0 if none (R7.7)
V_STREAK: Final = V_KO + at.SEATS  # [number]: sum of the top runs (R6.1)
V_TOP: Final = V_STREAK + 16  # [pile]: number on top
V_RUN: Final = V_TOP + at.PILES  # [pile]: top run
V_HEIGHT: Final = V_RUN + at.PILES  # [pile]: cards
V_UNDER: Final = V_HEIGHT + at.PILES  # [pile]: number beneath a joker on top (R4.6), 0 if none
V_GAP: Final = V_UNDER + at.PILES  # [gap]: first pile + 256 * second pile
V_DONE: Final = V_GAP + at.PILES  # [seat, k]: what each seat has done so far, as `columns.SEAT`
V_RULES: Final = V_DONE + at.SEATS * columns.N_SEAT  # the packed rules, see `layout`
V_CARDS: Final = V_RULES + at.SIZE_RULES  # [pile, height]: all cards of the field, 56 to a pile
SIZE_VIEW: Final = V_CARDS + at.PILES * at.DEPTH

_HIDDEN = columns.SEAT.index("handoff_chances")
"""The one counter that tells of a hidden hand."""


@kernel
def _spread(packed: int, view: NDArray[np.int64], start: int) -> None:
    """Write a packed hand as counters."""
    for card in range(1, 15):
        view[start + card] = (packed >> (4 * (card - 1))) & 15


@kernel
def observe(state: State, view: NDArray[np.int64]) -> None:
    """Write what the seat to move may see.

    Rules: R10.1, R10.2.

    Parameters
    ----------
    state : int64[::1], see `layout`
        Read only.
    view : int64[::1], shape (SIZE_VIEW,)
        Modified in place. Of piles and gaps only the first `V_N_PILES` and `V_N_GAPS` mean anything, of a
        pile's cards the first `V_HEIGHT`.
    """
    seat = state[at.SEAT]
    players = state[at.PLAYERS]
    n_piles = state[at.N_PILES]
    view[V_PLAYERS] = players
    view[V_SEAT] = seat
    view[V_PHASE] = state[at.PHASE]
    view[V_TURNS] = state[at.TURNS]
    view[V_STOCK] = state[at.STOCK_END] - state[at.STOCK_NEXT]
    view[V_N_PILES] = n_piles
    view[V_SHAPE] = state[at.SHAPE]
    view[V_N_GAPS] = state[at.N_GAPS]
    view[V_OWED_STREAK] = state[at.OWED_STREAK]
    view[V_OWED_SET] = state[at.OWED_SET]
    view[V_OWED_NUMBER] = state[at.OWED_NUMBER] if state[at.OWED_STREAK] else 0
    view[V_OWED_PILE] = state[at.OWED_PILE] if state[at.OWED_STREAK] else 0
    view[V_RECYCLES] = state[at.N_RECYCLES]
    view[V_COURTS] = state[at.COURTS + seat]
    view[V_IN_GAME] = state[at.IN_GAME]
    _spread(state[at.HAND + seat], view, V_HAND)
    usable = usable_naturals(state, seat) | (usable_jokers(state, seat) << 52)
    _spread(usable, view, V_USABLE)
    for other in range(players):
        _spread(state[at.FRONT + other], view, V_FRONT + 16 * other)
        view[V_SIZE + other] = state[at.SIZE + other]
        view[V_KO + other] = 0
        if (state[at.BANNED + seat] >> other) & 1:
            view[V_KO + other] = state[at.KO + at.SEATS * seat + other]
        for k in range(columns.N_SEAT):
            view[V_DONE + columns.N_SEAT * other + k] = state[
                at.COUNTS + columns.N_GAME + columns.N_SEAT * other + k
            ]
        view[V_DONE + columns.N_SEAT * other + _HIDDEN] = 0
    for number in range(1, 14):
        view[V_STREAK + number] = state[at.STREAK + number]
    for pile in range(n_piles):
        view[V_TOP + pile] = state[at.TOP + pile]
        view[V_RUN + pile] = state[at.RUN + pile]
        view[V_HEIGHT + pile] = state[at.HEIGHT + pile]
        view[V_UNDER + pile] = state[at.UNDER + pile]
        for i in range(state[at.HEIGHT + pile]):
            view[V_CARDS + at.DEPTH * pile + i] = state[at.FIELD + at.DEPTH * pile + i]
    for gap in range(state[at.N_GAPS]):
        view[V_GAP + gap] = state[at.GAP + gap]
    for i in range(at.SIZE_RULES):
        view[V_RULES + i] = state[i]
