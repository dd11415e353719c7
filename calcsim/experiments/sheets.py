"""Estimates with their joint covariance: everything of one metric in one group that is compared.

A quantity is linear in a sheet's estimates, or taken as linear close to them (delta method), so every
difference of quantities has its error from the sheet's covariance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from calcsim.experiments.deals import SQUARES
from calcsim.experiments.tally import MADE_OF, Panel, Sums, Tally
from calcsim.stats.families import sidak
from calcsim.stats.intervals import normal_quantile
from calcsim.stats.linear import components
from calcsim.stats.special import SPECIALS, Special

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calcsim.experiments.flow import Flow
    from calcsim.experiments.plan import Design

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Quantity:
    """One number of one variant.

    Attributes
    ----------
    variant
        Index of the variant.
    name, metric
        Its name, and that of the metric that it belongs to.
    kind
        ``share`` of single games, ``mean``, ``ratio``, ``place`` or what a special metric needs.
    unit, per
        As of the metric.
    value
        The estimate.
    weights
        How it moves with the sheet's estimates, shape (estimates,).
    games
        Games of a deal.
    wider
        By how much its intervals are wider than the normal's, where it is the largest of several.
    """

    variant: int
    name: str
    metric: str
    kind: str
    unit: str
    per: str
    value: float
    weights: Floats
    games: int
    wider: float = 1.0


@dataclass(frozen=True, eq=False)
class Sheet:
    """Quantities of all variants in one group, with what their errors come from.

    Attributes
    ----------
    group
        Index of the group.
    deals
        How many.
    estimates, covariance
        Shapes (estimates,) and (estimates, estimates).
    quantities
        In the order in which they are shown, variant by variant.
    """

    group: int
    deals: int
    estimates: Floats
    covariance: Floats
    quantities: list[Quantity] = field(default_factory=list)

    def by_name(self) -> dict[str, dict[int, Quantity]]:
        """Return the quantities by their name and variant."""
        found: dict[str, dict[int, Quantity]] = {}
        for quantity in self.quantities:
            found.setdefault(quantity.name, {})[quantity.variant] = quantity
        return found


def counted_sheets(tally: Tally, sums: Sums) -> list[Sheet]:
    """Return a sheet for each metric that is counted, with the derived ones that are made of it."""
    sheets = []
    chosen = {choice.metric for choice in tally.design.choices}
    derived = [entry for entry in SPECIALS if entry.needs == "derived" and entry.name in chosen]
    for panel, gram in zip(tally.panels, sums.grams, strict=True):
        estimates, covariance = components(gram, [item.pair for item in panel.items])
        sheet = Sheet(panel.group, gram.deals, estimates, covariance)
        unit = np.eye(len(estimates))
        for i, item in enumerate(panel.items):
            c = item.component
            if c.name == SQUARES:
                continue
            kind = "mean" if c.kind == "share" and c.games > 1 else c.kind
            value = float(estimates[i])
            sheet.quantities.append(
                Quantity(item.variant, c.name, c.metric, kind, c.unit, c.per, value, unit[i], c.games)
            )
        for entry in derived:
            if MADE_OF[entry.name] == panel.metric:
                sheet.quantities.extend(_derive(entry, tally, panel, sheet))
        sheets.append(sheet)
    return sheets


def course_sheets(design: Design, flows: Mapping[int, Flow]) -> list[Sheet]:
    """Return a sheet for each chosen metric of the course of the games.

    Parameters
    ----------
    design
        Groups, variants and metrics.
    flows
        What was measured, by cell.
    """
    n = len(design.variants)
    chosen = [
        entry
        for entry in SPECIALS
        if entry.needs == "flow" and entry.name in {c.metric for c in design.choices}
    ]
    sheets = []
    for group in range(len(design.groups)):
        courses = [flows[cell] for cell in range(group * n, group * n + n)] if flows else []
        for entry in chosen if courses else ():
            numbers = np.stack([flow.values[entry.name] for flow in courses])
            deals = numbers.shape[1]
            covariance = np.atleast_2d(np.cov(numbers)) / deals
            sheet = Sheet(group, deals, numbers.mean(axis=1), covariance)
            unit = np.eye(n)
            for variant, flow in enumerate(courses):
                games = flow.games // flow.deals
                sheet.quantities.append(
                    _special(entry, variant, float(sheet.estimates[variant]), unit[variant], games)
                )
            sheets.append(sheet)
    return sheets


def _special(
    entry: Special,
    variant: int,
    value: float,
    weights: Floats,
    games: int,
    wider: float = 1.0,
    name: str = "",
) -> Quantity:
    return Quantity(
        variant,
        name or entry.name,
        entry.name,
        entry.needs,
        entry.unit,
        entry.per,
        value,
        weights,
        games,
        wider,
    )


def _derive(entry: Special, tally: Tally, panel: Panel, sheet: Sheet) -> list[Quantity]:
    """Return a derived metric of each variant."""
    found = []
    for variant in range(len(tally.design.variants)):
        at = [i for i, item in enumerate(panel.items) if item.variant == variant]
        names = {panel.items[i].component.name: i for i in at}
        games = panel.items[at[0]].component.games
        if entry.name == "turns.sd":
            value, weights = _spread(sheet, names["turns"], names[SQUARES])
            found.append(_special(entry, variant, value, weights, games))
        elif entry.name.startswith("edge."):
            cell = panel.sources[variant][0]
            players = tally.reducers[cell].cell.players
            seats = [names[f"win.seat{seat}"] for seat in range(players)]
            found.append(_edge(entry, variant, sheet, seats, games, tally.design.level))
    return found


def _spread(sheet: Sheet, mean: int, square: int) -> tuple[float, Floats]:
    """Return the standard deviation of the turns, and how it moves with their mean and mean square."""
    m, s = float(sheet.estimates[mean]), float(sheet.estimates[square])
    deviation = math.sqrt(max(s - m * m, 0.0))
    weights = np.zeros(len(sheet.estimates))
    if deviation > 0:
        weights[mean] = -m / deviation
        weights[square] = 0.5 / deviation
    return deviation, weights


def _edge(
    entry: Special, variant: int, sheet: Sheet, seats: Sequence[int], games: int, level: float
) -> Quantity:
    """Return how far seats' win shares lie from the fair share."""
    players = len(seats)
    shares = sheet.estimates[list(seats)]
    # Where place 1 is shared the win shares add up to more than 1, and their mean is the fair share.
    edges = shares - shares.mean()
    weights = np.zeros(len(sheet.estimates))
    wider = 1.0
    if entry.name in ("edge.first", "edge.last"):
        seat = 0 if entry.name == "edge.first" else players - 1
        value = float(edges[seat])
        weights[seats[seat]] = 1.0
        weights[list(seats)] -= 1.0 / players
    else:
        # Which seat it is was chosen by looking: intervals that hold for all seats at once.
        wider = sidak(level, players) / normal_quantile(level)
        if entry.name == "edge.largest":
            seat = int(np.argmax(np.abs(edges)))
            value = float(abs(edges[seat]))
            weights[seats[seat]] = 1.0
            weights[list(seats)] -= 1.0 / players
            weights *= 1.0 if edges[seat] >= 0 else -1.0
        else:
            best, worst = int(np.argmax(edges)), int(np.argmin(edges))
            value = float(edges[best] - edges[worst])
            weights[seats[best]] += 1.0
            weights[seats[worst]] -= 1.0
    return _special(entry, variant, value, weights, games, wider)
