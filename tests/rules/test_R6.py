"""Section 6: penalties."""

from __future__ import annotations

import pytest

from tests.implementations import Implementation
from tests.rules.given import Play, kinds, legal, only

SEVENS = "7 X J J J | 7 J J J | 7 J J | X J J J"


def owed(game: Play) -> tuple[int, int]:
    """What the player to act is under, for a streak and for a set."""
    penalty = game.position["penalty"]
    return penalty["streak_cards"], penalty["set_cards"]


def test_R6_1_a_streak_counts_across_piles_and_start_cards(impl: Implementation) -> None:
    game = Play(impl, "advanced", "7 9 9 | 7 J J | J J J", "7 | 7")
    assert only(game.do("same 7 on 0"), "play")["streak"] == 3
    assert only(game.do("same 7 on 1"), "play")["streak"] == 4, "two in a row on either pile"


def test_R6_1_same_pile_counts_one_pile_alone(impl: Implementation) -> None:
    game = Play(impl, "advanced", "7 9 9 | 7 J J | J J J", "7 | 7", streak_scope="same-pile")
    assert only(game.do("same 7 on 0"), "play")["streak"] == 2
    assert only(game.do("same 7 on 0"), "play")["streak"] == 3


def test_R6_1_without_a_break(impl: Implementation) -> None:
    game = Play(impl, "calc", "7 K K | 9 2 K | 9 7 K", "7")
    events = game.do("same 7 on 0", "difference 9 2 on 0", "difference 9 7 on 0")
    assert [event["streak"] for event in events] == [2, 1, 1]


def test_R6_2_two_cards_for_three_and_two_more_for_each_more(impl: Implementation) -> None:
    game = Play(impl, "calc", SEVENS, "7")
    assert only(game.do("same 7 on 0"), "play")["streak"] == 2
    assert "pass" in game.legal, "two in a row cost nothing"
    for action, streak, penalty in (
        ("same 7 on 0", 3, 2),
        ("same 7 on 0", 4, 4),
        ("same X=7 on 0", 5, 6),
        ("same X=7 on 0", 6, 8),
    ):
        assert only(game.do(action), "play")["streak"] == streak
        assert owed(game) == (penalty, 0)


@pytest.mark.parametrize("each", [0, 1, 10])
def test_R6_2_streak_penalty_says_how_many(impl: Implementation, each: int) -> None:
    game = Play(impl, "calc", SEVENS, "7", streak_penalty=each)
    game.do("same 7 on 0", "same 7 on 0")
    assert owed(game) == (each, 0)
    assert ("pass" in game.legal) == (each == 0)


def test_R6_2_a_number_stays_in_a_row_through_passes(impl: Implementation) -> None:
    game = Play(impl, "calc", "7 K K K | 7 7 K K", "7", stock="8 8 8 8 9 9 9 9")
    game.do("same 7 on 0", "same 7 on 0", "accept", "pass", "stop", "pass", "stop")
    assert only(game.do("same 7 on 0"), "play")["streak"] == 4
    assert owed(game) == (4, 0)


def test_R6_2_a_growth_counts_too(impl: Implementation) -> None:
    game = Play(impl, "advanced", "3 K K K | J J J J", "3 | 9 | 3")
    assert only(game.do("line 3 at 0 1"), "grow")["streak"] == 3
    assert owed(game) == (2, 0)


def test_R6_3_two_cards_for_a_set_of_three_and_two_more_for_each_more(impl: Implementation) -> None:
    game = Play(impl, "calc", "2 3 4 K | J J J", "9")
    assert only(game.do("sum 2 3 4 on 0"), "play")["set"] == 3
    assert owed(game) == (0, 2)
    game = Play(impl, "calc", "A 2 3 4 K | J J J", "10")
    game.do("sum A 2 3 4 on 0")
    assert owed(game) == (0, 4)
    game = Play(impl, "calc", "A 2 3 4 2 K | J J J", "Q")
    game.do("sum A 2 2 3 4 on 0")
    assert owed(game) == (0, 6)


def test_R6_3_both_add_up(impl: Implementation) -> None:
    game = Play(impl, "calc", "3 3 3 K | J J J", "9", stock="2 4 5 6 7")
    game.do("sum 3 3 3 on 0")
    assert owed(game) == (2, 2)
    events = game.do("accept")
    assert only(events, "penalty")["draw"] == 4
    assert only(events, "draw")["cards"] == ["2", "4", "5", "6"]


def test_R6_3_set_penalty_says_how_many(impl: Implementation) -> None:
    game = Play(impl, "calc", "2 3 4 K | J J J", "9", set_penalty=5)
    game.do("sum 2 3 4 on 0")
    assert owed(game) == (0, 5)
    game = Play(impl, "calc", "2 3 4 K | J J J", "9", set_penalty=0)
    game.do("sum 2 3 4 on 0")
    assert "pass" in game.legal


def test_R6_4_the_next_still_in_is_under_it(impl: Implementation) -> None:
    game = Play(impl, "calc", "9 2 3 4 | 9 | K K", "9", stock="J J J J", end="last-standing")
    game.do("pass", "stop", "same 9 on 0", "pass", "stop", "sum 2 3 4 on 0")
    assert (game.seat, owed(game)) == (2, (0, 2)), "seat 1 is out"


def test_R6_4_also_after_the_one_who_goes_out(impl: Implementation) -> None:
    game = Play(impl, "calc", "2 3 4 | J J | K K", "9", end="last-standing")
    game.do("sum 2 3 4 on 0")
    assert (game.seat, owed(game)) == (1, (0, 2))


