"""Section 7: hand-offs."""

from __future__ import annotations

import pytest

from tests.implementations import Implementation
from tests.rules.given import Play, handoffs, kinds, legal, only


def test_R7_1_a_push_from_hand_or_front_to_anyone(impl: Implementation) -> None:
    assert legal(impl, "calc-revised", "5", "9 K", front="J", others="2 5") == {
        "pass",
        "9 from hand to 1",
        "9 from hand to 2",
        "K from hand to 1",
        "K from hand to 2",
        "J from front to 1",
        "J from front to 2",
    }


def test_R7_1_from_the_least_hand_on(impl: Implementation) -> None:
    assert legal(impl, "calc-revised", "5", "9 8") == {"pass"}
    assert handoffs(legal(impl, "calc-revised", "5", "9 8", push_min_hand=2)) == {
        "9 from hand to 1",
        "8 from hand to 1",
    }
    assert handoffs(legal(impl, "calc-revised", "5", "9 8 7 6", push_min_hand=5)) == set()


def test_R7_1_the_card_lies_in_front_of_another_still_in(impl: Implementation) -> None:
    game = Play(impl, "calc-revised", "5 6 6 9 | 5 | K K", "5", stock="7 7 7 7 7")
    game.do("same 5 on 0", "same 5 on 0", "accept")
    assert "9 from hand to 1" not in game.legal, "seat 1 is out"
    event = only(game.do("9 from hand to 2"), "handoff")
    assert (event["player"], event["target"], event["card"], event["from"]) == (0, 2, "9", "hand")
    assert game.position["front"] == ["9"]


def test_R7_2_one_court_card_in_a_game(impl: Implementation) -> None:
    courts = {f"{card} from hand to 1" for card in "JQK"}
    assert handoffs(legal(impl, "calc-revised", "5", "J Q K X", courts=0)) == courts | {"X from hand to 1"}
    assert handoffs(legal(impl, "calc-revised", "5", "J Q K X", courts=1)) == {"X from hand to 1"}
    assert courts <= legal(impl, "calc-revised", "5", "J Q K X", courts=1, push_face_limit=2)
    assert not courts & legal(impl, "calc-revised", "5", "J Q K X", push_face_limit=0)


def test_R7_2_the_count_lasts_for_the_game(impl: Implementation) -> None:
    game = Play(impl, "calc-revised", "J Q 9 8 | 6 6 6", "5", stock="7 7 7 7 7 7")
    game.do("J from hand to 1", "pass", "stop")
    assert handoffs(game.legal) == {"9 from hand to 1", "8 from hand to 1"}
    game.do("9 from hand to 1")
    assert "J from front to 0" in game.legal, "each player's own count"


def test_R7_3_pushed_cards_are_used_like_the_hand(impl: Implementation) -> None:
    assert legal(impl, "calc-revised", "5", "9 2", front="X 3") >= {
        "same X=5 on 0",
        "sum 2 3 on 0",
        "difference 9 X=4 on 0",
    }


def test_R7_4_a_shield_to_those_with_few_cards(impl: Implementation) -> None:
    assert handoffs(legal(impl, "advanced", "J | J", "9 8 2", front="K", others="3 4")) == {
        "9 from hand to 1",
        "8 from hand to 1",
        "2 from hand to 1",
        "K from front to 1",
    }
    assert handoffs(legal(impl, "advanced", "J | J", "9 8 2", others="3 4")) == set(), "three are too few"


def test_R7_4_the_limits_are_fields(impl: Implementation) -> None:
    assert handoffs(legal(impl, "advanced", "J | J", "9 8", others="1", shield_min_hand=2)) == {
        "9 from hand to 1",
        "8 from hand to 1",
    }
    assert handoffs(legal(impl, "advanced", "J | J", "9 9 9 9", others="3 8", shield_max_target=2)) == set()
    assert handoffs(legal(impl, "advanced", "J | J", "9 9 9 9", others="3 8", shield_max_target=8)) == {
        "9 from hand to 1",
        "9 from hand to 2",
    }


def test_R7_4_instead_of_playing(impl: Implementation) -> None:
    game = Play(impl, "advanced", "9 8 2 Q | 6 6 6", "J | J")
    assert kinds(game.do("9 from hand to 1")) == ["handoff"]
    assert (game.seat, game.position["front"]) == (1, ["9"])


def test_R7_5_naturals_in_front_are_used_at_any_time(impl: Implementation) -> None:
    assert legal(impl, "advanced", "5 | 8", "3 K K", front="5") >= {
        "same 5 on 0",
        "sum 3 5 on 1",
        "sum 5 3 on 1",
    }


def test_R7_5_a_joker_in_front_waits_but_may_be_shielded(impl: Implementation) -> None:
    actions = legal(impl, "advanced", "5 | 8", "K K K", front="X", others="3")
    assert actions == {"pass", "K from hand to 1", "X from front to 1"}
    assert "same X=5 on 0" in legal(impl, "advanced", "5 | 8", "K X", front="X")


def test_R7_5_no_product_with_a_joker_that_waits(impl: Implementation) -> None:
    assert legal(impl, "advanced", "8 | K", "2", front="X", joker_finish=True) == {"pass"}


