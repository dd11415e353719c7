"""The studies that come with the project, and the reports of them: whole, and of these very studies."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from calcsim.experiments.loading import load_study, study_from_dict
from calcsim.experiments.results import load
from calcsim.experiments.verify import verify

ROOT = Path(__file__).parent.parent
STUDIES = sorted((ROOT / "experiments").glob("*.toml"))
REPORTS = ROOT / "reports"


def name_of(path: Path) -> str:
    return path.stem


def test_there_is_a_report_of_each_study_and_no_other():
    assert len(STUDIES) >= 10
    assert {path.stem for path in STUDIES} == {path.name for path in REPORTS.iterdir() if path.is_dir()}


@pytest.mark.parametrize("path", STUDIES, ids=name_of)
def test_the_results_are_those_of_the_study(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    study = load_study(path.relative_to(ROOT))
    manifest = json.loads((REPORTS / path.stem / "manifest.json").read_text(encoding="utf-8"))
    kept = study_from_dict(manifest["study"], folder=study.design.folder)
    assert kept.design == study.design
    assert manifest["deals"] == study.design.deals
    for name, digest in manifest["files"].items():
        found = hashlib.sha256((REPORTS / path.stem / name).read_bytes()).hexdigest()
        assert found == digest, name
    of_rules, of_strategies = ("summary.csv", "effects.csv", "turns.csv"), ("results.csv", "results.json")
    tables = of_strategies if "kind" in manifest["study"] else of_rules
    assert {*tables, "report.md", "report.html"} <= set(manifest["files"])


@pytest.mark.parametrize("path", STUDIES, ids=name_of)
def test_the_report_opens_with_question_and_answer(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    study = load_study(path.relative_to(ROOT))
    lines = (REPORTS / path.stem / "report.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == f"# {study.title}"
    assert lines[2] == f"*{study.question}*"
    assert lines[4].startswith("**")
    html = (REPORTS / path.stem / "report.html").read_text(encoding="utf-8")
    assert "http://" not in html.replace("http://www.w3.org/", "")
    assert "<script" not in html


def test_results_come_as_tables(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    found = load("reports/shield")
    row = found.effects[
        (found.effects.metric == "turns")
        & (found.effects.variant == "no shields")
        & (found.effects.group == "4 players, greedy")
    ].iloc[0]
    assert row.verdict == "no matter"
    assert row.low < row.difference < row.high
    stars = load("reports/stars").estimates.set_index(["group", "metric"]).estimate
    assert 0.0035 < stars["4 players, greedy", "share.star"] < 0.0045


@pytest.mark.slow
def test_a_shipped_study_plays_to_the_same_bytes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    # The tables do not depend on versions of libraries as the pictures do, so only they are held against.
    for name in ("experiments", "reports/readings-calc"):
        shutil.copytree(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    manifest_path = tmp_path / "reports/readings-calc/manifest.json"
    manifest = json.loads(manifest_path.read_text(encoding="utf-8"))
    manifest["files"] = {k: v for k, v in manifest["files"].items() if k.endswith(".csv")}
    manifest_path.write_text(json.dumps(manifest), encoding="utf-8")
    assert verify(Path("experiments/readings-calc.toml"), threads=0, progress=None) == []
