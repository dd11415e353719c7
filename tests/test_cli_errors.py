"""How commands end: one line and an exit status, whatever is wrong; and the options all of them share."""

from __future__ import annotations

import contextlib
import errno
import gc
import io
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from calcsim.cli import common
from calcsim.cli import main as entry
from calcsim.cli.progress import Progress
from calcsim.errors import CalcsimError, PolicyError, UsageError
from calcsim.rules import preset
from calcsim.version import __version__


@pytest.fixture(autouse=True)
def _thaw() -> Iterator[None]:
    """`main` leaves the garbage collector frozen, as a process about to end may."""
    yield
    gc.unfreeze()


@dataclass
class Ending:
    status: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """The one line on stderr; nothing is on stdout."""
        assert self.out == ""
        assert self.err.endswith("\n")
        assert self.err.count("\n") == 1
        return self.err.rstrip("\n")


@pytest.fixture
def calcsim(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ending]:
    monkeypatch.delenv("CALCSIM_TRACEBACK", raising=False)

    def run(*words: str) -> Ending:
        status = entry.main(words)
        out, err = capsys.readouterr()
        return Ending(status, out, err)

    return run


def process(*words: str, **options) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "calcsim", *words], text=True, stderr=subprocess.PIPE, **options
    )


# What cannot be parsed.


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["rnu"], "unknown command 'rnu'; did you mean 'run'? (see 'calcsim --help')"),
        (["zzzz"], "unknown command 'zzzz' (see 'calcsim --help')"),
        (["--versoin"], "unknown option '--versoin'; did you mean '--version'? (see 'calcsim --help')"),
        (["rules"], "missing command: must be one of list, show, diff, explain (see 'calcsim rules --help')"),
        (["rules", "shwo"], "unknown command 'shwo'; did you mean 'show'? (see 'calcsim rules --help')"),
        (["rules", "show"], "missing argument 'PRESET|FILE' (see 'calcsim rules show --help')"),
        (
            ["rules", "list", "calc"],
            "got unexpected extra argument(s) (calc) (see 'calcsim rules list --help')",
        ),
        (["rules", "show", "calc", "--set"], "option '--set' requires an argument"),
        (["rules", "show", "calc", "--jsno"], "unknown option '--jsno'; did you mean '--json'?"),
        (["rules", "show", "calc", "--json=3"], "option '--json' does not take a value"),
        (
            ["rules", "show", "calcs"],
            "unknown rules 'calcs': must be calc, calc-revised, advanced or a TOML file",
        ),
        (["rules", "show", "no\nsuch"], "unknown rules 'no\\nsuch'"),
        (
            ["run", "--ganes", "3"],
            "unknown option '--ganes'; did you mean '--games'? (see 'calcsim run --help')",
        ),
        (["run", "--games", "many"], "--games 'many': must be a whole number from 1 to 1,000,000,000,000"),
        (["run", "--games", "0"], "--games '0': must be"),
        (["run", "--games", "1.5"], "--games '1.5': must be"),
        (["run", "--games", "1e999999999"], "--games '1e999999999': must be"),
        (["run", "--games", "nan"], "--games 'nan': must be"),
        (["run", "--games", ""], "--games '': must be"),
        (["run", "--seed", "-1"], "--seed '-1': must be a whole number from 0 to"),
        (["run", "--threads", "-1"], "--threads '-1': must be a whole number from 0 to 1,024"),
        (["run", "--players", "four"], "--players 'four': must be a whole number from 2 to 6"),
        (["run", "--players", "7"], "players=7: max_players=6"),
        (["run", "--players", "1"], "players=1: at least 2 have to play"),
        (["run", "--players", "5", "--rules", "calc"], "players=5: max_players=4 in rules 'calc'"),
        (["run", "--players", "6", "--set", "hand_size=9"], "hand_size=9: 6 players"),
        (["run", "--rules", "calcs"], "unknown rules 'calcs'"),
        (["run", "--rules", "no.toml"], "cannot read rules from 'no.toml': No such file or directory"),
        (["run", "--set", "growth=on", "--rules", "calc"], "growth=on with start_piles=1"),
        (["run", "--set", "hand=5"], "unknown rule field 'hand'"),
        (["run", "--policy", "greddy"], "did you mean 'greedy'?"),
        (["run", "--policy", "greedy", "--policy", "random"], "policy: 2 names for 4 players"),
        (["run", "--json", "--csv"], "--json and --csv: only one of them"),
        (["ask"], "'calcsim ask"),
        (["ask", "sta"], "did you mean 'star'?"),
        (
            ["ask", "star", "--players", "2-"],
            "--players '2-': must be a number, a list like 2,3,4 or a range",
        ),
        (["ask", "star", "--players", "7"], "players=7: max_players=6"),
        (["trace", "--players", "7"], "players=7: max_players=6"),
        (["trace", "--policy", "greddy"], "did you mean 'greedy'?"),
    ],
)
def test_what_is_wrong_with_the_command_line_is_one_line_and_status_2(calcsim, words, sentence):
    ending = calcsim(*words)
    assert ending.line.startswith("calcsim: error: ")
    assert sentence in ending.line
    assert ending.status == 2


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]])
def test_help_lists_every_command(calcsim, words):
    ending = calcsim(*words)
    assert (ending.status, ending.err) == (0, "")
    for name in ("ask", "run", "bench", "trace", "legal", "replay", "rules", "policies"):
        assert f"\n  {name} " in ending.out
    assert "\x1b" not in ending.out


