"""Verdicts against a margin: the tests behind them, and how many more deals a decision takes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import DescrStatsW, ztost

from calcsim.stats.families import holm
from calcsim.stats.intervals import normal_quantile
from calcsim.stats.verdicts import WORDS, judge

DEALS = 10_000
DIFFERENCES = st.lists(
    st.tuples(st.floats(-5, 5), st.floats(0.001, 3), st.floats(0.01, 4)), min_size=1, max_size=12
)


def words(*args, **kwargs) -> list[str]:
    return [verdict.word for verdict in judge(*args, **kwargs)]


@pytest.mark.parametrize("difference", [-2.5, -0.4, 0.0, 0.9, 1.0, 1.2, 6.0])
def test_a_single_verdict_is_that_of_the_intervals(difference: float):
    for error in (0.01, 0.1, 0.5, 1.0):
        (found,) = judge([difference], [error], [1.0], DEALS)
        wide, narrow = normal_quantile(0.95) * error, normal_quantile(0.90) * error
        beyond = difference - wide >= 1 or difference + wide <= -1
        within = difference - narrow > -1 and difference + narrow < 1
        assert found.word == ("matters" if beyond else "no matter" if within else "undecided")
        assert found.word in WORDS


@pytest.mark.parametrize("moved", [0.0, 0.02, 0.08, 0.3])
def test_equivalence_is_that_of_statsmodels(moved: float):
    draw = np.random.default_rng(1)
    sample = draw.normal(moved, 1.0, 2_000)
    stats = DescrStatsW(sample)
    (found,) = judge([stats.mean], [stats.std_mean], [0.1], 2_000)
    assert found.p_within == pytest.approx(ztost(sample, -0.1, 0.1)[0], rel=1e-6)


def test_few_deals_are_judged_by_student():
    sample = np.random.default_rng(2).normal(0.3, 1.0, 12)
    stats = DescrStatsW(sample)
    (found,) = judge([stats.mean], [stats.std_mean], [1.0], 12)
    assert found.p_within == pytest.approx(stats.ttost_mean(-1.0, 1.0)[0])
    assert found.p_within > judge([stats.mean], [stats.std_mean], [1.0], DEALS)[0].p_within


def test_p_values_are_adjusted_within_the_family_for_each_side():
    differences, errors = [0.1, 0.2, 1.5, 2.0, -1.25], [0.4, 0.45, 0.2, 0.4, 0.12]
    alone = [judge([d], [e], [1.0], DEALS)[0] for d, e in zip(differences, errors, strict=True)]
    family = judge(differences, errors, [1.0] * 5, DEALS)
    assert [v.p_beyond for v in family] == holm([v.p_beyond for v in alone]).tolist()
    assert [v.p_within for v in family] == holm([v.p_within for v in alone]).tolist()
    assert [v.word for v in alone] == ["no matter", "no matter", "matters", "matters", "matters"]
    assert [v.word for v in family] == ["undecided", "undecided", "undecided", "undecided", "undecided"]


@given(DIFFERENCES)
def test_the_sign_and_the_unit_of_a_difference_do_not_matter(rows: list[tuple[float, float, float]]):
    differences, errors, margins = np.array(rows).T
    expected = words(differences, errors, margins, DEALS)
    assert words(-differences, errors, margins, DEALS) == expected
    assert words(differences * 4, errors * 4, margins * 4, DEALS) == expected


@given(DIFFERENCES)
def test_only_the_undecided_need_more_deals(rows: list[tuple[float, float, float]]):
    for verdict in judge(*np.array(rows).T, DEALS):
        assert 0 <= verdict.p_beyond <= 1
        assert 0 <= verdict.p_within <= 1
        if verdict.word != "undecided":
            assert verdict.more is None
            assert verdict.p <= 0.05
        else:
            assert verdict.more is None or verdict.more >= 1
            assert verdict.p > 0.05


@given(DIFFERENCES)
def test_as_many_more_deals_decide_and_fewer_do_not(rows: list[tuple[float, float, float]]):
    differences, errors, margins = np.array(rows).T
    for row, verdict in enumerate(judge(differences, errors, margins, DEALS)):
        if verdict.more is None or verdict.more > 10**12:
            continue
        for share, decided in ((1.001, True), (0.999, False)):
            deals = DEALS + verdict.more * share
            if not decided and verdict.more < 2_000:
                continue
            shrunk = errors * math.sqrt(DEALS / deals)
            now = judge(differences, shrunk, margins, int(deals))[row]
            assert (now.word != "undecided") == decided


def test_a_difference_that_never_varies_is_decided():
    assert words([0.0, 0.5, 1.0, -3.0, 0.0], [0.0] * 5, [1.0, 1.0, 1.0, 1.0, 0.0], 5) == [
        "no matter",
        "no matter",
        "matters",
        "matters",
        "no matter",
    ]


def test_a_difference_on_its_margin_is_never_decided():
    (found,) = judge([1.0], [0.1], [1.0], DEALS)
    assert (found.word, found.more) == ("undecided", None)


def test_a_margin_of_nothing_asks_for_any_difference():
    matters, undecided = judge([1.0, 0.1], [0.1, 0.1], [0.0, 0.0], DEALS)
    assert matters.word == "matters"
    assert undecided.word == "undecided"
    assert undecided.more == pytest.approx(DEALS * (normal_quantile(0.95) ** 2 - 1), abs=1)


def test_what_has_no_difference_stays_undecided_and_does_not_count():
    family = judge([math.nan, 1.3, 0.2], [math.nan, 0.1, math.nan], [1.0, 1.0, 1.0], DEALS)
    assert [v.word for v in family] == ["undecided", "matters", "undecided"]
    assert family[1] == judge([1.3], [0.1], [1.0], DEALS)[0]
    assert family[0].more is None
    assert math.isnan(family[0].p_beyond)
    assert math.isnan(family[2].p_within)


def test_the_level_is_that_of_the_family():
    assert words([1.25], [0.1], [1.0], DEALS, level=0.95) == ["matters"]
    assert words([1.25], [0.1], [1.0], DEALS, level=0.99) == ["undecided"]
    assert judge([], [], [], DEALS) == []


def test_the_p_value_is_that_of_the_side_that_decides():
    matters, not_so, close = judge([3.0, 0.0, 0.85], [0.1, 0.1, 0.1], [1.0, 1.0, 1.0], DEALS)
    assert matters.p == matters.p_beyond < 1e-6
    assert not_so.p == not_so.p_within < 1e-6
    assert close.p == close.p_within < close.p_beyond
