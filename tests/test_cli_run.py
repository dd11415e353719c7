"""``calcsim run``: every figure of one cell, as an object, as CSV and as a table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calcsim.rules import load_rules, preset
from tests.commands import Command, command_of

KEYS = {"rules", "fingerprint", "players", "policies", "games", "seed", "seconds", "figures"}


@pytest.fixture
def calcsim(capsys: pytest.CaptureFixture[str]) -> Command:
    return command_of(capsys)


def test_json_is_one_object(calcsim: Command):
    found = calcsim("run", "--rules", "calc", "--players", "2", "--games", "3000", "--json").json
    assert set(found) >= KEYS
    assert found["rules"] == preset("calc").as_dict()
    assert found["fingerprint"] == preset("calc").fingerprint
    assert (found["players"], found["policies"]) == (2, ["greedy", "greedy"])
    assert (found["games"], found["seed"], found["level"]) == (3_000, 20260101, 0.95)
    assert found["seconds"] > 0
    estimate, error, low, high = found["figures"]["turns"]
    assert low < estimate < high
    assert high - low == pytest.approx(2 * 1.959964 * error)
    p5, p50, p95 = (found["percentiles"]["turns"][p][0] for p in ("5", "50", "95"))
    assert p5 < p50 < p95


@pytest.mark.parametrize("players", [2, 4, 6])
def test_json_has_every_published_figure(calcsim: Command, players: int):
    path = Path(__file__).parent / "data" / "statistics.json"
    published = json.loads(path.read_text(encoding="utf-8"))
    names = {name for entry in published if entry["players"] == players for name in entry["figures"]}
    found = calcsim("run", "--players", str(players), "--games", "4000", "--json").json["figures"]
    assert names <= set(found)
    assert all(len(values) == 4 for values in found.values())


def test_shares_are_numbers_even_where_nothing_was_seen(calcsim: Command):
    found = calcsim("run", "--rules", "calc", "--games", "1000", "--json").json["figures"]
    estimate, error, low, high = found["share.star"]
    assert (estimate, error, low) == (0, 0, 0)
    assert high == pytest.approx(0.00299, rel=1e-2)
    assert found["end.first-out"][3] == 1
    assert "star_turn" not in found


def test_policies_are_one_for_all_or_one_for_each_seat(calcsim: Command):
    words = ("run", "--rules", "calc", "--players", "2", "--games", "1000", "--json")
    mixed = calcsim(*words, "--policy", "random", "--policy", "greedy").json
    assert mixed["policies"] == ["random", "greedy"]
    assert calcsim(*words, "--policy", "random").json["policies"] == ["random", "random"]


def test_changes_show_up_with_the_rules(calcsim: Command):
    words = ("run", "--set", "handoff=none", "--set", "jokers=0", "--games", "500")
    found = calcsim(*words, "--json").json
    rules = load_rules("advanced", ["handoff=none", "jokers=0"])
    assert found["rules"] == rules.as_dict()
    assert (found["preset"], found["differences"]) == ("advanced", {"jokers": 0, "handoff": "none"})
    assert f"{rules.label} ({rules.fingerprint})" in calcsim(*words).text


def test_figures_do_not_depend_on_threads(calcsim: Command):
    words = ("run", "--games", "9000", "--json", "--threads")
    one, two = (calcsim(*words, threads).json for threads in ("1", "2"))
    assert one["figures"] == two["figures"]
    assert one["percentiles"] == two["percentiles"]


def test_csv_has_a_line_for_each_figure(calcsim: Command):
    words = ("run", "--games", "4000", "--seed", "5")
    rows = calcsim(*words, "--csv").csv
    found = calcsim(*words, "--json").json["figures"]
    assert [row["figure"] for row in rows] == list(found)
    assert [float(row["estimate"]) for row in rows] == [values[0] for values in found.values()]
    by_name = {row["figure"]: row for row in rows}
    assert by_name["turns"]["unit"] == "turns"
    assert by_name["share.star"]["unit"] == "share"
    assert by_name["left_by_place.2"]["per"] == "seat with that place"
    assert {(row["games"], row["seed"], row["players"]) for row in rows} == {("4000", "5", "4")}


def test_the_table_shows_every_figure_and_fits(calcsim: Command):
    words = ("run", "--games", "4000")
    text = calcsim(*words).text
    found = calcsim(*words, "--json").json["figures"]
    lines = [line.split() for line in text.splitlines()]
    names = {line[0] for line in lines if line}
    assert set(found) <= names
    assert max(map(len, text.splitlines())) <= 80
    assert "nan" not in text
    assert "inf" not in names
    assert text.splitlines()[0].startswith("advanced (")
    assert "seed 20260101" in text.splitlines()[0]


def test_one_game_is_enough_for_a_table(calcsim: Command):
    words = ("run", "--games", "1")
    assert "one only" in calcsim(*words).text
    found = calcsim(*words, "--json").json["figures"]
    assert found["turns"][1:] == [None, None, None]
    row = next(row for row in calcsim(*words, "--csv").csv if row["figure"] == "turns")
    assert (row["error"], row["low"], row["high"]) == ("", "", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--rules calcc", "unknown rules 'calcc'"),
        ("--rules calc --players 5", "players=5"),
        ("--policy rnd", "unknown policy 'rnd'"),
        ("--policy random --policy greedy", "2"),
        ("--games -5", "--games"),
        ("--level 1.5", "level '1.5'"),
        ("--seed x", "--seed 'x'"),
        ("--json --csv", "only one"),
    ],
)
def test_what_is_refused(calcsim: Command, words: str, message: str):
    assert message in calcsim("run", *words.split()).refusal
