"""Results for analysts: tables, per-deal data, exports, and what is said when something is missing."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from calcsim.errors import UsageError
from calcsim.experiments.loading import load_study
from calcsim.experiments.results import Results, load, read_table, write_table
from calcsim.experiments.run import run_study
from calcsim.rules import preset
from calcsim.simulation import simulate
from tests.studies import write_study

DEALS = 1_500
MORE = 'explore = ["share.ring", "score_by_place.*"]'


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    study = write_study(folder / "jokers.toml", deals=f"deals = {DEALS}", more=MORE)
    run_study(study, root=folder / "store", out=folder / "out", threads=2)
    return folder


@pytest.fixture
def results(place: Path) -> Results:
    return load(place / "jokers.toml", out=place / "out", root=place / "store")


GROUP, VARIANT = "3 players, random", "jokers=2"


def test_a_study_its_folder_and_its_manifest_are_the_same_results(place: Path, results: Results):
    folder = place / "out" / "jokers"
    for path in (folder, folder / "manifest.json", str(folder)):
        again = load(path, root=place / "store")
        pd.testing.assert_frame_equal(again.estimates, results.estimates)
        pd.testing.assert_frame_equal(again.effects, results.effects)
        assert again.study.question == results.study.question
        assert again.study.design == results.study.design


def test_the_tables_have_numbers_and_texts(results: Results):
    table = results.summary
    assert table is results.estimates
    assert table["estimate"].dtype == table["low"].dtype == np.float64
    assert table["deals"].dtype == table["seed"].dtype == table["players"].dtype == np.int64
    assert set(table["jokers"]) == {"0", "2"}  # as --set takes it
    effects = results.effects
    assert effects["q"].dtype == effects["more"].dtype == np.float64
    assert effects["verdict"].isin(["matters", "no matter", "undecided", ""]).all()


def test_deals_add_up_to_the_estimates(results: Results):
    deals = results.deals(GROUP, VARIANT)
    assert (len(deals), deals.index.name) == (DEALS, "deal")
    rows = results.estimates.query("group == @GROUP and variant == @VARIANT").set_index("metric")
    for name in ("turns", "win.seat2", "share.ring"):
        assert deals[name].mean() == pytest.approx(rows.loc[name, "estimate"])
    ratio = deals["score_by_place.1"].sum() / deals["score_by_place.1 (per)"].sum()
    assert ratio == pytest.approx(rows.loc["score_by_place.1", "estimate"])


def test_deals_are_the_games_of_the_seed(results: Results):
    rules = preset("calc").replace(jokers=0)
    games = simulate(rules, players=2, policy="random", games=DEALS, seed=7)
    deals = results.deals("2 players, random", "jokers=0")
    assert (deals["turns"] == games["turns"].to_numpy()).all()


def test_turns_count_every_game(results: Results):
    counts = results.turns[GROUP, VARIANT]
    assert counts.sum() == DEALS
    turns = results.deals(GROUP, VARIANT)["turns"]
    assert counts.tolist() == np.bincount(turns).tolist()


def test_examples_are_commands_that_run(results: Results):
    assert [example.why.split(",")[0] for example in results.examples] == [
        "a game of usual length",
        "a deal where turns differs much: jokers=0",
        "the same deal: jokers=2",
        "a game of unusual length",
    ]
    from calcsim.cli.main import main

    for example in results.examples[1:3]:
        assert example.command.startswith("calcsim replay --rules calc ")
        assert main(example.command.split()[1:]) == 0


def test_an_example_of_one_deal_is_played_differently(results: Results):
    one, other = (re.search(r"--game (\d+)", e.command)[1] for e in results.examples[1:3])  # type: ignore[index]
    assert one == other
    lengths = [results.deals("2 players, random", v)["turns"][int(one)] for v in ("jokers=0", "jokers=2")]
    assert abs(lengths[0] - lengths[1]) > 10


def test_unknown_groups_and_variants_are_told_from_the_nearest(results: Results):
    with pytest.raises(UsageError, match=r"no variant 'joker=2'; did you mean 'jokers=2'\?"):
        results.deals(GROUP, "joker=2")
    with pytest.raises(UsageError, match="group: name one of '2 players, random', '3 players, random'"):
        results.deals(variant=VARIANT)


def test_without_the_store_there_are_tables_but_no_deals(place: Path, tmp_path: Path):
    results = load(place / "jokers.toml", out=place / "out", root=tmp_path / "nothing")
    assert len(results.effects)
    assert len(results.turns) == 4
    with pytest.raises(UsageError, match=r"lacks deals 0 to 1,499 .*calcsim study run .*jokers.toml"):
        results.deals(GROUP, VARIANT)


@pytest.mark.parametrize("format", ["csv", "npz", "parquet"])
def test_exports_hold_every_deal(results: Results, tmp_path: Path, format: Any):
    files = results.export(tmp_path / "data", format)
    assert {path.suffix for path in files} == {f".{format}"}
    assert sorted(files) == sorted((tmp_path / "data").iterdir())
    cells = exported(tmp_path / "data" / f"cells.{format}")
    row = cells[(cells["group"] == GROUP) & (cells["variant"] == VARIANT)].iloc[0]
    assert row["data"] == f"02-02-3-players-random-jokers-2.{format}"
    deals = exported(tmp_path / "data" / row["data"])
    expected = results.deals(GROUP, VARIANT).reset_index()
    pd.testing.assert_frame_equal(deals, expected, check_dtype=False)
    estimates = exported(tmp_path / "data" / f"estimates.{format}")
    np.testing.assert_allclose(estimates["estimate"], results.estimates["estimate"])


def exported(path: Path) -> pd.DataFrame:
    if path.suffix == ".csv":
        return pd.read_csv(path)
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    with np.load(path) as arrays:
        return pd.DataFrame({name: arrays[name] for name in arrays})


def test_parquet_without_pyarrow_names_the_extra(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(UsageError, match=re.escape("pip install 'calcsim[parquet]'")):
        results.export(tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_an_unknown_format_is_refused(results: Results, tmp_path: Path):
    with pytest.raises(UsageError, match="format 'parket'; did you mean 'parquet'"):
        results.export(tmp_path, "parket")  # type: ignore[arg-type]


def test_a_notebook_shows_the_question_and_the_effects(results: Results):
    text = results._repr_html_()
    assert "Do jokers make the game longer?" in text
    assert "jokers=2 vs jokers=0" in text
    assert repr(results) == "<Results of 'jokers': 2 variants in 2 groups, 1,500 deals each>"


def test_texts_of_the_file_count_at_once(place: Path, tmp_path: Path):
    shutil.copytree(place / "out", tmp_path / "out")
    path = tmp_path / "jokers.toml"
    path.write_text((place / "jokers.toml").read_text("utf-8").replace("Do jokers", "Would jokers"), "utf-8")
    assert load(path, out=tmp_path / "out").study.question == "Would jokers make the game longer?"


def test_results_of_another_design_are_given_with_a_warning(place: Path, tmp_path: Path):
    shutil.copytree(place / "out", tmp_path / "out")
    path = tmp_path / "jokers.toml"
    path.write_text((place / "jokers.toml").read_text("utf-8").replace("seed = 7", "seed = 8"), "utf-8")
    with pytest.warns(UserWarning, match="asks for something else") as caught:
        results = load(path, out=tmp_path / "out")
    assert results.study.design.seed == 7
    assert caught[0].filename == __file__


def test_a_study_that_was_not_run_says_how(tmp_path: Path):
    study = write_study(tmp_path / "jokers.toml")
    with pytest.raises(UsageError, match=f"run it first: calcsim study run {study.path}"):
        load(study.path, out=tmp_path)
    with pytest.raises(UsageError, match="no results there"):
        load(tmp_path / "nowhere")


@pytest.mark.parametrize("text", ["", "{", '{"format": 1}', "[]", "\xff"])
def test_a_spoilt_manifest_is_refused_in_a_line(tmp_path: Path, text: str):
    (tmp_path / "manifest.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match="is no manifest"):
        load(tmp_path)


def test_a_table_survives_writing_and_reading(tmp_path: Path):
    table = pd.DataFrame(
        {
            "group": ["a, b", 'say "c"', "NA"],
            "jokers": ["0", "on", ""],
            "estimate": [1 / 3, np.nan, np.inf],
            "deals": [1, 2, 3],
            "seed": [2**63 - 1] * 3,
            "players": [2, 3, 4],
        }
    )
    write_table(table, tmp_path / "table.csv")
    data = (tmp_path / "table.csv").read_bytes()
    assert data.startswith(b'group,jokers,estimate,deals,seed,players\n"a, b",0,0.3333333333,1,')
    assert b"\r" not in data
    again = read_table(tmp_path / "table.csv")
    pd.testing.assert_frame_equal(again, table, rtol=1e-9)
    write_table(again, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == data


def test_an_empty_table_survives(tmp_path: Path):
    write_table(pd.DataFrame(columns=["group", "deals", "estimate"]), tmp_path / "table.csv")
    again = read_table(tmp_path / "table.csv")
    assert (list(again), len(again)) == (["group", "deals", "estimate"], 0)


@pytest.mark.parametrize("data", [b"", b"deals\nmany\n", b"group\n\xff\n"])
def test_a_spoilt_table_is_refused_in_a_line(tmp_path: Path, data: bytes):
    (tmp_path / "table.csv").write_bytes(data)
    with pytest.raises(UsageError, match=r"table\.csv: is no table of results") as error:
        read_table(tmp_path / "table.csv")
    assert "\n" not in str(error.value)


def test_a_study_of_one_variant_has_estimates_alone(tmp_path: Path):
    path = tmp_path / "alone.toml"
    path.write_text(
        'title = "Alone"\nquestion = "How long?"\nbackground = "A game."\nrules = "calc"\n'
        'players = 2\npolicies = ["random"]\ndeals = 300\nmetrics = ["turns"]\n[main]\nmetric = "turns"\n',
        "utf-8",
    )
    results = run_study(load_study(path), root=tmp_path / "store", out=tmp_path / "out")
    assert len(results.effects) == 0
    assert len(results.deals()) == 300
    assert [example.why for example in results.examples] == [
        "a game of usual length",
        "a game of unusual length",
    ]
    assert "How long?" in results._repr_html_()
    assert load(tmp_path / "out" / "alone", root=tmp_path / "store").estimates.equals(results.estimates)


def test_loading_tables_does_not_compile_the_engine(place: Path):
    code = (
        "import sys\nfrom calcsim.experiments.results import load\n"
        f"load({str(place / 'out' / 'jokers')!r})\nprint('numba' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
