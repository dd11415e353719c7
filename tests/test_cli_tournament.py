"""``calcsim tournament``: tables, formats, pictures and mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import Command, command_of

THREE = ("--policy", "random", "--policy", "greedy", "--policy", "greedy:forbid=growth")
FIELD = ("tournament", *THREE, "--players", "3", "--deals", "200")
GAUNTLET = (*FIELD, "--gauntlet", "greedy")


@pytest.fixture
def calcsim(capsys: pytest.CaptureFixture[str]) -> Command:
    return command_of(capsys)


def test_the_best_stand_first_and_what_was_played_is_said(calcsim: Command):
    ending = calcsim(*FIELD)
    text = ending.text
    assert "200 deals in 27 seatings: 5,400 games" in ending.err
    assert "advanced (ce37b0c4a15a), 3 players; 200 deals, each in 27 seatings of 10 line-ups" in text
    assert "5,400 games, seed 20260101" in text
    assert "fair share of the games: 33.33 %; intervals at 95 %" in text
    assert "filled by a fair draw" in text
    rows = [line.split() for line in text.splitlines()]
    ranked = [row[0] for row in rows if row and row[-1] in ("0-2", "1-0")]
    assert ranked[-1] == "random"
    assert len(ranked) == 3
    assert "who finishes ahead" in text
    assert "strengths" in text
    assert "fit: " in text
    assert "±" not in text
    assert max(len(line) for line in text.splitlines() if ";" not in line) <= 80


def test_a_gauntlet_shows_the_hero_among_each(calcsim: Command):
    text = calcsim(*GAUNTLET).text
    assert "gauntlet: greedy alone among copies of each other policy" in text
    (row,) = [line for line in text.splitlines() if line.startswith("random ") and "more" in line]
    assert "%" in row
    assert "mean of all: " in text


def test_json_has_all_numbers_and_does_not_depend_on_threads(calcsim: Command):
    found = calcsim(*FIELD, "--json").json
    assert found == calcsim(*FIELD, "--json", "--threads", "1").json
    assert (found["deals"], found["seatings"], found["line_ups"], found["games"]) == (200, 27, 10, 5400)
    assert (found["hero"], found["stopped_by"], found["lower_scores_win"]) == (None, "deals", False)
    assert len(found["standings"]) == len(found["pairs"]) == 3
    for one in found["standings"]:
        estimate, error, low, high = one["win"]
        assert low < estimate < high
        assert error > 0
    assert sum(one["win"][0] for one in found["standings"]) == pytest.approx(1)


def test_csv_has_a_row_for_each_number(calcsim: Command):
    rows = calcsim(*FIELD, "--csv").csv
    assert [row["number"] for row in rows[:4]] == ["win", "score", "place", "strength"]
    assert {row["against"] for row in rows if row["number"] == "win"} == {""}
    assert {row["interval"] for row in rows if row["number"] == "ahead"} == {"simultaneous"}
    assert {row["seed"] for row in rows} == {"20260101"}
    rows = calcsim(*GAUNTLET, "--csv").csv
    assert len([row for row in rows if row["number"] == "bout.win"]) == 2


def test_low_scores_are_said_to_win_where_they_do(calcsim: Command):
    words = (*FIELD, "--rules", "calc-revised", "--set", "scoring=rank-points")
    assert "score (low wins)" in calcsim(*words).text


def test_a_precision_is_played_for(calcsim: Command):
    words = ("tournament", *THREE[:4], "--players", "2", "--rules", "calc")
    assert calcsim(*words, "--precision", "1%", "--json").json["stopped_by"] == "precision"
    ending = calcsim(*words, "--precision", "0.01%", "--max-deals", "1100")
    assert "the precision was not reached within 1,100 deals" in ending.err


@pytest.mark.parametrize("words", [FIELD, GAUNTLET], ids=["field", "gauntlet"])
@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_picture_is_drawn(calcsim: Command, tmp_path: Path, words: tuple[str, ...], ending: str):
    path = tmp_path / f"standings.{ending}"
    calcsim(*words, "--plot", str(path))
    start = path.read_bytes()[:300]
    assert start.startswith(b"\x89PNG") if ending == "png" else b"<svg" in start or b"<?xml" in start
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "0 policies: a tournament takes 2 to 12"),
        ("--policy greedy", "1 policy"),
        ("--policy greedy --policy greddy", "did you mean 'greedy'"),
        ("--policy greedy --policy greedy", "given twice"),
        ("--policy greedy --gauntlet greedy", "a gauntlet takes its hero and 1"),
        ("--policy greedy --policy random --players 7", "players"),
        ("--policy greedy --policy random --deals 5", "--deals"),
        ("--policy greedy --policy random --precision 2", "--precision"),
        ("--policy greedy --policy random --precision x", "0.5% or 0.005"),
        ("--policy greedy --policy random --precision 1% --max-deals 5", "--max-deals"),
        ("--policy greedy --policy random --plot x.pdf", ".png or .svg"),
        ("--policy greedy --policy random --json --csv", "only one"),
        ("--policy greedy --policy random --level 2", "level"),
    ],
)
def test_mistakes_are_explained_in_one_line(calcsim: Command, words: str, message: str):
    assert message in calcsim("tournament", *words.split()).refusal
