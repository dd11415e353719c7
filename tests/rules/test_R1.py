"""Section 1: cards and numbers."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.implementations import Implementation
from tests.rules.given import Play, legal, only

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")


@pytest.mark.parametrize("jokers", [0, 1, 2])
def test_R1_1_four_of_each_number_and_the_jokers(impl: Implementation, jokers: int) -> None:
    for game in impl.games("calc", f"jokers={jokers}", players=4, policy="random", games=5, seed=1):
        dealt = Counter(card for hand in game[1]["hands"] for card in hand)
        dealt.update(card for pile in game[1]["piles"] for card in pile)
        dealt.update(game[1]["stock"])
        assert dealt.pop("X", 0) == jokers
        assert dealt == dict.fromkeys(RANKS, 4)


def test_R1_1_suits_never_matter(impl: Implementation) -> None:
    assert legal(impl, "calc", "5", "5 5 5") == {"pass", "same 5 on 0"}


def test_R1_2_a_joker_has_the_number_declared(impl: Implementation) -> None:
    game = Play(impl, "calc", "X A 9 | 3 K K", "4")
    game.do("sum A X=3 on 0")
    assert game.legal == {"pass", "same 3 on 0"}


@pytest.mark.parametrize(("number", "rank"), list(enumerate(RANKS, start=1)))
def test_R1_3_ranks_and_jokers_in_text(impl: Implementation, number: int, rank: str) -> None:
    game = Play(impl, "calc", f"{rank} X K | 9 9 9", rank)
    assert game.legal >= {f"same {rank} on 0", f"same X={rank} on 0"}
    sums = [f"sum A {RANKS[number - 2]} on 0"] if number > 1 else []
    assert legal(impl, "calc", rank, f"A {RANKS[number - 2]} 9 9 9") >= set(sums)
    assert only(game.do(f"same X={rank} on 0"), "play")["cards"] == [f"X={rank}"]
