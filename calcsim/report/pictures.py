"""Which figures a study's results call for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from calcsim.report.facts import TIMES, Facts, short
from calcsim.report.figures import SHOWN_PERCENTILES, Mark, Panel, by_place, forest, lengths
from calcsim.report.model import Picture
from calcsim.report.prose import POINTS, count, difference_unit, margin_text
from calcsim.report.rows import Effect, Value, is_share
from calcsim.stats.text import percent

MOST_ROWS: Final = 24
MOST_PANELS: Final = 6
MOST_SERIES: Final = 6
MOST_COLUMNS: Final = 5
MOST_SMALL: Final = 15
"""Small panels in a figure."""
MOST_SCREENED: Final = 15

_SEAT_METRICS: Final = ("win.", "sole_win.", "edge.")


def _scale(base_metric: str, unit: str) -> float:
    return 100.0 if is_share(base_metric, unit) else 1.0


def _mark(effect: Effect, at: str | int, series: str, scale: float | None = None) -> Mark:
    by = _scale(effect.base_metric, effect.unit) if scale is None else scale
    low, high = (None if bound is None else by * bound for bound in (effect.low, effect.high))
    return Mark(at, series, by * (effect.difference or 0.0), low, high)


def _value_mark(value: Value, at: str | int, series: str) -> Mark:
    by = _scale(value.base_metric, value.unit)
    low, high = (None if bound is None else by * bound for bound in (value.low, value.high))
    return Mark(at, series, by * (value.estimate or 0.0), low, high)


def _axis(metric: str, base_metric: str, unit: str) -> str:
    return f"difference in {metric} [{difference_unit(base_metric, unit) or 'no unit'}]"


def _value_axis(value: Value) -> str:
    return f"{value.metric}\n[{'%' if is_share(value.base_metric, value.unit) else value.unit or 'no unit'}]"


def _played(rows: Sequence[Effect] | Sequence[Value]) -> str:
    """Return the deals and the level of what a figure shows."""
    deals = sorted({row.deals for row in rows if row.deals})
    levels = sorted({row.level for row in rows if row.level})
    known = (
        "" if not deals else f"{count(deals[0])}{f' to {count(deals[-1])}' if len(deals) > 1 else ''} deals"
    )
    bars = f"bars: {percent(levels[0])} intervals, where wider than the marks" if levels else ""
    return "; ".join(part for part in (known, bars) if part)


def _band(effect: Effect) -> str:
    return (
        ""
        if effect.margin is None
        else f"; grey band: less than {margin_text(effect)}, which does not matter"
    )


def _by_size(effects: Sequence[Effect]) -> list[str]:
    """Return the changes, the one with the largest difference anywhere first."""
    largest: dict[str, float] = {}
    for effect in effects:
        largest[short(effect)] = max(largest.get(short(effect), 0.0), abs(effect.difference or 0.0))
    return sorted(largest, key=lambda name: -largest[name])


def _row(facts: Facts, group: str, *, with_policy: bool) -> str:
    place = facts.place(group)
    if place.players is None or (with_policy and place.policy):
        return place.label
    return f"{place.players} players"


def _main_panels(facts: Facts, effects: Sequence[Effect]) -> tuple[list[Panel], int, int]:
    """Return panels, how many stand beside one another, and the rows left out."""
    changes = _by_size(effects)
    groups = list(dict.fromkeys(effect.group for effect in effects))
    policies = list(dict.fromkeys(facts.place(group).policy for group in groups))
    players = list(dict.fromkeys(facts.place(group).players for group in groups))
    if len(groups) == 1 or len(changes) > MOST_PANELS:
        # A row for each change, the groups as panels (policies) and series (players).
        kept = changes[:MOST_ROWS]
        panels = [
            Panel(
                policy if len(policies) > 1 else "",
                tuple(
                    _mark(effect, change, _row(facts, effect.group, with_policy=False))
                    for change in kept
                    for effect in effects
                    if short(effect) == change and facts.place(effect.group).policy == policy
                ),
            )
            for policy in policies
        ]
        return panels, min(len(panels), 2), len(changes) - len(kept)
    by_policy = len(policies) > 1 and len(policies) <= MOST_SERIES and len(players) > 1
    panels = [
        Panel(
            change if len(changes) > 1 else "",
            tuple(
                _mark(
                    effect,
                    _row(facts, effect.group, with_policy=not by_policy and len(policies) > 1),
                    facts.place(effect.group).policy if by_policy else "",
                )
                for effect in effects
                if short(effect) == change
            ),
        )
        for change in changes
    ]
    return panels, min(len(panels), 2), 0


def main_picture(facts: Facts) -> Picture:
    """Return the figure of the answer: the main metric's differences in all groups, or its estimates."""
    main = facts.main
    if main is None:
        return _estimates(facts, "main")
    effects = facts.main_effects
    panels, columns, left = _main_panels(facts, effects)
    cut = f"; the {MOST_ROWS} largest, {left} more in effects.csv" if left else ""
    figure = forest(
        panels,
        axis=_axis(main.metric, main.base_metric, main.unit),
        note=f"{_played(effects)}{_band(main)}{cut}",
        margin=None if main.margin is None else main.margin * _scale(main.base_metric, main.unit),
        columns=columns,
    )
    one = len({effect.effect for effect in effects}) == 1
    what = f"for {main.effect}" if one else "for each change, largest first"
    base = f"`{main.baseline}`" if main.baseline else "the baseline's value of the factor"
    caption = f"What changes in `{main.metric}`, {what}. To the right of 0: more than with {base}."
    return Picture("main", figure, caption, f"Differences in {main.metric}, {what}, with intervals")


