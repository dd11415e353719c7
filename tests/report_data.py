"""Results of made-up studies, as the reports read them: realistic numbers, no game played."""

from __future__ import annotations

import functools
import itertools
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from calcsim.experiments.plan import Choice, Design, Factor, Group, Main, Precision, Study, Variant
from calcsim.report import build
from calcsim.report.model import Report
from calcsim.rules import preset

DEALS = 200_000
Z = 1.959963984540054

BACKGROUND = """Advanced Calc is a card game: who first gets rid of all cards wins. A *shield* puts one of
your cards in front of a player who has few left, so that this player has one more to get rid of.

Rules come and go in such games; a rule that only makes games longer is a burden."""

ANSWER = {
    "more": "Without the shield games are {difference} {unit} longer ({interval}).",
    "less": "Without the shield games are {difference} {unit} shorter ({interval}): it prolongs the game.",
    "no matter": "The shield does not change the length: {difference} {unit}, less than {margin}.",
    "undecided": "Nobody can tell yet; about {more} more deals would.",
}

EXPLORED = (
    ("cards_drawn.penalty", "cards", 6.1),
    ("cards_drawn.pass", "cards", 21.4),
    ("passes", "passes", 9.2),
    ("recycles", "recycles", 0.31),
    ("growths.line", "growths", 0.52),
    ("share.growth", "", 0.447),
    ("share.ring", "", 0.0768),
    ("avoided", "penalties", 0.21),
    ("avoid_uptake", "", 0.11),
    ("decisions", "decisions", 47.0),
    ("actions_per_decision", "actions", 4.31),
    ("finish.sum", "", 0.21),
    ("finish.same", "", 0.44),
    ("bonus.one-card", "", 0.02),
    ("share.set_penalty", "", 0.35),
)


def interval(value: float, error: float) -> tuple[float, float]:
    return value - Z * error, value + Z * error


def estimate_row(group: Group, variant: Variant, metric: str, base: str, value: float, **extra: Any) -> dict:
    unit = extra.pop("unit", "")
    error = extra.pop(
        "error", math.sqrt(max(value * (1 - value), 1e-12) / DEALS) if not unit else value / 900
    )
    low, high = interval(value, error)
    low = max(low, 0.0)
    high = 0.000015 if not error else high
    return {
        "group": group.label,
        "variant": variant.name,
        "players": group.players,
        "policies": group.policy,
        "metric": metric,
        "base_metric": base,
        "estimate": value,
        "error": error,
        "low": low,
        "high": high,
        "method": "normal" if unit else "wilson",
        "unit": unit,
        "per": "game",
        "level": 0.95,
        "deals": DEALS,
        "games": DEALS,
        "rules": variant.rules.label,
        "fingerprint": variant.rules.fingerprint,
        "seed": 1,
        **extra,
    }


def effect_row(
    group: Group,
    effect: str,
    metric: str,
    difference: float,
    error: float,
    *,
    base: str = "",
    margin: float | None,
    variant: str = "",
    baseline: str = "",
    baseline_value: float | None = None,
    unit: str = "",
    kind: str = "contrast",
    at: str = "",
    role: str = "primary",
    q: float = math.nan,
) -> dict[str, Any]:
    low, high = interval(difference, error)
    verdict, more, p = "", math.nan, math.nan
    if margin is not None and role == "primary":
        verdict = (
            "matters"
            if low > margin or high < -margin
            else "no matter"
            if -margin < low and high < margin
            else "undecided"
        )
        p = 0.0003 if verdict != "undecided" else 0.31
        more = 412_345.0 if verdict == "undecided" else math.nan
    value = math.nan if baseline_value is None else baseline_value
    return {
        "group": group.label,
        "players": group.players,
        "policies": group.policy,
        "kind": kind,
        "effect": effect,
        "at": at,
        "variant": variant,
        "baseline": baseline,
        "metric": metric,
        "base_metric": base or metric,
        "role": role,
        "baseline_value": value,
        "variant_value": value + difference,
        "difference": difference,
        "error": error,
        "low": low,
        "high": high,
        "low_all": low - 0.4 * error,
        "high_all": high + 0.4 * error,
        "reduction": 4.2,
        "changed": 0.634 if variant else math.nan,
        "margin": math.nan if margin is None else margin,
        "verdict": verdict,
        "p": p,
        "q": q,
        "more": more,
        "family": f"{role}: all groups",
        "unit": unit,
        "level": 0.95,
        "deals": DEALS,
        "games": DEALS,
        "seed": 1,
    }


