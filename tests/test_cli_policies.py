"""``calcsim policies``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from calcsim import players, policies
from calcsim.policies.features import FEATURES
from calcsim.policies.naming import RESTRICTIONS
from calcsim.policies.registry import BUILT_IN
from tests.commands import Command, command_of

BAD = """
from calcsim import policy

@policy(risk=(0.5, 0.0, 1.0))
def bad(view, legal, n, params, rng):
    '''Does not count well.'''
    return n if n > 5 else 0
"""


@pytest.fixture
def calcsim(capsys: pytest.CaptureFixture[str]) -> Command:
    return command_of(capsys)


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    path = tmp_path / "bad.py"
    path.write_text(BAD, encoding="utf-8")
    return path


def test_list_names_everybody_and_what_all_take(calcsim: Command) -> None:
    text = calcsim("policies", "list").text
    assert all(name in text for name in (*policies.names(), *RESTRICTIONS))
    records = calcsim("policies", "list", "--json").json
    assert [record["name"] for record in records] == list(policies.names())
    assert all(record["summary"] for record in records)
    options = {record["name"]: [option["name"] for option in record["options"]] for record in records}
    assert options["greedy"] == []
    assert options["weighted"] == [feature.name for feature in FEATURES]


def test_show_says_what_a_player_weighs(calcsim: Command) -> None:
    text = calcsim("policies", "show", "sensible").text
    assert "advanced, 4 players" in text
    assert "jokers" in text
    record = calcsim("policies", "show", "sensible", "--json").json
    assert record["form"] == "built-in"
    assert set(record["weights"]) <= {feature.name for feature in FEATURES}
    assert all(record["weights"].values())
    assert calcsim("policies", "show", "greedy", "--json").json["weights"] == {}


def test_show_reads_a_file(calcsim: Command, bad: Path) -> None:
    text = calcsim("policies", "show", f"{bad}:bad").text
    assert "Does not count well." in text
    assert "0 to 1" in text
    record = calcsim("policies", "show", f"{bad}:bad", "--json").json
    assert record["options"] == [{"name": "risk", "default": 0.5, "least": 0.0, "greatest": 1.0, "about": ""}]
    assert record["form"] == "policy"


def test_show_reads_weights(calcsim: Command, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[weights]\ncards = 1.0\njokers = -0.5\n", encoding="utf-8")
    assert calcsim("policies", "show", str(path), "--json").json["weights"] == {"cards": 1.0, "jokers": -0.5}
    assert "-0.5" in calcsim("policies", "show", str(path)).text


@pytest.mark.parametrize("words", [("show", "greddy"), ("check", "greddy")])
def test_unknown_players_are_refused(calcsim: Command, words: tuple[str, ...]) -> None:
    assert "did you mean 'greedy'?" in calcsim("policies", *words).refusal


def test_features_describe_all_that_can_be_read(calcsim: Command) -> None:
    text = calcsim("policies", "features").text
    assert max(map(len, text.splitlines())) <= 80
    assert all(tool.name in text for tool in players.TOOLS)
    rows = calcsim("policies", "features", "--csv").csv
    assert len(rows) == len(players.TOOLS) + len(FEATURES)
    assert all(row["meaning"] and row["values"] and row["clause"] for row in rows)
    assert calcsim("policies", "features", "--json").json[0]["name"] == "kind(action)"


def test_new_writes_players_once(calcsim: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ending = calcsim("policies", "new", "mine/players")
    assert ending.text == "mine/players.py\n"
    assert "calcsim policies check mine/players.py:careful" in ending.err
    written = Path("mine/players.py").read_text(encoding="utf-8")
    assert "mine/players.py:careful" in written
    assert max(map(len, written.splitlines())) <= 110
    assert "exists already" in calcsim("policies", "new", "mine/players.py").refusal
    assert calcsim("policies", "show", "mine/players.py:moody").text.startswith("mine/players.py:moody: ")
    text = calcsim("policies", "check", "mine/players.py:moody:patience=1", "--positions", "300").text
    assert text.count("\nok ") == 9
    assert "decisions a second" in text


def test_check_says_what_is_wrong_and_ends_with_1(calcsim: Command, bad: Path) -> None:
    ending = calcsim("policies", "check", f"{bad}:bad", "--positions", "200")
    assert ending.status == 1
    assert "WRONG  legal: answers" in ending.out
    assert "WRONG  parameters: declares risk" in ending.out
    assert "2 things wrong" in ending.out
    assert "not tried" in ending.out


def test_check_gives_the_position(calcsim: Command, bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import json

    ending = calcsim("policies", "check", f"{bad}:bad", "--positions", "200", "--json")
    assert ending.status == 1
    record = json.loads(ending.out)
    assert record["sound"] is False
    assert [wrong["check"] for wrong in record["wrong"]] == ["legal", "parameters"]
    path = bad.with_suffix(".json")
    path.write_text(json.dumps(record["wrong"][0]["position"]), encoding="utf-8")
    assert len(calcsim("legal", str(path)).json["legal"]) > 5


def test_check_refuses_the_yardsticks(calcsim: Command) -> None:
    assert "no function to check" in calcsim("policies", "check", "greedy").refusal
    assert "--positions" in calcsim("policies", "check", "sensible", "--positions", "0").refusal


@pytest.mark.slow
def test_a_new_player_plays_within_seconds_without_compiling_the_engine_again(tmp_path: Path) -> None:
    """From writing the file to games: what is compiled is the file alone."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "calcsim", *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )

    run("ask", "star", "--games", "10")
    run("policies", "new", "mine.py")
    ended = run("ask", "star", "--policy", "mine.py:careful", "--games", "1000")
    assert "compiling" not in ended.stderr
    assert "sound" in run("policies", "check", "mine.py:careful", "--positions", "100", "--json").stdout


def test_every_built_in_with_options_describes_them() -> None:
    for entry in BUILT_IN.values():
        assert all(option.doc for option in entry.options), entry.name
