"""The report of a study of strategies: the answer, who plays, the figures, the tables, what it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from calcsim.report.basis import again
from calcsim.report.model import Block, Items, Paragraph, Report, Section, Table
from calcsim.report.prose import listed
from calcsim.report.strategy_answers import Said, say
from calcsim.report.strategy_tables import details, glance, method, pictures
from calcsim.rules import FIELDS, PRESET_DOCS

if TYPE_CHECKING:
    from calcsim.experiments.strategies.design import StrategyDesign, StrategyStudy


class Source(Protocol):
    """What a report is written from; `StrategyResults` is one."""

    @property
    def study(self) -> StrategyStudy:
        """Texts and design."""
        ...

    @property
    def tables(self) -> Sequence[Any]:
        """What came out at each of the design's places."""
        ...

    @property
    def manifest(self) -> Mapping[str, Any]:
        """Versions and checksums."""
        ...


def build(results: Source) -> Report:
    """Return the report of a study's results, its figures drawn."""
    study, tables = results.study, results.tables
    drawn = pictures(study, tables)
    said = [say(study, i, found) for i, found in enumerate(tables)]
    opening: list[Block] = [Paragraph(said[study.main].evidence, said[study.main].answer(study))]
    if len(said) > 1:
        opening.append(Paragraph(_agreement(study, said)))
    opening.append(Paragraph(study.background))
    opening.append(Paragraph(f"Who plays: {_players(study.design)}."))
    opening.append(drawn[study.main])
    if len(said) > 1:
        opening.append(glance(study, tables))
    sections = []
    for i, (place, found) in enumerate(zip(study.design.places, tables, strict=True)):
        blocks = details(study, found)
        if i in drawn and i != study.main:
            blocks = [drawn[i], *blocks]
        heading = place.label[:1].upper() + place.label[1:]
        sections.append(Section(heading, tuple(blocks)))
    if study.notes:
        sections.append(Section("Notes", (Items(study.notes),)))
    sections.append(Section("Method", (Items(tuple(method(study, tables))),)))
    sections.append(Section("Rules in force", tuple(_rules(study.design))))
    sections.append(again(study, results.manifest))
    return Report(study.name, study.title, study.question, tuple(opening), tuple(sections))


def _agreement(study: StrategyStudy, said: Sequence[Said]) -> str:
    """Return whether all tables say the same."""
    whom = f" for `{study.main_policy}`" if study.main_policy else ""
    if len({one.short for one in said}) == 1:
        how_many = "Both" if len(said) == 2 else f"All {len(said)}"
        return f"{how_many} tables say the same{whom}: {said[0].short}."
    by_words: dict[str, list[str]] = {}
    for place, one in zip(study.design.places, said, strict=True):
        by_words.setdefault(one.short, []).append(place.label)
    parts = [f"{words} ({'; '.join(labels)})" for words, labels in by_words.items()]
    return f"**It depends on the table**{whom}: {'; '.join(parts)}."


def _players(design: StrategyDesign) -> str:
    """Return how those who play decide."""
    from calcsim.policies import describe, names
    from calcsim.policies.naming import RESTRICTIONS, split_name

    texts = []
    for name in design.policies:
        split = split_name(name)
        known = split.base in names()
        text = describe(split.base).rstrip(".") if known else "a player in a file of its own"
        if known and split.options:
            text += f", with {', '.join(f'{key}={value}' for key, value in split.options.items())}"
        without = [word for i, word in enumerate(RESTRICTIONS) if split.forbidden >> i & 1]
        if without:
            text += f", without {listed(without)}"
        texts.append(f"`{name}`: {text}")
    return "; ".join(texts)


def _rules(design: StrategyDesign) -> list[Block]:
    """Return the rule sets, and all their fields, those that differ first."""
    known = list(dict.fromkeys(place.rules for place in design.places))
    named = tuple((f"`{rules.label}`", f"`{rules.fingerprint}`", PRESET_DOCS[rules.name]) for rules in known)
    rows = []
    for name, entry in FIELDS.items():
        values = [entry.format(getattr(rules, name)) for rules in known]
        clauses = ", ".join(f"R{clause}" for clause in entry.clauses)
        rows.append((f"`{name}`", *values, entry.doc, clauses))
    differ = [row for row in rows if len(set(row[1:-2])) > 1]
    rest = [row for row in rows if row not in differ]
    caption = "Every field of the rules, those that differ first; `calcsim rules explain 7.4` tells a clause"
    columns = ("field", *(rules.label for rules in known), "meaning", "clauses")
    return [
        Table(("rules", "fingerprint", "what they are"), named, "lll", "What is played"),
        Table(
            columns, tuple(differ + rest), "l" * len(columns), caption, len(differ) or None, "manifest.json"
        ),
    ]
