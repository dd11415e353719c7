"""Speed, measured: ``pytest tests/bench --benchmark-only -m '' -n 0``. Nothing here asserts a time."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from calcsim.engine import driver
from calcsim.notation.table import legal_actions
from calcsim.rules import load_rules
from calcsim.stats.totals import Totals

GAMES = 40_000


@pytest.mark.parametrize("threads", [1, os.cpu_count() or 1])
@pytest.mark.parametrize("policy", ["random", "greedy"])
@pytest.mark.parametrize("preset", ["calc", "calc-revised", "advanced"])
def test_games(benchmark: BenchmarkFixture, preset: str, policy: str, threads: int) -> None:
    cell = driver.prepare(load_rules(preset), 4, [policy])
    benchmark.extra_info["games"] = GAMES

    def play() -> None:
        for _ in driver.blocks(cell, seed=1, games=GAMES, threads=threads, map=lambda *_: None):
            pass

    benchmark(play)


@pytest.mark.parametrize(
    ("policy", "games"),
    [("weighted:cards=1", 20_000), ("sensible", 20_000), ("tuned", 4000), ("search:playouts=64", 200)],
)
def test_games_of_those_who_think(benchmark: BenchmarkFixture, policy: str, games: int) -> None:
    """Four in Advanced Calc on one thread, to be set against ``greedy`` above."""
    cell = driver.prepare(load_rules("advanced"), 4, [policy])
    benchmark.extra_info["games"] = games

    def play() -> None:
        for _ in driver.blocks(cell, seed=1, games=games, threads=1, map=lambda *_: None):
            pass

    benchmark(play)


@pytest.mark.parametrize("players", [2, 4, 6])
def test_figures(benchmark: BenchmarkFixture, players: int) -> None:
    """The sums of all figures of `calcsim run` over one block."""
    cell = driver.prepare(load_rules("advanced"), players, ["greedy"])
    (block,) = driver.blocks(cell, seed=1, games=4000, threads=1, map=lambda _, out: out.copy())
    benchmark.extra_info["games"] = block.shape[1]
    benchmark(Totals.of, block, players)


def test_legal_actions(benchmark: BenchmarkFixture) -> None:
    """Positions read, listed and written, as `calcsim legal` does."""
    lines = Path("tests/data/positions.jsonl").read_text(encoding="utf-8").splitlines()
    positions = [json.loads(line)["position"] for line in lines]
    benchmark(lambda: [legal_actions(position) for position in positions])
