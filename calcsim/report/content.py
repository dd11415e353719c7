"""A study's results put in order: the opening, what was found, and what it rests on."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

from calcsim.report import pictures, prose
from calcsim.report.basis import basis
from calcsim.report.facts import Facts, gather, short
from calcsim.report.figures import SHOWN_PERCENTILES, percentile
from calcsim.report.glance import glance
from calcsim.report.model import Block, Commands, Items, Paragraph, Report, Section, Source, Table
from calcsim.report.rows import Effect, Value, doc
from calcsim.stats.intervals import share
from calcsim.stats.text import percent, share_text

NOTABLE_Q: Final = 0.05
"""Exploratory effects below this false-discovery rate are told."""

MOST_NOTABLE: Final = 15
MOST_SENTENCES: Final = 6
MOST_OPENING_ROWS: Final = 16

_BAD_ENDS: Final = {
    "end.stalled": "stalled",
    "end.turn-limit": "turn limit",
    "share.tied_first": "place 1 shared",
}
_END_WORDS: Final = {
    "end.stalled": "stalled",
    "end.turn-limit": "ended at the turn limit",
    "share.tied_first": "ended with place 1 shared",
}


def build(results: Source) -> Report:
    """Return the report of a study's results.

    Raises
    ------
    CalcsimError
        If what the study's answer is about is not among the results.
    """
    facts = gather(results)
    study = results.study
    found = [
        Section("The declared questions", tuple(_declared(facts))),
        Section("What surprised", tuple(_surprises(facts))),
        Section("Distributions", tuple(_distributions(facts))),
        Section("Games to look at", tuple(_examples(facts))),
        *basis(facts),
    ]
    return Report(
        study.name,
        study.title,
        study.question,
        tuple(_opening(facts)),
        tuple(section for section in found if section.blocks),
    )


def _paragraphs(text: str) -> list[Paragraph]:
    return [Paragraph(" ".join(part.split())) for part in text.split("\n\n") if part.strip()]


def _opening(facts: Facts) -> list[Block]:
    study = facts.source.study
    blocks: list[Block] = []
    details: list[Block] = []
    if facts.main is not None:
        blocks.append(Paragraph(prose.evidence(facts.main), prose.answer(facts.main, study.answer)))
        details = _agreement(facts, facts.main)
    elif facts.main_value is not None:
        first, *details = _estimated(facts, facts.main_value)
        blocks.append(first)
    # Words first, so that the table and the figure mean something to one who has never seen the game.
    blocks += [block for block in details if isinstance(block, Paragraph)]
    blocks += _paragraphs(study.background)
    if players := _players(facts):
        blocks.append(Paragraph(players))
    blocks.append(pictures.main_picture(facts))
    if (overview := glance(facts)) is not None:
        blocks.append(overview)
    blocks += [block for block in details if not isinstance(block, Paragraph)]
    return blocks


def _players(facts: Facts) -> str:
    """Return how those who played decide, as far as they are calcsim's own."""
    from calcsim.policies import describe, names

    policies = dict.fromkeys(name for value in facts.values for name in re.split("[/,]", value.policies))
    known = [f"`{name}`: {describe(name).rstrip('.')}" for name in policies if name in names()]
    return f"Who plays: {'; '.join(known)}." if known else ""


def _estimated(facts: Facts, main: Value) -> list[Block]:
    """Return the answer of a study that compares nothing: the main metric, and its values by group."""
    text = facts.source.study.answer.get("estimate", "")
    estimate, interval = prose.value_text(main)
    values = {"value": estimate, "interval": interval, "unit": main.unit}
    answer = (
        text.format_map(values) if text else f"`{main.metric}` is {prose.with_unit(estimate, main.unit)}."
    )
    rows = [value for value in facts.values if value.metric == main.metric]
    level = percent(main.level or 0)
    words = (
        f"{prose.metric_text(main.metric, main.base_metric)}: {prose.with_unit(estimate, main.unit)}"
        f" ({level} interval {interval}); {main.group}, from {prose.count(main.deals or 0)} deals"
        f" ({prose.count(main.games or 0)} games). Nothing is compared, so there is no margin and no verdict."
    )
    blocks: list[Block] = [Paragraph(words, answer)]
    if len(rows) > 1:
        ranked = sorted((row for row in rows if row.estimate is not None), key=lambda row: row.estimate or 0)
        least, most = ranked[0], ranked[-1]
        blocks.append(
            Paragraph(
                f"Over all {len(rows)} groups it goes from {prose.value_with_interval(least)} with "
                f"{least.group} to {prose.value_with_interval(most)} with {most.group}."
            )
        )
        cells = tuple((row.group, *prose.value_text(row), prose.count(row.games or 0)) for row in rows)
        caption = f"`{main.metric}`{f' [{main.unit}]' if main.unit else ''}, {level} intervals"
        blocks.append(Table(("group", "estimate", "interval", "games"), cells, "lrrr", caption))
    return blocks


