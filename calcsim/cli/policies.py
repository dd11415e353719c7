"""``calcsim policies``: who can sit at the table, and players of one's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from calcsim.cli.common import (
    DEFAULT_PLAYERS,
    DEFAULT_RULES,
    CsvOption,
    JsonOption,
    PlayersOption,
    RulesOption,
    SetOption,
    output_format,
    parse_whole,
    say,
    write_csv,
    write_json,
    write_text,
)
from calcsim.cli.compiling import announce
from calcsim.cli.progress import LINE_SECONDS
from calcsim.cli.tables import format_table
from calcsim.errors import UsageError
from calcsim.policies import check_name, describe, names
from calcsim.policies.authoring import FAR
from calcsim.policies.naming import FORBID, RESTRICTIONS
from calcsim.policies.registry import BUILT_IN

if TYPE_CHECKING:
    from calcsim.policies.checking import Report
    from calcsim.policies.naming import Option, PolicyName

app = typer.Typer(
    help="The policies that can play: list, show, and new, check and features for your own.",
    rich_markup_mode=None,
)

EXIT_WRONG: Final = 1
MOST_POSITIONS: Final = 1_000_000
_FEW_OPTIONS: Final = 6

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A policy, or FILE.py:FUNCTION.")]


@app.callback()
def policies() -> None:
    """Policies that can play."""


@app.command("list", short_help="List the policies that come with calcsim.")
def list_policies(as_json: JsonOption = False) -> None:
    """List the policies that come with calcsim, from the weakest to the strongest, with their options."""
    if as_json:
        write_json(
            [
                {"name": name, "summary": describe(name), "options": _options(BUILT_IN[name].options)}
                for name in names()
            ]
        )
        return
    rows = [(name, describe(name), _few(BUILT_IN[name].options)) for name in names()]
    write_text(format_table(("name", "what it does", "options"), rows))
    write_text(f"\nAll take {FORBID}=, one or more of {', '.join(RESTRICTIONS)}, joined by +.")
    write_text("A player of your own: calcsim policies new my_players.py")


def _few(options: tuple[Option, ...]) -> str:
    if len(options) > _FEW_OPTIONS:
        return f"{len(options)}, see show"
    return " ".join(f"{option.name}={option.default:g}" for option in options)


def _options(options: tuple[Option, ...]) -> list[dict[str, Any]]:
    return [
        {"name": o.name, "default": o.default, "least": o.low, "greatest": o.high, "about": o.doc}
        for o in options
    ]


@app.command("show", short_help="Say all about a policy.")
def show(
    name: NameArgument,
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    players: PlayersOption = DEFAULT_PLAYERS,
    as_json: JsonOption = False,
) -> None:
    """Say what a policy does, what options it takes, and how it weighs, if it does.

    Some policies weigh otherwise under other rules, and with other numbers of players.
    """
    from calcsim.rules import load_rules

    split = check_name(name)
    rule_set = load_rules(rules, changes or [])
    rule_set.validate_players(players)
    about, options, form = _about(split)
    weights = _weights(split, rule_set, players)
    if as_json:
        write_json(
            {"name": name, "form": form, "summary": about, "options": _options(options), "weights": weights}
        )
        return
    write_text(f"{split.base}: {about}" if about else split.base)
    if options and not weights:
        rows = [(o.name, f"{o.default:g}", _span(o), o.doc) for o in options]
        header = ("option", "default", "range", "about" if any(o.doc for o in options) else "")
        write_text("\n" + format_table(header, rows, "lr"))
    if weights:
        weighed = [(key, f"{value:g}", _doc(key)) for key, value in weights.items()]
        write_text(f"\nWeights, {rule_set.label}, {players} players:")
        write_text(format_table(("feature", "weight", "meaning"), weighed, "lr"))
    every = [(f"{FORBID}={key}", doc) for key, doc in RESTRICTIONS.items()]
    write_text("\n" + format_table(("of every policy", ""), every))


def _span(option: Option) -> str:
    if (option.low, option.high) == (-FAR, FAR):
        return "any number"
    return f"{option.low:g} to {option.high:g}"


def _about(split: PolicyName) -> tuple[str, tuple[Option, ...], str]:
    """Return what a policy does, its options, and what it is."""
    if split.base in BUILT_IN:
        entry = BUILT_IN[split.base]
        return entry.doc, entry.options, "built-in"
    if split.base.endswith(".toml"):
        return "weights of a file", (), "weights"
    from calcsim.policies.plugin import find, plain

    function, mark = find(split)
    doc = " ".join((plain(function).__doc__ or "").split())
    return doc, mark.options, mark.form


def _weights(split: PolicyName, rules: Any, players: int) -> dict[str, float]:
    """Return the weights by feature of a policy that weighs, without those of 0; none of another."""
    if not split.base.endswith(".toml") and not (split.base in BUILT_IN and BUILT_IN[split.base].loader):
        return {}
    from calcsim.policies import resolve
    from calcsim.policies.features import FEATURES

    policy = resolve(split.text, rules, players)
    if policy.kind != "weigher":
        return {}
    return {feature.name: weight for feature, weight in zip(FEATURES, policy.params, strict=False) if weight}


def _doc(feature: str) -> str:
    from calcsim.policies.features import FEATURES

    return next(f"{entry.doc} ({entry.clause})" for entry in FEATURES if entry.name == feature)


@app.command("new", short_help="Write a file of players to begin with.")
def new(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file, such as my_players.py.")],
) -> None:
    """Write a file of players to begin with: they play as they are, and explain each part."""
    from calcsim.policies.template import template

    path = Path(file if file.endswith(".py") else f"{file}.py")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(template(path.as_posix()))
    except FileExistsError:
        raise UsageError(f"{str(path)!r} exists already, and is left as it is; give another name") from None
    write_text(str(path))
    say(f"now: calcsim policies check {path}:careful")


@app.command("features", short_help="List everything that a player can read.")
def features(as_json: JsonOption = False, as_csv: CsvOption = False) -> None:
    """List everything that a player of your own can read, and what players by weights weigh.

    Functions are those of calcsim.players; features are the options of weighted, and the keys of [weights].
    """
    style = output_format(as_json, as_csv)
    rows = _readable()
    if style == "json":
        write_json(rows)
    elif style == "csv":
        write_csv(rows)
    else:
        for about in dict.fromkeys((row["for"], row["about"]) for row in rows):
            write_text(f"{about[0]}: {about[1]}")
            table = [
                (row["name"], f"{row['meaning']} [{row['values']}]", row["clause"])
                for row in rows
                if (row["for"], row["about"]) == about
            ]
            write_text(format_table(("", "", ""), table) + "\n")


def _readable() -> list[dict[str, str]]:
    from calcsim.players import TOOLS
    from calcsim.policies.features import FEATURES

    rows = [
        {
            "for": "functions of calcsim.players",
            "about": tool.group,
            "name": tool.call,
            "values": tool.values,
            "clause": tool.clause,
            "meaning": tool.doc,
        }
        for tool in TOOLS
    ]
    rows += [
        {
            "for": "features of weighted",
            "about": "what weights are for",
            "name": feature.name,
            "values": feature.range,
            "clause": feature.clause,
            "meaning": feature.doc,
        }
        for feature in FEATURES
    ]
    return rows


@app.command("check", short_help="Say whether a policy is sound, and how fast.")
def check(
    name: NameArgument,
    positions: Annotated[
        str, typer.Option("--positions", metavar="N", help="At how many positions it is asked.")
    ] = "5000",
    as_json: JsonOption = False,
) -> None:
    """Ask a policy at thousands of positions, of every preset and of other rules, with 2 to 6 players.

    It is sound if it always answers with a legal action, raises nothing, gives the same answer to the same
    question and to one that differs only in hidden cards, and changes nothing of what it is shown. Ends with
    status 1 if anything is wrong.
    """
    n = parse_whole(positions, "--positions", 1, MOST_POSITIONS)
    announce([name])
    from calcsim.policies.checking import check as ask

    report = ask(name, positions=n, progress=_teller(n))
    if as_json:
        write_json(_record(report))
    else:
        _show(report)
    if not report.sound:
        raise typer.Exit(EXIT_WRONG)


def _teller(positions: int) -> Callable[[int], None]:
    """Return what says now and then how far a long check is."""
    import time

    last = time.monotonic()

    def tell(done: int) -> None:
        nonlocal last
        if time.monotonic() - last > LINE_SECONDS:
            last = time.monotonic()
            say(f"asked at {done:,} of {positions:,} positions")

    return tell


def _record(report: Report) -> dict[str, Any]:
    return {
        "name": report.name,
        "sound": report.sound,
        "positions": report.positions,
        "rules": report.n_rules,
        "chance": round(report.chance, 4),
        "decisions_per_second": report.decisions_per_second and round(report.decisions_per_second),
        "wrong": [
            {
                "check": finding.check,
                "what": finding.text,
                "positions": finding.times,
                "first": finding.where,
                "position": finding.position,
            }
            for finding in report.findings
        ],
    }


def _show(report: Report) -> None:
    from calcsim.policies.checking import CHECKS

    write_text(
        f"{report.name}: asked at {report.positions:,} positions of {report.n_rules} rule sets, "
        "2 to 6 players\n"
    )
    wrong = {finding.check: finding for finding in report.findings}
    rows = []
    for key, text in CHECKS.items():
        finding = wrong.get(key)
        if finding is None:
            unknown = key == "games" and report.decisions_per_second is None
            rows.append(("-" if unknown else "ok", f"{key}: {text}" + " (not tried)" * unknown))
            continue
        said = finding.text
        if finding.where:
            said += f"; at {finding.times:,} of {report.positions:,} positions, first: {finding.where}"
        rows.append(("WRONG", f"{key}: {said}"))
    write_text(format_table(("", ""), rows))
    if report.decisions_per_second:
        write_text(
            f"\n{report.decisions_per_second:,.0f} decisions a second on one thread (advanced, 4 players); "
            f"draws lots in {report.chance:.0%} of them"
        )
    if not report.sound:
        n = len(report.findings)
        write_text(f"\n{n} thing{'' if n == 1 else 's'} wrong; --json shows the positions")
