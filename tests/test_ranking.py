"""Plackett-Luce strengths: against choix, against brute force, and on tables where the truth is known."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calcsim.stats.ranking import WHOLE, Strengths, choices_of, circles, fit, residuals

Tables = tuple[np.ndarray, np.ndarray, np.ndarray]


def tables(line_ups: Sequence[tuple[int, ...]], places: Sequence[tuple[int, ...]], items: int) -> Tables:
    """What `fit` takes, each ranking a block of its own."""
    sets: dict[tuple[int, ...], int] = {}
    won = np.zeros((len(places), items))
    rows: list[dict[int, float]] = []
    for game, (line_up, its) in enumerate(zip(line_ups, places, strict=True)):
        chosen, masks = choices_of(its)
        np.add.at(won[game], list(line_up), chosen)
        row: dict[int, float] = {}
        for mask, weight in masks.items():
            members = tuple(sorted(policy for seat, policy in enumerate(line_up) if mask >> seat & 1))
            column = sets.setdefault(members, len(sets))
            row[column] = row.get(column, 0) + weight
        rows.append(row)
    counts = np.zeros((len(places), len(sets)))
    for game, row in enumerate(rows):
        counts[game, list(row)] = list(row.values())
    members = np.array([[one.count(item) for item in range(items)] for one in sets])
    return won, members, counts


def luce(rng: np.random.Generator, weights: np.ndarray, games: int) -> np.ndarray:
    """Places of players with these weights: the fastest of exponential clocks is first."""
    times = rng.exponential(1.0, (games, weights.shape[-1])) / weights
    return times.argsort(axis=1).argsort(axis=1) + 1


@given(st.lists(st.integers(0, 5), min_size=2, max_size=6))
def test_ties_count_as_all_their_orders(numbers: list[int]):
    places = [1 + sum(other < one for other in numbers) for one in numbers]
    orders = [
        order
        for order in itertools.permutations(range(len(places)))
        if [places[i] for i in order] == sorted(places)
    ]
    won = [Fraction(0)] * len(places)
    sets: dict[int, Fraction] = {}
    for order in orders:
        for stage in range(len(order) - 1):
            won[order[stage]] += Fraction(WHOLE, len(orders))
            mask = sum(1 << player for player in order[stage:])
            sets[mask] = sets.get(mask, Fraction(0)) + Fraction(WHOLE, len(orders))
    assert choices_of(places) == (won, sets)


def test_strengths_agree_with_choix():
    import choix

    rng = np.random.default_rng(1)
    weights = np.array([3.0, 1.0, 0.5, 2.0, 1.5])
    line_ups = [tuple(rng.choice(5, 3, replace=False).tolist()) for _ in range(60)]
    places = [tuple(luce(rng, weights[list(one)], 1)[0].tolist()) for one in line_ups]
    rankings = [[one[i] for i in np.argsort(its)] for one, its in zip(line_ups, places, strict=True)]
    found = fit(*tables(line_ups, places, 5))
    assert found is not None
    reference = choix.opt_rankings(5, rankings)
    np.testing.assert_allclose(found.logs, reference - reference.mean(), atol=1e-5)
    spectral = choix.ilsr_rankings(5, rankings)
    np.testing.assert_allclose(found.logs, spectral - spectral.mean(), atol=1e-7)


def test_one_pair_is_a_share():
    found = fit([[30, 10], [20, 20]], [[1, 1]], [[40], [40]])
    assert found is not None
    assert found.ahead(0, 1) == pytest.approx(50 / 80)
    # By the delta method: the share's error over its slope.
    error = np.std([0.75, 0.5], ddof=1) / 2**0.5 / (50 / 80 * 30 / 80)
    assert found.errors[0] - (-found.errors[1]) == pytest.approx(error, rel=1e-9)


def test_copies_of_a_policy_have_one_strength():
    rng = np.random.default_rng(2)
    line_ups = [(0, 1, 1)] * 4000
    places = [tuple(row) for row in luce(rng, np.array([2.0, 1.0, 1.0]), 4000).tolist()]
    found = fit(*tables(line_ups, places, 2))
    assert found is not None
    assert found.ahead(0, 1) == pytest.approx(2 / 3, abs=0.015)


def test_games_among_copies_alone_change_nothing():
    won = np.array([[30.0, 10.0], [28.0, 12.0]])
    first = fit(won, [[1, 1]], [[40], [40]])
    second = fit(won + np.array([[7, 0], [9, 0]]), [[1, 1], [2, 0]], [[40, 7], [40, 9]])
    assert first is not None
    assert second is not None
    np.testing.assert_allclose(first.logs, second.logs, atol=1e-12)
    np.testing.assert_allclose(first.covariance, second.covariance, rtol=1e-9)


@pytest.mark.parametrize(
    ("won", "sets", "counts"),
    [
        ([[40, 0]], [[1, 1]], [[40]]),  # never behind
        ([[40, 20, 20]], [[1, 1, 0], [0, 1, 1], [1, 0, 1]], [[20, 40, 20]]),  # one above all the others
        ([[10, 10, 5, 5]], [[1, 1, 0, 0], [0, 0, 1, 1]], [[20, 10]]),  # two worlds
    ],
)
def test_no_strengths_where_none_are_likeliest(won: list[list[int]], sets: object, counts: object):
    assert fit(won, sets, counts) is None  # type: ignore[arg-type]


@pytest.mark.parametrize("extreme", [1e-4, 1e4])
def test_extreme_strengths_are_found(extreme: float):
    logs = np.log([1.0, extreme, 5.0])
    pairs = list(itertools.combinations(range(3), 2))
    sets = np.zeros((3, 3))
    won = np.zeros(3)
    for row, (a, b) in enumerate(pairs):
        sets[row, [a, b]] = 1
        share = 1 / (1 + np.exp(logs[b] - logs[a]))
        won[a] += share
        won[b] += 1 - share
    found = fit([won], sets, [[1, 1, 1]])
    assert found is not None
    np.testing.assert_allclose(found.logs, logs - logs.mean(), atol=1e-6)


def simulated(rng: np.random.Generator, blocks: int) -> Strengths:
    """Strengths of blocks in which all games share a wind that favours some: not independent games."""
    line_ups = [(0, 1, 2), (0, 1, 1), (0, 2, 2)] * 2
    won, counts = [], []
    for _ in range(blocks):
        wind = np.exp(rng.normal(0.0, 0.7, 3))
        places = [
            tuple(luce(rng, (np.array([1.5, 1.0, 1 / 1.5]) * wind)[list(one)], 1)[0].tolist())
            for one in line_ups
        ]
        its_won, sets, its_counts = tables([*line_ups, (0, 1, 2)], [*places, (1, 2, 3)], 3)
        won.append(its_won[:-1].sum(axis=0))
        counts.append({tuple(s): c for s, c in zip(sets.tolist(), its_counts[:-1].sum(axis=0), strict=True)})
    keys = sorted({key for count in counts for key in count})
    found = fit(won, keys, [[count.get(key, 0.0) for key in keys] for count in counts])
    assert found is not None
    return found


def test_errors_are_those_of_blocks_not_of_games():
    rng = np.random.default_rng(3)
    many = [simulated(rng, 40) for _ in range(50)]
    spread = np.std([one.logs for one in many], axis=0, ddof=1)
    said = np.mean([one.errors for one in many], axis=0)
    # The standard deviation of 50 is known to about 10 %.
    np.testing.assert_allclose(said / spread, 1.0, atol=0.3)


def test_residuals_are_none_where_the_model_holds_and_show_a_circle():
    rng = np.random.default_rng(4)
    pairs = [(0, 1), (0, 2), (1, 2)]
    sets = [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    for truth, fits in (([0.6, 0.692, 0.6], True), ([0.6, 0.4, 0.6], False)):
        seen = rng.binomial(100, truth, (200, 3)).astype(float)
        won = np.array(
            [
                seen[:, 0] + seen[:, 1],
                100 - seen[:, 0] + seen[:, 2],
                200 - seen[:, 1] - seen[:, 2],
            ]
        ).T
        found = fit(won, sets, np.full((200, 3), 100.0))
        assert found is not None
        shares = seen.mean(axis=0) / 100
        off, covariance = residuals(found, pairs, shares, (seen / 100 - shares) / 200)
        errors = np.sqrt(covariance.diagonal())
        assert (np.abs(off / errors) < 3).all() == fits
        if not fits:
            np.testing.assert_allclose(np.abs(off), 0.1, atol=0.01)


def test_circles_are_found_once_each():
    ahead = np.zeros((4, 4), dtype=bool)
    for a, b in [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]:
        ahead[a, b] = True
    assert circles(ahead.tolist()) == [(0, 1, 2)]
    ahead[2, 0], ahead[0, 2] = False, True
    assert circles(ahead.tolist()) == []
