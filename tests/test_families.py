"""Adjusted p-values against statsmodels, and critical values of intervals that hold together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from statsmodels.stats.multitest import multipletests

from calcsim.engine import rng
from calcsim.stats import families
from calcsim.stats.families import benjamini_hochberg, holm, p_against_zero, sidak, simultaneous
from calcsim.stats.intervals import normal_quantile

PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=30)
UNCERTAIN = 0.03
"""How far draws may leave a critical value from the true one."""


@settings(max_examples=8)  # statsmodels collects garbage at each
@given(PROBABILITIES)
def test_holm_is_that_of_statsmodels(p: list[float]):
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)


@given(PROBABILITIES)
def test_benjamini_and_hochberg_is_that_of_statsmodels(p: list[float]):
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-12)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_what_has_no_p_value_does_not_count(adjust):
    found = adjust([math.nan, 0.01, 0.2, math.nan, 0.03])
    assert found[[1, 2, 4]].tolist() == adjust([0.01, 0.2, 0.03]).tolist()
    assert np.isnan(found[[0, 3]]).all()
    assert adjust([]).tolist() == []
    assert np.isnan(adjust([math.nan])).all()


@given(PROBABILITIES, st.randoms())
def test_the_order_of_questions_does_not_matter(p: list[float], shuffle):
    mixed = list(range(len(p)))
    shuffle.shuffle(mixed)
    for adjust in (holm, benjamini_hochberg):
        assert adjust([p[i] for i in mixed]).tolist() == adjust(p)[mixed].tolist()


def test_sidak_leaves_the_level_to_all_together():
    for count in (1, 2, 10):
        inside = 1 - p_against_zero(sidak(0.95, count), 1.0)
        assert inside**count == pytest.approx(0.95)
    assert sidak(0.95, 0) == normal_quantile(0.95)


def test_differences_are_tested_against_none():
    p = p_against_zero([1.96, -1.96, 0.0, 3.0, 0.0, math.nan], [1.0, 1.0, 2.0, 0.0, 0.0, 1.0])
    assert p[:5] == pytest.approx([0.05, 0.05, 1.0, 0.0, 1.0], abs=1e-5)
    assert np.isnan(p[5])


@pytest.mark.parametrize("count", [2, 5, 40])
def test_independent_estimates_need_the_z_of_sidak(count: int):
    spread = np.diag(np.arange(1.0, count + 1))
    assert simultaneous(spread) == pytest.approx(sidak(0.95, count), abs=UNCERTAIN)
    assert simultaneous(spread) <= round(sidak(0.95, count), 6)


def test_estimates_that_are_one_need_the_z_of_one():
    deviations = np.array([1.0, 2.0, 5.0])
    assert simultaneous(np.outer(deviations, deviations)) == pytest.approx(
        normal_quantile(0.95), abs=UNCERTAIN
    )


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("shared", [0.3, 0.5, 0.9])
def test_the_band_holds_with_its_level_by_integration(shared: float, level: float):
    # Contrasts of three variants against one baseline.
    spread = np.full((3, 3), shared) + (1 - shared) * np.eye(3)
    z = simultaneous(spread, level)
    inside = multivariate_normal(cov=spread, seed=1).cdf([z] * 3, lower_limit=[-z] * 3)
    assert inside == pytest.approx(level, abs=0.005)


def test_all_differences_of_four_variants_need_the_studentised_range():
    weights = [[1, -1, 0, 0], [1, 0, -1, 0], [1, 0, 0, -1], [0, 1, -1, 0], [0, 1, 0, -1], [0, 0, 1, -1]]
    spread = np.array(weights) @ np.array(weights).T  # six rows, three dimensions
    assert simultaneous(spread.astype(float)) == pytest.approx(3.633 / math.sqrt(2), abs=UNCERTAIN)


def test_estimates_without_variance_are_left_out():
    spread = np.zeros((4, 4))
    spread[0, 0], spread[2, 2] = 4.0, 9.0
    spread[3] = spread[:, 3] = np.nan
    assert simultaneous(spread) == simultaneous([[4.0, 0.0], [0.0, 9.0]])
    assert simultaneous(np.zeros((2, 2))) == normal_quantile(0.95)
    assert simultaneous(np.zeros((0, 0))) == normal_quantile(0.95)


def test_units_do_not_matter():
    spread = np.cov(np.random.default_rng(1).normal(size=(6, 40)))
    units = np.array([1.0, 1e-6, 1e6, 3.0, 10.0, 0.1])
    assert simultaneous(spread * np.outer(units, units)) == pytest.approx(simultaneous(spread), abs=1e-5)


def test_a_doubtful_last_digit_changes_nothing():
    # Equal eigenvalues: their vectors turn freely with any change.
    spread = np.eye(12) + 0.25
    noise = np.random.default_rng(2).normal(size=(12, 12)) * 1e-15
    assert simultaneous(spread + noise + noise.T) == simultaneous(spread)


def test_draws_are_those_of_their_seed():
    spread = np.eye(8)
    assert simultaneous(spread, seed=1) == simultaneous(spread, seed=1)
    assert simultaneous(spread, seed=1) != simultaneous(spread, seed=2)


def test_draws_are_normal_and_of_independent_columns():
    normals = np.array([families._normals(7, 20_000, column) for column in range(6)])
    assert np.cov(normals) == pytest.approx(np.eye(6), abs=0.04)
    assert normals.mean(axis=1) == pytest.approx(np.zeros(6), abs=0.03)
    within = [np.mean(np.abs(normals) < z) for z in (1, 2, 3)]
    assert within == pytest.approx([0.6827, 0.9545, 0.9973], abs=0.004)


def test_numbers_are_mixed_as_the_engine_mixes_them():
    mix = getattr(rng.mix, "py_func", rng.mix)
    values = np.array([0, 1, 2**63, 2**64 - 1], dtype=np.uint64)
    with np.errstate(over="ignore"):
        assert families._mix(values).tolist() == [int(mix(value)) for value in values]
    assert int(rng.GAMMA) == families._GAMMA
