"""``calcsim ask``: its answers, its rows, when it stops, what it refuses."""

from __future__ import annotations

import shlex

import pytest

from calcsim.engine import columns, driver
from calcsim.errors import UsageError
from calcsim.questions import ask as library
from calcsim.questions.ask import Limit, Setting, Tally, alternatives, line_ups, settings
from calcsim.questions.events import EVENTS, parse_event
from calcsim.rules import preset
from calcsim.stats.intervals import share, wilson
from tests.commands import Command, command_of

ROW_KEYS = {
    "event",
    "given",
    "games",
    "count",
    "estimate",
    "low",
    "high",
    "level",
    "method",
    "examples",
}


@pytest.fixture
def calcsim(capsys: pytest.CaptureFixture[str]) -> Command:
    return command_of(capsys)


def test_json_has_a_row_with_all_there_is_to_know(calcsim: Command):
    answer = calcsim("ask", "ring", "--games", "5000", "--json").json
    (row,) = answer["rows"]
    assert set(row) >= ROW_KEYS
    assert (row["event"], row["given"], row["games"], row["played"]) == ("ring", [], 5_000, 5_000)
    assert row["estimate"] == row["count"] / 5_000
    assert (row["low"], row["high"]) == wilson(row["count"], 5_000)
    assert (row["level"], row["method"], row["stopped_by"]) == (0.95, "wilson", "games")
    assert row["fingerprint"] == preset("advanced").fingerprint
    assert (row["preset"], row["differences"], row["seed"]) == ("advanced", {}, 20260101)
    assert (row["players"], row["policies"]) == (4, ["greedy"] * 4)
    assert set(answer["versions"]) == {"calcsim", "rules", "engine"}


def test_examples_are_games_where_it_happens(calcsim: Command):
    (row,) = calcsim("ask", "star", "--games", "20k", "--json", "--policy", "random").json["rows"]
    cell = driver.prepare(preset("advanced"), 4, ["random"])

    def star_turn(number: int) -> int:
        (turn,) = driver.blocks(
            cell,
            seed=row["seed"],
            first=number,
            games=1,
            map=lambda first, out: int(out[columns.game("star_turn"), 0]),
        )
        return turn

    assert len(row["examples"]) == 2
    assert row["examples"] == sorted(row["examples"])
    assert all(star_turn(number) > 0 for number in row["examples"])


def test_the_replay_command_shows_the_example(calcsim: Command):
    words = ("ask", "bonus:star", "--games", "20k", "--players", "3", "--set", "handoff=none")
    text = calcsim(*words, "--policy", "random,greedy,random").text
    (line,) = [line for line in text.splitlines() if "calcsim replay" in line]
    replay = shlex.split(line.partition("calcsim ")[2])
    assert replay[-2] == "--game"
    assert f"game {replay[-1]}" in line
    assert "star" in calcsim(*replay).text


def test_several_events_are_looked_for_in_the_same_games(calcsim: Command):
    rows = calcsim("ask", "growth", "not:growth", "star", "--games", "6000", "--json").json["rows"]
    growth, no_growth, star = rows
    assert [row["event"] for row in rows] == ["growth", "not:growth", "star"]
    assert growth["count"] + no_growth["count"] == 6_000
    assert star["count"] < growth["count"]
    (alone,) = calcsim("ask", "star", "--games", "6000", "--json").json["rows"]
    assert alone["count"] == star["count"]


def test_given_divides_by_the_games_in_which_it_holds(calcsim: Command):
    grown = calcsim("ask", "growth", "star", "--games", "6000", "--json").json["rows"]
    words = ("ask", "star", "growth", "--given", "growth", "--given", "not:stalled", "--games", "6000")
    star, growth = calcsim(*words, "--json").json["rows"]
    assert star["given"] == ["growth", "not:stalled"]
    assert (star["games"], star["played"]) == (grown[0]["count"], 6_000)
    assert star["count"] == grown[1]["count"]
    assert growth["method"] == "lower-bound"
    assert "given growth and not:stalled" in calcsim(*words).text


def test_a_condition_that_never_holds_leaves_nothing_to_divide_by(calcsim: Command):
    words = ("ask", "recycle", "--given", "star", "--rules", "calc", "--games", "1000")
    (row,) = calcsim(*words, "--json").json["rows"]
    assert (row["games"], row["estimate"], row["method"]) == (0, None, "no-games")
    assert "no games" in calcsim(*words).text


