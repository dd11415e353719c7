"""The tables of a comparison: estimates by cell, and effects of variants with their verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from calcsim.experiments.contrasts import BETWEEN, CONDITIONAL, Contrast, conditionals, contrasts
from calcsim.experiments.matches import games_to_tell
from calcsim.experiments.sheets import Quantity, Sheet, counted_sheets, course_sheets
from calcsim.stats.families import benjamini_hochberg, p_against_zero, simultaneous
from calcsim.stats.intervals import Estimate, normal_quantile, share
from calcsim.stats.linear import contrast, variance_reduction
from calcsim.stats.percentiles import PERCENTILES, percentile
from calcsim.stats.verdicts import Verdict, judge

if TYPE_CHECKING:
    from calcsim.experiments.flow import Flow
    from calcsim.experiments.plan import Choice, Design, PlanCell
    from calcsim.experiments.tally import Sums, Tally

ESTIMATE_COLUMNS: Final = (
    "group",
    "variant",
    "players",
    "policies",
    "metric",
    "base_metric",
    "estimate",
    "error",
    "low",
    "high",
    "method",
    "unit",
    "per",
    "level",
    "deals",
    "games",
    "rules",
    "fingerprint",
    "seed",
)
"""Columns of the estimates; one for each factor follows."""

EFFECT_COLUMNS: Final = (
    "group",
    "players",
    "policies",
    "kind",
    "effect",
    "at",
    "variant",
    "baseline",
    "metric",
    "base_metric",
    "role",
    "baseline_value",
    "variant_value",
    "difference",
    "error",
    "low",
    "high",
    "low_all",
    "high_all",
    "reduction",
    "changed",
    "margin",
    "verdict",
    "p",
    "q",
    "more",
    "family",
    "unit",
    "level",
    "deals",
    "games",
    "seed",
)
"""Columns of the effects."""

BLOCK_MEAN: Final = "mean of deals"


@dataclass(frozen=True)
class Lone:
    """An estimate of a cell that stands for itself: no paired difference is made of it.

    Attributes
    ----------
    cell
        Index of the cell.
    name, metric, unit, per
        As of a quantity.
    estimate
        With its interval.
    method
        How that came about.
    deals, games
        What it was taken from.
    """

    cell: int
    name: str
    metric: str
    unit: str
    per: str
    estimate: Estimate
    method: str
    deals: int
    games: int


@dataclass(frozen=True)
class Analysis:
    """What came out.

    Attributes
    ----------
    estimates
        A row for each number of each cell, columns `ESTIMATE_COLUMNS` and the factors.
    effects
        A row for each difference, columns `EFFECT_COLUMNS`.
    """

    estimates: pd.DataFrame
    effects: pd.DataFrame


def analyse(
    tally: Tally, sums: Sums, *, flows: Mapping[int, Flow] | None = None, lone: Sequence[Lone] = ()
) -> Analysis:
    """Return the tables of a design.

    Parameters
    ----------
    tally, sums
        What was summed up, and the sums.
    flows
        The course of games, by cell, where a metric needs it.
    lone
        Estimates to be listed besides.
    """
    design = tally.design
    cells = design.cells()
    sheets = counted_sheets(tally, sums) + course_sheets(design, flows or {})
    estimates = _Estimates(tally, sums, cells)
    estimates.add_sheets(sheets)
    for one in (*_percentiles(tally, sums), *_games_to_tell(tally, sheets), *lone):
        estimates.add_lone(one)
    effects = _effects(tally, sums, cells, sheets)
    return Analysis(estimates.table(), effects)


@dataclass
class _Estimates:
    tally: Tally
    sums: Sums
    cells: Sequence[PlanCell]
    records: list[dict[str, Any]] = field(default_factory=list)

    def add_sheets(self, sheets: Sequence[Sheet]) -> None:
        for sheet in sheets:
            for quantity in sheet.quantities:
                found, method = self._estimate(sheet, quantity)
                cell = sheet.group * len(self.tally.design.variants) + quantity.variant
                self._add(cell, quantity, found, method, sheet.deals, sheet.deals * quantity.games)

    def add_lone(self, one: Lone) -> None:
        self._add(one.cell, one, one.estimate, one.method, one.deals, one.games)

    def _estimate(self, sheet: Sheet, quantity: Quantity) -> tuple[Estimate, str]:
        level = self.tally.design.level
        value = quantity.value
        if math.isnan(value):
            return Estimate(math.nan, None, None, None), "none of those"
        _, errors, _ = contrast(sheet.estimates, sheet.covariance, quantity.weights[None, :])
        error = float(errors[0])
        if quantity.kind == "share":
            found = share(round(value * sheet.deals), sheet.deals, level)
            return Estimate(value, error, found.low, found.high), found.method
        reach = normal_quantile(level) * error * quantity.wider
        low, high = value - reach, value + reach
        if quantity.unit != "points" and quantity.name not in _SIGNED:
            low = max(low, 0.0)
        if quantity.unit == "" and quantity.kind in ("mean", "flow"):
            high = min(high, 1.0)
        return Estimate(value, error, low, high), "all seats at once" if quantity.wider > 1 else BLOCK_MEAN

    def _add(
        self, cell: int, what: Quantity | Lone, found: Estimate, method: str, deals: int, games: int
    ) -> None:
        design = self.tally.design
        plan = self.cells[cell]
        record = {
            "group": plan.group.label,
            "variant": plan.variant.name,
            "players": plan.players,
            "policies": "/".join(dict.fromkeys(plan.policies))
            if len(set(plan.policies)) == 1
            else "/".join(plan.policies),
            "metric": what.name,
            "base_metric": what.metric,
            "estimate": found.estimate,
            "error": found.error,
            "low": found.low,
            "high": found.high,
            "method": method,
            "unit": what.unit,
            "per": what.per,
            "level": design.level,
            "deals": deals,
            "games": games,
            "rules": plan.rules.label,
            "fingerprint": plan.rules.fingerprint,
            "seed": design.seed,
        }
        for factor, value in zip(design.factors, plan.variant.levels, strict=False):
            record[factor.name if factor.name not in record else f"{factor.name}_factor"] = value
        self.records.append(record)

    def table(self) -> pd.DataFrame:
        order = {name: i for i, name in enumerate(dict.fromkeys(r["metric"] for r in self.records))}
        cells = {(c.group.label, c.variant.name): i for i, c in enumerate(self.cells)}
        self.records.sort(key=lambda r: (cells[r["group"], r["variant"]], order[r["metric"]]))
        frame = pd.DataFrame(self.records)
        for name in ("error", "low", "high"):
            frame[name] = frame[name].astype("float64")
        return frame


_SIGNED: Final = ("edge.first", "edge.last")


def _percentiles(tally: Tally, sums: Sums) -> Iterator[Lone]:
    for cell, counts in enumerate(sums.turns):
        per_deal = len(tally.reducers[cell].seatings)
        for percent in PERCENTILES:
            value, low, high = percentile(counts, percent, tally.design.level, per_deal)
            yield Lone(
                cell,
                f"turns.p{percent}",
                "turns",
                "turns",
                "game",
                Estimate(float(value), None, float(low), float(high)),
                "order of the games",
                sums.deals,
                sums.deals * per_deal,
            )


def _games_to_tell(tally: Tally, sheets: Sequence[Sheet]) -> Iterator[Lone]:
    """Yield for line-ups of different policies how many deals tell the best from the worst."""
    design = tally.design
    if all(choice.metric != "games_to_tell" for choice in design.choices):
        return
    n = len(design.variants)
    for sheet in sheets:
        for variant in range(n):
            policies = tally.reducers[sheet.group * n + variant].policies
            shares = [
                q
                for q in sheet.quantities
                if q.variant == variant and q.name in {f"win.{p}" for p in policies}
            ]
            if len(shares) < 2:
                continue
            best, worst = max(shares, key=lambda q: q.value), min(shares, key=lambda q: q.value)
            weights = best.weights - worst.weights
            gaps, errors, _ = contrast(sheet.estimates, sheet.covariance, weights[None, :])
            deviation = float(errors[0]) * math.sqrt(sheet.deals)
            told = games_to_tell(float(gaps[0]), deviation, sheet.deals, design.level)
            yield Lone(
                sheet.group * n + variant,
                "games_to_tell",
                "games_to_tell",
                "deals",
                f"{best.name.removeprefix('win.')} against {worst.name.removeprefix('win.')}",
                Estimate(told.deals, None, told.low, told.high),
                "one-sided normal test at 95 %",
                sheet.deals,
                sheet.deals * best.games,
            )


def _effects(tally: Tally, sums: Sums, cells: Sequence[PlanCell], sheets: Sequence[Sheet]) -> pd.DataFrame:
    rows: list[_Row] = []
    design = tally.design
    for sheet in sheets:
        for name, quantities in sheet.by_name().items():
            choice = _choice(design, quantities)
            if choice is not None:
                rows += _rows(design, sheet, name, quantities, choice, contrasts(design))
    _judge(design, rows)
    held: list[_Row] = []
    for row in rows:
        if len(row.contrast.factors) == 2 and row.verdict is not None and row.verdict.word == "matters":
            held += _rows(
                design, row.sheet, row.name, row.quantities, row.choice, conditionals(design, row.contrast)
            )
    _judge(design, held)
    rows += held
    _spread_all(design, rows)
    records = [_record(tally, sums, cells, row) for row in rows]
    frame = pd.DataFrame(records, columns=list(EFFECT_COLUMNS))
    return frame


@dataclass
class _Row:
    """A difference of one quantity, on its way into the table."""

    sheet: Sheet
    name: str
    quantities: Mapping[int, Quantity]
    choice: Choice
    contrast: Contrast
    weights: Any
    difference: float
    error: float
    wider: float
    verdict: Verdict | None = None
    q: float = math.nan
    reach_all: float = math.nan


def _choice(design: Design, quantities: Mapping[int, Quantity]) -> Choice | None:
    one = next(iter(quantities.values()))
    return next((choice for choice in design.choices if choice.metric in (one.metric, one.name)), None)


def _rows(
    design: Design,
    sheet: Sheet,
    name: str,
    quantities: Mapping[int, Quantity],
    choice: Choice,
    wanted: Sequence[Contrast],
) -> list[_Row]:
    """Return the rows of the contrasts that can be formed: a seat is not in games of fewer players."""
    formed = []
    for one in wanted:
        parts = [(weight, quantities.get(v)) for v, weight in enumerate(one.weights) if weight != 0]
        if any(q is None or math.isnan(q.value) for _, q in parts):
            continue
        known = [(weight, q) for weight, q in parts if q is not None]
        weights = sum(weight * q.weights for weight, q in known)
        formed.append((one, weights, sum(w * q.value for w, q in known), max(q.wider for _, q in known)))
    if not formed:
        return []
    matrix = np.stack([weights for _, weights, _, _ in formed])
    linear, errors, _ = contrast(sheet.estimates, sheet.covariance, matrix)
    rows = []
    for (one, weights, value, wider), exact, error in zip(formed, linear, errors, strict=True):
        # Where nothing ever varies, rounding leaves nothing either.
        value = float(exact) if exact == 0 and error == 0 else value
        rows.append(
            _Row(sheet, name, quantities, choice, one, weights, float(value), float(error) * wider, wider)
        )
    return rows


def _family(row: _Row) -> tuple[str, bool, int]:
    """Return what rows are judged together: the same kind, role and number of deals."""
    kind = row.contrast.kind
    return ("effects" if kind not in (BETWEEN, CONDITIONAL) else kind), row.choice.primary, row.sheet.deals


def _judge(design: Design, rows: Sequence[_Row]) -> None:
    """Give verdicts, family by family. Modified in place: `rows`."""
    families: dict[tuple[str, bool, int], list[_Row]] = {}
    for row in rows:
        families.setdefault(_family(row), []).append(row)
    for (_, primary, deals), members in families.items():
        if not primary:
            p = p_against_zero([row.difference for row in members], [row.error for row in members])
            for row, q in zip(members, benjamini_hochberg(p), strict=True):
                row.q = float(q)
        judged = [row for row in members if row.choice.margin is not None]
        verdicts = judge(
            [row.difference for row in judged],
            [row.error for row in judged],
            [row.choice.margin or 0.0 for row in judged],
            deals,
            design.level,
        )
        for row, verdict in zip(judged, verdicts, strict=True):
            row.verdict = verdict


def _spread_all(design: Design, rows: Sequence[_Row]) -> None:
    """Give the rows of one metric, group and kind simultaneous intervals. Modified in place: `rows`."""
    bands: dict[tuple[int, str, str], list[_Row]] = {}
    for row in rows:
        one = next(iter(row.quantities.values()))
        bands.setdefault((id(row.sheet), one.metric, _family(row)[0]), []).append(row)
    for members in bands.values():
        sheet = members[0].sheet
        _, _, shared = contrast(sheet.estimates, sheet.covariance, np.stack([row.weights for row in members]))
        z = simultaneous(shared, design.level)
        for row in members:
            row.reach_all = max(z, normal_quantile(design.level)) * row.error


def _record(tally: Tally, sums: Sums, cells: Sequence[PlanCell], row: _Row) -> dict[str, Any]:
    design = tally.design
    n = len(design.variants)
    one = row.contrast
    some = next(iter(row.quantities.values()))
    group = design.groups[row.sheet.group]
    base = row.quantities.get(design.baseline)
    other = row.quantities.get(one.variant) if one.variant is not None else None
    changed = math.nan
    if one.variant is not None:
        count = sums.changed[row.sheet.group * n + one.variant]
        changed = math.nan if count is None else count / sums.deals
    reach = normal_quantile(design.level) * row.error
    verdict = row.verdict
    involved = [cells[row.sheet.group * n + v] for v, weight in enumerate(one.weights) if weight != 0]
    reduction = float(variance_reduction(row.sheet.covariance, row.weights[None, :])[0])
    return {
        "group": group.label,
        "players": _same(cell.players for cell in involved),
        "policies": _same("/".join(dict.fromkeys(cell.policies)) for cell in involved),
        "kind": one.kind,
        "effect": one.label,
        "at": one.at,
        "variant": design.variants[one.variant].name if one.variant is not None else "",
        "baseline": design.variants[design.baseline].name if one.variant is not None else "",
        "metric": row.name,
        "base_metric": some.metric,
        "role": "primary" if row.choice.primary else "exploratory",
        "baseline_value": base.value if base is not None and other is not None else math.nan,
        "variant_value": other.value if other is not None else math.nan,
        "difference": row.difference,
        "error": row.error,
        "low": row.difference - reach,
        "high": row.difference + reach,
        "low_all": row.difference - row.reach_all,
        "high_all": row.difference + row.reach_all,
        "reduction": reduction,
        "changed": changed,
        "margin": math.nan if row.choice.margin is None else row.choice.margin,
        "verdict": verdict.word if verdict else "",
        "p": verdict.p if verdict else math.nan,
        "q": row.q,
        "more": math.nan if verdict is None or verdict.more is None else float(verdict.more),
        "family": _family_text(row),
        "unit": some.unit,
        "level": design.level,
        "deals": row.sheet.deals,
        "games": row.sheet.deals * sum(row.quantities[v].games for v, w in enumerate(one.weights) if w != 0),
        "seed": design.seed,
    }


def _same(values: Iterator[Any] | Any) -> Any:
    """Return the one value that all are, or all of them as text."""
    found = list(dict.fromkeys(values))
    return found[0] if len(found) == 1 else ", ".join(map(str, found))


def _family_text(row: _Row) -> str:
    kind, primary, _ = _family(row)
    return f"{kind}, {'primary' if primary else 'exploratory'}"
