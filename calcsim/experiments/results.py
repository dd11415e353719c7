"""The results of a study as tables, for notebooks and reports."""

from __future__ import annotations

import html
import importlib
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
import pandas as pd

from calcsim.errors import UsageError, nearest
from calcsim.experiments import manifest as manifests
from calcsim.experiments.loading import load_study, study_from_dict
from calcsim.experiments.plan import Study
from calcsim.experiments.store import Store, chunk_ranges, default_root, replace_file
from calcsim.experiments.strategies.design import StrategyStudy

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from calcsim.experiments.cells import StoredCell
    from calcsim.experiments.examples import Example
    from calcsim.experiments.strategies.running import StrategyResults

SUMMARY: Final = "summary.csv"
EFFECTS: Final = "effects.csv"
TURNS: Final = "turns.csv"

TABLES: Final = (SUMMARY, EFFECTS, TURNS)

DEFAULT_OUT: Final = Path("reports")
"""Where results lie, unless said otherwise."""

Format: TypeAlias = Literal["parquet", "npz", "csv"]

_NUMBERS: Final = frozenset(
    {
        *("estimate", "error", "low", "high", "level", "deals", "games", "seed", "turns"),
        *("baseline_value", "variant_value", "difference", "low_all", "high_all", "reduction", "changed"),
        *("margin", "p", "q", "more"),
    }
)
"""Columns that hold numbers; all others are text, such as the values of factors."""

_SHOWN: Final = ("group", "effect", "at", "metric", "difference", "low", "high", "margin", "verdict")