def test_a_row_for_each_cell(calcsim: Command):
    words = ("ask", "handoff", "--games", "500", "--players", "2-3", "--set", "handoff=shield,none")
    rows = calcsim(*words, "--policy", "greedy", "--policy", "random", "--json").json["rows"]
    cells = [(row["differences"].get("handoff"), row["players"], row["policies"][0]) for row in rows]
    assert cells == [
        (handoff, players, policy)
        for handoff in (None, "none")
        for players in (2, 3)
        for policy in ("greedy", "random")
    ]
    assert len({row["fingerprint"] for row in rows}) == 2
    table = calcsim(*words, "--rules", "advanced", "--rules", "calc-revised").text
    assert "calc-revised handoff=none" in " ".join(table.split())
    assert table.count("seed 20260101") >= 8


def test_columns_that_do_not_vary_are_left_out(calcsim: Command):
    header = calcsim("ask", "star", "--games", "500").text.splitlines()[0].split()
    assert header == ["event", "share", "95", "%", "interval", "count", "of", "games"]
    header = calcsim("ask", "star", "--games", "500", "--players", "2,3").text.splitlines()[0].split()
    assert header[:3] == ["event", "players", "share"]


def test_a_policy_by_seat_is_one_row(calcsim: Command):
    words = ("ask", "winner:0", "--players", "2", "--games", "500", "--json")
    (row,) = calcsim(*words, "--policy", "random,greedy").json["rows"]
    assert row["policies"] == ["random", "greedy"]
    both = calcsim(*words, "--policy", "random", "--policy", "greedy")
    assert [row["policies"] for row in both.json["rows"]] == [["random"] * 2, ["greedy"] * 2]
    assert "--policy random,greedy" in both.err


def test_the_answer_does_not_depend_on_threads(calcsim: Command):
    def rows(threads: str) -> list[dict[str, object]]:
        found = calcsim("ask", "star", "ring", "--games", "9000", "--threads", threads, "--json").json["rows"]
        return [{key: value for key, value in row.items() if key != "seconds"} for row in found]

    assert rows("1") == rows("2")


def test_a_precision_stops_as_soon_as_every_event_has_it(calcsim: Command):
    words = ("ask", "winner:0", "star", "--precision", "1%", "--json")
    one = calcsim(*words, "--threads", "1").json["rows"]
    assert {row["stopped_by"] for row in one} == {"precision"}
    assert max((row["high"] - row["low"]) / 2 for row in one) <= 0.01
    assert one[0]["games"] % columns.BLOCK == 0
    # A block less would not have done.
    before = one[0]["games"] - columns.BLOCK
    assert share(round(before * one[0]["estimate"]), before).half_width > 0.01
    two = calcsim(*words, "--threads", "2").json["rows"]
    assert [row["count"] for row in two] == [row["count"] for row in one]
    assert "stopped by --precision 1 %" in calcsim(*words[:-1]).text


def test_a_precision_that_is_not_reached_stops_at_the_cap(calcsim: Command):
    words = ("ask", "winner:0", "--precision", "0.0001", "--max-games", "6k")
    (row,) = calcsim(*words, "--json").json["rows"]
    assert (row["games"], row["stopped_by"]) == (6_000, "max-games")
    assert "stopped by --max-games before --precision 0.01 % was reached" in calcsim(*words).text


def test_a_condition_that_seldom_holds_needs_its_own_thousand_games(calcsim: Command):
    words = ("ask", "not:star", "--given", "star", "--precision", "40%", "--max-games", "24k", "--json")
    (row,) = calcsim(*words).json["rows"]
    assert row["stopped_by"] == "max-games"
    assert row["games"] < library.MIN_GAMES


def test_another_level_is_another_interval(calcsim: Command):
    words = ("ask", "ring", "--games", "4000", "--json", "--level")
    narrow, wide = (calcsim(*words, level).json["rows"][0] for level in ("0.9", "99%"))
    assert (narrow["level"], wide["level"]) == (0.9, 0.99)
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
    assert "99 % interval" in calcsim("ask", "ring", "--games", "500", "--level", "99%").text


def test_what_was_not_seen_gets_a_bound_and_what_cannot_be_is_told(calcsim: Command):
    words = ("ask", "star", "--rules", "calc", "--games", "1000")
    text = calcsim(*words).text
    assert "none seen" in text
    assert "below 0.30 %" in text
    assert "star cannot happen where growth is off" in text
    (row,) = calcsim(*words, "--json").json["rows"]
    assert (row["method"], row["examples"], row["replay"]) == ("upper-bound", [], None)
    assert row["hindrance"] == "growth is off"


