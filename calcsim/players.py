"""What a player of your own reads: the legal actions, and what lies on the table.

Each function takes an action, or the view that a policy is given, and returns a whole number; it works in
compiled policies and in plain Python alike. ``calcsim policies features`` prints them all. What no function
tells is in the view itself, whose parts `calcsim.engine.view` names.

Cards are 1 to 13 (ace to king) and `JOKER`, 14. Seats count from 0.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from calcsim.engine import actions as act
from calcsim.engine import layout as at
from calcsim.engine import rng as random_numbers
from calcsim.engine import view as seen
from calcsim.engine._jit import lowest_bit, player_kernel
from calcsim.engine.actions import ACCEPT, GROW, HANDOFF, PASS, PLAY, STOP
from calcsim.engine.columns import N_SEAT, SEAT
from calcsim.engine.layout import (
    AFTER_DRAW,
    DIFFERENCE,
    FREE,
    JOKER,
    LINE,
    PENALTY,
    PRODUCT,
    QUOTIENT,
    RING,
    SAME,
    STAR,
    SUM,
    UNDER_JOKER,
)
from calcsim.engine.tables import BIT_NUMBER
from calcsim.policies.toolkit import TOOLS, Tool, helper
from calcsim.policies.toolkit import tool as _tool

View = NDArray[np.int64]

GROW_LINE: Final = 6
GROW_RING: Final = 7
GROW_STAR: Final = 8
"""Patterns of growths, by the shape of the field afterwards."""

__all__ = [
    "ACCEPT",
    "AFTER_DRAW",
    "DIFFERENCE",
    "FREE",
    "GROW",
    "GROW_LINE",
    "GROW_RING",
    "GROW_STAR",
    "HANDOFF",
    "JOKER",
    "LINE",
    "PASS",
    "PENALTY",
    "PLAY",
    "PRODUCT",
    "QUOTIENT",
    "RING",
    "SAME",
    "SEAT",
    "STAR",
    "STOP",
    "SUM",
    "TOOLS",
    "UNDER_JOKER",
    "Tool",
    "helper",
]


_ACTION: Final = "an action"
_AFTER: Final = "what an action would lead to"
_SELF: Final = "you"
_OTHERS: Final = "players"
_FIELD: Final = "the field"
_TURN: Final = "the turn"
_CHANCE: Final = "chance"


@_tool(_ACTION, "PASS 0, ACCEPT 1, STOP 2, PLAY 3, GROW 4, HANDOFF 5", "R3.2")
def kind(action: int) -> int:
    """What the action is: PASS draws a card, ACCEPT takes the penalty, STOP ends the turn after a draw."""
    return action & 15


@_tool(_ACTION, "0 to 25", "R4")
def cards(action: int) -> int:
    """Cards that a play or growth puts on the field; 0 for all else, hand-offs too."""
    return act.cards_of(action)


@_tool(_ACTION, "0 to 2", "R4.7")
def jokers(action: int) -> int:
    """Jokers among the cards of a play or growth."""
    return act.jokers_of(action)


@_tool(_ACTION, "0 to 13", "R4.9, R4.11")
def number(action: int) -> int:
    """Number that lies on top after a play or growth; 0 for all else."""
    if action & 15 == PLAY or action & 15 == GROW:
        return act.number_of(action)
    return 0


@_tool(_ACTION, "0 or 1", "R4.9")
def joker_on_top(action: int) -> int:
    """Whether that top card is a joker."""
    return int((action & 15 == PLAY or action & 15 == GROW) and action & act.JOKER_BIT != 0)


@_tool(
    _ACTION,
    "SAME 0, UNDER_JOKER 1, SUM 2, DIFFERENCE 3, PRODUCT 4, QUOTIENT 5, GROW_LINE 6, GROW_RING 7, "
    "GROW_STAR 8, or -1",
    "R4.10, R5.7",
)
def pattern(action: int) -> int:
    """How the cards of a play fit, or the shape of the field after a growth; -1 for all else."""
    if action & 15 == PLAY or action & 15 == GROW:
        return act.pattern_of(action)
    return -1


@_tool(_ACTION, "0 to 55, or -1", "R5.6")
def pile(action: int) -> int:
    """Pile that a play goes on; -1 for all else."""
    return act.place_of(action) if action & 15 == PLAY else -1


@_tool(_ACTION, "0 to 5, or -1", "R7.8")
def target(action: int) -> int:
    """Seat that a hand-off gives a card to; -1 for all else."""
    return act.place_of(action) if action & 15 == HANDOFF else -1


@_tool(_ACTION, "0 to 14", "R7.8")
def card(action: int) -> int:
    """Card that a hand-off gives away; 0 for all else."""
    return act.number_of(action) if action & 15 == HANDOFF else 0


@_tool(_ACTION, "0 or 1", "R7.8")
def from_front(action: int) -> int:
    """Whether a hand-off gives a card that lies in front of you."""
    return int(action & 15 == HANDOFF and act.pattern_of(action) == 1)


@_tool(_ACTION, "0 to 4", "R4.10")
def uses(action: int, card: int) -> int:
    """How many of a card (1 to 14) leave you by the action, on the field or handed off."""
    what = action & 15
    if what == HANDOFF:
        return int(act.number_of(action) == card)
    if what != PLAY and what != GROW:
        return 0
    if card == JOKER:
        return act.jokers_of(action)
    n = int(act.number_of(action) == card and action & act.JOKER_BIT == 0)
    if what == PLAY and 1 <= card < JOKER:
        bottom = (action >> act.BOTTOM_SHIFT) & 15
        n += int(bottom == card and action & act.BOTTOM_JOKER_BIT == 0)
        naturals = (action >> act.NATURALS_SHIFT) & act.NATURALS_MASK
        while naturals:
            n += int(BIT_NUMBER[lowest_bit(naturals)] == card)
            naturals &= naturals - 1
    return n


@_tool(_AFTER, "0 to 8", "R3.4")
def left(view: View, action: int, card: int) -> int:
    """How many of a card (1 to 14) you still have after the action, in the hand and in front of you."""
    mine = view[seen.V_HAND + card] + view[seen.V_FRONT + 16 * view[seen.V_SEAT] + card]
    return int(mine) - uses(action, card)


@_tool(_AFTER, "0 to 54", "R3.4, R9.1")
def left_size(view: View, action: int) -> int:
    """Your hand size after the action, before any draw: 0 is out."""
    size = view[seen.V_SIZE + view[seen.V_SEAT]] - act.cards_of(action)
    return int(size) - int(action & 15 == HANDOFF)


@_tool(_AFTER, "0 to 108", "R6.1, R6.2")
def streak_after(view: View, action: int) -> int:
    """How many stand in a row of the number then on top, with a play or growth; 0 for all else."""
    what = action & 15
    if what != PLAY and what != GROW:
        return 0
    top_number = act.number_of(action)
    others = int(view[seen.V_STREAK + top_number])
    if what == GROW:
        return 1 + (0 if view[seen.V_RULES + at.R_SAME_PILE] else others)
    place = act.place_of(action)
    old_top = int(view[seen.V_TOP + place])
    if old_top == top_number:
        others -= int(view[seen.V_RUN + place])
    run = _equal_to_top(action)
    if run == act.cards_of(action):
        # Nothing lies between: what is on the pile already may go on beneath.
        if act.pattern_of(action) == UNDER_JOKER:
            run += 1 + _run_beneath(view, place, top_number)
        elif old_top == top_number:
            run += int(view[seen.V_RUN + place])
    return run if view[seen.V_RULES + at.R_SAME_PILE] else others + run


@player_kernel
def _equal_to_top(action: int) -> int:
    """How many cards of a play have the number of its top card: they lie together on top (R4.9)."""
    top_number = act.number_of(action)
    n = 1
    n += int((action >> act.BOTTOM_SHIFT) & 15 == top_number)
    n += int((action >> act.JOKERS_SHIFT) & 15 == top_number)
    n += int((action >> (act.JOKERS_SHIFT + 4)) & 15 == top_number)
    naturals = (action >> act.NATURALS_SHIFT) & act.NATURALS_MASK
    while naturals:
        n += int(BIT_NUMBER[lowest_bit(naturals)] == top_number)
        naturals &= naturals - 1
    return n


@player_kernel
def _run_beneath(view: View, place: int, top_number: int) -> int:
    """How many cards of a number lie right beneath the top card of a pile."""
    n = 0
    i = int(view[seen.V_HEIGHT + place]) - 2
    while i >= 0 and view[seen.V_CARDS + at.DEPTH * place + i] & 15 == top_number:
        n += 1
        i -= 1
    return n


@_tool(_AFTER, "0 to 1500", "R6.2, R6.3, R6.6")
def penalty(view: View, action: int) -> int:
    """Cards that the next player would owe by the action, before any halving."""
    streak_length = streak_after(view, action)
    owes = 0
    if streak_length > 2:
        owes = int(view[seen.V_RULES + at.R_STREAK_PENALTY]) * (streak_length - 2)
    if action & 15 == PLAY:
        owes += int(view[seen.V_RULES + at.R_SET_PENALTY]) * max(0, act.cards_of(action) - 2)
    return owes


@_tool(_SELF, "0 to 5", "R2.4")
def seat(view: View) -> int:
    """Your seat."""
    return int(view[seen.V_SEAT])


@_tool(_SELF, "0 to 4", "R3.4")
def hand(view: View, card: int) -> int:
    """How many of a card (1 to 14) are in your private hand."""
    return int(view[seen.V_HAND + card])


@_tool(_SELF, "0 to 4", "R3.5, R7.3, R7.5")
def usable(view: View, card: int) -> int:
    """How many of a card (1 to 14) you may play, from the private hand and from the front together."""
    return int(view[seen.V_USABLE + card])


@_tool(_SELF, "0 to 12", "R7.2")
def courts_pushed(view: View) -> int:
    """Court cards that you have pushed in this game."""
    return int(view[seen.V_COURTS])


@_tool(_SELF, "0 to 14", "R7.7")
def ko(view: View, giver: int) -> int:
    """Card in front of you that may not go back to a seat now; 0 if none."""
    return int(view[seen.V_KO + giver])


@_tool(_OTHERS, "2 to 6", "R2.1")
def players(view: View) -> int:
    """Players at the table, those who are out too."""
    return int(view[seen.V_PLAYERS])


@_tool(_OTHERS, "0 or 1", "R9.1")
def in_game(view: View, seat: int) -> int:
    """Whether a seat is still in the game."""
    return int((view[seen.V_IN_GAME] >> seat) & 1)


@_tool(_OTHERS, "0 to 5", "R2.4, R6.4")
def next_seat(view: View) -> int:
    """Seat of the next player who is still in: the one whom a penalty of yours would fall on."""
    after = view[seen.V_SEAT]
    for _ in range(view[seen.V_PLAYERS]):
        after = (after + 1) % view[seen.V_PLAYERS]
        if (view[seen.V_IN_GAME] >> after) & 1:
            break
    return int(after)


@_tool(_OTHERS, "0 to 54", "R3.4")
def hand_size(view: View, seat: int) -> int:
    """Hand size of a seat, the cards in front of it included."""
    return int(view[seen.V_SIZE + seat])


@_tool(_OTHERS, "0 to 4", "R7")
def front(view: View, seat: int, card: int) -> int:
    """How many of a card (1 to 14) lie in front of a seat."""
    return int(view[seen.V_FRONT + 16 * seat + card])


@_tool(_OTHERS, "0 or more", "R10.1")
def done(view: View, seat: int, what: int) -> int:
    """What a seat has done so far; what is an index in SEAT, such as SEAT.index("passes")."""
    return int(view[seen.V_DONE + N_SEAT * seat + what])


@_tool(_OTHERS, "0 to 4", "R10.1")
def unseen(view: View, card: int) -> int:
    """How many of a card (1 to 14) you see nowhere: they are in others' private hands or in the stock."""
    n = 4 if card < JOKER else view[seen.V_RULES + at.R_JOKERS]
    n -= view[seen.V_HAND + card]
    for other in range(view[seen.V_PLAYERS]):
        n -= view[seen.V_FRONT + 16 * other + card]
    for place in range(view[seen.V_N_PILES]):
        for i in range(view[seen.V_HEIGHT + place]):
            lies = view[seen.V_CARDS + at.DEPTH * place + i]
            n -= int(lies == card or (card == JOKER and lies > at.JOKER_FLAG))
    return int(n)


