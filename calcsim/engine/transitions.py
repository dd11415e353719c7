"""What an action does: plays, growths, hand-offs, draws, recycles, and the end of a turn and of the game."""

from __future__ import annotations

from calcsim.engine import columns, events
from calcsim.engine import layout as at
from calcsim.engine._jit import State, kernel
from calcsim.engine.actions import (
    ACCEPT,
    CLOSING,
    GROW,
    HANDOFF,
    PASS,
    PLAY,
    STOP,
    kind_of,
    number_of,
    pattern_of,
    place_of,
    spell,
)
from calcsim.engine.deal import G_FIRST_OUT, shuffle
from calcsim.engine.field import (
    close_ring,
    insert_gap,
    lay,
    lift,
    make_star,
    new_pile,
    renumber_joker,
    settle,
    take_covered,
)
from calcsim.engine.rng import PURPOSE_RECYCLE, stream_key

N_GAME = columns.N_GAME
N_SEAT = columns.N_SEAT
G_END = columns.GAME.index("end")
G_TURNS = columns.GAME.index("turns")
G_GROWTH_TURN = columns.GAME.index("growth_turn")
G_RING_TURN = columns.GAME.index("ring_turn")
G_STAR_TURN = columns.GAME.index("star_turn")
G_RECYCLE_TURN = columns.GAME.index("recycle_turn")
G_HANDOFF_TURN = columns.GAME.index("handoff_turn")
G_PILES = columns.GAME.index("piles")
G_RECYCLES = columns.GAME.index("recycles")
G_STREAK_PENALTIES = columns.GAME.index("streak_penalties")
G_SET_PENALTIES = columns.GAME.index("set_penalties")
G_MAX_STREAK = columns.GAME.index("max_streak_penalty")
G_MAX_SET = columns.GAME.index("max_set_penalty")
G_BONUS = columns.GAME.index("bonus_single")
S_PASSES = columns.SEAT.index("passes")
S_STOPS = columns.SEAT.index("stops")
S_DRAWN_PASS = columns.SEAT.index("drawn_pass")
S_DRAWN_PENALTY = columns.SEAT.index("drawn_penalty")
S_PENALTIES = columns.SEAT.index("penalties")
S_STREAK_SUFFERED = columns.SEAT.index("streak_suffered")
S_SET_SUFFERED = columns.SEAT.index("set_suffered")
S_AVOIDED = columns.SEAT.index("avoided")
S_HANDOFFS = columns.SEAT.index("handoffs")
S_RECEIVED = columns.SEAT.index("received")
S_JOKERS = columns.SEAT.index("jokers_played")
S_CARDS = columns.SEAT.index("cards_played")
S_FINISH = columns.SEAT.index("finish")
S_FINISH_SIZE = columns.SEAT.index("finish_size")
S_OUT_TURN = columns.SEAT.index("out_turn")
S_PLACE = columns.SEAT.index("place")
S_SCORE = columns.SEAT.index("score")
S_LEFT = columns.SEAT.index("left")


OK = 0
TAPE_WRONG = -1
"""A replayed recycle has other cards than the rules put back."""


@kernel
def _mark_turn(state: State, row: int, turn: int) -> None:
    """Keep the turn of the first such event."""
    if state[at.COUNTS + row] == 0:
        state[at.COUNTS + row] = turn


@kernel
def recycle(state: State) -> int:
    """Put all cards below the top runs back into the stock (R8.1); return OK or TAPE_WRONG.

    With a tape (of a replayed game) the order comes from there. One is enough for an action: while cards
    are drawn the piles stay, so a second recycle yields none.
    """
    n = take_covered(state)
    if n == 0:
        return OK
    n_recycles = state[at.N_RECYCLES]
    state[at.N_RECYCLES] = n_recycles + 1
    state[at.COUNTS + G_RECYCLES] += 1
    _mark_turn(state, G_RECYCLE_TURN, state[at.TURNS] + 1)
    state[at.STOCK_NEXT] = 0
    state[at.STOCK_END] = n
    if state[at.TAPE_SIZE]:
        if state[at.TAPE_SIZE] != n:
            return TAPE_WRONG
        packed = 0
        for i in range(n):
            packed += 1 << (4 * (state[at.STOCK + i] - 1))
            packed -= 1 << (4 * (state[at.TAPE + i] - 1))
            state[at.STOCK + i] = state[at.TAPE + i]
        if packed:
            return TAPE_WRONG
        state[at.TAPE_SIZE] = 0
    else:
        key = stream_key(state[at.SEED], state[at.GAME], PURPOSE_RECYCLE + n_recycles)
        shuffle(state, at.STOCK, at.STOCK + n, key)
    events.put_event(state, events.RECYCLED, 0, 0, 0, 0, 0)
    events.put_cards(state, at.STOCK, at.STOCK + n)
    return OK


