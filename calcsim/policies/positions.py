"""Positions to ask policies at: of every preset and of rules made at random, with 2 to 6 players."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from calcsim.cards import card_name
from calcsim.engine import layout as at
from calcsim.errors import UsageError
from calcsim.notation.table import Table
from calcsim.rules import PRESETS, RuleSet
from calcsim.rules.fields import FIELDS

N_RANDOM_RULES: Final = 12

MOST_MOVES: Final = 150
"""Moves of a game that are looked at: in some rules made at random nobody ever wins."""

_LARGEST: Final = {"turn_limit": 300}
_LARGEST_COUNT: Final = 12
_KEPT: Final = ("max_players", "place_points")
_MASK: Final = 2**64 - 1


class Stream:
    """Random numbers in plain Python, the same everywhere (splitmix64, as `calcsim.engine.rng`)."""

    def __init__(self, seed: int) -> None:
        self._key = seed & _MASK

    def bits(self) -> int:
        """Return 64 random bits."""
        self._key = (self._key + 0x9E3779B97F4A7C15) & _MASK
        x = self._key
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB & _MASK
        return x ^ (x >> 31)

    def below(self, n: int) -> int:
        """Return a number 0..n-1."""
        return (self.bits() >> 32) * n >> 32

    def shuffle(self, items: list[int]) -> None:
        """Shuffle a list in place."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


def random_rules(stream: Stream) -> RuleSet:
    """Return a preset with one to five fields changed at random to what makes sense."""
    names = [name for name in FIELDS if name not in _KEPT]
    while True:
        preset = list(PRESETS.values())[stream.below(len(PRESETS))]
        changes: dict[str, object] = {}
        for _ in range(1 + stream.below(5)):
            field = FIELDS[names[stream.below(len(names))]]
            if field.kind == "switch":
                changes[field.name] = not getattr(preset, field.name)
            elif field.kind == "choice":
                changes[field.name] = field.choices[stream.below(len(field.choices))]
            else:
                high = min(field.high, _LARGEST.get(field.name, _LARGEST_COUNT))
                changes[field.name] = field.low + stream.below(high - field.low + 1)
        try:
            rules = preset.replace(**changes)
            rules.validate_players(2)
        except UsageError:
            continue
        return rules


def settings(stream: Stream) -> list[tuple[RuleSet, int]]:
    """Return every preset with every number of players, and rules made at random."""
    found = [(rules, n) for rules in PRESETS.values() for n in range(2, rules.max_players + 1)]
    while len(found) < N_RANDOM_RULES + sum(rules.max_players - 1 for rules in PRESETS.values()):
        rules = random_rules(stream)
        players = 2 + stream.below(rules.max_players - 1)
        try:
            rules.validate_players(players)
        except UsageError:
            continue
        found.append((rules, players))
    return found


def deal(rules: RuleSet, players: int, stream: Stream) -> Table:
    """Return a game just dealt (R2)."""
    deck = [number for number in range(1, at.JOKER) for _ in range(4)] + [at.JOKER] * rules.jokers
    stream.shuffle(deck)
    hands = [[deck.pop() for _ in range(rules.hand_size)] for _ in range(players)]
    piles: list[list[str]] = []
    while len(piles) < rules.start_piles:
        first = next(i for i in range(len(deck) - 1, -1, -1) if deck[i] != at.JOKER)
        piles.append([card_name(deck.pop(first))])
    return Table(
        rules, players, [list(map(card_name, hand)) for hand in hands], piles, list(map(card_name, deck))
    )


def unpacked(hand: int) -> list[int]:
    """Return the cards of a packed hand."""
    return [card for card in range(1, at.JOKER + 1) for _ in range(hand >> 4 * (card - 1) & 15)]


def hidden_dealt_anew(state: NDArray[np.int64], stream: Stream) -> NDArray[np.int64]:
    """Return a copy of a state in which the others' private cards and the stock lie otherwise (R10.2)."""
    other = state.copy()
    seats = [seat for seat in range(state[at.PLAYERS]) if seat != state[at.SEAT]]
    stock = slice(at.STOCK + state[at.STOCK_NEXT], at.STOCK + state[at.STOCK_END])
    hands = [unpacked(int(state[at.HAND + seat])) for seat in seats]
    cards = [card for hand in hands for card in hand] + state[stock].tolist()
    stream.shuffle(cards)
    for seat, hand in zip(seats, hands, strict=True):
        other[at.HAND + seat] = sum(1 << 4 * (cards.pop() - 1) for _ in hand)
    other[stock] = cards
    return other
