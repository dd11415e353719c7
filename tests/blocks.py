"""Made-up blocks of games, for what reads them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calcsim.engine import columns


def random_block(players: int, games: int, seed: int = 1) -> NDArray[np.int32]:
    """Return games that could not have been played, but whose numbers are in their ranges."""
    draw = np.random.default_rng(seed)
    out = draw.integers(0, 6, size=(columns.n_columns(players), games), dtype=np.int32)

    def put(row: int, low: int, high: int) -> None:
        out[row] = draw.integers(low, high + 1, size=games)

    put(columns.game("end"), 0, len(columns.ENDS) - 1)
    put(columns.game("turns"), 1, 150)
    put(columns.game("first_out"), -1, players - 1)
    for name in ("growth_turn", "ring_turn", "star_turn", "recycle_turn", "handoff_turn"):
        put(columns.game(name), -40, 40)
        out[columns.game(name)].clip(0, out=out[columns.game(name)])
    for name in columns.GAME:
        if name.startswith("bonus_"):
            put(columns.game(name), 0, 1)
    for name in ("avoided", "streak_suffered", "set_suffered"):
        for seat in range(players):
            put(columns.seat(name, seat), -3, 2)
            out[columns.seat(name, seat)].clip(0, out=out[columns.seat(name, seat)])
    # Places as in a race with ties: one more than how many are ahead.
    ranks = draw.integers(0, 4, size=(players, games))
    for seat in range(players):
        out[columns.seat("place", seat)] = 1 + (ranks < ranks[seat]).sum(axis=0)
        put(columns.seat("score", seat), -50, 200)
        put(columns.seat("finish", seat), 0, len(columns.FINISHES))
    return out