@kernel
def draw(state: State, due: int, reason: int) -> int:
    """Draw up to `due` cards for the seat to move (R8.1 to R8.3); return how many, or TAPE_WRONG.

    Under the end "stock-out" the game ends with the stock (R8.2).
    """
    seat = state[at.SEAT]
    stock_out = state[at.R_END] == at.STOCK_OUT
    n = 0
    status = OK
    while n < due:
        if state[at.STOCK_NEXT] == state[at.STOCK_END]:
            if stock_out:
                break
            status = min(status, recycle(state))
            if state[at.STOCK_NEXT] == state[at.STOCK_END]:
                break
        card = state[at.STOCK + state[at.STOCK_NEXT]]
        state[at.STOCK_NEXT] += 1
        state[at.HAND + seat] += 1 << (4 * (card - 1))
        state[at.CARDS + n] = card
        n += 1
    state[at.SIZE + seat] += n
    events.put_event(state, events.DREW, seat, reason, 0, 0, 2)
    events.put_cards(state, at.CARDS, at.CARDS + n)
    if due > 0 and state[at.STOCK_NEXT] == state[at.STOCK_END]:
        if stock_out:
            state[at.END] = at.STOCK_OUT
        elif n == due:  # at once when a draw takes the last card
            status = min(status, recycle(state))
    return status if status < 0 else n


@kernel
def _leave_hand(state: State, seat: int, card: int) -> None:
    """Take a card 1..14 from the private hand; if one like it is known to be there, it may be that one."""
    one = 1 << (4 * (card - 1))
    state[at.HAND + seat] -= one
    if state[at.KNOWN + seat] & (15 * one):
        state[at.KNOWN + seat] -= one


@kernel
def _spend(state: State, seat: int, card: int) -> None:
    """Take a played card from the front, or else from the private hand (R3.5)."""
    number = card
    in_front = True
    if card > at.JOKER_FLAG:
        number = at.JOKER
        in_front = state[at.R_HANDOFF] == at.PUSH  # R7.5: not a joker in front under shield
    bit = 4 * (number - 1)
    if in_front and (state[at.FRONT + seat] >> bit) & 15:
        state[at.FRONT + seat] -= 1 << bit
    else:
        _leave_hand(state, seat, number)


@kernel
def _turn_front(state: State, seat: int) -> None:
    """Under shield make the cards in front the private hand once that is empty (R7.6)."""
    if state[at.HAND + seat] == 0 and state[at.FRONT + seat] and state[at.R_HANDOFF] == at.SHIELD:
        state[at.HAND + seat] = state[at.FRONT + seat]
        state[at.FRONT + seat] = 0
        state[at.KNOWN + seat] = state[at.HAND + seat]
        events.put_event(state, events.TURNED, seat, state[at.HAND + seat], 0, 0, 2)


@kernel
def _go_out(state: State, seat: int, finish: int, n_cards: int) -> None:
    """Take a player with no cards out of the game (R9.1, R9.2), with bonuses for the first (R9.6)."""
    row = N_GAME + N_SEAT * seat
    place = state[at.N_OUT] + 1
    state[at.N_OUT] = place
    state[at.ALIVE] -= 1
    state[at.IN_GAME] &= ~(1 << seat)
    state[at.COUNTS + row + S_FINISH] = finish + 1
    state[at.COUNTS + row + S_FINISH_SIZE] = n_cards
    state[at.COUNTS + row + S_OUT_TURN] = state[at.TURNS] + 1
    state[at.COUNTS + row + S_PLACE] = place
    bonuses = 0
    if place == 1:
        state[at.COUNTS + G_FIRST_OUT] = seat
        if state[at.R_BONUSES]:
            bonuses = int(n_cards == 1)
            bonuses |= int(state[at.SHAPE] == at.STAR) << 1
            bonuses |= int(state[at.COUNTS + G_GROWTH_TURN] == 0) << 2
            bonuses |= int(state[at.SHIELDED + seat] == 0) << 3
            bonuses |= int(state[at.N_RECYCLES] == 0) << 4
            for i in range(5):
                if (bonuses >> i) & 1:
                    state[at.COUNTS + G_BONUS + i] = 1
                    state[at.COUNTS + row + S_SCORE] += columns.BONUS_POINTS[i]
    events.put_event(state, events.WENT_OUT, seat, place, bonuses, 0, 3)
    if state[at.R_END] == at.FIRST_OUT:
        state[at.END] = at.FIRST_OUT
    elif state[at.ALIVE] == 1:
        state[at.END] = at.LAST_STANDING


