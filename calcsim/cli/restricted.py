"""``calcsim restricted``: what parts of the game are worth to those who use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from calcsim.cli.ask import LevelOption
from calcsim.cli.common import (
    DEFAULT_PLAYERS,
    DEFAULT_POLICY,
    DEFAULT_RULES,
    DEFAULT_SEED,
    DEFAULT_THREADS,
    CsvOption,
    JsonOption,
    PlayersListOption,
    RulesOption,
    SeedOption,
    SetOption,
    ThreadsOption,
    output_format,
    parse_players,
    parse_whole,
    write_csv,
    write_json,
    write_text,
)
from calcsim.cli.compiling import announce
from calcsim.cli.metagame import MarginOption, parse_margin
from calcsim.cli.plots import PlotOption, check_plot, write_plot
from calcsim.cli.progress import Progress
from calcsim.cli.tables import format_table
from calcsim.policies.naming import RESTRICTIONS
from calcsim.stats.intervals import LEVEL, parse_level
from calcsim.stats.points import gain_text
from calcsim.stats.text import decimals, percent

if TYPE_CHECKING:
    from calcsim.experiments.restricted import RestrictedPlay, Worth


def restricted(
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    players: PlayersListOption = str(DEFAULT_PLAYERS),
    policies: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="NAME",
            help=f"Policy of all players; repeated, each is a table of its own.  [default: {DEFAULT_POLICY}]",
        ),
    ] = None,
    forbidden: Annotated[
        list[str] | None,
        typer.Option(
            "--forbid",
            metavar="PART",
            help="What one player does without; repeatable, several at once with +.  "
            f"[default: each of {', '.join(RESTRICTIONS)}]",
        ),
    ] = None,
    deals: Annotated[str, typer.Option("--deals", metavar="N", help="Deals; 250k and 1M work, too.")] = "20k",
    margin: MarginOption = "1%",
    plot: PlotOption = None,
    level: LevelOption = str(LEVEL),
    seed: SeedOption = DEFAULT_SEED,
    threads: ThreadsOption = DEFAULT_THREADS,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """Say what parts of the game are worth: what a player loses who does without them.

    Example: calcsim restricted --policy greedy --forbid shield --forbid growth --players 2-4

    One player does without, all others play the same policy in full, in all seats of the same deals. A part
    that is worth less than nothing is one that the policy uses to its own harm.
    """
    style = output_format(as_json, as_csv)
    check_plot(plot)
    wanted = parse_margin(margin)
    n_deals = parse_whole(deals, "--deals", 100, 10**9)
    confidence = parse_level(level)
    seats = parse_players(players)
    from calcsim.rules import load_rules

    table = load_rules(rules, changes or ())
    for n in seats:
        table.validate_players(n)
    names = policies or [DEFAULT_POLICY]
    announce(names)
    from calcsim.experiments import restricted as study

    parts = study.check_parts(forbidden or ())
    study.check_policies(names)
    with Progress(n_deals * study.games_per_deal(seats, len(names), len(parts))) as progress:
        found = study.restricted_play(
            table,
            seats,
            names,
            parts,
            deals=n_deals,
            margin=wanted,
            level=confidence,
            seed=seed,
            threads=threads,
            progress=progress,
        )
    if plot is not None:
        from calcsim.report.style import save

        write_plot(plot, save(found.figure(), plot.suffix[1:]))
    if style == "json":
        write_json(found.as_dict())
    elif style == "csv":
        write_csv(one.as_dict() for one in found.worths)
    else:
        _show(found)


def _show(found: RestrictedPlay) -> None:
    from calcsim.report.prose import changed_text, count, round_up, with_unit

    write_text(
        f"{found.rules.label} ({found.rules.fingerprint}); {found.deals:,} deals, {found.games:,} games, "
        f"seed {found.seed}"
    )
    write_text(
        f"worth: points of the games won that one player loses without it, simultaneous intervals at "
        f"{percent(found.level)}\n{with_unit(f'{100 * found.margin:.10g}', 'points')} or more matters; "
        f"{len(found.worths)} verdicts, by Holm's method so that all hold together"
    )
    for players, policy in dict.fromkeys((one.players, one.policy) for one in found.worths):
        block = [one for one in found.worths if (one.players, one.policy) == (players, policy)]
        write_text(f"\n{players} players, {policy}: each wins {100 / players:.4g} % in full")
        rows = [
            (
                one.forbidden,
                _wins(one),
                *gain_text(one.worth),
                one.verdict.word,
                changed_text(one.changed),
            )
            for one in block
        ]
        header = ("without", "wins", "worth", "interval", "verdict", "games changed")
        write_text(format_table(header, rows, "lrrrlr"))
        for one in block:
            if one.verdict.word == "undecided" and one.verdict.more is not None:
                more = count(round_up(one.verdict.more))
                write_text(f"{one.forbidden}: about {more} more deals would decide")


def _wins(one: Worth) -> str:
    low, high = one.worth.low or 0.0, one.worth.high or 0.0
    places = decimals(50 * (high - low)) if high > low else 1
    return f"{100 * one.restricted:.{places}f} %"
