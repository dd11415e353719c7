"""The two implementations of the game behind one interface, so that one test asks both."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests import reference

Game = list[dict[str, Any]]


@dataclass(frozen=True)
class Implementation:
    """One implementation: a table, the legal actions of a position, and whole games of its own."""

    name: str
    table: Callable[..., Any]
    legal_actions: Callable[[dict[str, Any]], list[dict[str, Any]]]
    games: Callable[..., list[Game]]
    """(preset, *changes, players, policy, games, seed): all lines of that many games."""


@cache
def reference_games(
    preset: str, *changes: str, players: int, policy: str, games: int, seed: int
) -> list[Game]:
    """Games that the reference deals and plays."""
    rules = reference.complete({"preset": preset} | dict(map(change_of, changes)))
    played = []
    for game in range(games):
        rng = random.Random(f"{seed} {game}")
        dealt = reference.deal(rules, players, rng)
        table = reference.Table(rules, players, **dealt, shuffle_seed=rng.getrandbits(32))
        head = {"event": "game", "rules": rules, "players": players, "policies": [policy] * players}
        events = reference.play(table, [policy] * players, rng)
        played.append([head | {"seed": seed, "game": game}, {"event": "deal"} | dealt, *events])
    return played


def change_of(change: str) -> tuple[str, Any]:
    """Read a change of a rule set as the command line takes it."""
    name, value = change.split("=")
    return name, {"on": True, "off": False}.get(value, int(value) if value.isdigit() else value)


def engine_table(*args: Any, **keys: Any) -> Any:
    """A table of the engine."""
    from calcsim.notation.table import Table

    return Table(*args, **keys)


def engine_legal_actions(position: dict[str, Any]) -> list[dict[str, Any]]:
    """The legal actions of a position by the engine."""
    from calcsim.notation.table import legal_actions

    return legal_actions(position)


def command(*arguments: str) -> str:
    """What a calcsim command prints."""
    from calcsim.cli.main import main

    printed, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
        status = main(arguments)
    gc.unfreeze()  # `main` freezes what it leaves, as a process about to end may
    assert status == 0, said.getvalue()
    return printed.getvalue()


def cell_arguments(
    preset: str, *changes: str, players: int, policy: str, games: int, seed: int
) -> tuple[str, ...]:
    """The command line options that name a cell of games."""
    sets = [part for change in changes for part in ("--set", change)]
    numbers = ("--players", str(players), "--games", str(games), "--seed", str(seed))
    return ("--rules", preset, *sets, *numbers, "--policy", policy)


@cache
def engine_games(preset: str, *changes: str, **cell: Any) -> list[Game]:
    """Games that the engine deals and plays, as `calcsim trace` writes them."""
    lines = command("trace", *cell_arguments(preset, *changes, **cell)).splitlines()
    games: list[Game] = []
    for event in map(json.loads, lines):
        if event["event"] == "game":
            games.append([])
        games[-1].append(event)
    return games


IMPLEMENTATIONS = {
    "reference": Implementation("reference", reference.Table, reference.legal_actions, reference_games),
    "engine": Implementation("engine", engine_table, engine_legal_actions, engine_games),
}
