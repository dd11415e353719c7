"""What can be asked of a game: events, each a name, a meaning, and a mask over a block of games."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from calcsim.engine import columns
from calcsim.errors import UsageError, nearest
from calcsim.stats.metrics import PATTERNS, SHAPES

if TYPE_CHECKING:
    from calcsim.rules import RuleSet
    from calcsim.stats.block import Block, Bools

    Holds: TypeAlias = Callable[[Block, Any], Any]
    Hindrance: TypeAlias = Callable[[RuleSet, Any], str]

Argument: TypeAlias = Literal["none", "count", "choice", "seat"]

NOT: Final = "not"
"""``not:EVENT`` holds where the event does not."""

MOST: Final = 100_000
"""Largest count that can be asked for: the longest turn limit."""


_LAST_SEAT: Final = 99
"""A seat of so many digits is read; whether there is one, the number of players decides."""


def _no_hindrance(rules: RuleSet, argument: Any) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class EventKind:
    """An event as the list of them shows it.

    Attributes
    ----------
    name
        What to ask for.
    clause
        Rulebook clause of what it is about.
    doc
        When it holds; `N`, `NAME` or `S` stand for the argument.
    holds
        Makes the mask: from a block and the argument, bool, shape (games,).
    argument
        What may follow the name after a colon. A count may be left out and is then 1.
    choices
        What the argument can be, of a choice.
    hindrance
        Why rules make the event impossible, empty if they do not: from the rules and the argument.
    """

    name: str
    clause: str
    doc: str
    holds: Holds
    argument: Argument = "none"
    choices: tuple[str, ...] = ()
    hindrance: Hindrance = _no_hindrance

    @property
    def form(self) -> str:
        """How it is written.

        Examples
        --------
        >>> EVENTS["winner"].form, EVENTS["handoff"].form
        ('winner:S', 'handoff[:N]')
        """
        return self.name + {"none": "", "count": "[:N]", "choice": ":NAME", "seat": ":S"}[self.argument]


@dataclass(frozen=True, slots=True)
class Event:
    """An event with its argument, as somebody asked for it.

    Attributes
    ----------
    text
        As it was written.
    kind
        Which event.
    argument
        None, a count, a seat, or one of the choices.
    negated
        Whether it holds where `kind` does not.
    """

    text: str
    kind: EventKind
    argument: Any
    negated: bool = False

    def mask(self, block: Block) -> Bools:
        """Return in which games of a block it holds, shape (games,)."""
        mask: Bools = self.kind.holds(block, self.argument)
        return ~mask if self.negated else mask

    def check(self, players: int) -> None:
        """Refuse a seat that games of so many players do not have.

        Raises
        ------
        UsageError
            Naming the event and the seats there are.
        """
        if self.kind.argument == "seat" and self.argument >= players:
            raise UsageError(
                f"event {self.text!r} with {players} players: the seat must be from 0 to {players - 1}"
            )

    def hindrance(self, rules: RuleSet) -> str:
        """Return why these rules decide the event beforehand, empty if they do not."""
        return self.kind.hindrance(rules, self.argument)


def _off(field: str) -> Hindrance:
    """Make the hindrance of a field that is off, "none" or 0."""

    def why(rules: RuleSet, argument: Any) -> str:
        value = getattr(rules, field)
        if value in (False, "none", 0):
            return f"{field} is {'off' if value is False else value}"
        return ""

    return why


def _any(*hindrances: Hindrance) -> Hindrance:
    return lambda rules, argument: next(filter(None, (why(rules, argument) for why in hindrances)), "")


def _pattern_hindrance(rules: RuleSet, pattern: str) -> str:
    if pattern in SHAPES:
        return _off("growth")(rules, pattern)
    if pattern in ("product", "quotient"):
        return _off("finish_multiply")(rules, pattern)
    if pattern == "under-joker":
        return _any(_off("joker_special"), _off("jokers"))(rules, pattern)
    return ""


def _end_hindrance(reason: str) -> Hindrance:
    def why(rules: RuleSet, argument: Any) -> str:
        other = rules.end != "first-out" if reason == "first-out" else rules.end == "first-out"
        if reason == "stock-out":
            other = rules.end != "stock-out"
        return f"end is {rules.end}" if other else ""

    return why


def _row(name: str) -> str:
    return name.replace("-", "_")


def _at_least(row: str) -> Holds:
    return lambda b, n: b.game(row) >= n


def _in_all(row: str) -> Holds:
    return lambda b, n: b.total(row) >= n


def _happened(row: str) -> Holds:
    return lambda b, _: b.game(row) > 0


def _end(code: int) -> EventKind:
    reason = columns.ENDS[code]
    if reason in ("stalled", "turn-limit"):
        return EventKind(reason, "R9.3", f"the game ended by {reason}", lambda b, _: b.game("end") == code)
    return EventKind(
        reason,
        "R9.2",
        f"the game ended by {reason}",
        lambda b, _: b.game("end") == code,
        hindrance=_end_hindrance(reason),
    )


def _finish(b: Block, name: str) -> Any:
    return b.of_first_out("finish") == 1 + columns.FINISHES.index(name)


def _any_finish(b: Block, name: str) -> Any:
    return (b.seat("finish") == 1 + columns.FINISHES.index(name)).any(axis=0)


def _recycle_hindrance(rules: RuleSet, argument: Any) -> str:
    return "end is stock-out" if rules.end == "stock-out" else ""


_KINDS: Final = (
    EventKind("growth", "R5.1", "the field grew", _happened("growth_turn"), hindrance=_off("growth")),
    EventKind("ring", "R5.3", "a ring was formed", _happened("ring_turn"), hindrance=_off("growth")),
    EventKind("star", "R5.4", "a star was formed", _happened("star_turn"), hindrance=_off("growth")),
    EventKind("piles", "R5.6", "at least N piles at the end", _at_least("piles"), "count"),
    EventKind(
        "play",
        "R4.10",
        "a play of the pattern NAME",
        lambda b, name: b.total(_row(name)) > 0,
        "choice",
        PATTERNS,
        _pattern_hindrance,
    ),
    EventKind(
        "joker",
        "R4.7",
        "at least N jokers were played",
        _in_all("jokers_played"),
        "count",
        (),
        _off("jokers"),
    ),
    EventKind(
        "streak-penalty",
        "R6.2",
        "a player owed at least N cards for a streak (before halving; avoided or not)",
        _at_least("max_streak_penalty"),
        "count",
        (),
        _off("streak_penalty"),
    ),
    EventKind(
        "set-penalty",
        "R6.3",
        "a player owed at least N cards for a set (before halving)",
        _at_least("max_set_penalty"),
        "count",
        (),
        _off("set_penalty"),
    ),
    EventKind("penalty", "R6.5", "at least N penalties were taken", _in_all("penalties"), "count"),
    EventKind(
        "avoided",
        "R6.6",
        "at least N penalties were avoided",
        _in_all("avoided"),
        "count",
        (),
        _off("streak_penalty"),
    ),
    EventKind(
        "handoff", "R7", "at least N cards were handed off", _in_all("handoffs"), "count", (), _off("handoff")
    ),
    EventKind(
        "recycle",
        "R8.1",
        "at least N recycles of the stock",
        _at_least("recycles"),
        "count",
        (),
        _recycle_hindrance,
    ),
    EventKind("turns", "R9.3", "at least N turns", _at_least("turns"), "count"),
    *map(_end, range(len(columns.ENDS))),
    EventKind("somebody-out", "R9.1", "somebody went out", lambda b, _: b.game("first_out") >= 0),
    EventKind(
        "finish",
        "R9.1",
        "the first player out went out by NAME: a pattern, or a growth on a field of that shape",
        _finish,
        "choice",
        columns.FINISHES,
        _pattern_hindrance,
    ),
    EventKind(
        "any-finish",
        "R9.1",
        "some player went out by NAME",
        _any_finish,
        "choice",
        columns.FINISHES,
        _pattern_hindrance,
    ),
    EventKind(
        "one-card",
        "R9.6",
        "the first player out went out by a single card",
        lambda b, _: b.of_first_out("finish_size") == 1,
    ),
    EventKind("tied-first", "R9.4", "place 1 is shared", lambda b, _: b.first_winners() > 1),
    EventKind(
        "winner", "R9.4", "seat S has place 1, alone or shared", lambda b, seat: b.has_place(1)[seat], "seat"
    ),
    EventKind(
        "sole-winner",
        "R9.4",
        "seat S has place 1 alone",
        lambda b, seat: b.has_place(1)[seat] & (b.first_winners() == 1),
        "seat",
    ),
    EventKind(
        "left",
        "R9.4",
        "some player had at least N cards at the end",
        lambda b, n: (b.seat("left") >= n).any(axis=0),
        "count",
    ),
    EventKind(
        "bonus",
        "R9.6",
        "the first player out earned the bonus NAME",
        lambda b, name: b.game(f"bonus_{_row(name)}") > 0,
        "choice",
        columns.BONUSES,
        _off("bonuses"),
    ),
)

EVENTS: Final = {kind.name: kind for kind in _KINDS}
"""Every event, by name."""

ALIASES: Final = {
    **{f"end:{reason}": reason for reason in columns.ENDS},
    **{name if "-" in name else f"{name}-bonus": f"bonus:{name}" for name in columns.BONUSES},
    "single": "bonus:single",
}
"""Other ways to write an event."""


def parse_event(text: str) -> Event:
    """Return the event written as `text`.

    Parameters
    ----------
    text
        A name of `EVENTS`, with an argument after a colon where it takes one, after ``not:`` where it is to
        fail; or a name of `ALIASES`.

    Raises
    ------
    UsageError
        For an unknown name, and an argument that is missing, not wanted or out of range.

    Examples
    --------
    >>> parse_event("streak-penalty:4").argument
    4
    >>> parse_event("not:winner:0").negated
    True
    """
    plain = text.strip()
    negated = False
    while plain.startswith(f"{NOT}:"):
        plain = plain[len(NOT) + 1 :]
        negated = not negated
    name, colon, argument = ALIASES.get(plain, plain).partition(":")
    kind = EVENTS.get(name)
    if kind is None:
        close = nearest(name, [*EVENTS, *ALIASES])
        raise UsageError(f"unknown event {text!r}{close} (see 'calcsim ask --list')")
    return Event(text.strip(), kind, _parse_argument(text, kind, argument if colon else None), negated)


def _parse_argument(text: str, kind: EventKind, given: str | None) -> Any:
    if kind.argument == "none":
        if given is not None:
            raise UsageError(f"event {text!r}: {kind.name} takes no argument")
        return None
    if kind.argument == "choice":
        if given in kind.choices:
            return given
        close = nearest(given or "", kind.choices)
        names = ", ".join(kind.choices)
        raise UsageError(f"event {text!r}: must be {kind.name}: and one of {names}{close}")
    if kind.argument == "count" and given is None:
        return 1
    high = MOST if kind.argument == "count" else _LAST_SEAT
    # As many digits as the range has: anything longer is out of it, and may be too long to convert.
    if given and given.isascii() and given.isdigit() and len(given.lstrip("0")) <= len(str(high)):
        if kind.argument == "seat" or 1 <= int(given) <= high:
            return int(given)
    what = f"N a whole number from 1 to {high}" if kind.argument == "count" else "S a seat, counted from 0"
    raise UsageError(f"event {text!r}: must be {kind.form}, {what}")