def histogram(mean: float) -> np.ndarray:
    turns = np.arange(0, 400)
    shape = np.exp(-((np.log(np.maximum(turns, 1)) - math.log(mean)) ** 2) / 0.32)
    counts = np.floor(DEALS * shape / shape.sum()).astype(np.int64)
    counts[0] = 0
    return counts


def study(design: Design, main: Main, **texts: Any) -> Study:
    given = {
        "title": "The shield",
        "question": "Does the shield help, or only prolong the game?",
        "background": BACKGROUND,
        "answer": ANSWER,
        "notes": ("Numbers in this report are made up.",),
    } | texts
    return Study(path=Path("experiments/shield.toml"), name="shield", design=design, main=main, **given)


def results(the_study: Study, estimates: list[dict], effects: list[dict], turns: dict) -> SimpleNamespace:
    examples = [
        SimpleNamespace(
            command="calcsim replay --players 4 --seed 20260101 --game 1234", why="The longest game:"
        ),
        SimpleNamespace(
            command="calcsim replay --players 4 --seed 20260101 --game 77", why="A star is formed:"
        ),
    ]
    manifest = {
        "versions": {"calcsim": "0.1.0", "numpy": "2.4.6"},
        "seed": 20260101,
        "study": the_study.as_dict(),
        "files": {"summary.csv": "ab" * 32, "effects.csv": "cd" * 32},
    }
    return SimpleNamespace(
        study=the_study,
        estimates=pd.DataFrame(estimates),
        effects=pd.DataFrame(effects),
        manifest=manifest,
        turns=turns,
        examples=examples,
    )


def _values(group: Group, variant: Variant, shift: float) -> list[dict]:
    players = group.players or 4
    slow = 1.7 if group.policy == "random" else 1.0
    turns = slow * (12 + 6.2 * players) + shift
    rows = [estimate_row(group, variant, "turns", "turns", turns, unit="turns")]
    for seat in range(players):
        edge = (0.012 - 0.024 * seat / (players - 1)) * (1 + 0.1 * shift)
        rows.append(estimate_row(group, variant, f"win.seat{seat}", "win.*", 1 / players + edge))
    rows.append(estimate_row(group, variant, "share.star", "share.star", 0.001 * players + 0.0002 * shift))
    rows.append(
        estimate_row(group, variant, "end.stalled", "end.stalled", 0.0, error=0.0, method="upper-bound")
    )
    rows.append(
        estimate_row(group, variant, "end.turn-limit", "end.turn-limit", 0.00012 if slow > 1 else 0.000005)
    )
    rows.append(estimate_row(group, variant, "share.tied_first", "share.tied_first", 0.0123))
    return rows