def _shown_variants(facts: Facts) -> list[str]:
    """Return the variants that fit a figure: all, or the baseline and the one that the answer is about."""
    names = facts.variants
    if len(names) <= 4:
        return names
    main = facts.main
    return [names[0], main.variant if main is not None and main.variant in names[1:] else names[1]]


def _fair(value: Value, places: Sequence[int]) -> tuple[tuple[int, float], ...]:
    if not value.base_metric.startswith(("win.", "sole_win.")):
        return ()
    return tuple((place, 100 / place) for place in places)


def _estimates(facts: Facts, name: str) -> Picture:
    """Return the main metric by players (or by group), where it is estimated and not compared."""
    value = facts.main_value
    assert value is not None
    chosen = [value.metric]
    for choice in facts.design.choices:
        found = next((row.metric for row in facts.values if row.base_metric == choice.metric), None)
        if found and found not in chosen and choice.primary and len(chosen) < MOST_PANELS:
            chosen.append(found)
    rows = [row for row in facts.values if row.metric in chosen]
    if len({place.players for place in facts.places if place.players}) < 2:
        panels = [
            Panel(
                f"{metric} [{'%' if is_share(row.base_metric, row.unit) else row.unit}]",
                tuple(_value_mark(row, row.group, "") for row in facts.only(rows, metric)),
            )
            for metric in chosen[:1]
            for row in facts.only(rows, metric)[:1]
        ]
        figure = forest(panels, axis=_value_axis(value).replace("\n", " "), note=_played(rows), margin=None)
    else:
        panels = []
        for metric in chosen:
            of_metric = facts.only(rows, metric)
            places = sorted({row.players for row in of_metric if row.players})
            panels.append(
                Panel(
                    "",
                    tuple(
                        _value_mark(row, row.players or 0, facts.place(row.group).policy) for row in of_metric
                    ),
                    _value_axis(of_metric[0]),
                    _fair(of_metric[0], places),
                )
            )
        figure = by_place(
            panels, axis="players", label="", note=_played(rows), columns=min(2, len(panels)), shared=False
        )
    names = ", ".join(f"`{metric}`" for metric in chosen)
    return Picture(name, figure, f"{names} by number of players.", f"{names} by players".replace("`", ""))


def players_picture(facts: Facts) -> Picture | None:
    """Return the main metric by players for each variant; None where players do not vary."""
    main = facts.main
    if main is None or len({place.players for place in facts.places if place.players}) < 2:
        return None
    shown = _shown_variants(facts)
    rows = [row for row in facts.only(facts.values, main.metric) if row.variant in shown and row.players]
    if not rows:
        return None
    policies = list(dict.fromkeys(facts.place(row.group).policy for row in rows))[:MOST_PANELS]
    panels = []
    for policy in policies:
        of_policy = [row for row in rows if facts.place(row.group).policy == policy]
        of_policy.sort(key=lambda row: shown.index(row.variant))
        places = sorted({row.players or 0 for row in of_policy})
        marks = tuple(_value_mark(row, row.players or 0, row.variant) for row in of_policy)
        panels.append(Panel(policy, marks, fair=_fair(rows[0], places)))
    figure = by_place(
        panels,
        axis="players",
        label=_value_axis(rows[0]),
        note=_played(rows),
        columns=min(len(panels), 3),
    )
    caption = f"`{main.metric}` by number of players, with each variant; a panel for each policy."
    return Picture("players", figure, caption, f"{main.metric} by players for each variant")


