"""What is kept of a finished game: one column of integers, and the names of its rows.

A block of games is an int32 array of shape ``(n_columns(players), games)``: first the rows of the game as a
whole (`GAME`), then those of seat 0, of seat 1, and so on (`SEAT` each).
"""

from __future__ import annotations

from typing import Final

BLOCK: Final = 4000
"""Games in a block. No power of two: rows 16 kB apart would fall on the same few cache lines."""

ENDS: Final = ("first-out", "last-standing", "stock-out", "stalled", "turn-limit")
"""Reasons why a game ends (R9.2, R9.3), by the number in row `end`."""

FINISHES: Final = (
    "same",
    "under-joker",
    "sum",
    "difference",
    "product",
    "quotient",
    "line",
    "ring",
    "star",
)
"""What put a player out: the pattern of the play (R4.10) or the field's shape after the growth."""

BONUSES: Final = ("single", "star", "no-growth", "no-shield", "no-recycle")
"""Bonuses of the first player out (R9.6), in the order of the rows `bonus_*`."""

BONUS_POINTS: Final = (50, 50, 30, 30, 10)
"""What each of `BONUSES` is worth (R9.6)."""

GAME: Final = (
    "end",
    "turns",
    "growth_turn",
    "ring_turn",
    "star_turn",
    "recycle_turn",
    "handoff_turn",
    "piles",
    "recycles",
    "decisions_free",
    "decisions_after_draw",
    "decisions_penalty",
    "actions_free",
    "actions_after_draw",
    "actions_penalty",
    "forced_free",
    "forced_after_draw",
    "forced_penalty",
    "streak_penalties",
    "set_penalties",
    "max_streak_penalty",
    "max_set_penalty",
    "first_out",
    "bonus_single",
    "bonus_star",
    "bonus_no_growth",
    "bonus_no_shield",
    "bonus_no_recycle",
)
"""Rows of a game as a whole."""

SEAT: Final = (
    "same",
    "under_joker",
    "sum",
    "difference",
    "product",
    "quotient",
    "line",
    "ring",
    "star",
    "passes",
    "stops",
    "drawn_pass",
    "drawn_penalty",
    "penalties",
    "streak_suffered",
    "set_suffered",
    "avoided",
    "handoffs",
    "received",
    "handoff_chances",
    "jokers_played",
    "cards_played",
    "finish",
    "finish_size",
    "out_turn",
    "place",
    "score",
    "left",
)
"""Rows of one seat."""

N_GAME: Final = len(GAME)
N_SEAT: Final = len(SEAT)


def n_columns(players: int) -> int:
    """Return how many integers are kept of a game of `players` players."""
    return N_GAME + players * N_SEAT


def game(name: str) -> int:
    """Return the row of a name of `GAME`."""
    return GAME.index(name)


def seat(name: str, seat: int) -> int:
    """Return the row of a name of `SEAT` for one seat, counted from 0."""
    return N_GAME + seat * N_SEAT + SEAT.index(name)
