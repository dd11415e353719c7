"""One game played by hand on the compiled engine: any cards, any legal actions, any recycles."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calcsim.cards import card_name, field_card_name, parse_card, parse_field_card
from calcsim.engine import actions, columns
from calcsim.engine import layout as at
from calcsim.engine.params import pack_rules
from calcsim.engine.table import apply_action, clear, lay_line, list_legal, place_pile
from calcsim.engine.transitions import TAPE_WRONG
from calcsim.errors import CalcsimError, UsageError
from calcsim.notation.actions import SHAPES, action_dict, decode, end_event, unpack
from calcsim.notation.position import Position, parse_position
from calcsim.rules import RuleSet, rules_from_fields

_LOG_SIZE = 1024


def _empty_state(rules: RuleSet, seats: int) -> NDArray[np.int64]:
    state = np.zeros(at.SIZE_STATE + _LOG_SIZE, dtype=np.int64)
    state[: at.SIZE_RULES] = pack_rules(rules)
    clear(state, seats)
    return state


def _pack(cards: Iterable[int]) -> int:
    return sum(1 << (4 * (card - 1)) for card in cards)


def _lay_gaps(state: NDArray[np.int64], pairs: list[tuple[int, int]]) -> None:
    state[at.N_GAPS] = len(pairs)
    for gap, (first, second) in enumerate(pairs):
        state[at.GAP + gap] = first | second << 8


def position_state(position: Position) -> NDArray[np.int64]:
    """Return the engine's state of a position; what the player cannot see of it is left empty.

    Parameters
    ----------
    position
        Checked before (`calcsim.notation.position.parse_position`).
    """
    taken = {seat for seat, _ in position.others}
    seat = min(set(range(at.SEATS)) - taken)
    state = _empty_state(position.rules, max(taken | {seat}) + 1)
    state[at.SEAT] = seat
    state[at.ALIVE] = len(taken) + 1
    state[at.IN_GAME] = sum(1 << other for other in taken | {seat})
    for other, size in position.others:
        state[at.SIZE + other] = size
    state[at.HAND + seat] = _pack(position.hand)
    state[at.FRONT + seat] = _pack(position.front)
    state[at.SIZE + seat] = len(position.hand) + len(position.front)
    state[at.COURTS + seat] = position.courts_pushed
    if position.rules.ko:
        for giver, card in position.ko:
            state[at.BANNED + seat] |= 1 << giver
            state[at.KO + at.SEATS * seat + giver] = card
    for cards in position.piles:
        place_pile(state, np.array(cards, dtype=np.int64))
    state[at.SHAPE] = SHAPES.index(position.shape)
    order = list(position.order)
    if position.shape == "star":
        chains = [(position.center or 0, *arm) for arm in position.arms]
        _lay_gaps(state, [pair for chain in chains for pair in itertools.pairwise(chain)])
    else:
        closing = order[:1] if position.shape == "ring" else []
        _lay_gaps(state, list(zip(order, order[1:] + closing, strict=False)))
        state[at.FIRST_END] = order[0]
        state[at.LAST_END] = order[-1]
    if position.streak_cards or position.set_cards:
        state[at.PHASE] = at.PENALTY
        state[at.OWED_STREAK] = position.streak_cards
        state[at.OWED_SET] = position.set_cards
        state[at.OWED_NUMBER] = position.penalty_number or 0
        state[at.OWED_PILE] = position.penalty_pile or 0
    elif position.after_draw:
        state[at.PHASE] = at.AFTER_DRAW
    return state


def _legal(state: NDArray[np.int64]) -> list[int]:
    """Return every legal action of the seat to move."""
    legal = np.empty(1024, dtype=np.int64)
    n = list_legal(state, legal)
    if n > legal.size:
        legal = np.empty(n, dtype=np.int64)
        n = list_legal(state, legal)
    found: list[int] = legal[:n].tolist()
    return found


def legal_actions(position: Position | Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return every legal action of a position, as traces write them.

    Parameters
    ----------
    position
        A checked position, or an object as positions are written.

    Raises
    ------
    UsageError
        If the object is no position, or an impossible one.
    """
    if not isinstance(position, Position):
        position = parse_position(position)
    state = position_state(position)
    return [action_dict(state, action) for action in _legal(state)]


