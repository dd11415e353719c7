"""Section 10: what a player can see."""

from __future__ import annotations

from tests.implementations import Implementation
from tests.reference import complete
from tests.rules.given import Play


def test_R10_1_what_the_player_to_act_sees(impl: Implementation) -> None:
    game = Play(impl, "advanced", "5 9 8 J | 2 3 K | J J", "5 | 9", stock="7 7 7 7")
    game.do("5 from hand to 1")
    assert game.position == {
        "rules": complete("advanced"),
        "field": {"shape": "line", "order": [0, 1], "piles": [["5"], ["9"]]},
        "hand": ["2", "3", "K"],
        "front": ["5"],
        "others": [{"seat": 0, "size": 3}, {"seat": 2, "size": 2}],
        "ko": [[0, "5"]],
        "courts_pushed": 0,
        "penalty": {"streak_cards": 0, "set_cards": 0, "number": None, "pile": None},
        "after_draw": False,
    }


def test_R10_1_the_penalty_it_is_under(impl: Implementation) -> None:
    game = Play(impl, "calc", "3 3 3 K | J J J", "9")
    game.do("sum 3 3 3 on 0")
    assert game.position["penalty"] == {"streak_cards": 2, "set_cards": 2, "number": "3", "pile": 0}


def test_R10_1_a_card_just_drawn(impl: Implementation) -> None:
    game = Play(impl, "calc", "3 3 K | J J J", "9", stock="7 8")
    game.do("pass")
    assert game.position["after_draw"] is True
    assert sorted(game.position["hand"]) == ["3", "3", "7", "K"]


def test_R10_2_nothing_hidden_changes_what_is_seen_or_legal(impl: Implementation) -> None:
    seen = []
    for hidden, stock in (("2 3 K", "7 7 8 A"), ("A 8 7", "K 3 2 7")):
        game = Play(impl, "advanced", f"5 9 8 J | {hidden} | 4 4", "5 | 9", stock=stock)
        before = (game.position, game.legal)
        game.do("5 from hand to 1")
        seen.append((before, game.position["front"], game.position["others"], game.position["field"]))
    assert seen[0] == seen[1]