def _agreement(facts: Facts, main: Effect) -> list[Block]:
    """Return what the main change does in each group, and whether the groups agree."""
    effects = [effect for effect in facts.main_effects if effect.effect == main.effect]
    if len(effects) < 2:
        return []
    unit = prose.difference_unit(main.base_metric, main.unit)
    cells = []
    for effect in effects:
        number, interval = prose.difference_text(effect)
        sides = (prose.level_text(effect, side) for side in (effect.baseline_value, effect.variant_value))
        cells.append((effect.group, *sides, number, interval, prose.verdict_text(effect)))
    columns = ("group", "baseline", "with the change", "difference", "interval", "verdict")
    caption = f"{prose.change_text(main)}: `{main.metric}`{f', differences in {unit}' if unit else ''}"
    table = Table(columns, tuple(cells), "lrrrrl", caption)
    return [Paragraph(_agreement_text(facts, effects)), table]


def _agreement_text(facts: Facts, effects: Sequence[Effect]) -> str:
    """Return in a sentence or two whether players and policies change the verdict."""
    outcomes = {prose.outcome_words(effect) for effect in effects}
    if len(outcomes) == 1:
        return f"The verdict is the same in all {len(effects)} groups: {outcomes.pop()}."
    policies = list(dict.fromkeys(facts.place(effect.group).policy for effect in effects))
    by_players: dict[int | None, set[str]] = {}
    for effect in effects:
        by_players.setdefault(facts.place(effect.group).players, set()).add(prose.outcome_words(effect))
    disagree = len(policies) > 1 and any(len(words) > 1 for words in by_players.values())
    parts = []
    for policy in policies:
        of_policy = [effect for effect in effects if facts.place(effect.group).policy == policy]
        by_outcome: dict[str, list[str]] = {}
        for effect in of_policy:
            players = facts.place(effect.group).players
            by_outcome.setdefault(prose.outcome_words(effect), []).append(
                "" if players is None else str(players)
            )
        words = []
        for outcome, players_of in by_outcome.items():
            counts = [text for text in players_of if text]
            words.append(f"{outcome}{f' with {prose.listed(counts)} players' if counts else ''}")
        parts.append(f"{f'Among `{policy}`: ' if policy else ''}{', '.join(words)}")
    head = (
        "**Policies disagree**: the verdict depends on who plays."
        if disagree
        else "**The verdict depends on the group.**"
    )
    return f"{head} {'. '.join(parts)}."


def _effect_row(effect: Effect, *, metric: bool) -> tuple[str, ...]:
    change = f"{short(effect)} at {effect.at}" if effect.at else short(effect)
    number, interval = prose.difference_text(effect)
    return (
        effect.group,
        change,
        *((f"`{effect.metric}`",) if metric else ()),
        prose.level_text(effect, effect.baseline_value),
        prose.level_text(effect, effect.variant_value),
        number,
        interval,
        prose.all_text(effect),
        prose.verdict_text(effect),
        prose.p_text(effect.p),
        prose.changed_text(effect.changed),
        prose.reduction_text(effect.reduction),
    )


def _thinned(table: Table) -> Table:
    """Return a table without the columns that are empty in all rows."""
    kept = [
        index for index in range(len(table.columns)) if index == 0 or any(row[index] for row in table.rows)
    ]
    return Table(
        tuple(table.columns[index] for index in kept),
        tuple(tuple(row[index] for index in kept) for row in table.rows),
        "".join(table.align[index] for index in kept),
        table.caption,
        table.shown,
        table.rest,
    )


_COLUMNS: Final = ("baseline", "with the change", "difference", "interval", "all at once", "verdict", "p")
_PAIRED: Final = ("deals changed", "paired gain")


def _declared(facts: Facts) -> list[Block]:
    """Return the tables of the primary metrics, one each, with their figures."""
    blocks: list[Block] = []
    for picture in (pictures.factors_picture(facts), pictures.margins_picture(facts)):
        if picture is not None:
            blocks.append(picture)
    effects = facts.primary
    for base in dict.fromkeys(effect.base_metric for effect in effects):
        blocks += _tables(facts, base, [effect for effect in effects if effect.base_metric == base])
    if effects:
        blocks.append(Paragraph(_legend(effects)))
    for other in (pictures.players_picture(facts), pictures.seats_picture(facts)):
        if other is not None:
            blocks.append(other)
    return blocks


