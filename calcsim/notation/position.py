"""What a player faces, as one JSON object: read, checked, written back.

A position is taken only if the rules could lead to it, as far as that can be seen from it alone; what is left
out is empty, 0 or false.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from calcsim.cards import (
    COPIES,
    JOKER,
    NUMBERS,
    card_name,
    field_card_name,
    field_number,
    is_joker,
    number_name,
    parse_card,
    parse_field_card,
    parse_number,
)
from calcsim.errors import UsageError
from calcsim.notation.reading import (
    loads,
    read_card,
    read_cards,
    read_count,
    read_flag,
    read_items,
    read_name,
    read_object,
    shown,
)
from calcsim.rules import FIELDS, RuleSet, rules_from_mapping

__all__ = ["SHAPES", "Position", "loads", "parse_position", "streak", "top_run"]

SHAPES: Final = ("line", "ring", "star")
"""Shapes of a field (R5.2 to R5.4)."""

_HIGHEST_SEAT: Final = FIELDS["max_players"].high - 1
"""Seats are names here: one may be above the `max_players` of the rules, their number may not."""

_ARMS: Final = 3
_CLOSING: Final = 3
"""Piles of the line that closes to a ring or becomes a star (R5.3, R5.4)."""

_ALLOWED_STREAK: Final = 2
"""Longest streak, and largest set, that costs nothing (R6.2, R6.3)."""

_OPTIONAL: Final = ("hand", "front", "others", "ko", "courts_pushed", "penalty", "after_draw")
_PENALTY_KEYS: Final = ("streak_cards", "set_cards", "number", "pile")


@dataclass(frozen=True, slots=True)
class Position:
    """What one player faces. Card codes are those of `calcsim.cards`.

    Attributes
    ----------
    rules
        The rule set played.
    shape
        ``line``, ``ring`` or ``star``.
    order
        Pile ids of a line from end to end, of a ring around; empty for a star.
    center, arms
        Id of a star's centre and the ids of each arm from the centre outwards; None and empty otherwise.
    piles
        Field cards of each pile, by id, bottom to top.
    hand, front
        Hand cards: the private hand, and those lying in front of the player.
    others
        Seat and hand size of each other player still in.
    ko
        Seat of the giver and the card that may not go back to it (R7.7). Without effect where the rules have
        `ko` off: what was given may still be written down there.
    courts_pushed
        Court cards that the player has pushed so far (R7.2).
    streak_cards, set_cards
        Cards owed for a streak and for a set, before halving; both 0 on a free turn.
    penalty_number, penalty_pile
        Number of the streak and the pile it was last played on; None where no streak is pending.
    after_draw
        Whether the player has passed and drawn, and may still play (R3.3).
    """

    rules: RuleSet
    shape: str
    order: tuple[int, ...]
    center: int | None
    arms: tuple[tuple[int, ...], ...]
    piles: tuple[tuple[int, ...], ...]
    hand: tuple[int, ...]
    front: tuple[int, ...]
    others: tuple[tuple[int, int], ...]
    ko: tuple[tuple[int, int], ...] = ()
    courts_pushed: int = 0
    streak_cards: int = 0
    set_cards: int = 0
    penalty_number: int | None = None
    penalty_pile: int | None = None
    after_draw: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the position as the JSON object that `parse_position` reads, with nothing left out."""
        changes = self.rules.differences()
        field: dict[str, Any] = {"shape": self.shape}
        if self.shape == "star":
            field |= {"center": self.center, "arms": [list(arm) for arm in self.arms]}
        else:
            field |= {"order": list(self.order)}
        field["piles"] = [[field_card_name(card) for card in pile] for pile in self.piles]
        number = self.penalty_number
        return {
            "rules": {"preset": self.rules.name, **changes} if changes else self.rules.name,
            "field": field,
            "hand": [card_name(card) for card in self.hand],
            "front": [card_name(card) for card in self.front],
            "others": [{"seat": seat, "size": size} for seat, size in self.others],
            "ko": [[seat, card_name(card)] for seat, card in self.ko],
            "courts_pushed": self.courts_pushed,
            "penalty": {
                "streak_cards": self.streak_cards,
                "set_cards": self.set_cards,
                "number": None if number is None else number_name(number),
                "pile": self.penalty_pile,
            },
            "after_draw": self.after_draw,
        }


