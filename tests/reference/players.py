"""The deal (section 2) and the two yardstick players (section 11)."""

from __future__ import annotations

import random
from typing import Any

from tests.reference.cards import JOKER, deck
from tests.reference.presets import complete
from tests.reference.table import Event, Table


def deal(rules: Any, players: int, rng: random.Random) -> dict[str, Any]:
    """Shuffle and deal: `hands`, `piles` and `stock` as a table takes them (R2.1-2.3)."""
    fields = complete(rules)
    cards = deck(fields["jokers"])
    rng.shuffle(cards)
    size = fields["hand_size"]
    hands = [cards[seat * size : (seat + 1) * size] for seat in range(players)]
    stock = cards[players * size :]
    piles: list[list[str]] = []
    returned: list[str] = []
    while len(piles) < fields["start_piles"]:
        card = stock.pop(0)
        if card == JOKER:
            returned.append(card)
        else:
            piles.append([card])
    if returned:
        stock += returned
        rng.shuffle(stock)
    return {"hands": hands, "piles": piles, "stock": stock}


def choose(policy: str, legal: list[dict[str, Any]], rng: random.Random) -> dict[str, Any]:
    """Choose an action as `random` (R11.1) or `greedy` (R11.2) does."""
    laying = [action for action in legal if action["action"] in ("play", "grow")]
    if laying:
        if policy == "greedy":
            most = max(len(action["cards"]) for action in laying)
            laying = [action for action in laying if len(action["cards"]) == most]
        return rng.choice(laying)
    handoffs = [action for action in legal if action["action"] == "handoff"]
    if handoffs and rng.random() < 0.5:
        return rng.choice(handoffs)
    (other,) = [action for action in legal if action["action"] in ("pass", "stop", "accept")]
    return other


def play(table: Table, policies: list[str], rng: random.Random) -> list[Event]:
    """Play a table to its end, a policy for each seat, and return all events."""
    events: list[Event] = []
    while not table.over:
        events += table.act(choose(policies[table.seat], table.legal(), rng))
    return events
