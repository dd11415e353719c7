"""Runs of studies: resumed, extended, damaged, side by side, always to the same bytes; and verified."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from calcsim.engine import columns
from calcsim.errors import UsageError
from calcsim.experiments import comparing
from calcsim.experiments import store as stores
from calcsim.experiments.loading import load_study
from calcsim.experiments.manifest import file_digest
from calcsim.experiments.plan import Study
from calcsim.experiments.results import Results, load
from calcsim.experiments.run import run_study, total_games
from calcsim.experiments.verify import verify
from tests.studies import write_study

ROOT = Path(__file__).resolve().parent.parent
BLOCK = 250
CHUNK = 1_000
TABLES = {"summary.csv", "effects.csv", "turns.csv"}


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "BLOCK", BLOCK)
    monkeypatch.setattr(stores, "CHUNK", CHUNK)
    monkeypatch.setattr(comparing, "ROUND", 2 * CHUNK)


@dataclass
class Bench:
    """Runs studies in a folder, and tells what it took."""

    folder: Path
    said: list[str] = field(default_factory=list)
    games: int = 0

    def run(self, study: Study, name: str = "a", store: str | None = None, **options: Any) -> Results:
        told: list[int] = []
        results = run_study(
            study,
            root=self.folder / (store or name) / "store",
            out=self.folder / name / "out",
            progress=told.append,
            note=self.said.append,
            **{"threads": 2} | options,
        )
        assert told == sorted(told)
        self.games = told[-1]
        return results

    def files(self, name: str = "a", kind: str = "out") -> dict[str, bytes]:
        root = self.folder / name / kind
        return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}

    def chunks(self, name: str = "a") -> dict[str, bytes]:
        return {path: data for path, data in self.files(name, "store").items() if path.endswith(".npz")}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return write_study(tmp_path / "jokers.toml")


def test_a_run_writes_its_tables_and_a_manifest(bench: Bench, study: Study):
    bench.run(study)
    assert set(bench.files()) == {f"jokers/{name}" for name in {*TABLES, "manifest.json"}}
    assert bench.games == total_games(study.design) == 4 * 2_500
    assert len(bench.chunks()) == 4 * 3


def test_one_thread_and_two_write_the_same_bytes(bench: Bench, study: Study):
    bench.run(study, "a", threads=1)
    bench.run(study, "b", threads=2)
    assert bench.files("a") == bench.files("b")
    assert bench.files("a", "store") == bench.files("b", "store")


def test_a_second_run_plays_nothing_and_changes_nothing(bench: Bench, study: Study):
    bench.run(study)
    before = bench.files()
    bench.run(study)
    assert bench.games == 0
    assert bench.files() == before


def test_raised_deals_play_only_what_is_new(bench: Bench, study: Study):
    bench.run(study, "a", deals=1_500)
    bench.run(study, "a", deals=3_500)
    # The last chunk was not whole, so its deals are played again.
    assert bench.games == 4 * (3_500 - CHUNK)
    bench.run(study, "b", deals=3_500)
    assert bench.files("a") == bench.files("b")
    assert bench.chunks("a") == bench.chunks("b")


def test_lowered_deals_are_those_of_a_smaller_study(bench: Bench, study: Study):
    bench.run(study, "a", deals=3_500)
    bench.run(study, "a", deals=1_500)
    bench.run(study, "b", deals=1_500)
    assert bench.files("a") == bench.files("b")


def test_a_changed_rule_plays_only_its_own_cells(bench: Bench, tmp_path: Path):
    bench.run(write_study(tmp_path / "jokers.toml"))
    changed = write_study(tmp_path / "jokers.toml", vary="[vary]\njokers = [0, 1]", variant="jokers=1")
    bench.run(changed)
    assert bench.games == 2 * 2_500
    bench.run(changed, "b")
    assert bench.files("a") == bench.files("b")


def test_another_seed_plays_all(bench: Bench, tmp_path: Path, study: Study):
    bench.run(study)
    text = study.path.read_text("utf-8").replace("seed = 7", "seed = 8")
    (tmp_path / "other.toml").write_text(text, "utf-8")
    bench.run(load_study(tmp_path / "other.toml"))
    assert bench.games == 4 * 2_500


def test_texts_play_nothing(bench: Bench, study: Study):
    bench.run(study)
    text = study.path.read_text("utf-8").replace("Do jokers", "Would jokers")
    study.path.write_text(text, "utf-8")
    results = bench.run(load_study(study.path))
    assert bench.games == 0
    assert results.study.question.startswith("Would")


class _Stop(BaseException):
    pass


@pytest.mark.parametrize("after", [1, 6_500])
def test_an_interrupted_run_goes_on_where_it_was(bench: Bench, study: Study, after: int):
    def stop(games: int) -> None:
        if games >= after:
            raise _Stop

    with pytest.raises(_Stop):
        run_study(study, root=bench.folder / "a" / "store", out=bench.folder / "a" / "out", progress=stop)
    assert bench.files() == {}
    whole = len(bench.chunks())
    bench.run(study)
    assert bench.games <= 4 * 2_500 - whole * 500
    bench.run(study, "b")
    assert bench.files("a") == bench.files("b")
    assert bench.files("a", "store") == bench.files("b", "store")


DYING = f"""
import os, signal, sys
from pathlib import Path
from calcsim.engine import columns
from calcsim.experiments import store
from calcsim.experiments.loading import load_study
from calcsim.experiments.run import run_study

