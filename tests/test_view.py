"""What players see, and that they see nothing else (R10)."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from calcsim.engine import choose, view
from calcsim.engine import layout as at
from calcsim.engine._jit import door, memory
from calcsim.notation.table import Table
from calcsim.rules import load_rules
from tests.reference import deal


@door
def choose_action(array: Any, kind: int) -> Any:
    return choose.choose(memory(array), kind)


@door
def observe(array: Any, seen: Any) -> None:
    view.observe(memory(array), seen)


def unpacked(hand: int) -> list[int]:
    return [card for card in range(1, 15) for _ in range(hand >> 4 * (card - 1) & 15)]


def hidden_cards_shuffled(state: Any, rng: random.Random) -> Any:
    """The same state with the others' private cards and the stock dealt anew among them."""
    other = state.copy()
    seat = int(state[at.SEAT])
    stock = slice(at.STOCK + state[at.STOCK_NEXT], at.STOCK + state[at.STOCK_END])
    seats = [s for s in range(state[at.PLAYERS]) if s != seat]
    cards = [card for s in seats for card in unpacked(int(state[at.HAND + s]))] + state[stock].tolist()
    rng.shuffle(cards)
    for s in seats:
        hand = [cards.pop() for _ in unpacked(int(state[at.HAND + s]))]
        other[at.HAND + s] = sum(1 << 4 * (card - 1) for card in hand)
    other[stock] = cards
    return other


def tables(preset: str, games: int) -> Any:
    """Tables at every decision of games among players who take any legal action."""
    rules = load_rules(preset)
    for game in range(games):
        rng = random.Random(f"{preset} {game}")
        table = Table(rules, 4, **deal(rules.as_dict(), 4, rng))
        for _ in range(120):
            if table.over:
                break
            yield table, rng
            table.act(rng.choice(table.legal()))


@pytest.mark.parametrize("preset", ["calc", "calc-revised", "advanced"])
def test_R10_2_players_decide_the_same_whatever_the_hidden_cards_are(preset: str) -> None:
    n_other = 0
    seen = np.zeros((2, view.SIZE_VIEW), dtype=np.int64)
    for table, rng in tables(preset, 4):
        state = table._state
        changed = hidden_cards_shuffled(state, rng)
        n_other += not np.array_equal(state, changed)
        for kind in (choose.RANDOM, choose.GREEDY):
            for stream in range(3):
                one, other = state.copy(), changed.copy()
                one[at.RNG : at.RNG + at.SEATS] = other[at.RNG : at.RNG + at.SEATS] = stream
                assert choose_action(one, kind) == choose_action(other, kind)
        seen[:] = 0
        observe(state, seen[0])
        observe(changed, seen[1])
        np.testing.assert_array_equal(seen[0], seen[1])
    assert n_other > 50


@pytest.mark.parametrize("preset", ["calc-revised", "advanced"])
def test_R10_1_the_view_tells_what_the_position_tells(preset: str) -> None:
    number = {name: n for n, name in enumerate(["", "A", *map(str, range(2, 11)), "J", "Q", "K", "X"])}
    shapes = ("line", "ring", "star")
    with_front = with_owed = 0
    for table, _ in tables(preset, 6):
        position = table.position()
        seen = np.zeros(view.SIZE_VIEW, dtype=np.int64)
        observe(table._state, seen)
        seat = table.seat
        assert seen[view.V_SEAT] == seat
        assert seen[view.V_PLAYERS] == 4
        for card, n in number.items():
            if card:
                assert seen[view.V_HAND + n] == position["hand"].count(card)
                assert seen[view.V_FRONT + 16 * seat + n] == position["front"].count(card)
        for other in position["others"]:
            assert seen[view.V_SIZE + other["seat"]] == other["size"]
            assert seen[view.V_IN_GAME] >> other["seat"] & 1
        piles = position["field"]["piles"]
        assert seen[view.V_N_PILES] == len(piles)
        for pile, cards in enumerate(piles):
            assert seen[view.V_HEIGHT + pile] == len(cards)
            start = view.V_CARDS + at.DEPTH * pile
            codes = [number[c.removeprefix("X=")] + 16 * c.startswith("X=") for c in cards]
            assert seen[start : start + len(cards)].tolist() == codes
            assert seen[view.V_TOP + pile] == codes[-1] & 15
        assert shapes[seen[view.V_SHAPE]] == position["field"]["shape"]
        owed = position["penalty"]
        assert seen[view.V_OWED_STREAK] == owed["streak_cards"]
        assert seen[view.V_OWED_SET] == owed["set_cards"]
        assert seen[view.V_OWED_NUMBER] == number[owed["number"] or ""]
        assert seen[view.V_PHASE] == (1 if position["after_draw"] else 2 * (sum_of(owed) > 0))
        assert [seen[view.V_KO + giver] for giver, _ in position["ko"]] == [
            number[c] for _, c in position["ko"]
        ]
        with_front += bool(position["front"])
        with_owed += sum_of(owed) > 0
    assert with_front > 10
    assert with_owed > 10


def sum_of(owed: dict[str, Any]) -> int:
    total: int = owed["streak_cards"] + owed["set_cards"]
    return total
