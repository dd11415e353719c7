"""``calcsim rules``: what the rules are and how rule sets differ."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from calcsim.cli.common import JsonOption, SetOption, write_json, write_text
from calcsim.cli.tables import format_table, output_width
from calcsim.errors import UsageError, nearest
from calcsim.rules import FIELDS, PRESET_DOCS, PRESET_NAMES, PRESETS, Field, RuleSet, load_rules

app = typer.Typer(help="Rule sets and the rulebook: list, show, diff, explain.", rich_markup_mode=None)

WIDEST_TEXT = 100
"""Longer lines are hard to read, however wide the terminal is."""

RulesArgument = Annotated[str, typer.Argument(metavar="PRESET|FILE", help="A preset or a TOML file.")]


@app.command("list")
def list_rules(as_json: JsonOption = False) -> None:
    """List the presets."""
    if as_json:
        write_json(
            [
                {"name": name, "fingerprint": rules.fingerprint, "summary": PRESET_DOCS[name]}
                for name, rules in PRESETS.items()
            ]
        )
        return
    rows = [(name, rules.fingerprint, PRESET_DOCS[name]) for name, rules in PRESETS.items()]
    write_text(format_table(("name", "fingerprint", "summary"), rows))


@app.command("show")
def show(source: RulesArgument, changes: SetOption = None, as_json: JsonOption = False) -> None:
    """Show every field of a rule set, as a TOML file that --rules reads."""
    rules = load_rules(source, changes or ())
    if as_json:
        write_json(_description(rules))
        return
    write_text(f"# {rules.label}\n# fingerprint {rules.fingerprint}\npreset = {_toml(rules.name)}\n")
    for name, entry in FIELDS.items():
        write_text(f"# {entry.doc}  {entry.range_text}  (R{', R'.join(entry.clauses)})")
        write_text(f"{name} = {_toml(getattr(rules, name))}")


@app.command("diff")
def diff(first: RulesArgument, second: RulesArgument, as_json: JsonOption = False) -> None:
    """Show the fields in which two rule sets differ."""
    one, other = load_rules(first), load_rules(second)
    names = [name for name in FIELDS if getattr(one, name) != getattr(other, name)]
    if as_json:
        values, others = one.as_dict(), other.as_dict()
        write_json({name: [values[name], others[name]] for name in names})
        return
    if not names:
        write_text("no field differs")
        return
    rows = [
        (
            name,
            *(FIELDS[name].format(getattr(rules, name)) for rules in (one, other)),
            f"R{FIELDS[name].clauses[0]}",
        )
        for name in names
    ]
    write_text(format_table(("field", first, second, "clause"), rows))


@app.command("explain")
def explain(
    topic: Annotated[
        str,
        typer.Argument(metavar="CLAUSE|FIELD", help="A clause (6.6), a section (6) or a field (handoff)."),
    ],
) -> None:
    """Print a clause or a section of the rulebook, or what a field of the rules does."""
    from calcsim.rules import book

    number = topic.strip().removeprefix("R").removeprefix("r")
    if topic in FIELDS:
        write_text(_field_text(FIELDS[topic]))
    elif number.isdecimal():
        section = book.section(number)
        write_text(
            "\n".join((f"{section.number}. {section.title}", "", *map(_fill, book.paragraphs(section))))
        )
    elif number[:1].isdecimal():
        write_text(_clause_text(number))
    else:
        raise UsageError(
            f"nothing to explain about {topic!r}: must be a clause, section or field{nearest(topic, FIELDS)}"
        )


def _description(rules: RuleSet) -> dict[str, Any]:
    return {
        "preset": rules.name,
        "fingerprint": rules.fingerprint,
        "rules": rules.as_dict(),
        "differences": rules.differences(),
    }


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _field_text(entry: Field) -> str:
    presets = ", ".join(
        f"{entry.format(value)} in {name}" for name, value in zip(PRESET_NAMES, entry.presets, strict=True)
    )
    head = f"{entry.name}: {entry.doc}\n  may be: {entry.range_text}\n  is: {presets}\n"
    return "\n".join((head, *(_clause_text(number) for number in entry.clauses)))


def _clause_text(number: str) -> str:
    from calcsim.rules import book

    return _fill(f"{number} {book.clause(number)}")


def _fill(paragraph: str) -> str:
    import textwrap

    if paragraph.startswith("|"):
        return paragraph
    width = min(output_width(), WIDEST_TEXT)
    return textwrap.fill(paragraph, width, subsequent_indent="    ", break_on_hyphens=False)
