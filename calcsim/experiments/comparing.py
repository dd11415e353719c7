"""Variants compared in one go: played, summed up and looked at, with nothing kept of single deals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from calcsim.defaults import DEFAULT_RULES, DEFAULT_SEED
from calcsim.errors import UsageError
from calcsim.experiments.plan import DEFAULT_DEALS
from calcsim.stats.intervals import LEVEL
from calcsim.stats.sequential import LEAST_DEALS, deals_for

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from calcsim.experiments.analysis import Analysis
    from calcsim.experiments.plan import Design, PlanCell
    from calcsim.experiments.tally import Sums, Tally

METRICS: Final = ("turns", "edge.first", "edge.largest", "share.tied_first", "actions_per_decision")
"""What is compared unless something else is asked for."""

ROUND: Final = 40_000
"""Deals after which a precision is looked at: whether to stop depends on nothing but the deals played."""


@dataclass(frozen=True)
class Comparison:
    """What was compared and what came out.

    Attributes
    ----------
    design
        What was asked for.
    deals, games
        What was played.
    stopped_by
        ``deals``, ``precision``, or ``most`` where the precision was not reached.
    analysis
        The tables.
    """

    design: Design
    deals: int
    games: int
    stopped_by: str
    analysis: Analysis

    @property
    def estimates(self) -> pd.DataFrame:
        """A row for each number of each cell (`calcsim.experiments.analysis.ESTIMATE_COLUMNS`)."""
        return self.analysis.estimates

    @property
    def effects(self) -> pd.DataFrame:
        """A row for each difference (`calcsim.experiments.analysis.EFFECT_COLUMNS`)."""
        return self.analysis.effects

    def figure(self) -> Figure:
        """Return the picture of all differences, as multiples of their margins."""
        from calcsim.report.quick import margins_figure

        return margins_figure(self.effects)


def compare(
    rules: str = DEFAULT_RULES,
    changes: Sequence[str] | Mapping[str, Any] = (),
    *,
    vary: Sequence[str] | Mapping[str, Sequence[Any]],
    players: int | Sequence[int] | None = None,
    policy: str | Sequence[str] | None = None,
    metrics: Sequence[str] = METRICS,
    deals: int = DEFAULT_DEALS,
    baseline: str | None = None,
    level: float = LEVEL,
    seed: int = DEFAULT_SEED,
    threads: int = 0,
) -> Comparison:
    """Play variants of rules on the same deals, and return estimates and paired differences.

    Parameters
    ----------
    rules, changes
        A preset's name or a TOML file, and fields set in all variants, as ``{"jokers": 1}``.
    vary
        Factors with their values, as ``{"handoff": ["shield", "none"]}``; several are crossed. The first
        value of each is the baseline's.
    players, policy
        One or several, each of them a group of its own. A policy is a name for all seats, or names with
        commas, which are seated in all rotations.
    metrics
        Names (`calcsim metrics` lists them), or ``"name=margin"`` with the difference that would matter.
    deals
        How many each variant plays.
    baseline
        Name of the variant that the others are compared with.
    level
        Of the intervals.
    seed, threads
        As for `calcsim.simulate`.

    Raises
    ------
    UsageError
        With all that is wrong with what was asked for.
    PolicyError
        If a policy fails.

    Examples
    --------
    >>> found = compare("calc", vary={"jokers": [2, 0]}, players=2, metrics=["turns=20"], deals=500)
    >>> found.effects[["metric", "verdict"]].values.tolist()
    [['turns', 'no matter']]
    """
    from calcsim.experiments.design import build_design

    design = build_design(
        rules,
        changes,
        vary=vary,
        players=[players] if isinstance(players, int) else players,
        policies=[policy] if isinstance(policy, str) else policy,
        metrics=metrics,
        baseline=baseline,
        seed=seed,
        deals=deals,
        level=level,
    )
    refuse_special(design)
    return compare_design(design, threads=threads)


def refuse_special(design: Design) -> None:
    """Refuse metrics that more than counted games are needed for.

    Raises
    ------
    UsageError
        Naming the first.
    """
    from calcsim.stats.special import SPECIALS

    for entry in SPECIALS:
        if entry.needs != "derived" and any(choice.metric == entry.name for choice in design.choices):
            raise UsageError(
                f"metric {entry.name!r}: takes more than counting ({entry.needs}); put it into a study "
                "(calcsim study new)"
            )


def prepare(design: Design, cells: list[PlanCell] | None = None) -> Tally:
    """Return what sums up a design's deals, its policies compiled.

    Parameters
    ----------
    design
        What is to be played.
    cells
        Its cells, if they are at hand.

    Raises
    ------
    UsageError
        If a policy's file or function does not do.
    """
    from calcsim.engine import driver
    from calcsim.experiments.deals import Reducer
    from calcsim.experiments.tally import Tally, kept_metrics

    names = kept_metrics(design)
    cells = cells or design.cells()
    reducers = [Reducer(driver.prepare(cell.rules, cell.players, cell.line_up), names) for cell in cells]
    return Tally(design, reducers)


def compare_design(
    design: Design, *, threads: int = 0, progress: Callable[[int], None] | None = None
) -> Comparison:
    """Play a design's deals and return its tables.

    The tables depend on the design alone, not on the threads.

    Parameters
    ----------
    design
        What to play, without metrics that need more than counting.
    threads
        0 for one a core.
    progress
        Called with the number of games done.

    Raises
    ------
    PolicyError
        If a policy fails.
    """
    from calcsim.experiments.analysis import analyse

    tally = prepare(design)
    per_deal = sum(len(reducer.seatings) for reducer in tally.reducers)
    sums: Sums | None = None
    stopped_by = "deals"
    target = design.deals if design.precision is None else min(design.deals, ROUND)
    while True:
        sums = _play(tally, sums, target, threads, progress)
        if design.precision is None:
            break
        needed = needed_deals(tally, sums)
        if needed <= sums.deals or sums.deals >= design.deals:
            stopped_by = "precision" if needed <= sums.deals else "most"
            break
        target = min(-(-needed // ROUND) * ROUND, design.deals)
    return Comparison(design, sums.deals, sums.deals * per_deal, stopped_by, analyse(tally, sums))


def _play(
    tally: Tally, sums: Sums | None, target: int, threads: int, progress: Callable[[int], None] | None
) -> Sums:
    """Return the sums over deals 0 to `target`, those that are known already gone on from."""
    from calcsim.experiments.deals import play

    done = sums.deals if sums is not None else 0
    per_deal = sum(len(reducer.seatings) for reducer in tally.reducers)

    def report(games: int) -> None:
        if progress is not None:
            progress(done * per_deal + games)

    found = play(
        tally.reducers,
        seed=tally.design.seed,
        first=done,
        deals=target - done,
        make=tally.sum_up,
        threads=threads,
        progress=report,
    )
    for part in found:
        if sums is None:
            sums = part
        else:
            sums.add(part)
    assert sums is not None
    return sums


def needed_deals(tally: Tally, sums: Sums) -> int:
    """Return how many deals a design's precision takes, as the deals so far tell.

    It is looked at in each difference of its metric, or in each estimate where there is one variant only.
    """
    import numpy as np

    from calcsim.experiments.contrasts import contrasts
    from calcsim.experiments.sheets import counted_sheets
    from calcsim.stats.linear import contrast

    design = tally.design
    precision = design.precision
    assert precision is not None
    most = LEAST_DEALS
    for sheet in counted_sheets(tally, sums):
        for name, quantities in sheet.by_name().items():
            if precision.metric not in (name, next(iter(quantities.values())).metric):
                continue
            rows = [(q.weights, q.wider) for q in quantities.values()]
            if len(design.variants) > 1:
                rows = [
                    (np.sum([w * quantities[v].weights for v, w in enumerate(one.weights) if w], axis=0), 1.0)
                    for one in contrasts(design)
                    if all(v in quantities for v, w in enumerate(one.weights) if w)
                ]
            for weights, wider in rows:
                _, errors, _ = contrast(sheet.estimates, sheet.covariance, weights[None, :])
                error = float(errors[0]) * wider
                most = max(most, deals_for(error, sums.deals, precision.half_width, design.level))
    return most