@pytest.mark.parametrize("name", ["ask", "run", "bench", "trace", "legal", "replay", "rules", "policies"])
def test_every_command_has_help_without_escape_codes(calcsim, name: str):
    ending = calcsim(name, "--help")
    assert (ending.status, ending.err) == (0, "")
    assert ending.out.startswith(f"Usage: calcsim {name} ")
    assert "\x1b" not in ending.out
    assert "Parameters" not in ending.out


def test_version(calcsim):
    ending = calcsim("--version")
    assert (ending.status, ending.out, ending.err) == (0, f"calcsim {__version__}\n", "")


# What goes wrong later.


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (CalcsimError("no luck"), 1, "calcsim: error: no luck"),
        (UsageError("bad\nname"), 2, "calcsim: error: bad name"),
        (PolicyError("illegal action"), 3, "calcsim: error: illegal action"),
        (KeyboardInterrupt(), 130, "calcsim: interrupted"),
        (
            OSError(errno.ENOSPC, "No space left on device"),
            1,
            "calcsim: error: cannot write: no space left on device",
        ),
        (
            PermissionError(errno.EACCES, "Permission denied", "x.csv"),
            1,
            "calcsim: error: 'x.csv': permission denied",
        ),
        (OSError("odd"), 1, "calcsim: error: odd"),
        (MemoryError(), 1, "calcsim: error: out of memory"),
        (
            KeyError("seat"),
            1,
            "calcsim: error: unexpected KeyError: 'seat'; run again with --traceback to see where",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_errors_are_one_line(calcsim, monkeypatch, error: BaseException, status: int, line: str):
    def fail(words: list[str]) -> int:
        raise error

    monkeypatch.setattr(entry, "_run", fail)
    ending = calcsim("run")
    assert ending.line == line
    assert ending.status == status


def test_a_reader_that_went_away_is_no_error(calcsim, monkeypatch):
    def fail(words: list[str]) -> int:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(entry, "_run", fail)
    ending = calcsim("run")
    assert (ending.status, ending.out, ending.err) == (141, "", "")


@pytest.mark.parametrize("code", [None, 0, 3, "why"])
def test_exits_keep_their_status(calcsim, monkeypatch, code):
    def leave(words: list[str]) -> int:
        raise SystemExit(code)

    monkeypatch.setattr(entry, "_run", leave)
    assert calcsim("run").status == {None: 0, "why": 1}.get(code, code)


@pytest.mark.parametrize(
    "words", [["--traceback", "rules", "show", "x"], ["rules", "show", "x", "--traceback"]]
)
def test_traceback_shows_where_wherever_it_stands(calcsim, words):
    ending = calcsim(*words)
    assert ending.err.startswith("Traceback (most recent call last):")
    assert ending.err.splitlines()[-1].startswith("calcsim: error: unknown rules 'x'")
    assert ending.status == 2


def test_traceback_by_the_environment(calcsim, monkeypatch):
    monkeypatch.setenv("CALCSIM_TRACEBACK", "1")
    assert calcsim("rnu").err.startswith("Traceback")
    monkeypatch.setenv("CALCSIM_TRACEBACK", "0")
    assert calcsim("rnu").line.startswith("calcsim: error: unknown command")


def test_after_two_dashes_traceback_is_a_word(calcsim):
    assert calcsim("rules", "show", "--", "--traceback").line.startswith(
        "calcsim: error: unknown rules '--traceback'"
    )


# Whole processes.


def test_module_and_help_take_little_processor_time():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    shown = process("--help", stdout=subprocess.PIPE, check=True)
    refused = process("run", "--ganes", "3", stdout=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (shown.stderr, refused.returncode) == ("", 2)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2.0


def test_a_full_disk_is_one_line():
    with open("/dev/full", "w") as full:
        run = process("rules", "explain", "6", stdout=full)
    assert (run.returncode, run.stderr) == (1, "calcsim: error: cannot write: no space left on device\n")


def test_a_closed_pipe_is_silent():
    reader, writer = os.pipe()
    os.close(reader)
    run = process("rules", "explain", "6", stdout=writer)
    os.close(writer)
    assert (run.returncode, run.stderr) == (141, "")


def test_no_stdout_at_all_is_no_traceback():
    run = process("rules", "explain", "6", preexec_fn=lambda: os.close(1))
    assert (run.returncode, run.stderr) == (0, "")


def test_no_stderr_at_all_keeps_the_status():
    words = [sys.executable, "-m", "calcsim", "rnu"]
    run = subprocess.run(words, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: os.close(2))
    assert (run.returncode, run.stdout) == (2, "")


def test_a_narrow_encoding_shows_what_it_can():
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    run = process("rules", "explain", "5.1", stdout=subprocess.PIPE, env=environment)
    assert (run.returncode, run.stderr) == (0, "")
    assert "x ? y" in " ".join(run.stdout.split())


def test_an_argument_that_is_no_text_is_refused():
    words = [sys.executable, "-m", "calcsim", "rules", "show", b"\xff"]
    run = subprocess.run(words, capture_output=True)
    assert run.returncode == 2
    assert run.stderr.count(b"\n") == 1


# Options.


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("1_000", 1000),
        ("250k", 250_000),
        ("2e5", 200_000),
        ("1.5M", 1_500_000),
        (" 7 ", 7),
        ("1G", 10**9),
    ],
)
def test_whole_numbers_are_read(text: str, value: int):
    assert common.parse_whole(text, "--games", 1, 10**9) == value


