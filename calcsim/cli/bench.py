"""``calcsim bench``: how fast games are played here."""

from __future__ import annotations

import os
from typing import Annotated, Any, Final

import typer

from calcsim.cli.common import (
    DEFAULT_SEED,
    MOST_GAMES,
    CsvOption,
    JsonOption,
    SeedOption,
    SetOption,
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
from calcsim.cli.tables import format_table
from calcsim.questions.ask import Setting, settings
from calcsim.questions.speed import Speed, speed, start_seconds
from calcsim.rules import PRESET_NAMES, load_rules
from calcsim.version import ENGINE_VERSION, RULES_VERSION, __version__

DEFAULT_PLAYERS: Final = "2,4,6"
DEFAULT_POLICIES: Final = ("random", "greedy")


def bench(
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", metavar="PRESET|FILE", help="Rules; repeatable.  [default: every preset]"),
    ] = None,
    changes: SetOption = None,
    players: Annotated[
        str | None,
        typer.Option(
            "--players",
            metavar="N,...",
            help=f"Numbers of players.  [default: of {DEFAULT_PLAYERS} those that the rules seat]",
        ),
    ] = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="NAME,...",
            help="Policy of all seats, or with commas one for each; repeatable.  "
            f"[default: {' and '.join(DEFAULT_POLICIES)}]",
        ),
    ] = None,
    games: Annotated[
        str | None,
        typer.Option("--games", metavar="N", help="Games of each measurement, instead of --seconds."),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.01, max=600, help="About how long each measurement takes.")
    ] = 1.0,
    seed: SeedOption = DEFAULT_SEED,
    threads: ThreadsOption = 0,
    start: Annotated[
        bool, typer.Option(help="Also time a command's first start, compiling all, and its second.")
    ] = True,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """Measure games, turns and decisions a second, on one core and on all, and the time of a start.

    Rates are by wall time; those by processor time count the seconds of all cores together.
    """
    style = output_format(as_json, as_csv)
    n_games = None if games is None else parse_whole(games, "--games", 1, MOST_GAMES)
    cells = _cells(rules or list(PRESET_NAMES), changes or [], players, policies or list(DEFAULT_POLICIES))
    announce(list(dict.fromkeys(name for setting in cells for name in setting.policies)))
    from calcsim.engine.driver import prepare

    most = threads or os.cpu_count() or 1

    rows = []
    for setting in cells:
        cell = prepare(setting.rules, setting.players, setting.policies)
        for n_threads in dict.fromkeys((1, most)):
            say(
                f"{setting.rules.label}, {setting.players} players, {policies_label(setting.policies)}, "
                f"{n_threads} thread{'s' * (n_threads > 1)}"
            )
            rows.append(
                _row(setting, speed(cell, seed=seed, threads=n_threads, games=n_games, seconds=seconds))
            )
    starts: tuple[float, float] | None = None
    if start:
        say("timing a first start and a second one, which takes about a minute")
        starts = start_seconds()
    if style == "json":
        write_json(_object(rows, starts))
    elif style == "csv":
        write_csv(rows)
    else:
        _show_table(rows, starts)


def _cells(rules: list[str], changes: list[str], players: str | None, policies: list[str]) -> list[Setting]:
    if players is not None:
        return settings(rules, changes, parse_players(players), policies)
    found: list[Setting] = []
    for source in rules:
        most = load_rules(source, changes).max_players
        numbers = [n for n in parse_players(DEFAULT_PLAYERS) if n <= most]
        found += settings([source], changes, numbers, policies)
    return found


def _row(setting: Setting, measured: Speed) -> dict[str, Any]:
    rates = {
        f"{what}_per_{time}": round(getattr(measured, what) / getattr(measured, seconds))
        for time, seconds in (("second", "wall"), ("processor_second", "processor"))
        for what in ("games", "turns", "decisions")
    }
    return {
        "rules": setting.rules.label,
        "fingerprint": setting.rules.fingerprint,
        "players": setting.players,
        "policies": policies_label(setting.policies),
        "threads": measured.threads,
        "games": measured.games,
        "seconds": round(measured.wall, 4),
        "processor_seconds": round(measured.processor, 4),
        **rates,
    }


def _object(rows: list[dict[str, Any]], starts: tuple[float, float] | None) -> dict[str, Any]:
    return {
        "rows": rows,
        "cold_start_seconds": round(starts[0], 2) if starts else None,
        "warm_start_seconds": round(starts[1], 2) if starts else None,
        "cores": os.cpu_count(),
        "versions": {"calcsim": __version__, "rules": RULES_VERSION, "engine": ENGINE_VERSION},
    }


def _show_table(rows: list[dict[str, Any]], starts: tuple[float, float] | None) -> None:
    header = ("rules", "players", "policy", "threads", "games/s", "turns/s", "decisions/s", "games/cpu s")
    keys = ("games_per_second", "turns_per_second", "decisions_per_second", "games_per_processor_second")
    table = [
        (
            row["rules"],
            str(row["players"]),
            row["policies"],
            str(row["threads"]),
            *(f"{row[key]:,}" for key in keys),
        )
        for row in rows
    ]
    write_text(format_table(header, table, "lrlrrrrr"))
    if starts:
        write_text(f"\nfirst start, compiling all: {starts[0]:.1f} s; second start: {starts[1]:.1f} s")