@kernel
def _finish_game(state: State) -> None:
    """Give out the remaining places and the scores (R9.4, R9.5)."""
    players = state[at.PLAYERS]
    state[at.COUNTS + G_END] = state[at.END]
    state[at.COUNTS + G_TURNS] = state[at.TURNS]
    state[at.COUNTS + G_PILES] = state[at.N_PILES]
    for seat in range(players):
        row = N_GAME + N_SEAT * seat
        size = state[at.SIZE + seat]
        state[at.COUNTS + row + S_LEFT] = size
        if state[at.COUNTS + row + S_PLACE] == 0:
            place = state[at.N_OUT] + 1
            for other in range(players):
                if (state[at.IN_GAME] >> other) & 1 and state[at.SIZE + other] < size:
                    place += 1
            state[at.COUNTS + row + S_PLACE] = place
        place = state[at.COUNTS + row + S_PLACE]
        scoring = state[at.R_SCORING]
        if scoring == at.WIN:
            state[at.COUNTS + row + S_SCORE] = int(place == 1)
        elif scoring == at.RANK_POINTS:
            state[at.COUNTS + row + S_SCORE] = place + size
        else:
            state[at.COUNTS + row + S_SCORE] += state[at.R_PLACE_POINTS + place - 1]


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
def _end_turn(state: State, streak_cards: int, set_cards: int, number: int, pile: int) -> None:
    """End the turn: the game may be over (R9.2, R9.3), else the next player is up, free or not (R6.4)."""
    seat = state[at.SEAT]
    state[at.TURNS] += 1
    state[at.BANNED + seat] = 0  # R7.7: the ban ends with the turn
    if state[at.END] < 0:
        if state[at.STALL] >= state[at.ALIVE]:
            state[at.END] = at.STALLED
        elif state[at.TURNS] >= state[at.R_TURN_LIMIT]:
            state[at.END] = at.TURN_LIMIT
    if state[at.END] >= 0:
        state[at.PHASE] = at.OVER
        _finish_game(state)
        return
    state[at.SEAT] = next_seat(state, seat)
    state[at.OWED_STREAK] = streak_cards
    state[at.OWED_SET] = set_cards
    if streak_cards + set_cards == 0:
        state[at.PHASE] = at.FREE
        return
    state[at.PHASE] = at.PENALTY
    state[at.OWED_NUMBER] = number
    state[at.OWED_PILE] = pile
    if streak_cards:
        state[at.COUNTS + G_STREAK_PENALTIES] += 1
        state[at.COUNTS + G_MAX_STREAK] = max(state[at.COUNTS + G_MAX_STREAK], streak_cards)
    if set_cards:
        state[at.COUNTS + G_SET_PENALTIES] += 1
        state[at.COUNTS + G_MAX_SET] = max(state[at.COUNTS + G_MAX_SET], set_cards)


@kernel
def _put_down(state: State, action: int) -> None:
    """Make a play (R4), avoiding ones (R6.6) included, or a growth (R5)."""
    seat = state[at.SEAT]
    row = N_GAME + N_SEAT * seat
    pattern = pattern_of(action)
    n = spell(state, action)
    is_play = kind_of(action) == PLAY
    if is_play:
        if state[at.PHASE] == at.PENALTY:
            state[at.COUNTS + row + S_AVOIDED] += 1
        pile = place_of(action)
        lift(state, pile)
        if pattern == at.UNDER_JOKER:
            renumber_joker(state, pile)
        for i in range(n):
            lay(state, pile, state[at.CARDS + i])
        settle(state, pile)
    else:
        pile = new_pile(state, state[at.CARDS + 0])
        gap = place_of(action)
        turn = state[at.TURNS] + 1
        _mark_turn(state, G_GROWTH_TURN, turn)
        if gap != CLOSING:
            insert_gap(state, gap, pile)
        elif pattern == at.GROW_LINE + at.RING:
            close_ring(state, pile)
            _mark_turn(state, G_RING_TURN, turn)
        else:
            make_star(state, pile)
            _mark_turn(state, G_STAR_TURN, turn)
    state[at.COUNTS + row + pattern] += 1
    state[at.COUNTS + row + S_CARDS] += n
    for i in range(n):
        _spend(state, seat, state[at.CARDS + i])
        if state[at.CARDS + i] > at.JOKER_FLAG:
            state[at.COUNTS + row + S_JOKERS] += 1
    state[at.SIZE + seat] -= n
    state[at.STALL] = 0

    number = state[at.TOP + pile]
    streak = state[at.RUN + pile] if state[at.R_SAME_PILE] else state[at.STREAK + number]
    if is_play:
        events.put_event(state, events.PLAYED, seat, pile, pattern, streak, 4)
        events.put_cards(state, at.CARDS, at.CARDS + n)
    else:
        events.put_event(state, events.GREW, seat, pile, action, streak, 4)
    streak_cards = state[at.R_STREAK_PENALTY] * (streak - 2) if streak >= 3 else 0  # R6.2
    set_cards = state[at.R_SET_PENALTY] * (n - 2) if n >= 3 else 0  # R6.3
    _turn_front(state, seat)
    if state[at.SIZE + seat] == 0:
        _go_out(state, seat, pattern, n)
    _end_turn(state, streak_cards, set_cards, number, pile)


