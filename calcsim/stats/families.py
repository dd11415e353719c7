"""Several questions at once: adjusted p-values, and intervals that hold together."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from calcsim.stats.intervals import LEVEL, normal_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

DRAWS: Final = 20_000
"""Draws behind a simultaneous interval: they leave its critical value uncertain by about 0.01."""

SEED: Final = 20_230_601

_SINGULAR: Final = 1e-10
"""Eigenvalues of a correlation matrix below this share of the largest one are rounding."""


def holm(p: ArrayLike) -> Floats:
    """Return Holm's adjusted p-values: all that are at most α may be believed together, at level α.

    NaN stays NaN and does not count.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]
    steps = np.maximum.accumulate(values[order] * np.arange(len(order), 0, -1))
    adjusted = np.full(len(values), np.nan)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Return Benjamini and Hochberg's q-values: of all with q at most α, a share of about α is false.

    NaN stays NaN and does not count.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(6).tolist()
    [0.03, 0.04, 0.04]
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]
    count = len(order)
    steps = values[order] * count / np.arange(1, count + 1)
    adjusted = np.full(len(values), np.nan)
    adjusted[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)
    return adjusted


def p_against_zero(differences: ArrayLike, errors: ArrayLike) -> Floats:
    """Return the two-sided p-values of "there is no difference": 1 where none was ever seen.

    Examples
    --------
    >>> p_against_zero([0.0, -1.96, 0.0], [1.0, 1.0, 0.0]).round(3).tolist()
    [1.0, 0.05, 1.0]
    """
    from scipy.special import ndtr

    sizes = np.abs(np.asarray(differences, dtype=np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(sizes == 0, 0.0, sizes / np.asarray(errors, dtype=np.float64))
    return np.asarray(2.0 * ndtr(-t))


def sidak(level: float, count: int) -> float:
    """Return z such that `count` intervals of ±z errors hold together with probability `level`, or more.

    Examples
    --------
    >>> round(sidak(0.95, 4), 3)
    2.491
    """
    return normal_quantile(level ** (1 / max(count, 1)))


def simultaneous(covariance: ArrayLike, level: float = LEVEL, draws: int = DRAWS, seed: int = SEED) -> float:
    """Return z such that all intervals of ±z errors hold together with probability `level`.

    It is the quantile of the largest of all sizes in Gaussian draws with this covariance, each over its
    error. Estimates that move together need a smaller z than Šidák's, which is never exceeded.

    Parameters
    ----------
    covariance
        Of the estimates. Those of variance 0 (or NaN) are left out: they have no interval.
    level
        Of all intervals together.
    draws, seed
        Of the draws; the same ones give the same z.

    Examples
    --------
    >>> simultaneous([[4.0]]) == normal_quantile(0.95)
    True
    >>> normal_quantile(0.95) < simultaneous([[1.0, 0.9], [0.9, 1.0]]) < sidak(0.95, 2)
    True
    """
    spread = np.asarray(covariance, dtype=np.float64)
    variances = spread.diagonal()
    kept = np.flatnonzero(np.isfinite(variances) & (variances > 0))
    least = normal_quantile(level)
    if len(kept) < 2:
        return least
    deviations = np.sqrt(variances[kept])
    correlation = spread[np.ix_(kept, kept)] / np.outer(deviations, deviations)
    normals = np.array([_normals(seed, draws, column) for column in range(len(kept))])
    largest = np.abs(_root(correlation) @ normals).max(axis=0)
    z = float(np.quantile(largest, level))
    # Rounded: the last digits depend on the processor.
    return round(min(max(z, least), sidak(level, len(kept))), 6)


def _root(correlation: Floats) -> Floats:
    """Return the symmetric root: unlike others, it does not jump where eigenvalues are equal."""
    eigenvalues, vectors = np.linalg.eigh(correlation)
    eigenvalues[eigenvalues < _SINGULAR * eigenvalues[-1]] = 0.0
    return np.asarray(vectors * np.sqrt(eigenvalues) @ vectors.T)


@functools.lru_cache(maxsize=256)
def _normals(seed: int, draws: int, column: int) -> Floats:
    """Return standard normal numbers: one stream a column, so that families of all sizes share them."""
    from scipy.special import ndtri

    start = np.array([seed, column], dtype=np.uint64)
    key = _mix(_mix(start[:1] + _GAMMA) ^ (start[1:] * _MIX_1 + _GAMMA))
    bits = _mix(key + np.arange(1, draws + 1, dtype=np.uint64) * _GAMMA)
    # The middles of 2**53 equal steps, so that neither 0 nor 1 is met.
    return np.asarray(ndtri((bits >> 11) * 2.0**-53 + 2.0**-54))


_GAMMA: Final = 0x9E3779B97F4A7C15
_MIX_1: Final = 0xBF58476D1CE4E5B9
_MIX_2: Final = 0x94D049BB133111EB


def _mix(x: Any) -> Any:
    """Return splitmix64's finaliser of each uint64, as `calcsim.engine.rng.mix` does in kernels."""
    x = (x ^ (x >> 30)) * _MIX_1
    x = (x ^ (x >> 27)) * _MIX_2
    return x ^ (x >> 31)
