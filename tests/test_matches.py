"""Matches by total score, and deals that tell two policies apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calcsim.engine import columns, driver
from calcsim.errors import UsageError
from calcsim.experiments.matches import games_to_tell, matches
from calcsim.rules import load_rules
from calcsim.stats.intervals import share_estimate

SCORES = np.array([[3, 0, 1, 1, 2, 0, 9], [0, 1, 1, 1, 2, 0, 9], [0, 0, 0, 5, 0, 4, 9]])


def test_matches_are_games_in_a_row():
    found = matches(SCORES, 2, lower_wins=False)
    # Totals 3 1 0, then 2 2 5, then 2 2 4; the seventh deal is left.
    assert (found.games, found.matches, found.left_over) == (2, 3, 1)
    assert [one.estimate for one in found.won] == [pytest.approx(x / 3) for x in (1, 0, 2)]
    assert found.tied.estimate == 0


def test_lower_totals_can_win():
    found = matches(SCORES, 2, lower_wins=True)
    assert [one.estimate for one in found.won] == [pytest.approx(x / 3) for x in (1, 1, 1)]
    assert found.tied.estimate == pytest.approx(2 / 3)


def test_a_shared_match_counts_in_parts():
    found = matches(np.array([[1, 1], [1, 0], [1, 1]]), 1, lower_wins=False)
    assert [one.estimate for one in found.won] == [pytest.approx(x / 2) for x in (5 / 6, 1 / 3, 5 / 6)]


@given(
    st.integers(1, 6),
    st.integers(1, 4),
    st.lists(st.integers(-3, 3), min_size=24, max_size=120),
    st.booleans(),
)
def test_matches_against_plain_python(rows: int, k: int, numbers: list[int], lower: bool):
    deals = len(numbers) // rows
    scores = np.array(numbers[: rows * deals], dtype=np.int32).reshape(rows, deals)
    credit, tied, n = [0.0] * rows, 0, 0
    for start in range(0, deals - k + 1, k):
        totals = [sum(scores[row, start : start + k].tolist()) for row in range(rows)]
        best = min(totals) if lower else max(totals)
        winners = [row for row in range(rows) if totals[row] == best]
        for row in winners:
            credit[row] += 1 / len(winners)
        tied += len(winners) > 1
        n += 1
    found = matches(scores, k, lower_wins=lower)
    assert (found.matches, found.left_over) == (n, deals - n * k)
    assert [one.estimate for one in found.won] == [pytest.approx(x / n) for x in credit]
    assert sum(one.estimate for one in found.won) == pytest.approx(1)
    assert found.tied.estimate == pytest.approx(tied / n)


def test_without_ties_a_share_of_matches_is_a_share_as_others():
    rng = np.random.default_rng(1)
    scores = rng.permuted(np.tile([[0], [1], [2]], 600), axis=0)
    found = matches(scores, 1, lower_wins=False)
    wins = (scores == 2).sum(axis=1)
    assert found.won == tuple(share_estimate(int(x), 600) for x in wins)


def test_a_row_that_never_wins_keeps_an_upper_bound():
    scores = np.array([[1] * 50, [1] * 50, [0] * 50])
    found = matches(scores, 1, lower_wins=False)
    assert found.won[2] == share_estimate(0, 50)
    assert found.won[2].high is not None
    assert found.won[2].high > 0


def test_intervals_with_ties_cover():
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(1000):
        one = matches(rng.integers(0, 3, (3, 300)), 1, lower_wins=False).won[0]
        covered += one.low <= 1 / 3 <= one.high  # type: ignore[operator]
    assert 925 <= covered <= 972


def test_longer_matches_favour_the_better():
    cell = driver.prepare(load_rules("calc-revised"), 2, ["greedy", "random"])
    scores = np.concatenate(
        list(
            driver.blocks(
                cell, seed=1, games=4001, map=lambda _, out: out[[columns.seat("score", s) for s in (0, 1)]]
            )
        ),
        axis=1,
    )
    shares = [matches(scores, k, lower_wins=True) for k in (1, 4, 16)]
    assert shares[0].won[0].estimate < shares[1].won[0].estimate < shares[2].won[0].estimate
    assert [one.left_over for one in shares] == [0, 1, 1]


@pytest.mark.parametrize(("k", "said"), [(0, "1 or more"), (8, "play 8 or more")])
def test_no_whole_match_is_refused(k: int, said: str):
    with pytest.raises(UsageError, match=said):
        matches(SCORES, k, lower_wins=True)


def test_one_match_has_no_spread():
    found = matches(np.array([[1], [1]]), 1, lower_wins=False)
    assert found.won[0] == (0.5, None, None, None)


def test_after_so_many_deals_the_better_is_ahead_with_95_percent():
    rng = np.random.default_rng(3)
    n = math.ceil(games_to_tell(0.1, 0.5, deals=10_000).deals)
    ahead = rng.normal(0.1, 0.5, (20_000, n)).mean(axis=1) > 0
    assert ahead.mean() == pytest.approx(0.95, abs=0.005)


def test_the_interval_of_games_to_tell_covers():
    rng = np.random.default_rng(4)
    true = (1.6448536 * 0.5 / 0.1) ** 2
    covered = 0
    for _ in range(1000):
        sample = rng.normal(0.1, 0.5, 400)
        found = games_to_tell(float(sample.mean()), float(sample.std(ddof=1)), deals=400)
        assert found.low <= found.deals <= found.high
        covered += found.low <= true <= found.high
    assert 925 <= covered <= 972


def test_games_to_tell_without_a_difference():
    assert games_to_tell(0.0, 0.5, deals=100) == (math.inf, pytest.approx(70.4, abs=0.1), math.inf)
    assert games_to_tell(0.0, 0.0, deals=100) == (math.inf, math.inf, math.inf)
    assert games_to_tell(0.3, 0.0, deals=100) == (1, 1, 1)
    assert games_to_tell(-0.3, 0.9, deals=100) == games_to_tell(0.3, 0.9, deals=100)
    assert games_to_tell(9.0, 0.1, deals=100).deals == 1
