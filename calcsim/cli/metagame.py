"""``calcsim metagame``: which policies survive among each other."""

from __future__ import annotations

import textwrap
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
    PlayersOption,
    RulesOption,
    SeedOption,
    SetOption,
    ThreadsOption,
    output_format,
    parse_whole,
    write_csv,
    write_json,
    write_text,
)
from calcsim.cli.compiling import announce
from calcsim.cli.plots import PlotOption, check_plot, write_plot
from calcsim.cli.progress import Progress
from calcsim.cli.tables import format_table, output_width
from calcsim.errors import UsageError
from calcsim.stats.intervals import LEVEL, parse_level
from calcsim.stats.points import gain_text, share_of_all, signed, whole_percent
from calcsim.stats.text import percent

if TYPE_CHECKING:
    from calcsim.experiments.metagame import Metagame
    from calcsim.stats.metagame import Attractor

_SHOWN_ATTRACTORS: Final = 6
_SHOWN_PAIRS: Final = 16

PoliciesOption = Annotated[
    list[str] | None,
    typer.Option("--policy", metavar="NAME", help="One of the policies; give 2 to 12, each once."),
]
MarginOption = Annotated[
    str,
    typer.Option(
        "--margin",
        metavar="SHARE",
        help="The difference in the share of games won that matters, as 0.01 or 1%.",
    ),
]


def metagame(
    policies: PoliciesOption = None,
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    players: PlayersOption = DEFAULT_PLAYERS,
    deals: Annotated[
        str, typer.Option("--deals", metavar="N", help="Deals that each line-up plays; 20k works, too.")
    ] = "5k",
    margin: MarginOption = "1%",
    plot: PlotOption = None,
    level: LevelOption = str(LEVEL),
    seed: SeedOption = DEFAULT_SEED,
    threads: ThreadsOption = DEFAULT_THREADS,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """Play every mixture of policies at the table, and say which of them survive among each other.

    Example: calcsim metagame --policy greedy --policy random --policy greedy:forbid=growth

    A policy's share of a large population grows with what it wins there (replicator dynamics), and a single
    newcomer takes over a small one or disappears again (alpha-rank). CSV is the payoff table.
    """
    style = output_format(as_json, as_csv)
    check_plot(plot)
    wanted = parse_margin(margin)
    n_deals = parse_whole(deals, "--deals", 100, 10**7)
    confidence = parse_level(level)
    from calcsim.rules import load_rules

    table = load_rules(rules, changes or ())
    table.validate_players(players)
    announce(policies or ())
    from calcsim.experiments import metagame as study
    from calcsim.experiments.tables import games_of

    _, line_ups = study.line_ups_of(policies or (), players)
    with Progress(games_of(line_ups, n_deals)) as progress:
        found = study.metagame(
            table,
            players,
            policies or (),
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
        write_csv({**one._asdict(), "line_up": "/".join(one.line_up)} for one in found.payoffs)
    else:
        _show(found)


def parse_margin(text: str) -> float:
    """Return a margin written as ``0.01`` or ``1%``.

    Raises
    ------
    UsageError
        If it is no share from 0.0001 to 0.5.

    Examples
    --------
    >>> parse_margin("1%")
    0.01
    """
    plain = text.strip()
    try:
        value = float(plain.removesuffix("%")) / (100 if plain.endswith("%") else 1)
    except ValueError:
        value = 0.0
    if not 0.0001 <= value <= 0.5:
        raise UsageError(f"--margin {text!r}: must be a share from 0.0001 to 0.5, as 0.01 or 1%")
    return value


def _show(found: Metagame) -> None:
    from calcsim.report.prose import count, round_up, with_unit

    write_text(
        f"{found.rules.label} ({found.rules.fingerprint}), {found.players} players; {found.deals:,} deals, "
        f"{found.games:,} games, seed {found.seed}"
    )
    write_text(
        f"intervals at {percent(found.level)}; a difference of "
        f"{with_unit(f'{100 * found.margin:.10g}', 'points')} in the share of games won matters"
    )
    write_text("\nA single newcomer (row) among residents (column): points won beyond its fair share")
    cells = {(one.newcomer, one.resident): one for one in found.invasions}
    letters = {name: f"[{i}]" for i, name in enumerate(found.policies, 1)}
    marks = {"invades": "*", "kept out": "", "even": "=", "undecided": "?"}

    def cell(newcomer: str, resident: str) -> str:
        if newcomer == resident:
            return "."
        one = cells[newcomer, resident]
        return f"{signed(100 * one.gain.estimate, 1)}{marks[one.verdict] or ' '}"

    rows = [(f"{letters[a]} {a}", *(cell(a, b) for b in found.policies)) for a in found.policies]
    write_text(format_table(("newcomer", *letters.values()), rows, "l" + "r" * len(rows)))
    write_text("* invades, = even (within the margin), ? undecided, no mark: kept out; all hold together")
    close = [one for one in found.invasions if one.verdict in ("invades", "undecided")]
    close.sort(key=lambda one: -one.gain.estimate)
    if close:
        write_text("")
        listed = [
            (f"{letters[one.newcomer]} among {letters[one.resident]}", *gain_text(one.gain), one.verdict)
            for one in close[:_SHOWN_PAIRS]
        ]
        write_text(format_table(("pair", "gain", "simultaneous interval", "verdict"), listed, "lrrl"))
    if len(close) > _SHOWN_PAIRS:
        write_text(f"and {len(close) - _SHOWN_PAIRS} more (--json)")
    more = max((one.more for one in close if one.more is not None), default=0)
    if more:
        write_text(f"about {count(round_up(more))} more deals would decide what is undecided")
    _show_ends(found)


def _show_ends(found: Metagame) -> None:
    write_text("\nA large population, in which policies grow by what they win (replicator dynamics):")
    for one in found.attractors[:_SHOWN_ATTRACTORS]:
        line = f"from {whole_percent(one.basin)} of the starts: {_mixture(found, one)}"
        write_text(textwrap.fill(line, output_width(), subsequent_indent="  ", break_on_hyphens=False))
    more = len(found.attractors) - _SHOWN_ATTRACTORS
    if more > 0:
        write_text(f"and {more} more")
    rows = [
        (
            one.policy,
            share_of_all(one.field)[0],
            whole_percent(one.present),
            whole_percent(one.survives),
            whole_percent(one.alpha.estimate),
            f"{whole_percent(one.alpha.low or 0.0)} to {whole_percent(one.alpha.high or 0.0)}",
        )
        for one in found.survival
    ]
    write_text("")
    header = ("policy", "wins", "left from", "survives", "alpha-rank", "interval")
    write_text(format_table(header, rows, "lrrrrr"))
    write_text(
        "wins: against opponents drawn evenly from all policies; left from: share of the starts\n"
        "survives: share of 200 resamples of the deals; alpha-rank: share of the time, over the resamples"
    )
    if found.dominant is not None:
        write_text(f"\n{found.dominant} dominates: nobody invades it, and all else disappears beside it")


def _mixture(found: Metagame, one: Attractor) -> str:
    parts = sorted(((one.shares[k], found.policies[k]) for k in one.present), reverse=True)
    if len(parts) == 1:
        return f"{parts[0][1]} alone"
    words = ", ".join(f"{name} {whole_percent(share)}" for share, name in parts)
    return words if one.settled else f"still moving, on the average {words}"
