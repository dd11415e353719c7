"""The metrics of a run: what each counts, over what, and how to read it off a block of games.

A metric is one of four kinds, by what its function returns for a block (`n` games, `p` players):

* ``share``: whether it holds in each game, bool, shape (n,) or (p, n);
* ``mean``: an integer of each game, shape (n,) or (p, n);
* ``ratio``: two integers of each game, each of shape (n,), whose sums over all games are divided;
* ``place``: an integer of each seat, and its place, both of shape (p, n).

A `*` in the name stands for the seat, or for the place where the kind is ``place``: one metric for each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from calcsim.engine import columns

if TYPE_CHECKING:
    from calcsim.stats.block import Block

    Take: TypeAlias = Callable[[Block], Any]

Kind: TypeAlias = Literal["share", "mean", "ratio", "place"]

PATTERNS: Final = ("same", "under-joker", "sum", "difference", "product", "quotient")
"""Patterns of a play (R4.10)."""

SHAPES: Final = ("line", "ring", "star")
"""Shapes of the field (R5.2-5.4)."""


SHARE_MARGIN: Final = 0.01
"""Of shares, a difference of one game in a hundred matters where nobody says otherwise."""

_MARGINS: Final = {
    "turns": 1.0,
    "rounds": 0.25,
    "decisions": 1.0,
    "place.*": 0.05,
    "actions_per_decision": 0.25,
    "handoff_uptake": 0.02,
    "avoid_uptake": 0.02,
    "forced": 0.02,
    "forced.free": 0.02,
}

_BETTER: Final = {
    "end.stalled": "less",
    "end.turn-limit": "less",
    "share.tied_first": "less",
    "forced": "less",
    "forced.free": "less",
    "actions_per_decision": "more",
    "win.*": "more",
    "sole_win.*": "more",
    "place.*": "less",
    "left.*": "less",
    "penalties.*": "less",
    "avoided.*": "more",
}


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric, or one for each seat or place.

    Attributes
    ----------
    name
        Its name, with a `*` for the seat or place if there is one for each.
    kind
        How it is summed up; see the module.
    unit
        What the estimate is measured in; empty for shares and plain ratios.
    per
        What the denominator counts.
    clause
        Rulebook clause of what is counted.
    doc
        What is counted, in one line.
    take
        Reads it off a block.
    """

    name: str
    kind: Kind
    unit: str
    per: str
    clause: str
    doc: str
    take: Take

    def names(self, players: int) -> list[str]:
        """Return the names of what it makes in games of so many players, in order.

        Examples
        --------
        >>> Metric("win.*", "share", "", "game", "R9.4", "", lambda b: b.has_place(1)).names(2)
        ['win.seat0', 'win.seat1']
        """
        if "*" not in self.name:
            return [self.name]
        one = "{}" if self.kind == "place" else "seat{}"
        first = 1 if self.kind == "place" else 0
        return [self.name.replace("*", one.format(first + i)) for i in range(players)]

    @property
    def better(self) -> str:
        """Which way is better for whom or what it is counted: ``more``, ``less``, or empty for neither."""
        return _BETTER.get(self.name, "")

    @property
    def margin(self) -> float | None:
        """The least difference that matters where nobody says otherwise; None if it has to be said."""
        return _MARGINS.get(self.name, SHARE_MARGIN if self.kind == "share" else None)


def _share(name: str, clause: str, doc: str, take: Take) -> Metric:
    return Metric(name, "share", "", "game", clause, doc, take)


def _mean(name: str, unit: str, clause: str, doc: str, take: Take) -> Metric:
    return Metric(name, "mean", unit, "game", clause, doc, take)


def _ratio(name: str, unit: str, per: str, clause: str, doc: str, take: Take) -> Metric:
    return Metric(name, "ratio", unit, per, clause, doc, take)


def _total(name: str, unit: str, clause: str, doc: str, row: str) -> Metric:
    return _mean(name, unit, clause, doc, lambda b: b.total(row))


def _happened(name: str, clause: str, doc: str, row: str) -> Metric:
    return _share(name, clause, doc, lambda b: b.game(row) > 0)


