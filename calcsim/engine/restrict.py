"""Players who may not use a part of the game: what that part is worth to those who use it well.

A restriction is a mask of the bits below, in the order of `calcsim.policies.naming.RESTRICTIONS`. What
remains is never empty: passing, stopping and accepting are not taken away, but where a joker has to be used.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from calcsim.engine import layout as at
from calcsim.engine._jit import State, kernel
from calcsim.engine.actions import GROW, HANDOFF, PLAY, jokers_of, pattern_of

NO_SHIELD: Final = 1
NO_GROWTH: Final = 2
NO_JOKER_HOLD: Final = 4
NO_AVOID: Final = 8
NO_MULTIPLY: Final = 16


@kernel
def restrict(state: State, legal: NDArray[np.int64], n: int, forbidden: int) -> int:
    """Take the forbidden actions out of a list.

    Parameters
    ----------
    state : int64[::1], see `layout`
        Read only.
    legal : int64[::1]
        All legal actions. Modified in place: what is left stands first, in the same order.
    n : int
        How many.
    forbidden : int
        Bits, as above.

    Returns
    -------
    n : int
        How many are left, 1 or more.
    """
    left = 0
    jokers = 0
    under_penalty = state[at.PHASE] == at.PENALTY
    for i in range(n):
        action = legal[i]
        kind = action & 15
        if kind == HANDOFF and forbidden & NO_SHIELD:
            continue
        if kind == GROW and forbidden & NO_GROWTH:
            continue
        if kind == PLAY:
            if under_penalty and forbidden & NO_AVOID:
                continue
            if pattern_of(action) >= at.PRODUCT and forbidden & NO_MULTIPLY:
                continue
        legal[left] = action
        left += 1
        jokers += int(jokers_of(action) > 0)
    if jokers == 0 or not forbidden & NO_JOKER_HOLD:
        return left
    kept = 0
    for i in range(left):
        if jokers_of(legal[i]) > 0:
            legal[kept] = legal[i]
            kept += 1
    return kept