def top_run(pile: Sequence[int]) -> int:
    """Return how many cards from the top of a pile of field cards down have the same number (R6.1).

    Examples
    --------
    >>> top_run([5, 3, 16 + 3])
    2
    """
    number = field_number(pile[-1])
    for run, card in enumerate(reversed(pile)):
        if field_number(card) != number:
            return run
    return len(pile)


def streak(rules: RuleSet, piles: Sequence[Sequence[int]], pile: int) -> int:
    """Return the streak of the number on top of `pile`, the pile just played on (R6.1)."""
    if rules.streak_scope == "same-pile":
        return top_run(piles[pile])
    number = field_number(piles[pile][-1])
    return sum(top_run(cards) for cards in piles if field_number(cards[-1]) == number)


def parse_position(data: object, where: str = "position") -> Position:
    """Return the position described by a JSON object.

    Parameters
    ----------
    data
        The object, as `loads` returns it.
    where
        Put in front of the message of an error, with a colon.

    Raises
    ------
    UsageError
        For unknown keys, wrong values, and a position that no game can reach.

    Examples
    --------
    >>> data = {"rules": "calc", "field": {"shape": "line", "order": [0], "piles": [["4"]]},
    ...         "hand": ["2", "2"], "others": [{"seat": 1, "size": 5}]}
    >>> parse_position(data).hand
    (2, 2)
    """
    found = read_object(data, where, ("rules", "field"), _OPTIONAL)
    at = f"{where}: "
    position = Position(
        rules=rules_from_mapping(found["rules"], f"{at}rules"),
        **_read_field(found["field"], f"{at}field"),
        hand=read_cards(found.get("hand", []), f"{at}hand", parse_card),
        front=read_cards(found.get("front", []), f"{at}front", parse_card),
        others=_read_others(found.get("others", []), f"{at}others"),
        ko=_read_ko(found.get("ko", []), f"{at}ko"),
        courts_pushed=read_count(found.get("courts_pushed", 0), f"{at}courts_pushed", 0),
        **_read_penalty(found.get("penalty", {}), f"{at}penalty"),
        after_draw=read_flag(found.get("after_draw", False), f"{at}after_draw"),
    )
    _check_field(position, f"{at}field")
    _check_players(position, at)
    _check_cards(position, at)
    _check_front(position, at)
    _check_penalty(position, at)
    return position


def _read_field(value: object, place: str) -> dict[str, Any]:
    layout = ("order", "center", "arms")
    found = read_object(value, place, ("shape", "piles"), layout)
    shape = read_name(found["shape"], f"{place}.shape", SHAPES)
    own = ("center", "arms") if shape == "star" else ("order",)
    read_object(value, f"{place} of shape {shape!r}", ("shape", *own, "piles"), ())
    piles = read_items(found["piles"], f"{place}.piles")
    if not piles:
        raise UsageError(f"{place}.piles: a field has at least one pile")
    cards = tuple(_read_pile(pile, f"{place}.piles[{idx}]") for idx, pile in enumerate(piles))
    center: int | None = None
    order: tuple[int, ...] = ()
    arms: tuple[tuple[int, ...], ...] = ()
    if shape == "star":
        center = read_count(found["center"], f"{place}.center", 0, len(piles) - 1)
        arms = _read_arms(found["arms"], f"{place}.arms", len(piles))
        ids = [center, *(pile for arm in arms for pile in arm)]
        told = f"{place}.center and .arms"
    else:
        order = _read_ids(found["order"], f"{place}.order", len(piles))
        ids = list(order)
        told = f"{place}.order"
    if sorted(ids) != list(range(len(piles))):
        raise UsageError(f"{told}: {shown(ids)} must name each of the {len(piles)} piles once, from 0")
    return {"shape": shape, "order": order, "center": center, "arms": arms, "piles": cards}