def shield() -> SimpleNamespace:
    """One factor of three values, 2 to 6 players, two policies, a hundred exploratory effects."""
    base = preset("advanced")
    values = ("shield", "none", "push")
    variants = tuple(Variant(f"handoff={value}", base.replace(handoff=value), (value,)) for value in values)
    groups = tuple(Group(players, policy) for policy in ("greedy", "random") for players in range(2, 7))
    choices = (
        Choice("turns", 2.0, True),
        Choice("edge.largest", 0.01, True),
        Choice("win.*", 0.01, True),
        Choice("share.star", 0.001, True),
        *(Choice(name, None, False) for name, _, _ in EXPLORED),
    )
    design = Design(variants, groups, 0, (Factor("handoff", values),), choices, 20260101, DEALS)
    main = Main("turns", "handoff=none", groups[2])
    rng = np.random.default_rng(5)
    estimates, effects, turns = [], [], {}
    for group in groups:
        players = group.players or 4
        greedy = group.policy == "greedy"
        for variant in variants:
            shift = {"shield": 0.0, "none": -0.9 * players if greedy else -0.7, "push": 0.45 * players - 0.3}[
                variant.levels[0]
            ]
            rows = _values(group, variant, shift)
            estimates += rows
            turns[group.label, variant.name] = histogram(rows[0]["estimate"])
            if variant is variants[0]:
                first = {row["metric"]: row["estimate"] for row in rows}
                continue
            names = {"variant": variant.name, "baseline": variants[0].name}
            label = f"{variant.name} vs {variants[0].name}"
            effects.append(
                effect_row(
                    group,
                    label,
                    "turns",
                    shift,
                    0.021,
                    margin=2.0,
                    unit="turns",
                    baseline_value=first["turns"],
                    **names,
                )
            )
            effects.append(
                effect_row(
                    group,
                    label,
                    "edge.largest",
                    0.004 * shift,
                    0.0011,
                    margin=0.01,
                    baseline_value=0.012,
                    **names,
                )
            )
            for row in rows[1 : 1 + players]:
                gap = row["estimate"] - first[row["metric"]]
                effects.append(
                    effect_row(
                        group,
                        label,
                        row["metric"],
                        gap,
                        0.0006,
                        base="win.*",
                        margin=0.01,
                        baseline_value=first[row["metric"]],
                        **names,
                    )
                )
            effects.append(
                effect_row(
                    group,
                    label,
                    "share.star",
                    0.0002 * shift,
                    0.00004,
                    margin=0.001,
                    baseline_value=first["share.star"],
                    **names,
                )
            )
            for metric, unit, level in EXPLORED:
                error = level / 2000
                gap = float(rng.normal(0, 6)) * error
                effects.append(
                    effect_row(
                        group,
                        label,
                        metric,
                        gap,
                        error,
                        margin=None,
                        unit=unit,
                        baseline_value=level,
                        role="exploratory",
                        q=0.0001 if abs(gap) > 3 * error else 0.4,
                        **names,
                    )
                )
    return results(study(design, main), estimates, effects, turns)


def factorial() -> SimpleNamespace:
    """Three factors of two values, two groups, interactions with conditional effects."""
    base = preset("advanced")
    factors = (
        Factor("handoff", ("shield", "none")),
        Factor("ko", ("on", "off")),
        Factor("star_halving", ("on", "off")),
    )
    variants = tuple(
        Variant(
            ", ".join(f"{factor.name}={value}" for factor, value in zip(factors, levels, strict=True)),
            base.replace(handoff=levels[0], ko=levels[1] == "on", star_halving=levels[2] == "on"),
            levels,
        )
        for levels in itertools.product(*(factor.values for factor in factors))
    )
    groups = (Group(4, "greedy"), Group(4, "greedy,random,random,random"))
    choices = (Choice("turns", 2.0, True), Choice("share.star", 0.001, True), Choice("passes", None, False))
    design = Design(
        variants, groups, 0, factors, choices, 7, DEALS, precision=Precision("turns", 0.05, 2_000_000)
    )
    changes = {factor.name: f"{factor.name}: {factor.values[0]} -> {factor.values[1]}" for factor in factors}
    estimates, effects, turns = [], [], {}
    sizes = {"handoff": -3.1, "ko": -0.4, "star_halving": 0.02}
    for group in groups:
        for variant in variants:
            rows = _values(group, variant, -3.1 * (variant.levels[0] == "none"))
            estimates += rows
            turns[group.label, variant.name] = histogram(rows[0]["estimate"])
            size = -3.1 * (variant.levels[0] == "none") - 0.4 * (variant.levels[1] == "off")
            if variant is not variants[0]:
                label = f"{variant.name} vs {variants[0].name}"
                sides = {"variant": variant.name, "baseline": variants[0].name, "baseline_value": 37.0}
                effects.append(
                    effect_row(group, label, "turns", size, 0.02, margin=2.0, unit="turns", **sides)
                )
        for name, size in sizes.items():
            sides = {"kind": "main"}
            effects.append(
                effect_row(group, changes[name], "turns", size, 0.02, margin=2.0, unit="turns", **sides)
            )
            effects.append(
                effect_row(group, changes[name], "share.star", size / 4000, 0.0003, margin=0.001, **sides)
            )
            effects.append(
                effect_row(
                    group,
                    changes[name],
                    "passes",
                    size / 5,
                    0.02,
                    margin=None,
                    unit="passes",
                    role="exploratory",
                    q=0.01,
                    **sides,
                )
            )
        for first, second in itertools.combinations(sizes, 2):
            both = f"{changes[first]} × {changes[second]}"
            size = 2.6 if (first, second) == ("handoff", "ko") else 0.03
            effects.append(
                effect_row(group, both, "turns", size, 0.04, margin=2.0, unit="turns", kind="interaction")
            )
        for value, size in (("on", -4.4), ("off", -1.8)):
            effects.append(
                effect_row(
                    group,
                    changes["handoff"],
                    "turns",
                    size,
                    0.03,
                    margin=2.0,
                    unit="turns",
                    kind="conditional",
                    at=f"ko={value}",
                )
            )
        for value, size in (("shield", -1.7), ("none", 0.9)):
            effects.append(
                effect_row(
                    group,
                    changes["ko"],
                    "turns",
                    size,
                    0.03,
                    margin=2.0,
                    unit="turns",
                    kind="conditional",
                    at=f"handoff={value}",
                )
            )
    main = Main("turns", "handoff=none, ko=on, star_halving=on", groups[0])
    return results(study(design, main), estimates, effects, turns)


