"""What a report rests on: method, rules in force, manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calcsim.report import prose
from calcsim.report.facts import Facts
from calcsim.report.model import Block, Commands, Items, Paragraph, Section, Table
from calcsim.report.rows import doc, is_share, source
from calcsim.rules import FIELDS, PRESET_DOCS, RuleSet
from calcsim.stats.intervals import METHODS
from calcsim.stats.text import percent


def basis(facts: Facts) -> list[Section]:
    """Return the sections that tell how the numbers came about and how to get them again."""
    return [
        Section("Method", tuple(_method(facts))),
        Section("Rules in force", tuple(_rules(facts))),
        again(facts.source.study, facts.source.manifest),
    ]


def _method(facts: Facts) -> list[Block]:
    design = facts.design
    level = percent(design.level)
    deals = sorted({value.deals for value in facts.values if value.deals})
    played = {(value.group, value.variant): value.games or 0 for value in facts.values}
    texts = [
        "The unit is the deal: it fixes every chance event of a game (cards, reshuffles), whatever the rules "
        f"and the players' choices are. {_deals(deals)} of seed {design.seed} in each cell; "
        f"{prose.count(sum(played.values()))} games in {prose.count(len(played))} cells in all.",
    ]
    if design.precision is not None:
        rule = design.precision
        texts.append(
            f"Deals were added until the intervals of `{rule.metric}` reached ±{rule.half_width:g}, or "
            f"{prose.count(rule.most)} deals; looked at now and then, which leaves the level as it is."
        )
    if any("/" in place.policy for place in facts.places):
        texts.append(
            "Line-ups of different policies are seated in all rotations on each deal, and a deal's value is "
            "the sum over them; rotations of one deal are not counted as independent games."
        )
    if facts.effects:
        texts.append(
            "All variants play the same deals, and differences are taken deal by deal; that takes most of "
            f"the luck out of them. Intervals are {level} intervals, normal over deals unless said otherwise."
        )
    methods = [
        METHODS[name] for name in dict.fromkeys(value.method for value in facts.values) if name in METHODS
    ]
    if methods:
        texts.append(f"Intervals of shares: {'; '.join(methods)}.")
    if any(effect.verdict for effect in facts.effects):
        texts.append(
            "*matters*: the difference is beyond its margin, the interval lies outside it. *no matter*: it "
            "is within the margin, by two one-sided tests. *undecided*: neither; the deals that a decision "
            "would still take are an estimate. The p beside a verdict belongs to it, and is corrected after "
            "Holm within its family; so a verdict can be more careful than its interval."
        )
    if any(effect.q is not None for effect in facts.effects):
        texts.append(
            "Exploratory differences have q-values, after Benjamini and Hochberg, against no difference."
        )
    errors = [
        value.estimate for value in facts.values if value.metric == "v.error" and value.estimate is not None
    ]
    if errors:
        texts.append(
            "The course of games (lead changes, drama, lock-in) is followed turn by turn on the first deals. "
            "Win probabilities come from a table of wins by coarse positions, fitted on one half of the "
            "deals and used on the other; they miss the share that then won by at most "
            f"{100 * max(errors):.2g} percentage points on average in any cell (`v.error`)."
        )
    families = [name for name in dict.fromkeys(effect.family for effect in facts.effects) if name]
    if families:
        texts.append(f"Families: {'; '.join(families)}.")
    blocks: list[Block] = [Items(tuple(texts))]
    cells = []
    for choice in design.choices:
        row = next((value for value in facts.values if value.base_metric == choice.metric), None)
        unit = "" if row is None else row.unit
        shares = is_share(choice.metric, unit)
        words = prose.difference_unit(choice.metric, unit)
        margin = (
            ""
            if choice.margin is None
            else prose.with_unit(f"{choice.margin * (100 if shares else 1):.10g}", words)
        )
        per = "" if row is None else row.per
        role = "declared" if choice.primary else "explored"
        cells.append((f"`{choice.metric}`", doc(choice.metric), per, margin, role, source(choice.metric)))
    if cells:
        columns = ("metric", "what is counted", "for each", "margin", "role", "source")
        blocks.append(Table(columns, tuple(cells), "llllll", "Metrics of this study"))
    return blocks


def _deals(deals: list[int]) -> str:
    if not deals:
        return "Deals"
    if len(deals) == 1:
        return f"{prose.count(deals[0])} deals"
    return f"{prose.count(deals[0])} to {prose.count(deals[-1])} deals"


def _rules(facts: Facts) -> list[Block]:
    design = facts.design
    base: RuleSet = design.variants[design.baseline].rules
    cells = tuple(
        (f"`{variant.name}`", f"`{variant.rules.label}`", f"`{variant.rules.fingerprint}`")
        for variant in design.variants
    )
    blocks: list[Block] = [
        Table(("variant", "rules", "fingerprint"), cells, "lll", f"`{base.name}`: {PRESET_DOCS[base.name]}")
    ]
    rows = []
    for name, entry in FIELDS.items():
        values = [entry.format(getattr(variant.rules, name)) for variant in design.variants]
        of_base = entry.format(getattr(base, name))
        others = [value for value in dict.fromkeys(values) if value != of_base]
        clauses = ", ".join(f"R{clause}" for clause in entry.clauses)
        rows.append((f"`{name}`", of_base, ", ".join(others), entry.doc, clauses))
    # What is varied comes first; the other fields are the frame.
    rows.sort(key=lambda row: not row[2])
    varied = sum(bool(row[2]) for row in rows)
    caption = (
        "Every field of the rules, those that are varied first; `calcsim rules explain 7.4` tells a clause"
    )
    shown = varied or None
    blocks.append(
        Table(
            ("field", "baseline", "varied to", "meaning", "clauses"),
            tuple(rows),
            "lllll",
            caption,
            shown,
            "manifest.json",
        )
    )
    return blocks


def again(study: Any, manifest: Mapping[str, Any]) -> Section:
    """Return the section that tells how to run a study again, and what its manifest says."""
    from calcsim.experiments.plan import portable

    file = portable(study.path)
    blocks: list[Block] = [
        Commands("Run the study again:", (f"calcsim study run {file}",)),
        Commands("Check that it gives the same bytes:", (f"calcsim study verify {file}",)),
    ]
    cells = [(f"`{name}`", _plain(value)) for name, value in _flat(manifest)]
    if cells:
        blocks.append(Table(("what", "is"), tuple(cells), "ll", "From manifest.json, which has the rest"))
    else:
        blocks.append(Paragraph("There is no manifest beside these results."))
    return Section("Again, and the same", tuple(blocks))


def _flat(manifest: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the manifest's short entries: versions, seed and checksums, not the study nor the cells."""
    found: list[tuple[str, Any]] = []
    for name, value in manifest.items():
        if isinstance(value, Mapping) and name != "study":
            # Of the files only the tables: the report cannot hold its own checksum.
            found += [
                (f"{name} {key}", item)
                for key, item in value.items()
                if isinstance(item, (str, int, float)) and (name != "files" or key.endswith(".csv"))
            ]
        elif isinstance(value, (str, int, float)):
            found.append((name, value))
    return found


def _plain(value: Any) -> str:
    text = str(value)
    return f"`{text}`" if len(text) >= 12 and text.isalnum() else text
