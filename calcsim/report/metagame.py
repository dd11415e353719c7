"""Pictures of strategies among each other: who invades whom, and what becomes of equal shares."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from calcsim.report.figures import Mark, Panel, forest
from calcsim.report.prose import count, listed, with_unit
from calcsim.report.style import COLOURS, GREY, MARKERS, NOTE_CHARS, WIDTH, house_style
from calcsim.stats.text import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from calcsim.experiments.metagame import Metagame
    from calcsim.experiments.restricted import RestrictedPlay
    from calcsim.experiments.skill import Skill

_LOSS: Final = "#B35806"
_GAIN: Final = "#0072B2"
"""Brown and blue are told apart by colour-blind readers, too; white is neither."""

_MAP_CHARS: Final = 72
"""Characters that fit the width of the heat map."""

_MINUS: Final = "−"


def metagame_figure(found: Metagame) -> Figure:
    """Return the heat map of newcomers and residents above, and the course from equal shares below."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    n = len(found.policies)
    map_height = 0.9 + 0.42 * n
    layout = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.08, hspace=0.04)
    with house_style():
        legend = 0.2 * math.ceil(n / _legend_columns(found.policies))
        figure = Figure(figsize=(WIDTH, map_height + 3.1 + legend), layout=layout)
        upper, lower = figure.subplots(2, 1, height_ratios=[map_height, 2.3])
        _draw_invasions(upper, found)
        _draw_course(lower, found)
        note = (
            f"{found.rules.label}, {found.players} players; {found.deals:,} deals, {found.games:,} games, "
            f"seed {found.seed}. Verdicts at {percent(found.level)}, all together, for a margin of "
            f"{with_unit(f'{100 * found.margin:.10g}', 'points')}; in bold: invades; in italics: undecided."
        )
        text = "\n".join(textwrap.wrap(note, NOTE_CHARS))
        figure.supxlabel(text, x=0.01, ha="left", fontsize=8, color=GREY, linespacing=1.25)
    return figure


def _wrapped(name: str, chars: int) -> str:
    """Return a name in lines of at most so many characters, broken before its options and their parts.

    A part that is longer stays whole.
    """
    spaced = name.replace(":", " :").replace("+", " +")
    lines: list[str] = []
    for part in spaced.split(" "):
        if lines and len(lines[-1]) + len(part) <= chars:
            lines[-1] += part
        else:
            lines.append(part)
    return "\n".join(lines)


def _legend_columns(names: Sequence[str]) -> int:
    longest = max(map(len, names))
    return 3 if longest <= 20 else 2 if longest <= 32 else 1


