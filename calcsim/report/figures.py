"""The kinds of figure: differences with their margin, estimates by players, seats, length of games."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from calcsim.report.style import BAND, COLOURS, GREY, MARKERS, NOTE_CHARS, WIDTH, house_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN_PERCENTILES: Final = (5, 50, 95)

_MOST_BINS: Final = 48
_CUT: Final = 0.995
"""Share of the games that the axis of a distribution reaches to."""

_LABEL_CHARS: Final = 40


@dataclass(frozen=True, slots=True)
class Mark:
    """A point with its interval.

    Attributes
    ----------
    at
        Name of its row, or its place on the axis (players, seat).
    series
        What its colour stands for.
    value, low, high
        The point and its interval; the bounds None where there is none.
    """

    at: str | int
    series: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """One set of axes.

    Attributes
    ----------
    title
        Above it, empty for none.
    marks
        What is drawn.
    y_label
        Of its own axis, where panels do not share one.
    fair
        Level of the fair share by place on the axis, where there is one.
    """

    title: str
    marks: tuple[Mark, ...]
    y_label: str = ""
    fair: tuple[tuple[int, float], ...] = ()


def _start(
    n_panels: int, columns: int, height: float, **sharing: Any
) -> tuple[Figure, list[Axes], list[Axes]]:
    """Return a figure, its axes in reading order, and those of them below which nothing stands."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    n_rows = math.ceil(n_panels / columns)
    # A row of the legend, the axis and the note take the inch and a bit.
    layout = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.05, wspace=0.03, hspace=0.05)
    figure = Figure(figsize=(WIDTH, 1.15 + n_rows * height), layout=layout)
    grid = figure.subplots(n_rows, columns, squeeze=False, **sharing)
    axes = list(grid.ravel())
    for spare in axes[n_panels:]:
        spare.set_axis_off()
    lowest = [axes[index] for index in range(n_panels) if index + columns >= n_panels]
    for ax in lowest:
        ax.tick_params(labelbottom=True)
    return figure, axes[:n_panels], lowest


def _finish(figure: Figure, series: Sequence[str], handles: Sequence[Any], note: str) -> Figure:
    if len(series) > 1:
        columns = 1
        while columns < len(series) and sum(len(name) + 6 for name in series[: columns + 1]) < 105:
            columns += 1
        figure.legend(handles, list(series), loc="outside upper left", ncols=columns, handletextpad=0.4)
    lines = textwrap.wrap(note, NOTE_CHARS)
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=8, color=GREY, linespacing=1.25)
    return figure


def _look(series: Sequence[str], name: str) -> dict[str, Any]:
    index = series.index(name)
    return {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)]}


def _handles(series: Sequence[str], line: Literal["-", "none"] = "none") -> list[Any]:
    from matplotlib.lines import Line2D

    return [Line2D([], [], linestyle=line, **_look(series, name)) for name in series]


def _bars(ax: Axes, marks: Sequence[Mark], places: Sequence[float], *, flat: bool, **look: Any) -> None:
    """Draw points with their intervals, horizontal where `flat`."""
    values = [mark.value for mark in marks]
    below = [0.0 if mark.low is None else max(mark.value - mark.low, 0.0) for mark in marks]
    above = [0.0 if mark.high is None else max(mark.high - mark.value, 0.0) for mark in marks]
    look = {"linestyle": "none", "elinewidth": 1.5, "capsize": 2.5, **look}
    if flat:
        ax.errorbar(values, places, xerr=[below, above], **look)
    else:
        ax.errorbar(places, values, yerr=[below, above], **look)


def _dodge(index: int, n_series: int, width: float) -> float:
    return 0.0 if n_series == 1 else width * (index / (n_series - 1) - 0.5)


def _aside(panel: Panel, mark: Mark, series: Sequence[str]) -> float:
    """Return how far a mark stands from the middle of its row, which it has to share with other series."""
    present = {other.series for other in panel.marks if other.at == mark.at}
    beside = [name for name in series if name in present]
    return _dodge(beside.index(mark.series), len(beside), 0.5)


