"""The piles and the shape they lie in: gaps, growth (section 5), streaks (R6.1), recycling (R8.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.reference.cards import FieldCard, field_card


def gap_numbers(x: int, y: int) -> set[int]:
    """The numbers that fit a gap between tops x and y (R5.1)."""
    numbers = set()
    if x * y <= 13:
        numbers.add(x * y)
    if x % y == 0:
        numbers.add(x // y)
    if y % x == 0:
        numbers.add(y // x)
    return numbers


@dataclass
class Field:
    """Piles by id (R5.6), each bottom to top, and how they lie."""

    piles: list[list[FieldCard]]
    shape: str
    order: list[int]
    """Of a line from end to end, of a ring around it, of a star empty."""
    center: int
    """Of a star its centre, else -1."""
    arms: list[list[int]]
    """Of a star its arms, each from the centre outwards, else empty."""

    @classmethod
    def line(cls, piles: list[list[str]]) -> Field:
        """The field at the start: a line in order 0, 1, ... (R5.2)."""
        cards = [[field_card(text) for text in pile] for pile in piles]
        return cls(cards, "line", list(range(len(piles))), -1, [])

    @classmethod
    def from_json(cls, field: dict[str, Any]) -> Field:
        """Read the `field` of a position."""
        new = cls.line(field["piles"])
        new.shape = field["shape"]
        new.order = list(field.get("order", []))
        new.center = field.get("center", -1)
        new.arms = [list(arm) for arm in field.get("arms", [])]
        return new

    def to_json(self) -> dict[str, Any]:
        """Write the `field` of a position."""
        piles = [[card.text for card in pile] for pile in self.piles]
        if self.shape == "star":
            arms = [list(arm) for arm in self.arms]
            return {"shape": "star", "center": self.center, "arms": arms, "piles": piles}
        return {"shape": self.shape, "order": list(self.order), "piles": piles}

    def top(self, pile: int) -> int:
        """The number of a pile's top card (section 4, R4.11)."""
        return self.piles[pile][-1].number

    def gaps(self) -> list[tuple[int, int]]:
        """The neighbouring pairs of piles (R5.2 line, R5.3 ring, R5.4 star)."""
        if self.shape == "line":
            return list(zip(self.order, self.order[1:], strict=False))
        if self.shape == "ring":
            return list(zip(self.order, self.order[1:] + self.order[:1], strict=True))
        return [
            pair for arm in self.arms for pair in zip([self.center, *arm], arm, strict=False)
        ]  # the centre and the first pile of an arm, then outwards

    def growths(self, rules: dict[str, Any]) -> list[tuple[str, tuple[int, ...], set[int]]]:
        """Where a pile may be laid (R5.1-5.4): shape afterwards, between which piles, numbers that fit."""
        if not rules["growth"]:
            return []
        found: list[tuple[str, tuple[int, ...], set[int]]] = []
        for a, b in self.gaps():
            found.append((self.shape, (min(a, b), max(a, b)), gap_numbers(self.top(a), self.top(b))))
        if self.shape == "line":
            piles = len(self.order)
            if piles == 3 or (piles > 3 and rules["ring_from"] == "any-line"):
                a, b = self.order[0], self.order[-1]
                found.append(("ring", (min(a, b), max(a, b)), gap_numbers(self.top(a), self.top(b))))
            if piles == 3:
                a, b, c = self.order
                both = gap_numbers(self.top(a), self.top(b)) & gap_numbers(self.top(b), self.top(c))
                found.append(("star", (a, b, c), both))
        return found

    def grow(self, shape: str, between: tuple[int, ...], card: FieldCard) -> int:
        """Lay down a new pile and return its id (R5.2-5.4, R5.6)."""
        new = len(self.piles)
        self.piles.append([card])
        if shape == "star" and self.shape == "line":
            self.shape, self.center, self.arms, self.order = "star", new, [[p] for p in self.order], []
        elif shape == "ring" and self.shape == "line":
            self.shape = "ring"
            self.order.append(new)
        elif shape == "star":
            for arm in self.arms:
                for place, pair in enumerate(zip([self.center, *arm], list(arm), strict=False)):
                    if set(pair) == set(between):
                        arm.insert(place, new)
        else:
            (place,) = [i for i, pair in enumerate(self.gaps()) if set(pair) == set(between)]
            self.order.insert(place + 1, new)
        return new

    def top_run(self, pile: int) -> int:
        """How many cards from the top of a pile down have the same number (R6.1)."""
        run = 0
        for card in reversed(self.piles[pile]):
            if card.number != self.top(pile):
                break
            run += 1
        return run

    def streak(self, pile: int, rules: dict[str, Any]) -> int:
        """The streak of the number on top of the pile just played on (R6.1)."""
        if rules["streak_scope"] == "same-pile":
            return self.top_run(pile)
        return sum(self.top_run(p) for p in range(len(self.piles)) if self.top(p) == self.top(pile))

    def take_beneath(self) -> list[str]:
        """Take away all but the top run of every pile; jokers lose their numbers (R8.1)."""
        taken = []
        for number, pile in enumerate(self.piles):
            beneath = len(pile) - self.top_run(number)
            taken += [card.in_hand for card in pile[:beneath]]
            del pile[:beneath]
        return taken