@dataclass(frozen=True, repr=False)
class Results:
    """What came out of a study.

    Attributes
    ----------
    study
        The study as it was run.
    estimates
        A row for each number of each variant in each group, with its interval.
    effects
        A row for each difference of variants, with intervals and verdict.
    turns
        How many games lasted 0, 1, 2 ... turns, by group and variant.
    manifest
        All it takes to make the results again.
    folder
        Where they lie.
    store
        Where the deals are kept.
    """

    study: Study
    estimates: pd.DataFrame
    effects: pd.DataFrame
    turns: Mapping[tuple[str, str], NDArray[np.int64]]
    manifest: dict[str, Any]
    folder: Path
    store: Store = field(compare=False)

    @property
    def summary(self) -> pd.DataFrame:
        """The estimates, by the name of their file."""
        return self.estimates

    @property
    def examples(self) -> list[Example]:
        """Games worth looking at, with the commands that show them."""
        from calcsim.experiments.examples import Example

        return [Example(**entry) for entry in self.manifest["examples"]]

    @property
    def groups(self) -> list[str]:
        """What was held fixed while variants were compared."""
        return [group.label for group in self.study.design.groups]

    @property
    def variants(self) -> list[str]:
        """What was compared."""
        return [variant.name for variant in self.study.design.variants]

    def deals(self, group: str | None = None, variant: str | None = None) -> pd.DataFrame:
        """Return what is kept of each deal of a cell.

        Parameters
        ----------
        group, variant
            One of `groups` and of `variants`; may be left out where there is only one.

        Returns
        -------
        table
            A row for each deal; a column for each component, a mean over the deal's games. Of ratios there
            are two, the numerator and, with `` (per)``, the denominator.

        Raises
        ------
        UsageError
            If there is no such group or variant, or the store does not have its deals.
        """
        cell = self._cell(_one_of("group", group, self.groups), _one_of("variant", variant, self.variants))
        rows = [kept["values"] for kept in self._kept(cell)]
        values = np.concatenate(rows, axis=1)
        columns: dict[str, NDArray[Any]] = {}
        for component in cell.reducer.components:
            numerators = values[component.x]
            if component.y is None:
                columns[component.name] = numerators if component.games == 1 else numerators / component.games
            else:
                columns[component.name] = numerators
                columns[f"{component.name} (per)"] = values[component.y]
        return pd.DataFrame(columns, index=pd.RangeIndex(values.shape[1], name="deal"))

    def export(self, folder: str | Path, format: Format = "parquet") -> list[Path]:
        """Write the tables and the deals of all cells as files.

        Parameters
        ----------
        folder
            Gets ``estimates``, ``effects`` and ``turns``, and for each cell a file of its deals; ``cells``
            names them.
        format
            ``parquet`` (needs pyarrow), ``npz`` (an array for each column) or ``csv``.

        Returns
        -------
        files
            What was written.

        Raises
        ------
        UsageError
            If the format is unknown, pyarrow is missing, or the store does not have the deals.
        """
        writer = _writer(format)
        folder = Path(folder)
        names = {}
        for i, group in enumerate(self.groups):
            for j, variant in enumerate(self.variants):
                names[f"{i + 1:02}-{j + 1:02}-{_slug(group)}-{_slug(variant)}"] = (group, variant)
        cells = [{"data": f"{name}.{format}", "group": g, "variant": v} for name, (g, v) in names.items()]
        tables = {
            "estimates": self.estimates,
            "effects": self.effects,
            "turns": turns_table(self.turns),
            "cells": pd.DataFrame(cells),
        }
        files = []
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            files.append(folder / f"{name}.{format}")
            writer(table, files[-1])
        for name, (group, variant) in names.items():
            files.append(folder / f"{name}.{format}")
            writer(self.deals(group, variant).reset_index(), files[-1])
        return files

    def figures(self) -> dict[str, Figure]:
        """Return the figures of the report by name, to be shown or saved."""
        from calcsim.report import build

        return {picture.name: picture.figure for picture in build(self).pictures}

    def write_report(self) -> list[Path]:
        """Write the report beside the results, make it part of their manifest, and return its files."""
        from calcsim.report import write

        files = write(self, self.folder)
        names = [file.relative_to(self.folder).as_posix() for file in files]
        tables = {name: digest for name, digest in self.manifest["files"].items() if name in TABLES}
        manifests.seal(self.manifest | {"files": tables}, self.folder, names)
        return files

    def __repr__(self) -> str:
        """Return what it is in a line."""
        cells = f"{len(self.variants)} variants in {len(self.groups)} groups"
        return f"<Results of {self.study.name!r}: {cells}, {self.manifest['deals']:,} deals each>"

    def _repr_html_(self) -> str:
        study = self.study
        effects = self.effects[self.effects["role"] == "primary"]
        table = effects if len(effects) else self.estimates
        shown = table[[name for name in (*_SHOWN, "variant", "estimate") if name in table]]
        if len(effects):
            shown = shown.drop(columns=["variant"], errors="ignore")
        body = shown.to_html(index=False, max_rows=20, float_format=lambda number: f"{number:.4g}", na_rep="")
        head = f"<h3>{html.escape(study.title)}</h3><p>{html.escape(study.question)}</p>"
        deals = f"{self.manifest['deals']:,} deals of seed {study.design.seed}, level {study.design.level:g}"
        return f"{head}{body}<p>{deals}</p>"

    def _cell(self, group: str, variant: str) -> StoredCell:
        from calcsim.experiments.cells import stored_cells
        from calcsim.experiments.tally import kept_metrics

        design = self.study.design
        one = replace(
            design,
            groups=(design.groups[self.groups.index(group)],),
            variants=(design.variants[self.variants.index(variant)],),
            baseline=0,
        )
        return stored_cells(one, kept_metrics(design))[0]

    def _kept(self, cell: StoredCell) -> Iterator[Mapping[str, NDArray[Any]]]:
        for first, stop in chunk_ranges(self.manifest["deals"]):
            kept = self.store.read(cell.key, first, stop)
            if kept is None:
                raise UsageError(
                    f"the store {self.store.root} lacks deals {first:,} to {stop - 1:,} of "
                    f"{cell.plan.variant.name!r} in {cell.plan.group.label!r}; "
                    f"run the study again: calcsim study run {self.study.path}"
                )
            yield kept.arrays


def load(
    path: str | Path, *, out: str | Path = DEFAULT_OUT, root: str | Path | None = None
) -> Results | StrategyResults:
    """Return the results of a study that was run.

    Parameters
    ----------
    path
        The study's file, the folder of its results, or their manifest.
    out
        Where results lie, if `path` is a study's file.
    root
        The folder of the store; without it ``$CALCSIM_STORE``, else ``.calcsim`` in the current folder. Only
        `Results.deals` and `Results.export` need it.

    Raises
    ------
    UsageError
        If there are no results, or the study has faults.

    Warns
    -----
    UserWarning
        If the study's file asks for something else than what was run.
    """
    folder, study = place_of(Path(path), Path(out))
    if isinstance(study, StrategyStudy) or (study is None and "kind" in manifests.read(folder)["study"]):
        from calcsim.experiments.strategies.running import load_results

        return load_results(folder, study=study)
    return load_folder(folder, study=study, store=Store(default_root() if root is None else root))


def place_of(path: Path, out: Path = DEFAULT_OUT) -> tuple[Path, Study | StrategyStudy | None]:
    """Return the folder of results that a path means, and the study if the path is a study's file.

    Raises
    ------
    UsageError
        If it means none, or the study has faults.
    """
    if path.suffix != ".toml":
        folder = path.parent if path.name == manifests.NAME else path
        if not (folder / manifests.NAME).is_file():
            raise UsageError(
                f"{path}: no results there; give a study's file, or a folder with a {manifests.NAME}"
            )
        return folder, None
    study = load_study(path)
    folder = out / study.name
    if not (folder / manifests.NAME).is_file():
        raise UsageError(f"{path}: no results in {folder}; run it first: calcsim study run {path}")
    return folder, study