def _wrap(label: str, chars: int = _LABEL_CHARS) -> str:
    lines: list[str] = []
    for line in label.split("\n"):
        # A long line-up may be broken after any of its policies.
        lines += textwrap.wrap(line.replace("/", "/ "), chars, break_on_hyphens=False) or [""]
    return "\n".join(lines).replace("/ ", "/")


def forest(
    panels: Sequence[Panel], *, axis: str, note: str, margin: float | None, columns: int = 1
) -> Figure:
    """Return differences as points with intervals, a row each, over the band of those that do not matter.

    Parameters
    ----------
    panels
        With the same rows in each, drawn from the top in the order of their first marks.
    axis
        Label of the axis, with its unit.
    note
        Below the figure: deals, level, what the band is.
    margin
        Half the width of the band; None for none.
    columns
        Panels beside one another.
    """
    series = list(dict.fromkeys(mark.series for panel in panels for mark in panel.marks))
    rows = list(dict.fromkeys(mark.at for panel in panels for mark in panel.marks))
    chars = _LABEL_CHARS if columns == 1 else 26
    labels = [_wrap(str(row), chars) for row in rows]
    lines = max(label.count("\n") + 1 for label in labels)
    pitch = max(0.27, 0.15 * lines + 0.1, 0.15 * len(series) + 0.08)
    with house_style():
        figure, axes, lowest = _start(
            len(panels), columns, 0.35 + pitch * len(rows), sharex=True, sharey=True
        )
        far = max((abs(mark.value) for panel in panels for mark in panel.marks), default=0.0)
        for panel, ax in zip(panels, axes, strict=True):
            if margin is not None:
                ax.axvspan(-margin, margin, color=BAND, linewidth=0, zorder=0)
            ax.axvline(0, color=GREY, linewidth=1, zorder=1)
            for name in series:
                marks = [mark for mark in panel.marks if mark.series == name]
                places = [rows.index(mark.at) + _aside(panel, mark, series) for mark in marks]
                _bars(ax, marks, places, flat=True, zorder=3, **_look(series, name))
            ax.set_title(_wrap(panel.title, 100 // columns))
            ax.set_yticks(range(len(rows)), labels)
            ax.grid(visible=False, axis="y")
            ax.tick_params(axis="y", length=0)
            for between in range(1, len(rows)):
                ax.axhline(between - 0.5, color="#eceef1", linewidth=0.6, zorder=0)
        axes[0].set_ylim(len(rows) - 0.5, -0.5)
        if margin is not None and far > 12 * margin:
            _bend(axes[0], margin, far)
        for ax in lowest:
            ax.set_xlabel(_wrap(axis, 100 // columns))
        return _finish(figure, series, _handles(series), note)


def _bend(ax: Axes, margin: float, far: float) -> None:
    """Make the axis logarithmic beyond the margin: one large difference would hide the band."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    ax.set_xscale("symlog", linthresh=margin, linscale=0.7)
    ticks = [0.0]
    step = margin
    while step < far * 1.5:
        ticks += [step, -step]
        step *= 10
    low, high = ax.dataLim.x0, ax.dataLim.x1
    ax.set_xlim(min(1.5 * low, -2 * margin), max(1.5 * high, 2 * margin))
    ax.xaxis.set_major_locator(FixedLocator(sorted(ticks)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:+.6g}".replace("-", "−") if x else "0"))


def by_place(
    panels: Sequence[Panel], *, axis: str, label: str, note: str, columns: int, shared: bool = True
) -> Figure:
    """Return estimates over a whole number, such as players or seats, with lines between them.

    Parameters
    ----------
    panels
        Marks whose `at` is the whole number.
    axis
        Label of the horizontal axis.
    label
        Label of the vertical axis with its unit, where it is `shared`; else panels bring their own.
    note
        Below the figure.
    columns
        Panels beside one another.
    shared
        Whether all panels have the same vertical axis.
    """
    from matplotlib.ticker import FixedLocator

    series = list(dict.fromkeys(mark.series for panel in panels for mark in panel.marks))
    with house_style():
        figure, axes, lowest = _start(len(panels), columns, 2.35, sharex=False, sharey=shared)
        for number, (panel, ax) in enumerate(zip(panels, axes, strict=True)):
            places = sorted({int(mark.at) for mark in panel.marks})
            for index, name in enumerate(series):
                marks = [mark for mark in panel.marks if mark.series == name]
                # Points of one place stand beside one another where their intervals could touch.
                shift = _dodge(index, len(series), 0.22)
                _bars(
                    ax,
                    marks,
                    [int(mark.at) + shift for mark in marks],
                    flat=False,
                    zorder=3,
                    **{**_look(series, name), "linestyle": "-", "linewidth": 0.9, "elinewidth": 1.3},
                )
            for nth, (place, fair) in enumerate(panel.fair):
                name = "fair share" if nth == 0 else "_"
                ax.plot(
                    [place - 0.45, place + 0.45],
                    [fair, fair],
                    color=GREY,
                    linestyle="--",
                    linewidth=1,
                    label=name,
                )
            ax.set_title(_wrap(panel.title, 100 // columns))
            ax.xaxis.set_major_locator(FixedLocator(places))
            ax.set_xlim(places[0] - 0.5, places[-1] + 0.5)
            ax.grid(visible=False, axis="x")
            ax.margins(y=0.12)
            if not shared:
                ax.set_ylabel(panel.y_label)
            elif number % columns == 0:
                ax.set_ylabel(label)
        for ax in lowest:
            ax.set_xlabel(axis)
        handles, names = _handles(series, "-"), list(series)
        if any(panel.fair for panel in panels):
            from matplotlib.lines import Line2D

            handles.append(Line2D([], [], color=GREY, linestyle="--", linewidth=1))
            names.append("fair share")
        return _finish(figure, names, handles, note)


def percentile(counts: Any, share: float) -> int:
    """Return the least number that at least a share of the games did not exceed.

    Parameters
    ----------
    counts
        Games by number, from 0.
    share
        From 0 to 1.
    """
    import numpy as np

    running = np.cumsum(counts)
    return int(np.searchsorted(running, share * running[-1] - 1e-9))


def lengths(panels: Sequence[tuple[str, Sequence[tuple[str, Any]]]], *, note: str, columns: int) -> Figure:
    """Return how long games last: a histogram for each variant, and its percentiles above.

    Parameters
    ----------
    panels
        A title, and (variant, games by turns) pairs, each.
    note
        Below the figure.
    columns
        Panels beside one another.
    """
    import numpy as np

    series = list(dict.fromkeys(name for _, variants in panels for name, _ in variants))
    reach = max(percentile(counts, _CUT) for _, variants in panels for _, counts in variants) + 1
    width = max(1, math.ceil(reach / _MOST_BINS))
    edges = np.arange(0, reach + width, width)
    with house_style():
        figure, axes, lowest = _start(len(panels), columns, 1.9, sharex=True, sharey=True)
        shares = [
            [
                (
                    name,
                    np.array([counts[low : low + width].sum() for low in edges[:-1]]) / counts.sum() / width,
                )
                for name, counts in variants
            ]
            for _, variants in panels
        ]
        top = 100 * max(float(values.max()) for panel in shares for _, values in panel)
        for number, ((title, variants), drawn, ax) in enumerate(zip(panels, shares, axes, strict=True)):
            for (name, counts), (_, values) in zip(variants, drawn, strict=True):
                look = _look(series, name)
                line = ("-", (0, (4, 1.5)), (0, (1, 1)), "-.")[series.index(name) % 4]
                ax.stairs(100 * values, edges, color=look["color"], linewidth=1.3, linestyle=line)
                low, middle, high = (percentile(counts, share / 100) for share in SHOWN_PERCENTILES)
                height = top * (1.1 + 0.13 * series.index(name))
                ax.plot([low, high], [height, height], color=look["color"], linewidth=1.4, marker="|")
                ax.plot([middle], [height], color=look["color"], marker=look["marker"], linestyle="none")
            ax.set_title(_wrap(title, 100 // columns))
            ax.set_xlim(0, reach)
            ax.set_ylim(0, top * (1.12 + 0.13 * len(series)))
            if number % columns == 0:
                ax.set_ylabel("% of games\nfor each turn")
        for ax in lowest:
            ax.set_xlabel("turns of a game")
        return _finish(figure, series, _handles(series, "-"), note)
