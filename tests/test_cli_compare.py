"""``calcsim compare``: tables, formats, pictures and mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from calcsim.experiments.analysis import EFFECT_COLUMNS
from tests.commands import Command, command_of

SHIELDS = ("compare", "--vary", "handoff=shield,none", "--deals", "1000")


@pytest.fixture
def calcsim(capsys: pytest.CaptureFixture[str]) -> Command:
    return command_of(capsys)


def test_the_table_says_what_was_compared_and_by_what_margin(calcsim: Command):
    text = calcsim(*SHIELDS, "--metric", "turns=1", "--metric", "win.*=0.05").text
    assert "baseline handoff=shield: advanced (ce37b0c4a15a); 1,000 deals, 2,000 games, seed 20260101" in text
    assert "intervals at 95 %; 5 verdicts, by Holm's method" in text
    assert "4 players, greedy: handoff=none vs handoff=shield" in text
    assert "something happened otherwise on" in text
    (row,) = [line for line in text.splitlines() if line.startswith("turns ")]
    assert "1 turn " in row
    assert any(word in row for word in ("matters", "no matter", "undecided"))
    assert "±" not in text


def test_an_undecided_verdict_says_what_it_would_take(calcsim: Command):
    text = calcsim(*SHIELDS, "--metric", "turns=0.3").text
    assert "undecided" in text
    assert "more deals would decide" in text


def test_groups_are_played_for_players_and_policies(calcsim: Command):
    words = (*SHIELDS, "--players", "2-3", "--policy", "greedy", "--policy", "random", "--metric", "turns=1")
    rows = calcsim(*words, "--csv").csv
    assert tuple(rows[0]) == EFFECT_COLUMNS
    groups = [row["group"] for row in rows]
    assert groups == ["2 players, greedy", "2 players, random", "3 players, greedy", "3 players, random"]
    assert {row["seed"] for row in rows} == {"20260101"}


def test_json_has_estimates_and_effects(calcsim: Command):
    found = calcsim(*SHIELDS, "--metric", "turns=1", "--json").json
    assert found["baseline"] == "handoff=shield"
    assert (found["deals"], found["games"], found["stopped_by"]) == (1000, 2000, "deals")
    (effect,) = found["effects"]
    assert effect["low"] < effect["difference"] < effect["high"]
    assert {row["variant"] for row in found["estimates"]} == {"handoff=shield", "handoff=none"}
    again = calcsim(*SHIELDS, "--metric", "turns=1", "--json", "--threads", "1").json
    assert again == found


def test_two_factors_give_main_effects_and_interactions_with_simultaneous_intervals(calcsim: Command):
    text = calcsim(*SHIELDS, "--vary", "jokers=2,0", "--metric", "turns=1").text
    assert "main effect of handoff: shield -> none" in text
    assert "interaction of handoff: shield -> none × jokers: 2 -> 0" in text
    assert "simultaneous interval" in text


def test_games_that_did_not_end_are_shown(calcsim: Command):
    text = calcsim(*SHIELDS, "--set", "turn_limit=20", "--metric", "turns=1").text
    assert "% of 1,000 games ended by turn-limit" in text


def test_numbers_of_players_and_policies_can_be_varied_themselves(calcsim: Command):
    rows = calcsim("compare", "--vary", "players=2,4", "--deals", "500", "--metric", "turns=1", "--csv").csv
    assert [row["effect"] for row in rows] == ["players=4 vs players=2"]
    words = (
        "compare",
        "--vary",
        "policy=greedy,random",
        "--players",
        "2",
        "--deals",
        "500",
        "--metric",
        "turns=1",
    )
    assert [row["effect"] for row in calcsim(*words, "--csv").csv] == ["policy=random vs policy=greedy"]


def test_a_precision_is_played_for(calcsim: Command):
    ending = calcsim(*SHIELDS, "--metric", "turns=1", "--precision", "turns=0.001", "--max-deals", "2000")
    assert "the precision was not reached within 2,000 deals" in ending.err
    words = (*SHIELDS, "--metric", "turns=1", "--precision", "turns=1", "--json")
    assert calcsim(*words).json["stopped_by"] == "precision"


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_picture_is_drawn(calcsim: Command, tmp_path: Path, ending: str):
    path = tmp_path / f"shield.{ending}"
    calcsim(*SHIELDS, "--metric", "turns=1", "--plot", str(path))
    start = path.read_bytes()[:300]
    assert start.startswith(b"\x89PNG") if ending == "png" else b"<svg" in start or b"<?xml" in start
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "nothing to compare"),
        ("--vary hand_of=shield,none", "did you mean 'handoff'"),
        ("--vary handoff=shield,nun", "did you mean 'none'"),
        ("--vary handoff=shield,none --metric turn", "did you mean 'turns'"),
        ("--vary handoff=shield,none --metric turns=x", "turns"),
        ("--vary handoff=shield,none --metric drama", "put it into a study"),
        ("--vary handoff=shield,none --baseline nobody", "nobody"),
        ("--vary handoff=shield,none --players 7", "players"),
        ("--vary handoff=shield,none --policy greed", "did you mean 'greedy'"),
        ("--vary handoff=shield,none --deals 5", "--deals"),
        ("--vary handoff=shield,none --precision turns", "METRIC=HALF"),
        ("--vary handoff=shield,none --plot x.pdf", ".png or .svg"),
        ("--vary handoff=shield,none --json --csv", "only one"),
        ("--vary bonuses=on,off --set scoring=win", "bonuses"),
    ],
)
def test_mistakes_are_explained_in_one_line(calcsim: Command, words: str, message: str):
    ending = calcsim("compare", *words.split())
    assert (ending.status, ending.out) == (2, "")
    assert message in ending.err
    assert ending.err.startswith("calcsim: error: ")
    assert ending.err.count("\n") == 1


def test_in_python_it_gives_tables_and_a_figure():
    import calcsim

    found = calcsim.compare(vary={"handoff": ["shield", "none"]}, players=2, deals=300, metrics=["turns=1"])
    assert list(found.effects.metric) == ["turns"]
    assert found.figure().axes
    with pytest.raises(calcsim.UsageError, match="put it into a study"):
        calcsim.compare(vary={"handoff": ["shield", "none"]}, metrics=["drama"])
