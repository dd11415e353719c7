"""What a player may do: all legal actions of a position (R3.2, R3.3, 4-7)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.reference.cards import COURTS, JOKER, NUMBER, RANK, FieldCard
from tests.reference.field import Field
from tests.reference.plays import finishes_with_joker, plays
from tests.reference.presets import complete

Action = dict[str, Any]


@dataclass
class View:
    """Everything that decides what the player to act may do."""

    rules: dict[str, Any]
    field: Field
    hand: list[str]
    front: list[str]
    others: dict[int, int]
    """Hand size of each other player still in, by seat."""
    bans: list[tuple[int, str]]
    """Who shielded which card to the player since the player's last turn (R7.7)."""
    courts_pushed: int
    streak_cards: int
    set_cards: int
    streak_number: int
    streak_pile: int
    after_draw: bool

    @property
    def size(self) -> int:
        """The hand size: private hand and front (R3.4)."""
        return len(self.hand) + len(self.front)

    @property
    def usable(self) -> list[str]:
        """The cards that may be played (R3.5, R7.3, R7.5)."""
        return self.hand + [card for card in self.front if usable_in_front(card, self.hand, self.rules)]


def usable_in_front(card: str, hand: list[str], rules: dict[str, Any]) -> bool:
    """May a card lying in front be played? (R7.3; R7.5: a shielded joker waits for the private hand)"""
    return rules["handoff"] == "push" or card != JOKER or not hand


def play_actions(view: View) -> list[Action]:
    """Every play on every pile (section 4)."""
    return [
        {"action": "play", "pile": pile, "pattern": pattern, "cards": [card.text for card in cards]}
        for pile, stack in enumerate(view.field.piles)
        for cards, pattern in plays(stack, view.usable, view.size, view.rules).items()
    ]


def grow_actions(view: View) -> list[Action]:
    """Every growth (section 5)."""
    return [
        {"action": "grow", "shape": shape, "between": list(between), "cards": [card.text]}
        for shape, between, numbers in view.field.growths(view.rules)
        for card in [FieldCard(n, joker) for n in sorted(numbers) for joker in (False, True)]
        if card.in_hand in view.usable and not finishes_with_joker((card,), view.size, view.rules)
    ]


def push_actions(view: View) -> list[Action]:
    """Every push (R7.1, R7.2, R7.8)."""
    if view.size < view.rules["push_min_hand"]:
        return []
    return [
        {"action": "handoff", "target": target, "card": card, "from": place}
        for target in view.others
        for place, cards in (("hand", view.hand), ("front", view.front))
        for card in sorted(set(cards))
        if card not in COURTS or view.courts_pushed < view.rules["push_face_limit"]
    ]


def shield_actions(view: View) -> list[Action]:
    """Every shield (R7.4, R7.5, R7.8), but for what ko forbids (R7.7)."""
    if view.size < view.rules["shield_min_hand"]:
        return []
    lying = Counter(view.front)
    banned = Counter(view.bans if view.rules["ko"] else [])
    return [
        {"action": "handoff", "target": target, "card": card, "from": place}
        for target, size in view.others.items()
        if size <= view.rules["shield_max_target"]
        for place, cards in (("hand", view.hand), ("front", view.front))
        for card in sorted(set(cards))
        if place == "hand" or lying[card] > banned[target, card]
    ]


def avoid_actions(view: View) -> list[Action]:
    """Every play that avoids the pending penalty (R6.6)."""
    if view.set_cards or not view.streak_cards:
        return []
    return [
        action
        for action in play_actions(view)
        if action["pattern"] == "same"
        and view.field.top(action["pile"]) == view.streak_number
        and (view.rules["streak_scope"] == "all-piles" or action["pile"] == view.streak_pile)
    ]


def actions(view: View) -> list[Action]:
    """All legal actions of a view (R3.1-3.3, R6.5-6.7, R6.9)."""
    if view.streak_cards or view.set_cards:
        return [{"action": "accept"}, *avoid_actions(view)]
    if view.after_draw:
        return [{"action": "stop"}, *play_actions(view), *grow_actions(view)]
    handoffs = {"none": list, "push": lambda: push_actions(view), "shield": lambda: shield_actions(view)}
    return [
        {"action": "pass"},
        *play_actions(view),
        *grow_actions(view),
        *handoffs[view.rules["handoff"]](),
    ]


def view_of(position: dict[str, Any], rules: dict[str, Any]) -> View:
    """Read a position; what is left out is empty, 0 or false."""
    penalty = position.get("penalty") or {}
    number, pile = penalty.get("number"), penalty.get("pile")
    return View(
        rules=rules,
        field=Field.from_json(position["field"]),
        hand=list(position.get("hand", [])),
        front=list(position.get("front", [])),
        others={other["seat"]: other["size"] for other in position.get("others", [])},
        bans=[(giver, card) for giver, card in position.get("ko", [])],
        courts_pushed=position.get("courts_pushed", 0),
        streak_cards=penalty.get("streak_cards", 0),
        set_cards=penalty.get("set_cards", 0),
        streak_number=0 if number is None else NUMBER[number],
        streak_pile=-1 if pile is None else pile,
        after_draw=position.get("after_draw", False),
    )


def position_of(view: View) -> dict[str, Any]:
    """Write a view as a position."""
    streak = view.streak_cards > 0
    return {
        "rules": dict(view.rules),
        "field": view.field.to_json(),
        "hand": list(view.hand),
        "front": list(view.front),
        "others": [{"seat": seat, "size": size} for seat, size in sorted(view.others.items())],
        "ko": [[giver, card] for giver, card in view.bans],
        "courts_pushed": view.courts_pushed,
        "penalty": {
            "streak_cards": view.streak_cards,
            "set_cards": view.set_cards,
            "number": RANK[view.streak_number] if streak else None,
            "pile": view.streak_pile if streak else None,
        },
        "after_draw": view.after_draw,
    }


def legal_actions(position: dict[str, Any]) -> list[Action]:
    """All legal actions of a position as a game is written down."""
    return actions(view_of(position, complete(position["rules"])))
