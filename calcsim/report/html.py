"""A report as one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Final

from markupsafe import Markup, escape

from calcsim.report.model import Report
from calcsim.report.templating import template

_TYPES: Final = {"svg": "image/svg+xml", "png": "image/png"}

_MARKS: Final = (
    (re.compile(r"\*\*(.+?)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])"), r"<em>\1</em>"),
)


def to_html(report: Report, images: Mapping[str, tuple[str, bytes]]) -> str:
    """Return a report as HTML, its figures within.

    Parameters
    ----------
    report
        What is to be told.
    images
        Ending and content of the figure of each name.
    """
    embedded = {
        # As an image of its own each figure keeps its ids to itself, and has a text in its stead.
        name: f"data:{_TYPES[ending]};base64,{base64.b64encode(content).decode('ascii')}"
        for name, (ending, content) in images.items()
    }
    return template("report.html.j2", escaped=True).render(report=report, images=embedded)


def inline(text: str) -> Markup:
    """Return text with `code`, **strong** and *emphasis* as HTML, all else escaped.

    Examples
    --------
    >>> print(inline("`a<b` is **not** *c*"))
    <code>a&lt;b</code> is <strong>not</strong> <em>c</em>
    """
    parts = []
    for index, part in enumerate(re.split(r"`([^`]*)`", text)):
        words = str(escape(part))
        if index % 2:
            parts.append(f"<code>{words}</code>")
            continue
        for pattern, replacement in _MARKS:
            words = pattern.sub(replacement, words)
        parts.append(words)
    return Markup("".join(parts))


def tone(text: str) -> str:
    """Return the class of a cell by the verdict that it begins with; empty for other cells."""
    for verdict, name in (("matters", "yes"), ("no matter", "no"), ("undecided", "open")):
        if text.startswith(verdict):
            return name
    return ""