@pytest.mark.parametrize("card", ["9", "X"])
def test_R7_6_the_front_becomes_the_hand_when_that_is_empty(impl: Implementation, card: str) -> None:
    game = Play(impl, "advanced", f"{card} 8 2 J | 5 | 6 6", "5 | K", stock="7 7 7 7 7 7")
    game.do(f"{card} from hand to 1")
    events = game.do("same 5 on 0")
    assert kinds(events) == ["play", "front"]
    assert events[1]["cards"] == [card]
    game.do("pass", "stop", "pass", "stop")
    assert (game.position["hand"], game.position["front"]) == ([card], [])


def test_R7_6_a_joker_among_it_is_an_ordinary_joker(impl: Implementation) -> None:
    game = Play(impl, "advanced", "X 8 2 J | 5 | 6 6", "5 | K", stock="7 7 7 7 7 7")
    game.do("X from hand to 1", "same 5 on 0", "pass", "stop", "pass", "stop", "pass")
    assert "same X=5 on 0" in game.legal


def test_R7_6_after_a_shield_too(impl: Implementation) -> None:
    game = Play(impl, "advanced", "9 8 2 J | 9 8 2 J | 9 8 2 J | 5", "K | K")
    game.do("9 from hand to 3", "8 from hand to 3", "2 from hand to 3")
    events = game.do("5 from hand to 0")
    assert kinds(events) == ["handoff", "front"]
    assert sorted(events[1]["cards"]) == ["2", "8", "9"]


def test_R7_6_not_under_push(impl: Implementation) -> None:
    game = Play(impl, "calc-revised", "9 Q Q | 5", "5", stock="7 7 7 7")
    game.do("9 from hand to 1")
    assert kinds(game.do("same 5 on 0")) == ["play"]
    game.do("pass", "stop")
    assert (game.position["hand"], game.position["front"]) == ([], ["9"])
    assert "same 9 on 0" in legal(impl, "calc-revised", "9", "", front="9"), "used from there"


def test_R7_7_the_very_card_may_not_go_back(impl: Implementation) -> None:
    assert handoffs(legal(impl, "advanced", "2 | 2", "K 9 9", front="5", others="3 3", ko=[(1, "5")])) == {
        "K from hand to 1",
        "K from hand to 2",
        "9 from hand to 1",
        "9 from hand to 2",
        "5 from front to 2",
    }


def test_R7_7_the_same_rank_from_the_hand_may(impl: Implementation) -> None:
    actions = legal(impl, "advanced", "2 | 2", "5 9 9", front="5", others="3", ko=[(1, "5")])
    assert handoffs(actions) == {"5 from hand to 1", "9 from hand to 1"}


def test_R7_7_bans_are_counted_among_equal_cards(impl: Implementation) -> None:
    two = legal(impl, "advanced", "2 | 2", "9 9", front="5 5", others="3 3", ko=[(1, "5")])
    assert two >= {"5 from front to 1", "5 from front to 2"}
    each = legal(impl, "advanced", "2 | 2", "9 9", front="5 5", others="3 3", ko=[(1, "5"), (2, "5")])
    assert each >= {"5 from front to 1", "5 from front to 2"}
    joker = legal(impl, "advanced", "2 | 2", "9 9", front="X 5", others="3 3", ko=[(1, "X"), (2, "5")])
    assert joker >= {"X from front to 2", "5 from front to 1"}
    assert not joker & {"X from front to 1", "5 from front to 2"}


def test_R7_7_only_where_ko_is_on(impl: Implementation) -> None:
    game = Play(impl, "advanced", "5 K K Q | 9 9 8", "2 | 3", ko=False)
    game.do("5 from hand to 1")
    assert "5 from front to 0" in game.legal


def test_R7_7_the_ban_ends_with_the_first_turn(impl: Implementation) -> None:
    game = Play(
        impl, "advanced", "5 K K Q | 9 9 8 | J J J J", "2 | 3", stock="7 7 7 7 6 6", shield_max_target=9
    )
    game.do("5 from hand to 1")
    assert handoffs(game.legal) & {"5 from front to 0", "5 from front to 2"} == {"5 from front to 2"}
    game.do("pass", "stop", "pass", "stop", "pass", "stop")
    assert "5 from front to 0" in game.legal


def test_R7_7_a_turn_under_a_penalty_ends_the_ban(impl: Implementation) -> None:
    game = Play(
        impl,
        "advanced",
        "5 K K Q | J J A A 6 | 9 9 8",
        "8 | 3",
        stock="7 7 7 7 6 6",
        shield_max_target=9,
    )
    game.do("5 from hand to 2", "sum A A 6 on 0", "accept", "pass", "stop", "pass", "stop")
    assert game.seat == 2
    assert "5 from front to 0" in game.legal


def test_R7_7_bans_of_several_players_hold_each_on_its_own(impl: Implementation) -> None:
    game = Play(impl, "advanced", "5 K K Q | 6 K K Q | 9 9", "2 | 3", shield_max_target=9)
    game.do("5 from hand to 2", "6 from hand to 2")
    from_front = {action for action in game.legal if "front" in action}
    assert from_front == {"5 from front to 1", "6 from front to 0"}


def test_R7_8_target_card_and_place_make_a_hand_off(impl: Implementation) -> None:
    assert handoffs(legal(impl, "advanced", "2 | 2", "5 5 5", front="5", others="3 3")) == {
        "5 from hand to 1",
        "5 from hand to 2",
        "5 from front to 1",
        "5 from front to 2",
    }
