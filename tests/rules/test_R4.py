"""Section 4: plays on a pile."""

from __future__ import annotations

from tests.implementations import Implementation
from tests.rules.given import Play, growths, handoffs, legal, only


def test_R4_1_same(impl: Implementation) -> None:
    assert legal(impl, "calc", "8", "8 3 K") == {"pass", "same 8 on 0"}


def test_R4_2_sum(impl: Implementation) -> None:
    assert legal(impl, "calc", "8", "2 2 4 6 Q") == {
        "pass",
        "sum 2 6 on 0",
        "sum 6 2 on 0",
        "sum 2 2 4 on 0",
        "sum 4 2 2 on 0",
        "difference Q 4 on 0",
        "difference Q 2 2 on 0",
    }


def test_R4_3_difference_with_the_minuend_at_the_bottom(impl: Implementation) -> None:
    assert legal(impl, "calc", "8", "K 3 2 J Q") == {
        "pass",
        "difference J 3 on 0",
        "difference K 2 3 on 0",
        "difference K 3 2 on 0",
    }


def test_R4_4_product_and_quotient_with_two_cards_left(impl: Implementation) -> None:
    assert legal(impl, "calc", "8", "2 4") == {"pass", "product 2 4 on 0", "product 4 2 on 0"}
    assert legal(impl, "calc", "8", "8 A") == {
        "pass",
        "same 8 on 0",
        "product 8 A on 0",
        "product A 8 on 0",
    }
    assert legal(impl, "calc", "2", "8 4") == {"pass", "quotient 8 4 on 0"}, "the dividend at the bottom"


def test_R4_4_only_exact_quotients(impl: Implementation) -> None:
    assert legal(impl, "calc", "2", "9 4") == {"pass"}


def test_R4_4_only_when_the_hand_size_is_two(impl: Implementation) -> None:
    assert legal(impl, "calc", "8", "2 4 K") == {"pass"}
    three = legal(impl, "calc-revised", "8", "2 4", front="K")
    assert three - handoffs(three) == {"pass"}
    assert legal(impl, "calc-revised", "8", "2", front="4") >= {"product 2 4 on 0", "product 4 2 on 0"}


def test_R4_4_only_where_finish_multiply_is_on(impl: Implementation) -> None:
    assert legal(impl, "calc", "8", "2 4", finish_multiply=False) == {"pass"}


def test_R4_5_operations_are_never_mixed(impl: Implementation) -> None:
    assert legal(impl, "calc", "8", "J 7 4 K K") == {"pass"}, "11 - 7 + 4 = 8"


def test_R4_6_the_card_beneath_a_joker(impl: Implementation) -> None:
    assert legal(impl, "calc", "A X=3", "A 9") == {"pass", "under-joker A on 0"}
    assert legal(impl, "calc", "A X=3", "A 9", joker_special=False) == {"pass"}


def test_R4_6_the_joker_takes_its_number_for_good(impl: Implementation) -> None:
    game = Play(impl, "calc", "A X 9 9 | A 9 K Q | 9 9 J J", "4", stock="2 2 2 2")
    game.do("sum A X=3 on 0")
    assert only(game.do("under-joker A on 0"), "play")["streak"] == 3, "A, joker, A in a row"
    assert game.legal == {"accept"}
    assert only(game.do("accept"), "draw")["cards"] == ["2", "2"]
    assert game.position["field"]["piles"] == [["4", "A", "X=A", "A"]]


def test_R4_6_the_number_of_the_top_is_just_same(impl: Implementation) -> None:
    assert legal(impl, "calc", "3 X=3", "3 K K") == {"pass", "same 3 on 0"}


def test_R4_6_a_joker_beneath_counts_with_its_current_number(impl: Implementation) -> None:
    assert legal(impl, "calc", "5 X=J X=3", "J 5 K") == {"pass", "under-joker J on 0"}


def test_R4_6_nothing_beneath(impl: Implementation) -> None:
    assert legal(impl, "calc", "X=3", "A 9") == {"pass"}


def test_R4_6_nothing_beneath_after_a_recycle(impl: Implementation) -> None:
    game = Play(impl, "calc", "A X 9 9 | A 9 K Q", "4", stock="K", recycles=["A 4"])
    game.do("sum A X=3 on 0")
    assert "under-joker A on 0" in game.legal
    game.do("pass")
    assert "under-joker A on 0" not in game.legal