def seats_picture(facts: Facts) -> Picture | None:
    """Return who wins by seat, panels by players; None where the study is not about that."""
    asked = {choice.metric for choice in facts.design.choices} | {facts.source.study.main.metric}
    if not any(metric.startswith(_SEAT_METRICS) for metric in asked):
        return None
    shown = _shown_variants(facts)
    rows = [
        row
        for row in facts.values
        if row.metric.startswith("win.seat") and row.variant in shown and row.players
    ]
    if not rows:
        return None
    rows.sort(key=lambda row: shown.index(row.variant))
    panels: list[Panel] = []
    policies = list(dict.fromkeys(place.policy for place in facts.places))
    for place in sorted(facts.places, key=lambda place: policies.index(place.policy)):
        of_place = [row for row in rows if row.group == place.label]
        if not of_place or len(panels) == MOST_SMALL:
            continue
        seats = sorted({int(row.metric.removeprefix("win.seat")) for row in of_place})
        marks = []
        for row in of_place:
            mark = _value_mark(row, int(row.metric.removeprefix("win.seat")), row.variant)
            assert row.players is not None
            fair = 100 / row.players
            low, high = (None if bound is None else bound - fair for bound in (mark.low, mark.high))
            marks.append(Mark(mark.at, mark.series, mark.value - fair, low, high))
        panels.append(Panel(place.label, tuple(marks), fair=tuple((seat, 0.0) for seat in seats)))
    figure = by_place(
        panels,
        axis="seat",
        label=f"games won, less the\nfair share [{POINTS}]",
        note=f"seat 0 begins; {_played(rows)}",
        columns=_small_columns(facts, len(panels)),
    )
    caption = "How often each seat wins, less its fair share: one game in as many as there are players."
    return Picture("seats", figure, caption, "Share of games won by each seat, less the fair share")


