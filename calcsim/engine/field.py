"""The piles: laying cards, top runs, streaks, and what a recycle takes (R1.2, R4.6, R5, R6.1, R8.1)."""

from __future__ import annotations

from calcsim.engine import layout as at
from calcsim.engine._jit import State, kernel


@kernel
def lift(state: State, pile: int) -> None:
    """Take a pile out of the sums over tops, before it changes."""
    top = state[at.TOP + pile]
    state[at.STREAK + top] -= state[at.RUN + pile]
    state[at.N_TOPS + top] -= 1
    state[at.PILES_OF + top] -= pile
    if state[at.N_TOPS + top] == 0:
        state[at.TOPS] &= ~(1 << top)
    state[at.UNDERS] &= ~(1 << pile)


@kernel
def settle(state: State, pile: int) -> None:
    """Put a pile back into the sums over tops, after it changed, and find its under-joker number (R4.6)."""
    top = state[at.TOP + pile]
    state[at.STREAK + top] += state[at.RUN + pile]
    state[at.N_TOPS + top] += 1
    state[at.PILES_OF + top] += pile
    state[at.TOPS] |= 1 << top
    last = pile * at.DEPTH + state[at.HEIGHT + pile] - 1
    state[at.UNDER + pile] = 0
    if state[at.R_JOKER_SPECIAL] and state[at.FIELD + last] > at.JOKER_FLAG and state[at.HEIGHT + pile] > 1:
        number = state[at.FIELD + last - 1] & 15
        state[at.UNDER + pile] = number
        if number != top:
            state[at.UNDERS] |= 1 << pile


@kernel
def lay(state: State, pile: int, card: int) -> None:
    """Lay one field card on a pile that is lifted, and carry its top and top run on (R6.1)."""
    number = card & 15
    state[at.ON_FIELD] += 1 << (4 * (number - 1) if card < at.JOKER_FLAG else 52)
    height = state[at.HEIGHT + pile]
    state[at.FIELD + pile * at.DEPTH + height] = card
    state[at.HEIGHT + pile] = height + 1
    if number == state[at.TOP + pile]:
        state[at.RUN + pile] += 1
    else:
        state[at.TOP + pile] = number
        state[at.RUN + pile] = 1


@kernel
def new_pile(state: State, card: int) -> int:
    """Start a pile with one field card; return its id (R5.6)."""
    pile = state[at.N_PILES]
    state[at.N_PILES] = pile + 1
    state[at.HEIGHT + pile] = 0
    state[at.TOP + pile] = 0
    lay(state, pile, card)
    settle(state, pile)
    return pile


@kernel
def renumber_joker(state: State, pile: int) -> None:
    """Give the joker on top of a lifted pile the number of the card beneath for good (R4.6)."""
    last = pile * at.DEPTH + state[at.HEIGHT + pile] - 1
    number = state[at.UNDER + pile]
    state[at.FIELD + last] = number + at.JOKER_FLAG
    run = 1
    while run < state[at.HEIGHT + pile] and state[at.FIELD + last - run] & 15 == number:
        run += 1
    state[at.TOP + pile] = number
    state[at.RUN + pile] = run


@kernel
def take_covered(state: State) -> int:
    """Move all field cards below the top runs into the stock, unshuffled (R8.1); return how many."""
    n = 0
    for pile in range(state[at.N_PILES]):
        start = pile * at.DEPTH
        run = state[at.RUN + pile]
        below_run = state[at.HEIGHT + pile] - run
        if below_run == 0:
            continue
        for i in range(start, start + below_run):
            card = min(state[at.FIELD + i], at.JOKER)  # jokers lose their numbers
            state[at.ON_FIELD] -= 1 << (4 * (card - 1))
            state[at.STOCK + n] = card
            n += 1
        for i in range(run):
            state[at.FIELD + start + i] = state[at.FIELD + start + below_run + i]
        state[at.HEIGHT + pile] = run
        if run == 1:
            state[at.UNDER + pile] = 0
            state[at.UNDERS] &= ~(1 << pile)
    return n


@kernel
def insert_gap(state: State, gap: int, pile: int) -> None:
    """Put a new pile into a gap, which thereby becomes two (R5.2 to R5.4)."""
    pair = state[at.GAP + gap]
    n_gaps = state[at.N_GAPS]
    for i in range(n_gaps, gap + 1, -1):
        state[at.GAP + i] = state[at.GAP + i - 1]
    state[at.GAP + gap] = (pair & 255) | (pile << 8)
    state[at.GAP + gap + 1] = pile | (pair & ~255)
    state[at.N_GAPS] = n_gaps + 1


@kernel
def close_ring(state: State, pile: int) -> None:
    """Close a line to a ring with a new pile between its ends (R5.3)."""
    n_gaps = state[at.N_GAPS]
    state[at.GAP + n_gaps] = state[at.LAST_END] | (pile << 8)
    state[at.GAP + n_gaps + 1] = pile | (state[at.FIRST_END] << 8)
    state[at.N_GAPS] = n_gaps + 2
    state[at.SHAPE] = at.RING


@kernel
def make_star(state: State, pile: int) -> None:
    """Turn a line of three into a star around a new pile (R5.4)."""
    middle = state[at.GAP] >> 8
    state[at.GAP] = pile | (state[at.FIRST_END] << 8)
    state[at.GAP + 1] = pile | (middle << 8)
    state[at.GAP + 2] = pile | (state[at.LAST_END] << 8)
    state[at.N_GAPS] = 3
    state[at.SHAPE] = at.STAR
