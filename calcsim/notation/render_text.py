"""What happened in a game, in sentences: each says what was done and by which clause of the rulebook.

Sentences hold non-breaking spaces where a line must not be broken, within a sum, say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from calcsim.cards import (
    NUMBERS,
    card_name,
    field_card_name,
    field_number,
    is_joker,
    number_name,
    parse_card,
)
from calcsim.notation.render_state import Laid, Pending, gap_text
from calcsim.rules import RuleSet

Event = dict[str, Any]

_SIGNS: Final = {"sum": "+", "difference": "-", "product": "x", "quotient": "/"}
_CLAUSES: Final = {"sum": "R4.2", "difference": "R4.3", "product": "R4.4", "quotient": "R4.4"}
_COURTS: Final = NUMBERS[-3:]
_NAMED: Final = (1, *_COURTS)
"""Numbers whose cards carry a letter."""

END_TEXTS: Final = {
    "first-out": "the first player is out (R9.2)",
    "last-standing": "one player is left (R9.2)",
    "stock-out": "the stock is used up (R8.2)",
    "stalled": "as many turns in a row as players are in were passes that changed nothing (R9.3)",
    "turn-limit": "the turn limit is reached (R9.3)",
}
"""Why a game ends, by the reason in its ``end`` event."""


def cards_text(cards: Iterable[int]) -> str:
    """Return hand cards by rank, jokers last, as text.

    Examples
    --------
    >>> cards_text([14, 1, 10])
    'A 10 X'
    """
    return " ".join(map(card_name, sorted(cards)))


def hand_text(hand: Counter[int]) -> str:
    """Return a hand as text; ``-`` if it is empty."""
    return cards_text(hand.elements()) or "-"


def count_text(n: int, noun: str) -> str:
    """Return a number of things.

    Examples
    --------
    >>> count_text(1, "card"), count_text(2, "card")
    ('1 card', '2 cards')
    """
    return f"{n} {noun}{'' if n == 1 else 's'}"


def play_text(event: Event, laid: Laid, front_left: bool) -> str:
    """Return what a play does, after "seat 2 ".

    Parameters
    ----------
    event
        The play.
    laid
        What it met.
    front_left
        Whether to say which of the cards lay in front.
    """
    pattern = event["pattern"]
    cards = _placed_text(laid.cards)
    top = laid.tops[0]
    head = f"plays {cards}{_front_text(laid) if front_left else ''} on pile {event['pile']}"
    target = field_number(top)
    if pattern == "same":
        told = f"{head} (top {_top_text(top)}): the same number (R4.1)"
    elif pattern == "under-joker":
        assert laid.under is not None
        number = number_name(laid.under)
        told = (
            f"{head} (top {_top_text(top)}): under the joker lies {_article(laid.under)}, so {number} fits, "
            f"and the joker becomes {_tie(f'X={number}')} for good (R4.6)"
        )
    else:
        sign = _SIGNS[pattern]
        numbers = f" {sign} ".join(str(field_number(card)) for card in laid.cards)
        fits = _tie(f"{numbers} = {target}")
        told = f"{head} (top {_top_text(top)}): {fits}, a {pattern} ({_CLAUSES[pattern]})"
        if pattern in ("product", "quotient"):
            told += ", allowed with the last two cards"
    told += _joker_text(laid.cards)
    if len(laid.cards) > 1:
        told += f"; {field_card_name(laid.cards[-1])} ends on top"
    if laid.avoided is not None:
        cards_owed = count_text(laid.avoided.streak_cards, "card")
        told += f"; it is the streak's number, so the penalty of {cards_owed} is avoided (R6.6)"
    return told


def growth_text(event: Event, laid: Laid, rules: RuleSet, front_left: bool) -> str:
    """Return what a growth does, after "seat 2 "; parameters as those of `play_text`."""
    between, shape = event["between"], event["shape"]
    number = field_number(laid.cards[0])
    tops = [field_number(top) for top in laid.tops]
    named = [f"pile {pile} ({_top_text(top)})" for pile, top in zip(between, laid.tops, strict=True)]
    sums = [gap_text(x, y, number) for x, y in pairwise(tops)]
    fits = " and ".join(map(_tie, dict.fromkeys(sums)))
    card = _placed_text(laid.cards) + (_front_text(laid) if front_left else "")
    head = f"lays {card} down as pile {event['pile']}"
    if shape == "star" and laid.before == "line":
        halving = ", on which penalties are halved (R6.8)" if rules.star_halving else ""
        where = f"in the middle of {named[0]}, {named[1]} and {named[2]}: {fits} fits both gaps (R5.1)"
        after = f"; the line becomes a star (R5.4){halving}"
    elif shape == "ring" and laid.before == "line":
        where = f"between the two ends, {named[0]} and {named[1]}: {fits} (R5.1)"
        after = "; the line closes to a ring (R5.3)"
    else:
        where = f"between {named[0]} and {named[1]}: {fits} (R5.1)"
        clause = {"line": "R5.2", "ring": "R5.3", "star": "R5.4"}[shape]
        after = f"; the {shape} grows ({clause})"
    return f"{head} {where}{_joker_text(laid.cards)}{after}"


def handoff_text(event: Event, rules: RuleSet, courts_pushed: int) -> str:
    """Return what a hand-off does, after "seat 2 "; `courts_pushed` counts this push, too."""
    card, target = event["card"], event["target"]
    source = "its hand" if event["from"] == "hand" else "those in front of it"
    if rules.handoff == "push":
        told = f"pushes {card} from {source} in front of seat {target} (R7.1)"
        if parse_card(card) in _COURTS:
            told += f"; court card {courts_pushed} of at most {rules.push_face_limit} (R7.2)"
        return told
    told = f"shields against seat {target} (R7.4): {card} from {source} goes in front of seat {target}"
    if rules.ko:
        told += ", who may not shield that card straight back (R7.7)"
    return told


def draw_text(event: Event, due: int, rules: RuleSet) -> str:
    """Return what a draw brings, after "seat 2 "; `due` is how many cards it should bring."""
    cards = event["cards"]
    clause = "R8.2" if rules.end == "stock-out" else "R8.1"
    if not cards:
        return "draws nothing" if due == 0 else f"finds no card to draw ({clause})"
    told = f"draws {_tie(' '.join(cards))}"
    return told if len(cards) == due else f"{told}; there are no more to draw ({clause})"


def falling_text(pending: Pending, rules: RuleSet, target: int, star: bool) -> list[str]:
    """Return the sentences about a penalty that falls on seat `target`."""
    number, told = number_name(pending.number), []
    if pending.streak_cards:
        told.append(
            f"number {number} now makes a streak of {pending.streak} (R6.1): seat {target} owes "
            f"{_charge_text(rules.streak_penalty, pending.streak)} (R6.2)"
        )
    if pending.set_cards:
        told.append(
            f"{pending.size} cards were played at once: seat {target} owes "
            f"{_charge_text(rules.set_penalty, pending.size)} (R6.3)"
        )
    if pending.streak_cards and pending.set_cards:
        both = count_text(pending.streak_cards + pending.set_cards, "card")
        told.append(f"together {both}, and no way to avoid them (R6.6)")
    elif pending.streak_cards:
        where = "that pile" if rules.streak_scope == "same-pile" else _article(pending.number)
        told.append(f"one {number} on {where} would avoid it (R6.6)")
    if star and rules.star_halving:
        told.append("drawn on a star, it is halved (R6.8)")
    return told


def penalty_text(event: Event) -> str:
    """Return what accepting a penalty means, after "seat 2 "."""
    owed = event["streak_cards"] + event["set_cards"]
    told = f"takes the penalty of {count_text(owed, 'card')} (R6.5)"
    if event["halved"]:
        told += f", halved on the star to {event['draw']} (R6.8)"
    return told


def out_text(event: Event) -> str:
    """Return that a player is out, after "seat 2 "."""
    told = f"is out and takes place {event['place']} (R9.1)"
    if event["bonuses"]:
        bonuses = ", ".join(f"{name} {points}" for name, points in event["bonuses"].items())
        told += f"; bonuses of the first one out: {bonuses} (R9.6)"
    return told


def scoring_text(rules: RuleSet) -> str:
    """Return how points are given (R9.5)."""
    if rules.scoring == "win":
        return "1 point for place 1, else 0 (R9.5)"
    if rules.scoring == "rank-points":
        return "the place plus the cards left, lower is better (R9.5)"
    points = " ".join(map(str, rules.place_points))
    return f"{points} by place (R9.5){', and bonuses (R9.6)' if rules.bonuses else ''}"


def _charge_text(rate: int, length: int) -> str:
    return _tie(f"{rate} x ({length} - 2) = {count_text(rate * (length - 2), 'card')}")


def _placed_text(cards: Sequence[int]) -> str:
    return _tie(" ".join(map(field_card_name, cards)))


def _front_text(laid: Laid) -> str:
    if not laid.from_front:
        return ""
    if len(laid.from_front) == len(laid.cards):
        return " from the front"
    return f" ({_tie(cards_text(laid.from_front))} from the front)"


def _joker_text(cards: Sequence[int]) -> str:
    jokers = [field_number(card) for card in cards if is_joker(card)]
    if not jokers:
        return ""
    numbers = " and ".join(str(number) for number in jokers)
    return f", with {'a joker' if len(jokers) == 1 else 'jokers'} as {numbers} (R4.7)"


def _top_text(card: int) -> str:
    """Return a top card with its number where its name does not show it.

    Examples
    --------
    >>> _top_text(11).replace(chr(160), " "), _top_text(16 + 3)
    ('J = 11', 'X=3')
    """
    number = field_number(card)
    return _tie(f"{field_card_name(card)} = {number}" if number in _NAMED else field_card_name(card))


def _article(number: int) -> str:
    # Read out, only an A and an 8 begin with a vowel.
    return _tie(f"{'an' if number in (1, 8) else 'a'} {number_name(number)}")


def _tie(text: str) -> str:
    return text.replace(" ", "\N{NO-BREAK SPACE}")
