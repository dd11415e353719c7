"""Section 3: a turn."""

from __future__ import annotations

from tests.implementations import Implementation
from tests.rules.given import Play, kinds, legal, only


def test_R3_1_a_turn_begins_free_or_under_a_penalty(impl: Implementation) -> None:
    game = Play(impl, "calc", "2 3 4 K | 9 K | 9 K", "9")
    assert "pass" in game.legal
    assert "accept" not in game.legal
    game.do("sum 2 3 4 on 0")
    assert game.legal == {"accept"}
    game.do("accept")
    assert "pass" in game.legal


def test_R3_2_a_play_a_growth_a_hand_off_or_a_pass(impl: Implementation) -> None:
    assert legal(impl, "advanced", "4 | 2", "4 8 K K", others="3") == {
        "pass",
        "same 4 on 0",
        "difference 8 4 on 0",
        "line 8 at 0 1",
        "4 from hand to 1",
        "8 from hand to 1",
        "K from hand to 1",
    }


def test_R3_2_exactly_one_of_them(impl: Implementation) -> None:
    for action in ("same 4 on 0", "line 8 at 0 1", "4 from hand to 1"):
        game = Play(impl, "advanced", "4 8 K K | 9 9 9", "4 | 2")
        game.do(action)
        assert game.seat == 1


def test_R3_2_passing_is_always_legal(impl: Implementation) -> None:
    assert legal(impl, "calc", "5", "9 K") == {"pass"}


def test_R3_3_a_play_or_growth_or_stop_after_the_draw(impl: Implementation) -> None:
    game = Play(impl, "advanced", "4 8 K K | 9 9 9", "4 | 2", stock="Q 7 7")
    events = game.do("pass")
    assert kinds(events) == ["pass", "draw"]
    assert only(events, "draw")["cards"] == ["Q"]
    assert game.seat == 0
    assert game.legal == {
        "stop",
        "same 4 on 0",
        "difference 8 4 on 0",
        "difference Q 8 on 0",
        "line 8 at 0 1",
    }, "no hand-off, and not only plays of the card drawn"
    assert kinds(game.do("stop")) == ["stop"]
    assert game.seat == 1


def test_R3_4_hand_size_counts_the_front(impl: Implementation) -> None:
    assert "9 from hand to 1" in legal(impl, "calc-revised", "K", "9", front="5 6")
    assert "9 from hand to 1" not in legal(impl, "calc-revised", "K", "9", front="5")


def test_R3_4_the_hand_is_empty_when_the_front_is_too(impl: Implementation) -> None:
    game = Play(impl, "calc-revised", "K Q 9 | 5", "5", stock="7 7 7 7")
    game.do("9 from hand to 1")
    assert kinds(game.do("same 5 on 0")) == ["play"], "the 9 still lies in front"
    assert game.seat == 0


def test_R3_5_hand_and_front_are_used_together(impl: Implementation) -> None:
    assert legal(impl, "calc-revised", "8", "5 K", front="3") >= {"sum 5 3 on 0", "sum 3 5 on 0"}
    assert "line 3 at 0 1" in legal(impl, "advanced", "9 | 3", "K K", front="3")


def test_R3_5_of_equal_cards_the_one_in_front_leaves_first(impl: Implementation) -> None:
    game = Play(impl, "calc-revised", "5 K Q 9 | 5 7 7", "5", stock="8 8 8 8 8")
    game.do("5 from hand to 1", "same 5 on 0", "pass", "stop")
    assert game.seat == 1
    assert (sorted(game.position["hand"]), game.position["front"]) == (["5", "7", "7"], [])
