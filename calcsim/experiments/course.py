"""The course of games: the position after every turn, read off logs, and what it says about who leads.

The course is that of the contest for place 1: it ends with the turn in which the first player goes out, or
with the game. So everybody is in at every position of it but the last, and its outcome is known there.

A win probability is looked up in a table of coarse positions, `visits` and `wins` of each, where every deal
is judged by what was counted in the deals of the other parity.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from calcsim.engine import events
from calcsim.engine import layout as at
from calcsim.engine._jit import door, kernel

# A position as a row of bytes: hand sizes by seat, who is next, whether under a penalty, the stock.
NEXT: Final = at.SEATS
OWED: Final = at.SEATS + 1
STOCK: Final = at.SEATS + 2
WIDTH: Final = at.SEATS + 3

CAP: Final = 10
"""Larger hands count as this."""

STAGES: Final = 4
"""How far the stock is from its end, see `stage_of`; one stage alone unless the game ends with the stock."""

SIZE_TABLE: Final = at.SEATS * STAGES * 2 * at.SEATS * (at.SEATS - 1) * CAP * CAP
"""Coarse positions: policy, stage, penalty, turns to wait, opponents with the smallest hand, both hands."""

SHARE: Final = 60
"""A win in parts, so that any number of winners up to six share it evenly."""

BINS: Final = 20
"""Equal steps of the win probability in which its calibration is judged."""

# What is measured of a course, by row.
CHANGES: Final = 0
CHANGES_V: Final = 1
CHANGE_RATE: Final = 2
CHANGE_RATE_V: Final = 3
BEHIND: Final = 4
BEHIND_V: Final = 5
COMEBACK: Final = 6
COMEBACK_V: Final = 7
DRAMA: Final = 8
LOCK: Final = 9
LOCK_V: Final = 10
UNCERTAINTY: Final = 11
N_VALUES: Final = 12

NAMES: Final = (
    "lead_changes",
    "lead_changes.v",
    "lead_changes_per_turn",
    "lead_changes_per_turn.v",
    "behind",
    "behind.v",
    "comeback",
    "comeback.v",
    "drama",
    "lock_in",
    "lock_in.v",
    "uncertainty",
)
"""Names of the rows, as in `calcsim.stats.special`."""


@kernel
def stage_of(stock: int, players: int, stages: int) -> int:
    """Return how far the stock lasts: less than one card each, two, four, or more."""
    if stages == 1 or stock < players:
        return 0
    if stock < 2 * players:
        return 1
    return 2 if stock < 4 * players else 3


@kernel
def put_row(sizes: Any, players: int, seat: int, owed: int, stock: int, rows: Any, row: int) -> None:
    """Write down the position after a turn of `seat`."""
    for other in range(players):
        rows[row, other] = sizes[other]
    rows[row, NEXT] = (seat + 1) % players
    rows[row, OWED] = owed
    rows[row, STOCK] = stock


@door
def follow(
    log: NDArray[np.int64],
    streak_penalty: int,
    set_penalty: int,
    rows: NDArray[np.uint8],
    ends: NDArray[np.int64],
    start: int,
) -> int:
    """Write down the position after every turn of some games, until place 1 is decided.

    Parameters
    ----------
    log : int64[::1], see `calcsim.engine.events`
        Whole games, one after the other.
    streak_penalty, set_penalty : int
        Of the rules (R6.2, R6.3).
    rows : uint8[:, ::1], shape (any, WIDTH)
        Modified in place from `start` on; there is room for all turns of the games.
    ends : int64[::1], shape (games,)
        Modified in place: where each game's positions end.
    start : int
        Where to begin.

    Returns
    -------
    end : int
        Where the last game's positions end.
    """
    players = log[1]
    sizes = np.zeros(at.SEATS, dtype=np.int64)
    row = start
    game = -1
    mover = 0
    owed = 0
    stock = 0
    complete = False  # whether the turn is over, but for what follows from it
    decided = True
    i = 0
    while i < log.size:
        code = log[i]
        if code == events.TURNED:
            i += 3
        elif code == events.RECYCLED:
            stock = log[i + 1]
            i += 2 + stock
        elif code == events.WENT_OUT:
            if not decided:
                put_row(sizes, players, mover, owed, stock, rows, row)
                row += 1
            decided = True
            i += 4
        elif code == events.DREW:
            n = log[i + 3]
            sizes[log[i + 1]] += n
            stock -= n
            complete = complete or log[i + 2] == 1
            i += 4 + n
        else:  # it begins a turn, or ends one that a pass has begun
            if not decided and (complete or code == events.DEAL):
                put_row(sizes, players, mover, owed, stock, rows, row)
                row += 1
            complete = False
            owed = 0
            mover = log[i + 1]
            if code == events.DEAL:
                if game >= 0:
                    ends[game] = row
                game += 1
                decided = False
                i += 2
                for seat in range(players):
                    sizes[seat] = 0
                    hand = log[i]
                    while hand:
                        sizes[seat] += hand & 15
                        hand >>= 4
                    i += 1
                i += 1 + log[i]
                stock = log[i]
                i += 1 + stock
            elif code == events.PLAYED or code == events.GREW:
                streak = log[i + 4]
                n = log[i + 5] if code == events.PLAYED else 1
                sizes[mover] -= n
                owed = int((streak >= 3 and streak_penalty > 0) or (n >= 3 and set_penalty > 0))
                complete = True
                i += 6 + n if code == events.PLAYED else 5
            elif code == events.HANDED:
                sizes[mover] -= 1
                sizes[log[i + 2]] += 1
                complete = True
                i += 5
            elif code == events.STOPPED:
                complete = True
                i += 2
            elif code == events.PASSED:
                i += 2
            else:  # PENALIZED, over with the draw
                i += 6
    if not decided:
        put_row(sizes, players, mover, owed, stock, rows, row)
        row += 1
    ends[game] = row
    return row


@kernel
def code_positions(row: Any, players: int, stages: int, policies: Any, codes: Any) -> None:
    """Write the coarse position of each seat into `codes`."""
    stage = stage_of(int(row[STOCK]), players, stages)
    for seat in range(players):
        least = 255
        n_least = 0
        for other in range(players):
            if other != seat:
                size = int(row[other])
                if size < least:
                    least = size
                    n_least = 0
                n_least += int(size == least)
        wait = (seat - int(row[NEXT])) % players
        code = policies[seat] * STAGES + stage
        code = code * 2 + int(row[OWED])
        code = code * at.SEATS + wait
        code = code * (at.SEATS - 1) + n_least - 1
        code = code * CAP + min(least, CAP) - 1
        codes[seat] = code * CAP + min(int(row[seat]), CAP) - 1


@kernel
def n_ones(bits: int) -> int:
    """Return how many bits are set."""
    n = 0
    while bits:
        n += bits & 1
        bits >>= 1
    return n


@door
def count_courses(
    rows: NDArray[np.uint8],
    ends: NDArray[np.int64],
    winners: NDArray[np.int64],
    first: int,
    players: int,
    stages: int,
    policies: NDArray[np.int64],
    visits: NDArray[np.int64],
    wins: NDArray[np.int64],
) -> None:
    """Count visits and wins of coarse positions, by parity of the deal.

    Parameters
    ----------
    rows : uint8[:, ::1], shape (turns, WIDTH)
        The positions of all games, one after the other. Read only, as are all but the last two.
    ends : int64[::1], shape (games,)
        Where each game's positions end.
    winners : int64[::1], shape (games,)
        A bit for each seat with place 1.
    first : int
        The first deal.
    players, stages : int
        Seats; `STAGES` if the stock's end is the game's, else 1.
    policies : int64[::1], shape (players,)
        Which policy sits at each seat, counted from 0.
    visits, wins : int64[:, ::1], shape (2, SIZE_TABLE)
        Modified in place; wins in parts of `SHARE`.
    """
    codes = np.zeros(at.SEATS, dtype=np.int64)
    start = 0
    for game in range(ends.size):
        half = (first + game) & 1
        part = SHARE // n_ones(winners[game])
        for row in range(start, ends[game] - 1):
            code_positions(rows[row], players, stages, policies, codes)
            for seat in range(players):
                visits[half, codes[seat]] += 1
                wins[half, codes[seat]] += part * ((winners[game] >> seat) & 1)
        start = ends[game]


@kernel
def leaders_by_cards(row: Any, players: int) -> int:
    """Return a bit for each seat with the fewest cards."""
    least = int(row[0])
    for seat in range(1, players):
        least = min(least, int(row[seat]))
    leaders = 0
    for seat in range(players):
        leaders |= int(row[seat] == least) << seat
    return leaders


@kernel
def trailers_by_cards(row: Any, players: int) -> int:
    """Return a bit for each seat with the most cards, none if all hold as many."""
    most = int(row[0])
    least = int(row[0])
    for seat in range(1, players):
        most = max(most, int(row[seat]))
        least = min(least, int(row[seat]))
    trailers = 0
    if least < most:
        for seat in range(players):
            trailers |= int(row[seat] == most) << seat
    return trailers


@kernel
def leaders_by_chance(chances: Any, players: int) -> int:
    """Return a bit for each seat with the highest win probability."""
    most = chances[0]
    for seat in range(1, players):
        most = max(most, chances[seat])
    leaders = 0
    for seat in range(players):
        leaders |= int(chances[seat] == most) << seat
    return leaders


@kernel
def note_leaders(leaders: int, winners: int, turn: int, account: Any) -> None:
    """Note who leads after a turn.

    Parameters
    ----------
    leaders, winners : int
        A bit for each seat.
    turn : int
        Counted from 1.
    account : int64[::1], shape (4,)
        Modified in place: changes of the lead, how often a winner did not lead (each winner counts), the
        turn since which just the winners lead, who led before.
    """
    if turn > 1:
        account[0] += int(leaders != account[3])
    account[1] += n_ones(winners & ~leaders)
    if leaders == winners and (turn == 1 or account[3] != winners):
        account[2] = turn
    account[3] = leaders


@door
def measure_cards(
    rows: NDArray[np.uint8],
    ends: NDArray[np.int64],
    winners: NDArray[np.int64],
    players: int,
    values: NDArray[np.float64],
) -> None:
    """Measure courses by who has the fewest cards.

    Parameters
    ----------
    rows, ends, winners, players
        As for `count_courses`. Read only.
    values : float64[:, ::1], shape (N_VALUES, games)
        Modified in place: of each game the rows of `NAMES` without a ``.v`` that need no chances.
    """
    account = np.zeros(4, dtype=np.int64)
    start = 0
    for game in range(ends.size):
        won = winners[game]
        n_won = n_ones(won)
        turns = ends[game] - start
        account[:] = 0
        for t in range(1, turns):
            note_leaders(leaders_by_cards(rows[start + t - 1], players), won, t, account)
        note_leaders(won, won, turns, account)
        half = rows[start + (turns + 1) // 2 - 1]
        values[CHANGES, game] = account[0]
        values[CHANGE_RATE, game] = account[0] / turns
        values[BEHIND, game] = account[1] / (n_won * turns)
        values[LOCK, game] = account[2] / turns
        values[COMEBACK, game] = n_ones(won & trailers_by_cards(half, players)) / n_won
        start = ends[game]


@door
def measure_chances(
    rows: NDArray[np.uint8],
    ends: NDArray[np.int64],
    winners: NDArray[np.int64],
    first: int,
    players: int,
    stages: int,
    policies: NDArray[np.int64],
    table: NDArray[np.float64],
    values: NDArray[np.float64],
    seen: NDArray[np.int64],
    predicted: NDArray[np.float64],
    misses: NDArray[np.float64],
) -> None:
    """Measure courses by win probabilities, each by the table of the deals of the other parity.

    Parameters
    ----------
    rows, ends, winners, first, players, stages, policies
        As for `count_courses`. Read only.
    table : float64[:, ::1], shape (2, SIZE_TABLE)
        The share of wins of each coarse position, by parity of the deals. Read only.
    values : float64[:, ::1], shape (N_VALUES, games)
        Modified in place: of each game the rows of `NAMES` that `measure_cards` leaves.
    seen : int64[:, ::1], shape (2, BINS)
        Modified in place: predictions, and wins in parts of `SHARE`, by size of the prediction.
    predicted : float64[::1], shape (BINS,)
        Modified in place: sum of the predictions.
    misses : float64[::1], shape (2,)
        Modified in place: squared errors of the predictions, and of the fair share.
    """
    codes = np.zeros(at.SEATS, dtype=np.int64)
    chances = np.zeros(at.SEATS, dtype=np.float64)
    account = np.zeros(4, dtype=np.int64)
    fair = 1 / players
    start = 0
    for game in range(ends.size):
        won = winners[game]
        n_won = n_ones(won)
        part = SHARE // n_won
        other = 1 - ((first + game) & 1)
        turns = ends[game] - start
        account[:] = 0
        low = 0  # a bit for each winner who was nearly lost
        gap = 0.0
        entropy = 0.0
        for t in range(1, turns):
            row = rows[start + t - 1]
            code_positions(row, players, stages, policies, codes)
            total = 0.0
            for seat in range(players):
                chances[seat] = table[other, codes[seat]]
                total += chances[seat]
            note_leaders(leaders_by_chance(chances, players), won, t, account)
            most = 0.0
            for seat in range(players):
                most = max(most, chances[seat])
            for seat in range(players):
                chance = chances[seat] / total
                entropy -= chance * np.log(chance)
                credit = part * ((won >> seat) & 1)
                if credit:
                    gap += (most - chances[seat]) / total / n_won
                    if t >= players and chance < fair / 2:
                        low |= 1 << seat
                step = min(int(chance * BINS), BINS - 1)
                seen[0, step] += 1
                seen[1, step] += credit
                predicted[step] += chance
                misses[0] += (chance - credit / SHARE) ** 2
                misses[1] += (fair - credit / SHARE) ** 2
        note_leaders(won, won, turns, account)
        values[CHANGES_V, game] = account[0]
        values[CHANGE_RATE_V, game] = account[0] / turns
        values[BEHIND_V, game] = account[1] / (n_won * turns)
        values[LOCK_V, game] = account[2] / turns
        values[COMEBACK_V, game] = n_ones(low) / n_won
        values[DRAMA, game] = gap / turns
        values[UNCERTAINTY, game] = entropy / np.log(players) / turns
        start = ends[game]
