"""The sequential test: its risks, what it costs, and extremes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calcsim.errors import UsageError
from calcsim.stats.sprt import PSEUDO, Bounds, log_ratio, moments, operating

LOOK = 200


def played(
    rng: np.random.Generator, scores: np.ndarray, chances: np.ndarray, bounds: Bounds
) -> tuple[str, int]:
    """How a test of deals with such scores ends, and after how many deals."""
    counts: dict[int, int] = {}
    deals = 0
    decision = "undecided"
    while decision == "undecided" and deals < 200_000:
        for score, n in zip(scores.tolist(), rng.multinomial(LOOK, chances).tolist(), strict=True):
            counts[score] = counts.get(score, 0) + n
        deals += LOOK
        mean, variance = moments(counts, scores.tolist(), 1 / 8)
        decision = bounds.decide(log_ratio(deals, mean, variance, bounds))
    return decision, deals


def skewed(mean: float) -> tuple[np.ndarray, np.ndarray]:
    """Scores in eighths, mostly 0, with this mean."""
    scores = np.arange(-4, 5)
    chances = np.array([1, 2, 4, 8, 30, 8, 4, 2, 1], dtype=float)
    chances /= chances.sum()
    tilted = chances * np.exp(0.0 * scores)
    low, high = -5.0, 5.0
    for _ in range(200):
        middle = (low + high) / 2
        tilted = chances * np.exp(middle * scores)
        tilted /= tilted.sum()
        low, high = (middle, high) if tilted @ scores / 8 < mean else (low, middle)
    return scores, tilted


@pytest.mark.parametrize("truth", [0.0, 0.01])
def test_the_risks_are_kept(truth: float):
    rng = np.random.default_rng(5)
    bounds = Bounds(0.0, 0.01)
    scores, chances = skewed(truth)
    ends = [played(rng, scores, chances, bounds) for _ in range(300)]
    wrong = sum(decision != ("low" if truth == 0.0 else "high") for decision, _ in ends)
    # 5 % of 300 are 15; 3.3 errors above that.
    assert wrong <= 27
    variance = float(chances @ (scores / 8) ** 2 - truth**2)
    _, usual = operating(truth, variance, bounds)
    mean = np.mean([deals for _, deals in ends])
    # Looks come every 200 deals and the ratio passes its bounds: some more than Wald's number.
    assert usual * 0.9 < mean < usual * 1.25 + 2 * LOOK


def test_a_sequential_test_takes_fewer_deals_than_a_fixed_one():
    bounds = Bounds(0.0, 0.01)
    fixed = (2 * 1.6449 * 0.2 / 0.01) ** 2
    for mean in (0.0, 0.01):
        assert operating(mean, 0.04, bounds)[1] < 0.5 * fixed
    assert operating(0.005, 0.04, bounds)[1] < fixed


@pytest.mark.parametrize(
    ("mean", "chance"), [(0.0, 0.05), (0.01, 0.95), (0.005, 0.5), (9.0, 1.0), (-9.0, 0.0)]
)
def test_the_chance_of_each_decision_is_known(mean: float, chance: float):
    found, deals = operating(mean, 0.04, Bounds(0.0, 0.01))
    assert found == pytest.approx(chance, abs=1e-9)
    assert deals > 0


def test_the_chance_runs_smoothly_through_the_middle():
    bounds = Bounds(0.0, 0.01, 0.01, 0.1)
    near = [operating(0.005 + shift, 0.04, bounds) for shift in (-1e-7, 0.0, 1e-7)]
    for column in (0, 1):
        values = [one[column] for one in near]
        assert values[1] == pytest.approx((values[0] + values[2]) / 2, rel=1e-4)


def test_bounds_of_the_ratio_are_walds():
    bounds = Bounds(0.0, 0.01, 0.01, 0.1)
    assert bounds.accept == pytest.approx(math.log(0.9 / 0.01))
    assert bounds.reject == pytest.approx(math.log(0.1 / 0.99))
    assert [bounds.decide(ratio) for ratio in (5.0, 0.0, -5.0)] == ["high", "undecided", "low"]


def test_scores_never_seen_count_a_little():
    mean, variance = moments({4: 10}, [-4, 0, 4], 0.25)
    assert mean == pytest.approx(1.0, abs=1e-3)
    assert 0 < variance < 1e-2
    whole = 10 + 2 * PSEUDO
    assert mean == pytest.approx((10 - PSEUDO) / whole)
    plain = moments({-4: 5, 0: 2, 4: 5, 2: 3}, [-4, 0, 4], 0.25)
    values = np.repeat([-1.0, 0.0, 1.0, 0.5], [5, 2, 5, 3])
    assert plain == (pytest.approx(values.mean()), pytest.approx(values.var()))


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((0.01, 0.0), "first must be the lower"),
        ((0.0, 0.0), "lower"),
        ((0.0, 0.1, 0.6), "alpha 0.6"),
        ((0.0, 0.1, 0.1, 0.0), "beta 0"),
    ],
)
def test_bounds_that_tell_nothing_are_refused(numbers: tuple[float, ...], message: str):
    with pytest.raises(UsageError, match=message):
        Bounds(*numbers)
