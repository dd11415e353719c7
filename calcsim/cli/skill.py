"""``calcsim skill``: what of the outcome is skill, and what is luck."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Final

import typer

from calcsim.cli.ask import LevelOption
from calcsim.cli.common import (
    DEFAULT_PLAYERS,
    DEFAULT_RULES,
    DEFAULT_SEED,
    DEFAULT_THREADS,
    CsvOption,
    JsonOption,
    PlayersListOption,
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
from calcsim.cli.metagame import PoliciesOption, parse_margin
from calcsim.cli.plots import PlotOption, check_plot, write_plot
from calcsim.cli.progress import Progress
from calcsim.cli.tables import format_table
from calcsim.stats.intervals import LEVEL, parse_level
from calcsim.stats.points import gain_text, share_of_all
from calcsim.stats.text import percent

if TYPE_CHECKING:
    from calcsim.experiments.matches import ToTell
    from calcsim.experiments.skill import Skill, Table

_WORDS: Final = {
    "policies": "who plays what",
    "seat": "the seat",
    "deal": "the deal",
    "policies x deal": "what policies make of the deal",
    "play": "chance in play",
}


def skill(
    policies: PoliciesOption = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            metavar="PRESET|FILE",
            help="calc, calc-revised, advanced, or a TOML file; repeatable, each is a table of its own.  "
            f"[default: {DEFAULT_RULES}]",
        ),
    ] = None,
    changes: SetOption = None,
    players: PlayersListOption = str(DEFAULT_PLAYERS),
    deals: Annotated[
        str, typer.Option("--deals", metavar="N", help="Deals of each duel; 250k and 1M work, too.")
    ] = "20k",
    margin: Annotated[
        str,
        typer.Option(
            "--margin", metavar="SHARE", help="How much better a step of the ladder is, as 0.05 or 5%."
        ),
    ] = "5%",
    plot: PlotOption = None,
    level: LevelOption = str(LEVEL),
    seed: SeedOption = DEFAULT_SEED,
    threads: ThreadsOption = DEFAULT_THREADS,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """Say what of winning is skill and what luck, how soon skill shows, and how many levels of it there are.

    Example: calcsim skill --policy random --policy greedy --rules calc --rules advanced

    Skill is what differs between line-ups of the policies given: weak ones among them make for more of it.
    """
    style = output_format(as_json, as_csv)
    check_plot(plot)
    wanted = parse_margin(margin)
    n_deals = parse_whole(deals, "--deals", 1_000, 10**7)
    confidence = parse_level(level)
    seats = parse_players(players)
    from calcsim.rules import load_rules

    tables = [load_rules(name, changes or ()) for name in rules or [DEFAULT_RULES]]
    for table in tables:
        for n in seats:
            table.validate_players(n)
    names = policies or []
    announce(names)
    from calcsim.experiments import skill as study
    from calcsim.experiments.tables import different

    with Progress(study.games_of(len(tables), len(different(names)), seats, n_deals)) as progress:
        found = study.skill_and_luck(
            tables,
            seats,
            names,
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
        write_csv(found.rows())
    else:
        _show(found)


def _show(found: Skill) -> None:
    from calcsim.report.prose import with_unit

    write_text(
        f"{found.deals:,} deals for each duel, {found.crossed:,} for the shares; {found.games:,} games, "
        f"seed {found.seed}"
    )
    write_text(
        f"intervals at {percent(found.level)}; a step of the ladder is a lead of more than "
        f"{with_unit(f'{100 * found.margin:.10g}', 'points')}"
    )
    for table in found.tables:
        write_text(f"\n{table.label} ({table.rules.fingerprint})")
        _show_table(table)
    write_text(
        "\nlead: points of the games won by one among players of the other policy, and the other way round,\n"
        "halved; games to tell: until the better one is ahead with a probability of 95 %, where each deal\n"
        "is played in all seats and both ways"
    )


def _show_table(table: Table) -> None:
    crossed = f"{table.line_ups} of {table.all_line_ups:,}" if table.line_ups < table.all_line_ups else "all"
    rows = [
        (_WORDS[name], *(share_of_all(share) if not math.isnan(share.estimate) else ("none", "")))
        for name, share in table.shares.items()
    ]
    write_text(format_table((f"of who wins ({crossed} line-ups)", "share", "interval"), rows, "lrr"))
    seats = " ".join(f"{100 * share:.1f} %" for share in table.seats)
    write_text(f"seats 0 to {table.players - 1} win {seats}\n")
    duels = [
        (duel.better, duel.worse, *gain_text(duel.lead), *_told(duel.to_tell), "yes" if duel.clear else "no")
        for duel in table.duels
    ]
    header = ("better", "worse", "lead", "interval, simultaneous", "games to tell", "interval", "step")
    write_text(format_table(header, duels, "llrrrrl"))
    steps = len(table.ladder)
    if steps > 1:
        write_text(f"ladder of {steps}: {' > '.join(table.ladder)}")
    else:
        write_text("no ladder: no policy is clearly better than another by the margin")


def _told(told: ToTell) -> tuple[str, str]:
    if math.isinf(told.deals):
        return "no end", ""
    high = "no end" if math.isinf(told.high) else f"{told.high:,.0f}"
    return f"{told.deals:,.0f}", f"{told.low:,.0f} to {high}"
