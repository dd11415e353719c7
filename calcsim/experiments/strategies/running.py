"""Runs a study of strategies: plays the tables that the store lacks, and writes them with their manifest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from calcsim.errors import UsageError
from calcsim.experiments import manifest as manifests
from calcsim.experiments.store import Store, cell_identity, key_of, replace_file
from calcsim.experiments.strategies import codec, rows
from calcsim.experiments.strategies.design import StrategyCell, StrategyDesign, StrategyStudy
from calcsim.experiments.strategies.kinds import play, table_games, total_games
from calcsim.policies import identity

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

TABLE: Final = "results.csv"
WHOLE: Final = "results.json"
"""All that the commands of the kinds find, for the report; `TABLE` has its numbers."""

TABLES: Final = (TABLE, WHOLE)

_ANALYSIS: Final = 1
"""Raised whenever the same games would come to other numbers."""

_MEMBER: Final = "json"

_NUMBERS: Final = ("estimate", "error", "low", "high")
"""Columns in which nothing stands for no number."""


@dataclass(frozen=True, repr=False)
class StrategyResults:
    """What came out of a study of strategies.

    Attributes
    ----------
    study
        The study as it was run.
    table
        A row for each number, with its interval.
    tables
        What the command of the kind finds, for each of the design's places.
    manifest
        All it takes to make the results again.
    folder
        Where they lie.
    """

    study: StrategyStudy
    table: pd.DataFrame
    tables: tuple[Any, ...]
    manifest: dict[str, Any]
    folder: Path

    def figures(self) -> dict[str, Figure]:
        """Return the figures of the report by name, to be shown or saved."""
        from calcsim.report.strategies import build

        return {picture.name: picture.figure for picture in build(self).pictures}

    def write_report(self) -> list[Path]:
        """Write the report beside the results, make it part of their manifest, and return its files."""
        from calcsim.report import write_files
        from calcsim.report.strategies import build

        files = write_files(build(self), self.folder)
        names = [file.relative_to(self.folder).as_posix() for file in files]
        kept = {name: digest for name, digest in self.manifest["files"].items() if name in TABLES}
        manifests.seal(self.manifest | {"files": kept}, self.folder, names)
        return files

    def __repr__(self) -> str:
        """Return what it is in a line."""
        design = self.study.design
        return f"<StrategyResults of {self.study.name!r}: {design.kind}, {len(self.tables)} tables>"

    def _repr_html_(self) -> str:
        import html

        head = f"<h3>{html.escape(self.study.title)}</h3><p>{html.escape(self.study.question)}</p>"
        return head + self.table.to_html(index=False, max_rows=20, na_rep="")


def run_strategies(
    study: StrategyStudy,
    *,
    root: Path,
    out: Path,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
    note: Callable[[str], None] | None = None,
) -> StrategyResults:
    """Run a study of strategies as far as the store has not got yet; see `calcsim.experiments.run.run_study`.

    Each table is kept as soon as it is played, so whoever interrupts it loses no more than one.
    """
    design = study.design
    store = Store(root, note)
    folder = out / study.name
    done = 0
    texts, entries = [], []
    if progress is not None:
        progress(0)
    for cell in design.cells():

        def report(games: int, before: int = done) -> None:
            if progress is not None:
                progress(before + games)

        known = _identity(design, cell)
        key = key_of(known)
        kept = store.read(key, 0, cell.deals)
        if kept is None:
            found = play(design, cell, threads, report)
            text = codec.encode(found, dict(zip(cell.line_up, cell.policies, strict=True)))
            arrays = {_MEMBER: np.frombuffer(text.encode(), dtype=np.dtype("u1"))}
            kept = store.write(key, 0, cell.deals, arrays, known)
            done += table_games(design, cell)
        texts.append(kept.arrays[_MEMBER].tobytes().decode())
        entries.append(_entry(design, cell, key, kept.digest))
    tables = tuple(codec.decode(text) for text in texts)
    _write_table(design, tables, folder)
    replace_file(folder / WHOLE, ("[\n" + ",\n".join(texts) + "\n]\n").encode())
    manifests.seal_tables(_manifest(study, entries), folder, TABLES)
    return load_results(folder, study=study)


def load_results(folder: Path, *, study: StrategyStudy | None) -> StrategyResults:
    """Return the results of strategies in a folder.

    Parameters
    ----------
    folder
        Of the results.
    study
        The study as it is now. Its texts count, if it asks for the very same results.

    Raises
    ------
    UsageError
        If there are none, or they are not what the manifest says.
    """
    import warnings
    from dataclasses import replace

    import pandas as pd

    from calcsim.experiments.strategies.reading import study_from_dict

    manifest = manifests.read(folder)
    run = study_from_dict(manifest["study"], None if study is None else study.design.folder)
    if study is not None:
        if study.design.run_as(run.design) == run.design:
            run = replace(study, design=run.design)
            manifest["study"] = run.as_dict()
        else:
            warnings.warn(
                f"{study.path} asks for something else than what {folder} holds; run it again", stacklevel=4
            )
    try:
        tables = codec.decode((folder / WHOLE).read_text(encoding="utf-8"))
        empty = {name: [""] for name in _NUMBERS}
        table = pd.read_csv(folder / TABLE, keep_default_na=False, na_values=empty)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{folder}: its results cannot be read: {error}; run the study again") from None
    return StrategyResults(run, table, tables, manifest, folder)


def _identity(design: StrategyDesign, cell: StrategyCell) -> dict[str, Any]:
    """Return everything that can change what a table comes to, or how it is written down."""
    return cell_identity(
        cell.place.rules,
        cell.place.players,
        cell.line_up,
        seed=design.seed,
        kind=f"strategies.{design.kind}",
        names=list(cell.policies),
        hero=design.hero is not None,
        forbid=list(design.forbid),
        deals=cell.deals,
        level=design.level,
        margin=design.margin,
        analysis=_ANALYSIS,
    )


def _entry(design: StrategyDesign, cell: StrategyCell, key: str, checksum: str) -> dict[str, Any]:
    """Return what the manifest says of a table."""
    rules = cell.place.rules
    return {
        "group": f"{cell.place.players} players",
        "variant": rules.label,
        "rules": rules.label,
        "fingerprint": rules.fingerprint,
        "players": cell.place.players,
        "policies": list(cell.policies),
        "key": key,
        "deals": [0, cell.deals],
        "games": table_games(design, cell),
        "checksum": checksum,
    }


def _manifest(study: StrategyStudy, entries: list[dict[str, Any]]) -> dict[str, Any]:
    design = study.design
    cell = design.cells()[0]
    return {
        "format": manifests.FORMAT,
        "study": study.as_dict(),
        "versions": manifests.versions(),
        "policies": {
            written: identity(name) for written, name in zip(cell.policies, cell.line_up, strict=True)
        },
        "seed": design.seed,
        "deals": design.deals,
        "games": total_games(design),
        "cells": entries,
        "special": [],
        "examples": [],
        "files": {},
    }


def _write_table(design: StrategyDesign, tables: tuple[Any, ...], folder: Path) -> None:
    import pandas as pd

    from calcsim.experiments.results import write_table

    table = pd.DataFrame(rows.records(design, tables), columns=list(rows.COLUMNS))
    write_table(table, folder / TABLE)
