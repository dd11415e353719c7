"""What `weighted` players weigh: the features of an action and of what is seen, by their weights' names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from calcsim.policies.naming import Option

LIMIT: Final = 1000.0
"""Weights lie between minus this and this."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A number that an action has.

    Attributes
    ----------
    name
        What its weight is called.
    range
        What values it takes, in words.
    doc
        What it means.
    clause
        Of the rules.
    """

    name: str
    range: str
    doc: str
    clause: str


FEATURES: Final = (
    Feature("cards", "0 to 13", "cards that a play or growth gets rid of", "R4, R5"),
    Feature("out", "0 or 1", "empties the hand: this player is out", "R9.1"),
    Feature("bonus", "0 to 1.4", "bonuses for going out first by this action, in hundreds of points", "R9.6"),
    Feature("jokers", "0 to 2", "jokers that a play or growth uses", "R4.7"),
    Feature("high", "0 to 4", "sum of the numbers of the natural cards it uses, divided by 13", "R1.2"),
    Feature("pass", "0 or 1", "passes: draws a card and may then play", "R3.3"),
    Feature("pass_few", "0 or 1", "passes with one or two cards in hand", "R3.3"),
    Feature("stop", "0 or 1", "plays nothing after the card drawn by a pass", "R3.3"),
    Feature("accept", "0 or 1", "accepts a penalty", "R6.5"),
    Feature("avoid", "0 or 1", "avoids a penalty", "R6.6"),
    Feature("grow", "0 or 1", "starts a new pile", "R5.1"),
    Feature("ring", "0 or 1", "closes the line of piles to a ring", "R5.3"),
    Feature("star", "0 or 1", "makes the line of piles a star", "R5.4"),
    Feature(
        "spoil_growth",
        "0 or 1",
        "grows for the first time in the game, nobody being out, where bonuses are on",
        "R9.6",
    ),
    Feature(
        "spoil_shield",
        "0 or 1",
        "this player's first hand-off, nobody being out, where bonuses are on",
        "R9.6",
    ),
    Feature("penalty", "0 to 20 or more", "cards that the next player then owes", "R6.2, R6.3, R6.8"),
    Feature("strike", "0 or 1", "puts the next player under a penalty", "R6.2, R6.3"),
    Feature(
        "strike_near", "0 to 1", "strikes (`strike`), divided by the next player's hand size", "R6.2, R6.3"
    ),
    Feature("streak", "0 or 1", "puts the next player under a penalty that can be avoided", "R6.6"),
    Feature("tempt", "0 or 1", "leaves two of a number on top, so that one more makes a streak", "R6.2"),
    Feature("top", "0 to 1", "the number on top after a play or growth, divided by 13", "R4.11"),
    Feature(
        "expose",
        "0 to 1",
        "share of the unseen cards that have the number of some pile's top after the action",
        "R4.1, R10",
    ),
    Feature(
        "expose_near", "0 to 1", "that share (`expose`), divided by the next player's hand size", "R4.1, R10"
    ),
    Feature("handoff", "0 or 1", "hands a card off", "R7"),
    Feature("handoff_near", "0 to 1", "one divided by the hand size of whom the card is handed to", "R7"),
    Feature("handoff_next", "0 or 1", "hands a card to the next player", "R7"),
    Feature("handoff_joker", "0 or 1", "hands a joker off", "R7.5"),
    Feature("handoff_high", "0 to 1", "the number of the natural card handed off, divided by 13", "R7"),
    Feature(
        "handoff_again",
        "0 to 1",
        "hands a card off: how often this player has before, ten or more times being 1",
        "R7",
    ),
    Feature("left_one", "0 or 1", "leaves this player exactly one card, counting what is drawn", "R3.4"),
    Feature("left_two", "0 or 1", "leaves this player exactly two cards, counting what is drawn", "R3.4"),
    Feature("left_dead", "0 or 1", "leaves nothing but jokers, with which one cannot go out", "R4.8"),
    Feature("left_jokers", "0 to 2", "jokers that are left", "R4.7"),
    Feature(
        "left_flex",
        "0 to 1",
        "share of the numbers 1 to 13 on which some of what is left could be played",
        "R4.1 to R4.3",
    ),
    Feature(
        "left_fits",
        "0 to 13",
        "numbers on top of piles after the action on which some of what is left could be played",
        "R4.1 to R4.3",
    ),
    Feature(
        "left_shed",
        "0 to 6",
        "the most cards of what is left that a play on a number could take, the mean over 1 to 13",
        "R4.1 to R4.3",
    ),
    Feature(
        "left_most",
        "0 to 6",
        "the most cards of what is left that a play could take if the piles then stayed",
        "R4.1 to R4.3",
    ),
    Feature(
        "left_out",
        "0 or 1",
        "all that is left could go out at once in one play or growth if the piles stayed",
        "R4, R5.1",
    ),
    Feature(
        "left_ways",
        "0 to 13",
        "numbers 1 to 13 on which all that is left could be played at once",
        "R4.1 to R4.4",
    ),
    Feature(
        "ends",
        "-1 to 1",
        "where the game ends with the stock: the share of it drawn because of the action, times the share of "
        "the others in the game who then have more cards less that with fewer",
        "R8.2, R9.4",
    ),
)
"""In the order of the weights, as `calcsim.engine.features` numbers them."""

OPTIONS: Final = tuple(
    Option(feature.name, 0.0, -LIMIT, LIMIT, f"{feature.doc} ({feature.clause})") for feature in FEATURES
)
"""The weights as options of a policy."""
