"""How many games a design takes, and from games played just now, for how long."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from calcsim.engine import driver
    from calcsim.experiments.plan import Design, PlanCell

SECONDS: Final = 0.3
"""Time that the games of each number of players and line-up are played for."""

_VARIANTS: Final = 3
"""Variants that this time is shared between: rules change how long games are."""

_COURSES: Final = 200
"""Deals whose course is followed to time that."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a design takes.

    Attributes
    ----------
    cells
        Variants in groups.
    games, seconds
        Of the deals that are counted, without taking up what a store holds.
    course_games, course_seconds
        Of those whose course is followed; 0 where no metric needs it.
    luck_games, luck_seconds
        Of those that are replayed for the luck of the deal; 0 where no metric needs it.
    """

    cells: int
    games: int
    seconds: float
    course_games: int
    course_seconds: float
    luck_games: int
    luck_seconds: float


def forecast(design: Design, *, threads: int = 0, seconds: float = SECONDS) -> Forecast:
    """Return what a design takes on this machine.

    Parameters
    ----------
    design
        What would be played.
    threads
        How many threads; 0 for one a core.
    seconds
        How long to play for each number of players and line-up.
    """
    alike: dict[tuple[str, ...], list[PlanCell]] = {}
    cells = design.cells()
    for cell in cells:
        alike.setdefault(cell.line_up, []).append(cell)
    needs = design.needs
    games = course_games = luck_games = 0
    wall = course_wall = luck_wall = 0.0
    for same in alike.values():
        seatings = sum(len(cell.seatings) for cell in same)
        each = _seconds_a_game(same, design.seed, threads, seconds)
        games += design.deals * seatings
        wall += design.deals * seatings * each
        if "flow" in needs:
            course_games += design.flow_deals * seatings
            course_wall += design.flow_deals * seatings * _seconds_a_course(same[0], design.seed)
        if "luck" in needs:
            replayed = design.luck.deals * design.luck.replays * seatings
            luck_games += replayed
            luck_wall += replayed * each
    return Forecast(len(cells), games, wall, course_games, course_wall, luck_games, luck_wall)


def _seconds_a_game(cells: list[PlanCell], seed: int, threads: int, seconds: float) -> float:
    """Return the mean over some variants of the time that one game takes, all threads playing."""
    import os

    from calcsim.engine import columns, driver

    step = -(-len(cells) // _VARIANTS)
    chosen = cells[::step]
    batch = columns.BLOCK * (threads or os.cpu_count() or 1)
    total = 0.0
    for planned in chosen:
        cell = driver.prepare(planned.rules, planned.players, planned.line_up)
        _play(cell, seed, columns.BLOCK, threads)  # compiled and warm
        played, began = 0, time.perf_counter()
        while played == 0 or time.perf_counter() - began < seconds / len(chosen):
            _play(cell, seed, batch, threads)
            played += batch
        total += (time.perf_counter() - began) / played
    return total / len(chosen)


def _play(cell: driver.Cell, seed: int, games: int, threads: int) -> None:
    from calcsim.engine import driver

    for _ in driver.blocks(cell, seed=seed, games=games, threads=threads, map=lambda first, out: None):
        pass


def _seconds_a_course(planned: PlanCell, seed: int) -> float:
    from calcsim.engine import driver
    from calcsim.experiments.flow import measure_flow

    cell = driver.prepare(planned.rules, planned.players, planned.line_up)
    measure_flow(cell, seed=seed, deals=2)  # compiled and warm
    began = time.perf_counter()
    measure_flow(cell, seed=seed, deals=_COURSES)
    return (time.perf_counter() - began) / _COURSES
