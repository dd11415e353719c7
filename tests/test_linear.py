"""Ratios with their joint covariance, and contrasts of them, against closed forms and statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.weightstats import DescrStatsW

from calcsim.stats import intervals
from calcsim.stats.gram import Gram
from calcsim.stats.linear import components, contrast, variance_reduction


def table(seed: int, deals: int = 400) -> np.ndarray:
    """Return numerators and denominators of two variants on the same deals: x, y, x', y'."""
    draw = np.random.default_rng(seed)
    y = draw.integers(1, 40, deals)
    x = 3 * y + draw.integers(0, 20, deals)
    changed = draw.random(deals) < 0.3
    return np.array([x, y, x + changed * draw.integers(0, 9, deals), y + changed])


def test_a_ratio_is_that_of_a_single_run():
    values = table(1)
    x, y = values[:2].tolist()
    estimates, covariance = components(Gram.of(values), [(0, 1)])
    expected = intervals.ratio(
        len(x),
        sum(x),
        sum(y),
        sum(a * a for a in x),
        sum(b * b for b in y),
        sum(a * b for a, b in zip(x, y, strict=True)),
    )
    assert estimates[0] == pytest.approx(expected.estimate)
    assert math.sqrt(covariance[0, 0]) == pytest.approx(expected.error)


def test_a_ratio_to_a_constant_is_a_mean():
    values = table(2)
    estimates, covariance = components(Gram.of(values), [(0, 1.0), (2, 4.0)])
    assert estimates == pytest.approx([values[0].mean(), values[2].mean() / 4])
    assert covariance == pytest.approx(np.cov(values[0], values[2] / 4) / 400)


def test_ratios_and_means_vary_together_as_their_residuals_do():
    values = table(3)
    estimates, covariance = components(Gram.of(values), [(0, 1), (2, 3), (1, 1.0)])
    x, y, other_x, other_y = values.astype(float)
    r, s, _ = estimates
    residuals = [(x - r * y) / y.mean(), (other_x - s * other_y) / other_y.mean(), y]
    assert covariance == pytest.approx(np.cov(residuals) / 400)


def test_a_paired_difference_is_that_of_statsmodels():
    values = table(4, 5_000)
    estimates, covariance = components(Gram.of(values), [(0, 1.0), (2, 1.0)])
    differences, errors, _ = contrast(estimates, covariance, [[-1, 1]])
    expected = DescrStatsW((values[2] - values[0]).astype(float))
    assert differences[0] == pytest.approx(expected.mean)
    assert errors[0] == pytest.approx(expected.std_mean)


def test_a_difference_of_shares_is_that_of_mcnemar():
    draw = np.random.default_rng(5)
    before = draw.random(2_000) < 0.4
    after = before ^ (draw.random(2_000) < 0.1)
    estimates, covariance = components(Gram.of(np.array([before, after])), [(0, 1.0), (1, 1.0)])
    differences, errors, _ = contrast(estimates, covariance, [[-1, 1]])
    n, gained, lost = 2_000, int((after & ~before).sum()), int((before & ~after).sum())
    assert differences[0] == pytest.approx((gained - lost) / n)
    # That of a sample: n - 1 instead of n.
    assert errors[0] ** 2 == pytest.approx((gained + lost - (gained - lost) ** 2 / n) / n / (n - 1))


def test_contrasts_have_the_covariance_of_the_deals_own():
    values = table(6)
    weights = np.array([[-1, 1, 0, 0], [0, 0.5, -0.25, -0.25]])
    gram = Gram.of(values)
    estimates, covariance = components(gram, [(row, 1.0) for row in range(4)])
    differences, errors, shared = contrast(estimates, covariance, weights)
    deals = weights @ values
    assert differences == pytest.approx(deals.mean(axis=1))
    assert shared == pytest.approx(np.cov(deals) / gram.deals)
    assert errors == pytest.approx(np.sqrt(np.diag(shared)))


@pytest.mark.parametrize("pairs", [[(0, 1), (2, 3)], [(0, 1.0), (2, 1.0)], [(0, 3.0), (2, 3.0)]])
def test_a_variant_that_changes_nothing_differs_by_exactly_nothing(pairs: list[tuple[int, int | float]]):
    values = table(7)
    values[2:] = values[:2]
    estimates, covariance = components(Gram.of(values), pairs)
    # Thirds: sums of them leave rounding behind.
    weights = [[-1, 1], [-1 / 3, 1 / 3], [2 / 3, -2 / 3]]
    differences, errors, shared = contrast(estimates, covariance, weights)
    assert differences.tolist() == errors.tolist() == [0.0, 0.0, 0.0]
    assert not shared.any()
    assert np.isinf(variance_reduction(covariance, weights)).all()


def test_effects_that_cancel_are_exactly_nothing():
    values = np.random.default_rng(8).integers(0, 10**6, (1, 3_000)).repeat(6, axis=0)
    estimates, covariance = components(Gram.of(values), [(row, 1.0) for row in range(6)])
    weights = [[-1 / 3, -1 / 3, -1 / 3, 1 / 3, 1 / 3, 1 / 3]]
    differences, errors, _ = contrast(estimates, covariance, weights)
    assert (differences[0], errors[0]) == (0.0, 0.0)


def test_one_deal_in_a_million_that_changed_is_not_rounded_away():
    values = np.random.default_rng(9).integers(0, 1_000, (1, 10**6)).repeat(2, axis=0)
    values[1, 5] += 1
    estimates, covariance = components(Gram.of(values), [(0, 1.0), (1, 1.0)])
    differences, errors, _ = contrast(estimates, covariance, [[-1, 1]])
    assert differences[0] == pytest.approx(1e-6, rel=1e-6)
    assert errors[0] == pytest.approx(1e-6, rel=1e-3)


def test_what_never_happened_has_no_ratio_and_spoils_no_other():
    values = table(10)
    values[1] = values[0] = 0
    estimates, covariance = components(Gram.of(values), [(0, 1), (2, 3), (3, 1.0)])
    assert np.isnan(estimates).tolist() == [True, False, False]
    differences, errors, shared = contrast(estimates, covariance, [[-1, 1, 0], [0, -1, 1]])
    assert np.isnan(differences).tolist() == np.isnan(errors).tolist() == [True, False]
    assert np.isnan(shared).tolist() == [[True, True], [True, False]]
    assert np.isnan(variance_reduction(covariance, [[-1, 1, 0], [0, -1, 1]])).tolist() == [True, False]


def test_one_deal_has_estimates_and_no_errors():
    estimates, covariance = components(Gram.of(np.array([[6], [3]])), [(0, 1), (0, 1.0)])
    assert estimates.tolist() == [2.0, 6.0]
    differences, errors, _ = contrast(estimates, covariance, [[-1, 1]])
    assert differences[0] == 4.0
    assert np.isnan(errors[0])


def test_common_deals_reduce_the_variance_by_what_is_shared():
    values = table(11)
    _, covariance = components(Gram.of(values), [(0, 1.0), (2, 1.0), (1, 7.0)])
    reduction = variance_reduction(covariance, [[-1, 1, 0], [1, -1, 0]])
    x, other = values[0], values[2]
    expected = (np.var(x) + np.var(other)) / np.var(other - x)
    assert expected > 10
    assert reduction == pytest.approx([expected, expected])


def test_constants_have_no_variance_to_reduce():
    _, covariance = components(Gram.of(np.full((2, 50), 3)), [(0, 1.0), (1, 1.0)])
    assert np.isnan(variance_reduction(covariance, [[-1, 1]])).all()