def test_csv_has_the_rows(calcsim: Command):
    (row,) = calcsim("ask", "growth", "--given", "ring", "--games", "2000", "--csv").csv
    assert set(row) >= ROW_KEYS
    assert (row["event"], row["given"], row["policies"]) == (
        "growth",
        "ring",
        "greedy/greedy/greedy/greedy",
    )
    assert len(row["examples"].split()) == 2


def test_time_and_speed_go_to_stderr(calcsim: Command):
    ending = calcsim("ask", "star", "--games", "1000")
    assert "1,000 games in" in ending.err
    assert "games/s" not in ending.out


def test_list_explains_every_event(calcsim: Command):
    text = calcsim("ask", "--list").text
    assert max(map(len, text.splitlines())) <= 80
    for kind in EVENTS.values():
        assert kind.form in text
        assert " ".join(kind.doc.split()) in " ".join(text.split()) or kind.choices or len(kind.doc) > 45
    assert [row["event"] for row in calcsim("ask", "--list", "--json").json] == [
        kind.form for kind in EVENTS.values()
    ]
    assert len(calcsim("ask", "--list", "--csv").csv) == len(EVENTS)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "no event to ask for"),
        ("sttar", "unknown event 'sttar'; did you mean 'star'?"),
        ("star --given rng", "unknown event 'rng'; did you mean 'ring'?"),
        ("winner:7", "event 'winner:7' with 4 players: the seat must be from 0 to 3"),
        ("star --players 2,7", "players=7"),
        ("star --players x", "--players 'x'"),
        ("star --policy gredy", "unknown policy 'gredy'; did you mean 'greedy'?"),
        ("star --policy random,greedy", "names 2 seats, and there are 4 players"),
        ("star --rules adv", "unknown rules 'adv'"),
        ("star --set handof=none", "did you mean 'handoff'?"),
        ("star --set handoff=none,shild", "'shild'"),
        ("star --games 0", "--games '0'"),
        ("star --precision 0", "--precision '0'"),
        ("star --precision 60%", "--precision '60%'"),
        ("star --precision nan", "--precision 'nan'"),
        ("star --precision 1% --games 5", "give one of them"),
        ("star --precision 1% --max-games x", "--max-games 'x'"),
        ("star --max-games 5", "--max-games '5' is the cap of --precision"),
        ("star --level 95", "level '95'"),
        ("star --json --csv", "only one"),
        ("star --gmes 5", "--games"),
    ],
)
def test_what_is_refused(calcsim: Command, words: str, message: str):
    assert message in calcsim("ask", *words.split()).refusal


def test_points_by_place_are_one_value():
    change = "place_points=6,5,4,3,2,1"
    assert alternatives([change, "jokers=0,1"]) == [[change, "jokers=0"], [change, "jokers=1"]]
    assert alternatives([]) == [[]]
    assert alternatives(["handoff"]) == [["handoff"]]


def test_settings_are_not_repeated():
    found = settings(["calc", "calc"], [], [2], ["random", "random,random"])
    assert found == [Setting(preset("calc"), ("random", "random"))]
    with pytest.raises(UsageError, match="names 3 seats"):
        line_ups(["random,greedy,random"], 2)


def test_a_tally_keeps_the_first_games():
    tally = Tally()
    tally.add(1, [3])
    tally.add(2, [7, 9])
    tally.add(1, [11])
    assert (tally.count, tally.examples) == (4, [3, 7])


def test_the_library_answers_too():
    cell = driver.prepare(preset("calc"), 2, ["random"])
    answer = library.ask(cell, [parse_event("first-out")], [], Limit(1_500), seed=3)
    assert (answer.played, answer.games, answer.stopped_by) == (1_500, 1_500, "games")
    assert answer.shares[0].count == answer.tallies[0].count > 1_000


def test_policies_repeated_once_a_seat_are_one_line_up(calcsim: Command):
    """A name that comes twice is no second row to compare: it is the common form of a line-up."""
    words = "ask winner:0 --players 3 --policy greedy --policy random --policy random --games 2000 --json"
    rows = calcsim(*words.split()).json["rows"]
    assert [row["policies"] for row in rows] == [["greedy", "random", "random"]]
