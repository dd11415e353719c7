"""``calcsim tune`` as a command."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from calcsim.cli.tune import _Progress
from calcsim.experiments.evolution import Generation
from calcsim.experiments.league import Measure
from calcsim.rules import preset
from tests.commands import Command, command_of

SHORT = [
    "--rules", "calc", "--players", "2", "--generations", "2", "--population", "4", "--deals", "20",
    "--check", "200", "--seed", "5",
]  # fmt: skip


@pytest.fixture
def calcsim(capsys: pytest.CaptureFixture[str]) -> Command:
    return command_of(capsys)


def test_it_writes_weights_that_can_be_played(calcsim: Command, tmp_path: Path):
    out = tmp_path / "mine.toml"
    ending = calcsim("tune", *SHORT, "--league", "greedy, sensible", "--out", str(out))
    header, greedy, sensible = ending.text.splitlines()[:3]
    assert header.split()[:3] == ["among", "copies", "of"]
    assert greedy.startswith("greedy")
    assert sensible.startswith("sensible")
    assert "equal players win 50 % each" in ending.text
    assert tomllib.loads(out.read_text())["found"]["league"] == ["greedy", "sensible"]
    played = calcsim(
        "run", "--rules", "calc", "--players", "2", "--policy", str(out), "--games", "100", "--json"
    )
    assert played.status == 0


def test_json_tells_all_of_it(calcsim: Command, tmp_path: Path):
    out = tmp_path / "mine.toml"
    told = calcsim("tune", *SHORT, "--out", str(out), "--json").json
    assert told["weights"] == pytest.approx(tomllib.loads(out.read_text())["weights"])
    assert [generation["number"] for generation in told["generations"]] == [1, 2]
    assert (told["fair"], told["check_deals"], told["league"]) == (0.5, 200, ["greedy"])
    assert set(told["held_out"][0]) == {"rival", "value", "before", "gain"}


def test_a_longer_tuning_goes_on_from_a_shorter_one(calcsim: Command, tmp_path: Path):
    out = str(tmp_path / "mine.toml")
    first = calcsim("tune", *SHORT, "--out", out, "--json").json["generations"]
    longer = calcsim("tune", *SHORT, "--generations", "3", "--out", out, "--json").json["generations"]
    assert longer[:2] == first
    assert len(longer) == 3
    refusal = calcsim("tune", *SHORT, "--seed", "6", "--out", out).refusal
    assert "is of a tuning with another seed (5, not 6)" in refusal


def test_scores_can_be_wanted(calcsim: Command, tmp_path: Path):
    words = [*SHORT, "--rules", "calc-revised", "--objective", "score", "--out", str(tmp_path / "mine.toml")]
    text = calcsim("tune", *words).text
    assert "points" in text
    assert "%" not in text.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--objective", "wins"], "--objective 'wins': must be win or score; did you mean 'win'?"),
        (["--out", "mine.txt"], "--out 'mine.txt': must end in .toml, as --policy takes it"),
        (["--sigma", "0"], "--sigma 0: must be a number from 0.001 to 10"),
        (["--population", "3"], "--population '3': must be a whole number from 4 to 1,000"),
        (["--league", "greedy,gredy"], "unknown policy 'gredy'"),
        (["--start", "greedy"], "--start 'greedy': has no weights"),
        (["--players", "5"], "players=5: max_players=4"),
    ],
)
def test_what_cannot_be_done_is_refused(calcsim: Command, tmp_path: Path, words: list[str], sentence: str):
    ending = calcsim("tune", *SHORT, "--out", str(tmp_path / "mine.toml"), *words)
    assert sentence in ending.refusal
    assert list(tmp_path.iterdir()) == []


def test_progress_names_the_best_so_far(capsys: pytest.CaptureFixture[str]):
    progress = _Progress(3, Measure("win", preset("advanced"), 4), rivals=1)
    for number, value in enumerate((0.31, 0.36, 0.34), start=1):
        progress(Generation(number, 0, 200, (0.3,), (1.0,), 0.3, (value, 0.1)))
    (line,) = capsys.readouterr().err.splitlines()
    assert "round 3 of 3: 34.0 % against the league (fair share 25 %), best so far 36.0 %" in line
    assert "200 deals each, sigma 0.30, about 0 s left" in line
