"""``calcsim metagame``, ``restricted`` and ``skill``: tables, formats, pictures and mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import Command, command_of

METAGAME = ("metagame", "--policy", "greedy", "--policy", "random", "--players", "2", "--deals", "200")
RESTRICTED = ("restricted", "--players", "2", "--deals", "200")
SKILL = ("skill", "--policy", "greedy", "--policy", "random", "--players", "2", "--deals", "1000")
ALL = {"metagame": METAGAME, "restricted": RESTRICTED, "skill": SKILL}


@pytest.fixture
def calcsim(capsys: pytest.CaptureFixture[str]) -> Command:
    return command_of(capsys)


def test_the_metagame_is_shown_as_a_table_of_newcomers_and_what_survives(calcsim: Command):
    text = calcsim(*METAGAME).text
    assert "advanced (ce37b0c4a15a), 2 players; 200 deals, 400 games, seed 20260101" in text
    assert "a difference of 1 point in the share of games won matters" in text
    (row,) = [line for line in text.splitlines() if line.startswith("[1] greedy ")]
    assert "*" in row
    assert "from 100 % of the starts: greedy alone" in text
    assert "greedy dominates" in text
    (greedy,) = [line for line in text.splitlines() if line.startswith("greedy  ")]
    assert greedy.split()[3:7] == ["100", "%", "100", "%"]


def test_the_payoff_table_is_printed_as_csv(calcsim: Command):
    words = ("--policy", "greedy:forbid=growth", "--players", "3", "--margin", "5%")
    rows = calcsim(*METAGAME, *words, "--csv").csv
    assert list(rows[0]) == ["line_up", "policy", "copies", "share", "error"]
    assert len(rows) == 6 * 2 + 3
    for line_up in {row["line_up"] for row in rows}:
        here = [row for row in rows if row["line_up"] == line_up]
        assert sum(int(row["copies"]) * float(row["share"]) for row in here) == pytest.approx(1)


def test_the_metagame_is_printed_as_json(calcsim: Command):
    found = calcsim(*METAGAME, "--json").json
    assert found == calcsim(*METAGAME, "--json", "--threads", "1").json
    assert found["dominant"] == "greedy"
    assert [one["policy"] for one in found["survival"]] == ["greedy", "random"]
    assert {"invasions", "attractors", "alpha_rank", "payoffs", "course"} <= set(found)


def test_restricted_play_is_shown_for_each_part(calcsim: Command):
    text = calcsim(*RESTRICTED).text
    assert "2 players, greedy: each wins 50 % in full" in text
    for part in ("shield", "growth", "joker-hold", "avoid", "multiply-finish"):
        assert any(line.startswith(f"{part} ") for line in text.splitlines())
    assert "5 verdicts" in text


def test_restricted_play_says_where_nothing_changed(calcsim: Command):
    text = calcsim(*RESTRICTED, "--rules", "calc", "--forbid", "shield").text
    (row,) = [line for line in text.splitlines() if line.startswith("shield ")]
    assert row.split()[-1] == "none"
    assert "no matter" in row
    assert "±" not in text


def test_restricted_play_is_printed_as_csv_and_json(calcsim: Command):
    words = (*RESTRICTED, "--players", "2-3", "--forbid", "shield", "--forbid", "growth+avoid")
    rows = calcsim(*words, "--csv").csv
    assert [(row["players"], row["forbidden"]) for row in rows] == [
        (players, part) for players in "23" for part in ("shield", "growth+avoid")
    ]
    assert len(calcsim(*words, "--json").json["worths"]) == 4


def test_skill_and_luck_are_shown_for_each_rule_set(calcsim: Command):
    text = calcsim(*SKILL, "--rules", "calc", "--rules", "advanced", "--margin", "2%").text
    assert "calc, 2 players" in text
    assert "advanced, 2 players" in text
    assert "chance in play" in text
    assert "ladder of 2: greedy > random" in text
    assert "a lead of more than 2 points" in text
    assert "nan" not in text
    assert "inf" not in text


def test_skill_and_luck_are_printed_as_csv_and_json(calcsim: Command):
    rows = calcsim(*SKILL, "--csv").csv
    assert [row["what"] for row in rows] == ["share"] * 5 + ["lead", "games to tell", "ladder"]
    (table,) = calcsim(*SKILL, "--json").json["tables"]
    assert table["duels"][0]["better"] == "greedy"


@pytest.mark.parametrize(
    ("command", "ending"), [("metagame", "png"), ("restricted", "svg"), ("skill", "png")]
)
def test_pictures_are_drawn(calcsim: Command, tmp_path: Path, command: str, ending: str):
    path = tmp_path / f"it.{ending}"
    assert calcsim(*ALL[command], "--plot", str(path)).text
    start = path.read_bytes()[:300]
    assert start.startswith(b"\x89PNG") if ending == "png" else b"<?xml" in start
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_many_policies_fit_the_picture(calcsim: Command, tmp_path: Path):
    names = ["shield", "growth", "multiply-finish"]
    words = [word for name in names for word in ("--policy", f"greedy:forbid={name}")]
    assert calcsim(*METAGAME, *words, "--margin", "5%", "--plot", str(tmp_path / "it.png")).text
    assert (tmp_path / "it.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("metagame", "give 2 to 12"),
        ("metagame --policy greedy", "give 2 to 12"),
        ("metagame --policy greedy --policy greedy", "twice"),
        ("metagame --policy greedy --policy randon", "did you mean 'random'"),
        ("metagame --policy greedy --policy random --margin 0", "--margin"),
        ("metagame --policy greedy --policy random --plot x.pdf", ".png or .svg"),
        ("metagame --policy greedy --policy random --deals 5", "--deals"),
        ("metagame --policy greedy --policy random --players 7", "players"),
        ("metagame --policy greedy --policy random --json --csv", "only one"),
        ("restricted --forbid sheild", "did you mean 'shield'"),
        ("restricted --policy greedy:forbid=growth", "without forbid="),
        ("restricted --policy greed", "did you mean 'greedy'"),
        ("restricted --players 2,9", "players"),
        ("restricted --margin x", "--margin"),
        ("skill --policy greedy", "give 2 to 12"),
        ("skill --policy greedy --policy random --rules calk", "did you mean 'calc'"),
        ("skill --policy greedy --policy random --deals 10", "--deals"),
    ],
)
def test_mistakes_are_explained_in_one_line(calcsim: Command, words: str, message: str):
    ending = calcsim(*words.split())
    assert message in ending.refusal
    assert ending.err.startswith("calcsim: error: ")
