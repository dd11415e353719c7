"""Rule-of-thumb players: each does what its idea says, more than the player who only sheds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd

from calcsim.engine import weigher
from calcsim.policies import thumbs
from calcsim.policies.features import FEATURES
from calcsim.policies.registry import BUILT_IN
from calcsim.simulation import simulate
from tests.test_features import positions, values

DEALS = 600


@cache
def games(policy: str, preset: str = "advanced", players: int = 3) -> pd.DataFrame:
    """One such player at seat 0 among greedy ones."""
    line_up = [policy, *["greedy"] * (players - 1)]
    return simulate(preset, players=players, policy=line_up, games=DEALS, seed=17)


def mean(policy: str, column: str, preset: str = "advanced") -> float:
    return float(games(policy, preset)[column].mean())


def total(policy: str, *columns: str, preset: str = "advanced") -> int:
    return int(sum(games(policy, preset)[f"{column}.seat0"].sum() for column in columns))


def chosen(
    policy: str, preset: str, players: int
) -> Iterator[tuple[dict[str, float], list[dict[str, float]]]]:
    """The features of what a player takes where there is a choice, and of all that is legal."""
    params = np.zeros(64)
    names = [feature.name for feature in FEATURES]
    given = thumbs.weights_of(policy)
    params[: len(names)] = [given.get(name, 0.0) for name in names]
    for i, (state, legal, _) in enumerate(positions(preset, (), players, 3, seed=5)):
        if 1 < len(legal) < 200:
            every = [dict(zip(names, row, strict=True)) for row in values(state, legal)]
            rng = np.array([i], dtype=np.uint64)
            yield every[weigher.weigh(state, legal, len(legal), params, rng)], every


def test_sheds_takes_the_most_cards_and_rather_hands_off_than_passes():
    for taken, every in chosen("sheds", "calc-revised", 4):
        assert taken["out"] == max(one["out"] for one in every)
        assert taken["cards"] == max(one["cards"] for one in every)
        if taken["pass"]:
            assert not any(one["handoff"] for one in every)


def test_keeps_jokers_uses_one_only_where_it_could_not_play_without():
    kept = 0
    for taken, every in chosen("keeps-jokers", "advanced", 3):
        without = any(one["cards"] > one["jokers"] == 0 for one in every)
        assert not (taken["jokers"] and without)
        kept += without and any(one["jokers"] for one in every)
        assert taken["cards"] > 0 or not any(one["cards"] for one in every)
    assert kept > 0
    assert total("keeps-jokers", "jokers_played") < total("sheds", "jokers_played")


def test_keeps_pairs_leaves_what_could_go_out_at_once():
    def by_several(policy: str) -> float:
        table = games(policy, "calc", 2)
        return float((table["finish_size.seat0"] >= 2).mean())

    assert by_several("keeps-pairs") > by_several("sheds") + 0.04


def test_strikes_strikes_wherever_it_can():
    struck = 0
    for taken, every in chosen("strikes", "advanced", 3):
        if any(one["strike"] for one in every) and not any(one["out"] for one in every):
            assert taken["strike"]
            struck += 1
    assert struck > 5
    suffered = [games(name)[["streak_suffered.seat1", "set_suffered.seat1"]] for name in ("strikes", "sheds")]
    assert suffered[0].to_numpy().sum() > suffered[1].to_numpy().sum()


def test_blocks_hands_off_to_the_nearest_more_often_than_others_do():
    for taken, every in chosen("blocks", "calc-revised", 4):
        if taken["handoff"]:
            assert taken["handoff_near"] >= max(one["handoff_near"] for one in every) - 0.2
    assert total("blocks", "handoffs") > 1.3 * total("greedy", "handoffs")
    assert total("blocks", "handoffs", preset="calc-revised") > total(
        "sheds", "handoffs", preset="calc-revised"
    )


def test_denies_leaves_higher_numbers_that_are_rarer():
    tops = {}
    for policy in ("denies", "sheds"):
        tops[policy] = [taken["top"] for taken, _ in chosen(policy, "calc", 2) if taken["top"]]
    assert np.mean(tops["denies"]) > np.mean(tops["sheds"])
    for taken, every in chosen("denies", "advanced", 3):
        assert taken["cards"] == max(one["cards"] for one in every)


def test_grows_grows_and_never_grows_does_not():
    shapes = ("line", "ring", "star")
    assert total("grows", *shapes) > 1.3 * total("sheds", *shapes)
    # But to go out by it.
    finishes = games("never-grows")["finish.seat0"]
    assert total("never-grows", *shapes) <= int((finishes >= 7).sum())
    assert total("never-grows", *shapes) < 0.2 * total("sheds", *shapes)


def test_sensible_wins_more_than_greedy_does():
    won = {name: float((games(name)["place.seat0"] == 1).mean()) for name in ("sensible", "greedy")}
    assert won["sensible"] > won["greedy"] + 0.05


def test_every_thumb_is_a_built_in_with_known_weights():
    known = {feature.name for feature in FEATURES}
    for entry in thumbs.ENTRIES:
        assert BUILT_IN[entry.name] is entry
        assert thumbs.weights_of(entry.name).keys() <= known