@kernel
def _hand_off(state: State, action: int) -> None:
    """Put one card in front of another player (R7)."""
    seat = state[at.SEAT]
    target = place_of(action)
    card = number_of(action)
    one = 1 << (4 * (card - 1))
    source = pattern_of(action)
    if source == 0:
        _leave_hand(state, seat, card)
    else:
        state[at.FRONT + seat] -= one
    state[at.SIZE + seat] -= 1
    state[at.FRONT + target] += one
    state[at.SIZE + target] += 1
    state[at.COUNTS + N_GAME + N_SEAT * seat + S_HANDOFFS] += 1
    state[at.COUNTS + N_GAME + N_SEAT * target + S_RECEIVED] += 1
    _mark_turn(state, G_HANDOFF_TURN, state[at.TURNS] + 1)
    if state[at.R_HANDOFF] == at.PUSH:
        if 11 <= card <= 13:
            state[at.COURTS + seat] += 1
    else:
        state[at.SHIELDED + seat] = 1
        if state[at.R_KO]:
            state[at.BANNED + target] |= 1 << seat
            state[at.KO + at.SEATS * target + seat] = card
    events.put_event(state, events.HANDED, seat, target, card, source, 4)
    _turn_front(state, seat)
    state[at.STALL] = 0
    _end_turn(state, 0, 0, 0, 0)


@kernel
def apply_action(state: State, action: int) -> int:
    """Do a legal action of the seat to move.

    Rules: R3.2, R3.3, R6.5 to R6.8, R8, R9.

    Parameters
    ----------
    state : int64[::1], see `layout`
        Modified in place.
    action : int
        See `actions`. Legality is not checked.

    Returns
    -------
    status : int
        OK, or TAPE_WRONG.
    """
    seat = state[at.SEAT]
    row = N_GAME + N_SEAT * seat
    kind = kind_of(action)
    if kind in (PLAY, GROW):
        _put_down(state, action)
    elif kind == PASS:
        state[at.COUNTS + row + S_PASSES] += 1
        events.put_event(state, events.PASSED, seat, 0, 0, 0, 1)
        n = draw(state, 1, 0)
        if n < 0:
            return n
        state[at.COUNTS + row + S_DRAWN_PASS] += n
        state[at.DREW] = n
        state[at.PHASE] = at.AFTER_DRAW
        if state[at.END] >= 0:  # R8.2
            _end_turn(state, 0, 0, 0, 0)
    elif kind == STOP:
        state[at.COUNTS + row + S_STOPS] += 1
        events.put_event(state, events.STOPPED, seat, 0, 0, 0, 1)
        state[at.STALL] = state[at.STALL] + 1 if state[at.DREW] == 0 else 0
        _end_turn(state, 0, 0, 0, 0)
    elif kind == HANDOFF:
        _hand_off(state, action)
    elif kind == ACCEPT:
        due = state[at.OWED_STREAK] + state[at.OWED_SET]
        halved = state[at.R_STAR_HALVING] and state[at.SHAPE] == at.STAR  # R6.8
        if halved:
            due //= 2
        state[at.COUNTS + row + S_PENALTIES] += 1
        state[at.COUNTS + row + S_STREAK_SUFFERED] += state[at.OWED_STREAK] > 0
        state[at.COUNTS + row + S_SET_SUFFERED] += state[at.OWED_SET] > 0
        events.put_event(
            state, events.PENALIZED, seat, state[at.OWED_STREAK], state[at.OWED_SET], int(halved), 4
        )
        if state[at.LOG_END]:
            events.put(state, due)
        n = draw(state, due, 1)
        if n < 0:
            return n
        state[at.COUNTS + row + S_DRAWN_PENALTY] += n
        state[at.STALL] = 0
        _end_turn(state, 0, 0, 0, 0)
    return OK
