"""Section 2: setting up."""

from __future__ import annotations

import pytest

from tests.implementations import Implementation
from tests.rules.given import Play


@pytest.mark.parametrize(
    ("preset", "change", "players", "size"),
    [("calc", "jokers=2", 4, 5), ("advanced", "jokers=2", 6, 5), ("advanced", "hand_size=8", 2, 8)],
)
def test_R2_1_each_is_dealt_a_hand(
    impl: Implementation, preset: str, change: str, players: int, size: int
) -> None:
    for game in impl.games(preset, change, players=players, policy="random", games=3, seed=2):
        assert [len(hand) for hand in game[1]["hands"]] == [size] * players


@pytest.mark.parametrize(("preset", "piles"), [("calc", 1), ("calc-revised", 1), ("advanced", 2)])
def test_R2_2_start_piles_are_turned_up_and_the_rest_is_the_stock(
    impl: Implementation, preset: str, piles: int
) -> None:
    for game in impl.games(preset, players=4, policy="random", games=3, seed=3):
        assert [len(pile) for pile in game[1]["piles"]] == [1] * piles
        assert len(game[1]["stock"]) == 54 - 20 - piles


def test_R2_3_a_joker_is_never_a_start_pile(impl: Implementation) -> None:
    games = impl.games("calc", "start_piles=4", players=2, policy="greedy", games=200, seed=4)
    assert not any(card.startswith("X") for game in games for pile in game[1]["piles"] for card in pile)
    # It went back into a stock that was shuffled again: jokers lie first in it as often as anywhere.
    held = sum(hand.count("X") for game in games for hand in game[1]["hands"])
    stocked = sum(game[1]["stock"].count("X") for game in games)
    assert held + stocked == 400
    first_half = sum(game[1]["stock"][:20].count("X") for game in games)
    assert abs(first_half - stocked / 2) < 4 * (stocked / 4) ** 0.5


def test_R2_4_seat_0_begins_and_turns_go_round(impl: Implementation) -> None:
    game = Play(impl, "calc", "K 9 | 5 | K 8 | K 7", "5", end="last-standing")
    seats = []
    for action in ("pass", "stop", "same 5 on 0", "pass", "stop", "pass", "stop", "pass", "stop", "pass"):
        seats.append(game.seat)
        game.do(action)
    assert seats == [0, 0, 1, 2, 2, 3, 3, 0, 0, 2], "seat 1 is out and passed over"