def _first_turn(row: str, clause: str, doc: str) -> Metric:
    return _ratio(
        row,
        "turns",
        "game that had one",
        clause,
        doc,
        lambda b: (b.game(row), (b.game(row) > 0).astype("int32")),
    )


def _three(b: Block, what: str) -> Any:
    """Sum a row that is kept for each kind of decision."""
    return b.game(f"{what}_free") + b.game(f"{what}_after_draw") + b.game(f"{what}_penalty")


def _actions(moment: str, words: str) -> Metric:
    return _ratio(
        f"actions_per_decision.{moment}",
        "actions",
        "decision of that kind",
        "R11.3",
        f"legal actions {words}",
        lambda b: (b.game(f"actions_{moment}"), b.game(f"decisions_{moment}")),
    )


def _end(code: int) -> Metric:
    reason = columns.ENDS[code]
    clause = "R9.3" if reason in ("stalled", "turn-limit") else "R9.2"
    return _share(f"end.{reason}", clause, f"the game ended by {reason}", lambda b: b.game("end") == code)


def _finish(code: int) -> Metric:
    name = columns.FINISHES[code - 1]
    how = f"a growth on a {name}" if name in SHAPES else f"the pattern {name}"
    doc = f"the first player out went out by {how}"
    return _share(f"finish.{name}", "R9.1", doc, lambda b: b.of_first_out("finish") == code)


def _bonus(name: str) -> Metric:
    doc = f"the first player out earned the bonus {name}"
    return _happened(f"bonus.{name}", "R9.6", doc, f"bonus_{name.replace('-', '_')}")


def _bonus_points(b: Block) -> Any:
    """Return the points of all bonuses, by game."""
    bonuses = zip(columns.BONUSES, columns.BONUS_POINTS, strict=True)
    earned = (b.game(f"bonus_{name.replace('-', '_')}") * points for name, points in bonuses)
    return sum(earned, start=b.constant(0))


def _penalty(kind: str, clause: str) -> tuple[Metric, ...]:
    put = f"put under a penalty with {kind} cards (avoided ones count, too)"
    row = f"{kind}_penalties"
    return (
        _mean(row, "penalties", clause, f"times a player was {put}", lambda b: b.game(row)),
        _happened(f"share.{kind}_penalty", clause, f"some player was {put}", row),
        _share(
            f"share.{kind}_penalty_drawn",
            clause,
            f"some player took a penalty with {kind} cards",
            lambda b: b.total(f"{kind}_suffered") > 0,
        ),
    )


def _winner_points(b: Block) -> Any:
    """Return the score of place 1, by game; of several who share it, that of the first seat."""
    first = b.has_place(1)
    points = b.constant(0)
    for seat in reversed(range(b.players)):
        points = first[seat] * b.seat("score")[seat] + ~first[seat] * points
    return points


def _where_star(name: str, unit: str, clause: str, doc: str, numbers: Take) -> tuple[Metric, Metric]:
    """Return a mean over the games with a star, and one over those without."""

    def where(b: Block, holds: Any) -> tuple[Any, Any]:
        return numbers(b) * holds, holds.astype("int32")

    return (
        _ratio(
            f"{name}.with_star",
            unit,
            "game with a star",
            clause,
            f"{doc}, where a star was formed",
            lambda b: where(b, b.game("star_turn") > 0),
        ),
        _ratio(
            f"{name}.without_star",
            unit,
            "game without a star",
            clause,
            f"{doc}, where none was formed",
            lambda b: where(b, b.game("star_turn") == 0),
        ),
    )


def _seat_mean(row: str, unit: str, clause: str, doc: str) -> Metric:
    return _mean(f"{row}.*", unit, clause, doc, lambda b: b.seat(row))


def _place_mean(row: str, unit: str, doc: str) -> Metric:
    return Metric(
        f"{row}_by_place.*",
        "place",
        unit,
        "seat with that place",
        "R9.4",
        f"{doc} (error as if seats were independent)",
        lambda b: (b.seat(row), b.seat("place")),
    )


