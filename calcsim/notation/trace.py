"""Traces of games by number, as traces write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from calcsim.errors import PolicyError
from calcsim.rules import RuleSet


def trace_events(rules: RuleSet, policies: Sequence[str], seed: int, game: int) -> list[dict[str, Any]]:
    """Play one game and return its events, from the `game` line to the `end` line.

    Parameters
    ----------
    rules
        The rule set.
    policies
        The name of the policy at each seat.
    seed, game
        Which game.

    Raises
    ------
    UsageError
        If the rules do not seat so many, or a policy is unknown.
    PolicyError
        If a player fails; its `log` then holds the events up to there.
    """
    from calcsim.engine import driver
    from calcsim.notation.actions import decode, end_event

    cell = driver.prepare(rules, len(policies), policies)
    head = {
        "event": "game",
        "rules": rules.as_dict(),
        "players": cell.players,
        "policies": list(cell.policies),
        "seed": seed,
        "game": game,
        "fingerprint": rules.fingerprint,
    }
    try:
        log, counts = driver.log_game(cell, seed, game)
    except PolicyError as error:
        error.log = [head, *decode(error.log)]
        raise
    return [head, *decode(log), end_event(counts, cell.players)]