def _draw_invasions(ax: Axes, found: Metagame) -> None:
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap, TwoSlopeNorm

    names = found.policies
    values = np.full((len(names), len(names)), np.nan)
    for one in found.invasions:
        values[names.index(one.newcomer), names.index(one.resident)] = 100 * one.gain.estimate
    reach = max(float(np.nanmax(np.abs(values))), 100 * found.margin)
    blend = LinearSegmentedColormap.from_list("gain", [_LOSS, "#ffffff", _GAIN])
    colours = blend.with_extremes(bad="#f1f3f4")
    ax.imshow(values, cmap=colours, norm=TwoSlopeNorm(0, -reach, reach), aspect="auto")
    faces: dict[str, dict[str, Any]] = {"invades": {"weight": "bold"}, "undecided": {"style": "italic"}}
    for one in found.invasions:
        a, b = names.index(one.newcomer), names.index(one.resident)
        dark = abs(values[a, b]) > 0.6 * reach
        text = f"{values[a, b]:+.1f}"
        text = text.replace("-", _MINUS) if float(text) else text[1:]
        colour = "white" if dark else "#202124"
        ax.text(b, a, text, ha="center", va="center", color=colour, fontsize=9, **faces.get(one.verdict, {}))
    chars = _MAP_CHARS // len(names)
    columns, rows = [_wrapped(name, chars) for name in names], [_wrapped(name, 32) for name in names]
    if any(len(line) > chars for column in columns for line in column.split("\n")):
        # Names that do not fit the width of a cell stand at the rows alone.
        columns = [str(k) for k in range(1, len(names) + 1)]
        rows = [f"{row}  {column}" for row, column in zip(rows, columns, strict=True)]
    ax.set_xticks(range(len(names)), columns)
    ax.set_yticks(range(len(names)), rows)
    ax.set_xlabel("all others play")
    ax.set_ylabel("one player plays")
    ax.set_title("What a single newcomer wins beyond its fair share, in percentage points")
    ax.grid(visible=False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    # White lines between the cells.
    ax.set_xticks(np.arange(len(names) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(names) + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=2)
    ax.tick_params(which="minor", length=0)


def _draw_course(ax: Axes, found: Metagame) -> None:
    times, shares = found.course
    every = max(1, len(times) // 8)
    for k, name in enumerate(found.policies):
        ax.plot(
            times,
            100 * shares[:, k],
            color=COLOURS[k % len(COLOURS)],
            marker=MARKERS[k % len(MARKERS)],
            # Markers of lines that lie on one another stand side by side.
            markevery=(k * every // len(found.policies), every),
            linestyle="-" if k < len(COLOURS) else "--",
            label=_wrapped(name, 44),
        )
    ax.set_ylim(-3, 103)
    ax.set_xlim(times[0], times[-1])
    ax.set_xlabel("games that each player has played")
    ax.set_ylabel("% of the population")
    ax.set_title("A large population that begins with equal shares")
    columns = _legend_columns(found.policies)
    ax.legend(loc="upper left", bbox_to_anchor=(-0.05, -0.2), ncols=columns, borderaxespad=0.2)


def restricted_figure(found: RestrictedPlay) -> Figure:
    """Return what each part of the game is worth: a panel for each number of players."""
    panels = []
    for players in dict.fromkeys(one.players for one in found.worths):
        marks = [
            Mark(
                one.forbidden,
                one.policy,
                100 * one.worth.estimate,
                None if one.worth.low is None else 100 * one.worth.low,
                None if one.worth.high is None else 100 * one.worth.high,
            )
            for one in found.worths
            if one.players == players
        ]
        panels.append(Panel(f"{players} players", tuple(marks)))
    names = list(dict.fromkeys(one.policy for one in found.worths))
    alone = f"All play {names[0]}. " if len(names) == 1 else ""
    return forest(
        panels,
        axis="worth [percentage points of the games won]",
        note=f"{alone}{found.rules.label}; {count(found.deals)} deals, each in all seats; bars: "
        f"{percent(found.level)} intervals, simultaneous for each policy and number of players; grey band: "
        "within the margin, which does not matter.",
        margin=100 * found.margin,
        columns=min(len(panels), 2),
    )


_PARTS: Final = {
    "policies": ("who plays what (skill)", COLOURS[0], ""),
    "policies x deal": ("what policies make of the deal", COLOURS[5], "//"),
    "seat": ("the seat", COLOURS[3], ""),
    "deal": ("the deal", COLOURS[1], ""),
    "play": ("chance in play", "#d0d4d9", ""),
}


def skill_figure(found: Skill) -> Figure:
    """Return what of the outcome is skill and what luck: a bar for each table."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    tables = found.tables
    layout = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06)
    with house_style():
        figure = Figure(figsize=(WIDTH, 1.7 + 0.42 * len(tables)), layout=layout)
        ax = figure.subplots()
        start = [0.0] * len(tables)
        for name, (label, colour, hatch) in _PARTS.items():
            # An estimate that comes out below nothing is drawn as nothing.
            widths = [max(0.0, 100 * table.shares[name].estimate) for table in tables]
            bars = ax.barh(range(len(tables)), widths, left=start, color=colour, label=label, height=0.66)
            for bar, width in zip(bars, widths, strict=True):
                bar.set(hatch=hatch, edgecolor="white", linewidth=0.8)
                if width >= 4:
                    x, y = bar.get_x() + width / 2, bar.get_y() + bar.get_height() / 2
                    dark = colour in (COLOURS[0], COLOURS[1])
                    ink = "white" if dark else "#202124"
                    ax.text(x, y, f"{width:.0f}", ha="center", va="center", color=ink, fontsize=9)
            start = [a + b for a, b in zip(start, widths, strict=True)]
        labels = [
            f"{textwrap.fill(table.label, 34)}\n{with_unit(str(len(table.ladder)), 'levels')} of strength"
            for table in tables
        ]
        ax.set_yticks(range(len(tables)), labels)
        ax.set_ylim(len(tables) - 0.5, -0.5)
        ax.set_xlim(0, 100)
        ax.grid(visible=False, axis="y")
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel("% of the variance of who wins")
        handles, names = ax.get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper left", ncols=3, handletextpad=0.5)
        note = (
            f"Line-ups of {listed(found.policies)}, {count(found.crossed)} deals, seed {found.seed}. Levels: "
            f"policies each clearly better than all below by more than "
            f"{with_unit(f'{100 * found.margin:.10g}', 'percentage points')} of the games won."
        )
        text = "\n".join(textwrap.wrap(note, NOTE_CHARS))
        figure.supxlabel(text, x=0.01, ha="left", fontsize=8, color=GREY, linespacing=1.25)
    return figure
