"""What happens in a game, written into a log of integers while it is played, for traces.

An event is its code, then its numbers. The log lies at the end of the state, which may be made as long as
needed; it ends at `layout.LOG_END`, 0 if nothing is to be logged.
"""

from __future__ import annotations

from calcsim.engine import layout as at
from calcsim.engine._jit import State, kernel

DEAL = 1  # players, hands (packed), piles, their cards, n, the stock's cards
PLAYED = 2  # seat, pile, pattern, streak, n, cards
GREW = 3  # seat, pile, action, streak
HANDED = 4  # seat, target, card, source
PASSED = 5  # seat
DREW = 6  # seat, reason (0 pass, 1 penalty), n, cards
STOPPED = 7  # seat
PENALIZED = 8  # seat, streak cards, set cards, halved, due
RECYCLED = 9  # n, cards
TURNED = 10  # seat, packed hand (R7.6)
WENT_OUT = 11  # seat, place, bonuses as bits

TURN_SIZE = 512
"""More than one action can write."""


@kernel
def put(state: State, value: int) -> None:
    """Append one number."""
    state[state[at.LOG_END]] = value
    state[at.LOG_END] += 1


@kernel
def put_event(state: State, code: int, a: int, b: int, c: int, d: int, n: int) -> None:
    """Append an event of the first `n` of four numbers, if there is a log."""
    if state[at.LOG_END] == 0:
        return
    put(state, code)
    if n > 0:
        put(state, a)
    if n > 1:
        put(state, b)
    if n > 2:
        put(state, c)
    if n > 3:
        put(state, d)


@kernel
def put_cards(state: State, start: int, end: int) -> None:
    """Append how many cards follow, and ``state[start:end]``, if there is a log."""
    if state[at.LOG_END] == 0:
        return
    put(state, end - start)
    for i in range(start, end):
        put(state, state[i])
