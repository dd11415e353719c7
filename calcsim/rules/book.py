"""The rulebook that ships with calcsim, clause by clause."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from calcsim.errors import UsageError, nearest

_PATH: Final = Path(__file__).with_name("rulebook.md")

_SECTION_START: Final = re.compile(r"## (\d+)\. (.+)")
_CLAUSE_START: Final = re.compile(r"(\d+\.\d+) ")
_STANDS_ALONE: Final = ("|", "**")
"""Rows of tables, and headings within a section: a line each."""


@dataclass(frozen=True, slots=True)
class Section:
    """A chapter of the rulebook.

    Attributes
    ----------
    number
        As text, ``"6"``.
    title
        Its heading.
    text
        Everything below the heading, as it stands.
    """

    number: str
    title: str
    text: str


@functools.cache
def rulebook() -> str:
    """Return the whole rulebook, Markdown."""
    return _PATH.read_text(encoding="utf-8")


@functools.cache
def sections() -> Mapping[str, Section]:
    """Return the sections by number, in order."""
    found: dict[str, tuple[str, list[str]]] = {}
    lines: list[str] = []
    for line in rulebook().splitlines():
        if start := _SECTION_START.fullmatch(line):
            lines = []
            found[start[1]] = (start[2], lines)
        else:
            lines.append(line)
    return MappingProxyType(
        {number: Section(number, title, "\n".join(text).strip()) for number, (title, text) in found.items()}
    )


def paragraphs(section: Section) -> list[str]:
    """Return a section's clauses, headings and rows of tables, each as one line; blank lines too."""
    found: list[str] = []
    for line in section.text.splitlines():
        continues = found and found[-1] and not found[-1].startswith(_STANDS_ALONE)
        if continues and line and not line.startswith(_STANDS_ALONE) and not _CLAUSE_START.match(line):
            found[-1] += " " + line.strip()
        else:
            found.append(line.strip())
    return found


@functools.cache
def clauses() -> Mapping[str, str]:
    """Return the text of every clause by its number (``"6.6"``), in order, without the number."""
    return MappingProxyType(
        {
            start[1]: paragraph[start.end() :]
            for section in sections().values()
            for paragraph in paragraphs(section)
            if (start := _CLAUSE_START.match(paragraph))
        }
    )


def section(number: str) -> Section:
    """Return the section with this number.

    Raises
    ------
    UsageError
        If there is none.
    """
    book = sections()
    if number not in book:
        numbers = list(book)
        raise UsageError(f"no section {number!r} in the rulebook: there are {numbers[0]} to {numbers[-1]}")
    return book[number]


def clause(number: str) -> str:
    """Return the text of the clause with this number.

    Raises
    ------
    UsageError
        If there is none, with those that its section has.

    Examples
    --------
    >>> clause("5.6")
    'Pile ids: 0, 1, … in the order in which piles come into being.'
    """
    book = clauses()
    if number not in book:
        siblings = [other for other in book if other.partition(".")[0] == number.partition(".")[0]]
        remedy = f": its section has {siblings[0]} to {siblings[-1]}" if siblings else nearest(number, book)
        raise UsageError(f"no clause {number!r} in the rulebook{remedy}")
    return book[number]
