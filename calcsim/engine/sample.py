"""What a player may think the hidden cards are: dealt anew, from nothing but what that player knows (R10).

The cards that a player does not see are the deck less the own hand, all cards in front and all of the field.
They lie in the others' private hands, whose sizes all see, and in the stock. A card that is known to be
in a private hand, as it was turned into it from the front (R7.6), stays there.
"""

from __future__ import annotations

from typing import Final

from calcsim.engine import columns
from calcsim.engine import layout as at
from calcsim.engine._jit import State, door, kernel, memory
from calcsim.engine.features import count_cards, unseen_cards
from calcsim.engine.rng import next_below

G_GROWTH_TURN = columns.GAME.index("growth_turn")
S_PLACE = columns.SEAT.index("place")
S_SCORE = columns.SEAT.index("score")

SIZE_DEALT: Final = at.PARTS
"""A table that is dealt and copied from, but not played on, needs no working memory."""


@kernel
def copy_field(state: State, table: State) -> None:
    """Copy the piles and gaps to another table."""
    for pile in range(state[at.N_PILES]):
        table[at.TOP + pile] = state[at.TOP + pile]
        table[at.RUN + pile] = state[at.RUN + pile]
        table[at.HEIGHT + pile] = state[at.HEIGHT + pile]
        table[at.UNDER + pile] = state[at.UNDER + pile]
        start = at.FIELD + at.DEPTH * pile
        for i in range(start, start + state[at.HEIGHT + pile]):
            table[i] = state[i]
    for gap in range(state[at.N_GAPS]):
        table[at.GAP + gap] = state[at.GAP + gap]


@kernel
def copy_public(state: State, table: State) -> int:
    """Copy what the seat to move may see of a game to another table, and list what it does not see.

    Rules: R10.1, R10.2.

    Parameters
    ----------
    state : int64[::1], see `layout`
        Read only, and of it nothing that is hidden from the seat to move.
    table : int64[::1], see `layout`
        Modified in place. Others' private hands hold what is known of them, what the stock holds is left
        open, nothing is counted but places and scores, and from `layout.TAPE` on lie the cards that the seat
        does not see, by number.

    Returns
    -------
    n : int
        How many those are.
    """
    seat = state[at.SEAT]
    for i in range(at.HAND):
        table[i] = state[i]
    for i in range(at.FRONT, at.TOP):
        table[i] = state[i]
    for i in range(at.COUNTS, at.CARDS):
        table[i] = 0  # some of what is counted tells of hidden hands
    table[at.COUNTS + G_GROWTH_TURN] = state[at.COUNTS + G_GROWTH_TURN]
    unseen = unseen_cards(state, seat)
    for other in range(state[at.PLAYERS]):
        row = at.COUNTS + columns.N_GAME + columns.N_SEAT * other
        table[row + S_PLACE] = state[row + S_PLACE]
        table[row + S_SCORE] = state[row + S_SCORE]
        table[at.HAND + other] = state[at.KNOWN + other]
        if other != seat:
            unseen -= state[at.KNOWN + other]
    table[at.HAND + seat] = state[at.HAND + seat]
    copy_field(state, table)
    n = 0
    for card in range(1, at.JOKER + 1):
        for _ in range((unseen >> (4 * (card - 1))) & 15):
            table[at.TAPE + n] = card
            n += 1
    table[at.STOCK_END] = state[at.STOCK_END] - state[at.STOCK_NEXT]
    table[at.STOCK_NEXT] = 0
    table[at.TAPE_SIZE] = 0
    table[at.LOG_END] = 0
    table[at.GAME] = 0
    return n


@kernel
def _take(table: State, left: int, stream: int) -> int:
    """Return one of the first `left` unseen cards at random; it goes behind them."""
    i = at.TAPE + next_below(table, stream, left)
    card = table[i]
    table[i] = table[at.TAPE + left - 1]
    table[at.TAPE + left - 1] = card
    return card


@kernel
def deal_unseen(table: State, n: int, stream: int) -> None:
    """Deal the cards that a seat does not see to the others' private hands and the stock, all ways alike.

    Parameters
    ----------
    table : int64[::1], see `layout`
        As `copy_public` leaves it. Modified in place; it may be dealt again and again.
    n : int
        How many such cards.
    stream : int
        Where in `table` the stream lies that the deal is drawn from.
    """
    seat = table[at.SEAT]
    left = n
    for other in range(table[at.PLAYERS]):
        if other == seat or not (table[at.IN_GAME] >> other) & 1:
            continue
        hand = table[at.KNOWN + other]
        open_cards = count_cards(table[at.FRONT + other]) + count_cards(hand)
        for _ in range(table[at.SIZE + other] - open_cards):
            hand += 1 << (4 * (_take(table, left, stream) - 1))
            left -= 1
        table[at.HAND + other] = hand
    for k in range(table[at.STOCK_END]):
        table[at.STOCK + k] = _take(table, left, stream)
        left -= 1


@kernel
def copy_dealt(dealt: State, table: State) -> None:
    """Copy a table that `deal_unseen` has dealt to another one, which is then played on."""
    for i in range(at.TOP):
        table[i] = dealt[i]
    copy_field(dealt, table)
    for i in range(at.STOCK, at.STOCK + dealt[at.STOCK_END]):
        table[i] = dealt[i]
    for i in range(at.RNG, at.COUNTS + columns.N_GAME + columns.N_SEAT * dealt[at.PLAYERS]):
        table[i] = dealt[i]


@door
def sample(array: State, table_array: State, key: int) -> int:
    """Write one deal that the seat to move may think of, by a key; return how many cards it does not see."""
    table = memory(table_array)
    n = copy_public(memory(array), table)
    table[at.RNG] = key
    deal_unseen(table, n, at.RNG)
    return n
