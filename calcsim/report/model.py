"""What a report is made of, before it is Markdown or HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure


class Example(Protocol):
    """A game worth looking at."""

    @property
    def command(self) -> str:
        """The ``calcsim replay`` line that shows it."""
        ...

    @property
    def why(self) -> str:
        """What there is to see."""
        ...


class Source(Protocol):
    """What a report is written from; `calcsim.experiments.results.Results` is one."""

    @property
    def study(self) -> Any:
        """The study: texts, design, margins."""
        ...

    @property
    def estimates(self) -> Any:
        """DataFrame, a row for each component of a metric, variant and group."""
        ...

    @property
    def effects(self) -> Any:
        """DataFrame, a row for each difference; empty if there is only one variant."""
        ...

    @property
    def manifest(self) -> Mapping[str, Any]:
        """Versions and checksums."""
        ...

    @property
    def turns(self) -> Mapping[tuple[str, str], Any]:
        """How many games lasted 0, 1, 2 ... turns, by (group, variant)."""
        ...

    @property
    def examples(self) -> Sequence[Example]:
        """Games to replay."""
        ...


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; `code`, **strong** and *emphasis* are marked as in Markdown."""

    text: str
    answer: str = ""
    """The answer to the study's question, which stands out before the rest."""


@dataclass(frozen=True, slots=True)
class Items:
    """A list of short texts."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Commands:
    """A command to be typed, with what it is for."""

    why: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under named columns.

    Attributes
    ----------
    columns, rows
        As many cells in each row as there are columns.
    align
        A letter a column, ``l`` or ``r``.
    caption
        What the rows are, above them.
    shown
        How many rows are seen at once; HTML folds the whole table away below them, Markdown leaves the rest
        out and says how many. None for all.
    rest
        Where those left out of the Markdown are.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: str
    caption: str = ""
    shown: int | None = None
    rest: str = ""

    @property
    def open_rows(self) -> tuple[tuple[str, ...], ...]:
        """The rows seen at once."""
        return self.rows[: self.shown]

    @property
    def left_out(self) -> int:
        """How many rows are not."""
        return len(self.rows) - len(self.open_rows)


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of the report.

    Attributes
    ----------
    name
        Of its file, without the ending.
    figure
        Drawn, not yet saved.
    caption
        What is seen, in a sentence or two.
    alt
        The same for those who do not see it.
    """

    name: str
    figure: Figure
    caption: str
    alt: str


Block: TypeAlias = Paragraph | Items | Commands | Table | Picture


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands below it."""

    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A report, in the order in which it is read.

    Attributes
    ----------
    name
        Of the study.
    title, question
        The head.
    opening
        The answer and what belongs to it, understandable without knowing the game.
    sections
        The rest.
    """

    name: str
    title: str
    question: str
    opening: tuple[Block, ...]
    sections: tuple[Section, ...]

    @property
    def blocks(self) -> list[Block]:
        """Everything from the top to the bottom, without the headings."""
        return [*self.opening, *(block for section in self.sections for block in section.blocks)]

    @property
    def pictures(self) -> list[Picture]:
        """The figures, in order."""
        return [block for block in self.blocks if isinstance(block, Picture)]
