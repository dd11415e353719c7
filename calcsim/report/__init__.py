"""Reports of studies: one content, as Markdown with figures beside it and as a single HTML file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calcsim.report.model import Report, Source

__all__ = ["build", "write", "write_files"]

_FIGURES = "figures"


def build(results: Source) -> Report:
    """Return the report of a study's results, its figures drawn.

    Raises
    ------
    CalcsimError
        If what the study's answer is about is not among the results.
    """
    from calcsim.report.content import build as build_content

    return build_content(results)


def write(results: Source, folder: Path) -> list[Path]:
    """Write ``report.md``, ``report.html`` and ``figures/`` into a folder: same results, same bytes.

    Figures that an earlier report left in ``figures/`` and this one does not have are removed.

    Parameters
    ----------
    results
        Of a study.
    folder
        The study's folder of results; made if it is not there.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    CalcsimError
        If what the study's answer is about is not among the results.
    """
    return write_files(build(results), folder)


def write_files(report: Report, folder: Path) -> list[Path]:
    """Write a report, as `write` does, and return its files."""
    from calcsim.report.html import to_html
    from calcsim.report.markdown import to_markdown
    from calcsim.report.style import rendered

    images = {picture.name: rendered(picture.figure) for picture in report.pictures}
    files = {name: f"{_FIGURES}/{name}.{ending}" for name, (ending, _) in images.items()}
    contents = {files[name]: content for name, (_, content) in images.items()}
    contents["report.md"] = to_markdown(report, files).encode()
    contents["report.html"] = to_html(report, images).encode()
    written = []
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, content)
        written.append(path)
    for old in sorted((folder / _FIGURES).glob("*")):
        if old.suffix in (".svg", ".png") and old not in written:
            old.unlink()
    return written


def _replace(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        # mkstemp makes files for their owner alone.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