def test_R4_7_a_joker_stands_for_any_number(impl: Implementation) -> None:
    assert legal(impl, "calc", "5", "X 3 K K") == {
        "pass",
        "same X=5 on 0",
        "sum 3 X=2 on 0",
        "sum X=2 3 on 0",
        "difference X=8 3 on 0",
        "difference K X=8 on 0",
        "difference K X=5 3 on 0",
        "difference K 3 X=5 on 0",
    }


def test_R4_7_for_thirteen_at_most(impl: Implementation) -> None:
    assert legal(impl, "calc", "K", "X A Q") == {
        "pass",
        "same X=K on 0",
        "sum A Q on 0",
        "sum Q A on 0",
        "sum A X=Q on 0",
        "sum X=Q A on 0",
        "sum Q X=A on 0",
        "sum X=A Q on 0",
    }, "no joker as 14 less A"


def test_R4_8_no_finish_with_a_joker(impl: Implementation) -> None:
    assert legal(impl, "calc", "5", "X") == {"pass"}, "not alone either"
    assert legal(impl, "calc", "5", "X 3") == {"pass", "same X=5 on 0"}
    assert growths(legal(impl, "advanced", "3 | 4", "X")) == set()


def test_R4_8_unless_joker_finish_is_on(impl: Implementation) -> None:
    assert legal(impl, "calc", "5", "X", joker_finish=True) == {"pass", "same X=5 on 0"}
    assert growths(legal(impl, "advanced", "3 | 4", "X", joker_finish=True)) == {"line X=Q at 0 1"}
    assert legal(impl, "calc", "5", "X 3", joker_finish=True) == {
        "pass",
        "same X=5 on 0",
        "sum 3 X=2 on 0",
        "sum X=2 3 on 0",
        "difference X=8 3 on 0",
    }
    assert legal(impl, "calc", "4", "X 3", joker_finish=True) >= {"quotient X=Q 3 on 0"}


def test_R4_8_what_is_left_in_front_counts(impl: Implementation) -> None:
    assert "same X=5 on 0" in legal(impl, "calc-revised", "5", "X", front="9")


def test_R4_9_the_order_beneath_the_top(impl: Implementation) -> None:
    assert legal(impl, "calc", "7", "2 4 A K") == {
        "pass",
        "sum 2 4 A on 0",
        "sum A 4 2 on 0",
        "sum A 2 4 on 0",
        "difference K 2 4 on 0",
        "difference K 4 2 on 0",
    }


def test_R4_9_equals_of_the_top_lie_next_to_it(impl: Implementation) -> None:
    assert legal(impl, "calc", "8", "3 3 2 9") == {"pass", "sum 2 3 3 on 0", "sum 3 3 2 on 0"}


def test_R4_9_a_natural_card_or_a_joker_of_its_number_on_top(impl: Implementation) -> None:
    assert legal(impl, "calc", "10", "5 X 9") == {
        "pass",
        "same X=10 on 0",
        "sum 5 X=5 on 0",
        "sum X=5 5 on 0",
        "sum X=A 9 on 0",
        "sum 9 X=A on 0",
    }


def test_R4_9_natural_cards_beneath_jokers_of_their_number(impl: Implementation) -> None:
    threes = {action for action in legal(impl, "calc", "9", "3 3 X K") if action.count("3") == 3}
    assert threes == {"sum 3 3 X=3 on 0", "sum 3 X=3 3 on 0"}
    assert "sum 2 X=2 5 on 0" in legal(impl, "calc", "9", "2 X 5 Q")


def test_R4_9_the_divisor_is_on_top(impl: Implementation) -> None:
    assert legal(impl, "calc", "3", "9 3") == {"pass", "same 3 on 0", "quotient 9 3 on 0"}


def test_R4_10_two_twos_on_a_four_are_one_sum(impl: Implementation) -> None:
    assert legal(impl, "calc", "4", "2 2") == {"pass", "sum 2 2 on 0"}


def test_R4_10_the_first_pattern_names_a_play(impl: Implementation) -> None:
    assert legal(impl, "calc", "8", "8 A") == {
        "pass",
        "same 8 on 0",
        "product 8 A on 0",
        "product A 8 on 0",
    }
    assert legal(impl, "calc", "2", "4 2") == {"pass", "same 2 on 0", "difference 4 2 on 0"}


def test_R4_11_the_new_top_is_what_counts(impl: Implementation) -> None:
    game = Play(impl, "calc", "2 6 K | 6 8 K", "8")
    game.do("sum 2 6 on 0")
    assert game.legal == {"pass", "same 6 on 0"}
