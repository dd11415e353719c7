"""The reference against the recorded positions and games, against bare definitions, and its invariants."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.implementations import reference_games
from tests.reference import Table, complete, deal, legal_actions
from tests.reference.cards import NUMBERS, RANKS, FieldCard, deck, field_card
from tests.reference.conformance import action_set, positions, replay, statistics, traces
from tests.reference.plays import plays
from tests.reference.strategies import arranged, cells, leaning_choice, line_up

POSITIONS = positions()
TRACES = dict(traces())


@pytest.mark.parametrize("recorded", POSITIONS, ids=[recorded["name"] for recorded in POSITIONS])
def test_recorded_position(recorded: dict[str, Any]) -> None:
    assert action_set(legal_actions(recorded["position"])) == action_set(recorded["legal"])


@pytest.mark.parametrize("name", TRACES)
def test_recorded_game(name: str) -> None:
    replay(Table, TRACES[name])


def fits(pattern: str, cards: tuple[FieldCard, ...], pile: list[FieldCard]) -> bool:
    """Is this sequence, bottom to top, a play of the pattern, stacked as R4.9 says?"""
    top = pile[-1].number
    numbers = [card.number for card in cards]
    if pattern == "same":
        return numbers == [top]
    if pattern == "under-joker":
        return pile[-1].joker and len(pile) > 1 and numbers == [pile[-2].number]
    if len(cards) < 2 or (pattern in ("product", "quotient") and len(cards) != 2):
        return False
    adds_up = {
        "sum": sum(numbers) == top,
        "difference": numbers[0] - sum(numbers[1:]) == top,
        "product": numbers[0] * numbers[1] == top,
        "quotient": numbers[0] == top * numbers[1],
    }[pattern]
    free = cards[1:] if pattern in ("difference", "quotient") else cards
    in_order = sorted(free[:-1], key=lambda card: (card.number == free[-1].number, card.number, card.joker))
    return adds_up and list(free[:-1]) == in_order


def plays_by_definition(
    pile: list[FieldCard], hand: list[str], rules: dict[str, Any]
) -> dict[tuple[FieldCard, ...], str]:
    """All plays, found by trying every order of every choice of cards, jokers as every number."""
    patterns = ["same", "under-joker", "sum", "difference", "product", "quotient"]
    found: dict[tuple[FieldCard, ...], str] = {}
    for size in range(1, len(hand) + 1):
        for chosen in itertools.permutations(hand, size):
            meanings = [
                [FieldCard(n, joker=True) for n in NUMBERS] if card == "X" else [field_card(card)]
                for card in chosen
            ]
            for cards in itertools.product(*meanings):
                if size == len(hand) and "X" in chosen and not rules["joker_finish"]:
                    continue
                for pattern in reversed(patterns):
                    if pattern in ("product", "quotient"):
                        if not rules["finish_multiply"] or len(hand) != 2:
                            continue
                    if pattern == "under-joker" and not rules["joker_special"]:
                        continue
                    if fits(pattern, cards, pile):
                        found[cards] = pattern
    return found


@settings(max_examples=60)
@given(st.data())
def test_plays_are_those_of_the_definitions(data: st.DataObject) -> None:
    low = st.sampled_from([*RANKS, *"A2345X"])
    hand = data.draw(st.lists(low, min_size=1, max_size=5).filter(lambda cards: cards.count("X") < 3))
    if hand.count("X") == 2:
        hand = hand[:4]
    pile = data.draw(
        st.lists(st.builds(FieldCard, st.integers(1, 13), st.booleans()), min_size=1, max_size=2)
    )
    flags = ("joker_finish", "joker_special", "finish_multiply")
    rules = {flag: data.draw(st.booleans(), label=flag) for flag in flags}
    assert plays(pile, hand, len(hand), rules) == plays_by_definition(pile, hand, rules)


def check_cards(table: Table) -> None:
    """No card is ever lost or made (R1.1)."""
    cards = list(table.stock)
    for player in table.players:
        cards += player.hand + player.front
    for pile in table.field.piles:
        cards += [card.in_hand for card in pile]
    assert Counter(cards) == Counter(deck(table.rules["jokers"]))


def check_end(rules: dict[str, Any], events: list[dict[str, Any]]) -> None:
    """Places follow from outs and cards left, scores from places (R9.1, R9.4-9.6)."""
    end = events[-1]
    outs = [event for event in events if event["event"] == "out"]
    assert [event["place"] for event in outs] == list(range(1, len(outs) + 1))
    gone = {event["player"]: event for event in outs}
    for seat, (place, score, left) in enumerate(zip(end["places"], end["scores"], end["left"], strict=True)):
        assert (left == 0) == (seat in gone)
        if seat in gone:
            assert place == gone[seat]["place"]
        else:
            fewer = [o for s, o in enumerate(end["left"]) if s not in gone and o < left]
            assert place == 1 + len(outs) + len(fewer)
        bonus = sum(gone[seat]["bonuses"].values()) if seat in gone else 0
        assert bonus == 0 or (place == 1 and rules["bonuses"])
        points = {
            "win": int(place == 1),
            "rank-points": place + left,
            "places": rules["place_points"][place - 1] + bonus,
        }
        assert score == points[rules["scoring"]]
    assert end["turns"] <= rules["turn_limit"]


LIMITS = st.sampled_from([1, 15, 60, 60, 300])


@settings(max_examples=25)
@given(cells(LIMITS), st.integers(0, 2**32))
def test_invariants(cell: tuple[dict[str, Any], int], seed: int) -> None:
    rules, players = cell
    rng = random.Random(seed)
    leanings = line_up(rng)
    table = Table(rules, players, **arranged(deal(rules, players, rng), rng), shuffle_seed=seed)
    events: list[dict[str, Any]] = []
    while not table.over:
        check_cards(table)
        assert table.seat in table.still_in
        assert all(player.size for player in map(table.players.__getitem__, table.still_in))
        legal = table.legal()
        action_set(legal)
        assert len([action for action in legal if action["action"] in ("pass", "stop", "accept")]) == 1
        assert legal_actions(table.position()) == legal
        events += table.act(leaning_choice(leanings[table.seat], legal, rng))
    check_cards(table)
    assert [event["event"] for event in events].count("end") == 1
    check_end(rules, events)


FIGURES = {
    "turns": lambda events: events[-1]["turns"],
    "cards_left": lambda events: sum(events[-1]["left"]),
    "cards_played": lambda events: sum(
        len(event["cards"]) for event in events if event["event"] in ("play", "grow")
    ),
    "plays.same": lambda events: sum(event.get("pattern") == "same" for event in events),
    "plays.sum": lambda events: sum(event.get("pattern") == "sum" for event in events),
    "plays.difference": lambda events: sum(event.get("pattern") == "difference" for event in events),
    "growths.line": lambda events: sum(event.get("shape") == "line" for event in events),
    "passes": lambda events: sum(event["event"] == "pass" for event in events),
    "stops": lambda events: sum(event["event"] == "stop" for event in events),
    "penalties_drawn": lambda events: sum(event["event"] == "penalty" for event in events),
    "handoffs": lambda events: sum(event["event"] == "handoff" for event in events),
    "recycles": lambda events: sum(event["event"] == "recycle" for event in events),
    "win.seat0": lambda events: events[-1]["places"][0] == 1,
    "score.seat1": lambda events: events[-1]["scores"][1],
}


@pytest.mark.parametrize("name", ["calc-2-greedy", "calc-revised-4-random", "advanced-3-greedy"])
def test_recorded_statistics(name: str) -> None:
    """A few figures of a million games each, at a few hundred games of the reference."""
    (cell,) = [cell for cell in statistics() if cell["name"] == name]
    games = 150
    played = reference_games(
        cell["preset"], players=cell["players"], policy=cell["policy"], games=games, seed=5
    )
    for figure, count in FIGURES.items():
        values = [count(game[2:]) for game in played]
        mean = sum(values) / games
        error = max((sum((value - mean) ** 2 for value in values) / games**2) ** 0.5, 1 / games)
        recorded, recorded_error = cell["figures"][figure]
        assert abs(mean - recorded) < 4.5 * (error**2 + recorded_error**2) ** 0.5, (figure, mean, recorded)


def test_a_position_may_leave_out_what_is_empty() -> None:
    position = {
        "rules": "calc",
        "field": {"shape": "line", "order": [0], "piles": [["4"]]},
        "hand": ["2", "4"],
        "others": [{"seat": 1, "size": 5}],
    }
    assert action_set(legal_actions(position)) == action_set(
        [{"action": "pass"}, {"action": "play", "pile": 0, "pattern": "same", "cards": ["4"]}]
    )


def test_presets_are_complete() -> None:
    assert all(len(complete(name)) == 24 for name in ("calc", "calc-revised", "advanced"))