def _read_pile(value: object, place: str) -> tuple[int, ...]:
    pile = read_cards(value, place, parse_field_card)
    if not pile:
        raise UsageError(f"{place}: a pile has at least one card")
    return pile


def _read_ids(value: object, place: str, n_piles: int) -> tuple[int, ...]:
    items = read_items(value, place)
    return tuple(read_count(item, f"{place}[{idx}]", 0, n_piles - 1) for idx, item in enumerate(items))


def _read_arms(value: object, place: str, n_piles: int) -> tuple[tuple[int, ...], ...]:
    arms = read_items(value, place)
    if len(arms) != _ARMS:
        raise UsageError(f"{place}: {len(arms)} of them; a star has {_ARMS} (R5.4)")
    read = tuple(_read_ids(arm, f"{place}[{idx}]", n_piles) for idx, arm in enumerate(arms))
    if not all(read):
        raise UsageError(f"{place}[{read.index(())}]: an arm has at least one pile (R5.4)")
    return read


def _read_others(value: object, place: str) -> tuple[tuple[int, int], ...]:
    others: dict[int, int] = {}
    for idx, item in enumerate(read_items(value, place)):
        at = f"{place}[{idx}]"
        other = read_object(item, at, ("seat", "size"), ())
        seat = read_count(other["seat"], f"{at}.seat", 0, _HIGHEST_SEAT)
        if seat in others:
            raise UsageError(f"{at}.seat: seat {seat} is there twice; each other player is named once")
        others[seat] = read_count(other["size"], f"{at}.size", 1)
    if not others:
        raise UsageError(f"{place}: nobody else is in; a game goes on among two players or more (R9.2)")
    return tuple(others.items())


def _read_ko(value: object, place: str) -> tuple[tuple[int, int], ...]:
    bans: dict[int, int] = {}
    for idx, item in enumerate(read_items(value, place)):
        at = f"{place}[{idx}]"
        if not isinstance(item, list) or len(item) != 2:
            raise UsageError(f"{at}: {shown(item)} must be [SEAT, CARD], the giver and what it gave (R7.7)")
        seat = read_count(item[0], f"{at}[0]", 0, _HIGHEST_SEAT)
        if seat in bans:
            raise UsageError(f"{at}: giver {seat} is there twice; each giver has one ban at most (R7.7)")
        bans[seat] = read_card(item[1], f"{at}[1]", parse_card)
    return tuple(bans.items())


def _read_penalty(value: object, place: str) -> dict[str, Any]:
    found = read_object(value, place, (), _PENALTY_KEYS)
    number, pile = found.get("number"), found.get("pile")
    return {
        "streak_cards": read_count(found.get("streak_cards", 0), f"{place}.streak_cards", 0),
        "set_cards": read_count(found.get("set_cards", 0), f"{place}.set_cards", 0),
        "penalty_number": None if number is None else read_card(number, f"{place}.number", parse_number),
        "penalty_pile": None if pile is None else read_count(pile, f"{place}.pile", 0),
    }


def _check_field(position: Position, place: str) -> None:
    rules, shape, n_piles = position.rules, position.shape, len(position.piles)
    if shape != "line" and not rules.growth:
        raise UsageError(f"{place}.shape: {shape!r} takes growth, which is off in these rules (R5.1)")
    if shape != "line" and n_piles <= _CLOSING:
        raise UsageError(
            f"{place}.piles: too few, {n_piles}; a {shape} has {_CLOSING + 1} or more (R5.3, R5.4)"
        )
    if n_piles < rules.start_piles:
        raise UsageError(
            f"{place}.piles: too few, {n_piles}; these rules start with {rules.start_piles} (R2.2)"
        )
    if n_piles > rules.start_piles and not rules.growth:
        raise UsageError(
            f"{place}.piles: too many, {n_piles}; these rules have {rules.start_piles}, no growth (R2.2)"
        )


def _check_players(position: Position, at: str) -> None:
    try:
        position.rules.validate_players(len(position.others) + 1)
    except UsageError as error:
        raise UsageError(f"{at}others: {error}") from None


