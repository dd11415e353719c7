"""The DataFrames of a study's results as typed rows."""

from __future__ import annotations

import dataclasses
import functools
import math
from dataclasses import dataclass
from typing import Any, Final, TypeVar

_Row = TypeVar("_Row")

_TEXTS: Final = frozenset({"str"})


@dataclass(frozen=True, slots=True)
class Value:
    """A row of the estimates: one component of a metric of one variant in one group."""

    group: str
    variant: str
    players: int | None
    policies: str
    metric: str
    base_metric: str
    estimate: float | None
    error: float | None
    low: float | None
    high: float | None
    method: str
    unit: str
    per: str
    level: float | None
    deals: int | None
    games: int | None
    rules: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Effect:
    """A row of the effects: one difference between variants, in one group."""

    group: str
    players: int | None
    policies: str
    kind: str
    effect: str
    at: str
    variant: str
    baseline: str
    metric: str
    base_metric: str
    role: str
    baseline_value: float | None
    variant_value: float | None
    difference: float | None
    error: float | None
    low: float | None
    high: float | None
    low_all: float | None
    high_all: float | None
    reduction: float | None
    changed: float | None
    margin: float | None
    verdict: str
    p: float | None
    q: float | None
    more: float | None
    family: str
    unit: str
    level: float | None
    deals: int | None
    games: int | None

    @property
    def outcome(self) -> str:
        """``more``, ``less``, ``no matter`` or ``undecided``; without a margin by the interval."""
        if self.verdict in ("no matter", "undecided"):
            return self.verdict
        if self.verdict == "matters":
            return "more" if (self.difference or 0) > 0 else "less"
        if self.low is not None and self.low > 0:
            return "more"
        return "less" if self.high is not None and self.high < 0 else "undecided"

    @property
    def in_deviations(self) -> float:
        """The difference in standard deviations of a deal's difference: a size without a unit."""
        if not self.difference:
            return 0.0
        if not self.error or not self.deals:
            return math.copysign(math.inf, self.difference)
        return self.difference / (self.error * math.sqrt(self.deals))


def _cell(value: Any, kind: str) -> Any:
    """Return a cell as the type that a field is annotated with; what is missing is "" or None."""
    missing = value is None or (isinstance(value, float) and math.isnan(value))
    if kind in _TEXTS:
        return "" if missing else str(value)
    if missing or not isinstance(value, (int, float)):
        # NumPy integers and pandas' own missing value are neither.
        try:
            value = float(value)
        except (TypeError, ValueError):
            return None
        if math.isnan(value):
            return None
    return int(value) if kind.startswith("int") else float(value)


def _read(frame: Any, kind: type[_Row]) -> list[_Row]:
    fields: tuple[dataclasses.Field[Any], ...] = dataclasses.fields(kind)  # type: ignore[arg-type]
    columns = {
        field.name: [_cell(value, str(field.type)) for value in frame[field.name].tolist()]
        if field.name in frame.columns
        else [_cell(None, str(field.type))] * len(frame)
        for field in fields
    }
    return [kind(**dict(zip(columns, cells, strict=True))) for cells in zip(*columns.values(), strict=True)]


def read_values(frame: Any) -> list[Value]:
    """Return the rows of a DataFrame of estimates; columns that it lacks are empty."""
    return _read(frame, Value)


def read_effects(frame: Any) -> list[Effect]:
    """Return the rows of a DataFrame of effects; columns that it lacks are empty."""
    return _read(frame, Effect)


@functools.cache
def _entries() -> dict[str, Any]:
    from calcsim.rules.fields import N_PLACES
    from calcsim.stats.metrics import metrics
    from calcsim.stats.special import SPECIALS

    entries: tuple[Any, ...] = (*metrics(N_PLACES), *SPECIALS)
    return {entry.name: entry for entry in entries}


def doc(base_metric: str) -> str:
    """Return what a metric counts, in a few words; empty for one that is not registered."""
    entry = _entries().get(base_metric)
    return "" if entry is None else str(entry.doc)


def source(base_metric: str) -> str:
    """Return the clause or the literature that a metric comes from."""
    entry = _entries().get(base_metric)
    return str(getattr(entry, "source", "") or getattr(entry, "clause", ""))


def is_share(base_metric: str, unit: str) -> bool:
    """Return whether a metric is shown as a percentage, its differences in percentage points.

    Examples
    --------
    >>> is_share("win.*", ""), is_share("place.*", ""), is_share("turns", "turns")
    (True, False, False)
    """
    return not unit and getattr(_entries().get(base_metric), "kind", "share") in ("share", "ratio")
