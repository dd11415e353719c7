"""``calcsim duel``: what it says, formats and mistakes."""

from __future__ import annotations

import pytest

from tests.commands import Command, command_of

PLAIN = ("duel", "greedy", "random", "--players", "2", "--rules", "calc")


@pytest.fixture
def calcsim(capsys: pytest.CaptureFixture[str]) -> Command:
    return command_of(capsys)


def test_a_decision_and_an_estimate_from_other_deals(calcsim: Command):
    text = calcsim(*PLAIN).text
    assert "calc (c7f0524f2924), 2 players: greedy against random, seed 20260101" in text
    assert "is greedy's advantage 0.00 pp (or less), or +1.00 pp (or more)? risks 5 % and 5 %" in text
    assert "closer to +1.00 pp than to 0.00 pp (ratio +" in text
    assert "fresh deals 100,000 to 100,999, 2,000 games; intervals at 95 %" in text
    assert "advantage of greedy" in text
    assert "deals until the better one is ahead with 95 %" in text


def test_it_says_when_it_cannot_decide(calcsim: Command):
    text = calcsim(*PLAIN, "--max-deals", "400", "--bounds", "8%,8.1%", "--fresh-deals", "0").text
    assert "undecided after 400 deals, 800 games" in text
    assert "--max-deals 400 is reached" in text
    assert "more deals would decide" in text
    assert "fresh" not in text


def test_larger_tables_show_both_alone(calcsim: Command):
    words = ("duel", "greedy", "random", "--players", "3", "--set", "scoring=rank-points", "--set")
    text = calcsim(*words, "bonuses=false", "--fresh-deals", "200").text
    assert "greedy alone wins" in text
    assert "random alone wins" in text
    assert "(low wins)" in text


def test_json_has_the_test_and_the_estimate(calcsim: Command):
    found = calcsim(*PLAIN, "--json").json
    assert found == calcsim(*PLAIN, "--json", "--threads", "1").json
    test, fresh = found["test"], found["fresh"]
    assert (test["decision"], test["bounds"], test["max_deals"]) == ("high", [0.0, 0.01], 100_000)
    assert test["ratio"] >= test["stops_at"][1]
    assert test["games"] == 2 * test["deals"]
    assert (fresh["first_deal"], fresh["deals"]) == (100_000, 1000)
    estimate, _, low, high = fresh["advantage"]
    assert low < estimate < high
    assert calcsim(*PLAIN, "--json", "--fresh-deals", "0").json["fresh"] is None


def test_csv_has_a_row_for_each_number(calcsim: Command):
    rows = calcsim(*PLAIN, "--csv").csv
    assert [row["number"] for row in rows][:2] == ["advantage", "win.first_alone"]
    assert {(row["first"], row["decision"]) for row in rows} == {("greedy", "high")}
    (row,) = calcsim(*PLAIN, "--csv", "--fresh-deals", "0").csv
    assert (row["decision"], row["number"], row["estimate"]) == ("high", "", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("greedy", "B"),
        ("greedy greddy", "did you mean 'greedy'"),
        ("greedy greedy", "against itself"),
        ("greedy random --players 9", "players"),
        ("greedy random --bounds 0.01", "--bounds"),
        ("greedy random --bounds 0.01,0", "the first must be the lower one"),
        ("greedy random --bounds 1,2", "--bounds"),
        ("greedy random --alpha 0.7", "--alpha"),
        ("greedy random --beta x", "--beta"),
        ("greedy random --max-deals 10", "--max-deals"),
        ("greedy random --fresh-deals 10", "100 or more, or 0"),
        ("greedy random --json --csv", "only one"),
    ],
)
def test_mistakes_are_explained_in_one_line(calcsim: Command, words: str, message: str):
    assert message in calcsim("duel", *words.split()).refusal
