"""How often intervals and verdicts are right, by simulation: as often as they say.

Everything is drawn from fixed seeds, so a test passes always or never. Bounds are four standard errors of the
simulation itself.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from calcsim.stats.factorial import effects
from calcsim.stats.families import benjamini_hochberg, p_against_zero, simultaneous
from calcsim.stats.gram import Gram
from calcsim.stats.intervals import normal_quantile
from calcsim.stats.linear import components, contrast
from calcsim.stats.sequential import LEAST_DEALS, confidence_sequence, deals_for
from calcsim.stats.verdicts import judge

LEVEL = 0.95
Z = normal_quantile(LEVEL)

pytestmark = pytest.mark.filterwarnings("error")


def noise(runs: int, share: float = LEVEL) -> float:
    """Return how far a share that was seen in so many runs may lie from the true one."""
    return 4 * math.sqrt(share * (1 - share) / runs)


def holds(covered: list[bool] | np.ndarray, slack: float = 0.0) -> bool:
    """Return whether intervals covered the truth as often as their level says."""
    return abs(np.mean(covered) - LEVEL) <= noise(len(covered)) + slack


def variants(draw: np.random.Generator, deals: int, count: int) -> np.ndarray:
    """Return lengths of games: mostly those of the deal, on some deals changed by the variant.

    The mean of variant v is larger than that of variant 0 by v / 4.
    """
    shared = draw.poisson(12, deals)
    changed = draw.random((count, deals)) < 0.25
    return shared + changed * draw.poisson(np.arange(count)[:, None], (count, deals))


RUNS = [1_000, pytest.param(20_000, marks=pytest.mark.slow)]


@pytest.mark.parametrize("runs", RUNS)
def test_paired_differences_are_covered(runs: int):
    draw = np.random.default_rng(1)
    covered = []
    for _ in range(runs):
        estimates, covariance = components(Gram.of(variants(draw, 400, 3)), [(row, 1.0) for row in range(3)])
        differences, errors, _ = contrast(estimates, covariance, [[-1, 0, 1]])
        covered.append(abs(differences[0] - 2 / 4) <= Z * errors[0])
    assert holds(covered)


@pytest.mark.parametrize("runs", RUNS)
def test_paired_differences_of_shares_are_covered(runs: int):
    draw = np.random.default_rng(2)
    covered = []
    for _ in range(runs):
        luck = draw.random(500)
        wins = np.array([luck < 0.25, (luck < 0.25) ^ (draw.random(500) < 0.1)])
        estimates, covariance = components(Gram.of(wins), [(0, 1.0), (1, 1.0)])
        differences, errors, _ = contrast(estimates, covariance, [[-1, 1]])
        # Of the quarter that won a tenth loses, of the others a tenth wins.
        covered.append(abs(differences[0] - 0.1 * (0.75 - 0.25)) <= Z * errors[0])
    assert holds(covered)


@pytest.mark.parametrize("runs", RUNS)
def test_differences_of_ratios_are_covered(runs: int):
    draw = np.random.default_rng(3)
    covered = []
    for _ in range(runs):
        decisions = draw.poisson(8, (2, 400)) + 1
        actions = draw.binomial(decisions, [[0.3], [0.4]])
        rows = np.array([actions[0], decisions[0], actions[1], decisions[1]])
        estimates, covariance = components(Gram.of(rows), [(0, 1), (2, 3)])
        differences, errors, _ = contrast(estimates, covariance, [[-1, 1]])
        covered.append(abs(differences[0] - 0.1) <= Z * errors[0])
    assert holds(covered)


@pytest.mark.parametrize(
    ("runs", "draws"), [(400, 4_000), pytest.param(3_000, 20_000, marks=pytest.mark.slow)]
)
def test_simultaneous_intervals_cover_all_at_once(runs: int, draws: int):
    draw = np.random.default_rng(4)
    weights = np.hstack([-np.ones((5, 1)), np.eye(5)])
    together, each = [], []
    for _ in range(runs):
        estimates, covariance = components(
            Gram.of(variants(draw, 3_200, 6)), [(row, 1.0) for row in range(6)]
        )
        differences, errors, shared = contrast(estimates, covariance, weights)
        missed = np.abs(differences - np.arange(1, 6) / 4) / errors
        together.append(missed.max() <= simultaneous(shared, LEVEL, draws))
        each.append(missed.max() <= Z)
    assert holds(together)
    assert not holds(each)


@pytest.mark.parametrize("runs", RUNS)
def test_factorial_effects_are_covered_with_their_interactions(runs: int):
    draw = np.random.default_rng(5)
    found = effects([2, 2], [0, 0])
    # The first factor adds 1, the second 2, both together 1.5 more.
    truth = [effect.weights @ np.array([0.0, 2.0, 1.0, 4.5]) for effect in found]
    covered = []
    for _ in range(runs):
        shared = draw.poisson(10, 300)
        added = draw.poisson(np.array([[0.0], [2.0], [1.0], [4.5]]), (4, 300))
        estimates, covariance = components(Gram.of(shared + added), [(row, 1.0) for row in range(4)])
        differences, errors, _ = contrast(estimates, covariance, [effect.weights for effect in found])
        covered.append(np.abs(differences - truth) <= Z * errors)
    for effect in np.array(covered).T:
        assert holds(effect)


def test_games_of_one_deal_are_no_independent_units():
    draw = np.random.default_rng(6)
    by_deal, by_game = [], []
    for _ in range(2_000):
        # Four seatings of a deal; its cards favour the hero, or not, in all of them.
        luck = draw.choice([0.05, 0.45], size=300)
        wins = draw.random((4, 300)) < luck
        estimates, covariance = components(Gram.of(wins.sum(axis=0)[None]), [(0, 4.0)])
        by_deal.append(abs(estimates[0] - 0.25) <= Z * math.sqrt(covariance[0, 0]))
        by_game.append(abs(wins.mean() - 0.25) <= Z * wins.std() / math.sqrt(wins.size))
    assert holds(by_deal)
    assert not holds(by_game)


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize(("share", "half_width"), [(0.25, 0.01), (0.25, 0.02), (0.02, 0.005)])
def test_stopping_at_a_precision_keeps_the_level(share: float, half_width: float, runs: int):
    draw = np.random.default_rng(7)
    covered = []
    for _ in range(runs):
        wins, deals, goal = 0, 0, LEAST_DEALS
        while deals < goal:
            chunks = math.ceil((goal - deals) / LEAST_DEALS)
            wins += draw.binomial(chunks * LEAST_DEALS, share)
            deals += chunks * LEAST_DEALS
            mean = wins / deals
            error = math.sqrt(mean * (1 - mean) / deals)
            goal = deals_for(error, deals, half_width)
        assert Z * error <= half_width
        covered.append(abs(mean - share) <= Z * error)
    # To stop where the error happens to be small costs half a point: 94.4 % in 40,000 runs.
    assert holds(covered, slack=0.006)


def test_a_confidence_sequence_covers_at_every_look():
    draw = np.random.default_rng(8)
    runs, deals, planned = 500, 20_000, 10_000
    looks = np.arange(100, deals + 1, 100)
    reach = np.array([confidence_sequence(1.0, int(t), planned) for t in looks])
    always, naively = [], []
    for _ in range(runs):
        values = draw.exponential(1.0, deals)
        means = np.cumsum(values)[looks - 1] / looks
        deviations = np.sqrt(np.cumsum(values**2)[looks - 1] / looks - means**2)
        missed = np.abs(means - 1.0) / deviations
        always.append((missed <= reach).all())
        naively.append((missed <= Z / np.sqrt(looks)).all())
    assert np.mean(always) >= LEVEL - noise(runs)
    assert np.mean(naively) < 0.75


@pytest.mark.parametrize("runs", [400, pytest.param(6_000, marks=pytest.mark.slow)])
def test_verdicts_on_differences_at_their_margins_are_seldom_wrong(runs: int):
    draw = np.random.default_rng(9)
    weights = np.hstack([-np.ones((4, 1)), np.eye(4)])
    margins = np.arange(1, 5) / 4
    # Differences of single deals are rare and lopsided: with hundreds of deals one is missed more often.
    deals = 6_400
    beyond, within = 0, 0
    for _ in range(runs):
        estimates, covariance = components(
            Gram.of(variants(draw, deals, 5)), [(row, 1.0) for row in range(5)]
        )
        differences, errors, _ = contrast(estimates, covariance, weights)
        words = {verdict.word for verdict in judge(differences, errors, margins, deals)}
        beyond += "matters" in words
        within += "no matter" in words
    # The interval of the one side is two-sided, so it is wrong half as often.
    assert beyond / runs <= 0.025 + noise(runs, 0.025)
    assert 0.01 <= within / runs <= 0.05 + noise(runs, 0.05)


def test_verdicts_find_what_is_there():
    draw = np.random.default_rng(10)
    found = []
    for _ in range(300):
        estimates, covariance = components(
            Gram.of(variants(draw, 4_000, 3)), [(row, 1.0) for row in range(3)]
        )
        differences, errors, _ = contrast(estimates, covariance, [[-1, 1, 0], [-1, 0, 1]])
        found.append([verdict.word for verdict in judge(differences, errors, [0.4, 0.4], 4_000)])
    # True differences are 0.25 and 0.5.
    assert np.mean([words == ["no matter", "matters"] for words in found]) > 0.95


def test_so_many_more_deals_as_a_verdict_asks_for_decide_it_mostly():
    draw = np.random.default_rng(11)
    decided = []
    for _ in range(300):
        deals, verdict = 1_000, None
        while verdict is None or verdict.word == "undecided":
            estimates, covariance = components(Gram.of(variants(draw, deals, 2)), [(0, 1.0), (1, 1.0)])
            differences, errors, _ = contrast(estimates, covariance, [[-1, 1]])
            (verdict,) = judge(differences, errors, [0.3], deals)
            deals += min(verdict.more or 0, 30_000)
        decided.append(verdict.word == "no matter")
    assert np.mean(decided) > 0.9


def test_a_screen_is_false_no_more_often_than_it_says():
    draw = np.random.default_rng(12)
    shares = []
    for _ in range(1_000):
        differences = draw.normal(np.where(np.arange(40) < 10, 3.5, 0.0), 1.0)
        chosen = benjamini_hochberg(p_against_zero(differences, np.ones(40))) <= 0.05
        shares.append(chosen[10:].sum() / max(chosen.sum(), 1))
    assert np.mean(shares) <= 0.05 * 30 / 40 + 4 * np.std(shares) / math.sqrt(len(shares))
    assert np.mean(shares) > 0.02
