"""Intervals against closed forms and statsmodels, and how they cover."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

from calcsim.errors import UsageError
from calcsim.stats import intervals
from calcsim.stats.intervals import (
    RARE,
    SMALL_SAMPLE,
    clopper_pearson,
    mean,
    normal_quantile,
    parse_level,
    ratio,
    share,
    share_estimate,
    unseen_bound,
    wilson,
)

COUNTS = [(0, 10), (1, 10), (5, 10), (10, 10), (3, 1_000), (381, 100_000), (999_990, 1_000_000)]
LEVELS = [0.5, 0.9, 0.95, 0.999]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("count", "games"), COUNTS)
def test_wilson_is_that_of_statsmodels(count: int, games: int, level: float):
    expected = proportion_confint(count, games, alpha=1 - level, method="wilson")
    assert wilson(count, games, level) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("count", "games"), COUNTS)
def test_clopper_pearson_is_that_of_statsmodels(count: int, games: int, level: float):
    expected = proportion_confint(count, games, alpha=1 - level, method="beta")
    assert clopper_pearson(count, games, level) == pytest.approx(expected, abs=1e-9)


@given(st.integers(1, 10**12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_share_lies_within_its_interval(counts: tuple[int, int]):
    count, games = counts
    found = share(count, games)
    assert found.estimate is not None
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.low < found.high


@pytest.mark.parametrize(
    ("count", "games", "method"),
    [
        (0, 50, "upper-bound"),
        (50, 50, "lower-bound"),
        (1, 50, "clopper-pearson"),
        (RARE - 1, 50, "clopper-pearson"),
        (RARE, 50, "wilson"),
        (50 - RARE, 50, "wilson"),
        (51 - RARE, 50, "clopper-pearson"),
        (0, 0, "no-games"),
    ],
)
def test_the_method_suits_the_count(count: int, games: int, method: str):
    assert share(count, games).method == method
    assert method in intervals.METHODS


def test_what_was_never_seen_stays_below_about_three_games_in_all():
    assert share(0, 1_000_000).high == pytest.approx(2.9957e-6, rel=1e-4)
    # The bound is where seeing none of n has just the probability 1 - level.
    for games in (1, 7, 1_000):
        assert (1 - unseen_bound(games, 0.9)) ** games == pytest.approx(0.1)
    assert share(20, 20).low == pytest.approx(1 - share(0, 20).high)


def test_no_games_leave_everything_open():
    found = share(0, 0)
    assert (found.estimate, found.low, found.high) == (None, 0.0, 1.0)


def test_the_error_of_a_share_is_that_of_the_sample():
    sample = [1] * 30 + [0] * 70
    found = share_estimate(30, 100)
    assert found.estimate == 0.3
    assert found.error == pytest.approx(np.std(sample, ddof=1) / 10)
    assert (found.low, found.high) == wilson(30, 100)
    assert share_estimate(1, 1).error is None


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("units", [2, 5, SMALL_SAMPLE - 1, SMALL_SAMPLE, 5_000])
def test_means_are_those_of_statsmodels(units: int, level: float):
    draw = random.Random(units)
    values = [draw.randint(-50, 1_000) for _ in range(units)]
    found = mean(units, sum(values), sum(v * v for v in values), level)
    expected = DescrStatsW(np.array(values, dtype=float))
    assert found.estimate == pytest.approx(expected.mean)
    assert found.error == pytest.approx(expected.std_mean)
    confint = expected.tconfint_mean if units < SMALL_SAMPLE else expected.zconfint_mean
    assert found[2:] == pytest.approx(confint(alpha=1 - level), rel=1e-9)


def test_a_mean_loses_no_digits_to_large_sums():
    found = mean(4, 4 * 10**15 + 6, sum((10**15 + i) ** 2 for i in range(4)))
    assert found.error == pytest.approx(np.std([0, 1, 2, 3], ddof=1) / 2)


def test_a_ratio_has_the_error_of_its_residuals():
    draw = random.Random(5)
    under = [draw.randint(1, 40) for _ in range(400)]
    over = [3 * y + draw.randint(0, 20) for y in under]
    found = ratio(
        400,
        sum(over),
        sum(under),
        sum(x * x for x in over),
        sum(y * y for y in under),
        sum(x * y for x, y in zip(over, under, strict=True)),
    )
    r = sum(over) / sum(under)
    residuals = [x - r * y for x, y in zip(over, under, strict=True)]
    assert found.estimate == r
    assert found.error == pytest.approx(np.std(residuals, ddof=1) / math.sqrt(400) / np.mean(under))


def test_a_ratio_to_a_constant_is_a_mean():
    values = [3, 5, 8, 12]
    squares = sum(v * v for v in values)
    found = ratio(4, sum(values), 8, squares, 16, 2 * sum(values))
    assert found == pytest.approx([x / 2 for x in mean(4, sum(values), squares) if x is not None])


def test_one_unit_has_no_spread():
    assert mean(1, 7, 49) == (7.0, None, None, None)
    assert ratio(1, 6, 3, 36, 9, 18) == (2.0, None, None, None)


def test_intervals_cover_as_often_as_they_say():
    draw = np.random.default_rng(1)
    for true in (0.3, 0.02):
        counts = draw.binomial(2_000, true, size=4_000)
        covered = [
            found.low <= true <= found.high for found in (share(int(count), 2_000) for count in counts)
        ]
        assert np.mean(covered) == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize(("text", "level"), [("0.95", 0.95), ("95%", 0.95), (" 99.9% ", 0.999), ("0.5", 0.5)])
def test_levels_are_read(text: str, level: float):
    assert parse_level(text) == pytest.approx(level)


@pytest.mark.parametrize("text", ["", "95", "x", "0", "1", "100%", "nan", "-0.9"])
def test_what_is_no_level_is_refused(text: str):
    with pytest.raises(UsageError, match="level"):
        parse_level(text)


def test_a_level_of_the_library_is_checked():
    assert normal_quantile(0.95) == pytest.approx(1.959964, abs=1e-6)
    with pytest.raises(UsageError, match="level"):
        share(1, 2, level=1.0)