def _check_cards(position: Position, at: str) -> None:
    own = (*position.hand, *position.front)
    field = [card for pile in position.piles for card in pile]
    seen = Counter(own) + Counter(JOKER if is_joker(card) else card for card in field)
    for number in NUMBERS:
        if seen[number] > COPIES:
            raise UsageError(
                f"{at}{seen[number]} natural cards of number {number_name(number)} in hand, front and field; "
                f"the deck has {COPIES} (R1.1)"
            )
    jokers = position.rules.jokers
    if seen[JOKER] > jokers:
        raise UsageError(f"{at}{seen[JOKER]} jokers in hand, front and field; the deck has {jokers} (R1.1)")
    deck = COPIES * len(NUMBERS) + jokers
    total = len(own) + len(field) + sum(size for _, size in position.others)
    if total > deck:
        raise UsageError(f"{at}{total} cards in all hands and on the field; the deck has {deck} (R1.1)")


def _check_front(position: Position, at: str) -> None:
    rules = position.rules
    if not position.hand and not position.front:
        raise UsageError(f"{at}hand: empty, with nothing in front; that player is out (R9.1)")
    if position.front and rules.handoff == "none":
        raise UsageError(f"{at}front: cards lie in front by hand-offs only, and these rules have none (R7)")
    if not position.hand and rules.handoff == "shield":
        raise UsageError(f"{at}hand: empty with cards in front; under shield those become the hand (R7.6)")
    _check_ko(position, at)
    if position.courts_pushed and rules.handoff != "push":
        raise UsageError(f"{at}courts_pushed: {position.courts_pushed}, but these rules have no push (R7.2)")
    if position.courts_pushed > rules.push_face_limit:
        raise UsageError(
            f"{at}courts_pushed: {position.courts_pushed} is above push_face_limit={rules.push_face_limit} "
            "(R7.2)"
        )


def _check_ko(position: Position, at: str) -> None:
    in_game = dict(position.others)
    if position.ko and position.rules.handoff != "shield":
        raise UsageError(f"{at}ko: bans come with shields, and these rules have none (R7.7)")
    for idx, (giver, card) in enumerate(position.ko):
        if giver not in in_game:
            seats = ", ".join(str(seat) for seat in in_game)
            raise UsageError(f"{at}ko[{idx}]: giver {giver} is none of the others, seats {seats} (R7.7)")
        if card not in position.front:
            raise UsageError(f"{at}ko[{idx}]: card {card_name(card)!r} does not lie in front (R7.7)")


def _check_penalty(position: Position, at: str) -> None:
    rules, number, pile = position.rules, position.penalty_number, position.penalty_pile
    place = f"{at}penalty"
    if position.after_draw and (position.streak_cards or position.set_cards):
        raise UsageError(f"{at}after_draw: nobody passes under a penalty; make one of them false or 0 (R6.9)")
    if position.set_cards and not (rules.set_penalty and position.set_cards % rules.set_penalty == 0):
        raise UsageError(
            f"{place}.set_cards: {position.set_cards} cannot be owed with set_penalty={rules.set_penalty} "
            "(R6.3)"
        )
    if not position.streak_cards:
        if number is not None or pile is not None:
            raise UsageError(
                f"{place}: number and pile are a streak's, and streak_cards is 0; make them null"
            )
        return
    if number is None or pile is None:
        raise UsageError(f"{place}: streak_cards={position.streak_cards} needs the streak's number and pile")
    if pile >= len(position.piles):
        raise UsageError(f"{place}.pile: no pile {pile}; the piles are 0 to {len(position.piles) - 1}")
    top = position.piles[pile][-1]
    if field_number(top) != number:
        raise UsageError(
            f"{place}.number: {number_name(number)!r}, but pile {pile} shows {field_card_name(top)!r} (R6.2)"
        )
    length = streak(rules, position.piles, pile)
    owed = rules.streak_penalty * max(length - _ALLOWED_STREAK, 0)
    if position.streak_cards != owed:
        raise UsageError(
            f"{place}.streak_cards: {position.streak_cards}, but a streak of {length} costs {owed} "
            f"with streak_penalty={rules.streak_penalty} (R6.2)"
        )
