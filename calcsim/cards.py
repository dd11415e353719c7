"""Numbers, cards and their text (R1.1 to R1.3).

Two codes, both small integers, so that they go into arrays as they are:

* a card in a hand or the stock is 1 to 13, or `JOKER` (14), which stands for nothing yet;
* a card on the field, or in a play, is its number 1 to 13, plus `JOKER_BIT` (16) if it is a joker.
"""

from __future__ import annotations

from typing import Final

from calcsim.errors import UsageError

NUMBERS: Final = range(1, 14)
"""The numbers a card can have (R1.1)."""

JOKER: Final = 14
"""A joker in a hand or the stock."""

JOKER_BIT: Final = 16
"""Set in the code of a field card that is a joker; the rest is the number it stands for."""

COPIES: Final = 4
"""Natural cards of each number in the deck (R1.1)."""

NUMBER_NAMES: Final = ("", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
"""Text of each number, by number; index 0 is no number."""

JOKER_NAME: Final = "X"
"""Text of a joker in a hand; on the field it is followed by ``=`` and its number."""

_NUMBER_BY_NAME: Final = {name: number for number, name in enumerate(NUMBER_NAMES) if name}


def parse_number(text: object) -> int:
    """Return the number 1 to 13 written as `text`.

    Raises
    ------
    UsageError
        If `text` is not one of ``A 2 3 4 5 6 7 8 9 10 J Q K``.

    Examples
    --------
    >>> parse_number("Q")
    12
    """
    number = _NUMBER_BY_NAME.get(text) if isinstance(text, str) else None
    if number is None:
        raise UsageError(f"unknown number {text!r}: must be A, 2 to 10, J, Q or K (R1.3)")
    return number


def number_name(number: int) -> str:
    """Return the text of the number 1 to 13.

    Examples
    --------
    >>> number_name(11)
    'J'
    """
    if number not in NUMBERS:
        raise ValueError(f"no number: {number!r}")
    return NUMBER_NAMES[number]


def parse_card(text: object) -> int:
    """Return the code of the hand card written as `text`.

    Raises
    ------
    UsageError
        If `text` is neither a number nor ``X``.

    Examples
    --------
    >>> parse_card("10"), parse_card("X")
    (10, 14)
    """
    if text == JOKER_NAME:
        return JOKER
    number = _NUMBER_BY_NAME.get(text) if isinstance(text, str) else None
    if number is None:
        raise UsageError(f"unknown card {text!r}: must be A, 2 to 10, J, Q, K or X for a joker (R1.3)")
    return number


def card_name(card: int) -> str:
    """Return the text of a hand card.

    Examples
    --------
    >>> card_name(14)
    'X'
    """
    if card == JOKER:
        return JOKER_NAME
    return number_name(card)


def parse_field_card(text: object) -> int:
    """Return the code of the field card written as `text`.

    Raises
    ------
    UsageError
        If `text` is neither a number nor ``X=`` and a number.

    Examples
    --------
    >>> parse_field_card("9"), parse_field_card("X=J")
    (9, 27)
    """
    if isinstance(text, str):
        number = _NUMBER_BY_NAME.get(text.removeprefix("X="))
        if number is not None:
            return number + JOKER_BIT if text.startswith("X=") else number
    raise UsageError(
        f"unknown card on the field {text!r}: must be A, 2 to 10, J, Q, K, or a joker with the number "
        "it stands for, such as X=3 or X=J (R1.3)"
    )


def field_card_name(card: int) -> str:
    """Return the text of a field card.

    Examples
    --------
    >>> field_card_name(27)
    'X=J'
    """
    if is_joker(card):
        return f"{JOKER_NAME}={number_name(card - JOKER_BIT)}"
    return number_name(card)


def is_joker(card: int) -> bool:
    """Return whether a *field* card is a joker."""
    return card >= JOKER_BIT


def field_number(card: int) -> int:
    """Return the number of a field card: its own, or the one its joker stands for (R1.2).

    Examples
    --------
    >>> field_number(27)
    11
    """
    return card - JOKER_BIT if is_joker(card) else card
