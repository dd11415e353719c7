"""Makes the results of a study again from their manifest alone, and tells whether they are the same."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calcsim.experiments import manifest as manifests
from calcsim.experiments.loading import study_from_dict
from calcsim.experiments.results import DEFAULT_OUT, Results, place_of
from calcsim.experiments.run import run_study

if TYPE_CHECKING:
    from calcsim.experiments.plan import Study
    from calcsim.experiments.strategies.design import StrategyStudy
    from calcsim.experiments.strategies.running import StrategyResults


def verify(
    path: Path,
    *,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
    out: Path = DEFAULT_OUT,
) -> list[str]:
    """Play a study again and compare every byte of its results.

    Nothing that is kept is believed: everything is played anew.

    Parameters
    ----------
    path
        The study's file, the folder of its results, or their manifest.
    threads
        How many; 0 for one a core.
    progress
        Called with the number of games done.
    out
        Where results lie, if `path` is a study's file.

    Returns
    -------
    faults
        What is not the same, a line each; with versions that differ first, as they may be the reason.

    Raises
    ------
    UsageError
        If there are no results, or the study has faults.
    """
    folder, now = place_of(path, out)
    manifest = manifests.read(folder)
    study = study_from_dict(manifest["study"], folder=None if now is None else now.design.folder)
    faults = _tampered(manifest, folder)
    if now is not None:
        faults += _changed(now, study)
    with tempfile.TemporaryDirectory(prefix="calcsim-verify-") as temporary:
        results = run_study(
            study,
            root=Path(temporary) / "store",
            out=Path(temporary) / "out",
            threads=threads,
            progress=progress,
        )
        faults += _different_cells(manifest, results.manifest)
        faults += _different_files(manifest, folder, results)
    faults = list(dict.fromkeys(faults))
    return [*_other_versions(manifest), *faults] if faults else []


def _other_versions(manifest: Mapping[str, Any]) -> list[str]:
    here = manifests.versions()
    return [
        f"{name} {version} made the results, and this is {here.get(name, 'without it')}"
        for name, version in manifest["versions"].items()
        if here.get(name) != version
    ]


def _tampered(manifest: Mapping[str, Any], folder: Path) -> list[str]:
    """Return which files are not those that the manifest was written for."""
    faults = []
    for name, digest in manifest["files"].items():
        if not (folder / name).is_file():
            faults.append(f"{folder / name} is missing")
        elif manifests.file_digest(folder / name) != digest:
            faults.append(f"{folder / name} was changed after it was written")
    return faults


def _changed(now: Study | StrategyStudy, then: Study | StrategyStudy) -> list[str]:
    """Return whether a study's file asks for something else than what was run."""
    return (
        [] if now.design.run_as(then.design) == then.design else [f"{now.path} was changed after it was run"]
    )


def _different_cells(manifest: Mapping[str, Any], again: Mapping[str, Any]) -> list[str]:
    """Return which cells were played differently."""
    faults = []
    for kind in ("cells", "special"):
        for before, after in zip_longest(manifest.get(kind, []), again[kind]):
            if before == after:
                continue
            one = before or after
            what = f"{one.get('kind', 'deals')} of {one['variant']!r} in {one['group']!r}"
            if before and after and before["key"] == after["key"]:
                faults.append(f"{what}: comes out differently, though nothing says why")
            else:
                faults.append(f"{what}: rules, players' files, metrics or versions are not the same")
    if manifest.get("deals") != again["deals"]:
        faults.append(f"{again['deals']:,} deals are played, and not {manifest.get('deals'):,}")
    if manifest.get("examples") != again["examples"]:
        faults.append("the example games are not the same")
    return faults


def _different_files(
    manifest: Mapping[str, Any], folder: Path, again: Results | StrategyResults
) -> list[str]:
    """Return which files come out differently, and from which line on."""
    tables = list(again.manifest["files"])
    others = [name for name in manifest["files"] if name not in tables]
    if others:
        again.write_report()
    faults = []
    for name in (*tables, *others):
        before, after = folder / name, again.folder / name
        if not after.is_file():
            faults.append(f"{before} is not made again")
        elif before.is_file() and before.read_bytes() != after.read_bytes():
            faults.append(f"{before} comes out differently, {_first_difference(before, after)}")
    return faults


def _first_difference(before: Path, after: Path) -> str:
    try:
        pair = [path.read_text("utf-8").splitlines() for path in (before, after)]
    except UnicodeDecodeError:
        return "and is no text"
    for number, (old, new) in enumerate(zip_longest(*pair), start=1):
        if old != new:
            return f"first in line {number}: {_short(old)} is now {_short(new)}"
    return "in its line ends"


def _short(line: str | None) -> str:
    if line is None:
        return "nothing"
    return repr(line if len(line) <= 120 else f"{line[:117]}...")
