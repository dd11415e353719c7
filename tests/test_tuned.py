"""The tuned player that comes with calcsim: which weights it takes, and what they are worth."""

from __future__ import annotations

import hashlib
import tomllib

import numpy as np
import pytest

from calcsim.engine import columns
from calcsim.engine.driver import blocks, prepare
from calcsim.experiments.league import Measure, play
from calcsim.policies import resolve
from calcsim.policies.tuned import FOLDER, VERSION, weights_file
from calcsim.policies.weighted import read_weights
from calcsim.rules import PRESETS, preset
from calcsim.stats.intervals import mean

TABLES = [(name, players) for name, rules in PRESETS.items() for players in range(2, rules.max_players + 1)]

DIGESTS = {1: "de07caa98ecfd44d", 2: "514a509e49f9041d"}
"""What the weights of each version are; raise the version when they change, or kept results would lie."""


def digest() -> str:
    weights = [(path.name, sorted(read_weights(path).items())) for path in sorted(FOLDER.iterdir())]
    return hashlib.sha256(repr(weights).encode()).hexdigest()[:16]


def test_each_version_has_its_weights():
    assert DIGESTS[VERSION] == digest()


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_each_preset_and_number_of_players_has_weights_of_its_own(name: str, players: int):
    path = weights_file(preset(name), players)
    assert path.name == f"{name}-{players}.toml"
    told = tomllib.loads(path.read_text("utf-8"))
    assert (told["found"]["rules"], told["found"]["players"]) == (name, players)
    assert "greedy" in [against["rival"] for against in told["held_out"]["against"]]
    params = resolve("tuned", preset(name), players).params
    assert sorted(x for x in params if x) == sorted(read_weights(path).values())


def test_other_rules_play_with_the_weights_of_their_preset():
    assert weights_file(preset("advanced").replace(handoff="none", jokers=0), 5).name == "advanced-5.toml"


def test_other_numbers_of_players_play_with_the_nearest():
    assert weights_file(preset("calc").replace(max_players=6), 6).name == "calc-4.toml"


def test_there_are_no_other_files():
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(f"{n}-{p}.toml" for n, p in TABLES)


LEAST_GAINS = {
    ("calc", 2): 0.26,
    ("calc", 3): 0.08,
    ("calc", 4): 0.05,
    ("calc-revised", 2): 0.2,
    ("calc-revised", 3): 0.14,
    ("calc-revised", 4): 0.09,
    ("advanced", 2): 0.22,
    ("advanced", 3): 0.11,
    ("advanced", 4): 0.065,
    ("advanced", 5): 0.035,
    ("advanced", 6): 0.025,
}
"""Win share above the fair share among copies of greedy: what the interval of a fresh check must reach."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_it_wins_more_than_its_share_among_greedy_players(name: str, players: int):
    measure = Measure("win", preset(name), players)
    tuned, greedy = (resolve(policy, measure.rules, players) for policy in ("tuned", "greedy"))
    numbers = play(measure, tuned, [greedy], seed=77, first=0, deals=4000, threads=0)[0]
    found = mean(len(numbers), int(numbers.sum()), int((numbers * numbers).sum()))
    assert found.low is not None
    assert found.low / measure.units / players - 1 / players > LEAST_GAINS[name, players]


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_games_among_its_own_kind_end(name: str, players: int):
    cell = prepare(preset(name), players, ["tuned"])
    ends = blocks(cell, seed=77, games=100, map=lambda first, out: out[columns.game("end")].copy())
    endless = [columns.ENDS.index(end) for end in ("stalled", "turn-limit")]
    assert np.isin(next(ends), endless).mean() <= 0.05