@pytest.mark.parametrize(
    "text", ["", "k", "0", "-3", "1.5", "0.0001k", "1e10", "inf", "-inf", "nan", "sNaN", "1 0", "ten"]
)
def test_what_is_no_whole_number(text: str):
    with pytest.raises(UsageError, match=r"^--games '.*': must be a whole number from 1 to 1,000,000,000$"):
        common.parse_whole(text, "--games", 1, 10**9)


@pytest.mark.parametrize(
    ("text", "players"),
    [("4", [4]), ("2,3,4", [2, 3, 4]), ("2-6", [2, 3, 4, 5, 6]), ("4, 2-3 ,4", [4, 2, 3]), ("7", [7])],
)
def test_numbers_of_players_are_read(text: str, players: list[int]):
    assert common.parse_players(text) == players


@pytest.mark.parametrize("text", ["", ",", "2,", "a", "2-", "-2", "4-2", "2-3-4", "2.0", "1-99999999"])
def test_what_is_no_number_of_players(text: str):
    with pytest.raises(UsageError, match=r"^--players '.*': must be a number, a list like 2,3,4 or a range"):
        common.parse_players(text)


def test_line_ups():
    assert common.line_up(None, 3) == ("greedy",) * 3
    assert common.line_up([], 2) == ("greedy",) * 2
    assert common.line_up(["random"], 2) == ("random", "random")
    assert common.line_up(["random", "greedy"], 2) == ("random", "greedy")
    with pytest.raises(UsageError, match="policy: 3 names for 2 players; give one, or one for each seat"):
        common.line_up(["random"] * 3, 2)
    with pytest.raises(UsageError, match=r"unknown policy 'greddy'; did you mean 'greedy'\?"):
        common.line_up(["greddy"], 2)
    with pytest.raises(UsageError, match=r"policy 'no\.py:first': there is no file 'no\.py'"):
        common.line_up(["no.py:first"], 2)


