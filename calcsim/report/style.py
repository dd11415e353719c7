"""How all figures look, and how they are saved: the same bytes for the same data."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's, told apart by colour-blind readers too; the palest is left out."""

MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
"""One for each colour: a print in grey is read by them."""

GREY: Final = "#5f6368"
BAND: Final = "#e4e6ea"

WIDTH: Final = 8.0
"""Inches; about 770 pixels in a browser."""

NOTE_CHARS: Final = 125
"""Characters of the note below a figure that fit its width."""

MOST_SVG_BYTES: Final = 150_000
"""Above, a figure is saved as PNG: its detail would not be seen anyway."""

STYLE: Final[dict[str, Any]] = {
    "font.size": 9.5,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.labelsize": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.unicode_minus": True,
    "grid.color": "#eceef1",
    "grid.linewidth": 0.8,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": "#202124",
    "ytick.labelcolor": "#202124",
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "text.color": "#202124",
    "legend.fontsize": 9,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 5.5,
    "figure.facecolor": "white",
    "savefig.dpi": 150,
    # Letters as paths look the same without the font.
    "svg.fonttype": "path",
    "svg.hashsalt": "calcsim",
}
"""On top of matplotlib's own defaults, whatever the user's are."""


@contextlib.contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house's style within this context."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)  # type: ignore[arg-type]
        yield


def save(figure: Figure, kind: str) -> bytes:
    """Return a figure as ``svg`` or ``png``; the bytes depend on the data alone."""
    buffer = io.BytesIO()
    fixed = {"Date": None, "Creator": "calcsim"} if kind == "svg" else {"Software": "calcsim"}
    with house_style():
        figure.savefig(buffer, format=kind, metadata=fixed)
    return buffer.getvalue()


def rendered(figure: Figure) -> tuple[str, bytes]:
    """Return the ending of a figure's file and what is in it: SVG, or PNG where that would be large."""
    svg = save(figure, "svg")
    return ("svg", svg) if len(svg) <= MOST_SVG_BYTES else ("png", save(figure, "png"))
