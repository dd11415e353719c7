"""Main effects, interactions and conditional effects of a full factorial, as weights of its cells.

Cells stand in the order of `itertools.product` over the levels of the factors: the last factor changes first.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """A main effect or an interaction.

    Attributes
    ----------
    factors
        Indices of the factors that take part: one of a main effect, more of an interaction.
    levels
        The level of each of these factors that is compared with the baseline's.
    weights
        What each cell is multiplied by, shape (cells,).
    """

    factors: tuple[int, ...]
    levels: tuple[int, ...]
    weights: Floats


def effects(levels: Sequence[int], baseline: Sequence[int]) -> list[Effect]:
    """Return all effects: main effects first, then interactions of two factors, of three, and so on.

    The main effect of a level is its difference to the baseline level, the mean over all combinations of the
    other factors. An interaction is the difference of such differences: by how much the one factor's level
    changes what the other's does, the mean over the factors that take no part.

    Parameters
    ----------
    levels
        How many levels each factor has.
    baseline
        The index of each factor's baseline level.

    Examples
    --------
    >>> for effect in effects([2, 2], [0, 0]):
    ...     print(effect.factors, effect.levels, effect.weights.tolist())
    (0,) (1,) [-0.5, -0.5, 0.5, 0.5]
    (1,) (1,) [-0.5, 0.5, -0.5, 0.5]
    (0, 1) (1, 1) [1.0, -1.0, -1.0, 1.0]
    """
    others = [[k for k in range(n) if k != start] for n, start in zip(levels, baseline, strict=True)]
    found = []
    for order in range(1, len(levels) + 1):
        for factors in itertools.combinations(range(len(levels)), order):
            for chosen in itertools.product(*(others[factor] for factor in factors)):
                changed = dict(zip(factors, chosen, strict=True))
                found.append(Effect(factors, chosen, _weights(levels, baseline, changed, {})))
    return found


def conditional(
    levels: Sequence[int], baseline: Sequence[int], factor: int, level: int, others: Mapping[int, int]
) -> Floats:
    """Return the weights of a level's effect where other factors are held.

    Parameters
    ----------
    levels, baseline
        As for `effects`.
    factor, level
        The factor, and the level that is compared with its baseline level.
    others
        The level at which each of some other factors is held; the mean is taken over the rest.

    Examples
    --------
    >>> conditional([2, 2], [0, 0], 0, 1, {1: 1}).tolist()
    [0.0, -1.0, 0.0, 1.0]
    """
    if factor in others:
        raise ValueError(f"factor {factor} cannot be held and changed")
    return _weights(levels, baseline, {factor: level}, others)


def _weights(
    levels: Sequence[int], baseline: Sequence[int], changed: Mapping[int, int], held: Mapping[int, int]
) -> Floats:
    """Return the outer product of a vector for each factor: a difference, one level, or the mean of all."""
    vectors = []
    for factor, count in enumerate(levels):
        unit = np.eye(count)
        if factor in changed:
            vectors.append(unit[changed[factor]] - unit[baseline[factor]])
        elif factor in held:
            vectors.append(unit[held[factor]])
        else:
            vectors.append(np.full(count, 1.0 / count))
    # Adding 0 turns -0 into 0.
    return np.asarray(reduce(np.kron, vectors) + 0.0)
