"""Studies of strategies kept as files: read, played, taken up again, reported, verified."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calcsim
from calcsim.experiments.loading import StudyError, load_study, study_from_dict
from calcsim.experiments.run import run_study
from calcsim.experiments.strategies import codec, kinds, running
from calcsim.experiments.strategies.design import KINDS, OUTCOMES, StrategyStudy
from calcsim.report.strategies import build
from calcsim.report.strategy_answers import say
from calcsim.stats.intervals import Estimate
from tests.commands import Command, command_of

HEAD = """\
title = "T"
question = "Who?"
background = "Players try to get rid of their cards."
policies = ["random", "greedy"]
seed = 7
"""

SMALL = {
    "tournament": 'rules = ["calc", "advanced"]\ndeals = 100\nplayers = 3\n',
    "metagame": 'rules = "calc"\ndeals = 100\nplayers = 2\nmargin = 0.02\n',
    "restricted": 'rules = "advanced"\ndeals = 100\nplayers = [2, 3]\nforbid = ["growth", "shield"]\n',
    "skill": 'rules = ["calc", "advanced"]\ndeals = 1_000\nplayers = 2\n',
}


def put(kind: str, more: str = "", path: str = "experiments/s.toml") -> Path:
    found = Path(path)
    found.parent.mkdir(exist_ok=True)
    found.write_text(f'kind = "{kind}"\n{HEAD}{SMALL[kind]}{more}', encoding="utf-8")
    return found


def small(kind: str, more: str = "") -> StrategyStudy:
    study = load_study(put(kind, more))
    assert isinstance(study, StrategyStudy)
    return study


def faults(text: str) -> list[str]:
    path = Path("faulty.toml")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError) as caught:
        load_study(path)
    return [line.removeprefix("faulty.toml: ") for line in caught.value.lines]


def run(study: StrategyStudy, out: str = "reports", **more: Any) -> running.StrategyResults:
    found = run_study(study, root=Path("store"), out=Path(out), **more)
    assert isinstance(found, running.StrategyResults)
    return found


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    return command_of(capsys)


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_study_is_sound_and_its_sentences_can_be_filled_in(command: Command, kind: str):
    assert command("study", "new", "mine", "--kind", kind).text == "experiments/mine.toml\n"
    (record,) = command("study", "check", "mine", "--quick", "--json").json
    assert (record["kind"], record["cells"]) == (kind, 2)
    study = load_study("experiments/mine.toml")
    assert isinstance(study, StrategyStudy)
    assert study.answer.keys() == OUTCOMES[kind].keys()


def test_an_unknown_kind_is_refused_with_the_nearest(command: Command):
    assert "did you mean 'skill'?" in command("study", "new", "x", "--kind", "skil").refusal
    assert not Path("experiments").exists()
    assert (
        "line 1: kind: unknown kind 'turnament'; did you mean 'tournament'?"
        in faults(f'kind = "turnament"\n{HEAD}')[0]
    )


def test_a_study_of_rules_may_say_so(command: Command):
    command("study", "new", "rules")
    path = Path("experiments/rules.toml")
    path.write_text('kind = "rules"\n' + path.read_text())
    assert load_study(path).title == "Rules"


def test_all_faults_are_told_with_their_lines():
    text = (
        'kind = "metagame"\n'
        'title = ""\n'
        'question = "Q"\n'
        'background = "B"\n'
        'policies = ["random", "gredy"]\n'
        "deals = 5\n"
        'rules = ["calc", "calk"]\n'
        'forbid = ["growth"]\n'
        "margin = 0.9\n"
    )
    lines = faults(text)
    assert [line.partition(": ")[0] for line in lines] == [f"line {n}" for n in (2, 5, 6, 7, 8, 9)]
    assert "did you mean 'greedy'?" in lines[1]
    assert "rules[1]: unknown rules 'calk'" in lines[3]
    assert "belongs to studies of kind 'restricted'" in lines[4]


@pytest.mark.parametrize(
    ("kind", "more", "said"),
    [
        ("tournament", "margin = 0.1", "margin: a study of kind 'tournament' has none"),
        ("tournament", 'hero = "nobody"', "hero: unknown policy 'nobody'"),
        ("tournament", "vary = {}", "vary: unknown key"),
        ("tournament", "[main]\nplayers = 6", "main: no such table is played; there are: calc, 3 players"),
        ("metagame", '[main]\npolicy = "greedy"', "main.policy: only restricted play asks"),
        ("metagame", '[answer]\nfirst = "x"', "answer.first: unknown outcome 'first'"),
        ("metagame", '[answer]\none = "{who}"', "answer.one: unknown {who}"),
        ("skill", "[[tables]]\nplayers = 2", "rules: rules and [[tables]]: give one of them"),
        ("skill", "set = { jokrs = 1 }", "set.jokrs: unknown rule field 'jokrs'"),
        ("restricted", '[main]\npolicy = "gredy"', "main.policy: 'gredy' does not play; did you mean"),
    ],
)
def test_each_fault_is_told_in_plain_words(kind: str, more: str, said: str):
    lines = faults(f'kind = "{kind}"\n{HEAD}{SMALL[kind]}{more}')
    assert any(said in line for line in lines), lines


def test_tables_can_be_listed_with_deals_of_their_own():
    text = HEAD + "deals = 100\n[[tables]]\nrules = 'calc'\nplayers = [2, 3]\n"
    Path("s.toml").write_text(f'kind = "tournament"\n{text}[[tables]]\ndeals = 200\nplayers = 2\n')
    study = load_study("s.toml")
    assert isinstance(study, StrategyStudy)
    cells = study.design.cells()
    assert [(c.place.label, c.deals) for c in cells] == [
        ("calc, 2 players", 100),
        ("calc, 3 players", 100),
        ("advanced, 2 players", 200),
    ]
    assert kinds.total_games(study.design) == 100 * 4 + 100 * 8 + 200 * 4
    assert {cell.deals for cell in study.design.with_deals(300).cells()} == {300}
    assert (
        "'skill' share a figure" in faults(f'kind = "skill"\n{text}deals = 2_000\n'.replace("100", "1000"))[0]
    )


def test_the_effective_study_is_read_back_as_it_was():
    for kind in KINDS:
        study = small(kind, '[main]\npolicy = "greedy"\n' if kind == "restricted" else "")
        again = study_from_dict(json.loads(json.dumps(study.as_dict())))
        assert again == study


@pytest.mark.parametrize("kind", KINDS)
def test_results_do_not_depend_on_threads(kind: str):
    study = small(kind)
    games: list[int] = []
    run(study, threads=1, progress=games.append)
    assert games[-1] == kinds.total_games(study.design)
    found = run_study(study, root=Path("other"), out=Path("again"), threads=2)
    for name in ("results.csv", "results.json", "manifest.json"):
        assert (found.folder / name).read_bytes() == Path(f"reports/s/{name}").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_the_report_of_each_kind_opens_with_the_answer(kind: str, command: Command):
    run(small(kind))
    found = command("study", "report", "s").text.splitlines()
    assert {"reports/s/report.md", "reports/s/report.html", "reports/s/figures/main.svg"} <= set(found)
    lines = Path("reports/s/report.md").read_text(encoding="utf-8").splitlines()
    assert (lines[0], lines[2]) == ("# T", "*Who?*")
    assert lines[4].startswith("**")
    assert " deals (" in lines[4]
    assert command("study", "list", "--json").json[0]["results"] == "there"


def test_results_are_verified_report_and_all(command: Command):
    run(small("tournament"))
    command("study", "report", "s")
    assert command("study", "verify", "s").text == "s: the same, byte for byte\n"
    table = Path("reports/s/results.csv")
    table.write_text(table.read_text().replace("0", "1", 1))
    ending = command("study", "verify", "s")
    assert ending.status == 1
    assert "results.csv was changed after it was written" in ending.out


def test_the_numbers_are_those_of_the_commands(command: Command):
    study = small("tournament")
    found = run(study)
    rows = command(
        *("tournament", "--policy", "random", "--policy", "greedy", "--rules", "advanced", "--players", "3"),
        *("--deals", "100", "--seed", "7", "--csv"),
    ).csv
    wins = {row["policy"]: float(row["estimate"]) for row in rows if row["number"] == "win"}
    table = found.table
    here = table[(table.rules == "advanced") & (table.players == 3) & (table.what == "win")]
    assert dict(zip(here.policy, here.estimate, strict=True)) == pytest.approx(wins, rel=1e-9)
    assert set(table.verdict) <= {"", "ahead", "behind", "undecided"}


def test_a_run_that_was_killed_goes_on_with_the_table_it_was_at(monkeypatch: pytest.MonkeyPatch):
    study = small("tournament")
    played: list[str] = []
    play = kinds.play

    def dying(design: Any, cell: Any, *rest: Any) -> Any:
        if played:
            raise KeyboardInterrupt
        played.append(cell.place.label)
        return play(design, cell, *rest)

    def counted(design: Any, cell: Any, *rest: Any) -> Any:
        played.append(cell.place.label)
        return play(design, cell, *rest)

    monkeypatch.setattr(running, "play", dying)
    with pytest.raises(KeyboardInterrupt):
        run(study)
    assert not Path("reports").exists()
    monkeypatch.setattr(running, "play", counted)
    run(study)
    assert played == ["calc, 3 players", "advanced, 3 players"]
    run(study, out="again")
    assert len(played) == 2
    assert Path("again/s/results.json").read_bytes() == Path("reports/s/results.json").read_bytes()
    kept = sorted(Path("store").rglob("*.npz"))
    kept[0].write_bytes(kept[0].read_bytes()[:-30])
    notes: list[str] = []
    run(study, note=notes.append)
    assert len(played) == 3
    assert "damaged" in notes[0]


def test_what_a_players_file_says_is_part_of_what_is_kept():
    source = "import calcsim\n\n\n@calcsim.policy\ndef first(view, legal, n, params, rng):\n    return {}\n"
    Path("experiments").mkdir()
    file = Path("experiments/mine.py")
    file.write_text(source.format("0"))
    text = f'kind = "tournament"\n{HEAD}'.replace('"random"', '"mine.py:first"')
    Path("experiments/s.toml").write_text(text + 'rules = "calc"\nplayers = 2\ndeals = 100\n')
    study = load_study("experiments/s.toml")
    assert isinstance(study, StrategyStudy)
    before = run(study).manifest
    assert set(run(study).table.policy) == {"mine.py:first", "greedy"}
    file.write_text(source.format("n - 1"))
    after = run(study).manifest
    assert before["cells"][0]["key"] != after["cells"][0]["key"]
    assert before["policies"]["mine.py:first"] != after["policies"]["mine.py:first"]


def test_the_report_tells_in_order_what_was_asked_and_found():
    answer = (
        '[answer]\n"in order" = "It is {order}."\nahead = "{best}"\nundecided = "{best} or {runner_up}."\n'
    )
    study = small("tournament", f'notes = ["A note."]\n[main]\nrules = "advanced"\nplayers = 3\n{answer}')
    found = run(study)
    report = build(found)
    files = found.write_report()
    assert "main.svg" in [file.name for file in files]
    text = (found.folder / "report.md").read_text(encoding="utf-8")
    said = say(study, study.main, found.tables[study.main])
    places = [
        text.index(part)
        for part in (
            "# T",
            "*Who?*",
            f"**{said.answer(study)}**",
            "Players try to get rid",
            "Who plays: `random`",
            "](figures/main.svg)",
            "All tables at a glance",
            "## Calc, 3 players",
            "A note.",
            "## Method",
            "## Rules in force",
            "calcsim study run experiments/s.toml",
        )
    ]
    assert places == sorted(places)
    assert "100 deals (800 games)" in text
    assert len(report.pictures) == 2
    assert "<script" not in (found.folder / "report.html").read_text(encoding="utf-8")


def test_results_are_loaded_from_their_folder_alone():
    found = run(small("skill"))
    loaded = calcsim.load("reports/s")
    assert isinstance(loaded, running.StrategyResults)
    assert loaded.study == found.study
    assert list(loaded.figures()) == ["main"]
    assert loaded.table.equals(found.table)
    assert "skill" in repr(loaded)


def test_parts_of_the_variance_are_told_with_the_deals_of_the_crossing():
    found = run(small("skill"))
    table = found.table
    crossed = table.what.str.startswith("part.") | table.what.str.startswith("win.seat")
    assert set(table.deals[crossed]) == {100}
    assert set(table.deals[~crossed]) == {1000}
    found.write_report()
    assert "as 100 of the deals tell" in (found.folder / "report.md").read_text(encoding="utf-8")


def test_a_file_that_asks_for_something_else_is_noticed(command: Command):
    run(small("restricted"))
    put("restricted", "level = 0.9\n")
    assert command("study", "list", "--json").json[0]["results"] == "of another version"
    assert "asks for something else" in command("study", "report", "s").err
    assert "was changed after it was run" in command("study", "verify", "s").out


def test_deals_given_by_hand_are_those_of_all_tables(command: Command):
    put("skill")
    ending = command("study", "run", "s", "--deals", "100")
    assert ending.status == 2
    assert "'skill' takes 1,000 or more" in ending.err
    put("metagame")
    assert command("study", "run", "s", "--deals", "150").text == "reports/s\n"
    manifest = json.loads(Path("reports/s/manifest.json").read_text())
    assert {tuple(cell["deals"]) for cell in manifest["cells"]} == {(0, 150)}


def test_a_gauntlet_is_told_from_its_heros_side():
    study = small("tournament", 'hero = "greedy"\n')
    found = run(replace(study, design=replace(study.design, places=study.design.places[:1])))
    said = say(found.study, 0, found.tables[0])
    assert said.outcome in OUTCOMES["gauntlet"]
    assert said.filled["hero"] == "greedy"
    assert "games against" not in said.evidence


def test_tables_survive_being_kept():
    values = {"a": Estimate(1 / 3, float("inf"), None, float("nan")), "b": ["x", "y"], "n": np.int64(3)}
    text = codec.encode(values, {"x": "written"})
    again = codec.decode(text)
    assert again["a"][:3] == (0.3333333333, float("inf"), None)
    assert np.isnan(again["a"].high)
    assert again["b"] == ("written", "y")
    assert codec.encode(again, {}) == text