columns.BLOCK, store.CHUNK = {BLOCK}, {CHUNK}
folder, last = Path(sys.argv[1]), int(sys.argv[2])
write, written = store.replace_file, []

def die(path, data):
    if path.suffix == ".npz":
        written.append(path)
        if len(written) == last:
            path.with_name(f".{{path.name}}.half.part").write_bytes(data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
    write(path, data)

store.replace_file = die
study = load_study(folder / "jokers.toml")
run_study(study, root=folder / "a" / "store", out=folder / "a" / "out", threads=2)
"""


def dying(folder: Path, last: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", DYING, str(folder), str(last)], cwd=ROOT)


def test_a_run_killed_while_it_writes_is_resumed_to_the_same_bytes(bench: Bench, study: Study):
    assert dying(bench.folder, 6).wait(120) == -signal.SIGKILL
    assert len(bench.chunks()) == 5
    assert bench.files() == {}
    bench.run(study)
    assert bench.games < total_games(study.design)
    bench.run(study, "b")
    assert bench.files("a") == bench.files("b")
    assert bench.chunks("a") == bench.chunks("b")


@pytest.mark.slow
def test_a_run_killed_at_any_time_is_resumed_to_the_same_bytes(bench: Bench, tmp_path: Path):
    study = write_study(tmp_path / "jokers.toml", deals="deals = 30_000")
    process = dying(bench.folder, 10**9)
    began = time.monotonic()
    while not bench.chunks() and time.monotonic() - began < 120:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait(60) == -signal.SIGKILL
    bench.run(study)
    assert bench.games < total_games(study.design)
    bench.run(study, "b")
    assert bench.files("a") == bench.files("b")
    assert bench.chunks("a") == bench.chunks("b")


def test_two_runs_on_one_store_do_each_other_no_harm(bench: Bench, study: Study):
    def run(number: int) -> None:
        deals = (2_500, 2_500, 2_700)[number]
        run_study(
            study,
            root=bench.folder / "shared" / "store",
            out=bench.folder / f"shared{number}" / "out",
            threads=1,
            deals=deals,
        )

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(run, range(3)))
    bench.run(study, "alone", deals=2_500)
    bench.run(study, "more", deals=2_700)
    assert bench.files("shared0") == bench.files("shared1") == bench.files("alone")
    assert bench.files("shared2") == bench.files("more")


def test_a_damaged_chunk_is_played_again_with_a_word(bench: Bench, study: Study):
    bench.run(study)
    before = bench.files("a", "store")
    path = next((bench.folder / "a" / "store").rglob(f"{CHUNK}-*.npz"))
    path.write_bytes(path.read_bytes()[:-50])
    tables = bench.files()
    bench.run(study)
    assert bench.files() == tables
    assert bench.files("a", "store") == before
    assert len(bench.said) == 1
    assert str(path) in bench.said[0]


def test_a_precision_stops_at_a_chunk_and_at_the_most(bench: Bench, tmp_path: Path):
    wide = write_study(
        tmp_path / "jokers.toml",
        deals='precision = { metric = "turns", half_width = 0.8, most = 15_000 }',
    )
    results = bench.run(wide)
    deals = results.manifest["deals"]
    assert 2 * CHUNK < deals < 15_000
    assert deals % (2 * CHUNK) == 0
    assert comparing.compare_design(wide.design).deals == deals
    shown = results.effects[results.effects["base_metric"] == "turns"]
    assert (shown["high"] - shown["low"]).max() / 2 <= 0.8
    fixed = bench.run(write_study(tmp_path / "jokers.toml", deals=f"deals = {deals}"))
    assert bench.games == 0
    assert fixed.effects.equals(results.effects)
    narrow = write_study(
        tmp_path / "jokers.toml",
        deals='precision = { metric = "turns", half_width = 0.001, most = 2_300 }',
    )
    assert bench.run(narrow).manifest["deals"] == 2_300


SPECIAL = {
    "more": 'explore = ["drama", "luck.deal", "match.win.*", "match.tied"]',
    "end": "[flow]\ndeals = 150\n[luck]\ndeals = 100\nreplays = 4\n",
}


def test_what_takes_more_than_counting_is_kept_too(bench: Bench, tmp_path: Path):
    study = write_study(tmp_path / "jokers.toml", deals="deals = 1_200", **SPECIAL)
    results = bench.run(study)
    assert bench.games == total_games(study.design) == 4 * (1_200 + 150 + 400)
    names = set(results.estimates["metric"])
    assert {"drama", "luck.deal", "match.win.seat0", "match.win.seat1", "match.tied"} <= names
    assert {entry["kind"] for entry in results.manifest["special"]} == {"flow", "luck"}
    before = bench.files()
    bench.run(study)
    assert bench.games == 0
    assert bench.files() == before
    bench.run(study, "b", threads=1)
    assert bench.files("b") == before


def test_matches_of_policies_are_fair_to_those_with_more_seats(bench: Bench, tmp_path: Path):
    study = write_study(tmp_path / "jokers.toml", deals="deals = 2_000", more='explore = ["match.win.*"]')
    text = study.path.read_text("utf-8").replace(
        'policies = ["random"]', 'policies = ["greedy,random,random"]'
    )
    text = text.replace("players = [2, 3]", "players = [3]").replace("players = 2", "players = 3")
    text = text.replace('policy = "random"', 'policy = "greedy,random,random"')
    study.path.write_text(text, "utf-8")
    found = bench.run(load_study(study.path)).estimates
    won = found[found["base_metric"] == "match.win.*"].groupby("metric")["estimate"].mean()
    assert set(won.index) == {"match.win.greedy", "match.win.random"}
    assert won.sum() == pytest.approx(1)
    assert won["match.win.greedy"] > 0.5


def test_the_manifest_says_what_it_takes(bench: Bench, study: Study):
    results = bench.run(study)
    text = (results.folder / "manifest.json").read_text("utf-8")
    manifest = json.loads(text)
    assert manifest["study"] == study.as_dict()
    assert {"calcsim", "rules", "engine", "metrics", "python", "numpy", "numba"} <= manifest[
        "versions"
    ].keys()
    assert [cell["games"] for cell in manifest["cells"]] == [2_500] * 4
    assert len({cell["checksum"] for cell in manifest["cells"]}) == 4
    assert manifest["files"].keys() == TABLES
    assert str(bench.folder) not in text


def test_verify_agrees_with_results_of_any_number_of_threads(bench: Bench, study: Study):
    folder = bench.run(study, threads=1).folder
    told: list[int] = []
    assert verify(folder, threads=2, progress=told.append) == []
    assert told[-1] == 4 * 2_500
    assert verify(folder / "manifest.json") == []
    assert verify(study.path, out=folder.parent) == []


def tamper(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def test_verify_finds_a_tampered_summary(bench: Bench, study: Study):
    folder = bench.run(study).folder
    tamper(folder / "summary.csv", "mean of deals", "mean of games")
    faults = verify(folder)
    assert len(faults) == 2
    assert "summary.csv was changed after it was written" in faults[0]
    assert "comes out differently, first in line 2" in faults[1]


def test_verify_finds_a_summary_tampered_with_its_checksum(bench: Bench, study: Study):
    folder = bench.run(study).folder
    before = file_digest(folder / "summary.csv")
    tamper(folder / "summary.csv", "mean of deals", "mean of games")
    tamper(folder / "manifest.json", before, file_digest(folder / "summary.csv"))
    assert ["comes out differently" in fault for fault in verify(folder)] == [True]


def test_verify_finds_other_deals_and_names_other_versions_first(bench: Bench, study: Study):
    folder = bench.run(study).folder
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    tamper(folder / "manifest.json", manifest["cells"][1]["checksum"], "0" * 64)
    tamper(folder / "manifest.json", f'"numpy": "{manifest["versions"]["numpy"]}"', '"numpy": "1.0"')
    faults = verify(folder)
    assert faults[0].startswith("numpy 1.0 made the results, and this is ")
    assert (
        faults[1]
        == "deals of 'jokers=2' in '2 players, random': comes out differently, though nothing says why"
    )
    assert len(faults) == 2


def test_another_version_alone_is_no_fault(bench: Bench, study: Study):
    folder = bench.run(study).folder
    tamper(folder / "manifest.json", '"calcsim": "', '"calcsim": "9.')
    assert verify(folder) == []


def test_verify_finds_files_gone_and_studies_changed(bench: Bench, study: Study):
    folder = bench.run(study).folder
    (folder / "turns.csv").unlink()
    tamper(study.path, "jokers = [0, 2]", "jokers = [0, 2, 1]")
    faults = verify(study.path, out=folder.parent)
    assert faults == [f"{folder / 'turns.csv'} is missing", f"{study.path} was changed after it was run"]


def test_verify_needs_results(study: Study, tmp_path: Path):
    with pytest.raises(UsageError, match="run it first: calcsim study run"):
        verify(study.path, out=tmp_path / "out")
    with pytest.raises(UsageError, match="no results there"):
        verify(tmp_path)
    (tmp_path / "manifest.json").write_text("{}", "utf-8")
    with pytest.raises(UsageError, match="is no manifest"):
        verify(tmp_path)


@pytest.mark.slow
def test_a_report_is_verified_with_its_results(bench: Bench, study: Study):
    results = bench.run(study)
    written = [path.relative_to(results.folder).as_posix() for path in results.write_report()]
    assert {"report.md", "report.html"} <= set(written)
    sealed = json.loads((results.folder / "manifest.json").read_text("utf-8"))["files"]
    assert sealed.keys() == {*TABLES, *written}
    bench.run(study)  # the same results: their report stays
    assert load(results.folder).manifest["files"] == sealed
    tamper(results.folder / "report.md", "Jokers", "Jesters")
    # Whatever else is made again, the pictures and report.html, is the same.
    assert ["report.md" in fault for fault in verify(results.folder)] == [True, True]
