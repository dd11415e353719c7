"""What each kind of study of strategies takes, checks and plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from calcsim.errors import UsageError
from calcsim.experiments.plan import Fault
from calcsim.experiments.strategies.design import KINDS, StrategyCell, StrategyDesign

if TYPE_CHECKING:
    from calcsim.rules import RuleSet

SECONDS: Final = 0.1
"""Time that games of each policy are played for to tell how long a table takes."""

Progress = Callable[[int], None]


def entrants(kind: str, policies: Sequence[str], hero: str | None) -> tuple[str, ...]:
    """Return the policies that play, checked; a gauntlet's hero is the first.

    Raises
    ------
    UsageError
        If they are too few or too many, unknown, or not of the kind.
    """
    from calcsim.experiments import restricted, tournament
    from calcsim.experiments.tables import different

    if kind == "tournament":
        return tuple(tournament.entrants(policies, hero))
    if kind == "restricted":
        restricted.check_policies(policies)
    return different(policies, KINDS[kind].least)


def check_table(design: StrategyDesign, rules: RuleSet, players: int) -> None:
    """Refuse a table that cannot be played.

    Raises
    ------
    UsageError
        If the rules do not seat so many, or there would be too many line-ups.
    """
    from calcsim.experiments import metagame, tournament

    rules.validate_players(players)
    if design.kind == "tournament":
        tournament.seated(rules, players, len(design.policies), design.hero is not None)
    elif design.kind == "metagame":
        metagame.line_ups_of(design.policies, players)


def faults_of_tables(design: StrategyDesign) -> list[Fault]:
    """Return which tables cannot be played, and why."""
    faults = []
    for place in design.places:
        try:
            check_table(design, place.rules, place.players)
        except UsageError as error:
            faults.append(Fault(("players",), f"{place.rules.label}: {error}"))
    return faults


def table_games(design: StrategyDesign, cell: StrategyCell) -> int:
    """Return how many games a table takes."""
    from calcsim.experiments import metagame, restricted, skill, tables, tournament

    players, deals, n = cell.place.players, cell.deals, len(design.policies)
    if design.kind == "tournament":
        return deals * tournament.seated(cell.place.rules, players, n, design.hero is not None)
    if design.kind == "metagame":
        return tables.games_of(metagame.line_ups_of(design.policies, players)[1], deals)
    if design.kind == "restricted":
        return deals * restricted.games_per_deal([players], n, len(design.forbid))
    return skill.games_of(1, n, [players], deals)


def total_games(design: StrategyDesign) -> int:
    """Return how many games all tables take."""
    return sum(table_games(design, cell) for cell in design.cells())


def play(design: StrategyDesign, cell: StrategyCell, threads: int, progress: Progress) -> Any:
    """Play a table, and return what the command of its kind finds.

    Raises
    ------
    PolicyError
        If a policy fails.
    """
    from calcsim.experiments.metagame import metagame
    from calcsim.experiments.restricted import restricted_play
    from calcsim.experiments.skill import skill_and_luck
    from calcsim.experiments.tournament import tournament

    rules, players, names = cell.place.rules, cell.place.players, cell.line_up
    common: dict[str, Any] = {
        "deals": cell.deals,
        "level": design.level,
        "seed": design.seed,
        "threads": threads,
        "progress": progress,
    }
    if design.kind == "tournament":
        hero = None if design.hero is None else names[0]
        return tournament(names, rules, players=players, hero=hero, **common)
    common["margin"] = design.margin
    if design.kind == "metagame":
        return metagame(rules, players, names, **common)
    if design.kind == "restricted":
        return restricted_play(rules, [players], names, design.forbid, **common)
    return skill_and_luck([rules], [players], names, **common)


def seconds(design: StrategyDesign, threads: int = 0, each: float = SECONDS) -> float:
    """Return about how long all tables take, from games of each policy among itself played just now."""
    import os

    # A game costs what its players cost, and each policy has about as many of the seats as any other.
    total = 0.0
    for cell in design.cells():
        paces = [_pace(cell, name, design.seed, each) for name in cell.line_up]
        total += table_games(design, cell) * sum(paces) / len(paces)
    return total / (threads or os.cpu_count() or 1)


def _pace(cell: StrategyCell, name: str, seed: int, each: float) -> float:
    """Return how long a game takes in one thread if all play one policy."""
    import time

    from calcsim.engine import columns, driver

    table = driver.prepare(cell.place.rules, cell.place.players, [name])

    def games(number: int) -> float:
        began = time.perf_counter()
        blocks = driver.blocks(table, seed=seed, games=number, threads=1, map=lambda first, out: None)
        for _ in blocks:
            pass
        return time.perf_counter() - began

    games(1)  # compiled and warm
    number, took = 2, games(2)
    while took < each and number < columns.BLOCK:
        number = min(4 * number, columns.BLOCK)
        took = games(number)
    return took / number
