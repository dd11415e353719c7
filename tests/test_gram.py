"""Sums of products over deals: exact, and the same however deals are cut into blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from calcsim.stats.gram import Gram

SIZES = st.sampled_from([1, 100, 2**15, 2**20, 2**31 - 1, 2**40, 2**62])
"""The largest number of a table: each way of adding up is met."""


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    size = draw(SIZES)
    shape = (draw(st.integers(1, 6)), draw(st.integers(1, 40)))
    return draw(arrays.arrays(np.int64, shape, elements=st.integers(-size, size)))


def exact(values: np.ndarray) -> np.ndarray:
    return values.astype(object) @ values.astype(object).T


def equal(one: Gram, other: Gram) -> bool:
    return (
        one.deals == other.deals
        and one.sums.tolist() == other.sums.tolist()
        and one.products.tolist() == other.products.tolist()
    )


@given(tables())
def test_sums_are_exact_at_any_size(values: np.ndarray):
    gram = Gram.of(values)
    assert gram.deals == values.shape[1]
    assert gram.sums.tolist() == values.astype(object).sum(axis=1).tolist()
    assert gram.products.tolist() == exact(values).tolist()


@given(tables(), st.data())
def test_the_cut_into_blocks_changes_nothing(values: np.ndarray, data: st.DataObject):
    cuts = sorted(data.draw(st.lists(st.integers(0, values.shape[1]), max_size=3)))
    gram = Gram.of(values[:, :0])
    for block in np.split(values, cuts, axis=1):
        gram.add(Gram.of(block))
    assert equal(gram, Gram.of(values))
    assert gram.covariance() == pytest.approx(Gram.of(values).covariance(), nan_ok=True)


@pytest.mark.parametrize("largest", [1, 60, 700, 40_000, 2_000_000])
def test_blocks_as_they_are_played_are_exact(largest: int):
    draw = np.random.default_rng(largest)
    values = draw.integers(-largest, largest, (12, 4_000), endpoint=True).astype(np.int32)
    values[3] = 0
    values[5] %= 2
    values[7] = values[6]
    assert Gram.of(values).products.tolist() == exact(values).tolist()


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int16, np.uint32, np.int32, np.int64])
def test_integers_of_every_type_are_taken(dtype: type):
    values = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
    assert equal(Gram.of(values), Gram.of(values.astype(np.int64)))
    assert equal(Gram.of(values[::-1, ::2]), Gram.of(values[::-1, ::2].copy()))


def test_numbers_of_32_bits_do_not_wrap():
    values = np.full((2, 3), np.iinfo(np.int32).min, dtype=np.int32)
    assert Gram.of(values).products.tolist() == exact(values).tolist()


def test_running_sums_outgrow_64_bits_without_harm():
    block = np.array([[2**31 - 1, 5], [1, -7]])
    gram = Gram.of(block)
    assert gram.products.dtype == np.int64
    for _ in range(9):
        gram.add(Gram.of(block))
    assert gram.products.dtype == object
    whole = np.tile(block, 10)
    assert equal(gram, Gram.of(whole))
    assert gram.means() == pytest.approx(whole.mean(axis=1))
    assert gram.covariance() == pytest.approx(np.cov(whole))


@pytest.mark.parametrize("largest", [1, 1_000, 2**31 - 1, 2**40])
def test_means_and_covariance_are_those_of_the_deals(largest: int):
    values = np.random.default_rng(3).integers(0, largest, (5, 200), endpoint=True)
    gram = Gram.of(values)
    assert gram.means() == pytest.approx(values.mean(axis=1))
    assert gram.covariance() == pytest.approx(np.cov(values))


def test_no_digits_are_lost_to_a_large_mean():
    spread = np.random.default_rng(4).integers(-3, 4, (3, 500))
    moved = spread + np.array([[2_000_000_000], [-1_000_000_000], [7]])
    assert Gram.of(moved).covariance() == pytest.approx(np.cov(spread), rel=1e-13)


def test_a_row_that_never_varies_has_no_covariance():
    values = np.random.default_rng(5).integers(0, 100, (3, 1_001))
    values[1] = 77_777
    covariance = Gram.of(values).covariance()
    assert (covariance[1] == 0).all()
    assert (covariance[:, 1] == 0).all()


def test_equal_rows_have_equal_covariances_to_the_last_digit():
    values = np.random.default_rng(6).integers(0, 100, (3, 999))
    values[2] = values[0]
    covariance = Gram.of(values).covariance()
    assert covariance[0, 0] == covariance[0, 2] == covariance[2, 2]
    assert (covariance == covariance.T).all()


def test_no_deals_have_no_means_and_one_no_spread():
    assert np.isnan(Gram.of(np.zeros((2, 0), dtype=int)).means()).all()
    one = Gram.of(np.array([[3], [4]]))
    assert one.means().tolist() == [3.0, 4.0]
    assert np.isnan(one.covariance()).all()


def test_other_rows_are_refused():
    with pytest.raises(ValueError, match="3 rows cannot be added to 2"):
        Gram.of(np.ones((2, 4), dtype=int)).add(Gram.of(np.ones((3, 4), dtype=int)))
