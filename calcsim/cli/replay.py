"""``calcsim replay``: a game for people to read, played anew or out of a trace file."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import typer

from calcsim.cli.common import (
    DEFAULT_PLAYERS,
    DEFAULT_RULES,
    DEFAULT_SEED,
    MOST_GAMES,
    JsonOption,
    PlayersOption,
    PolicyOption,
    RulesOption,
    SeedOption,
    SetOption,
    line_up,
    parse_whole,
    write_json,
    write_text,
)
from calcsim.cli.compiling import announce
from calcsim.errors import PolicyError, UsageError
from calcsim.notation.reading import read_name
from calcsim.notation.render import MIN_WIDTH, render
from calcsim.notation.tracefile import RecordedGame, read_games
from calcsim.rules import RuleSet, load_rules

WIDTH = 80
"""Longest line, however wide the terminal is: sentences are hard to follow in longer ones."""

COLOURS = ("auto", "always", "never")

_PLAYING_OPTIONS = ("rules", "changes", "players", "policies", "seed")


def replay(
    context: typer.Context,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE", help="A trace: JSON Lines, '-' is stdin. Without it a game is played."
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            "--game", metavar="N", help="Which game, from 0: of the run, or in the file (all of it)."
        ),
    ] = None,
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    players: PlayersOption = DEFAULT_PLAYERS,
    policies: PolicyOption = None,
    seed: SeedOption = DEFAULT_SEED,
    colour: Annotated[
        str, typer.Option("--colour", "--color", metavar="WHEN", help="auto, always or never.")
    ] = "auto",
    as_json: JsonOption = False,
) -> None:
    """Show a game move by move: the field drawn, the hands, what was played and why it was legal."""
    read_name(colour, "--colour", COLOURS)
    number = None if game is None else parse_whole(game, "--game", 0, MOST_GAMES)
    if file is not None:
        _refuse_playing_options(context)
        games: Iterable[RecordedGame] = _pick(file, number)
    elif number is None:
        raise UsageError("which game? give --game N, or the trace file that holds it")
    else:
        rule_set = load_rules(rules, changes or ())
        rule_set.validate_players(players)
        games = _play(rule_set, line_up(policies, players), seed, number)
    terminal = sys.stdout.isatty()
    width = max(MIN_WIDTH, min(WIDTH, shutil.get_terminal_size().columns)) if terminal else WIDTH
    for idx, recorded in enumerate(games):
        if as_json:
            for event in recorded.events:
                write_json(event)
            continue
        if idx:
            write_text("\n")
        told = render(
            recorded.events,
            width=width,
            colour=wants_colour(colour, terminal),
            source=recorded.source,
            lines=recorded.lines,
        )
        for line in told:
            write_text(line)


def _refuse_playing_options(context: typer.Context) -> None:
    for name in _PLAYING_OPTIONS:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = next(param.opts[0] for param in context.command.params if param.name == name)
            raise UsageError(
                f"{option} with a trace file: the file says how its games were played; leave it out"
            )


def _pick(path: str, number: int | None) -> Iterator[RecordedGame]:
    """Yield all games of a trace file, or the one of that number."""
    games = read_games(path)
    if number is None:
        yield from games
        return
    seen = 0
    for recorded in itertools.islice(games, number + 1):
        if seen == number:
            yield recorded
            return
        seen += 1
    held = "one game, number 0" if seen == 1 else f"{seen} games, numbers 0 to {seen - 1}"
    raise UsageError(f"--game {number}: {path!r} holds {held}")


def wants_colour(colour: str, terminal: bool) -> bool:
    """Return whether to colour what is printed: ``auto`` does on a terminal, unless NO_COLOR is set."""
    if colour == "auto":
        return terminal and not os.environ.get("NO_COLOR")
    return colour == "always"


def _play(rules: RuleSet, policies: Sequence[str], seed: int, number: int) -> Iterator[RecordedGame]:
    """Yield the one game of that number of a run."""
    announce(policies)
    # The engine takes a second to load; a mistake in the options need not wait for it.
    from calcsim.notation.trace import trace_events

    source = f"game {number}"
    try:
        events = trace_events(rules, policies, seed, number)
    except PolicyError as error:
        # What led to the failure is what one wants to see before it.
        if error.log:
            yield RecordedGame(error.log, source, list(range(1, len(error.log) + 1)))
        raise
    yield RecordedGame(events, source, list(range(1, len(events) + 1)))
