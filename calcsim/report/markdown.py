"""A report as Markdown that reads well on a code host."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from calcsim.report.model import Report, Table
from calcsim.report.templating import template

_CODE: Final = re.compile(r"(`[^`]*`)")


def to_markdown(report: Report, files: Mapping[str, str]) -> str:
    """Return a report as Markdown.

    Parameters
    ----------
    report
        What is to be told.
    files
        Where the figure of each name lies, as seen from the Markdown.
    """
    text = template("report.md.j2", escaped=False).render(report=report, files=files)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def plain(text: str) -> str:
    """Return text in which nothing is taken for HTML.

    Examples
    --------
    >>> plain("a < b, `c < d`")
    'a &lt; b, `c < d`'
    """
    parts = _CODE.split(text)
    return "".join(
        part if index % 2 else part.replace("&", "&amp;").replace("<", "&lt;")
        for index, part in enumerate(parts)
    )


def cell(text: str) -> str:
    """Return text that stays in its cell of a table."""
    return plain(" ".join(text.split())).replace("|", "\\|")


def rows(table: Table) -> list[str]:
    """Return the lines of a table: its head, the rule below it, the rows shown."""

    def line(cells: tuple[str, ...]) -> str:
        return f"| {' | '.join(cell(text) for text in cells)} |"

    rule = "".join("---:|" if side == "r" else "---|" for side in table.align)
    return [line(table.columns), f"|{rule}", *(line(row) for row in table.open_rows)]
