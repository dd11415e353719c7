"""How many deals a precision takes, and the interval for those who look on."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calcsim.errors import UsageError
from calcsim.stats.intervals import normal_quantile
from calcsim.stats.sequential import LEAST_DEALS, confidence_sequence, deals_for


@given(st.floats(1e-6, 10), st.integers(2, 10**7), st.floats(1e-4, 5), st.sampled_from([0.9, 0.95, 0.99]))
def test_so_many_deals_are_enough_and_one_fewer_is_not(
    error: float, deals: int, half_width: float, level: float
):
    needed = deals_for(error, deals, half_width, level)

    def reach(n: int) -> float:
        return normal_quantile(level) * error * math.sqrt(deals / n)

    assert reach(needed) <= half_width * (1 + 1e-9)
    assert needed == LEAST_DEALS or reach(needed - 1) >= half_width * (1 - 1e-9)


@pytest.mark.parametrize(
    ("half_width", "deals"), [(0.02, 1_801), (0.01, 7_203), (0.005, 28_811), (0.001, 720_274)]
)
def test_shares_at_fair_odds_need_the_deals_of_the_table(half_width: float, deals: int):
    # Four players win a quarter each.
    assert deals_for(math.sqrt(0.25 * 0.75 / 500), 500, half_width) == pytest.approx(deals, abs=1)


@pytest.mark.parametrize("error", [0.0, 1e-9, math.nan])
def test_no_precision_is_believed_on_few_deals(error: float):
    assert deals_for(error, 50, 0.1) == LEAST_DEALS


@pytest.mark.parametrize(("share", "wider"), [(1, 1.55), (3, 1.58), (10, 1.65), (0.1, 1.97)])
def test_looking_on_makes_intervals_as_much_wider_as_published(share: float, wider: float):
    deals = int(50_000 * share)
    ordinary = normal_quantile(0.95) * 2.0 / math.sqrt(deals)
    assert confidence_sequence(2.0, deals, 50_000) / ordinary == pytest.approx(wider, abs=0.006)


@given(st.integers(1, 10**8), st.integers(1, 10**8), st.floats(0.5, 0.999))
def test_looking_on_never_makes_an_interval_narrower(deals: int, planned: int, level: float):
    assert confidence_sequence(1.0, deals, planned, level) > normal_quantile(level) / math.sqrt(deals)


def test_the_interval_is_narrowest_near_where_it_was_planned():
    at = {planned: confidence_sequence(1.0, 10_000, planned) for planned in (1_000, 10_000, 100_000)}
    assert at[10_000] < min(at[1_000], at[100_000])


def test_no_spread_leaves_nothing_open():
    assert confidence_sequence(0.0, 100, 1_000) == 0.0


def test_a_level_that_is_none_is_refused():
    with pytest.raises(UsageError, match="level 95"):
        confidence_sequence(1.0, 100, 100, level=95)
