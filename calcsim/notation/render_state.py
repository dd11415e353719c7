"""The state of a game, followed from its trace.

`Follower` decides nothing: it does what each event says, and refuses an event that does not fit what went
before, so that whoever tells the game can rely on what it says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

from calcsim.cards import (
    JOKER,
    JOKER_BIT,
    NUMBERS,
    card_name,
    field_card_name,
    field_number,
    is_joker,
    number_name,
    parse_card,
    parse_field_card,
)
from calcsim.errors import UsageError
from calcsim.notation.position import streak, top_run
from calcsim.rules import RuleSet, rules_from_fields

_ALLOWED_STREAK: Final = 2
"""Longest streak, and largest set, that costs nothing (R6.2, R6.3)."""

_CLOSING: Final = 3
"""Piles of the line that becomes a star (R5.4)."""


class Pending(NamedTuple):
    """A penalty that waits for the next player (R6.2, R6.3).

    Attributes
    ----------
    streak, size
        The streak's length and the number of cards of the play that caused it.
    streak_cards, set_cards
        Cards owed for each, before halving.
    number
        The number on top of the pile played on.
    """

    streak: int
    size: int
    streak_cards: int
    set_cards: int
    number: int


@dataclass(frozen=True, slots=True)
class Laid:
    """What a play or growth met, for telling it.

    Attributes
    ----------
    cards
        Field cards laid, bottom to top.
    from_front
        Those of them that lay in front, as hand cards.
    tops
        Top cards of the piles it was measured against: one for a play, two for a gap, three for a new star.
    under
        Number of the card beneath a pile's top joker (R4.6); None where there is none.
    avoided
        The penalty it avoids (R6.6).
    before
        Shape of the field before.
    """

    cards: tuple[int, ...]
    from_front: tuple[int, ...]
    tops: tuple[int, ...]
    under: int | None
    avoided: Pending | None
    before: str


class Follower:
    """A game's state after the events followed so far.

    Parameters
    ----------
    game, deal
        The first two events.
    """

    def __init__(self, game: dict[str, Any], deal: dict[str, Any]) -> None:
        self.rules: RuleSet = rules_from_fields(game["rules"])
        self.players: int = game["players"]
        self.hands = [Counter(map(parse_card, hand)) for hand in deal["hands"]]
        self.fronts: list[Counter[int]] = [Counter() for _ in self.hands]
        self.piles = [[parse_field_card(card) for card in pile] for pile in deal["piles"]]
        self.stock = [parse_card(card) for card in deal["stock"]]
        self.shape = "line"
        self.order = list(range(len(self.piles)))
        self.center = -1
        self.arms: list[list[int]] = []
        self.places: dict[int, int] = {}
        self.courts_pushed = [0] * self.players
        self.turns = 0
        self.after_draw = False
        self.pending: Pending | None = None
        self._last: int = self.players - 1
        n_piles, wanted = len(self.piles), self.rules.start_piles
        _check(n_piles == wanted, f"{n_piles} piles are dealt, but these rules start with {wanted}")

    def size(self, seat: int) -> int:
        """Return the hand size of a seat: private hand and front (R3.4)."""
        return self.hands[seat].total() + self.fronts[seat].total()

    def next_seat(self) -> int:
        """Return the seat after the one that moved last, passing over whoever is out (R2.4)."""
        seat = (self._last + 1) % self.players
        while seat in self.places:
            seat = (seat + 1) % self.players
        return seat

    def begins_turn(self, event: dict[str, Any]) -> bool:
        """Return whether `event` is the first of a turn."""
        return not self.after_draw and event["event"] in _TURNS

    def follow(self, event: dict[str, Any]) -> Laid | None:
        """Do what `event` says; of plays and growths return what they met.

        Raises
        ------
        UsageError
            If `event` does not fit what went before.
        """
        name: str = event["event"]
        if name in _TURNS:
            self._begin(name, event)
        elif name in ("draw", "stop"):
            _check(event["player"] == self._last, f"seat {event['player']} in the turn of seat {self._last}")
        return _FOLLOW[name](self, event)

    def _begin(self, name: str, event: dict[str, Any]) -> None:
        seat = event["player"]
        if self.after_draw:
            _check(
                seat == self._last, f"seat {seat} moves, but seat {self._last} has drawn and may still play"
            )
            _check(
                name in ("play", "grow"), f"{name!r} after a pass; only a play, a growth or a stop can follow"
            )
            self.after_draw = False
            return
        _check(seat == self.next_seat(), f"seat {seat} moves, but it is the turn of seat {self.next_seat()}")
        self.turns += 1
        self._last = seat
        under = self.pending is not None
        if under != (name == "penalty"):
            _check(under and name == "play", f"{name!r} {'under a' if under else 'without'} penalty")

    def _play(self, event: dict[str, Any]) -> Laid:
        seat, pile_id = event["player"], event["pile"]
        _check(pile_id < len(self.piles), f"no pile {pile_id}")
        pile = self.piles[pile_id]
        cards = tuple(map(parse_field_card, event["cards"]))
        top = pile[-1]
        under = field_number(pile[-2]) if is_joker(top) and len(pile) > 1 else None
        target = under if event["pattern"] == "under-joker" else field_number(top)
        fits = target is not None and _PATTERNS[event["pattern"]](list(map(field_number, cards)), target)
        _check(
            fits,
            f"{event['pattern']} of {_names(cards)} does not fit {field_card_name(top)} on pile {pile_id}",
        )
        avoided, self.pending = self.pending, None
        if avoided is not None:
            can = not avoided.set_cards and event["pattern"] == "same" and field_number(top) == avoided.number
            _check(can, f"a play of {_names(cards)} does not avoid the penalty")
        from_front = self._take(seat, cards)
        if event["pattern"] == "under-joker":
            pile[-1] = JOKER_BIT + field_number(cards[0])
        pile.extend(cards)
        _check(event["set"] == len(cards), f"a set of {event['set']}, but {len(cards)} cards are played")
        self._charge(event, pile_id, len(cards))
        return Laid(cards, from_front, (top,), under, avoided, self.shape)

    def _grow(self, event: dict[str, Any]) -> Laid:
        _check(self.pending is None, "a growth under a penalty")
        cards = tuple(map(parse_field_card, event["cards"]))
        between, new, before = event["between"], event["pile"], self.shape
        _check(new == len(self.piles), f"pile {new} is laid, but the next new pile is {len(self.piles)}")
        _check(len(cards) == 1, "a growth of several cards")
        _check(all(pile < new for pile in between), f"no piles {between}")
        tops = tuple(self.piles[pile][-1] for pile in between)
        numbers = [field_number(top) for top in tops]
        fits = len(tops) > 1 and all(gap_text(x, y, field_number(cards[0])) for x, y in pairwise(numbers))
        _check(fits, f"{_names(cards)} does not fit between {_names(tops)}")
        self._insert(new, between, event["shape"])
        from_front = self._take(event["player"], cards)
        self.piles.append(list(cards))
        self._charge(event, new, 1)
        return Laid(cards, from_front, tops, None, None, before)

    def _insert(self, new: int, between: list[int], shape: str) -> None:
        misfit = f"no {shape} comes of a new pile between {between} on a {self.shape}"
        if shape == "star" and self.shape == "line":
            _check(between == self.order and len(between) == _CLOSING, misfit)
            self.center, self.arms, self.order = new, [[pile] for pile in between], []
        elif shape == "ring" and self.shape == "line":
            ends = sorted((self.order[0], self.order[-1]))
            _check(between == ends and len(self.order) >= _CLOSING, misfit)
            self.order.append(new)
        else:
            _check(shape == self.shape and self._insert_between(new, between), misfit)
        self.shape = shape

    def _insert_between(self, new: int, between: list[int]) -> bool:
        for arm in self.arms:
            for idx, pair in enumerate(pairwise([self.center, *arm])):
                if sorted(pair) == between:
                    arm.insert(idx, new)
                    return True
        for idx, pair in enumerate(pairwise(self.order)):
            if sorted(pair) == between:
                self.order.insert(idx + 1, new)
                return True
        if self.shape == "ring" and sorted((self.order[0], self.order[-1])) == between:
            self.order.append(new)
            return True
        return False

    def _take(self, seat: int, cards: Sequence[int]) -> tuple[int, ...]:
        """Take cards out of a seat's front and hand by R3.5; return those that lay in front."""
        from_front = []
        for placed in cards:
            card = JOKER if is_joker(placed) else placed
            # Under shield a joker in front waits until the private hand is gone (R7.5).
            front_first = card != JOKER or self.rules.handoff == "push"
            if front_first and self.fronts[seat][card]:
                self.fronts[seat][card] -= 1
                from_front.append(card)
            else:
                _check(self.hands[seat][card] > 0, f"seat {seat} has no {card_name(card)} to lay down")
                self.hands[seat][card] -= 1
        return tuple(from_front)

    def _charge(self, event: dict[str, Any], pile: int, size: int) -> None:
        length = streak(self.rules, self.piles, pile)
        number = field_number(self.piles[pile][-1])
        _check(
            event["streak"] == length,
            f"a streak of {event['streak']}, but number {number_name(number)} has one of {length}",
        )
        streak_cards = self.rules.streak_penalty * max(length - _ALLOWED_STREAK, 0)
        set_cards = self.rules.set_penalty * max(size - _ALLOWED_STREAK, 0)
        if streak_cards or set_cards:
            self.pending = Pending(length, size, streak_cards, set_cards, number)

    def _handoff(self, event: dict[str, Any]) -> None:
        seat, target, card = event["player"], event["target"], parse_card(event["card"])
        _check(target != seat and target not in self.places, f"nothing can be handed to seat {target}")
        source = self.fronts[seat] if event["from"] == "front" else self.hands[seat]
        _check(source[card] > 0, f"seat {seat} has no {event['card']} in its {event['from']} to hand off")
        source[card] -= 1
        self.fronts[target][card] += 1
        if self.rules.handoff == "push" and card in NUMBERS[-3:]:
            self.courts_pushed[seat] += 1

    def _pass(self, event: dict[str, Any]) -> None:
        self.after_draw = True

    def _draw(self, event: dict[str, Any]) -> None:
        _check(
            event["reason"] == "penalty" or self.after_draw,
            f"a draw by seat {event['player']} without a pass",
        )
        cards = [parse_card(card) for card in event["cards"]]
        stock = self.stock[: len(cards)]
        _check(
            cards == stock,
            f"seat {event['player']} draws {' '.join(event['cards'])}, but next in the stock is "
            f"{' '.join(map(card_name, stock)) or 'nothing'}",
        )
        del self.stock[: len(cards)]
        self.hands[event["player"]].update(cards)

    def _stop(self, event: dict[str, Any]) -> None:
        _check(self.after_draw, f"seat {event['player']} stops without a pass")
        self.after_draw = False

    def _penalty(self, event: dict[str, Any]) -> None:
        assert self.pending is not None  # _begin has seen to it
        owed = (self.pending.streak_cards, self.pending.set_cards)
        told = (event["streak_cards"], event["set_cards"])
        _check(told == owed, f"cards owed for streak and set are told as {told}, but are {owed}")
        self.pending = None

    def _recycle(self, event: dict[str, Any]) -> None:
        kept = [top_run(pile) for pile in self.piles]
        freed = Counter(
            JOKER if is_joker(card) else card
            for pile, run in zip(self.piles, kept, strict=True)
            for card in pile[:-run]
        )
        new = [parse_card(card) for card in event["stock"]]
        _check(Counter(new) == freed, "the new stock is not what lay beneath the top runs of the piles")
        self.piles = [pile[-run:] for pile, run in zip(self.piles, kept, strict=True)]
        # Where a draw is under way, cards of the old stock are still to be named by it, before the new ones.
        self.stock += new

    def _front(self, event: dict[str, Any]) -> None:
        seat = event["player"]
        fits = Counter(map(parse_card, event["cards"])) == self.fronts[seat] and not self.hands[seat].total()
        _check(fits, f"the hand of seat {seat} is not empty, or other cards lie in front of it")
        self.hands[seat], self.fronts[seat] = self.fronts[seat], Counter()

    def _out(self, event: dict[str, Any]) -> None:
        seat = event["player"]
        _check(self.size(seat) == 0, f"seat {seat} is out with {self.size(seat)} cards left")
        self.places[seat] = event["place"]

    def _end(self, event: dict[str, Any]) -> None:
        left = [self.size(seat) for seat in range(self.players)]
        _check(event["left"] == left, f"cards left are told as {event['left']}, but are {left}")
        _check(event["turns"] == self.turns, f"{event['turns']} turns, but {self.turns} were played")
        for seat, place in self.places.items():
            told = event["places"][seat]
            _check(told == place, f"place {told} for seat {seat}, which went out as number {place}")


