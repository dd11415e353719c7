"""A block of finished games, read by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from calcsim.engine import columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int32]
    Bools: TypeAlias = NDArray[np.bool_]


WHOLE: Final = 60
"""A win in whole parts, so that 2 to 6 can share it without rounding."""


class Block:
    """Finished games as arrays, one number per game (and seat).

    Nothing is copied: what a block returns is valid as long as the array it was made from.

    Parameters
    ----------
    out
        As the engine writes it (`calcsim.engine.columns`): int32, shape (columns, games).
    players
        Seats of each game.
    """

    def __init__(self, out: Ints, players: int) -> None:
        self.players = players
        self.games = out.shape[1]
        self._game = out[: columns.N_GAME]
        self._seats = out[columns.N_GAME :].reshape(players, columns.N_SEAT, self.games)
        self._totals: dict[str, Ints] = {}
        self._places: list[Bools] | None = None
        self._first_finish: dict[str, Ints] = {}

    def game(self, name: str) -> Ints:
        """Return the row `name` of `columns.GAME`, shape (games,)."""
        row: Ints = self._game[_GAME_ROWS[name]]
        return row

    def seat(self, name: str) -> Ints:
        """Return the rows `name` of `columns.SEAT` for all seats, shape (players, games)."""
        return self._seats[:, _SEAT_ROWS[name]]

    def constant(self, value: int) -> Ints:
        """Return the same number for each game, shape (games,)."""
        row: Ints = self._game[0].copy()
        row.fill(value)
        return row

    def total(self, name: str) -> Ints:
        """Return the sum of `seat(name)` over the seats, shape (games,)."""
        found = self._totals.get(name)
        if found is None:
            # int32, or numpy would convert every row to int64 first.
            total: Ints = self.seat(name).sum(axis=0, dtype="int32")
            found = self._totals[name] = total
        return found

    def has_place(self, place: int) -> Bools:
        """Return which seats have a place (1, 2, …), shape (players, games)."""
        if self._places is None:
            rows = self.seat("place")
            self._places = [rows == p for p in range(1, self.players + 1)]
        return self._places[place - 1]

    def first_winners(self) -> Ints:
        """Return how many seats share place 1, shape (games,)."""
        total: Ints = self.has_place(1).view("int8").sum(axis=0, dtype="int8")
        return total

    def win_parts(self) -> NDArray[np.int64]:
        """Return what each seat gets of `WHOLE` for place 1, split if shared, shape (players, games)."""
        parts: NDArray[np.int64] = WHOLE // self.first_winners().clip(1).astype("int64") * self.has_place(1)
        return parts

    def of_first_out(self, name: str) -> Ints:
        """Return `seat(name)` of the first player out, 0 where nobody went out, shape (games,)."""
        found = self._first_finish.get(name)
        if found is None:
            first = self.game("first_out")
            rows = self.seat(name)
            found = (first == 0) * rows[0]
            for seat in range(1, self.players):
                found += (first == seat) * rows[seat]
            self._first_finish[name] = found
        return found


_GAME_ROWS = {name: row for row, name in enumerate(columns.GAME)}
_SEAT_ROWS = {name: row for row, name in enumerate(columns.SEAT)}
