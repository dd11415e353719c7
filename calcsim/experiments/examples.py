"""Games worth looking at: those that a report tells how to replay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from calcsim.engine.driver import replay_command
from calcsim.experiments.plan import portable
from calcsim.policies.naming import split_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calcsim.experiments.cells import StoredCell
    from calcsim.experiments.deals import Component, DealRows
    from calcsim.experiments.plan import Study


@dataclass(frozen=True, slots=True)
class Example:
    """A game, and why it is worth looking at.

    Attributes
    ----------
    command
        Shows it.
    why
        What there is to see.
    """

    command: str
    why: str

    def as_dict(self) -> dict[str, str]:
        """Return it as JSON values."""
        return asdict(self)


def choose(study: Study, cells: Sequence[StoredCell], rows: Sequence[DealRows]) -> list[Example]:
    """Return a usual game, one deal that variants play most differently, and the longest game.

    Parameters
    ----------
    study
        Tells which variant is compared with the baseline, and by which metric.
    cells, rows
        The variants in the study's main group, and some deals of each; the first of equals is taken.
    """
    design = study.design
    base = design.baseline
    names = [variant.name for variant in design.variants]
    other = names.index(study.main.variant) if study.main.variant in names else base
    only = len(names) == 1

    def example(cell: int, at: int, why: str) -> Example:
        number = rows[cell].first + at
        return Example(_command(cells[cell], design.seed, number), why)

    turns = [_values(part, _component(cell, "turns")) for cell, part in zip(cells, rows, strict=True)]
    usual = int(np.argmin(np.abs(turns[base] - np.median(turns[base]))))
    found = [example(base, usual, f"a game of usual length{'' if only else f', {names[base]}'}")]
    if other != base and cells[other].plan.players == cells[base].plan.players:
        metric, gaps = _gaps(study, (cells[base], cells[other]), (rows[base], rows[other]))
        gaps = np.where(rows[base].marks != rows[other].marks, gaps, -1.0)
        at = int(np.argmax(gaps))
        if gaps[at] > 0:
            found.append(example(base, at, f"a deal where {metric} differs much: {names[base]}"))
            found.append(example(other, at, f"the same deal: {names[other]}"))
    longest = int(np.argmax(turns[other]))
    found.append(example(other, longest, f"a game of unusual length{'' if only else f', {names[other]}'}"))
    return found


def _gaps(
    study: Study, cells: tuple[StoredCell, StoredCell], rows: tuple[DealRows, DealRows]
) -> tuple[str, NDArray[np.float64]]:
    """Return by which metric two cells differ, and how much on each deal."""
    chosen = [_component(cell, study.main.metric) for cell in cells]
    # What is no mean over games has no difference on a single deal.
    if any(component is None or component.y is not None for component in chosen):
        chosen = [_component(cell, "turns") for cell in cells]
    first, second = (_values(part, component) for part, component in zip(rows, chosen, strict=True))
    name = next(component.name for component in chosen if component is not None)
    return name, np.abs(first - second)


def _component(cell: StoredCell, metric: str) -> Component | None:
    """Return the first component of a metric, or the one of that name."""
    components = cell.reducer.components
    return next((one for one in components if metric in (one.name, one.metric)), None)


def _values(rows: DealRows, component: Component | None) -> NDArray[np.float64]:
    assert component is not None
    values: NDArray[np.float64] = rows.values[component.x] / component.games
    return values


def _command(cell: StoredCell, seed: int, number: int) -> str:
    return replay_command(replace(cell.reducer.cell, policies=_portable(cell.plan.line_up)), seed, number)


def _portable(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(_portable_name(name) for name in names)


def _portable_name(name: str) -> str:
    file = split_name(name).file
    return f"{portable(Path(file))}{name[len(file) :]}" if file else name
