"""Figures: their sums against plain Python, their meanings, their estimates."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from calcsim.engine import columns, driver
from calcsim.questions.measure import measure
from calcsim.rules import preset
from calcsim.stats import sums
from calcsim.stats.intervals import Estimate, share
from calcsim.stats.metrics import groups, metrics
from calcsim.stats.percentiles import PERCENTILES
from calcsim.stats.text import decimals, estimate_text, share_text
from calcsim.stats.totals import SUMS, Totals
from tests.blocks import random_block

PLAYERS = 4
GAMES = 700


class Game:
    """One game of a block, by names."""

    def __init__(self, column: np.ndarray, players: int) -> None:
        self.row = dict(zip(columns.GAME, map(int, column), strict=False))
        rows = [map(int, column[columns.N_GAME + s * columns.N_SEAT :]) for s in range(players)]
        self.seats = [dict(zip(columns.SEAT, row, strict=False)) for row in rows]

    def __getitem__(self, name: str) -> int:
        return self.row[name]

    def all(self, name: str) -> int:
        return sum(seat[name] for seat in self.seats)

    def winners(self) -> int:
        return [seat["place"] for seat in self.seats].count(1)

    def first(self, name: str) -> int:
        return self.seats[self["first_out"]][name] if self["first_out"] >= 0 else 0


def three(game: Game, what: str) -> int:
    return game[f"{what}_free"] + game[f"{what}_after_draw"] + game[f"{what}_penalty"]


PLAIN: dict[str, Callable[[Game], float]] = {
    "turns": lambda g: g["turns"],
    "rounds": lambda g: g["turns"] / len(g.seats),
    "decisions": lambda g: three(g, "decisions"),
    "plays.under-joker": lambda g: g.all("under_joker"),
    "plays.quotient": lambda g: g.all("quotient"),
    "growths.line": lambda g: g.all("line"),
    "growths.star": lambda g: g.all("star"),
    "handoffs": lambda g: g.all("handoffs"),
    "handoff_chances": lambda g: g.all("handoff_chances"),
    "passes": lambda g: g.all("passes"),
    "stops": lambda g: g.all("stops"),
    "recycles": lambda g: g["recycles"],
    "penalties_drawn": lambda g: g.all("penalties"),
    "streak_penalties": lambda g: g["streak_penalties"],
    "avoided": lambda g: g.all("avoided"),
    "cards_drawn.pass": lambda g: g.all("drawn_pass"),
    "cards_drawn.penalty": lambda g: g.all("drawn_penalty"),
    "cards_played": lambda g: g.all("cards_played"),
    "cards_left": lambda g: g.all("left"),
    "jokers_played": lambda g: g.all("jokers_played"),
    "piles_at_end": lambda g: g["piles"],
    "win.seat2": lambda g: g.seats[2]["place"] == 1,
    "sole_win.seat2": lambda g: g.seats[2]["place"] == 1 and g.winners() == 1,
    "place_share.3.seat1": lambda g: g.seats[1]["place"] == 3,
    "score.seat3": lambda g: g.seats[3]["score"],
    "received.seat0": lambda g: g.seats[0]["received"],
    "share.star": lambda g: g["star_turn"] > 0,
    "share.ring": lambda g: g["ring_turn"] > 0,
    "share.growth": lambda g: g["growth_turn"] > 0,
    "share.handoff": lambda g: g["handoff_turn"] > 0,
    "share.recycle": lambda g: g["recycle_turn"] > 0,
    "share.avoided": lambda g: g.all("avoided") > 0,
    "share.streak_penalty": lambda g: g["streak_penalties"] > 0,
    "share.set_penalty": lambda g: g["set_penalties"] > 0,
    "share.streak_penalty_drawn": lambda g: g.all("streak_suffered") > 0,
    "share.set_penalty_drawn": lambda g: g.all("set_suffered") > 0,
    "share.somebody_out": lambda g: g["first_out"] >= 0,
    "share.tied_first": lambda g: g.winners() > 1,
    "end.stock-out": lambda g: g["end"] == 2,
    "end.turn-limit": lambda g: g["end"] == 4,
    "bonus.no-shield": lambda g: g["bonus_no_shield"],
    "finish.same": lambda g: g.first("finish") == 1,
    "finish.star": lambda g: g.first("finish") == 9,
    "finish.one_card": lambda g: g.first("finish_size") == 1,
}
"""Figures that are means over games, in plain words."""

RATIOS: dict[str, tuple[Callable[[Game], int], Callable[[Game], int]]] = {
    "actions_per_decision": (lambda g: three(g, "actions"), lambda g: three(g, "decisions")),
    "actions_per_decision.penalty": (lambda g: g["actions_penalty"], lambda g: g["decisions_penalty"]),
    "handoff_uptake": (lambda g: g.all("handoffs"), lambda g: g.all("handoff_chances")),
    "avoid_uptake": (lambda g: g.all("avoided"), lambda g: g["streak_penalties"]),
    "forced": (lambda g: three(g, "forced"), lambda g: three(g, "decisions")),
    "passed_on_purpose": (
        lambda g: g.all("passes") - g["forced_free"],
        lambda g: g["decisions_free"] - g["forced_free"],
    ),
    "turns.with_star": (lambda g: g["turns"] * (g["star_turn"] > 0), lambda g: g["star_turn"] > 0),
    "star_turn": (lambda g: g["star_turn"], lambda g: g["star_turn"] > 0),
    "first_out_turn": (lambda g: g.first("out_turn"), lambda g: g["first_out"] >= 0),
}


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return [Game(column, PLAYERS) for column in random_block(PLAYERS, GAMES).T]


@pytest.fixture(scope="module")
def totals() -> Totals:
    return Totals.of(random_block(PLAYERS, GAMES), PLAYERS)


@pytest.fixture(scope="module")
def estimates(totals: Totals) -> dict[str, Estimate]:
    return totals.estimates()


@pytest.mark.parametrize("name", PLAIN)
def test_means_and_shares(name: str, games: list[Game], estimates: dict[str, Estimate]):
    values = [float(PLAIN[name](game)) for game in games]
    assert len(set(values)) > 1
    assert estimates[name].estimate == pytest.approx(statistics.fmean(values))
    assert estimates[name].error == pytest.approx(statistics.stdev(values) / math.sqrt(GAMES))


@pytest.mark.parametrize("name", RATIOS)
def test_ratios(name: str, games: list[Game], estimates: dict[str, Estimate]):
    over, under = ([take(game) for game in games] for take in RATIOS[name])
    value = sum(over) / sum(under)
    residuals = [x - value * y for x, y in zip(over, under, strict=True)]
    error = statistics.stdev(residuals) / math.sqrt(GAMES) / statistics.fmean(under)
    assert estimates[name].estimate == pytest.approx(value)
    assert estimates[name].error == pytest.approx(error)


@pytest.mark.parametrize("row", ["score", "left"])
@pytest.mark.parametrize("place", range(1, PLAYERS + 1))
def test_means_by_place(row: str, place: int, games: list[Game], estimates: dict[str, Estimate]):
    values = [seat[row] for game in games for seat in game.seats if seat["place"] == place]
    found = estimates[f"{row}_by_place.{place}"]
    assert found.estimate == pytest.approx(statistics.fmean(values))
    assert found.error == pytest.approx(statistics.stdev(values) / math.sqrt(len(values)))


def test_the_spread_of_the_turns(games: list[Game], totals: Totals, estimates: dict[str, Estimate]):
    turns = sorted(game["turns"] for game in games)
    assert estimates["turns.sd"].estimate == pytest.approx(statistics.stdev(turns))
    for percent in PERCENTILES:
        value, low, high = totals.turns_percentile(percent)
        assert value == np.percentile(turns, percent, method="inverted_cdf")
        assert low <= value <= high
    assert totals.turns_percentile(50)[1:] != (totals.turns_percentile(50)[0],) * 2


def test_the_error_of_the_deviation_is_that_of_repetitions():
    draw = np.random.default_rng(3)
    deviations, errors = [], []
    for _ in range(300):
        out = np.zeros((columns.n_columns(2), 500), dtype=np.int32)
        out[columns.game("turns")] = draw.poisson(30, size=500)
        out[[columns.seat("place", 0), columns.seat("place", 1)]] = 1
        found = Totals.of(out, 2).estimates()["turns.sd"]
        deviations.append(found.estimate)
        errors.append(found.error)
    assert np.mean(errors) == pytest.approx(np.std(deviations), rel=0.15)


@pytest.mark.parametrize("players", [2, 3, 6])
def test_every_published_figure_is_there(players: int):
    published = json.loads((Path(__file__).parent / "data" / "statistics.json").read_text(encoding="utf-8"))
    names = {name for entry in published if entry["players"] == players for name in entry["figures"]}
    known = {name for figure in metrics(players) for name in figure.names(players)}
    assert names
    assert names <= known


@pytest.mark.parametrize("players", range(2, 7))
def test_names_are_unique_and_explained(players: int):
    known = metrics(players)
    names = [name for figure in known for name in figure.names(players)]
    assert len(names) == len(set(names))
    assert [figure.name for group in groups(players).values() for figure in group] == [
        figure.name for figure in known
    ]
    for figure in known:
        assert figure.doc
        assert figure.per
        assert figure.clause.startswith("R")


@pytest.mark.parametrize("players", range(2, 7))
def test_sums_add_up_whatever_the_cut(players: int):
    out = random_block(players, 100)
    whole = Totals.of(out, players)
    parts = Totals.of(np.ascontiguousarray(out[:, :1]), players)
    for cut in (out[:, 1:30], out[:, 30:99], out[:, 99:]):
        parts.add(Totals.of(np.ascontiguousarray(cut), players))
    assert parts.sums == whole.sums
    assert parts.turns.tolist() == whole.turns.tolist()
    assert parts.estimates() == whole.estimates()
    width = sum(SUMS[figure.kind] * len(figure.names(players)) for figure in metrics(players))
    assert len(whole.sums) == width
    assert all(type(number) is int for number in whole.sums)


def test_a_part_of_a_larger_block_is_read_in_place():
    out = random_block(3, 100)
    assert Totals.of(out[:, :40], 3).sums == Totals.of(np.ascontiguousarray(out[:, :40]), 3).sums


def test_sums_beyond_64_bits_are_exact():
    large = 2**31 - 1
    x = np.array([large] * 9 + [-large], dtype=np.int32)
    y = np.array([large] * 10, dtype=np.int32)
    assert sums.moments(x) == (8 * large, 10 * large**2)
    assert sums.products(x, y) == (8 * large, 10 * large, 10 * large**2, 10 * large**2, 8 * large**2)
    keys = np.array([[1] * 10, [2] * 10], dtype=np.int32)
    ones, twos = [10, 8 * large, 10 * large**2], [10, 10 * large, 10 * large**2]
    assert sums.moments_by(np.array([x, y]), keys, 3) == [*ones, *twos, 0, 0, 0]


def test_a_figure_of_what_never_came_up_is_left_out():
    out = random_block(2, 50)
    for row in (columns.game("star_turn"), *(columns.seat("handoff_chances", seat) for seat in (0, 1))):
        out[row] = 0
    found = Totals.of(out, 2).estimates()
    assert "star_turn" not in found
    assert "handoff_uptake" not in found
    assert found["share.star"].estimate == 0
    assert found["share.star"].high == pytest.approx(1 - 0.05 ** (1 / 50))


def test_one_game_has_no_errors():
    found = Totals.of(random_block(2, 1), 2).estimates()
    assert found["turns"].error is None
    assert found["turns.sd"].error is None
    assert 0 <= found["share.star"].low <= found["share.star"].high <= 1


def test_only_points_can_be_negative():
    out = random_block(2, 3)
    out[columns.game("recycles")] = [0, 0, 9]
    for seat in (0, 1):
        out[columns.seat("score", seat)] = [-9, 0, 1]
    found = Totals.of(out, 2).estimates()
    assert found["recycles"].low == 0
    assert found["score.seat0"].low < 0


def test_measuring_is_the_same_on_any_number_of_threads():
    cell = driver.prepare(preset("calc"), 3, ["greedy"])
    done: list[int] = []
    one = measure(cell, games=9_000, seed=7, threads=1, progress=done.append)
    two = measure(cell, games=9_000, seed=7, threads=2)
    assert one.games == 9_000
    assert done[-1] == 9_000
    assert (one.sums, one.turns.tolist()) == (two.sums, two.turns.tolist())
    assert measure(cell, games=9_000, seed=8).sums != one.sums


@pytest.mark.parametrize(
    ("count", "games", "text"),
    [
        (5_000, 10_000, ("50.00 %", "49.02 % to 50.98 %")),
        (1, 100_000, ("0.0010 %", "0.000025 % to 0.0056 %")),
        (99_999, 100_000, ("99.9990 %", "99.9944 % to 99.999975 %")),
        (0, 100, ("none seen", "below 3.0 %")),
        (100, 100, ("every game", "above 97.0 %")),
        (0, 0, ("no games", "")),
    ],
)
def test_shares_as_text(count: int, games: int, text: tuple[str, str]):
    assert share_text(share(count, games)) == text


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (Estimate(1234.5, 10.0, 1214.9, 1254.1), ("1234", "1215 to 1254")),
        (Estimate(0.001234, 1e-5, 0.001214, 0.001254), ("0.001234", "0.001214 to 0.001254")),
        (Estimate(50.0, 0.0, 50.0, 50.0), ("50", "always")),
        (Estimate(7.0, None, None, None), ("7", "one only")),
    ],
)
def test_estimates_as_text(estimate: Estimate, text: tuple[str, str]):
    assert estimate_text(estimate) == text


def test_no_width_shows_no_decimals():
    assert decimals(0.0) == 0
