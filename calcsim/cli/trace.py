"""``calcsim trace``: games by number, as JSON Lines."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from calcsim.cli.common import (
    DEFAULT_PLAYERS,
    DEFAULT_RULES,
    DEFAULT_SEED,
    DEFAULT_THREADS,
    MOST_GAMES,
    GamesOption,
    PlayersOption,
    PolicyOption,
    RulesOption,
    SeedOption,
    SetOption,
    ThreadsOption,
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
    threads: ThreadsOption = DEFAULT_THREADS,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, as it does anyway.")] = True,
) -> None:
    """Print games as JSON Lines: every deal, play, growth, hand-off, draw and penalty.

    One thread plays them, whatever is asked for: writing takes longer than playing.
    """
    start = parse_whole(first, "--game", 0, MOST_GAMES)
    rule_set = load_rules(rules, changes or ())
    rule_set.validate_players(players)
    names = line_up(policies, players)
    announce(names)
    from calcsim.notation.trace import trace_games

    for events in trace_games(rule_set, names, seed, range(start, start + games)):
        for event in events:
            write_text(json.dumps(event, ensure_ascii=False))
