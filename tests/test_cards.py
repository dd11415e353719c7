"""Every card's text there and back, and what is no card."""

from __future__ import annotations

import pytest

from calcsim import cards
from calcsim.errors import UsageError

TEXTS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]


def test_numbers_are_named_by_rank():
    assert [cards.number_name(number) for number in cards.NUMBERS] == TEXTS
    assert [cards.parse_number(text) for text in TEXTS] == list(range(1, 14))


def test_hand_cards_there_and_back():
    codes = [*cards.NUMBERS, cards.JOKER]
    assert [cards.parse_card(cards.card_name(code)) for code in codes] == codes
    assert [cards.card_name(cards.parse_card(text)) for text in [*TEXTS, "X"]] == [*TEXTS, "X"]


def test_field_cards_there_and_back():
    codes = [*cards.NUMBERS, *(number + cards.JOKER_BIT for number in cards.NUMBERS)]
    texts = [*TEXTS, *(f"X={text}" for text in TEXTS)]
    assert [cards.field_card_name(code) for code in codes] == texts
    assert [cards.parse_field_card(text) for text in texts] == codes


def test_field_cards_know_their_number_and_whether_they_are_jokers():
    for number in cards.NUMBERS:
        assert cards.field_number(number) == cards.field_number(number + cards.JOKER_BIT) == number
        assert not cards.is_joker(number)
        assert cards.is_joker(number + cards.JOKER_BIT)


WRONG = [
    "",
    "0",
    "1",
    "11",
    "14",
    "a",
    "x",
    "AA",
    " A",
    "A ",
    "X=",
    "=3",
    "X=X",
    "X=1",
    "X3",
    "X=X=3",
    "１",
    3,
    None,
    [],
]


@pytest.mark.parametrize("text", WRONG)
@pytest.mark.parametrize(
    "parse", [cards.parse_number, cards.parse_card, cards.parse_field_card], ids=lambda parse: parse.__name__
)
def test_what_is_no_card_is_refused_by_value(parse, text):
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert repr(text) in str(caught.value)
    assert "R1.3" in str(caught.value)


def test_each_place_has_its_own_jokers():
    with pytest.raises(UsageError, match=r"unknown card 'X=3'"):
        cards.parse_card("X=3")
    with pytest.raises(UsageError, match=r"unknown card on the field 'X'.*X=3"):
        cards.parse_field_card("X")
    with pytest.raises(UsageError, match=r"unknown number 'X'"):
        cards.parse_number("X")


@pytest.mark.parametrize("code", [-1, 0, 15])
def test_codes_of_no_card_have_no_name(code: int):
    for name in (cards.number_name, cards.card_name, cards.field_card_name):
        with pytest.raises(ValueError, match="no number"):
            name(code)


@pytest.mark.parametrize("code", [16, 30])
def test_jokers_of_no_number_have_no_name(code: int):
    with pytest.raises(ValueError, match="no number"):
        cards.field_card_name(code)
