"""Runs a study: plays what the store lacks, works out the tables, and writes them with their manifest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from calcsim.experiments import comparing
from calcsim.experiments import manifest as manifests
from calcsim.experiments.analysis import Analysis, Lone, analyse
from calcsim.experiments.cells import StoredCell, missing_games, read_or_play, stored_cells
from calcsim.experiments.examples import choose
from calcsim.experiments.measures import MATCH, Measures, Scores, calibrations, games_of
from calcsim.experiments.results import TABLES, Results, load_folder, turns_table, write_table
from calcsim.experiments.store import Store, chunk_ranges
from calcsim.experiments.strategies.design import StrategyDesign, StrategyStudy
from calcsim.experiments.tally import Sums, Tally, kept_metrics

if TYPE_CHECKING:
    from calcsim.experiments.deals import DealRows
    from calcsim.experiments.examples import Example
    from calcsim.experiments.plan import Design, Study
    from calcsim.experiments.strategies.running import StrategyResults


def total_games(design: Design | StrategyDesign) -> int:
    """Return the most games that a design takes, none of them kept yet."""
    if isinstance(design, StrategyDesign):
        from calcsim.experiments.strategies import kinds

        return kinds.total_games(design)
    return design.deals * design.games_per_deal() + games_of(design)


def run_study(
    study: Study | StrategyStudy,
    *,
    root: Path,
    out: Path,
    threads: int = 0,
    deals: int | None = None,
    progress: Callable[[int], None] | None = None,
    note: Callable[[str], None] | None = None,
) -> Results | StrategyResults:
    """Run a study as far as the store has not got yet, and write its results.

    Whoever interrupts it loses no more than the deals being played: run again, it goes on from there.

    Parameters
    ----------
    study
        What to run.
    root
        The folder of the store.
    out
        Results are written to the folder ``out/NAME``.
    threads
        How many; 0 for one a core. Results do not depend on it.
    deals
        Deals in place of those of the study, or of its precision.
    progress
        Called with the number of games played; those that are kept already are not among them.
    note
        Called with a line about whatever a person should hear of.

    Returns
    -------
    results
        As `results.load` would read them.

    Raises
    ------
    UsageError
        If a policy does not compile.
    PolicyError
        If a policy fails.
    """
    if isinstance(study, StrategyStudy):
        from calcsim.experiments.strategies.running import run_strategies

        if deals is not None:
            study = replace(study, design=study.design.with_deals(deals))
        return run_strategies(study, root=root, out=out, threads=threads, progress=progress, note=note)
    if deals is not None:
        study = replace(study, design=study.design.with_deals(deals))
    running = _Run(study, Store(root, note), threads, progress or (lambda games: None))
    found = running.run()
    folder = out / study.name
    places = [(cell.plan.group.label, cell.plan.variant.name) for cell in running.cells]
    turns = turns_table(dict(zip(places, running.sums.turns, strict=True)))
    for name, table in zip(TABLES, (found.estimates, found.effects, turns), strict=True):
        write_table(table, folder / name)
    manifest = manifests.build(study, running.cells, running.sums.deals, running.measures.entries)
    manifest["examples"] = [example.as_dict() for example in running.examples]
    manifests.seal_tables(manifest, folder, TABLES)
    return load_folder(folder, study=study, store=running.store)


@dataclass
class _Run:
    """One run of a study."""

    study: Study
    store: Store
    threads: int
    progress: Callable[[int], None]
    played: int = 0
    examples: list[Example] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.design = self.study.design
        self.cells = stored_cells(self.design, kept_metrics(self.design))
        self.tally = Tally(self.design, [cell.reducer for cell in self.cells])
        self.measures = Measures(self.design, self.cells, self.store)
        wanted = MATCH in self.design.needs
        games, level = self.design.match_games, self.design.level
        self._scores = [Scores(i, cell, games, level) for i, cell in enumerate(self.cells) if wanted]

    def run(self) -> Analysis:
        """Play, measure, and return the tables."""
        self.progress(0)
        self.sums = self._count_all()
        lone: list[Lone] = [one for scores in self._scores for one in scores.lone()]
        flows = self.measures.flows(self._tell)
        if flows:
            self.played += self.design.flow_deals * self.design.games_per_deal()
            lone += calibrations(flows)
        lone += self.measures.luck(self.threads, self._tell)
        return analyse(self.tally, self.sums, flows=flows, lone=lone)

    def _tell(self, games: int) -> None:
        self.progress(self.played + games)

    def _count_all(self) -> Sums:
        """Count all deals, or as many as the precision asks for: as `comparing.compare_design` would."""
        if self.design.precision is None:
            return self._count(0, self.design.deals)
        most = self.design.deals
        sums = self._count(0, min(comparing.ROUND, most))
        while sums.deals < most:
            needed = comparing.needed_deals(self.tally, sums)
            if needed <= sums.deals:
                break
            stop = min(-(-needed // comparing.ROUND) * comparing.ROUND, most)
            sums.add(self._count(sums.deals, stop))
        return sums

    def _count(self, first: int, stop: int) -> Sums:
        """Return the sums over deals `first` to ``stop - 1``, group by group: only one is in memory."""
        n = len(self.design.variants)
        ranges = [range_ for range_ in chunk_ranges(stop) if range_[0] >= first]
        whole = Sums(stop - first, [], [], [])
        for index, group in enumerate(self.design.groups):
            cells = self.cells[index * n : index * n + n]
            tally = Tally(replace(self.design, groups=(group,)), [cell.reducer for cell in cells])
            missing = missing_games(cells, ranges, self.store)
            sums: Sums | None = None
            parts = read_or_play(
                cells,
                ranges,
                self.store,
                seed=self.design.seed,
                threads=self.threads,
                progress=self._tell,
            )
            for rows in parts:
                self._look(index, cells, rows)
                found = tally.sum_up(rows)
                if sums is None:
                    sums = found
                else:
                    sums.add(found)
            assert sums is not None
            whole.grams += sums.grams
            whole.changed += sums.changed
            whole.turns += sums.turns
            self.played += missing
        return whole

    def _look(self, group: int, cells: Sequence[StoredCell], rows: Sequence[DealRows]) -> None:
        """Take from the rows what is not summed up."""
        if not self.examples and self.design.groups[group] == self.study.main.group:
            self.examples = choose(self.study, cells, rows)
        for scores, part in zip(self._scores[group * len(cells) :], rows, strict=False):
            scores.add(part)