def _tables(facts: Facts, base: str, effects: Sequence[Effect]) -> list[Block]:
    """Return the tables of one metric: of a factorial its effects first, then each variant on its own."""
    single = [effect for effect in effects if effect.kind == "contrast"]
    parts: list[tuple[Sequence[Effect], str, int | None]] = [(effects, "", None)]
    if facts.design.factorial and single:
        shown = MOST_OPENING_ROWS if len(single) > MOST_OPENING_ROWS else None
        single.sort(key=lambda effect: -abs(effect.difference or 0.0))
        parts = [
            ([effect for effect in effects if effect.kind != "contrast"], "; effects of the factors", None),
            (single, "; each variant, largest first", shown),
        ]
    blocks: list[Block] = []
    for rows, heading, shown in parts:
        if not rows:
            continue
        several = len({effect.metric for effect in rows}) > 1
        first = rows[0]
        unit = prose.difference_unit(base, first.unit)
        margin = f"; margin {prose.margin_text(first)}" if first.margin is not None else "; no margin"
        words = f" ({doc(base)})" if doc(base) not in ("", base) else ""
        against = {effect.baseline for effect in rows}
        single_base = f"; against `{first.baseline}`" if first.baseline and len(against) == 1 else ""
        caption = f"`{base}`{words}{heading}{single_base}{f'; differences in {unit}' if unit else ''}{margin}"
        columns = ("group", "change", *(("metric",) if several else ()), *_COLUMNS, *_PAIRED)
        align = "ll" + ("l" if several else "") + "rrrrrlrrr"
        cells = tuple(_effect_row(effect, metric=several) for effect in rows)
        blocks.append(_thinned(Table(columns, cells, align, caption, shown, "effects.csv")))
    return blocks


def _legend(effects: Sequence[Effect]) -> str:
    parts = []
    if any(prose.all_text(effect) for effect in effects):
        parts.append("*All at once*: intervals that hold together for the whole family.")
    if any(effect.changed is not None for effect in effects):
        parts.append("*Deals changed*: deals on which anything at all went differently.")
    if any(effect.reduction is not None for effect in effects):
        parts.append("*Paired gain*: how many times as many deals would be needed if they were not the same.")
    return " ".join(parts) or "Verdicts are explained under Method."


def _surprises(facts: Facts) -> list[Block]:
    blocks: list[Block] = []
    if facts.design.factorial:
        blocks += _interactions(facts)
    blocks += _ends(facts)
    blocks += _explored(facts)
    if facts.source.study.notes:
        blocks.append(Items(tuple(" ".join(note.split()) for note in facts.source.study.notes)))
    return blocks


def _interactions(facts: Facts) -> list[Block]:
    found = pictures.material_interactions(facts)
    if not found:
        judged = [e for e in facts.primary if e.kind == "interaction" and e.verdict]
        if not judged:
            return []
        undecided = sum(effect.verdict == "undecided" for effect in judged)
        rest = f" ({prose.count(undecided)} undecided)" if undecided else ""
        return [
            Paragraph(
                f"No interaction of the {len(judged)} judged goes beyond its margin{rest}: "
                "the changes add up."
            )
        ]
    texts = []
    for effect in found[:MOST_SENTENCES]:
        number, interval = prose.difference_text(effect)
        unit = prose.difference_unit(effect.base_metric, effect.unit)
        text = (
            f"{effect.group}: on `{effect.metric}` the changes `{effect.effect}` do not add up; together "
            f"they make {prose.with_unit(number, unit)} ({interval}) beyond the sum of each alone; "
            f"{prose.verdict_text(effect)}."
        )
        cases = [
            f"`{case.effect}` at `{case.at}` {' ('.join(prose.difference_text(case))})"
            for case in pictures.conditionals(facts, effect)
        ]
        texts.append(f"{text} By case: {'; '.join(cases)}." if cases else text)
    if len(found) > MOST_SENTENCES:
        texts.append(
            f"{len(found) - MOST_SENTENCES} more interactions beyond their margins are in the tables above."
        )
    blocks: list[Block] = [Paragraph("**Some changes interact**:"), Items(tuple(texts))]
    if picture := pictures.interactions_picture(facts):
        blocks.append(picture)
    return blocks


