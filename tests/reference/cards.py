"""Cards and their numbers (R1.1-R1.3). A card in a hand is its text; a card on the field has a number."""

from __future__ import annotations

from typing import NamedTuple

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
NUMBER = {rank: number for number, rank in enumerate(RANKS, start=1)}
RANK = {number: rank for rank, number in NUMBER.items()}
JOKER = "X"
COURTS = ("J", "Q", "K")
NUMBERS = range(1, 14)


class FieldCard(NamedTuple):
    """A card on the field or in a play (R1.2); sorted by number, natural cards before jokers (R4.9)."""

    number: int
    joker: bool

    @property
    def text(self) -> str:
        """The card as R1.3 writes it on the field."""
        return f"X={RANK[self.number]}" if self.joker else RANK[self.number]

    @property
    def in_hand(self) -> str:
        """The card as R1.3 writes it in a hand: a joker has no number there (R8.1)."""
        return JOKER if self.joker else RANK[self.number]


def field_card(text: str) -> FieldCard:
    """Read a card on the field (R1.3)."""
    if text.startswith("X="):
        return FieldCard(NUMBER[text.removeprefix("X=")], joker=True)
    return FieldCard(NUMBER[text], joker=False)


def deck(jokers: int) -> list[str]:
    """All cards of the deck (R1.1)."""
    return [rank for rank in RANKS for _ in range(4)] + [JOKER] * jokers
