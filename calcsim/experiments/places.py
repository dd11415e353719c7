"""In which line of a TOML text a key or an item of a list stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_TOKEN: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"""'
    r"|'''.*?'''"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[\n\[\]{}=,]"
    r"|[^\s\"'\#\[\]{}=,]+"
    r"|[^\S\n]+"
    r"|.",
    re.DOTALL,
)
_KEY: Final = re.compile(r""""((?:\\.|[^"\\])*)"|'([^']*)'|([A-Za-z0-9_-]+)""")

Path = tuple[str | int, ...]


def find_line(lines: dict[str, int], place: Sequence[str | int]) -> int | None:
    """Return the line of a place, or of the nearest that holds it; None if there is none.

    Parameters
    ----------
    lines
        From `key_lines`.
    place
        Keys and indices that lead to it.
    """
    for length in range(len(place), 0, -1):
        line = lines.get(_joined(tuple(place[:length])))
        if line is not None:
            return line
    return None


def key_lines(text: str) -> dict[str, int]:
    """Return the line of every key, table and item of a list in a TOML text, by their places joined by dots.

    The text has been read as TOML before; nothing is checked. Inline tables are one line each.

    Examples
    --------
    >>> key_lines('''title = "x"
    ... [vary]
    ... ko = [
    ...   true,
    ...   false]''')
    {'title': 1, 'vary': 2, 'vary.ko': 3, 'vary.ko.0': 4, 'vary.ko.1': 5}
    """
    scan = _Scan()
    line = 1
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token == "\n":
            scan.end_line()
        elif not token.isspace() and not token.startswith("#"):
            scan.take(token, line)
        line += token.count("\n")
    scan.end_line()
    return scan.lines


class _Scan:
    """Reads tokens and notes where keys stand."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}
        self._table: Path = ()
        self._counts: dict[Path, int] = {}
        self._restart()

    def _restart(self) -> None:
        self._head = ""
        self._start = 0
        self._key: Path | None = None
        self._depth = 0
        self._is_list = False
        self._item = 0
        self._at_item = False

    def take(self, token: str, line: int) -> None:
        """Read one token that is neither space nor comment."""
        if self._key is None:
            self._take_head(token, line)
            return
        if self._depth == 0:
            self._is_list = self._at_item = token == "["
        elif self._depth == 1 and self._is_list:
            if token == ",":
                self._item += 1
                self._at_item = True
            elif self._at_item and token != "]":
                self._at_item = False
                self.lines[_joined((*self._key, self._item))] = line
        self._depth += (token in ("[", "{")) - (token in ("]", "}"))

    def _take_head(self, token: str, line: int) -> None:
        if not self._head:
            self._start = line
        if token == "=":
            self._key = self._table + _keys(self._head)
            self.lines.setdefault(_joined(self._key), self._start)
        else:
            self._head += token

    def end_line(self) -> None:
        """End a statement, unless a list goes on in the next line."""
        if self._key is not None and self._depth > 0:
            return
        if self._key is None and self._head.startswith("["):
            self._open_table(_keys(self._head), self._head.startswith("[["))
        self._restart()

    def _open_table(self, keys: Path, is_array: bool) -> None:
        place: Path = ()
        for i, key in enumerate(keys):
            place = (*place, key)
            if is_array and i == len(keys) - 1:
                self._counts[place] = self._counts.get(place, -1) + 1
            if place in self._counts:
                place = (*place, self._counts[place])
        self._table = place
        self.lines.setdefault(_joined(place), self._start)


def _keys(text: str) -> Path:
    return tuple(next(part for part in match if part) for match in _KEY.findall(text))


def _joined(place: Path) -> str:
    return ".".join(str(part) for part in place)
