"""``calcsim trace``: games by number, as JSON Lines."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from calcsim.cli.common import (
    DEFAULT_PLAYERS,
    DEFAULT_RULES,
    DEFAULT_SEED,
    MOST_GAMES,
    GamesOption,
    PlayersOption,
    PolicyOption,
    RulesOption,
    SeedOption,
    SetOption,
    line_up,
    parse_whole,
    write_text,
)
from calcsim.cli.compiling import announce
from calcsim.rules import load_rules


def trace(
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    players: PlayersOption = DEFAULT_PLAYERS,
    policies: PolicyOption = None,
    games: GamesOption = 1,
    first: Annotated[
        str, typer.Option("--game", metavar="N", help="Number of the first game, from 0.")
    ] = "0",
    seed: SeedOption = DEFAULT_SEED,
) -> None:
    """Print games as JSON Lines: every deal, play, growth, hand-off, draw and penalty."""
    start = parse_whole(first, "--game", 0, MOST_GAMES)
    rule_set = load_rules(rules, changes or ())
    rule_set.validate_players(players)
    names = line_up(policies, players)
    announce(names)
    from calcsim.notation.trace import trace_events

    for game in range(start, start + games):
        for event in trace_events(rule_set, names, seed, game):
            write_text(json.dumps(event, ensure_ascii=False))
