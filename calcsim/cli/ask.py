"""``calcsim ask``: in what share of games does something happen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import typer

from calcsim.cli.common import (
    DEFAULT_GAMES,
    DEFAULT_PLAYERS,
    DEFAULT_POLICY,
    DEFAULT_RULES,
    DEFAULT_SEED,
    DEFAULT_THREADS,
    MOST_GAMES,
    CsvOption,
    JsonOption,
    PlayersListOption,
    SeedOption,
    ThreadsOption,
    output_format,
    parse_players,
    parse_whole,
    policies_label,
    say,
    write_csv,
    write_json,
    write_text,
)
from calcsim.cli.compiling import announce
from calcsim.cli.progress import Progress
from calcsim.cli.tables import format_table
from calcsim.errors import UsageError
from calcsim.questions.ask import Answer, Limit, Setting, Tally, settings
from calcsim.questions.ask import ask as ask_games
from calcsim.questions.events import EVENTS, Event, parse_event
from calcsim.stats.intervals import LEVEL, METHODS, Share, parse_level
from calcsim.stats.text import percent, share_text
from calcsim.version import ENGINE_VERSION, RULES_VERSION, __version__

LevelOption = Annotated[str, typer.Option("--level", metavar="LEVEL", help="Level of the intervals.")]

DEFAULT_MOST_GAMES: Final = 10_000_000
"""Cap of a precision where none is given."""

STOPPED: Final = {
    "games": "as many as asked for",
    "precision": "stopped by --precision {precision}, which was reached",
    "max-games": "stopped by --max-games before --precision {precision} was reached",
}


@dataclass(frozen=True, slots=True)
class _Row:
    """One event of one cell, answered."""

    event: Event
    setting: Setting
    answer: Answer
    tally: Tally
    share: Share
    replay: str


def ask(
    events: Annotated[
        list[str] | None, typer.Argument(metavar="EVENT...", help="What to look for; --list explains each.")
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option("--given", metavar="EVENT", help="Only in games where this holds; repeatable."),
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            metavar="PRESET|FILE",
            help="calc, calc-revised, advanced, or a TOML file; repeated, a row for each.  "
            f"[default: {DEFAULT_RULES}]",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE,...",
            help="Change a field of the rules; with several values, a row for each; repeatable.",
        ),
    ] = None,
    players: PlayersListOption = str(DEFAULT_PLAYERS),
    policies: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="NAME,...",
            help="Policy of all seats, or with commas one for each seat; repeated, a row for each "
            "(but a line-up by seat, if as many as players, with one of them twice).  "
            f"[default: {DEFAULT_POLICY}]",
        ),
    ] = None,
    games: Annotated[
        str | None,
        typer.Option(
            "--games", metavar="N", help=f"Number of games; 250k works, too.  [default: {DEFAULT_GAMES}]"
        ),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            "--precision",
            metavar="SHARE",
            help="Instead of --games: play until half the length of every interval is at most this, as 0.1%.",
        ),
    ] = None,
    max_games: Annotated[
        str | None,
        typer.Option(
            "--max-games",
            metavar="N",
            help=f"Cap of --precision.  [default: {DEFAULT_MOST_GAMES}]",
        ),
    ] = None,
    level: LevelOption = str(LEVEL),
    seed: SeedOption = DEFAULT_SEED,
    threads: ThreadsOption = DEFAULT_THREADS,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    show_list: Annotated[bool, typer.Option("--list", help="List the events and end.")] = False,
) -> None:
    """Say in what share of games EVENT happens, with an interval and two games to look at.

    Several events are looked for in the same games. Several rules, values of a field, numbers of players
    or policies are played one after the other, with the same seed: a row for each.
    """
    style = output_format(as_json, as_csv)
    if show_list:
        _show_events(style)
        return
    if not events:
        raise UsageError("no event to ask for: give one or more, as in 'calcsim ask star' (see --list)")
    asked = [parse_event(text) for text in dict.fromkeys(events)]
    conditions = [parse_event(text) for text in dict.fromkeys(given or ())]
    names = policies or [DEFAULT_POLICY]
    numbers = parse_players(players)
    cells = settings(rules or (DEFAULT_RULES,), changes or (), numbers, names)
    for setting in cells:
        for event in (*asked, *conditions):
            event.check(setting.players)
    limit = _limit(games, precision, max_games)
    confidence = parse_level(level)
    if len(names) > 1 and numbers == [len(set(names))] == [len(names)]:
        say(f"a row for each --policy; for one line-up by seat write --policy {','.join(names)}")
    announce(list(dict.fromkeys(name for setting in cells for name in setting.policies)))

    rows: list[_Row] = []
    for number, setting in enumerate(cells, start=1):
        what = f"cell {number} of {len(cells)}" if len(cells) > 1 else "playing"
        rows += _answer(setting, asked, conditions, limit, confidence, seed, threads, what)
    given_words = [event.text for event in conditions]
    if style == "table":
        _show_table(rows, given_words, limit, confidence, seed)
        return
    records = [_record(row, given_words, confidence, seed) for row in rows]
    if style == "csv":
        write_csv(_flat(record) for record in records)
        return
    versions = {"calcsim": __version__, "rules": RULES_VERSION, "engine": ENGINE_VERSION}
    write_json({"rows": records, "versions": versions})


def _limit(games: str | None, precision: str | None, max_games: str | None) -> Limit:
    if precision is None:
        if max_games is not None:
            raise UsageError(f"--max-games {max_games!r} is the cap of --precision; without it, use --games")
        return Limit(DEFAULT_GAMES if games is None else parse_whole(games, "--games", 1, MOST_GAMES))
    if games is not None:
        raise UsageError(
            f"--games {games!r} and --precision {precision!r}: give one of them; --max-games caps --precision"
        )
    most = DEFAULT_MOST_GAMES
    if max_games is not None:
        most = parse_whole(max_games, "--max-games", 1, MOST_GAMES)
    return Limit(most, _parse_precision(precision))


def _parse_precision(text: str) -> float:
    plain = text.strip()
    percents = plain.endswith(("%", "pp"))
    try:
        value = float(plain.removesuffix("%").removesuffix("pp")) / (100 if percents else 1)
    except ValueError:
        value = -1.0
    if not 1e-7 <= value < 0.5:
        raise UsageError(
            f"--precision {text!r}: must be a share from 0.00001% to below 50%, as 0.1% or 0.001"
        )
    return value


def _answer(
    setting: Setting,
    asked: Sequence[Event],
    conditions: Sequence[Event],
    limit: Limit,
    level: float,
    seed: int,
    threads: int,
    what: str,
) -> list[_Row]:
    from calcsim.engine.driver import prepare, replay_command

    cell = prepare(setting.rules, setting.players, setting.policies)
    with Progress(limit.games, what) as progress:
        answer = ask_games(
            cell, asked, conditions, limit, seed=seed, threads=threads, level=level, progress=progress
        )
    rate = answer.played / answer.seconds if answer.seconds else 0.0
    say(f"{answer.played:,} games in {answer.seconds:.1f} s ({rate:,.0f} games/s)")
    rows = []
    for event, tally, share in zip(asked, answer.tallies, answer.shares, strict=True):
        replay = replay_command(cell, seed, tally.examples[0]) if tally.examples else ""
        rows.append(_Row(event, setting, answer, tally, share, replay))
    return rows


def _record(row: _Row, given: list[str], level: float, seed: int) -> dict[str, Any]:
    rules = row.setting.rules
    return {
        "event": row.event.text,
        "given": given,
        "games": row.answer.games,
        "count": row.tally.count,
        "estimate": row.share.estimate,
        "low": row.share.low,
        "high": row.share.high,
        "level": level,
        "method": row.share.method,
        "examples": row.tally.examples,
        "replay": row.replay or None,
        "hindrance": row.event.hindrance(rules) or None,
        "played": row.answer.played,
        "stopped_by": row.answer.stopped_by,
        "preset": rules.name,
        "differences": rules.differences(),
        "fingerprint": rules.fingerprint,
        "players": row.setting.players,
        "policies": list(row.setting.policies),
        "seed": seed,
        "seconds": round(row.answer.seconds, 3),
    }


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with texts for what is no single value."""
    return record | {
        "given": " ".join(record["given"]),
        "examples": " ".join(map(str, record["examples"])),
        "differences": " ".join(f"{name}={value}" for name, value in record["differences"].items()),
        "policies": "/".join(record["policies"]),
    }