def load_folder(folder: Path, *, study: Study | None, store: Store) -> Results:
    """Return the results in a folder.

    Parameters
    ----------
    folder
        Of the results.
    study
        The study as it is now. Its texts count, if it asks for the very same results.
    store
        Where deals are kept.

    Raises
    ------
    UsageError
        If there are none, or they are not what the manifest says.
    """
    manifest = manifests.read(folder)
    run = study_from_dict(manifest["study"], folder=None if study is None else study.design.folder)
    assert isinstance(run, Study)
    if study is not None:
        if study.design.run_as(run.design) == run.design:
            run = replace(study, design=run.design)
            manifest["study"] = run.as_dict()
        else:
            warnings.warn(
                f"{study.path} asks for something else than what {folder} holds; run it again", stacklevel=3
            )
    return Results(
        study=run,
        estimates=read_table(folder / SUMMARY),
        effects=read_table(folder / EFFECTS),
        turns=_turns(read_table(folder / TURNS)),
        manifest=manifest,
        folder=folder,
        store=store,
    )


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV: ten digits, the same bytes for the same numbers."""
    text = table.to_csv(index=False, float_format="%.10g", lineterminator="\n")
    replace_file(path, text.encode())


def read_table(path: Path) -> pd.DataFrame:
    """Return a table as `write_table` wrote it.

    Raises
    ------
    UsageError
        If there is none.
    """
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        numbers = [name for name in table if name in _NUMBERS]
        # How many play is a text where an effect is about several numbers.
        if "players" in table and table["players"].str.isdecimal().all():
            numbers.append("players")
        for name in numbers:
            table[name] = _numbers(table[name])
    except FileNotFoundError:
        raise UsageError(f"{path} is missing; run the study again") from None
    except ValueError as error:
        raise UsageError(f"{path}: is no table of results: {' '.join(str(error).split())}") from None
    return table


def _numbers(texts: pd.Series[str]) -> pd.Series[Any]:
    """Return texts as whole numbers if all are, else as fractions; an empty one is none."""
    if texts.str.fullmatch(r"-?\d+").all():
        return texts.map(int).astype("int64")
    return texts.map(lambda text: float(text or "nan")).astype("float64")


def _turns(table: pd.DataFrame) -> dict[tuple[str, str], NDArray[np.int64]]:
    found = {}
    for (group, variant), rows in table.groupby(["group", "variant"], sort=False):
        counts = np.zeros(int(rows["turns"].max()) + 1, dtype=np.int64)
        counts[rows["turns"].to_numpy()] = rows["games"].to_numpy()
        found[str(group), str(variant)] = counts
    return found


def turns_table(turns: Mapping[tuple[str, str], NDArray[np.int64]]) -> pd.DataFrame:
    """Return how many games had so many turns, by group and variant."""
    records = [
        (group, variant, number, int(games))
        for (group, variant), counts in turns.items()
        for number, games in enumerate(counts)
        if games
    ]
    return pd.DataFrame(records, columns=["group", "variant", "turns", "games"])


def _one_of(what: str, name: str | None, names: list[str]) -> str:
    if name is None and len(names) == 1:
        return names[0]
    if name is None:
        raise UsageError(f"{what}: name one of {', '.join(map(repr, names))}")
    if name not in names:
        raise UsageError(f"no {what} {name!r}{nearest(name, names)} (known: {', '.join(map(repr, names))})")
    return name


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _writer(format: str) -> Any:
    """Return the function that writes a table in a format.

    Raises
    ------
    UsageError
        If it is unknown, or pyarrow is missing.
    """
    writers = {"parquet": _write_parquet, "npz": _write_npz, "csv": write_table}
    if format not in writers:
        known = ", ".join(writers)
        raise UsageError(f"format {format!r}{nearest(format, writers)} (known: {known})")
    if format == "parquet":
        try:
            importlib.import_module("pyarrow")
        except ImportError:
            raise UsageError(
                "format 'parquet' needs pyarrow: pip install 'calcsim[parquet]'; or take npz or csv"
            ) from None
    return writers[format]


def _write_parquet(table: pd.DataFrame, path: Path) -> None:
    table.to_parquet(path, engine="pyarrow", compression="zstd", index=False)


def _write_npz(table: pd.DataFrame, path: Path) -> None:
    columns = {str(name): table[name].to_numpy() for name in table}
    texts = {name: array.astype(np.str_) for name, array in columns.items() if array.dtype == object}
    np.savez_compressed(path, allow_pickle=False, **columns | texts)
