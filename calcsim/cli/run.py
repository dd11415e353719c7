"""``calcsim run``: all metrics of one rule set with one line-up."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from calcsim.cli.ask import LevelOption
from calcsim.cli.common import (
    DEFAULT_GAMES,
    DEFAULT_PLAYERS,
    DEFAULT_RULES,
    DEFAULT_SEED,
    DEFAULT_THREADS,
    CsvOption,
    GamesOption,
    JsonOption,
    PlayersOption,
    PolicyOption,
    RulesOption,
    SeedOption,
    SetOption,
    ThreadsOption,
    line_up,
    output_format,
    provenance_line,
    say,
    write_csv,
    write_json,
    write_text,
)
from calcsim.cli.compiling import announce
from calcsim.cli.progress import Progress
from calcsim.cli.tables import format_table
from calcsim.questions.measure import measure
from calcsim.rules import load_rules
from calcsim.stats.intervals import LEVEL, Estimate, parse_level, share
from calcsim.stats.metrics import groups, metrics
from calcsim.stats.text import estimate_text, percent, share_text
from calcsim.version import ENGINE_VERSION, RULES_VERSION, __version__

if TYPE_CHECKING:
    from calcsim.engine.driver import Cell
    from calcsim.stats.totals import Totals

LENGTH: Final = "length"
"""The group that the spread of the turns is shown with."""


def run(
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    players: PlayersOption = DEFAULT_PLAYERS,
    policies: PolicyOption = None,
    games: GamesOption = DEFAULT_GAMES,
    level: LevelOption = str(LEVEL),
    seed: SeedOption = DEFAULT_SEED,
    threads: ThreadsOption = DEFAULT_THREADS,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """Play games and print every metric: shares, means and ratios with intervals, also by seat and place.

    ``calcsim metrics`` says what each is. JSON has for each [estimate, standard error, low, high].
    """
    style = output_format(as_json, as_csv)
    rule_set = load_rules(rules, changes or ())
    rule_set.validate_players(players)
    names = line_up(policies, players)
    confidence = parse_level(level)
    announce(names)
    from calcsim.engine import driver

    cell = driver.prepare(rule_set, players, names)
    with Progress(games) as progress:
        began = time.monotonic()
        totals = measure(cell, games=games, seed=seed, threads=threads, progress=progress)
        seconds = time.monotonic() - began
    say(f"{games:,} games in {seconds:.1f} s ({games / seconds if seconds else 0:,.0f} games/s)")
    if style == "json":
        write_json(_object(cell, totals, seed, seconds, confidence))
    elif style == "csv":
        write_csv(_records(cell, totals, seed, confidence))
    else:
        _show_table(cell, totals, seed, confidence)


def _object(cell: Cell, totals: Totals, seed: int, seconds: float, level: float) -> dict[str, Any]:
    from calcsim.stats.percentiles import PERCENTILES

    rules = cell.rules
    return {
        "rules": rules.as_dict(),
        "preset": rules.name,
        "differences": rules.differences(),
        "fingerprint": rules.fingerprint,
        "players": cell.players,
        "policies": list(cell.policies),
        "games": totals.games,
        "seed": seed,
        "seconds": round(seconds, 3),
        "level": level,
        "versions": {"calcsim": __version__, "rules": RULES_VERSION, "engine": ENGINE_VERSION},
        "figures": {name: list(estimate) for name, estimate in totals.estimates(level).items()},
        "percentiles": {"turns": {str(p): list(totals.turns_percentile(p, level)) for p in PERCENTILES}},
    }


def _records(cell: Cell, totals: Totals, seed: int, level: float) -> list[dict[str, Any]]:
    known = {name: metric for metric in metrics(cell.players) for name in metric.names(cell.players)}
    rules = cell.rules
    records = []
    for name, estimate in totals.estimates(level).items():
        metric = known.get(name, known["turns"])
        records.append(
            {
                "figure": name,
                "estimate": estimate.estimate,
                "error": estimate.error,
                "low": estimate.low,
                "high": estimate.high,
                "level": level,
                "unit": metric.unit or ("share" if metric.kind == "share" else ""),
                "per": metric.per,
                "rules": rules.label,
                "fingerprint": rules.fingerprint,
                "players": cell.players,
                "policies": "/".join(cell.policies),
                "games": totals.games,
                "seed": seed,
            }
        )
    return records


def _show_table(cell: Cell, totals: Totals, seed: int, level: float) -> None:
    from calcsim.stats.percentiles import PERCENTILES

    write_text(provenance_line(cell.rules, cell.players, cell.policies, totals.games, seed))
    write_text(f"intervals at {percent(level)}")
    estimates = totals.estimates(level)
    for heading, group in groups(cell.players).items():
        rows = []
        for metric in group:
            for name in metric.names(cell.players):
                if name in estimates:
                    rows.append(
                        (name, *_shown(metric.kind, estimates[name], totals.games, level), metric.unit)
                    )
        if heading == LENGTH:
            rows.insert(1, ("turns.sd", *estimate_text(estimates["turns.sd"]), "turns"))
            for p in PERCENTILES:
                value, low, high = totals.turns_percentile(p, level)
                between = f"{low} to {high}" if low < high else ""
                rows.insert(-4, (f"turns, {p}th percentile", str(value), between, "turns"))
        write_text(f"\n{heading}")
        write_text(format_table(("", "", "", ""), rows, "lrrl"))


def _shown(kind: str, estimate: Estimate, games: int, level: float) -> tuple[str, str]:
    if kind == "share":
        return share_text(share(round(estimate.estimate * games), games, level))
    return estimate_text(estimate)