@_tool(_FIELD, "1 to 56", "R2.2, R5.5")
def piles(view: View) -> int:
    """How many piles there are."""
    return int(view[seen.V_N_PILES])


@_tool(_FIELD, "1 to 13", "R1.2, R4.11")
def top(view: View, pile: int) -> int:
    """Number on top of a pile."""
    return int(view[seen.V_TOP + pile])


@_tool(_FIELD, "1 to 54", "R6.1")
def run(view: View, pile: int) -> int:
    """How many cards of that number lie on top of a pile without a break."""
    return int(view[seen.V_RUN + pile])


@_tool(_FIELD, "1 to 54", "R10.1")
def height(view: View, pile: int) -> int:
    """How many cards a pile has."""
    return int(view[seen.V_HEIGHT + pile])


@_tool(_FIELD, "1 to 13, a joker's 17 to 29", "R1.2")
def field_card(view: View, pile: int, position: int) -> int:
    """Card of a pile, position 0 the lowest; a joker is the number it stands for plus 16."""
    return int(view[seen.V_CARDS + at.DEPTH * pile + position])


@_tool(_FIELD, "0 to 13", "R4.6")
def under(view: View, pile: int) -> int:
    """Number beneath the joker on top of a pile, which may be played there; 0 if none."""
    return int(view[seen.V_UNDER + pile])


