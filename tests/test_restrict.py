"""Restricted players: what they may not do they never do, and all else as before."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from calcsim.engine import driver
from calcsim.errors import UsageError
from calcsim.notation.trace import trace_events
from calcsim.policies.naming import RESTRICTIONS, split_name
from calcsim.rules import load_rules
from calcsim.simulation import simulate

PLAYER = """
from calcsim import policy
from calcsim.engine.rng import below

@policy
def anything(view, legal, n, params, rng):
    return below(rng, n)
"""


def events(policy: str, rules: str = "advanced", players: int = 3, games: int = 60) -> list[dict]:
    cell = [policy, *["greedy"] * (players - 1)]
    return [e for number in range(games) for e in trace_events(load_rules(rules), cell, 5, number)]


def deeds(policy: str, rules: str = "advanced") -> Counter:
    counts: Counter = Counter()
    for event in events(policy, rules):
        if event.get("player") != 0:
            continue
        counts[event["event"]] += 1
        if event["event"] == "play":
            counts[event["pattern"]] += 1
    return counts


@pytest.mark.parametrize("policy", ["random", "greedy", "anything"])
@pytest.mark.parametrize(
    ("word", "rules", "never"),
    [
        ("shield", "advanced", ["handoff"]),
        ("shield", "calc-revised", ["handoff"]),
        ("growth", "advanced", ["grow"]),
        ("multiply-finish", "advanced", ["product", "quotient"]),
    ],
)
def test_what_is_forbidden_is_never_done(
    policy: str, word: str, rules: str, never: list[str], tmp_path: Path
):
    if policy == "anything":
        path = tmp_path / "player.py"
        path.write_text(PLAYER, encoding="utf-8")
        policy = f"{path}:anything"
    free, restricted = deeds(policy, rules), deeds(f"{policy}:forbid={word}", rules)
    assert sum(free[deed] for deed in never) > 0
    assert sum(restricted[deed] for deed in never) == 0
    assert restricted["pass"] > 0
    assert restricted["play"] > 0


def test_penalties_are_not_avoided_where_that_is_forbidden():
    table = simulate(
        "advanced", players=3, policy=["greedy:forbid=avoid", "greedy", "greedy"], games=500, seed=5
    )
    assert table["avoided.seat0"].sum() == 0
    assert table["avoided.seat1"].sum() > 0


def test_jokers_are_used_where_they_may_not_be_kept(tmp_path: Path):
    path = tmp_path / "player.py"
    path.write_text(PLAYER.replace("below(rng, n)", "n - 1"), encoding="utf-8")
    idle = f"{path}:anything"
    held = simulate("advanced", players=2, policy=[idle, "greedy"], games=300, seed=5)
    used = simulate("advanced", players=2, policy=[f"{idle}:forbid=joker-hold", "greedy"], games=300, seed=5)
    assert held["jokers_played.seat0"].sum() == 0
    assert used["jokers_played.seat0"].sum() > 50
    # Nothing is ever played by that seat but with a joker.
    others = [f"{name}.seat0" for name in ("same", "sum", "difference", "product", "quotient", "under_joker")]
    assert used[others].sum().sum() <= used["jokers_played.seat0"].sum()


def test_a_restriction_that_never_bites_changes_nothing_but_the_way_of_choosing():
    # Calc has no growths; the restricted player chooses from the list, with the same law.
    free = simulate("calc", players=2, policy=["greedy", "greedy"], games=20_000, seed=5)
    listed = simulate("calc", players=2, policy=["greedy:forbid=growth", "greedy"], games=20_000, seed=5)
    for name in ("turns", "place.seat0", "passes.seat0"):
        a, b = free[name].to_numpy(float), listed[name].to_numpy(float)
        error = np.sqrt(a.var() / len(a) + b.var() / len(b))
        assert abs(a.mean() - b.mean()) < 4 * error


def test_restrictions_add_up_and_unknown_ones_are_refused():
    assert split_name("greedy:forbid=shield+growth").forbidden == 3
    assert [1 << i for i, _ in enumerate(RESTRICTIONS)] == [1, 2, 4, 8, 16]
    with pytest.raises(UsageError, match="did you mean 'shield'"):
        driver.prepare(load_rules("advanced"), 2, ["greedy:forbid=sheild"])
    with pytest.raises(UsageError, match="no option 'risk'"):
        driver.prepare(load_rules("advanced"), 2, ["greedy:risk=1"])
    with pytest.raises(UsageError, match="given twice"):
        split_name("greedy:forbid=shield:forbid=growth")
