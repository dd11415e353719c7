"""Means and ratios of many rows with their joint covariance, and linear contrasts of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from calcsim.stats.gram import Gram

    Floats = NDArray[np.float64]

_NOISE: Final = 1e-13
"""Below this share of what was added up, a difference is rounding: the smallest that deals make is larger."""


def components(gram: Gram, pairs: Sequence[tuple[int, int | float]]) -> tuple[Floats, Floats]:
    """Return ratios of means over deals, and the covariance of these estimates by the delta method.

    Parameters
    ----------
    gram
        Sums over the deals.
    pairs
        For each ratio the row of its numerator, and of its denominator: a row (an int), or what every deal
        has (a float).

    Returns
    -------
    estimates, covariance
        Shapes (pairs,) and (pairs, pairs). NaN where a denominator is 0; the covariance also with one deal.

    Examples
    --------
    >>> from calcsim.stats.gram import Gram
    >>> estimates, covariance = components(Gram.of(np.array([[2, 4, 6], [1, 2, 3]])), [(0, 1), (0, 1.0)])
    >>> estimates.tolist(), covariance.round(6).tolist()
    ([2.0, 4.0], [[0.0, 0.0], [0.0, 1.333333]])
    """
    over = np.array([x for x, _ in pairs], dtype=np.intp)
    varies = np.array([not isinstance(y, float) for _, y in pairs], dtype=bool)
    under = np.array([0 if isinstance(y, float) else y for _, y in pairs], dtype=np.intp)
    constants = np.array([y if isinstance(y, float) else 0.0 for _, y in pairs])
    means, spread = gram.means(), gram.covariance()
    with np.errstate(divide="ignore", invalid="ignore"):
        denominators = np.where(varies, means[under], constants)
        estimates = np.where(denominators == 0, np.nan, means[over] / denominators)
        # A ratio r = x / y moves as its residual x - r * y does, over the mean of y.
        slopes = np.where(varies, estimates, 0.0)
        residual = (
            spread[np.ix_(over, over)]
            - spread[np.ix_(over, under)] * slopes
            - spread[np.ix_(under, over)] * slopes[:, None]
            + spread[np.ix_(under, under)] * np.outer(slopes, slopes)
        )
        covariance = residual / (gram.deals * np.outer(denominators, denominators))
    return estimates, covariance


def contrast(
    estimates: ArrayLike, covariance: ArrayLike, weights: ArrayLike
) -> tuple[Floats, Floats, Floats]:
    """Return weighted sums of estimates, with their standard errors and covariance.

    A contrast that never varies comes out as exactly 0 with error 0, not as what rounding leaves.

    Parameters
    ----------
    estimates, covariance
        As `components` returns them.
    weights
        One contrast a row, shape (contrasts, estimates).

    Returns
    -------
    differences, errors, covariance
        Shapes (contrasts,), (contrasts,) and (contrasts, contrasts). NaN where an estimate with a weight is.

    Examples
    --------
    >>> differences, errors, _ = contrast([5.0, 7.0], [[0.02, 0.01], [0.01, 0.02]], [[-1, 1]])
    >>> differences.tolist(), errors.round(4).tolist()
    ([2.0], [0.1414])
    """
    values = np.asarray(estimates, dtype=np.float64)
    spread = np.asarray(covariance, dtype=np.float64)
    w = np.asarray(weights, dtype=np.float64)
    # Estimates that are not there must not spoil contrasts without them: 0 times NaN is NaN.
    known = np.isfinite(values)
    values = np.where(known, values, 0.0)
    missing = (w[:, ~known] != 0).any(axis=1)

    differences = w @ values
    differences[np.abs(differences) <= _NOISE * (np.abs(w) @ np.abs(values))] = 0.0
    differences[missing] = np.nan

    shared = w @ np.where(known & known[:, None], spread, 0.0) @ w.T
    variances = shared.diagonal().copy()
    still = variances <= _NOISE * (np.abs(w) @ _deviations(spread, known)) ** 2
    shared[still] = shared[:, still] = 0.0
    variances[still] = 0.0
    shared[missing] = shared[:, missing] = np.nan
    variances[missing] = np.nan
    return differences, np.sqrt(variances), shared


def variance_reduction(covariance: ArrayLike, weights: ArrayLike) -> Floats:
    """Return by what factor common deals reduce the variance of contrasts, against separate deals.

    Parameters
    ----------
    covariance
        Of the estimates, as `components` returns it.
    weights
        One contrast a row, shape (contrasts, estimates).

    Returns
    -------
    factors
        For a difference A - B: (var A + var B) / var(A - B). Infinite where it never varies but its parts
        do, NaN where they do not either.

    Examples
    --------
    >>> variance_reduction([[0.02, 0.01], [0.01, 0.02]], [[-1, 1]]).round(6).tolist()
    [2.0]
    """
    spread = np.asarray(covariance, dtype=np.float64)
    w = np.asarray(weights, dtype=np.float64)
    # An estimate without a variance is as good as missing here.
    values = np.where(np.isfinite(spread.diagonal()), 0.0, np.nan)
    _, errors, _ = contrast(values, spread, w)
    apart = w**2 @ np.where(np.isfinite(values), spread.diagonal(), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(apart / errors**2)


def _deviations(spread: NDArray[Any], known: NDArray[np.bool_]) -> Floats:
    return np.asarray(np.sqrt(np.where(known, spread.diagonal(), 0.0).clip(min=0.0)))
