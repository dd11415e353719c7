"""Plays on a pile (section 4), found by trying every set of cards against every pattern."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any

from tests.reference.cards import NUMBERS, FieldCard

Cards = tuple[FieldCard, ...]
Hand = tuple[tuple[str, int], ...]


def hand_key(cards: list[str]) -> Hand:
    """Return a hand as something that compares equal whatever the order of its cards."""
    return tuple(sorted(Counter(cards).items()))


@lru_cache(maxsize=5_000)
def faces(hand: Hand) -> list[FieldCard]:
    """All that the cards of a hand can be on the field, ascending; a joker can be any number (R4.7)."""
    every = [FieldCard(number, joker) for number in NUMBERS for joker in (False, True)]
    return [card for card in every if card.in_hand in dict(hand)]


def holds(hand: Hand, cards: Cards) -> bool:
    """Are there cards in the hand that can be all of these at once?"""
    texts = [card.in_hand for card in cards]
    return all(dict(hand).get(text, 0) >= texts.count(text) for text in set(texts))


@lru_cache(maxsize=5_000)
def sets(hand: Hand, total: int) -> list[Cards]:
    """Every different set of cards of the hand whose numbers add up to `total`, in ascending order."""
    found: list[tuple[Cards, int]] = [((), 0)]
    for card in faces(hand):
        longer = []
        for cards, so_far in found:
            while so_far <= total and holds(hand, cards):
                longer.append((cards, so_far))
                cards, so_far = (*cards, card), so_far + card.number
        found = longer
    return [cards for cards, so_far in found if so_far == total]


def stackings(bottom: Cards, others: Cards) -> Iterator[Cards]:
    """Every order in which a play may be stacked: one for each card that can be its top (R4.9)."""
    for top in sorted(set(others)):
        rest = list(others)
        rest.remove(top)
        different = sorted(card for card in rest if card.number != top.number)
        equal = sorted(card for card in rest if card.number == top.number)
        yield (*bottom, *different, *equal, top)


def same(pile: list[FieldCard], hand: Hand) -> Iterator[Cards]:
    """R4.1: one card of the top's number."""
    yield from sets_of_one(hand, pile[-1].number)


def sets_of_one(hand: Hand, number: int) -> Iterator[Cards]:
    """Every single card that can be a number (R4.7)."""
    for card in faces(hand):
        if card.number == number:
            yield (card,)


def under_joker(pile: list[FieldCard], hand: Hand) -> Iterator[Cards]:
    """R4.6: one card of the number of the card directly beneath a joker on top."""
    if len(pile) >= 2 and pile[-1].joker:
        yield from sets_of_one(hand, pile[-2].number)


def sums(pile: list[FieldCard], hand: Hand) -> Iterator[Cards]:
    """R4.2: two or more cards whose numbers add up to the top's."""
    for cards in sets(hand, pile[-1].number):
        if len(cards) >= 2:
            yield from stackings((), cards)


def differences(pile: list[FieldCard], hand: Hand) -> Iterator[Cards]:
    """R4.3: a minuend that less all the other cards is the top's number; it lies at the bottom."""
    for minuend in faces(hand):
        for others in sets(hand, minuend.number - pile[-1].number):
            if others and holds(hand, (minuend, *others)):
                yield from stackings((minuend,), others)


def pairs(hand: Hand) -> Iterator[tuple[FieldCard, FieldCard]]:
    """Every two cards of the hand, in both orders, jokers as every number."""
    for pair in product(faces(hand), repeat=2):
        if holds(hand, pair):
            yield pair


def products(pile: list[FieldCard], hand: Hand) -> Iterator[Cards]:
    """R4.4: two cards with a x b = T; either may be on top (R4.9)."""
    for a, b in pairs(hand):
        if a.number * b.number == pile[-1].number:
            yield from stackings((), (a, b))


def quotients(pile: list[FieldCard], hand: Hand) -> Iterator[Cards]:
    """R4.4: two cards with a / b = T exactly, the dividend at the bottom."""
    for a, b in pairs(hand):
        if a.number == b.number * pile[-1].number:
            yield (a, b)


def finishes_with_joker(cards: Cards, hand_size: int, rules: dict[str, Any]) -> bool:
    """R4.8: would these cards empty the hand with a joker among them, where that is not allowed?"""
    return not rules["joker_finish"] and len(cards) == hand_size and any(card.joker for card in cards)


def plays(
    pile: list[FieldCard], usable: list[str], hand_size: int, rules: dict[str, Any]
) -> dict[Cards, str]:
    """Every legal play on a pile with its pattern: the first that produces it (R4.10)."""
    hand = hand_key(usable)
    patterns = {"same": same}
    if rules["joker_special"]:
        patterns["under-joker"] = under_joker
    patterns |= {"sum": sums, "difference": differences}
    if rules["finish_multiply"] and hand_size == 2:
        patterns |= {"product": products, "quotient": quotients}
    found: dict[Cards, str] = {}
    for pattern, find in patterns.items():
        for cards in find(pile, hand):
            if not finishes_with_joker(cards, hand_size, rules):
                found.setdefault(cards, pattern)
    return found
