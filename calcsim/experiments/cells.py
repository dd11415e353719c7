"""The cells of a design with what the store keeps of them: read where it is there, played where it is not."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from calcsim.engine import driver
from calcsim.experiments.deals import DealRows, Reducer, add_counts, play
from calcsim.experiments.plan import Design, PlanCell
from calcsim.experiments.store import Arrays, Store, cell_identity, joint_digest, key_of

Range = tuple[int, int]


@dataclass
class StoredCell:
    """A cell of a design, and where its deals are kept.

    Attributes
    ----------
    plan
        What the design says of it.
    reducer
        What is counted of each deal.
    identity, key
        Of what is counted, in the store.
    digests
        Checksum of each range of deals that was read or played.
    """

    plan: PlanCell
    reducer: Reducer
    identity: dict[str, Any]
    key: str
    digests: dict[Range, str] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """Games that each deal is played in."""
        return len(self.reducer.seatings)

    @property
    def checksum(self) -> str:
        """Of all deals that were read or played."""
        return joint_digest([self.digests[range_] for range_ in sorted(self.digests)])


def stored_cells(design: Design, kept: Sequence[str]) -> list[StoredCell]:
    """Return the cells of a design, ready to be played, in its order.

    Parameters
    ----------
    design
        What is compared.
    kept
        Metrics that are counted.

    Raises
    ------
    UsageError
        If a policy does not compile.
    """
    found = []
    for plan in design.cells():
        reducer = Reducer(driver.prepare(plan.rules, plan.players, plan.line_up), kept)
        components = [component.name for component in reducer.components]
        identity = identity_of(plan, design.seed, "counted", components=components)
        found.append(StoredCell(plan, reducer, identity, key_of(identity)))
    return found


def identity_of(plan: PlanCell, seed: int, kind: str, **more: Any) -> dict[str, Any]:
    """Return everything that can change some kind of result of a cell; see `store.cell_identity`."""
    return cell_identity(plan.rules, plan.players, plan.line_up, seed=seed, kind=kind, **more)


def missing_games(cells: Sequence[StoredCell], ranges: Sequence[Range], store: Store) -> int:
    """Return how many games would have to be played for some ranges of deals."""
    return sum(
        cell.games * (stop - first)
        for cell in cells
        for first, stop in ranges
        if not store.has(cell.key, first, stop)
    )


def read_or_play(
    cells: Sequence[StoredCell],
    ranges: Sequence[Range],
    store: Store,
    *,
    seed: int,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Iterator[list[DealRows]]:
    """Yield the rows of each range of deals, by cell; those that the store lacks are played, and kept.

    Parameters
    ----------
    cells
        They are played on the same deals.
    ranges
        As of `store.chunk_ranges`, in order.
    seed, threads
        As for `deals.play`; cells must be of this seed.
    progress
        Called with the number of games played so far.
    """

    def lacking(range_: Range) -> tuple[int, ...]:
        return tuple(i for i, cell in enumerate(cells) if not store.has(cell.key, *range_))

    done = 0

    def tell(games: int) -> None:
        if progress is not None:
            progress(done + games)

    # Ranges that lack the same cells are played in one go, so that no thread waits for the end of each.
    for lack, run in itertools.groupby(ranges, lacking):
        together = list(run)
        fresh = [cells[i] for i in lack]
        played = _play(fresh, together, store, seed=seed, threads=threads, progress=tell)
        for range_ in together:
            rows: list[DealRows | None] = [None] * len(cells)
            if fresh:
                for i, new in zip(lack, next(played), strict=True):
                    rows[i] = new
            yield [
                _read(cells[i], range_, store, seed, threads) if row is None else row
                for i, row in enumerate(rows)
            ]
        done += sum(cell.games for cell in fresh) * (together[-1][1] - together[0][0])


def _read(cell: StoredCell, range_: Range, store: Store, seed: int, threads: int) -> DealRows:
    """Return a range of one cell, played again if its file is damaged or gone meanwhile."""
    kept = store.read(cell.key, *range_)
    if kept is None:
        return next(_play([cell], [range_], store, seed=seed, threads=threads))[0]
    cell.digests[range_] = kept.digest
    return DealRows(range_[0], kept.arrays["values"], kept.arrays["marks"], kept.arrays["turns"])


def _play(
    cells: Sequence[StoredCell],
    ranges: Sequence[Range],
    store: Store,
    *,
    seed: int,
    threads: int,
    progress: Callable[[int], None] | None = None,
) -> Iterator[list[DealRows]]:
    """Play ranges that follow each other, keep each as soon as it is whole, and yield it."""
    if not cells:
        return
    first, stop = ranges[0][0], ranges[-1][1]
    blocks = play(
        [cell.reducer for cell in cells],
        seed=seed,
        first=first,
        deals=stop - first,
        make=list,
        threads=threads,
        progress=progress,
    )
    for range_ in ranges:
        parts: list[list[DealRows]] = []
        while sum(part[0].deals for part in parts) < range_[1] - range_[0]:
            parts.append(next(blocks))
        whole = []
        for i, cell in enumerate(cells):
            rows = join([part[i] for part in parts])
            cell.digests[range_] = store.write(cell.key, *range_, _arrays(rows), cell.identity).digest
            whole.append(rows)
        yield whole


def join(parts: Sequence[DealRows]) -> DealRows:
    """Return rows of deals that follow each other as one."""
    return DealRows(
        parts[0].first,
        np.concatenate([part.values for part in parts], axis=1),
        np.concatenate([part.marks for part in parts]),
        functools.reduce(add_counts, [part.turns for part in parts]),
    )


def _arrays(rows: DealRows) -> Arrays:
    return {"values": rows.values, "marks": rows.marks, "turns": rows.turns}