def _show_table(rows: Sequence[_Row], given: list[str], limit: Limit, level: float, seed: int) -> None:
    columns: dict[str, list[str]] = {
        "event": [row.event.text for row in rows],
        "rules": [row.setting.rules.label for row in rows],
        "players": [str(row.setting.players) for row in rows],
        "policy": [policies_label(row.setting.policies) for row in rows],
        "share": [share_text(row.share)[0] for row in rows],
        f"{percent(level)} interval": [share_text(row.share)[1] for row in rows],
        "count": [f"{row.tally.count:,}" for row in rows],
        "of games": [f"{row.answer.games:,}" for row in rows],
    }
    shown = {
        name: cells
        for name, cells in columns.items()
        if name not in ("rules", "players", "policy") or len(set(cells)) > 1
    }
    align = "".join("l" if name in ("event", "rules", "policy") else "r" for name in shown)
    write_text(format_table(list(shown), list(zip(*shown.values(), strict=True)), align))
    write_text("")
    for line in _notes(rows, given, limit, seed):
        write_text(line)


def _notes(rows: Sequence[_Row], given: list[str], limit: Limit, seed: int) -> list[str]:
    """Return where the numbers come from, how they were made, and where to look."""
    notes = []
    answers = {id(row.answer): row for row in rows}.values()
    if given:
        notes.append(f"given {' and '.join(given)}: shares are of the games in which that holds")
    for row in answers:
        rules = row.setting.rules
        stop = STOPPED[row.answer.stopped_by].format(precision=percent(limit.precision or 0))
        notes.append(
            f"{rules.label} ({rules.fingerprint}), {row.setting.players} players, "
            f"{policies_label(row.setting.policies)}, seed {seed}: {row.answer.played:,} games, {stop}"
        )
    for method in dict.fromkeys(row.share.method for row in rows):
        events = dict.fromkeys(row.event.text for row in rows if row.share.method == method)
        notes.append(f"interval of {', '.join(events)}: {METHODS[method]}")
    for event, why in dict.fromkeys((row.event, row.event.hindrance(row.setting.rules)) for row in rows):
        if why:
            notes.append(f"{event.kind.name} cannot happen where {why}")
    for row in rows:
        if row.replay:
            games = " and ".join(f"game {number}" for number in row.tally.examples)
            notes.append(f"{row.event.text}: {games}; see the first: {row.replay}")
    return notes


def _show_events(style: str) -> None:
    rows = [
        {"event": kind.form, "clause": kind.clause, "holds": kind.doc, "names": list(kind.choices)}
        for kind in EVENTS.values()
    ]
    if style == "json":
        write_json(rows)
        return
    if style == "csv":
        write_csv({**row, "names": " ".join(row["names"])} for row in rows)
        return
    table = [
        (
            str(row["event"]),
            f"{row['holds']}{': ' if row['names'] else ''}{', '.join(row['names'])}",
            str(row["clause"]),
        )
        for row in rows
    ]
    write_text(format_table(("event", "holds in a game if", "clause"), table))
    write_text("")
    write_text("N is a whole number, 1 if left out; S is a seat, counted from 0.")
    write_text("not:EVENT holds where EVENT does not.")
