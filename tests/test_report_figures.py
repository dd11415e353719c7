"""Figures: what they show, that no label hides another, and that the same data give the same bytes."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from calcsim.experiments.results import load
from calcsim.report import build, figures, style
from calcsim.report.figures import Mark, Panel
from calcsim.report.model import Picture
from tests import report_data

KINDS = ("shield", "factorial", "stars", "lone")


@pytest.fixture(scope="module")
def pictures() -> dict[str, Picture]:
    return {
        f"{name}.{picture.name}": picture for name in KINDS for picture in report_data.report(name).pictures
    }


def forest(margin: float | None = 2.0, far: float = 5.0) -> Figure:
    marks = (Mark("a", "x", 1.0, 0.5, 1.5), Mark("b", "x", far, far - 1, far + 1), Mark("a", "y", -1.0))
    return figures.forest([Panel("", marks)], axis="difference in turns [turns]", note="n", margin=margin)


def test_each_kind_of_study_has_its_figures(pictures: dict[str, Picture]) -> None:
    assert list(pictures) == [
        *(f"shield.{name}" for name in ("main", "margins", "players", "seats", "screened", "turns")),
        *(f"factorial.{name}" for name in ("main", "factors", "interactions", "screened", "turns")),
        *(f"stars.{name}" for name in ("main", "seats", "turns")),
        *(f"lone.{name}" for name in ("main", "turns")),
    ]


def test_every_axis_is_labelled_and_deals_and_level_are_told(pictures: dict[str, Picture]) -> None:
    for name, picture in pictures.items():
        note = picture.figure.get_supxlabel()
        if not name.endswith(".turns"):
            assert "200,000 deals" in note, name
            assert "95 % intervals" in note, name
        labels = {ax.get_xlabel() for ax in picture.figure.axes if ax.axison}
        assert labels - {""}, name
        assert picture.alt, name


def _texts(figure: Figure) -> list[tuple[str, Any]]:
    """Return the shown texts with the boxes that they take."""
    canvas = FigureCanvasAgg(figure)
    with style.house_style():
        canvas.draw()
    renderer = canvas.get_renderer()
    found = [figure.legends[0]] if figure.legends else []
    boxes = [("legend", legend.get_window_extent(renderer)) for legend in found]
    if figure._supxlabel is not None:
        boxes.append(("note", figure._supxlabel.get_window_extent(renderer)))
    for ax in figure.axes:
        if not ax.axison:
            continue
        ticks = [label for axis in (ax.xaxis, ax.yaxis) for label in axis.get_ticklabels()]
        for text in (*ticks, ax.xaxis.label, ax.yaxis.label, ax._left_title):
            box = text.get_window_extent(renderer)
            inside = ax.get_window_extent(renderer)
            # Ticks beyond the axis are not drawn.
            beyond = text in ticks and not (
                inside.x0 - 1 <= (box.x0 + box.x1) / 2 <= inside.x1 + 1
                or inside.y0 - 1 <= (box.y0 + box.y1) / 2 <= inside.y1 + 1
            )
            if text.get_text() and text.get_visible() and not beyond and box.width > 0:
                boxes.append((text.get_text(), box))
    return boxes


CROWDED = ("shield.main", "shield.seats", "shield.turns", "factorial.main", "factorial.factors", "lone.main")


def _faults(figure: Figure) -> list[tuple[str, ...]]:
    """Return the texts that leave the figure, and the pairs that lie on one another."""
    boxes = _texts(figure)
    width, height = figure.get_size_inches() * figure.dpi
    found: list[tuple[str, ...]] = [
        (text,)
        for text, box in boxes
        if box.x0 < -2 or box.y0 < -2 or box.x1 > width + 2 or box.y1 > height + 2
    ]
    for (one, a), (other, b) in itertools.combinations(boxes, 2):
        overlap = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        if min(overlap) > 1.5:
            found.append((one, other))
    return found


@pytest.mark.parametrize("name", CROWDED)
def test_no_label_hides_another_or_leaves_the_figure(name: str, pictures: dict[str, Picture]) -> None:
    assert _faults(pictures[name].figure) == []


def test_labels_that_hide_one_another_would_be_seen() -> None:
    marks = tuple(Mark(f"row {index}", "x", index) for index in range(20))
    figure = figures.forest([Panel("", marks)], axis="difference [turns]", note="n", margin=1.0)
    figure.set_size_inches(8, 2)
    assert ("row 3", "row 4") in _faults(figure)


def test_bytes_depend_on_the_data_alone() -> None:
    first = style.save(forest(), "svg")
    with mpl.rc_context({"font.size": 30, "svg.hashsalt": "other", "lines.linewidth": 9}):
        assert style.save(forest(), "svg") == first
    assert style.save(forest(), "png") == style.save(forest(), "png")
    assert b"<dc:date>" not in first
    assert style.save(forest(far=4.0), "svg") != first


def test_letters_of_svg_are_paths() -> None:
    assert b"<text" not in style.save(forest(), "svg")


def test_large_svg_becomes_png(monkeypatch: pytest.MonkeyPatch) -> None:
    assert style.rendered(forest())[0] == "svg"
    monkeypatch.setattr(style, "MOST_SVG_BYTES", 100)
    kind, content = style.rendered(forest())
    assert kind == "png"
    assert content.startswith(b"\x89PNG")


def test_forest_has_its_margin_band_and_rows_from_the_top() -> None:
    (ax,) = forest().axes
    band = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    assert (band.x0, band.x1) == pytest.approx((-2.0, 2.0))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert ax.yaxis_inverted()
    assert not forest(margin=None).axes[0].patches


def test_axis_bends_only_where_a_difference_is_far_beyond_the_margin() -> None:
    assert forest(far=5.0).axes[0].get_xscale() == "linear"
    assert forest(far=50.0).axes[0].get_xscale() == "symlog"


def test_series_differ_in_colour_and_marker() -> None:
    looks = [style.COLOURS, style.MARKERS]
    assert all(len(set(look)) == len(look) == len(style.COLOURS) for look in looks)


def test_fair_share_is_a_dashed_line() -> None:
    marks = (Mark(0, "x", 26.0, 25.5, 26.5), Mark(1, "x", 24.0, 23.5, 24.5))
    panel = Panel("4 players", marks, fair=((0, 25.0), (1, 25.0)))
    figure = figures.by_place([panel], axis="seat", label="won [%]", note="n", columns=1)
    dashed = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    assert [line.get_ydata()[0] for line in dashed] == [25.0, 25.0]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["x", "fair share"]


def test_percentile_is_the_least_number_that_enough_games_do_not_exceed() -> None:
    counts = np.array([0, 5, 45, 45, 5])
    assert [figures.percentile(counts, share) for share in (0.05, 0.5, 0.95, 1.0)] == [1, 2, 3, 4]


def test_pyplot_is_not_used() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from tests import report_data; from calcsim.report import build; "
        "build(report_data.lone()); sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_seats_stand_against_the_fair_share_of_their_own_number_of_players() -> None:
    """Where players are what varies, one panel holds tables of two and of four."""
    results = load(Path(__file__).parent.parent / "reports" / "players")
    (picture,) = [picture for picture in build(results).pictures if picture.name == "seats"]
    seats = []
    for ax in picture.figure.axes:
        for bars in ax.containers:
            edges = bars.lines[0].get_ydata()
            assert abs(np.sum(edges)) < 0.1
            seats.append(len(edges))
    assert set(seats) == {2, 4}
