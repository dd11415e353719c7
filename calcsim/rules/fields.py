"""The fields of a rule set: the table of the rulebook's section 9 as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from calcsim.errors import UsageError, nearest

Kind: TypeAlias = Literal["count", "switch", "choice", "points"]

N_PLACES: Final = 6
"""Places that `place_points` gives points for: as many as players can be."""

PRESET_NAMES: Final = ("calc", "calc-revised", "advanced")

_SWITCH_WORDS: Final = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a rule set: what it may be, what it is in each preset, where its rule stands.

    Attributes
    ----------
    name
        As in the rulebook.
    kind
        ``count`` is a whole number, ``switch`` is true or false, ``choice`` is one of `choices`, ``points``
        is six whole numbers.
    unit
        What a count counts; empty for switches and choices.
    low, high
        Least and greatest value, of a count or of each of the points.
    choices
        Values of a choice.
    clauses
        Rulebook clauses that the field changes, the chief one first.
    doc
        One line.
    presets
        Value in each of `PRESET_NAMES`.
    """

    name: str
    kind: Kind
    unit: str
    low: int
    high: int
    choices: tuple[str, ...]
    clauses: tuple[str, ...]
    doc: str
    presets: tuple[Any, Any, Any]

    @property
    def range_text(self) -> str:
        """What the field may be, in words.

        Examples
        --------
        >>> FIELDS["hand_size"].range_text
        'a whole number from 1 to 25 (cards)'
        """
        if self.kind == "switch":
            return "on or off"
        if self.kind == "choice":
            return f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"
        if self.kind == "points":
            return f"{N_PLACES} whole numbers from {self.low:,} to {self.high:,}, by place"
        return f"a whole number from {self.low} to {self.high} ({self.unit})"

    def check(self, value: object) -> None:
        """Refuse a `value` of the wrong type or out of range.

        Raises
        ------
        UsageError
            Naming the field, the value and the range.
        """
        if self.kind == "switch":
            fits = isinstance(value, bool)
        elif self.kind == "choice":
            fits = isinstance(value, str) and value in self.choices
        elif self.kind == "points":
            fits = (
                isinstance(value, tuple)
                and len(value) == N_PLACES
                and all(self._is_within(points) for points in value)
            )
        else:
            fits = self._is_within(value)
        if not fits:
            raise self._refusal(value)

    def parse(self, text: str) -> Any:
        """Return the value that `text` stands for, as in ``--set field=text``; the range is not checked.

        Raises
        ------
        UsageError
            If the text cannot be read as this kind of field.
        """
        text = text.strip()
        if self.kind == "choice":
            return text
        if self.kind == "switch":
            if text.lower() not in _SWITCH_WORDS:
                raise self._refusal(text)
            return _SWITCH_WORDS[text.lower()]
        try:
            if self.kind == "points":
                return tuple(int(points) for points in text.split(","))
            return int(text)
        except ValueError:
            raise self._refusal(text) from None

    def format(self, value: Any) -> str:
        """Return `value` as ``--set`` would take it: the inverse of `parse`.

        Examples
        --------
        >>> FIELDS["growth"].format(True)
        'on'
        """
        if self.kind == "switch":
            return "on" if value else "off"
        if self.kind == "points":
            return ",".join(str(points) for points in value)
        return str(value)

    def _is_within(self, value: object) -> bool:
        # A bool is an int to Python, but `hand_size = true` is a mistake.
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high

    def _refusal(self, value: object) -> UsageError:
        shown = list(value) if isinstance(value, tuple) else value
        may_be = "on or off (in a file true or false)" if self.kind == "switch" else self.range_text
        hint = nearest(value, self.choices) if self.kind == "choice" and isinstance(value, str) else ""
        return UsageError(f"{self.name}={shown!r}: must be {may_be} (R{self.clauses[0]}){hint}")


def _count(
    name: str, low: int, high: int, unit: str, clause: str, doc: str, presets: tuple[int, int, int]
) -> Field:
    return Field(name, "count", unit, low, high, (), (clause,), doc, presets)


def _switch(name: str, clauses: tuple[str, ...], doc: str, presets: tuple[bool, bool, bool]) -> Field:
    return Field(name, "switch", "", 0, 1, (), clauses, doc, presets)


def _choice(
    name: str, choices: tuple[str, ...], clauses: tuple[str, ...], doc: str, presets: tuple[str, str, str]
) -> Field:
    return Field(name, "choice", "", 0, 0, choices, clauses, doc, presets)


