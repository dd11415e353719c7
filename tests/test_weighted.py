"""Players who weigh: linear in the weights, blind to what is hidden, and read from files of weights."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calcsim import policies
from calcsim.engine import choose, columns, driver, weigher
from calcsim.engine import features as engine
from calcsim.engine import layout as at
from calcsim.engine._jit import memory, player_kernel
from calcsim.engine.score import groups_weighed
from calcsim.engine.weigh import weigh_up
from calcsim.errors import UsageError
from calcsim.policies.features import FEATURES
from calcsim.rules import load_rules
from calcsim.simulation import simulate
from tests.test_features import positions, values
from tests.test_view import hidden_cards_shuffled


def scores(state, legal, params) -> np.ndarray:
    found = np.zeros(len(legal))
    weigher.scores_of(state, legal, len(legal), params, found)
    return found


def random_weights(seed: int) -> np.ndarray:
    params = np.zeros(64)
    params[: engine.N_FEATURES] = np.random.default_rng(seed).normal(size=engine.N_FEATURES)
    return params


@pytest.mark.parametrize("preset", ["calc-revised", "advanced"])
def test_the_score_is_the_weighted_sum_and_the_highest_is_taken(preset: str):
    for i, (state, legal, _) in enumerate(positions(preset, (), 4, 3, seed=1)):
        params = random_weights(i)
        found = scores(state, legal, params)
        np.testing.assert_allclose(found, values(state, legal) @ params[: engine.N_FEATURES], atol=1e-9)
        answer = weigher.weigh(state, legal, len(legal), params, np.array([i], dtype=np.uint64))
        assert found[answer] == found.max()


@player_kernel
def weighed_up(array, params, rng):
    """The action that the engine finds for a player who weighs, without a list."""
    state = memory(array)
    weights = memory(params)
    return weigh_up(state, choose.list_candidates(state)[0], weights, groups_weighed(weights), rng)


@pytest.mark.parametrize("preset", ["calc", "calc-revised", "advanced"])
def test_the_highest_is_found_without_a_list_of_the_actions(preset: str):
    for i, (state, legal, _) in enumerate(positions(preset, (), 4, 5, seed=4)):
        params = random_weights(i)
        found = scores(state, legal, params)
        rng = np.array([i], dtype=np.uint64)
        action = weighed_up(state, params, rng)
        assert found[legal.tolist().index(action)] == found.max()


@pytest.mark.parametrize(
    "changes", [(), ("start_piles=3", "growth=on", "joker_finish=on"), ("hand_size=12",)], ids=" ".join
)
def test_games_are_the_same_with_a_list_and_without(changes: tuple[str, ...]):
    for seed in range(3):
        weights = random_weights(seed)
        name = "weighted:" + ":".join(f"{f.name}={w}" for f, w in zip(FEATURES, weights, strict=False))
        cell = driver.prepare(load_rules("calc", changes), 3, [name])
        listing = tuple(replace(policies.with_a_list(one), kind="thinker") for one in cell.resolved)
        outs = [
            next(iter(driver.blocks(one, seed=seed, games=200, map=lambda _, out: out.copy())))
            for one in (cell, replace(cell, resolved=listing))
        ]
        np.testing.assert_array_equal(*outs)
        assert (outs[0][columns.game("turns")] > 0).all()


@pytest.mark.parametrize("preset", ["calc", "calc-revised", "advanced"])
def test_R10_2_weighted_players_decide_the_same_whatever_the_hidden_cards_are(preset: str):
    n_other = 0
    for i, (state, legal, rng) in enumerate(positions(preset, (), 4, 4, seed=2)):
        changed = hidden_cards_shuffled(state, rng)
        n_other += not np.array_equal(state, changed)
        params = random_weights(i)
        np.testing.assert_array_equal(scores(state, legal, params), scores(changed, legal, params))
        for stream in range(3):
            one, other = (np.array([stream], dtype=np.uint64) for _ in range(2))
            params = np.zeros(64)
            assert weigher.weigh(state, legal, len(legal), params, one) == weigher.weigh(
                changed, legal, len(legal), params, other
            )
            assert one[0] == other[0]
    assert n_other > 50


def test_what_the_state_keeps_of_hands_changes_no_score():
    for i, (state, legal, _) in enumerate(positions("advanced", (), 3, 2, seed=3)):
        params = random_weights(i)
        first = scores(state, legal, params)
        assert state[at.MEMO : at.LOG].any()
        np.testing.assert_array_equal(scores(state, legal, params), first)
        state[at.MEMO : at.LOG] = 0
        np.testing.assert_array_equal(scores(state, legal, params), first)


@pytest.mark.parametrize("listed", [True, False])
def test_equals_are_taken_alike(listed: bool):
    state, legal, _ = next(p for p in positions("calc-revised", (), 4, 3) if len(p[1]) == 5)
    rng = np.array([7], dtype=np.uint64)
    if listed:
        answers = [weigher.weigh(state, legal, 5, np.zeros(64), rng) for _ in range(5000)]
    else:
        actions = [weighed_up(state, np.zeros(64), rng) for _ in range(5000)]
        answers = [legal.tolist().index(action) for action in actions]
    counts = np.bincount(answers, minlength=5)
    assert ((counts - 1000) ** 2 / 1000).sum() < 18.5  # chi-square, 4 degrees of freedom, p = 0.001


def test_games_are_the_same_on_any_number_of_threads():
    cells = [
        simulate("advanced", players=3, policy=["sensible", "greedy", "sheds"], games=9000, seed=4, threads=n)
        for n in (1, 2)
    ]
    assert cells[0].equals(cells[1])


WEIGHTS = """
name = "anyone"
[found]
by = "hand"
[weights]
cards = 1
out = 10.5
"""


def test_a_file_of_weights_is_a_policy(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text(WEIGHTS, encoding="utf-8")
    rules = load_rules("advanced")
    policy = policies.resolve(f"{path}:handoff=-2:forbid=growth", rules, 2)
    names = [feature.name for feature in FEATURES]
    assert policy.kind == "weigher"
    assert policy.forbidden == 2
    expected = {"cards": 1.0, "out": 10.5, "handoff": -2.0}
    assert {name: w for name, w in zip(names, policy.params, strict=True) if w} == expected
    given = policies.resolve("weighted:cards=1:out=10.5", rules, 2)
    assert given.params == policies.resolve(str(path), rules, 2).params
    assert policies.check_name(str(path)).file == str(path)
    played = [
        simulate("calc", players=2, policy=[name, "greedy"], games=300, seed=1)
        for name in (str(path), "weighted:out=10.5:cards=1")
    ]
    assert played[0].equals(played[1])


def test_the_identity_of_weights_is_their_bytes_not_their_place(tmp_path: Path):
    names = [tmp_path / "a.toml", tmp_path / "b.toml", tmp_path / "c.toml"]
    for name, text in zip(names, (WEIGHTS, WEIGHTS, WEIGHTS + "pass = -1\n"), strict=True):
        name.write_text(text, encoding="utf-8")
    first, second, third = (policies.identity(str(name)) for name in names)
    assert first == second != third
    assert policies.identity(f"{names[0]}:out=9") != first
    assert policies.identity("weighted:cards=1") != policies.identity("weighted:cards=2")
    assert policies.identity("sensible").startswith("sensible")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cards = 1", "needs a table \\[weights\\]"),
        ("[weights]", "needs a table \\[weights\\]"),
        ("[weights]\ncrads = 1", "no feature 'crads'; did you mean 'cards'"),
        ("[weights]\ncards = true", "cards = True must be a number"),
        ("[weights]\ncards = nan", "cards = nan must be a number"),
        ("[weights]\ncards = 1e9", "from -1000 to 1000"),
        ("[weights\n", "mine.toml"),
    ],
)
def test_what_is_wrong_with_a_file_of_weights_is_said(tmp_path: Path, text: str, message: str):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        policies.check_name(str(path))


def test_a_missing_file_and_an_unknown_weight_are_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="there is no file"):
        policies.check_name(str(tmp_path / "none.toml"))
    with pytest.raises(UsageError, match="no option 'crads'; did you mean 'cards'"):
        driver.prepare(load_rules("calc"), 2, ["weighted:crads=1"])


def test_options_are_the_features_in_order():
    options = policies.registry.BUILT_IN["weighted"].options
    assert [option.name for option in options] == [feature.name for feature in FEATURES]
    assert all(option.default == 0 for option in options)
    rng = random.Random(0)
    some = rng.sample(range(len(FEATURES)), 5)
    name = "weighted:" + ":".join(f"{FEATURES[k].name}={k}.5" for k in some)
    params = policies.resolve(name, load_rules("calc"), 2).params
    assert {k for k, value in enumerate(params) if value} == set(some)
    assert all(params[k] == k + 0.5 for k in some)


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["calc", "calc-revised", "advanced"])
@pytest.mark.parametrize("players", [2, 4])
def test_sensible_players_win_more_than_their_share_among_greedy_ones(preset: str, players: int):
    won = []
    for seat in range(players):
        line_up = ["greedy"] * players
        line_up[seat] = "sensible"
        table = simulate(preset, players=players, policy=line_up, games=8000, seed=31)
        places = table[[f"place.seat{s}" for s in range(players)]].to_numpy() == 1
        won.append(places[:, seat] / places.sum(axis=1))
    mean = np.mean(won, axis=0)
    assert mean.mean() - 4 * mean.std() / len(mean) ** 0.5 > 1 / players
