"""Section 5: growth."""

from __future__ import annotations

import pytest

from tests.implementations import Implementation
from tests.rules.given import Play, growths, legal, only


def test_R5_1_product_or_exact_quotient_of_two_neighbours(impl: Implementation) -> None:
    assert legal(impl, "advanced", "9 | 3", "3 J J J") == {"pass", "same 3 on 1", "line 3 at 0 1"}
    assert growths(legal(impl, "advanced", "3 | 4", "Q A 7 J")) == {"line Q at 0 1"}
    assert growths(legal(impl, "advanced", "3 | 9", "3 J J J")) == {"line 3 at 0 1"}, "either over the other"
    assert growths(legal(impl, "advanced", "2 | 6", "3 Q 4 8")) == {"line 3 at 0 1", "line Q at 0 1"}


def test_R5_1_only_where_growth_is_on(impl: Implementation) -> None:
    assert growths(legal(impl, "advanced", "9 | 3", "3 J J J", growth=False)) == set()


def test_R5_1_equal_results_are_one_action(impl: Implementation) -> None:
    assert growths(legal(impl, "advanced", "5 | A", "5 5 J J")) == {"line 5 at 0 1"}


def test_R5_1_a_joker_may_be_such_a_number(impl: Implementation) -> None:
    assert growths(legal(impl, "advanced", "2 | 6", "X J J J")) == {"line X=3 at 0 1", "line X=Q at 0 1"}


def test_R5_1_a_joker_on_top_counts_with_its_number(impl: Implementation) -> None:
    assert growths(legal(impl, "advanced", "3 | 2 X=4", "Q 6 J J")) == {"line Q at 0 1"}


def test_R5_2_the_new_pile_lies_between_the_two(impl: Implementation) -> None:
    game = Play(impl, "advanced", "Q K K K K | 4 3 K K K", "3 | 4", stock="9 9 9 9")
    assert only(game.do("line Q at 0 1"), "grow")["pile"] == 2
    assert game.position["field"]["order"] == [0, 2, 1]
    assert growths(game.legal) == {"line 4 at 0 2", "line 3 at 1 2"}, "3 and 4 are neighbours no more"


def test_R5_3_a_line_of_three_is_closed_to_a_ring(impl: Implementation) -> None:
    game = Play(impl, "advanced", "3 J J J | A 3 K K", "9 | 5 | 3")
    assert growths(game.legal) == {"ring 3 at 0 2"}, "9 / 3 = 3 between the ends"
    event = only(game.do("ring 3 at 0 2"), "grow")
    assert (event["pile"], event["shape"], event["between"]) == (3, "ring", [0, 2])
    assert growths(game.legal) == {"ring 3 at 0 3", "ring A at 2 3"}, "nothing across"


def test_R5_3_nothing_across_a_ring(impl: Implementation) -> None:
    ring = legal(impl, "advanced", "2 | 5 | 6 | 7", "3 Q J J", ring=[0, 1, 2, 3])
    assert growths(ring) == set(), "2 and 6 lie across"
    ring = legal(impl, "advanced", "2 | 5 | 7 | 6", "3 Q J J", ring=[0, 1, 2, 3])
    assert growths(ring) == {"ring 3 at 0 3", "ring Q at 0 3"}, "the last and the first are neighbours"


def test_R5_3_only_a_line_of_three_unless_any_line(impl: Implementation) -> None:
    four = "9 | 5 | 7 | 3"
    assert growths(legal(impl, "advanced", four, "3 J J J")) == set()
    assert growths(legal(impl, "advanced", four, "3 J J J", ring_from="any-line")) == {"ring 3 at 0 3"}
    assert growths(legal(impl, "advanced", "9 | 3", "3 J J J", ring_from="any-line")) == {"line 3 at 0 1"}


