"""``calcsim legal``: the legal actions of positions."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Annotated

import typer

from calcsim.cli.common import write_text
from calcsim.cli.compiling import announce
from calcsim.errors import UsageError
from calcsim.notation.position import Position, loads, parse_position


def legal(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Positions as JSON Lines, or one JSON object; '-' is stdin.")
    ],
) -> None:
    """List every legal action of each position: one line of JSON for each."""
    for position in read_positions(file):
        announce((), door="table.list_legal")
        from calcsim.notation.table import legal_actions

        write_text(json.dumps({"legal": legal_actions(position)}, ensure_ascii=False))


def read_positions(file: str) -> Iterator[Position]:
    """Yield the checked positions of a file: an object a line, or one object over several lines.

    Raises
    ------
    UsageError
        If the file cannot be read, holds nothing, or something that is no position.
    """
    name = "stdin" if file == "-" else file
    found = False
    with ExitStack() as stack:
        try:
            stream = sys.stdin if file == "-" else stack.enter_context(open(file, encoding="utf-8"))
            for number, line in enumerate(stream, start=1):
                if not line.strip():
                    continue
                where = f"{name}, line {number}"
                if not found and _goes_on(line):
                    line, where = line + stream.read(), name
                found = True
                yield parse_position(loads(line, where), where)
        except UnicodeDecodeError as error:
            raise UsageError(f"{name}: not UTF-8 text (byte {error.start})") from error
        except OSError as error:
            raise UsageError(f"{name}: cannot be read: {error.strerror}") from error
    if not found:
        raise UsageError(f"{name}: holds no position")


def _goes_on(line: str) -> bool:
    """Return whether an object that begins in `line` is not yet complete there."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.pos >= len(line.rstrip())
    return False
