"""Reading traces: JSON Lines, one event a line, any number of games one after the other.

Each line is checked for what it says alone (its keys, seats, cards); whether the lines fit together is for
those who follow the game.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from calcsim.cards import parse_card, parse_field_card
from calcsim.errors import UsageError, nearest
from calcsim.notation.position import SHAPES
from calcsim.notation.reading import (
    loads,
    read_card,
    read_cards,
    read_count,
    read_flag,
    read_items,
    read_keys,
    read_name,
    shown,
)
from calcsim.rules import rules_from_fields

Event: TypeAlias = dict[str, Any]
_Reader: TypeAlias = Callable[[object, str, int], object]

PATTERNS: Final = ("same", "under-joker", "sum", "difference", "product", "quotient")
"""Patterns of a play, in the order of R4.10."""

END_REASONS: Final = ("first-out", "last-standing", "stock-out", "stalled", "turn-limit")
"""Reasons why a game ends, in the order of R9.3."""

STDIN: Final = "-"
"""Name of the standard input among file names."""


class RecordedGame(NamedTuple):
    """One game of a trace.

    Attributes
    ----------
    events
        From the ``game`` line to the ``end`` line.
    source
        Name of the file.
    lines
        Line number of each event, from 1.
    """

    events: list[Event]
    source: str
    lines: list[int]


def read_games(path: str) -> Iterator[RecordedGame]:
    """Yield the games of a trace one by one.

    Parameters
    ----------
    path
        Of the file, or ``-`` for the standard input.

    Raises
    ------
    UsageError
        If the file cannot be read, a line is no event, or a game breaks off; names file and line.
    """
    if path == STDIN:
        yield from split_games(sys.stdin.buffer, "standard input")
        return
    try:
        with Path(path).open("rb") as file:
            yield from split_games(file, path)
    except OSError as error:
        raise UsageError(f"cannot read {path!r}: {error.strerror or error}") from None


def split_games(lines: Iterable[bytes], source: str) -> Iterator[RecordedGame]:
    """Yield the games written in `lines`, which come from the file called `source`.

    Raises
    ------
    UsageError
        As `read_games` does.
    """
    game: RecordedGame | None = None
    seen_game = False
    for line_number, line in enumerate(lines, start=1):
        where = f"{source}, line {line_number}"
        text = _decode(line, where)
        if not text.strip():
            continue
        event, name = _read_event(text, where, game)
        if game is None:
            game = RecordedGame([], source, [])
        game.events.append(event)
        game.lines.append(line_number)
        if name == "end":
            yield game
            seen_game, game = True, None
    if game is not None:
        raise UsageError(
            f"{source}: the game that begins on line {game.lines[0]} breaks off after line {game.lines[-1]}, "
            "before its 'end'; is the file complete?"
        )
    if not seen_game:
        raise UsageError(f"{source}: no game in it; a trace has one event a line, from 'game' to 'end'")


def _decode(line: bytes, where: str) -> str:
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{where}: no text in UTF-8") from None


def _read_event(text: str, where: str, game: RecordedGame | None) -> tuple[Event, str]:
    event = read_keys(loads(text, where), where, ("event",))
    name = event["event"]
    if not isinstance(name, str) or name not in _SCHEMA:
        hint = nearest(name, _SCHEMA) if isinstance(name, str) else ""
        raise UsageError(f"{where}: unknown event {shown(name)}{hint or '; one of ' + ', '.join(_SCHEMA)}")
    expected = "game" if game is None else "deal" if len(game.events) == 1 else ""
    if expected and name != expected:
        raise UsageError(
            f"{where}: {name!r} where a {expected!r} line has to be: games go from 'game' to 'end'"
        )
    if game is not None and name in ("game", "deal") and name != expected:
        raise UsageError(
            f"{where}: a second {name!r} line before the 'end' of the game from line {game.lines[0]}"
        )
    read_keys(event, f"{where}: {name}", _SCHEMA[name])
    players = _read_players(event, where) if game is None else game.events[0]["players"]
    for key, reader in _SCHEMA[name].items():
        reader(event[key], f"{where}: {name}.{key}", players)
    return event, name


def _read_players(event: Event, where: str) -> int:
    rules = rules_from_fields(read_keys(event["rules"], f"{where}: game.rules", ()), f"{where}: game.rules")
    players = read_count(event["players"], f"{where}: game.players", 2)
    try:
        rules.validate_players(players)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    return players


def _seat(value: object, place: str, players: int) -> int:
    return read_count(value, place, 0, players - 1)


def _count(value: object, place: str, players: int) -> int:
    return read_count(value, place, 0)


def _flag(value: object, place: str, players: int) -> bool:
    return read_flag(value, place)


def _text(value: object, place: str, players: int) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise UsageError(f"{place}: {shown(value)} is no text of printable characters")
    return value


def _anything(value: object, place: str, players: int) -> object:
    """Let through what another check has read already."""
    return value


def _card(value: object, place: str, players: int) -> int:
    return read_card(value, place, parse_card)


def _cards(value: object, place: str, players: int) -> tuple[int, ...]:
    return read_cards(value, place, parse_card)


def _placed(value: object, place: str, players: int) -> tuple[int, ...]:
    cards = read_cards(value, place, parse_field_card)
    if not cards:
        raise UsageError(f"{place}: no cards; something is laid down here")
    return cards


def _one_of(names: tuple[str, ...]) -> _Reader:
    return lambda value, place, players: read_name(value, place, names)


def _list_of(reader: _Reader) -> _Reader:
    def read(value: object, place: str, players: int) -> list[object]:
        items = read_items(value, place)
        return [reader(item, f"{place}[{idx}]", players) for idx, item in enumerate(items)]

    return read


def _per_seat(reader: _Reader) -> _Reader:
    def read(value: object, place: str, players: int) -> list[object]:
        items = read_items(value, place)
        if len(items) != players:
            raise UsageError(f"{place}: {len(items)} entries for {players} players; one for each seat")
        return [reader(item, f"{place}[{idx}]", players) for idx, item in enumerate(items)]

    return read


def _whole(value: object, place: str, players: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise UsageError(f"{place}: {shown(value)} is no whole number")
    return value


def _bonuses(value: object, place: str, players: int) -> dict[str, Any]:
    found = read_keys(value, place, ())
    for name, points in found.items():
        _whole(points, f"{place}.{name}", players)
    return found


_SCHEMA: Final[Mapping[str, Mapping[str, _Reader]]] = {
    "game": {
        "rules": _anything,
        "players": _anything,
        "policies": _per_seat(_text),
        "seed": _whole,
        "game": _count,
    },
    "deal": {"hands": _per_seat(_cards), "piles": _list_of(_placed), "stock": _cards},
    "play": {
        "player": _seat,
        "pile": _count,
        "pattern": _one_of(PATTERNS),
        "cards": _placed,
        "streak": _count,
        "set": _count,
    },
    "grow": {
        "player": _seat,
        "pile": _count,
        "shape": _one_of(SHAPES),
        "between": _list_of(_count),
        "cards": _placed,
        "streak": _count,
    },
    "handoff": {"player": _seat, "target": _seat, "card": _card, "from": _one_of(("hand", "front"))},
    "pass": {"player": _seat},
    "draw": {"player": _seat, "cards": _cards, "reason": _one_of(("pass", "penalty"))},
    "stop": {"player": _seat},
    "penalty": {
        "player": _seat,
        "streak_cards": _count,
        "set_cards": _count,
        "halved": _flag,
        "draw": _count,
    },
    "recycle": {"stock": _cards},
    "front": {"player": _seat, "cards": _cards},
    "out": {"player": _seat, "place": _count, "bonuses": _bonuses},
    "end": {
        "reason": _one_of(END_REASONS),
        "places": _per_seat(_count),
        "scores": _per_seat(_whole),
        "left": _per_seat(_count),
        "turns": _count,
    },
}
"""Keys that each event must have, and how each is read."""
