"""The manifest of a study's results: all it takes to make them again, and to know that they are the same.

There is no time, machine or number of threads in it: who makes the results again gets the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from calcsim.errors import UsageError
from calcsim.experiments.store import replace_file
from calcsim.policies import identity
from calcsim.version import ENGINE_VERSION, METRICS_VERSION, RULES_VERSION, __version__

if TYPE_CHECKING:
    from calcsim.experiments.cells import StoredCell
    from calcsim.experiments.plan import Study

NAME: Final = "manifest.json"

FORMAT: Final = 1
"""Raised whenever a manifest says something in another way."""

_LIBRARIES: Final = ("numpy", "scipy", "numba", "pandas", "matplotlib")


def versions() -> dict[str, Any]:
    """Return the versions that results can depend on."""
    from importlib.metadata import version

    own = {
        "calcsim": __version__,
        "rules": RULES_VERSION,
        "engine": ENGINE_VERSION,
        "metrics": METRICS_VERSION,
        "python": platform.python_version(),
    }
    return own | {name: version(name) for name in _LIBRARIES}


def build(
    study: Study, cells: Sequence[StoredCell], deals: int, special: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the manifest of results whose files are yet to be written.

    Parameters
    ----------
    study
        As it was run, deals given on the command line included.
    cells
        What was counted.
    deals
        Deals of each cell; fewer than planned where a precision was reached.
    special
        What else was measured, with its checksums.
    """
    policies = {
        written: identity(name)
        for cell in cells
        for written, name in zip(cell.plan.policies, cell.plan.line_up, strict=True)
    }
    return {
        "format": FORMAT,
        "study": study.as_dict(),
        "versions": versions(),
        "policies": policies,
        "seed": study.design.seed,
        "deals": deals,
        "cells": [
            {
                "group": cell.plan.group.label,
                "variant": cell.plan.variant.name,
                "rules": cell.plan.rules.label,
                "fingerprint": cell.plan.rules.fingerprint,
                "players": cell.plan.players,
                "policies": list(cell.plan.policies),
                "key": cell.key,
                "deals": [0, deals],
                "games": deals * cell.games,
                "checksum": cell.checksum,
            }
            for cell in cells
        ],
        "special": [dict(entry) for entry in special],
        "examples": [],
        "files": {},
    }


def write(manifest: Mapping[str, Any], folder: Path) -> None:
    """Write a manifest into the folder of its results."""
    text = json.dumps(manifest, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    replace_file(folder / NAME, text.encode())


def read(folder: Path) -> dict[str, Any]:
    """Return the manifest in a folder of results.

    Raises
    ------
    UsageError
        If there is none, or it cannot be understood.
    """
    path = folder / NAME
    try:
        text = path.read_bytes().decode()
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{folder} holds no results: it has no {NAME}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is no manifest: not UTF-8") from None
    try:
        manifest = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{path}: is no manifest: {error}") from None
    known = {"format", "study", "versions", "cells", "files"}
    if not isinstance(manifest, dict) or not known <= manifest.keys():
        raise UsageError(f"{path}: is no manifest of a study's results")
    if manifest["format"] != FORMAT:
        raise UsageError(
            f"{path}: format {manifest['format']!r}, and this calcsim knows {FORMAT}; run the study again"
        )
    return manifest


def seal(manifest: dict[str, Any], folder: Path, names: Iterable[str]) -> None:
    """Add the checksums of files to a manifest, and write it.

    Parameters
    ----------
    manifest
        Modified in place.
    folder
        Of the results.
    names
        Files within, such as ``report.md`` and ``figures/main.svg``.
    """
    files = manifest["files"] | {name: file_digest(folder / name) for name in names}
    manifest["files"] = dict(sorted(files.items()))
    write(manifest, folder)


def seal_tables(manifest: dict[str, Any], folder: Path, tables: Iterable[str]) -> None:
    """Write the manifest of a run; a report of the very same results stays part of it.

    Parameters
    ----------
    manifest
        Its files are set in place: to the tables, with their checksums.
    folder
        Of the results.
    tables
        The files that the run wrote.
    """
    manifest["files"] = {name: file_digest(folder / name) for name in sorted(tables)}
    try:
        before: Mapping[str, Any] = read(folder)
    except UsageError:
        before = {}
    if before:
        more = {name: digest for name, digest in before["files"].items() if name not in manifest["files"]}
        if before == manifest | {"files": dict(sorted((manifest["files"] | more).items()))}:
            return
    write(manifest, folder)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
