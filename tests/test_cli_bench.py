"""``calcsim bench``: what it measures, and how it says so."""

from __future__ import annotations

import os

import pytest

from calcsim.engine import driver
from calcsim.errors import CalcsimError
from calcsim.questions import speed as library
from calcsim.rules import preset
from tests.commands import Command, command_of

QUICK = ("bench", "--games", "2000", "--no-start", "--threads", "2")


@pytest.fixture
def calcsim(capsys: pytest.CaptureFixture[str]) -> Command:
    return command_of(capsys)


def test_rows_are_rules_by_players_by_policy_by_threads(calcsim: Command):
    found = calcsim(*QUICK, "--rules", "calc", "--json").json
    cells = [(row["players"], row["policies"], row["threads"]) for row in found["rows"]]
    assert cells == [(n, policy, t) for n in (2, 4) for policy in ("random", "greedy") for t in (1, 2)]
    row = found["rows"][0]
    assert row["games"] == 2_000
    for what in ("games", "turns", "decisions"):
        assert row[f"{what}_per_second"] > 0
        assert row[f"{what}_per_processor_second"] > 0
    assert row["games_per_second"] < row["turns_per_second"] < row["decisions_per_second"]
    assert row["games_per_second"] == pytest.approx(2_000 / row["seconds"], rel=0.05)
    assert (row["rules"], row["fingerprint"]) == ("calc", preset("calc").fingerprint)
    assert found["cores"] == os.cpu_count()
    assert found["cold_start_seconds"] is None


def test_one_thread_is_measured_once(calcsim: Command):
    words = ("bench", "--games", "500", "--no-start", "--threads", "1", "--rules", "calc", "--players", "3")
    rows = calcsim(*words, "--policy", "random,greedy,random", "--csv").csv
    assert [(row["threads"], row["policies"]) for row in rows] == [("1", "random/greedy/random")]


def test_the_table_says_what_is_measured(calcsim: Command):
    ending = calcsim(*QUICK, "--players", "2", "--policy", "random", "--set", "turn_limit=50")
    lines = ending.text.splitlines()
    assert lines[0].split() == [
        "rules",
        "players",
        "policy",
        "threads",
        "games/s",
        "turns/s",
        "decisions/s",
        "games/cpu",
        "s",
    ]
    assert {line.split()[0] for line in lines[1:] if not line.startswith(" ")} >= {"calc", "advanced"}
    assert "2 players, random, 2 threads" in ending.err


def test_a_measurement_lasts_about_as_long_as_asked():
    cell = driver.prepare(preset("calc"), 2, ["random"])
    found = library.speed(cell, seed=1, threads=1, seconds=0.3)
    assert 0.05 < found.wall < 2
    assert found.games > 2_000
    assert found.turns < found.decisions


def test_starts_are_shown(calcsim: Command, monkeypatch: pytest.MonkeyPatch):
    times = iter([31.4, 1.5] * 2)
    monkeypatch.setattr(library, "_command_seconds", lambda surroundings: next(times))
    words = ("bench", "--games", "500", "--rules", "calc", "--players", "2", "--policy", "random")
    assert "first start, compiling all: 31.4 s; second start: 1.5 s" in calcsim(*words).text
    found = calcsim(*words, "--json").json
    assert (found["cold_start_seconds"], found["warm_start_seconds"]) == (31.4, 1.5)


def test_a_start_that_fails_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(library.sys, "executable", "/bin/false")
    with pytest.raises(CalcsimError, match="cannot time a start"):
        library.start_seconds()


@pytest.mark.slow
def test_a_first_start_compiles_and_a_second_does_not():
    cold, warm = library.start_seconds()
    assert warm < 10 < cold


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--games 0", "--games '0'"),
        ("--seconds 0", "--seconds"),
        ("--rules calc --players 5", "players=5"),
        ("--policy gredy", "did you mean 'greedy'?"),
    ],
)
def test_what_is_refused(calcsim: Command, words: str, message: str):
    assert message in calcsim("bench", *words.split()).refusal