def stars() -> SimpleNamespace:
    """One variant: nothing is compared."""
    variant = Variant("advanced", preset("advanced"))
    groups = tuple(Group(players, policy) for policy in ("greedy", "random") for players in range(2, 7))
    choices = (Choice("share.star", None, True), Choice("turns", None, True), Choice("win.*", None, False))
    design = Design((variant,), groups, 0, (), choices, 20260101, DEALS)
    estimates, turns = [], {}
    for group in groups:
        rows = _values(group, variant, 0.0)
        estimates += rows
        turns[group.label, variant.name] = histogram(rows[0]["estimate"])
    answer = {"estimate": "A star comes up in {value} of the games of four ({interval})."}
    texts = {"title": "Stars", "question": "How often does a star happen?", "answer": answer}
    the_study = study(design, Main("share.star", "advanced", groups[2]), **texts)
    found = results(the_study, estimates, [], turns)
    found.effects = pd.DataFrame(columns=list(shield().effects.columns))
    return found


def lone() -> SimpleNamespace:
    """One group, nine listed variants with long names, one metric."""
    base = preset("advanced")
    variants = [Variant("as it is", base)]
    sizes = [0.0, -3.6, 0.1, 2.4, 1.97, 35.0, -0.3, 0.0, 6.0]
    for index in range(1, 9):
        variants.append(
            Variant(
                f"shields from hands of {index + 4} cards, at most {index} cards",
                base.replace(shield_min_hand=index + 4, shield_max_target=index),
            )
        )
    group = Group(4, "greedy")
    design = Design(tuple(variants), (group,), 0, (), (Choice("turns", 2.0, True),), 3, DEALS)
    estimates, effects, turns = [], [], {}
    for variant, size in zip(variants, sizes, strict=True):
        estimates += _values(group, variant, size)
        turns[group.label, variant.name] = histogram(37 + size)
        if variant is not variants[0]:
            effects.append(
                effect_row(
                    group,
                    f"{variant.name} vs as it is",
                    "turns",
                    size,
                    0.02 if size else 0.0,
                    margin=2.0,
                    unit="turns",
                    variant=variant.name,
                    baseline="as it is",
                    baseline_value=37.0,
                )
            )
    return results(
        study(design, Main("turns", variants[4].name, group), answer={}), estimates, effects, turns
    )


@functools.cache
def report(name: str) -> Report:
    """The report of one of the studies above, built once; not to be changed."""
    return build({"shield": shield, "factorial": factorial, "stars": stars, "lone": lone}[name]())
