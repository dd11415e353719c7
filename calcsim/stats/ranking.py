"""Strengths from rankings (Plackett and Luce), with ties, errors by blocks of deals, and a look at the fit.

Of any players still to be placed, each comes next with a probability in proportion to its strength. What a
ranking of m says is therefore m - 1 choices, each from a set; how often who was chosen, and from which sets,
is all that the strengths depend on. Players of one policy have one strength.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from calcsim.stats.block import WHOLE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

_MOST_STEPS: Final = 100
_CLOSE: Final = 1e-11
_MOST_SPREAD: Final = 30.0
"""Log strengths further from the mean than this are on their way to infinity."""
_ROUNDING: Final = 1e-12
_FLAT: Final = 1e-10
"""Curvature below this share of the largest is none: nothing says how two groups of policies compare."""


def choices_of(places: Sequence[int]) -> tuple[list[int], dict[int, int]]:
    """Return the choices that a ranking is made of, in parts of `WHOLE`.

    Ties count as all their orders, each equally.

    Parameters
    ----------
    places
        The place of each player; who shares one has the same number. Six at most share one.

    Returns
    -------
    won, sets
        How often each player was chosen, and how often from each set of players still to be placed (bits),
        those of one player left out.

    Examples
    --------
    >>> choices_of([1, 2, 2])
    ([60, 30, 30], {7: 60, 6: 60})
    """
    won = [0] * len(places)
    sets: dict[int, int] = {}
    later = 0
    for place in sorted(set(places), reverse=True):
        tied = [player for player, its in enumerate(places) if its == place]
        for player in tied:
            won[player] += WHOLE if later else WHOLE - WHOLE // len(tied)
        for left in range(1, len(tied) + 1):
            weight = WHOLE // math.comb(len(tied), left)
            for members in itertools.combinations(tied, left):
                mask = later | sum(1 << player for player in members)
                if mask.bit_count() > 1:
                    sets[mask] = sets.get(mask, 0) + weight
        later |= sum(1 << player for player in tied)
    return won, dict(sorted(sets.items(), reverse=True))


@dataclass(frozen=True)
class Strengths:
    """Strengths that make what was seen likeliest.

    Attributes
    ----------
    logs
        Log strengths, shape (policies,); their mean is 0.
    covariance
        Of these, shape (policies, policies).
    influence
        How far each block of deals moved each of them, shape (blocks, policies).
    """

    logs: Floats
    covariance: Floats
    influence: Floats

    @property
    def errors(self) -> Floats:
        """Standard errors of the log strengths."""
        return np.sqrt(self.covariance.diagonal())

    def ahead(self, first: int, second: int) -> float:
        """Return the probability that one policy finishes ahead of another, at whatever table."""
        return float(1.0 / (1.0 + np.exp(self.logs[second] - self.logs[first])))


def fit(won: ArrayLike, sets: ArrayLike, counts: ArrayLike) -> Strengths | None:
    """Return the strengths of policies, or None where no finite ones are likeliest.

    That is so where some policies never finished behind any other one, or nothing connects them.

    Parameters
    ----------
    won
        How often each policy was chosen, by block of deals: shape (blocks, policies).
    sets
        Members of each policy in each set chosen from: shape (sets, policies).
    counts
        How often each set was chosen from, by block: shape (blocks, sets).

    Notes
    -----
    Hunter's fixed point (the MM algorithm) starts, Newton's method ends: the likelihood has one maximum.
    Errors come from how the blocks differ, as with a bootstrap of blocks, but linearised: nothing is drawn.

    Examples
    --------
    >>> found = fit([[30.0, 10.0], [28.0, 12.0]], [[1, 1]], [[40.0], [40.0]])
    >>> round(found.ahead(0, 1), 6)
    0.725
    """
    won_by, counts_by = np.asarray(won, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    members = np.asarray(sets, dtype=np.float64)
    scale = counts_by.sum()
    total, drawn = won_by.sum(axis=0) / scale, counts_by.sum(axis=0) / scale
    logs = _maximum(total, members, drawn)
    if logs is None:
        return None
    chances = _chances(logs, members)
    curvature = _curvature(chances, drawn) + 1.0
    eigenvalues = np.linalg.eigvalsh(curvature)
    if eigenvalues[0] < _FLAT * eigenvalues[-1]:
        return None
    inverse = np.linalg.inv(curvature) / scale
    influence = (won_by - counts_by @ chances) @ inverse
    influence -= influence.mean(axis=1, keepdims=True)
    n = len(influence)
    covariance = np.asarray(influence.T @ influence * (n / (n - 1) if n > 1 else np.nan))
    return Strengths(logs, covariance, influence)


def _maximum(won: Floats, members: Floats, drawn: Floats) -> Floats | None:
    n = len(won)
    logs = np.zeros(n)
    for _ in range(5):
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = np.exp(logs)
            logs = np.log(won / (drawn / (members @ weights) @ members))
        if not np.isfinite(logs).all():
            return None
        logs -= logs.mean()
    likelihood = _likelihood(logs, won, members, drawn)
    for _ in range(_MOST_STEPS):
        chances = _chances(logs, members)
        slope = won - drawn @ chances
        try:
            # The strengths' common factor is free: the 1 added holds their mean.
            step = np.linalg.solve(_curvature(chances, drawn) + 1.0, slope)
        except np.linalg.LinAlgError:
            return None
        step -= step.mean()
        size = float(np.abs(step).max())
        if not size < _MOST_SPREAD:
            return None
        while True:
            moved = logs + step
            gained = _likelihood(moved, won, members, drawn)
            if gained >= likelihood - 1e-15 * abs(likelihood) or float(np.abs(step).max()) < _CLOSE:
                break
            step /= 2.0
        logs, likelihood = moved, gained
        if np.abs(logs).max() > _MOST_SPREAD:
            return None
        if size < _CLOSE:
            return logs
    return None


def _chances(logs: Floats, members: Floats) -> Floats:
    """Return who is chosen from each set, shape (sets, policies)."""
    weights = members * np.exp(logs)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _likelihood(logs: Floats, won: Floats, members: Floats, drawn: Floats) -> float:
    return float(won @ logs - drawn @ np.log(members @ np.exp(logs)))


def _curvature(chances: Floats, drawn: Floats) -> Floats:
    """Return minus the second derivatives of the likelihood."""
    weighted = drawn[:, None] * chances
    return np.asarray(np.diag(weighted.sum(axis=0)) - weighted.T @ chances)


def residuals(
    found: Strengths, pairs: Sequence[tuple[int, int]], observed: ArrayLike, moved: ArrayLike
) -> tuple[Floats, Floats]:
    """Return how far the shares seen of "finishes ahead of" lie from those that strengths say.

    Parameters
    ----------
    found
        The strengths.
    pairs
        Policies of each share.
    observed
        The shares, shape (pairs,).
    moved
        How far each block of deals moved each of them, shape (blocks, pairs).

    Returns
    -------
    residuals, covariance
        Shapes (pairs,) and (pairs, pairs). One set of strengths for all tables fits where all are 0.
    """
    said = np.array([found.ahead(a, b) for a, b in pairs])
    first, second = (np.array([pair[side] for pair in pairs], dtype=np.intp) for side in (0, 1))
    slopes = said * (1.0 - said)
    off = np.asarray(moved, dtype=np.float64) - slopes * (
        found.influence[:, first] - found.influence[:, second]
    )
    off[:, np.abs(off).max(axis=0) < _ROUNDING] = 0.0
    found_off = np.asarray(observed, dtype=np.float64) - said
    found_off[np.abs(found_off) < _ROUNDING] = 0.0
    n = len(off)
    return found_off, np.asarray(off.T @ off * (n / (n - 1) if n > 1 else np.nan))


def circles(ahead: Sequence[Sequence[bool]]) -> list[tuple[int, int, int]]:
    """Return the policies that go round in threes: each ahead of the next, the last ahead of the first.

    Examples
    --------
    >>> circles([[False, True, False], [False, False, True], [True, False, False]])
    [(0, 1, 2)]
    """
    n = len(ahead)
    return [
        (a, b, c)
        for a, b, c in itertools.permutations(range(n), 3)
        if a < min(b, c) and ahead[a][b] and ahead[b][c] and ahead[c][a]
    ]
