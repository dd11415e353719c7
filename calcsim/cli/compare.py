"""``calcsim compare``: rules on the same deals, with paired differences and verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

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
    say,
    write_csv,
    write_json,
    write_text,
)
from calcsim.cli.compiling import announce
from calcsim.cli.plots import PlotOption, check_plot, write_plot
from calcsim.cli.progress import Progress
from calcsim.cli.tables import format_table
from calcsim.errors import UsageError
from calcsim.experiments.comparing import METRICS, refuse_special
from calcsim.stats.intervals import LEVEL, parse_level
from calcsim.stats.text import percent

if TYPE_CHECKING:
    from calcsim.experiments.comparing import Comparison
    from calcsim.experiments.plan import Precision
    from calcsim.report.rows import Effect

DEFAULT_DEALS: Final = "200k"
DEFAULT_MOST: Final = "10M"


def compare(
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="FIELD=A,B,...",
            help="What is varied; the first value is the baseline. Repeated, all combinations are played. "
            "Also rules=, players= or policy=.",
        ),
    ] = None,
    players: PlayersListOption = str(DEFAULT_PLAYERS),
    policies: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="NAME[,...]",
            help="Policy of all seats, or one for each with commas; repeated, each is a table of its own.  "
            f"[default: {DEFAULT_POLICY}]",
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="NAME[=MARGIN]",
            help="What is compared, and the difference that would matter; repeatable (see calcsim metrics).  "
            f"[default: {', '.join(METRICS)}]",
        ),
    ] = None,
    deals: Annotated[
        str,
        typer.Option("--deals", metavar="N", help="Deals that each variant plays; 250k and 1M work, too."),
    ] = DEFAULT_DEALS,
    precision: Annotated[
        str | None,
        typer.Option(
            "--precision",
            metavar="METRIC=HALF",
            help="Instead, play until the metric's differences have intervals of that half width.",
        ),
    ] = None,
    most: Annotated[
        str, typer.Option("--max-deals", metavar="N", help="With --precision, the most deals.")
    ] = DEFAULT_MOST,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", metavar="VARIANT", help="Compare with this variant, as 'handoff=none'."),
    ] = None,
    plot: PlotOption = None,
    level: LevelOption = str(LEVEL),
    seed: SeedOption = DEFAULT_SEED,
    threads: ThreadsOption = DEFAULT_THREADS,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """Play variants of the rules on the same deals, and say for each metric whether the change matters.

    Example: calcsim compare --rules advanced --vary handoff=shield,none --players 2-6

    A verdict is "matters" (the difference is beyond the margin), "no matter" (within it) or "undecided".
    Line-ups of different policies (--policy greedy,random) play every deal in all rotations.
    """
    style = output_format(as_json, as_csv)
    check_plot(plot)
    if not vary:
        raise UsageError(
            "nothing to compare: give --vary FIELD=A,B, as handoff=shield,none (see calcsim rules show)"
        )
    from calcsim.experiments.design import build_design

    design = build_design(
        rules,
        changes or (),
        vary=vary,
        players=None
        if _varies(vary, "players") and players == str(DEFAULT_PLAYERS)
        else parse_players(players),
        policies=policies or (None if _varies(vary, "policy") else [DEFAULT_POLICY]),
        metrics=metrics or METRICS,
        baseline=baseline,
        seed=seed,
        deals=parse_whole(deals, "--deals", 100, 10**10),
        precision=_precision(precision, most),
        level=parse_level(level),
    )
    refuse_special(design)
    announce([name for cell in design.cells() for name in cell.line_up])
    from calcsim.experiments.comparing import compare_design

    games = design.deals * design.games_per_deal()
    with Progress(games) as progress:
        found = compare_design(design, threads=threads, progress=progress)
    if found.stopped_by == "most":
        say(f"the precision was not reached within {found.deals:,} deals (--max-deals)")
    if plot is not None:
        from calcsim.report.style import save

        write_plot(plot, save(found.figure(), plot.suffix[1:]))
    if style == "json":
        write_json(_object(found))
    elif style == "csv":
        table = found.effects.astype(object).where(found.effects.notna(), None)
        write_csv({str(key): cell for key, cell in row.items()} for row in table.to_dict("records"))
    else:
        _show(found)


def _varies(vary: list[str], name: str) -> bool:
    return any(text.partition("=")[0].strip() == name for text in vary)


def _precision(text: str | None, most: str) -> Precision | None:
    from calcsim.experiments.plan import Precision

    if text is None:
        return None
    metric, equals, width = text.partition("=")
    try:
        half_width = float(width.removesuffix("%")) / (100 if width.endswith("%") else 1)
    except ValueError:
        half_width = 0.0
    if not equals or not 0 < half_width < 1e9:
        raise UsageError(f"--precision {text!r}: must be METRIC=HALF with a number above 0, as turns=0.05")
    return Precision(metric.strip(), half_width, parse_whole(most, "--max-deals", 1_000, 10**10))


def _object(found: Comparison) -> dict[str, Any]:
    from calcsim.version import ENGINE_VERSION, RULES_VERSION, __version__

    design = found.design
    return {
        "variants": [
            {"name": v.name, "rules": v.rules.label, "fingerprint": v.rules.fingerprint}
            for v in design.variants
        ],
        "baseline": design.variants[design.baseline].name,
        "seed": design.seed,
        "level": design.level,
        "deals": found.deals,
        "games": found.games,
        "stopped_by": found.stopped_by,
        "versions": {"calcsim": __version__, "rules": RULES_VERSION, "engine": ENGINE_VERSION},
        "estimates": found.estimates.to_dict("records"),
        "effects": found.effects.to_dict("records"),
    }


def _show(found: Comparison) -> None:
    """Print a table for each group and kind of difference."""
    from calcsim.report.rows import read_effects

    design = found.design
    base = design.variants[design.baseline]
    rules = base.rules
    effects = read_effects(found.effects)
    judged = sum(bool(effect.verdict) for effect in effects)
    write_text(
        f"baseline {base.name}: {rules.label} ({rules.fingerprint}); {found.deals:,} deals, "
        f"{found.games:,} games, seed {design.seed}"
    )
    write_text(
        f"intervals at {percent(design.level)}; {judged} verdicts, by Holm's method so that all hold together"
        "\npairing: how many times the games it would take without common deals"
    )
    for group in design.groups:
        members = [effect for effect in effects if effect.group == group.label]
        for kind, at in dict.fromkeys((effect.kind, effect.at) for effect in members):
            block = [effect for effect in members if (effect.kind, effect.at) == (kind, at)]
            for label in dict.fromkeys(effect.effect for effect in block):
                _show_block(group.label, kind, at, label, [e for e in block if e.effect == label])
    _show_ends(found)


_KINDS: Final = {
    "contrast": "",
    "main": "main effect of ",
    "interaction": "interaction of ",
    "conditional": "",
}


def _show_block(group: str, kind: str, at: str, label: str, effects: list[Effect]) -> None:
    from calcsim.report import prose

    changed = prose.changed_text(effects[0].changed)
    notes = [f"something happened otherwise on {changed} of the deals"] if changed else []
    heading = f"\n{group}: {_KINDS[kind]}{label}{f' at {at}' if at else ''}"
    write_text(heading + (f"\n{notes[0]}" if notes else ""))
    rows = []
    for effect in effects:
        number, interval = prose.difference_text(effect)
        if kind != "contrast":
            interval = prose.all_text(effect) or interval
        rows.append(
            (
                effect.metric,
                prose.level_text(effect, effect.baseline_value),
                number,
                interval,
                prose.margin_text(effect).replace(prose.POINTS, "pp").replace("percentage point", "pp"),
                effect.verdict or "no margin",
                prose.reduction_text(effect.reduction),
            )
        )
    interval = "interval" if kind == "contrast" else "simultaneous interval"
    header = ("metric", "baseline", "difference", interval, "margin", "verdict", "pairing")
    write_text(format_table(header, rows, "lrrrrlr"))
    for effect in effects:
        if effect.verdict == "undecided" and effect.more is not None:
            write_text(
                f"{effect.metric}: about {prose.count(prose.round_up(effect.more))} more deals would decide"
            )


def _show_ends(found: Comparison) -> None:
    """Print the games that did not end by themselves, so that none goes unseen."""
    from calcsim.report.rows import read_values

    for value in read_values(found.estimates):
        reason = value.metric.removeprefix("end.")
        if value.metric in ("end.stalled", "end.turn-limit") and value.estimate:
            games = f"{100 * value.estimate:.3g} % of {value.games:,} games"
            write_text(f"\n{value.group}, {value.variant}: {games} ended by {reason}")
