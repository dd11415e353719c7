"""Reading JSON that people and other programs wrote: each fault is one line that says where it is.

A *place* is the path of a value inside its object, such as ``position: field.piles[1]``; it stands in front
of every message.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any, NoReturn

from calcsim.errors import UsageError, nearest

_SHOWN = 40
"""Longest piece of a value quoted in a message, so that one line stays one line."""


def loads(line: str, where: str) -> Any:
    """Return the JSON value written in `line`.

    Parameters
    ----------
    line
        The text.
    where
        Put in front of the message of an error, with a colon.

    Raises
    ------
    UsageError
        If `line` is no JSON (with the column, and the line if there are several), or an object in it has a
        key twice.

    Examples
    --------
    >>> loads('{"hand": ["A", "X"]}', "position")
    {'hand': ['A', 'X']}
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise UsageError(f"{where}: key {key!r} is there twice in one object; leave one of them out")
            found[key] = value
        return found

    def no_number(text: str) -> NoReturn:
        raise UsageError(f"{where}: no JSON: {text} is no number there")

    try:
        return json.loads(line, object_pairs_hook=unique, parse_constant=no_number)
    except json.JSONDecodeError as error:
        # Text of one line is a line of a file, as a rule, and `where` says which.
        at = f"line {error.lineno}, " if "\n" in line.strip() else ""
        raise UsageError(f"{where}: no JSON: {_lower(error.msg)} ({at}column {error.colno})") from None
    except RecursionError:
        raise UsageError(f"{where}: no JSON that can be read: brackets nested too deeply") from None
    except ValueError as error:  # a number of more digits than Python converts
        raise UsageError(f"{where}: no JSON that can be read: {_lower(str(error))}") from None


def shown(value: object) -> str:
    """Return `value` as it is quoted in a message: its repr, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def read_object(
    value: object, place: str, required: Collection[str], optional: Collection[str]
) -> dict[str, Any]:
    """Return `value`, which must be an object with all `required` keys and no other than `optional` ones."""
    found = read_keys(value, place, required)
    known = [*required, *optional]
    for key in found:
        if key not in known:
            hint = nearest(key, known) or f"; the keys are {', '.join(known)}"
            raise UsageError(f"{place}: unknown key {shown(key)}{hint}")
    return found


def read_keys(value: object, place: str, required: Collection[str]) -> dict[str, Any]:
    """Return `value`, which must be an object with all `required` keys; others are let through."""
    if not isinstance(value, dict):
        raise UsageError(f"{place}: {shown(value)} is no object; write {{...}}")
    for key in required:
        if key not in value:
            unknown = nearest(key, [str(found) for found in value])
            raise UsageError(f"{place}: no {key!r}; its keys must include {', '.join(required)}{unknown}")
    return value


def read_items(value: object, place: str) -> list[Any]:
    """Return `value`, which must be a list."""
    if not isinstance(value, list):
        raise UsageError(f"{place}: {shown(value)} is no list; write [...]")
    return value


def read_count(value: object, place: str, low: int, high: int | None = None) -> int:
    """Return `value`, which must be a whole number from `low` to `high`."""
    reach = f"{low} or more" if high is None else f"{low} to {high}"
    # True and False are ints to Python, but no counts to a reader.
    if not isinstance(value, int) or isinstance(value, bool):
        raise UsageError(f"{place}: {shown(value)} is no whole number; must be {reach}")
    if value < low or (high is not None and value > high):
        raise UsageError(f"{place}: {shown(value)} is out of range; must be {reach}")
    return value


def read_flag(value: object, place: str) -> bool:
    """Return `value`, which must be true or false."""
    if not isinstance(value, bool):
        raise UsageError(f"{place}: {shown(value)} must be true or false")
    return value


def read_name(value: object, place: str, names: Sequence[str]) -> str:
    """Return `value`, which must be one of `names`."""
    if not isinstance(value, str) or value not in names:
        hint = nearest(value, names) if isinstance(value, str) else ""
        raise UsageError(f"{place}: {shown(value)} must be one of {', '.join(names)}{hint}")
    return value


def read_card(value: object, place: str, parse: Callable[[object], int]) -> int:
    """Return the code of the card that `parse` finds in `value`."""
    try:
        return parse(value)
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None


def read_cards(value: object, place: str, parse: Callable[[object], int]) -> tuple[int, ...]:
    """Return the codes of a list of cards, each read by `parse`."""
    items = read_items(value, place)
    return tuple(read_card(item, f"{place}[{idx}]", parse) for idx, item in enumerate(items))


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
