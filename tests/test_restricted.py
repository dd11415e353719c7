"""Restricted play: what doing without a part of the game costs."""

from __future__ import annotations

import numpy as np
import pytest

from calcsim.errors import UsageError
from calcsim.experiments.restricted import check_parts, check_policies, games_per_deal, restricted_play
from calcsim.policies.naming import RESTRICTIONS
from calcsim.rules import load_rules
from calcsim.simulation import simulate

SEED = 7


def test_worth_is_what_is_lost_against_the_fair_share_in_the_same_games():
    found = restricted_play(load_rules("advanced"), [3], ["greedy"], ["growth"], deals=150, seed=SEED)
    (one,) = found.worths
    won, changed = np.zeros(150), 0
    full = simulate("advanced", players=3, policy="greedy", games=150, seed=SEED)
    for seat in range(3):
        names = ["greedy"] * 3
        names[seat] = "greedy:forbid=growth"
        games = simulate("advanced", players=3, policy=names, games=150, seed=SEED)
        first = np.array([games[f"place.seat{s}"] == 1 for s in range(3)])
        won += first[seat] / first.sum(axis=0)
        changed += int((games["turns"] != full["turns"]).sum())
    assert one.restricted == pytest.approx(won.mean() / 3)
    assert one.worth.estimate == pytest.approx(1 / 3 - won.mean() / 3)
    assert one.worth.error == pytest.approx(won.std(ddof=1) / 3 / np.sqrt(150))
    assert one.changed >= changed / 450 > 0
    assert found.games == 150 * games_per_deal([3], 1, 1) == 600


def test_what_the_rules_do_not_have_is_worth_exactly_nothing():
    found = restricted_play(load_rules("calc"), [2, 4], ["greedy"], ["shield"], deals=200, seed=SEED)
    for one in found.worths:
        assert (one.worth.estimate, one.worth.error, one.changed) == (0.0, 0.0, 0.0)
        assert one.verdict.word == "no matter"
    assert [one.players for one in found.worths] == [2, 4]


def test_everything_is_tried_unless_something_is_named():
    found = restricted_play(load_rules("advanced"), [2], ["greedy", "random"], deals=100, seed=SEED)
    assert [(one.policy, one.forbidden) for one in found.worths] == [
        (policy, part) for policy in ("greedy", "random") for part in RESTRICTIONS
    ]
    assert check_parts(["shield+growth"]) == ("shield+growth",)


def test_products_are_worth_having():
    found = restricted_play(
        load_rules("advanced"), [2], ["greedy"], ["multiply-finish"], deals=3000, seed=SEED
    )
    (one,) = found.worths
    assert one.verdict.word == "matters"
    assert one.worth.low is not None
    assert one.worth.low > 0.01


def test_results_do_not_depend_on_the_threads():
    def play(threads: int) -> dict[str, object]:
        return restricted_play(
            load_rules("advanced"), [3], ["greedy"], deals=1100, seed=SEED, threads=threads
        ).as_dict()

    assert play(1) == play(2)


def test_progress_counts_all_games():
    seen: list[int] = []
    found = restricted_play(
        load_rules("advanced"), [2, 3], ["greedy"], ["avoid"], deals=600, seed=SEED, progress=seen.append
    )
    assert seen[-1] == found.games
    assert seen == sorted(seen)


def test_mistakes_are_named():
    with pytest.raises(UsageError, match="did you mean 'shield'"):
        check_parts(["sheild"])
    with pytest.raises(UsageError, match="twice"):
        check_parts(["shield", "shield"])
    with pytest.raises(UsageError, match="without forbid="):
        check_policies(["greedy:forbid=growth"])
    with pytest.raises(UsageError, match="twice"):
        check_policies(["greedy", "greedy"])