def _place_share(place: int) -> Metric:
    doc = f"that seat has place {place}, alone or shared"
    return _share(f"place_share.{place}.*", "R9.4", doc, lambda b: b.has_place(place))


_GROUPS: Final[dict[str, tuple[Metric, ...]]] = {
    "length": (
        _mean("turns", "turns", "R9.3", "turns, those spent under a penalty too", lambda b: b.game("turns")),
        _ratio(
            "rounds",
            "rounds",
            "game",
            "R2.4",
            "turns divided by the players who began",
            lambda b: (b.game("turns"), b.constant(b.players)),
        ),
        _mean(
            "decisions",
            "decisions",
            "R11.3",
            "free turns, moments after a pass's draw, and turns under a penalty",
            lambda b: _three(b, "decisions"),
        ),
        _total("cards_played", "cards", "R4", "cards put down by plays and growths", "cards_played"),
        _total("cards_left", "cards", "R9.4", "hand sizes at the end, all seats together", "left"),
    ),
    "ends": (
        *map(_end, range(len(columns.ENDS))),
        _share("share.somebody_out", "R9.1", "somebody went out", lambda b: b.game("first_out") >= 0),
        _share("share.tied_first", "R9.4", "place 1 is shared", lambda b: b.first_winners() > 1),
    ),
    "decisions": (
        _ratio(
            "actions_per_decision",
            "actions",
            "decision",
            "R11.3",
            "legal actions, pass, stop and accept counted",
            lambda b: (_three(b, "actions"), _three(b, "decisions")),
        ),
        _actions("free", "on a free turn"),
        _actions("after_draw", "after a pass's draw"),
        _actions("penalty", "under a penalty"),
        _ratio(
            "forced",
            "",
            "decision",
            "R11.3",
            "decisions with a single legal action",
            lambda b: (_three(b, "forced"), _three(b, "decisions")),
        ),
        _ratio(
            "forced.free",
            "",
            "free turn",
            "R3.3",
            "free turns on which only passing is legal",
            lambda b: (b.game("forced_free"), b.game("decisions_free")),
        ),
        _ratio(
            "passed_on_purpose",
            "",
            "free turn with a choice",
            "R3.3",
            "passes where something else was legal",
            lambda b: (
                b.total("passes") - b.game("forced_free"),
                b.game("decisions_free") - b.game("forced_free"),
            ),
        ),
    ),
    "plays and passes": (
        *(
            _total(f"plays.{name}", "plays", "R4.10", f"plays of the pattern {name}", name.replace("-", "_"))
            for name in PATTERNS
        ),
        _total("jokers_played", "cards", "R4.7", "jokers put down", "jokers_played"),
        _total("passes", "passes", "R3.3", "passes", "passes"),
        _total("stops", "stops", "R3.3", "decisions after a pass's draw to play nothing", "stops"),
        _total("cards_drawn.pass", "cards", "R3.3", "cards drawn by passing", "drawn_pass"),
    ),
    "field and stock": (
        *(_total(f"growths.{s}", "growths", "R5", f"growths that left a {s}", s) for s in SHAPES),
        _mean("piles_at_end", "piles", "R5.6", "piles at the end", lambda b: b.game("piles")),
        _happened("share.growth", "R5.1", "the field grew", "growth_turn"),
        _happened("share.ring", "R5.3", "a ring was formed", "ring_turn"),
        _happened("share.star", "R5.4", "a star was formed", "star_turn"),
        _first_turn("growth_turn", "R5.1", "turn of the first growth"),
        _first_turn("ring_turn", "R5.3", "turn in which the ring was formed"),
        _first_turn("star_turn", "R5.4", "turn in which the star was formed"),
        _mean("recycles", "recycles", "R8.1", "recycles of the stock", lambda b: b.game("recycles")),
        _happened("share.recycle", "R8.1", "the stock was recycled", "recycle_turn"),
        _first_turn("recycle_turn", "R8.1", "turn of the first recycle"),
    ),
    "with and without a star": (
        *_where_star("turns", "turns", "R5.4", "turns", lambda b: b.game("turns")),
        *_where_star("winner_points", "points", "R9.5", "score of place 1", _winner_points),
        *_where_star(
            "cards_drawn_penalty",
            "cards",
            "R6.8",
            "cards drawn for penalties",
            lambda b: b.total("drawn_penalty"),
        ),
    ),
    "penalties": (
        *_penalty("streak", "R6.2"),
        *_penalty("set", "R6.3"),
        _total("penalties_drawn", "penalties", "R6.5", "penalties taken, of no card too", "penalties"),
        _total("cards_drawn.penalty", "cards", "R6.5", "cards drawn for penalties", "drawn_penalty"),
        _total("avoided", "penalties", "R6.6", "penalties avoided", "avoided"),
        _share("share.avoided", "R6.6", "a penalty was avoided", lambda b: b.total("avoided") > 0),
        _ratio(
            "avoid_uptake",
            "",
            "penalty with streak cards",
            "R6.6",
            "penalties avoided",
            lambda b: (b.total("avoided"), b.game("streak_penalties")),
        ),
    ),
    "hand-offs": (
        _total("handoffs", "hand-offs", "R7", "cards handed off", "handoffs"),
        _happened("share.handoff", "R7", "a card was handed off", "handoff_turn"),
        _first_turn("handoff_turn", "R7", "turn of the first hand-off"),
        _total("handoff_chances", "turns", "R7", "free turns with a legal hand-off", "handoff_chances"),
        _ratio(
            "handoff_uptake",
            "",
            "free turn with a legal hand-off",
            "R7",
            "cards handed off",
            lambda b: (b.total("handoffs"), b.total("handoff_chances")),
        ),
    ),
    "first player out": (
        _ratio(
            "first_out_turn",
            "turns",
            "game with somebody out",
            "R9.1",
            "turn in which the first player went out",
            lambda b: (b.of_first_out("out_turn"), (b.game("first_out") >= 0).astype("int32")),
        ),
        *map(_finish, range(1, len(columns.FINISHES) + 1)),
        _share(
            "finish.one_card",
            "R9.1",
            "the first player out went out by a single card",
            lambda b: b.of_first_out("finish_size") == 1,
        ),
        *map(_bonus, columns.BONUSES),
        _ratio(
            "bonus_share",
            "",
            "point of the first player out",
            "R9.6",
            "points that are bonuses",
            lambda b: (_bonus_points(b), b.of_first_out("score") * (b.game("first_out") >= 0)),
        ),
    ),
    "by seat": (
        _mean("winner_points", "points", "R9.5", "score of place 1", _winner_points),
        _share("win.*", "R9.4", "that seat has place 1, alone or shared", lambda b: b.has_place(1)),
        _share(
            "sole_win.*",
            "R9.4",
            "that seat has place 1 alone",
            lambda b: b.has_place(1) & (b.first_winners() == 1),
        ),
        _seat_mean("place", "", "R9.4", "place"),
        _seat_mean("score", "points", "R9.5", "score"),
        _seat_mean("left", "cards", "R9.4", "hand size at the end"),
        _seat_mean("passes", "passes", "R3.3", "passes"),
        _seat_mean("penalties", "penalties", "R6.5", "penalties taken"),
        _seat_mean("avoided", "penalties", "R6.6", "penalties avoided"),
        _seat_mean("handoffs", "hand-offs", "R7", "cards handed off by that seat"),
        _seat_mean("received", "cards", "R7", "cards handed to that seat"),
        _seat_mean("jokers_played", "cards", "R4.7", "jokers put down"),
    ),
}

_PLACE_MEANS: Final = (
    _place_mean("score", "points", "score"),
    _place_mean("left", "cards", "hand size at the end"),
)


def groups(players: int) -> dict[str, tuple[Metric, ...]]:
    """Return the metrics of games of so many players, under the headings they are shown under."""
    return {**_GROUPS, "by place": (*_PLACE_MEANS, *map(_place_share, range(2, players + 1)))}


def metrics(players: int) -> list[Metric]:
    """Return the metrics of games of so many players, in the order they are shown in."""
    return [metric for group in groups(players).values() for metric in group]
