"""Tuning players who weigh: on real games, few of them."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calcsim.engine import columns
from calcsim.errors import UsageError
from calcsim.experiments.evolution import Search
from calcsim.experiments.league import Measure, play, play_all, tables
from calcsim.experiments.tune import FIXED, Outcome, Tuning, Weights, tune, weights_text
from calcsim.policies import resolve
from calcsim.policies.features import FEATURES
from calcsim.policies.weighted import read_weights
from calcsim.rules import preset
from calcsim.stats.block import WHOLE

CALC = Measure("win", preset("calc"), 2)
SEARCH = Search(generations=4, population=6, deals=40, most_deals=80, seed=3)
TUNING = Tuning(CALC, ("greedy",), "sensible", SEARCH, check_deals=400)


# What is measured.


def outs(places: list[list[int]], scores: list[list[int]]) -> np.ndarray:
    """Games by the places and scores of their seats."""
    players = len(places[0])
    out = np.zeros((columns.n_columns(players), len(places)), dtype=np.int32)
    for game, (place, score) in enumerate(zip(places, scores, strict=True)):
        for seat in range(players):
            out[columns.seat("place", seat), game] = place[seat]
            out[columns.seat("score", seat), game] = score[seat]
    return out


def test_a_shared_first_place_is_a_shared_win():
    out = outs([[1, 2, 3], [1, 1, 3], [1, 1, 1], [2, 1, 2]], [[0] * 3] * 4)
    measure = Measure("win", preset("calc"), 3)
    taken = [measure.take(out, seat) / WHOLE for seat in range(3)]
    assert np.allclose(taken[0], [1, 1 / 2, 1 / 3, 0])
    assert np.allclose(sum(taken), 1)
    assert measure.fair == pytest.approx(1 / 3)


@pytest.mark.parametrize(("rules", "sign"), [("calc", 1), ("calc-revised", -1), ("advanced", 1)])
def test_more_is_always_better(rules: str, sign: int):
    measure = Measure("score", preset(rules), 2)
    assert measure.take(outs([[1, 2]], [[3, 50]]), 1).tolist() == [sign * 50]
    assert measure.fair is None


@pytest.mark.parametrize(
    ("rules", "objective", "expected"),
    [
        ("calc", "win", [WHOLE, 0, 0]),
        ("calc", "score", [7, 0, 0]),
        ("advanced", "score", [7, 50, 50]),
        ("calc-revised", "score", [-7, -(2 + 4), -(2 + 4)]),
    ],
)
def test_without_endless_games_those_leave_all_in_the_last_place(
    rules: str, objective: str, expected: list[int]
):
    out = outs([[1, 2]] * 3, [[7, 9]] * 3)
    out[columns.game("end")] = [columns.ENDS.index(end) for end in ("first-out", "stalled", "turn-limit")]
    out[columns.seat("left", 0)] = 4
    measure = Measure("win" if objective == "win" else "score", preset(rules), 2)
    assert replace(measure, endless=False).take(out, 0).tolist() == expected
    assert measure.take(out, 0).tolist() == expected[:1] * 3


def test_the_player_sits_in_each_seat_once():
    measure = Measure("win", preset("advanced"), 4)
    rules = measure.rules
    found = tables(measure, resolve("greedy", rules, 4), resolve("random", rules, 4))
    assert [cell.policies.index("greedy") for cell in found] == [0, 1, 2, 3]
    assert all(cell.policies.count("random") == 3 for cell in found)


@pytest.mark.parametrize(("rules", "players"), [("calc", 2), ("calc-revised", 3), ("advanced", 4)])
def test_a_player_among_its_own_copies_gets_the_fair_share_on_every_deal(rules: str, players: int):
    measure = Measure("win", preset(rules), players)
    greedy = resolve("greedy", measure.rules, players)
    assert (play(measure, greedy, [greedy], seed=1, first=0, deals=30) == WHOLE).all()


def test_all_are_played_on_the_same_deals_whatever_the_threads():
    heroes = [resolve(name, CALC.rules, 2) for name in ("greedy", "sensible", "random")]
    rivals = [resolve(name, CALC.rules, 2) for name in ("greedy", "random")]
    ways = {"seed": 1, "first": 10**12, "deals": 50}
    alone = [play(CALC, hero, rivals, **ways) for hero in heroes]
    for threads in (1, 3):
        assert (play_all(CALC, heroes, rivals, threads=threads, **ways) == np.array(alone)).all()


def test_greedy_wins_more_than_random():
    greedy, random = (resolve(name, CALC.rules, 2) for name in ("greedy", "random"))
    assert play(CALC, greedy, [random], seed=1, first=0, deals=1000).mean() > 1.05 * WHOLE


# Weights and points.


def weights(name: str = "sensible") -> Weights:
    return Weights(resolve(name, CALC.rules, 2))


def test_a_point_is_the_weights_but_the_fixed_ones_and_only_its_angle_counts():
    found = weights("weighted:cards=4:jokers=-2")
    origin = dict(zip(found.tuned, found.origin(), strict=True))
    assert {name: value for name, value in origin.items() if value} == {"cards": 1.0, "jokers": -0.5}
    assert not set(FIXED) & set(origin)
    named = found.named([7 * x for x in found.origin()])
    assert {name: value for name, value in named.items() if value} == FIXED | {"cards": 1.0, "jokers": -0.5}
    assert found.named([0.0] * len(found.tuned))["cards"] == 0


def test_a_player_is_made_of_weights_by_name():
    policy = weights().policy({"cards": 2.0, "left_out": 0.5}, "mine")
    names = [feature.name for feature in FEATURES]
    assert {name: x for name, x in zip(names, policy.params, strict=True) if x} == {
        "cards": 2,
        "left_out": 0.5,
    }
    assert policy.name == "mine"


def test_what_the_start_does_without_is_done_without():
    start = resolve("sensible:forbid=growth", preset("advanced"), 4)
    assert Weights(start).policy({"cards": 1.0}, "mine").forbidden == start.forbidden != 0


def test_players_without_weights_cannot_be_begun_with():
    with pytest.raises(UsageError, match=r"--start 'greedy': has no weights; give a player who weighs"):
        weights("greedy")


def test_weights_that_change_nothing_are_left_out():
    found = weights()
    jokers = found.tuned.index("jokers")
    at = [feature.name for feature in FEATURES].index("jokers")
    origin = found.origin()[jokers]
    found.leave_out_idle(lambda players: [policy.params[at] != origin for policy in players])
    assert found.tuned == ["jokers"]


# The whole.


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return tune(TUNING, tmp_path_factory.mktemp("tuning") / "state.json", threads=1)


def test_a_tuning_is_the_same_however_it_is_cut_and_on_any_number_of_threads(found: Outcome, tmp_path: Path):
    said: list[int] = []
    half = replace(TUNING, search=replace(SEARCH, generations=2))
    for tuning in (half, TUNING):
        again = tune(tuning, tmp_path / "state.json", threads=2, report=lambda g: said.append(g.number))
    assert again == found
    assert said == [1, 2, 3, 4]


def test_nothing_of_another_game_is_weighed(found: Outcome):
    assert not {"grow", "star", "handoff", "spoil_shield"} & set(found.weights)
    assert found.weights["out"] == FIXED["out"]


def test_the_check_is_what_playing_the_weights_gives(found: Outcome, tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_text(weights_text(TUNING, found))
    assert read_weights(file) == found.weights
    greedy = resolve("greedy", CALC.rules, 2)
    values = {}
    for name in (str(file), "sensible"):
        numbers = play(CALC, resolve(name, CALC.rules, 2), [greedy], seed=3, first=0, deals=400)
        values[name] = numbers.mean() / WHOLE / 2
    (check,) = found.checks
    assert check.rival == "greedy"
    assert check.value.estimate == pytest.approx(values[str(file)])
    assert check.before.estimate == pytest.approx(values["sensible"])
    assert check.gain.estimate == pytest.approx(values[str(file)] - values["sensible"])


def test_the_file_tells_how_it_was_found(found: Outcome):
    table = tomllib.loads(weights_text(TUNING, found))
    assert table["weights"] == pytest.approx(found.weights)
    told = {key: table["found"][key] for key in ("rules", "players", "objective", "start", "league", "seed")}
    assert told == {
        "rules": "calc",
        "players": 2,
        "objective": "win",
        "start": "sensible",
        "league": ["greedy"],
        "seed": 3,
    }
    assert table["found"]["games"] == found.games > 4 * 7 * 40 * 2
    assert table["held_out"]["deals"] == 400
    (against,) = table["held_out"]["against"]
    value, low, high = against["value"]
    assert against["rival"] == "greedy"
    assert low < value < high


@pytest.mark.slow
def test_tuning_finds_a_player_clearly_better_than_greedy(tmp_path: Path):
    search = Search(generations=15, population=10, deals=150, most_deals=600, seed=1)
    start = "weighted:cards=1:out=100"
    found = tune(Tuning(CALC, ("greedy",), start, search, check_deals=10_000), tmp_path / "state.json")
    (check,) = found.checks
    assert check.gain.low is not None
    assert check.gain.low > 0.03
    assert check.value.estimate > 0.55
