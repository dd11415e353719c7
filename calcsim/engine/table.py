"""The doors for one game played by hand: set up from cards, not from a seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calcsim.engine import actions, choose, deal, field, transitions
from calcsim.engine import layout as at
from calcsim.engine._jit import State, door, memory


@door
def clear(array: State, players: int) -> None:
    """Reset a state (`layout`) to an empty table of `players` seats; its rules stay."""
    deal.clear(memory(array), players)


@door
def place_pile(array: State, cards: NDArray[np.int64]) -> None:
    """Start a pile of field cards, bottom to top; `cards` is an int64[::1] of 1 or more."""
    state = memory(array)
    pile = state[at.N_PILES]
    state[at.N_PILES] = pile + 1
    state[at.HEIGHT + pile] = 0
    state[at.TOP + pile] = 0
    for card in cards:
        field.lay(state, pile, card)
    field.settle(state, pile)


@door
def lay_line(array: State, n_piles: int) -> None:
    """Make the first piles a line (R5.2)."""
    deal.lay_line(memory(array), n_piles)


@door
def list_legal(array: State, legal: NDArray[np.int64]) -> int:
    """Write the legal actions of the seat to move, see `choose.list_legal`."""
    return choose.list_legal(memory(array), legal)


@door
def apply_action(array: State, action: int) -> int:
    """Do an action, see `transitions.apply_action`."""
    return transitions.apply_action(memory(array), action)


@door
def spell(array: State, action: int) -> int:
    """Write the cards of an action, see `actions.spell`."""
    return actions.spell(memory(array), action)
