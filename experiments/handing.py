"""A player who plays whatever is legal, and rather hands a card on than passes."""

from calcsim import policy
from calcsim.engine.actions import HANDOFF, kind_of
from calcsim.engine.rng import below


@policy
def handing(view, legal, n, params, rng):
    """Choose any play or growth; without one, any hand-off; without one, the pass."""
    n_handoffs = 0
    for i in range(n):
        if kind_of(legal[i]) == HANDOFF:
            n_handoffs += 1
    # Plays and growths are listed first, then hand-offs, then the pass.
    n_plays = n - 1 - n_handoffs
    if n_plays > 0:
        return below(rng, n_plays)
    if n_handoffs > 0:
        return below(rng, n_handoffs)
    return n - 1
