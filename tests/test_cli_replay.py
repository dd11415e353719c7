"""``calcsim replay``: games of a file, of stdin, and played anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from calcsim.cli import replay as command
from calcsim.errors import PolicyError, UsageError

CALC = Path(__file__).parent / "data" / "traces" / "calc.jsonl"

app = typer.Typer(rich_markup_mode=None)
app.command()(command.replay)


def replay(*words: str, stdin: str | None = None) -> str:
    run = CliRunner().invoke(app, list(words), input=stdin, catch_exceptions=False)
    assert (run.exit_code, run.stderr) == (0, "")
    return run.stdout


def refused(*words: str) -> str:
    run = CliRunner().invoke(app, list(words))
    assert isinstance(run.exception, UsageError), run.output
    assert run.stdout == ""
    return str(run.exception)


def games_in(path: Path) -> list[list[str]]:
    games: list[list[str]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if json.loads(line)["event"] == "game":
            games.append([])
        games[-1].append(line)
    return games


def test_a_game_of_a_file_is_told():
    third = json.loads(games_in(CALC)[3][0])
    text = replay(str(CALC), "--game", "3")
    assert text.startswith(
        f"game {third['game']} of seed {third['seed']}: calc, {third['players']} players\n"
    )
    assert text.count("\nend after ") == 1
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text


def test_all_games_of_a_file_are_told():
    assert replay(str(CALC)).count("\nend after ") == len(games_in(CALC))


def test_a_trace_on_stdin():
    text = CALC.read_text(encoding="utf-8")
    assert replay("-", "--game", "2", stdin=text) == replay(str(CALC), "--game", "2")


def test_json_is_the_trace():
    printed = replay(str(CALC), "--game", "1", "--json").splitlines()
    assert list(map(json.loads, printed)) == list(map(json.loads, games_in(CALC)[1]))


def test_colour_when_asked():
    assert "\x1b[1m" in replay(str(CALC), "--game", "0", "--colour", "always")
    assert "\x1b[1m" in replay(str(CALC), "--game", "0", "--color", "always")


@pytest.mark.parametrize(
    ("terminal", "no_color", "colour", "wanted"),
    [
        (True, None, "auto", True),
        (True, "1", "auto", False),
        (True, "", "auto", True),
        (False, None, "auto", False),
        (False, None, "always", True),
        (True, None, "never", False),
    ],
)
def test_colour_is_for_terminals(monkeypatch, terminal, no_color, colour, wanted):
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color is not None:
        monkeypatch.setenv("NO_COLOR", no_color)
    assert command.wants_colour(colour, terminal) is wanted


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "which game? give --game N, or the trace file that holds it"),
        (["--game", "one"], "--game 'one': must be a whole number"),
        (["--game", "-1"], "--game '-1': must be a whole number"),
        (["--game", "0", "--rules", "clac"], "unknown rules 'clac'"),
        (["--game", "0", "--set", "jokers=3"], "jokers=3"),
        (["--game", "0", "--players", "7"], "players=7"),
        (
            ["--game", "0", "--players", "3", "--policy", "random", "--policy", "greedy"],
            "for 3 players",
        ),
        (["--game", "0", "--colour", "alwys"], "--colour: 'alwys' must be one of auto, always, never"),
        ([str(CALC), "--game", "99"], f"--game 99: {str(CALC)!r} holds 14 games, numbers 0 to 13"),
        (
            [str(CALC), "--players", "3"],
            "--players with a trace file: the file says how its games were played",
        ),
        ([str(CALC), "--set", "jokers=1"], "--set with a trace file"),
        (["nowhere.jsonl"], "cannot read 'nowhere.jsonl': No such file"),
    ],
)
def test_wrong_input_is_refused(words, message):
    told = refused(*words)
    assert message in told
    assert "\n" not in told


def test_a_single_game_is_counted_as_one(tmp_path):
    path = tmp_path / "one.jsonl"
    path.write_text("\n".join(games_in(CALC)[0]), encoding="utf-8")
    assert "holds one game, number 0" in refused(str(path), "--game", "1")


def test_a_game_is_played_anew():
    words = ["--game", "5", "--rules", "calc", "--players", "2", "--policy", "random", "--seed", "3"]
    text = replay(*words)
    assert text.startswith("game 5 of seed 3: calc, 2 players\n")
    assert "\nend after " in text
    events = list(map(json.loads, replay(*words, "--json").splitlines()))
    assert (events[0]["seed"], events[0]["game"], events[0]["policies"]) == (3, 5, ["random", "random"])
    assert replay("-", stdin="\n".join(map(json.dumps, events))) == text


def test_a_game_that_a_policy_breaks_is_told_up_to_there(monkeypatch):
    from calcsim.notation import trace

    def broken(rules, policies, seed, game):
        error = PolicyError("policy 'mine' broke down")
        error.log = list(map(json.loads, games_in(CALC)[0][:4]))
        raise error

    monkeypatch.setattr(trace, "trace_events", broken)
    run = CliRunner().invoke(app, ["--game", "0"])
    assert isinstance(run.exception, PolicyError)
    assert "turn 1: seat 0" in run.stdout
    assert "end after" not in run.stdout
