"""Section 8: the stock."""

from __future__ import annotations

from tests.implementations import Implementation
from tests.rules.given import Play, kinds, only


def test_R8_1_all_but_the_top_runs_becomes_the_stock(impl: Implementation) -> None:
    game = Play(impl, "calc", "2 6 K | 9 9 K | 6 J J", "8", stock="K", recycles=["2 8"])
    game.do("sum 2 6 on 0", "pass", "stop")
    assert game.position["field"]["piles"] == [["6"]]


def test_R8_1_at_once_when_a_draw_takes_the_last_card(impl: Implementation) -> None:
    game = Play(impl, "calc", "2 6 K | 9 9 K", "8", stock="Q", recycles=["2 8"])
    events = game.do("sum 2 6 on 0", "pass")
    assert kinds(events) == ["play", "pass", "draw", "recycle"]
    assert events[2]["cards"] == ["Q"]
    assert events[3]["stock"] == ["2", "8"]
    events = game.do("stop", "pass")
    assert only(events, "draw")["cards"] == ["2"], "the next card first"


def test_R8_1_a_run_on_top_stays(impl: Implementation) -> None:
    game = Play(impl, "calc", "2 6 K | 6 9 K | J J", "8", stock="Q", recycles=["8 2"])
    game.do("sum 2 6 on 0", "same 6 on 0", "pass")
    assert game.position["field"]["piles"] == [["6", "6"]]


def test_R8_1_jokers_lose_their_numbers(impl: Implementation) -> None:
    game = Play(impl, "calc", "A X 9 9 | 3 K K", "4", stock="Q", recycles=["A 4"])
    game.do("sum A X=3 on 0", "same 3 on 0", "pass")
    assert game.position["field"]["piles"] == [["X=3", "3"]], "a joker in the top run stays"
    game = Play(impl, "calc", "A X 9 9 | 5 2 K", "4", stock="Q", recycles=["X A 4 5"])
    events = game.do("sum A X=3 on 0", "difference 5 2 on 0", "pass")
    assert only(events, "recycle")["stock"] == ["X", "A", "4", "5"]
    assert only(game.do("stop", "pass"), "draw")["cards"] == ["X"]


def test_R8_1_tried_again_before_a_draw_from_an_empty_stock(impl: Implementation) -> None:
    game = Play(impl, "calc", "9 K J | 2 6 K", "8", stock="Q", recycles=["8 2"])
    assert kinds(game.do("pass", "stop")) == ["pass", "draw", "stop"], "nothing to recycle"
    events = game.do("sum 2 6 on 0", "pass")
    assert kinds(events) == ["play", "pass", "recycle", "draw"]
    assert only(events, "draw")["cards"] == ["8"]


def test_R8_1_nothing_is_drawn_where_nothing_is_to_be_had(impl: Implementation) -> None:
    game = Play(impl, "calc", "9 K J | 2 6 K", "8", stock="Q")
    events = game.do("pass", "stop", "pass", "stop")
    assert [event["cards"] for event in events if event["event"] == "draw"] == [["Q"], []]


def test_R8_1_within_a_penalty(impl: Implementation) -> None:
    game = Play(impl, "calc", "2 3 4 K | J J J", "9", stock="Q", recycles=["9 3 2"])
    game.do("sum 2 3 4 on 0")
    events = game.do("accept")
    assert kinds(events) == ["penalty", "recycle", "draw"]
    assert only(events, "draw")["cards"] == ["Q", "9"], "the old stock's cards first"


def test_R8_2_stock_out_ends_a_pass_without_a_play(impl: Implementation) -> None:
    game = Play(impl, "calc-revised", "2 6 K | 6 6 K", "8", stock="9")
    game.do("sum 2 6 on 0")
    events = game.do("pass")
    assert kinds(events) == ["pass", "draw", "end"]
    assert events[-1]["reason"] == "stock-out"


def test_R8_2_stock_out_cuts_a_penalty_short(impl: Implementation) -> None:
    game = Play(impl, "calc-revised", "2 3 4 K | J J J", "9", stock="Q")
    game.do("sum 2 3 4 on 0")
    events = game.do("accept")
    assert kinds(events) == ["penalty", "draw", "end"]
    assert (events[0]["draw"], events[1]["cards"], events[2]["reason"]) == (2, ["Q"], "stock-out")


def test_R8_3_a_pass_recycles_before_the_play(impl: Implementation) -> None:
    game = Play(impl, "calc", "A X 9 9 | A 9 K", "4", stock="Q", recycles=["A 4"])
    game.do("sum A X=3 on 0")
    assert "under-joker A on 0" in game.legal
    assert kinds(game.do("pass")) == ["pass", "draw", "recycle"]
    assert "under-joker A on 0" not in game.legal, "the ace is in the new stock"


def test_R8_3_a_penalty_of_no_cards_recycles_nothing(impl: Implementation) -> None:
    game = Play(
        impl,
        "advanced",
        "9 8 5 | K A 9 9 | 3 5 5 7",
        "3 | Q | 3",
        stock="10",
        recycles=["K Q"],
        streak_penalty=1,
    )
    game.do("pass", "stop", "difference K A on 1", "star 3 at 0 1 2")
    events = game.do("accept")
    assert kinds(events) == ["penalty", "draw"]
    assert (events[0]["halved"], events[0]["draw"], events[1]["cards"]) == (True, 0, [])
    assert kinds(game.do("pass")) == ["pass", "recycle", "draw"], "now a card is due"
