"""The option of commands that draw, and how a picture is written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calcsim.errors import UsageError

PlotOption = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Draw the result, as .png or .svg.")
]


def check_plot(plot: Path | None) -> None:
    """Refuse a picture's file of another kind.

    Raises
    ------
    UsageError
        If it does not end in .png or .svg.
    """
    if plot is not None and plot.suffix not in (".png", ".svg"):
        raise UsageError(f"--plot {str(plot)!r}: must end in .png or .svg")


def write_plot(plot: Path, data: bytes) -> None:
    """Write a picture, whole or not at all."""
    from calcsim.experiments.store import replace_file

    replace_file(plot, data)