def test_formats():
    assert common.output_format(False, False) == "table"
    assert common.output_format(True, False) == "json"
    assert common.output_format(False, True) == "csv"
    with pytest.raises(UsageError, match="only one of them"):
        common.output_format(True, True)


def test_provenance_names_everything_needed_to_play_again():
    rules = preset("advanced").replace(handoff="none")
    line = common.provenance_line(rules, 2, ("random", "greedy"), 1_000_000, 7)
    assert line == (
        f"advanced handoff=none ({rules.fingerprint}), 2 players, random/greedy, 1,000,000 games, seed 7"
    )


def test_json_is_json_whatever_the_numbers(capsys):
    import numpy as np

    common.write_json(
        {
            "a": float("nan"),
            "b": [float("-inf"), 0.5, True, None],
            "c": np.int64(3),
            "d": np.array([1.5, np.inf]),
            1: ("カ",),
        }
    )
    text = capsys.readouterr().out
    assert text.count("\n") == 1
    assert json.loads(text) == {
        "a": None,
        "b": [None, 0.5, True, None],
        "c": 3,
        "d": [1.5, None],
        "1": ["カ"],
    }


def test_csv_has_a_header_and_empty_cells(capsys):
    common.write_csv([{"name": "a,b", "n": 1.5}, {"name": "c", "n": None}])
    assert capsys.readouterr().out == 'name,n\n"a,b",1.5\nc,\n'
    common.write_csv([])
    assert capsys.readouterr().out == ""


# Progress.


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def lines_of_progress(calls: list[tuple[float, int]], total: int) -> list[str]:
    """What is printed where stderr is no terminal, for (time, games done) calls."""
    clock, stream = Clock(), io.StringIO()
    with contextlib.redirect_stderr(stream), Progress(total, clock=clock) as progress:
        for now, done in calls:
            clock.now = now
            progress(done)
    return stream.getvalue().splitlines()


def test_short_runs_show_nothing():
    assert lines_of_progress([(0.1, 10), (1.4, 90), (5.0, 95), (9.9, 100)], 100) == []


def test_long_runs_show_a_line_every_ten_seconds():
    calls = [(float(now), 1000 * now) for now in range(1, 26)]
    assert lines_of_progress(calls, 100_000) == [
        "calcsim: playing: 10,000 of 100,000 games, 1,000 games/s, 1 min 30 s left",
        "calcsim: playing: 20,000 of 100,000 games, 1,000 games/s, 1 min 20 s left",
    ]


def test_speed_leaves_out_what_came_before_the_first_games():
    assert lines_of_progress([(50.0, 1000), (60.0, 2000), (70.0, 3000)], 3500)[1:] == [
        "calcsim: playing: 2,000 of 3,500 games, 100 games/s, 15 s left",
        "calcsim: playing: 3,000 of 3,500 games, 100 games/s, 5 s left",
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_a_bar_and_takes_it_away():
    clock, stream = Clock(), Terminal()
    with contextlib.redirect_stderr(stream), Progress(4000, clock=clock) as progress:
        for clock.now in (1.0, 2.0, 3.0):
            progress(round(1000 * clock.now))
    text = stream.getvalue()
    assert "3,000 of 4,000 games, 1,000 games/s, 1 s left" in text
