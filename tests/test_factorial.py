"""Effects of full factorials against statsmodels, and what must hold of their weights."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as formulas
from hypothesis import given
from hypothesis import strategies as st

from calcsim.stats.factorial import conditional, effects
from calcsim.stats.gram import Gram
from calcsim.stats.linear import components, contrast


@st.composite
def plans(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    levels = draw(st.lists(st.integers(2, 3), min_size=1, max_size=4))
    return levels, [draw(st.integers(0, count - 1)) for count in levels]


def played(levels: list[int], deals: int, seed: int = 1) -> np.ndarray:
    """Return integers of each cell and deal, with effects, interactions and what deals share."""
    draw = np.random.default_rng(seed)
    cells = math.prod(levels)
    shared = draw.integers(0, 30, deals)
    return shared + draw.integers(0, 12, (cells, 1)) + draw.integers(0, 10, (cells, deals))


def test_two_levels_are_those_of_the_orthogonal_coding():
    values = played([2, 2, 2], 50).mean(axis=1)
    signs = np.array(list(itertools.product((-1, 1), repeat=3)))
    for effect in effects([2, 2, 2], [0, 0, 0]):
        order = len(effect.factors)
        coded = 2 / 8 * (signs[:, effect.factors].prod(axis=1) @ values)
        assert effect.weights @ values == pytest.approx(2 ** (order - 1) * coded)


def test_effects_and_errors_are_those_of_a_clustered_regression():
    deals = 300
    values = played([2, 2, 2], deals)
    signs = np.array(list(itertools.product((-1, 1), repeat=3)))
    frame = pd.DataFrame(np.repeat(signs, deals, axis=0), columns=["a", "b", "c"])
    frame["y"] = values.ravel()
    frame["deal"] = np.tile(np.arange(deals), 8)
    fit = formulas.ols("y ~ a * b * c", frame).fit(
        cov_type="cluster", cov_kwds={"groups": frame["deal"], "use_correction": False}
    )
    found = effects([2, 2, 2], [0, 0, 0])
    estimates, covariance = components(Gram.of(values), [(row, 1.0) for row in range(8)])
    differences, errors, _ = contrast(estimates, covariance, [effect.weights for effect in found])
    for effect, difference, error in zip(found, differences, errors, strict=True):
        name = ":".join("abc"[factor] for factor in effect.factors)
        # From -1 to 1 are two steps for each factor.
        scale = 2 ** len(effect.factors)
        assert difference == pytest.approx(scale * fit.params[name])
        assert error == pytest.approx(scale * fit.bse[name] * math.sqrt(deals / (deals - 1)))


def test_more_levels_are_those_of_a_regression_with_sum_coding():
    values = played([3, 2], 200, seed=2)
    frame = pd.DataFrame(list(itertools.product("xyz", "pq")), columns=["a", "b"])
    frame["y"] = values.mean(axis=1)
    fit = formulas.ols("y ~ C(a, Sum) * C(b, Sum)", frame).fit()
    first, second = fit.params["C(a, Sum)[S.x]"], fit.params["C(a, Sum)[S.y]"]
    by_levels = {(e.factors, e.levels): e.weights @ frame["y"] for e in effects([3, 2], [0, 0])}
    assert by_levels[(0,), (1,)] == pytest.approx(second - first)
    assert by_levels[(0,), (2,)] == pytest.approx(-first - second - first)
    treatment = formulas.ols("y ~ a * b", frame).fit()
    assert by_levels[(0, 1), (2, 1)] == pytest.approx(treatment.params["a[T.z]:b[T.q]"])


def test_the_order_is_by_number_of_factors_then_as_they_were_named():
    found = [(effect.factors, effect.levels) for effect in effects([3, 2, 2], [1, 0, 1])]
    assert found == [
        ((0,), (0,)),
        ((0,), (2,)),
        ((1,), (1,)),
        ((2,), (0,)),
        ((0, 1), (0, 1)),
        ((0, 1), (2, 1)),
        ((0, 2), (0, 0)),
        ((0, 2), (2, 0)),
        ((1, 2), (1, 0)),
        ((0, 1, 2), (0, 1, 0)),
        ((0, 1, 2), (2, 1, 0)),
    ]


@given(plans())
def test_effects_are_as_many_as_cells_less_one_and_independent(plan: tuple[list[int], list[int]]):
    levels, baseline = plan
    weights = np.array([effect.weights for effect in effects(levels, baseline)])
    cells = math.prod(levels)
    assert weights.shape == (cells - 1, cells)
    assert weights.sum(axis=1) == pytest.approx(np.zeros(cells - 1), abs=1e-12)
    assert np.linalg.matrix_rank(weights) == cells - 1


@given(plans(), st.data())
def test_the_mean_of_conditional_effects_is_the_main_effect(
    plan: tuple[list[int], list[int]], data: st.DataObject
):
    levels, baseline = plan
    factor = data.draw(st.integers(0, len(levels) - 1))
    mains = [effect for effect in effects(levels, baseline) if effect.factors == (factor,)]
    for other in set(range(len(levels))) - {factor}:
        for main in mains:
            held = [
                conditional(levels, baseline, factor, main.levels[0], {other: level})
                for level in range(levels[other])
            ]
            assert np.mean(held, axis=0) == pytest.approx(main.weights)


@given(plans(), st.data())
def test_an_interaction_is_the_difference_of_conditional_effects(
    plan: tuple[list[int], list[int]], data: st.DataObject
):
    levels, baseline = plan
    for effect in effects(levels, baseline):
        if len(effect.factors) == 2:
            (one, other), (level, changed) = effect.factors, effect.levels
            after = conditional(levels, baseline, one, level, {other: changed})
            before = conditional(levels, baseline, one, level, {other: baseline[other]})
            assert effect.weights == pytest.approx(after - before)


def test_with_all_others_held_two_cells_are_compared():
    weights = conditional([2, 3, 2], [0, 1, 0], 1, 2, {0: 1, 2: 0})
    cells = list(itertools.product(range(2), range(3), range(2)))
    assert {cells[i]: w for i, w in enumerate(weights.tolist()) if w} == {(1, 1, 0): -1.0, (1, 2, 0): 1.0}


def test_a_factor_cannot_be_held_and_changed():
    with pytest.raises(ValueError, match="factor 0 cannot be held and changed"):
        conditional([2, 2], [0, 0], 0, 1, {0: 1})


def test_a_single_factor_has_its_differences_alone():
    assert [effect.weights.tolist() for effect in effects([3], [1])] == [[1, -1, 0], [0, -1, 1]]


def test_factors_without_effect_have_none_and_no_error():
    deals = np.random.default_rng(3).integers(0, 50, (3, 500))
    values = deals.repeat(3, axis=0)  # the second factor does nothing
    estimates, covariance = components(Gram.of(values), [(row, 1.0) for row in range(9)])
    for effect in effects([3, 3], [0, 0]):
        differences, errors, _ = contrast(estimates, covariance, [effect.weights])
        nothing = 1 in effect.factors
        assert (differences[0] == 0) == nothing
        assert (errors[0] == 0) == nothing
