"""Hypothesis strategies for rule sets near a preset and far from any; deals; ways to choose actions."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.reference.presets import complete

FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "max_players": st.integers(2, 6),
    "hand_size": st.one_of(st.integers(1, 8), st.integers(1, 25)),
    "jokers": st.integers(0, 2),
    "start_piles": st.integers(1, 4),
    "growth": st.booleans(),
    "finish_multiply": st.booleans(),
    "joker_special": st.booleans(),
    "joker_finish": st.booleans(),
    "streak_penalty": st.one_of(st.integers(0, 3), st.integers(0, 10)),
    "set_penalty": st.one_of(st.integers(0, 3), st.integers(0, 10)),
    "streak_scope": st.sampled_from(["all-piles", "same-pile"]),
    "ring_from": st.sampled_from(["line-of-three", "any-line"]),
    "star_halving": st.booleans(),
    "handoff": st.sampled_from(["none", "push", "shield"]),
    "push_min_hand": st.one_of(st.integers(2, 5), st.integers(2, 54)),
    "push_face_limit": st.one_of(st.integers(0, 2), st.integers(0, 12)),
    "shield_min_hand": st.one_of(st.integers(2, 5), st.integers(2, 54)),
    "shield_max_target": st.one_of(st.integers(1, 5), st.integers(1, 54)),
    "ko": st.booleans(),
    "end": st.sampled_from(["first-out", "last-standing", "stock-out"]),
    "scoring": st.sampled_from(["win", "rank-points", "places"]),
    "place_points": st.lists(st.integers(-1_000_000, 1_000_000), min_size=6, max_size=6),
    "bonuses": st.booleans(),
}


def sensible(rules: dict[str, Any]) -> dict[str, Any]:
    """Mend what section 9 would refuse."""
    if rules["growth"] and rules["start_piles"] == 1:
        rules = rules | {"start_piles": 2}
    if rules["bonuses"]:
        rules = rules | {"scoring": "places"}
    return rules


def rule_sets(turn_limits: st.SearchStrategy[int]) -> st.SearchStrategy[dict[str, Any]]:
    """Rule sets of all fields: a preset with some changes, or anything."""
    presets = st.sampled_from(["advanced", "calc-revised", "advanced", "calc"])
    changes = st.fixed_dictionaries({}, optional=FIELDS)
    few = st.dictionaries(st.sampled_from(sorted(FIELDS)), st.none(), max_size=4).flatmap(
        lambda names: st.fixed_dictionaries({name: FIELDS[name] for name in names})
    )
    return st.builds(
        lambda preset, change, limit: sensible(complete({"preset": preset} | change | {"turn_limit": limit})),
        presets,
        st.one_of(few, few, changes, st.fixed_dictionaries(FIELDS)),
        turn_limits,
    )


@st.composite
def cells(draw: st.DrawFn, turn_limits: st.SearchStrategy[int]) -> tuple[dict[str, Any], int]:
    """A rule set and a number of players that it can seat."""
    rules = draw(rule_sets(turn_limits))
    if draw(st.sampled_from([False, False, True])):  # else stars are hardly ever met
        rules = rules | {"growth": True, "start_piles": 3}
    players = draw(st.integers(2, rules["max_players"]))
    most = (51 - rules["start_piles"]) // players
    return rules | {"hand_size": min(rules["hand_size"], most)}, players


LEANINGS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "any": lambda action: False,
    "laying": lambda action: "cards" in action,
    "grow": lambda action: action["action"] == "grow",
    "star": lambda action: action.get("shape") == "star",
    "ring": lambda action: action.get("shape") == "ring",
    "handoff": lambda action: action["action"] == "handoff",
    "joker handed off": lambda action: action.get("card") == "X",
    "joker": lambda action: any("X" in card for card in action.get("cards", [])),
    "under-joker": lambda action: action.get("pattern") == "under-joker",
    "same": lambda action: action.get("pattern") == "same",
    "few": lambda action: len(action.get("cards", [])) == 1,
    "many": lambda action: len(action.get("cards", [])) >= 3,
    "idle": lambda action: action["action"] in ("pass", "stop", "accept"),
}
"""Which actions each kind of player likes, so that what seldom happens is met often enough."""


def line_up(rng: random.Random) -> list[str]:
    """A leaning for each of six seats: all alike, or each its own."""
    leanings = rng.choices(sorted(LEANINGS), k=6)
    return leanings[:1] * 6 if rng.random() < 0.4 else leanings


def kind_of(action: dict[str, Any]) -> str:
    """What an action is, without its cards and places."""
    return f"{action['action']} {action.get('pattern')} {action.get('shape')} {action.get('from')}"


def leaning_choice(leaning: str, legal: list[dict[str, Any]], rng: random.Random) -> dict[str, Any]:
    """Choose a legal action with a leaning; else a kind of action first, and then one of that kind."""
    liked = [action for action in legal if LEANINGS[leaning](action)]
    if liked and rng.random() < 0.85:
        return rng.choice(liked)
    kind = rng.choice(sorted(set(map(kind_of, legal))))
    return rng.choice([action for action in legal if kind_of(action) == kind])


def arranged(dealt: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Exchange cards of a deal: equal low start piles and what fits between them, jokers into hands."""
    stock = list(dealt["stock"])

    def exchange(cards: list[str], place: int, wanted: tuple[str, ...]) -> None:
        there = [index for index, card in enumerate(stock) if card in wanted]
        if there and place < len(cards):
            index = rng.choice(there)
            cards[place], stock[index] = stock[index], cards[place]

    low, square = rng.choice([("A", "A"), ("2", "4"), ("3", "9")])
    piles, hands = [list(pile) for pile in dealt["piles"]], [list(hand) for hand in dealt["hands"]]
    for pile in piles:
        exchange(pile, 0, (low,))
    for hand in hands:
        exchange(hand, 0, rng.choice([("X",), ("A", square), (low,)]))
        exchange(hand, 1, (low, "A", square))
    return {"hands": hands, "piles": piles, "stock": stock}