@_tool(_FIELD, "0 to 54", "R6.1")
def streak(view: View, number: int) -> int:
    """How many of a number stand in a row on all piles together."""
    return int(view[seen.V_STREAK + number])


@_tool(_FIELD, "LINE 0, RING 1, STAR 2", "R5.2 to R5.4")
def shape(view: View) -> int:
    """Shape of the field."""
    return int(view[seen.V_SHAPE])


@_tool(_FIELD, "0 to 56", "R5.2 to R5.4")
def gaps(view: View) -> int:
    """How many gaps there are between neighbouring piles."""
    return int(view[seen.V_N_GAPS])


@_tool(_FIELD, "0 to 55", "R5.2 to R5.4")
def gap_first(view: View, gap: int) -> int:
    """One of the two piles of a gap."""
    return int(view[seen.V_GAP + gap] & 255)


@_tool(_FIELD, "0 to 55", "R5.2 to R5.4")
def gap_second(view: View, gap: int) -> int:
    """The other of them."""
    return int(view[seen.V_GAP + gap] >> 8)


@_tool(_TURN, "FREE 0, AFTER_DRAW 1, PENALTY 2", "R3.1 to R3.3")
def phase(view: View) -> int:
    """Whether you are free, have just drawn by passing, or are under a penalty."""
    return int(view[seen.V_PHASE])


