"""The figures of a million games by independent implementations, for 32 configurations, against ours."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from calcsim.engine import driver
from calcsim.questions.measure import measure
from calcsim.rules import rules_from_fields
from calcsim.stats.intervals import Estimate

CONFIGURATIONS = {
    entry["name"]: entry
    for entry in json.loads((Path(__file__).parent / "data" / "statistics.json").read_text(encoding="utf-8"))
}

SEED = 1
MOST_ERRORS = 4.5
"""Standard errors of the difference that a figure may lie away."""

QUICK = (
    "calc-2-random",
    "calc-revised-4-greedy",
    "advanced-3-greedy",
    "advanced-6-random",
    "advanced-4-end=first-out-random",
    "advanced-4-ring_from=any-line-greedy",
)


def measured(entry: dict[str, Any], games: int) -> dict[str, Estimate]:
    rules = rules_from_fields(entry["rules"])
    cell = driver.prepare(rules, entry["players"], [entry["policy"]])
    return measure(cell, games=games, seed=SEED).estimates()


def distance(ours: Estimate, theirs: tuple[float, float], games: int) -> float:
    """Return the difference in its standard errors.

    Ours is at least theirs and that of one event seen: a rare event may not have come up here.
    """
    value, error = theirs
    assert ours.error is not None
    return (ours.estimate - value) / math.hypot(max(ours.error, error, 1 / games), error)


def far_off(entry: dict[str, Any], games: int) -> dict[str, float]:
    ours = measured(entry, games)
    distances = {name: distance(ours[name], theirs, games) for name, theirs in entry["figures"].items()}
    return {name: far for name, far in distances.items() if abs(far) > MOST_ERRORS}


@pytest.mark.parametrize("name", QUICK)
def test_figures_agree(name: str):
    assert far_off(CONFIGURATIONS[name], games=20_000) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_figures_agree_over_many_games(name: str):
    assert far_off(CONFIGURATIONS[name], games=200_000) == {}


def test_another_game_is_noticed():
    """Figures of one line-up do not pass for those of the other."""
    entry = CONFIGURATIONS["calc-4-random"]
    other = entry | {"figures": CONFIGURATIONS["calc-4-greedy"]["figures"]}
    assert len(far_off(other, games=20_000)) > 20
