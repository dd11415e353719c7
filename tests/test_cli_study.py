"""``calcsim study``: new, check and list; what run, report and verify refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from calcsim.cli import study as command
from calcsim.experiments.design import build_design
from calcsim.experiments.forecast import forecast
from calcsim.experiments.loading import load_study
from calcsim.experiments.plan import Luck
from tests.commands import Command, command_of

FAULTY = """\
title = "T"
question = "Q"
background = "B"
deals = 500
[vary]
handoff = ["shield", "sheild"]
[margins]
turns = -1
"""


@pytest.fixture
def calcsim(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """A command run in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return command_of(capsys)


def put(name: str, text: str) -> Path:
    path = Path("experiments") / f"{name}.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_new_study_can_be_played(calcsim: Command):
    assert calcsim("study", "new", "the-shield").text == "experiments/the-shield.toml\n"
    study = load_study("experiments/the-shield.toml")
    assert (study.name, study.title) == ("the-shield", "The shield")
    ending = calcsim("study", "new", "mine/x.toml")
    assert ending.out == "mine/x.toml\n"
    assert "calcsim study check mine/x.toml" in ending.err


def test_a_new_study_never_replaces_a_file(calcsim: Command):
    path = put("shield", "mine")
    ending = calcsim("study", "new", "shield")
    assert (ending.status, ending.out) == (2, "")
    assert "exists already" in ending.err
    assert path.read_text() == "mine"


@pytest.mark.parametrize("name", ["a b", "../a", ""])
def test_a_name_has_to_do_as_a_file_name(calcsim: Command, name: str):
    ending = calcsim("study", "new", name)
    assert ending.status == 2
    assert "letters, digits" in ending.err


def test_check_tells_cells_games_and_time(calcsim: Command):
    calcsim("study", "new", "shield")
    text = calcsim("study", "check", "shield").text
    assert "4 cells (2 variants in 2 groups), 40,000 deals, 160,000 games" in text
    assert re.search(r"about \d+ (s|min) on all cores, by the speed of games played just now", text)


def test_check_quickly_plays_nothing(calcsim: Command):
    calcsim("study", "new", "shield")
    (record,) = calcsim("study", "check", "experiments/shield.toml", "--quick", "--json").json
    assert record == {
        "name": "shield",
        "file": "experiments/shield.toml",
        "question": "Does the shield make the game shorter, or longer?",
        "variants": 2,
        "groups": 2,
        "cells": 4,
        "deals": 40_000,
        "games": 160_000,
        "may_stop_earlier": False,
    }


def test_check_prints_each_fault_in_a_line_and_what_is_sound(calcsim: Command):
    put("faulty", FAULTY)
    calcsim("study", "new", "sound")
    ending = calcsim("study", "check", "faulty", "sound", "--quick")
    assert ending.status == 2
    assert ending.out.startswith("experiments/sound.toml: can be played\n")
    assert ending.err.splitlines() == [
        "calcsim: error: experiments/faulty.toml: line 6: vary.handoff[1]: handoff='sheild': must be none, "
        "push or shield (R7.1); did you mean 'shield'?",
        "calcsim: error: experiments/faulty.toml: line 8: margins.turns: margin -1 of turns: must be above 0",
        "calcsim: 2 faults; nothing has been played",
    ]


@pytest.mark.parametrize("name", ["run", "report"])
def test_nothing_is_done_with_a_faulty_study(calcsim: Command, name: str):
    put("faulty", FAULTY)
    ending = calcsim("study", name, "faulty")
    assert (ending.status, ending.out) == (2, "")
    assert len(ending.err.splitlines()) == 2
    assert not Path("reports").exists()


@pytest.mark.parametrize("name", ["check", "run", "report", "verify"])
def test_an_unknown_study_is_refused_with_the_nearest(calcsim: Command, name: str):
    put("shield", FAULTY)
    ending = calcsim("study", name, "shild")
    assert ending.status == 2
    assert "did you mean 'shield'?" in ending.err
    assert "there is no study 'a.toml'" in calcsim("study", name, "a.toml").err


def test_list_shows_what_is_there(calcsim: Command):
    put("faulty", FAULTY)
    calcsim("study", "new", "shield")
    assert calcsim("study", "list", "--json").json == [
        {"name": "faulty", "question": "", "cells": None, "deals": None, "results": "2 faults"},
        {
            "name": "shield",
            "question": "Does the shield make the game shorter, or longer?",
            "cells": 4,
            "deals": 40_000,
            "results": "none",
        },
    ]
    lines = calcsim("study", "list").text.splitlines()
    assert lines[0].split() == ["name", "question", "cells", "deals", "results"]
    assert lines[1].split() == ["faulty", "2", "faults"]


def test_list_tells_of_which_study_the_results_are(calcsim: Command):
    calcsim("study", "new", "shield")
    path = Path("experiments/shield.toml")
    folder = Path("reports/shield")
    folder.mkdir(parents=True)

    def state(deals: int) -> str:
        manifest = {"study": effective, "deals": deals}
        (folder / "manifest.json").write_text(json.dumps(manifest))
        (row,) = calcsim("study", "list", "--json").json
        results: str = row["results"]
        return results

    effective = load_study(path).as_dict()
    assert state(40_000) == "there"
    path.write_text(path.read_text().replace("shorter, or longer", "better"))
    assert state(40_000) == "there"
    effective = {**effective, "deals": 1_000}
    assert state(1_000) == "of 1,000 deals"
    path.write_text(path.read_text().replace("turns = 2", "turns = 3"))
    assert state(40_000) == "of another version"
    (folder / "manifest.json").write_text("{")
    assert calcsim("study", "list", "--json").json[0]["results"] == "unreadable"


def test_list_of_no_studies_and_of_no_folder(calcsim: Command):
    ending = calcsim("study", "list")
    assert ending.status == 2
    assert "calcsim study new NAME" in ending.err
    Path("experiments").mkdir()
    assert calcsim("study", "list").text == "no studies in experiments\n"


def test_the_command_that_resumes_names_what_was_not_left_to_default(calcsim: Command):
    calcsim("study", "new", "shield")
    study = load_study("experiments/shield.toml")
    assert command._resuming(study, None, command.RESULTS, None, 0) == (
        "calcsim study run experiments/shield.toml"
    )
    assert command._resuming(study, 500, Path("my out"), Path("s"), 2) == (
        "calcsim study run experiments/shield.toml --deals 500 --out 'my out' --store s --threads 2"
    )


def test_an_interrupted_run_says_how_to_go_on(calcsim: Command, monkeypatch: pytest.MonkeyPatch):
    from calcsim.experiments import run

    def interrupted(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "run_study", interrupted)
    calcsim("study", "new", "shield")
    ending = calcsim("study", "run", "shield", "--deals", "1k")
    assert ending.status == 130
    assert ending.err.splitlines()[-2:] == [
        "calcsim: what was played is kept; go on with: "
        "calcsim study run experiments/shield.toml --deals 1000",
        "calcsim: interrupted",
    ]


def test_the_forecast_counts_all_games():
    design = build_design(
        vary=["ko=on,off"],
        policies=["greedy", "greedy,random,random,random"],
        metrics=["turns", "drama", "luck.deal"],
        deals=1_000,
        flow_deals=100,
        luck=Luck(100, 3),
    )
    expected = forecast(design, threads=1, seconds=0.01)
    assert (expected.cells, expected.games, expected.course_games) == (4, 10_000, 1_000)
    assert expected.luck_games == 3_000
    assert min(expected.seconds, expected.course_seconds, expected.luck_seconds) > 0
