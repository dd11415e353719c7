"""Traces of games by number, as traces write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from calcsim.errors import PolicyError
from calcsim.rules import RuleSet


def trace_events(rules: RuleSet, policies: Sequence[str], seed: int, game: int) -> list[dict[str, Any]]:
    """Play one game and return its events; see `trace_games`."""
    return next(trace_games(rules, policies, seed, [game]))


def trace_games(
    rules: RuleSet, policies: Sequence[str], seed: int, games: Iterable[int]
) -> Iterator[list[dict[str, Any]]]:
    """Play games and yield the events of each, from the `game` line to the `end` line.

    Parameters
    ----------
    rules
        The rule set.
    policies
        The name of the policy at each seat.
    seed, games
        Which games, by number.

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
    recorder = driver.Recorder(cell)
    source = {
        "event": "game",
        "rules": rules.as_dict(),
        "players": cell.players,
        "policies": list(cell.policies),
        "seed": seed,
        "fingerprint": rules.fingerprint,
    }
    for game in games:
        head = source | {"game": game}
        try:
            log, counts = recorder.record(seed, game)
        except PolicyError as error:
            error.log = [head, *decode(error.log)]
            raise
        yield [head, *decode(log), end_event(counts, cell.players)]