_TURNS: Final = ("play", "grow", "handoff", "pass", "penalty")
"""Events that can begin a turn."""

_FOLLOW: Final[dict[str, Callable[[Follower, dict[str, Any]], Laid | None]]] = {
    "play": Follower._play,
    "grow": Follower._grow,
    "handoff": Follower._handoff,
    "pass": Follower._pass,
    "draw": Follower._draw,
    "stop": Follower._stop,
    "penalty": Follower._penalty,
    "recycle": Follower._recycle,
    "front": Follower._front,
    "out": Follower._out,
    "end": Follower._end,
}

_PATTERNS: Final[dict[str, Callable[[list[int], int], bool]]] = {
    "same": lambda numbers, target: numbers == [target],
    "under-joker": lambda numbers, target: numbers == [target],
    "sum": lambda numbers, target: len(numbers) > 1 and sum(numbers) == target,
    "difference": lambda numbers, target: len(numbers) > 1 and numbers[0] - sum(numbers[1:]) == target,
    "product": lambda numbers, target: len(numbers) == 2 and numbers[0] * numbers[1] == target,
    "quotient": lambda numbers, target: len(numbers) == 2 and numbers[0] == target * numbers[1],
}
"""Whether the numbers of the cards laid, bottom to top, fit a target (R4.1 to R4.6)."""


def gap_text(x: int, y: int, number: int) -> str:
    """Return how `number` fits a gap between the numbers `x` and `y` (R5.1); empty if it does not.

    Examples
    --------
    >>> gap_text(3, 12, 4)
    '12 / 3 = 4'
    """
    high, low = max(x, y), min(x, y)
    if x * y == number:
        return f"{x} x {y} = {number}"
    return f"{high} / {low} = {number}" if high == low * number else ""


def _names(cards: Sequence[int]) -> str:
    return " ".join(map(field_card_name, cards))


def _check(fits: object, misfit: str) -> None:
    if not fits:
        raise UsageError(misfit)