@_tool(_TURN, "0 to 1500", "R6.5, R6.8")
def owed(view: View) -> int:
    """Cards that you draw if you accept the penalty, halved where a star halves."""
    owes = int(view[seen.V_OWED_STREAK] + view[seen.V_OWED_SET])
    if view[seen.V_SHAPE] == STAR and view[seen.V_RULES + at.R_STAR_HALVING]:
        owes //= 2
    return owes


@_tool(_TURN, "0 to 13", "R6.6")
def owed_number(view: View) -> int:
    """Number of the streak that the penalty is for; 0 if there is none."""
    return int(view[seen.V_OWED_NUMBER])


@_tool(_TURN, "0 to 54", "R8")
def stock(view: View) -> int:
    """Cards in the stock."""
    return int(view[seen.V_STOCK])


@_tool(_TURN, "0 or more", "R8.1")
def recycles(view: View) -> int:
    """How often the stock was made anew."""
    return int(view[seen.V_RECYCLES])


@_tool(_TURN, "0 to 99999", "R9.3")
def turns(view: View) -> int:
    """Turns that are over."""
    return int(view[seen.V_TURNS])


@_tool(_TURN, "as the field's", "R9")
def rule(view: View, field: int) -> int:
    """Value of a field of the rules; field is one of calcsim.engine.layout, such as R_SET_PENALTY."""
    return int(view[seen.V_RULES + field])


@_tool(_CHANCE, "0 to n - 1", "R11")
def below(rng: NDArray[np.uint64], n: int) -> int:
    """A number below n (1 to 2**31), all alike likely; changes rng."""
    return random_numbers.below(rng, n)


@_tool(_CHANCE, "0 or 1", "R11")
def chance(rng: NDArray[np.uint64], share: float) -> int:
    """1 with a probability of share, else 0; changes rng."""
    return int(random_numbers.below(rng, 1 << 30) < share * (1 << 30))


__all__ += [entry.name for entry in TOOLS]