def test_R5_4_a_number_that_fits_both_gaps_makes_a_star(impl: Implementation) -> None:
    game = Play(impl, "advanced", "3 K K K K | A 3 K K J | J J", "3 | 9 | 3", stock="8 8 8 8")
    assert growths(game.legal) == {"line 3 at 0 1", "line 3 at 1 2", "star 3 at 0 1 2"}
    event = only(game.do("star 3 at 0 1 2"), "grow")
    assert (event["pile"], event["shape"], event["between"]) == (3, "star", [0, 1, 2])
    game.do("accept")
    assert game.position["field"]["center"] == 3
    assert sorted(game.position["field"]["arms"]) == [[0], [1], [2]]


def test_R5_4_gaps_of_a_star_lie_along_its_arms(impl: Implementation) -> None:
    star = legal(impl, "advanced", "3 | 5 | 3 | 9", "3 J J J", star=(3, [[0], [1], [2]]))
    assert growths(star) == {"star 3 at 0 3", "star 3 at 2 3"}, "none between arms"
    star = legal(impl, "advanced", "2 | 5 | 7 | K | 6", "3 J J J", star=(3, [[4, 0], [1], [2]]))
    assert growths(star) == {"star 3 at 0 4"}, "outwards"
    star = legal(impl, "advanced", "2 | 5 | 7 | 6 | K", "3 J J J", star=(3, [[4, 0], [1], [2]]))
    assert growths(star) == set(), "2 is no neighbour of the centre any more"


def test_R5_4_a_new_pile_lengthens_its_arm(impl: Implementation) -> None:
    game = Play(impl, "advanced", "3 K K K | A K K K | J J J J", "3 | 9 | 3", stock="8 8 8 8 8 8 8")
    game.do("star 3 at 0 1 2", "accept", "pass", "stop", "pass", "stop", "star A at 0 3")
    assert sorted(game.position["field"]["arms"]) == [[1], [2], [4, 0]]


def test_R5_4_only_from_a_line_of_exactly_three(impl: Implementation) -> None:
    assert growths(legal(impl, "advanced", "3 | 9 | 3 | 5", "3 J J J")) == {"line 3 at 0 1", "line 3 at 1 2"}
    assert "star 3 at 0 1 2" not in legal(impl, "advanced", "3 | 9 | 5", "3 J J J")


def test_R5_5_ring_and_star_stay(impl: Implementation) -> None:
    ring = legal(impl, "advanced", "A | A | A | A", "X 9 9 9", ring=[0, 1, 2, 3])
    assert growths(ring) == {f"ring X=A at {gap}" for gap in ("0 1", "1 2", "2 3", "0 3")}
    star = legal(impl, "advanced", "A | A | A | A", "X 9 9 9", star=(3, [[0], [1], [2]]))
    assert growths(star) == {f"star X=A at {gap}" for gap in ("0 3", "1 3", "2 3")}


@pytest.mark.parametrize("piles", [8, 17, 30])
def test_R5_5_no_limit_on_the_number_of_piles(impl: Implementation, piles: int) -> None:
    tops = ["7", "8", "9", "10", "J", "Q", "K", "5"] * 4
    line = " | ".join([*tops[: piles - 2], "2", "6"])
    assert f"line 3 at {piles - 2} {piles - 1}" in legal(impl, "advanced", line, "3 4")


def test_R5_6_ids_count_up_as_piles_come_into_being(impl: Implementation) -> None:
    game = Play(impl, "advanced", "Q K K K K | 4 J J J J", "3 | 4")
    ids = [only(game.do(action), "grow")["pile"] for action in ("line Q at 0 1", "line 4 at 0 2")]
    assert ids == [2, 3]
    assert game.position["field"]["order"] == [0, 3, 2, 1]
    assert [pile[0] for pile in game.position["field"]["piles"]] == ["3", "4", "Q", "4"]


def test_R5_7_line_ring_and_star_are_different_actions(impl: Implementation) -> None:
    assert growths(legal(impl, "advanced", "A | A | A", "A 9 9 9")) == {
        "line A at 0 1",
        "line A at 1 2",
        "ring A at 0 2",
        "star A at 0 1 2",
    }