def _small_columns(facts: Facts, n_panels: int) -> int:
    """Return how many small panels stand beside one another: a row for each policy, if that fits."""
    policies = len({place.policy for place in facts.places})
    if policies > 1 and n_panels == len(facts.places) and n_panels % policies == 0:
        return min(n_panels // policies, MOST_COLUMNS)
    return min(n_panels, 3)


def factors_picture(facts: Facts) -> Picture | None:
    """Return the factors' effects and interactions on the main metric; None if none are crossed."""
    main = facts.main
    if main is None or not facts.design.factorial:
        return None
    effects = [
        effect
        for effect in facts.effects
        if effect.metric == main.metric
        and effect.kind in ("main", "interaction")
        and effect.group == main.group
    ]
    if not effects:
        return None
    ranked = sorted(effects, key=lambda effect: -abs(effect.difference or 0.0))
    shown = ranked[:MOST_ROWS]
    left = len(ranked) - len(shown)
    cut = f"; the {MOST_ROWS} largest, {left} more in effects.csv" if left else ""
    figure = forest(
        [Panel("", tuple(_mark(effect, effect.effect, effect.kind) for effect in shown))],
        axis=_axis(main.metric, main.base_metric, main.unit),
        note=f"{main.group}; {_played(effects)}{_band(main)}{cut}",
        margin=None if main.margin is None else main.margin * _scale(main.base_metric, main.unit),
    )
    caption = (
        f"What each factor does to `{main.metric}`, averaged over the others (main), and how far two or "
        f"more do not simply add up (interaction, ×); {main.group}."
    )
    return Picture("factors", figure, caption, f"Main effects and interactions on {main.metric}")


def margins_picture(facts: Facts) -> Picture | None:
    """Return all declared questions of the main group on one axis, in multiples of their margins."""
    main = facts.main
    if main is None:
        return None
    effects = [
        effect
        for effect in facts.primary
        if effect.group == main.group and effect.margin and effect.kind == main.kind
    ]
    if len({effect.metric for effect in effects}) < 2:
        return None
    effects.sort(key=lambda effect: -abs((effect.difference or 0.0) / (effect.margin or 1.0)))
    one = len({effect.effect for effect in effects}) == 1
    marks = tuple(
        _mark(
            effect,
            effect.metric if one else f"{effect.metric}, {short(effect)}",
            "",
            1 / (effect.margin or 1.0),
        )
        for effect in effects[:MOST_ROWS]
    )
    left = len(effects) - len(marks)
    cut = f"; the {MOST_ROWS} largest, {left} more in effects.csv" if left else ""
    figure = forest(
        [Panel(main.effect if one else "", marks)],
        axis="difference, as a multiple of the metric's margin",
        note=f"{main.group}; {_played(effects)}; grey band: within the margin, which does not matter{cut}",
        margin=1.0,
    )
    caption = f"The declared questions on one scale, largest first ({main.group})."
    return Picture("margins", figure, caption, "Differences as multiples of their margins")


def material_interactions(facts: Facts) -> list[Effect]:
    """Return the interactions beyond their margins, the declared questions' only, largest first."""
    found = [
        effect for effect in facts.primary if effect.kind == "interaction" and effect.verdict == "matters"
    ]
    return sorted(found, key=lambda effect: -abs((effect.difference or 0.0) / (effect.margin or 1.0)))


def conditionals(facts: Facts, interaction: Effect) -> list[Effect]:
    """Return the effects of the changes of an interaction at each level of the other."""
    changes = interaction.effect.split(TIMES)
    return [
        effect
        for effect in facts.effects
        if effect.kind == "conditional"
        and effect.group == interaction.group
        and effect.metric == interaction.metric
        and effect.effect in changes
    ]


def interactions_picture(facts: Facts) -> Picture | None:
    """Return the effects at each level of the other factor, where they depend on it."""
    found = [effect for effect in material_interactions(facts) if conditionals(facts, effect)]
    if not found or facts.main is None:
        return None
    metric = facts.main.metric if any(e.metric == facts.main.metric for e in found) else found[0].metric
    shown: dict[tuple[str, str], Panel] = {}
    rows: list[Effect] = []
    for interaction in (effect for effect in found if effect.metric == metric):
        for change in interaction.effect.split(TIMES)[:1]:
            of_change = [row for row in conditionals(facts, interaction) if row.effect == change]
            if of_change and len(shown) < MOST_PANELS and (interaction.group, change) not in shown:
                marks = tuple(_mark(row, f"at {row.at}", "") for row in of_change)
                shown[interaction.group, change] = Panel(f"{change}; {interaction.group}", marks)
                rows += of_change
    first = rows[0]
    figure = forest(
        list(shown.values()),
        axis=_axis(first.metric, first.base_metric, first.unit),
        note=f"{_played(rows)}{_band(first)}",
        margin=None if first.margin is None else first.margin * _scale(first.base_metric, first.unit),
        columns=min(2, len(shown)),
    )
    caption = f"The effect on `{first.metric}` depends on what else is played: a row for each case."
    return Picture(
        "interactions", figure, caption, f"Effects on {first.metric} at each level of other factors"
    )


def screened(facts: Facts) -> list[Effect]:
    """Return the exploratory effects, the largest for their spread first."""
    found = [effect for effect in facts.effects if effect.role != "primary" and effect.difference is not None]
    return sorted(found, key=lambda effect: -abs(effect.in_deviations))


def screened_picture(facts: Facts, notable: Sequence[Effect]) -> Picture | None:
    """Return the largest of the exploratory effects on one scale."""
    finite = [effect for effect in notable if math.isfinite(effect.in_deviations)][:MOST_SCREENED]
    if len(finite) < 3:
        return None
    groups = len({effect.group for effect in finite})
    changes = len({effect.effect for effect in finite})
    marks = []
    for effect in finite:
        where = [short(effect) + (f" at {effect.at}" if effect.at else "")] if changes > 1 else []
        where += [effect.group] if groups > 1 else []
        name = "\n".join(part for part in (effect.metric, ", ".join(where)) if part)
        size = effect.in_deviations
        by = size / (effect.difference or 1.0)
        marks.append(_mark(effect, name, "", by))
    figure = forest(
        [Panel(finite[0].effect if changes == 1 else "", tuple(marks))],
        axis="difference, in standard deviations of one deal's difference",
        note=f"{_played(finite)}; the {len(finite)} largest of {count(len(notable))} that stand out",
        margin=None,
    )
    return Picture(
        "screened",
        figure,
        "What else changed, largest first; nobody asked for these beforehand.",
        "Exploratory differences, largest first",
    )


def lengths_picture(facts: Facts) -> Picture | None:
    """Return the distribution of turns, a panel for each group."""
    turns = facts.source.turns
    shown = _shown_variants(facts)
    panels = []
    for place in facts.places:
        variants = [(name, turns[place.label, name]) for name in shown if (place.label, name) in turns]
        if variants:
            panels.append((place.label, variants))
    left = max(0, len(panels) - MOST_SMALL)
    panels = panels[:MOST_SMALL]
    if not panels:
        return None
    games = sorted({int(counts.sum()) for _, variants in panels for _, counts in variants})
    span = count(games[0]) if len(games) == 1 else f"{count(games[0])} to {count(games[-1])}"
    cut = f"; {left} more groups not shown" if left else ""
    marks = ", ".join(str(share) for share in SHOWN_PERCENTILES)
    note = (
        f"{span} games each; above the curves: the {marks} % points (ends of the line, mark in it); "
        f"the longest 0.5 % of the games may lie to the right{cut}"
    )
    figure = lengths(panels, note=note, columns=_small_columns(facts, len(panels)))
    return Picture("turns", figure, "How long games last.", "Distribution of the turns of a game")