def _ends(facts: Facts) -> list[Block]:
    """Return how many games stalled, reached the turn limit or were tied."""
    rows: dict[tuple[str, str], dict[str, Value]] = {}
    for value in facts.values:
        if value.metric in _BAD_ENDS and value.estimate is not None and value.games:
            rows.setdefault((value.group, value.variant), {})[value.metric] = value
    names = [name for name in _BAD_ENDS if any(name in found for found in rows.values())]
    if not names:
        return []
    most = {
        name: max((v[name] for v in rows.values() if name in v), key=lambda v: v.estimate or 0)
        for name in names
    }
    sentences = []
    for name in names:
        worst = most[name]
        games = worst.games or 0
        seen = round((worst.estimate or 0) * games)
        words = _END_WORDS[name]
        if not seen:
            fewest = min(found[name].games or 0 for found in rows.values() if name in found)
            bound = share_text(share(0, fewest, worst.level or 0.95))[1]
            sentences.append(f"No game {words} ({bound} of the games of each cell).")
            continue
        rate, interval = prose.value_text(worst)
        sentences.append(
            f"Games {words} most often with {worst.group}, `{worst.variant}`: "
            f"{prose.count(seen)} of {prose.count(games)}, {rate} ({interval})."
        )
    seen_names = [name for name in names if (most[name].estimate or 0) > 0]
    blocks: list[Block] = [Paragraph(" ".join(sentences))]
    if seen_names:
        cells = []
        for (group, variant), found in rows.items():
            games = max(value.games or 0 for value in found.values())
            counted = (
                f"{prose.count(round((found[n].estimate or 0) * (found[n].games or 0)))} "
                f"({prose.value_text(found[n])[0]})"
                if n in found
                else ""
                for n in seen_names
            )
            cells.append((group, f"`{variant}`", prose.count(games), *counted))
        columns = ("group", "variant", "games", *(_BAD_ENDS[name] for name in seen_names))
        caption = "Games that did not end as they should"
        shown = None if len(cells) <= MOST_OPENING_ROWS else MOST_OPENING_ROWS
        blocks.append(
            Table(columns, tuple(cells), "llr" + "r" * len(seen_names), caption, shown, "summary.csv")
        )
    return blocks


def _explored(facts: Facts) -> list[Block]:
    """Return the exploratory effects: those that stand out, and all of them folded away."""
    ranked = pictures.screened(facts)
    if not ranked:
        return []
    notable = [effect for effect in ranked if effect.q is not None and effect.q < NOTABLE_Q]
    rest = [effect for effect in ranked if effect.q is None or effect.q >= NOTABLE_Q]
    text = (
        f"**Exploratory**: {prose.count(len(ranked))} further differences were screened; "
        f"{prose.count(len(notable))} stand out (q < {NOTABLE_Q:g}: about 1 in {round(1 / NOTABLE_Q)} of "
        "those told is expected to be chance). They are hints, not answers: nobody asked for them before. "
        "Sorted by size in standard deviations (sd) of one deal's difference."
    )
    blocks: list[Block] = [Paragraph(text)]
    if picture := pictures.screened_picture(facts, notable):
        blocks.append(picture)
    cells = []
    for effect in [*notable, *rest]:
        number, interval = prose.difference_text(effect)
        size = effect.in_deviations
        cells.append(
            (
                effect.group,
                f"{effect.effect} at {effect.at}" if effect.at else effect.effect,
                f"`{effect.metric}`",
                prose.level_text(effect, effect.baseline_value),
                prose.level_text(effect, effect.variant_value),
                prose.with_unit(number, prose.difference_unit(effect.base_metric, effect.unit)),
                interval,
                "no spread" if math.isinf(size) else f"{size:+.2f}".replace("-", prose.MINUS),
                prose.p_text(effect.q),
            )
        )
    columns = ("group", "change", "metric", "baseline", "changed", "difference", "interval", "sd", "q")
    shown = min(len(notable), MOST_NOTABLE)
    table = Table(
        columns, tuple(cells), "lllrrrrrr", "Exploratory differences, largest first", shown, "effects.csv"
    )
    blocks.append(_thinned(table))
    return blocks


def _distributions(facts: Facts) -> list[Block]:
    turns = facts.source.turns
    cells = []
    for place in facts.places:
        for variant in facts.variants:
            counts = turns.get((place.label, variant))
            if counts is None or not counts.sum():
                continue
            games = int(counts.sum())
            mean = float(sum(number * int(seen) for number, seen in enumerate(counts.tolist()))) / games
            points = (str(percentile(counts, point / 100)) for point in SHOWN_PERCENTILES)
            longest = max(number for number, seen in enumerate(counts.tolist()) if seen)
            cells.append(
                (
                    place.label,
                    f"`{variant}`",
                    prose.count(games),
                    f"{mean:.1f}",
                    *points,
                    prose.count(longest),
                )
            )
    if not cells:
        return []
    blocks: list[Block] = []
    if picture := pictures.lengths_picture(facts):
        blocks.append(picture)
    columns = ("group", "variant", "games", "mean", *(f"{point} %" for point in SHOWN_PERCENTILES), "longest")
    caption = "Turns of a game: so many per cent of the games had at most that many"
    shown = None if len(cells) <= MOST_OPENING_ROWS else MOST_OPENING_ROWS
    table = Table(columns, tuple(cells), "ll" + "r" * (len(columns) - 2), caption, shown, "summary.csv")
    return [*blocks, table]


def _examples(facts: Facts) -> list[Block]:
    return [Commands(example.why, (example.command,)) for example in facts.source.examples]