class Table:
    """One game in progress.

    Parameters
    ----------
    rules
        The rule set, or an object of all its fields.
    players
        2 to 6.
    hands, piles, stock
        Cards as in the `deal` line of a trace.
    recycles
        The new stocks of the recycles to come, in order, next card first; one is asked
        for whenever the next action may recycle, and kept until it does. After them recycles are shuffled.
    shuffle_seed
        Of those shuffles.

    Raises
    ------
    UsageError
        If the rules or the cards make no game.
    """

    def __init__(
        self,
        rules: RuleSet | Mapping[str, Any],
        players: int,
        hands: list[list[str]],
        piles: list[list[str]],
        stock: list[str],
        recycles: Iterable[list[str]] = (),
        shuffle_seed: int = 0,
    ) -> None:
        self.rules = rules if isinstance(rules, RuleSet) else rules_from_fields(rules)
        self.players = players
        self._recycles: Iterator[list[str]] = iter(recycles)
        self._state = state = _empty_state(self.rules, players)
        state[at.SEED] = shuffle_seed
        for seat, hand in enumerate(hands):
            state[at.HAND + seat] = _pack(map(parse_card, hand))
            state[at.SIZE + seat] = len(hand)
        for pile in piles:
            place_pile(state, np.array([parse_field_card(card) for card in pile], dtype=np.int64))
        lay_line(state, len(piles))
        state[at.STOCK_END] = len(stock)
        state[at.STOCK : at.STOCK + len(stock)] = [parse_card(card) for card in stock]

    @property
    def state(self) -> NDArray[np.int64]:
        """The engine's state (`calcsim.engine.layout`), the game's own."""
        return self._state

    @property
    def seat(self) -> int:
        """The player to act."""
        return int(self._state[at.SEAT])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._state[at.PHASE] == at.OVER)

    def legal(self) -> list[dict[str, Any]]:
        """Return the legal actions of the player to act; none when the game is over."""
        return [action_dict(self._state, action) for action in self._actions()]

    def _actions(self) -> list[int]:
        return [] if self.over else _legal(self._state)

    def act(self, action: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Do an action of the player to act and return the events it caused, up to `end` if the game is over.

        Raises
        ------
        UsageError
            If it is not legal.
        CalcsimError
            If the next recycle given holds other cards than the rules put back.
        """
        state = self._state
        chosen = next((a for a in self._actions() if action_dict(state, a) == dict(action)), None)
        if chosen is None:
            raise UsageError(f"action {dict(action)!r}: not legal for seat {self.seat}")
        if state[at.TAPE_SIZE] == 0 and self._may_recycle(chosen):
            # One recycle at most happens in an action; what is not used stays for the next.
            tape = [parse_card(card) for card in next(self._recycles, [])]
            state[at.TAPE_SIZE] = len(tape)
            state[at.TAPE : at.TAPE + len(tape)] = tape
        state[at.LOG_END] = at.LOG
        if apply_action(state, chosen) == TAPE_WRONG:
            raise CalcsimError("recycle: the stock given holds other cards than those the rules put back")
        events = list(decode(state[at.LOG : state[at.LOG_END]]))
        if self.over:
            counts = state[at.COUNTS : at.COUNTS + columns.n_columns(self.players)]
            events.append(end_event(counts, self.players))
        return events

    def _may_recycle(self, action: int) -> bool:
        """Return whether an action draws as many cards as the stock has, or more."""
        state = self._state
        kind = action & 15
        due = 1 if kind == actions.PASS else 0
        if kind == actions.ACCEPT:
            due = int(state[at.OWED_STREAK] + state[at.OWED_SET])
        return bool(0 < due >= state[at.STOCK_END] - state[at.STOCK_NEXT])

    def position(self) -> dict[str, Any]:
        """Return what the player to act faces, as positions are written."""
        state = self._state
        seat = self.seat
        piles = []
        for pile in range(state[at.N_PILES]):
            start = at.FIELD + at.DEPTH * pile
            cards = state[start : start + state[at.HEIGHT + pile]]
            piles.append([field_card_name(int(card)) for card in cards])
        phase = state[at.PHASE]
        owed = phase == at.PENALTY
        streak = int(state[at.OWED_STREAK]) if owed else 0
        return {
            "rules": self.rules.as_dict(),
            "field": {**self._shape(), "piles": piles},
            "hand": unpack(int(state[at.HAND + seat])),
            "front": unpack(int(state[at.FRONT + seat])),
            "others": [
                {"seat": other, "size": int(state[at.SIZE + other])}
                for other in range(self.players)
                if other != seat and (state[at.IN_GAME] >> other) & 1
            ],
            "ko": [
                [giver, card_name(int(state[at.KO + at.SEATS * seat + giver]))]
                for giver in range(self.players)
                if (state[at.BANNED + seat] >> giver) & 1
            ],
            "courts_pushed": int(state[at.COURTS + seat]),
            "penalty": {
                "streak_cards": streak,
                "set_cards": int(state[at.OWED_SET]) if owed else 0,
                "number": card_name(int(state[at.OWED_NUMBER])) if streak else None,
                "pile": int(state[at.OWED_PILE]) if streak else None,
            },
            "after_draw": bool(phase == at.AFTER_DRAW),
        }

    def _shape(self) -> dict[str, Any]:
        state = self._state
        pairs = [divmod(int(pair), 256)[::-1] for pair in state[at.GAP : at.GAP + state[at.N_GAPS]]]
        shape = SHAPES[state[at.SHAPE]]
        if shape == "star":
            center = pairs[0][0]
            arms: list[list[int]] = []
            for inner, outer in pairs:
                if inner == center:
                    arms.append([])
                arms[-1].append(outer)
            return {"shape": shape, "center": center, "arms": arms}
        order = [first for first, _ in pairs]
        if shape == "line":
            order.append(int(state[at.LAST_END]))
        return {"shape": shape, "order": order}