def test_R6_5_the_cards_are_drawn_and_the_turn_is_over(impl: Implementation) -> None:
    game = Play(impl, "calc", "2 3 4 K | J J J | J Q", "9", stock="5 6 8 8")
    game.do("sum 2 3 4 on 0")
    events = game.do("accept")
    assert kinds(events) == ["penalty", "draw"]
    assert (events[1]["player"], events[1]["cards"], events[1]["reason"]) == (1, ["5", "6"], "penalty")
    assert game.seat == 2
    assert "pass" in game.legal, "the next is free"


def test_R6_6_a_streak_is_avoided_on_any_of_its_piles(impl: Implementation) -> None:
    streak = (2, "7", 0)
    assert legal(impl, "advanced", "7 7 | 7", "7 3 4 X", streak=streak) == {
        "accept",
        "same 7 on 0",
        "same 7 on 1",
        "same X=7 on 0",
        "same X=7 on 1",
    }
    assert legal(impl, "advanced", "7 7 7 | 7", "X 3", streak=streak, streak_scope="same-pile") == {
        "accept",
        "same X=7 on 0",
    }


def test_R6_6_the_next_streak_falls_on_the_player_after(impl: Implementation) -> None:
    game = Play(impl, "calc", SEVENS, "7")
    game.do("same 7 on 0", "same 7 on 0")
    assert game.legal == {"accept", "same 7 on 0"}
    game.do("same 7 on 0")
    assert (game.seat, owed(game)) == (3, (4, 0)), "not the sum of both"


def test_R6_6_one_may_go_out_by_avoiding(impl: Implementation) -> None:
    game = Play(impl, "calc", "7 J J | 7 J J | 7 | K K", "7", end="last-standing")
    events = game.do("same 7 on 0", "same 7 on 0", "same 7 on 0")
    assert only(events, "out")["player"] == 2
    assert (game.seat, owed(game)) == (3, (4, 0))


def test_R6_6_not_with_the_last_joker(impl: Implementation) -> None:
    assert legal(impl, "calc", "7 7 7", "X", streak=(2, "7", 0)) == {"accept"}
    assert legal(impl, "calc", "7 7 7", "X", streak=(2, "7", 0), joker_finish=True) == {
        "accept",
        "same X=7 on 0",
    }


def test_R6_6_a_set_penalty_is_not_avoided(impl: Implementation) -> None:
    assert legal(impl, "calc", "9 3 3 3", "3 X 9", streak=(2, "3", 0), set_cards=2) == {"accept"}
    assert legal(impl, "calc", "9 2 3 4", "4 X 9", set_cards=2) == {"accept"}


def test_R6_6_an_under_joker_play_avoids_nothing(impl: Implementation) -> None:
    assert legal(impl, "advanced", "5 5 X=5 | 5 X=3", "5 K", streak=(2, "5", 0)) == {
        "accept",
        "same 5 on 0",
    }


def test_R6_7_who_can_avoid_may_accept(impl: Implementation) -> None:
    game = Play(impl, "calc", SEVENS, "7", stock="8 8 8 8")
    game.do("same 7 on 0", "same 7 on 0")
    assert "same 7 on 0" in game.legal
    assert only(game.do("accept"), "draw")["cards"] == ["8", "8"]


def test_R6_7_who_cannot_avoid_accepts(impl: Implementation) -> None:
    assert legal(impl, "calc", "7 7 7", "9 2 K", streak=(2, "7", 0)) == {"accept"}


@pytest.mark.parametrize(
    ("each", "halving", "due"), [(2, True, 1), (3, True, 1), (1, True, 0), (3, False, 3)]
)
def test_R6_8_halved_in_a_star_and_rounded_down(
    impl: Implementation, each: int, halving: bool, due: int
) -> None:
    game = Play(impl, "advanced", "3 K K K | J J J J", "3 | 9 | 3", streak_penalty=each, star_halving=halving)
    game.do("star 3 at 0 1 2")
    events = game.do("accept")
    assert kinds(events) == ["penalty", "draw"]
    penalty = only(events, "penalty")
    assert (penalty["streak_cards"], penalty["halved"], penalty["draw"]) == (each, halving, due)
    assert len(only(events, "draw")["cards"]) == due
    assert game.seat == 0, "halved to nothing it still takes the turn"


def test_R6_8_the_total_is_halved(impl: Implementation) -> None:
    game = Play(
        impl,
        "advanced",
        "3 K K K | 8 2 A J | J J J J",
        "3 | J | 3",
        stock="5 5 5 5 5",
        streak_penalty=0,
        set_penalty=3,
    )
    assert "star 3 at 0 1 2" not in game.legal
    game = Play(
        impl, "advanced", "3 K K K K | 5 2 2 J | J J J J", "3 | 9 | 3", stock="6 6 6 6", set_penalty=3
    )
    game.do("star 3 at 0 1 2", "accept", "pass", "stop", "pass", "stop")
    assert game.seat == 1
    game.do("sum 2 2 5 on 1")
    penalty = only(game.do("accept"), "penalty")
    assert (penalty["set_cards"], penalty["halved"], penalty["draw"]) == (3, True, 1)


def test_R6_9_nothing_else_under_a_penalty(impl: Implementation) -> None:
    free = legal(impl, "advanced", "7 7 | 7", "A 6 9 K", others="3")
    assert free >= {"pass", "sum A 6 on 0", "line A at 0 1", "K from hand to 1"}
    assert legal(impl, "advanced", "7 7 | 7", "A 6 9 K", others="3", streak=(2, "7", 0)) == {"accept"}
