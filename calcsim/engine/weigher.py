"""The doors to `weigh`: a player who weighs a list of actions, and the scores themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from calcsim.engine._jit import POLICY_SIGNATURE, door, entry, memory
from calcsim.engine.weigh import best_scores, highest_of


@entry(POLICY_SIGNATURE)
def weigh(array: Any, legal: Any, n: int, params: Any, rng: Any) -> int:
    """Answer as a player who weighs, where the choice is not among all that is legal.

    Parameters
    ----------
    array : int64[::1], see `layout`
        The state; its working memory is modified in place.
    legal, n
        The actions to choose from, and how many.
    params, rng
        As for `weigh.weigh_up`.

    Returns
    -------
    index : int
        Of the action in `legal`.
    """
    scores = np.empty(n, dtype=np.float64)
    best_scores(memory(array), legal, n, memory(params), scores)
    return highest_of(scores, n, rng)


@door
def scores_of(array: Any, legal: Any, n: int, params: Any, scores: Any) -> None:
    """Write the scores of the actions of a state, see `weigh.best_scores`."""
    best_scores(memory(array), legal, n, memory(params), scores)