_MOST_POINTS: Final = 1_000_000
"""Keeps scores within 32 bits and a million games' sums of their squares within 64."""

_PLACE_POINTS: Final = (100, 50, 30, 20, 10, 0)

FIELDS: Final[dict[str, Field]] = {
    field.name: field
    for field in (
        _count("max_players", 2, 6, "players", "2.1", "Most players a game can have.", (4, 4, 6)),
        _count("hand_size", 1, 25, "cards", "2.1", "Cards dealt to each player.", (5, 5, 5)),
        _count("jokers", 0, 2, "jokers", "1.1", "Jokers in the deck.", (2, 2, 2)),
        _count("start_piles", 1, 4, "piles", "2.2", "Piles turned up at the start.", (1, 1, 2)),
        _switch(
            "growth", ("5.1",), "New piles may be laid between two piles that fit.", (False, False, True)
        ),
        _switch(
            "finish_multiply", ("4.4",), "A product or quotient may empty a hand of two.", (True, True, True)
        ),
        _switch(
            "joker_special", ("4.6",), "The number beneath a joker may be played on it.", (True, True, True)
        ),
        _switch("joker_finish", ("4.8",), "A play with a joker may empty the hand.", (False, False, False)),
        _count(
            "streak_penalty",
            0,
            10,
            "cards for each card of a streak above two",
            "6.2",
            "Cards that a streak costs the next player; 0 is off.",
            (2, 2, 2),
        ),
        _count(
            "set_penalty",
            0,
            10,
            "cards for each card of a play above two",
            "6.3",
            "Cards that a play of three or more costs the next player; 0 is off.",
            (2, 2, 2),
        ),
        _choice(
            "streak_scope",
            ("all-piles", "same-pile"),
            ("6.1", "6.6"),
            "Whether equal tops of other piles count in a streak.",
            ("all-piles", "all-piles", "all-piles"),
        ),
        _choice(
            "ring_from",
            ("line-of-three", "any-line"),
            ("5.3",),
            "Which lines can be closed to a ring.",
            ("line-of-three", "line-of-three", "line-of-three"),
        ),
        _switch("star_halving", ("6.8",), "A star halves the penalties drawn.", (False, False, True)),
        _choice(
            "handoff",
            ("none", "push", "shield"),
            ("7.1", "7.4"),
            "How cards may be put in front of another player.",
            ("none", "push", "shield"),
        ),
        _count("push_min_hand", 2, 54, "cards", "7.1", "Least hand size that may push.", (3, 3, 3)),
        _count(
            "push_face_limit", 0, 12, "cards", "7.2", "Court cards one player may push in a game.", (1, 1, 1)
        ),
        _count("shield_min_hand", 2, 54, "cards", "7.4", "Least hand size that may shield.", (4, 4, 4)),
        _count(
            "shield_max_target", 1, 54, "cards", "7.4", "Greatest hand size that can be shielded.", (3, 3, 3)
        ),
        _switch("ko", ("7.7",), "A shielded card may not go straight back to its giver.", (True, True, True)),
        _choice(
            "end",
            ("first-out", "last-standing", "stock-out"),
            ("9.2", "8.2"),
            "What ends the game.",
            ("first-out", "stock-out", "last-standing"),
        ),
        _choice(
            "scoring",
            ("win", "rank-points", "places"),
            ("9.5",),
            "How places turn into a score; rank-points are better low.",
            ("win", "rank-points", "places"),
        ),
        _switch("bonuses", ("9.6",), "The first player out can earn bonuses.", (False, False, True)),
        _count(
            "turn_limit", 1, 100_000, "turns", "9.3", "Turns after which a game ends.", (1000, 1000, 1000)
        ),
        Field(
            "place_points",
            "points",
            "points",
            -_MOST_POINTS,
            _MOST_POINTS,
            (),
            ("9.5",),
            "Points for each place, where scoring is places.",
            (_PLACE_POINTS, _PLACE_POINTS, _PLACE_POINTS),
        ),
    )
}
"""Every field of a rule set, in the order in which files and traces give them."""


def field(name: str) -> Field:
    """Return the field called `name`.

    Raises
    ------
    UsageError
        If there is none, with the nearest name.
    """
    if name not in FIELDS:
        raise UsageError(f"unknown rule field {name!r}{nearest(name, FIELDS)}")
    return FIELDS[name]
