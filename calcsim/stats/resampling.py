"""Bootstrap over deals: how often each is drawn, by draws that are the same on every machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESAMPLES: Final = 200
"""Resamples behind a share of them: they leave a share of one half uncertain by 7 points."""

SEED: Final = 20_230_602

_GAMMA: Final = 0x9E3779B97F4A7C15
_MIX_1: Final = 0xBF58476D1CE4E5B9
_MIX_2: Final = 0x94D049BB133111EB


def uniforms(stream: int, count: int, seed: int = SEED) -> NDArray[np.float64]:
    """Return numbers evenly spread over 0 to 1, without either: one sequence for each stream.

    Examples
    --------
    >>> first = uniforms(0, 1000)
    >>> bool((first == uniforms(0, 1000)).all()), round(float(first.mean()), 1)
    (True, 0.5)
    """
    start = np.array([seed, stream], dtype=np.uint64)
    key = _mix(_mix(start[:1] + _GAMMA) ^ (start[1:] * _MIX_1 + _GAMMA))
    bits = _mix(key + np.arange(1, count + 1, dtype=np.uint64) * _GAMMA)
    return np.asarray((bits >> 11) * 2.0**-53 + 2.0**-54)


def bootstrap_weights(deals: int, resamples: int = RESAMPLES, seed: int = SEED) -> NDArray[np.float64]:
    """Return how often each deal is in each resample of as many deals, over their number.

    Returns
    -------
    weights
        Shape (resamples, deals); each row sums to 1.
    """
    weights = np.empty((resamples, deals))
    for r in range(resamples):
        drawn = (uniforms(r, deals, seed) * deals).astype(np.intp)
        weights[r] = np.bincount(drawn, minlength=deals)
    return weights / deals


def _mix(x: Any) -> Any:
    """Return splitmix64's finaliser of each uint64, as `calcsim.engine.rng.mix` does in kernels."""
    x = (x ^ (x >> 30)) * _MIX_1
    x = (x ^ (x >> 27)) * _MIX_2
    return x ^ (x >> 31)
