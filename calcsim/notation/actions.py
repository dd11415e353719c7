"""The engine's actions and events as traces write them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from calcsim.cards import card_name, field_card_name
from calcsim.engine import actions, columns, events
from calcsim.engine import layout as at
from calcsim.engine.table import spell

Event = dict[str, Any]

SHAPES: Final = ("line", "ring", "star")
SOURCES: Final = ("hand", "front")
REASONS: Final = ("pass", "penalty")

_IDLE: Final = {actions.PASS: "pass", actions.ACCEPT: "accept", actions.STOP: "stop"}


def between(action: int) -> list[int]:
    """Return the piles a growth lies between: the smaller first, for a new star in the line's order."""
    piles = [(action >> shift) & 63 for shift in (32, 38, 44)]
    return [pile for pile in piles if pile != actions.CLOSING]


def unpack(hand: int) -> list[str]:
    """Return the cards of a packed hand as text."""
    return [card_name(card) for card in range(1, 15) for _ in range((hand >> (4 * (card - 1))) & 15)]


def action_dict(state: NDArray[np.int64], action: int) -> dict[str, Any]:
    """Return one action as an object of a list of legal actions.

    Parameters
    ----------
    state
        Where the cards are spelled (`layout.CARDS`); else unchanged.
    action
        See `calcsim.engine.actions`.
    """
    kind = action & 15
    if kind in _IDLE:
        return {"action": _IDLE[kind]}
    pattern = (action >> actions.PATTERN_SHIFT) & 15
    place = (action >> actions.PLACE_SHIFT) & 63
    if kind == actions.HANDOFF:
        card = card_name((action >> actions.NUMBER_SHIFT) & 15)
        return {"action": "handoff", "target": place, "card": card, "from": SOURCES[pattern]}
    n = spell(state, action)
    cards = [field_card_name(int(card)) for card in state[at.CARDS : at.CARDS + n]]
    if kind == actions.GROW:
        shape = SHAPES[pattern - at.GROW_LINE]
        return {"action": "grow", "shape": shape, "between": between(action), "cards": cards}
    return {"action": "play", "pile": place, "pattern": columns.FINISHES[pattern], "cards": cards}


def decode(log: NDArray[np.int64]) -> Iterator[Event]:
    """Yield the events of a log (`calcsim.engine.events`) as traces write them, but for `game` and `end`."""
    numbers = iter(log.tolist())

    def cards(name: Any) -> list[str]:
        return [name(next(numbers)) for _ in range(next(numbers))]

    for code in numbers:
        if code == events.DEAL:
            hands = [unpack(next(numbers)) for _ in range(next(numbers))]
            piles = [[pile] for pile in cards(field_card_name)]
            yield {"event": "deal", "hands": hands, "piles": piles, "stock": cards(card_name)}
        elif code == events.PLAYED:
            seat, pile, pattern, streak = (next(numbers) for _ in range(4))
            played = cards(field_card_name)
            yield {
                "event": "play",
                "player": seat,
                "pile": pile,
                "pattern": columns.FINISHES[pattern],
                "cards": played,
                "streak": streak,
                "set": len(played),
            }
        elif code == events.GREW:
            seat, pile, action, streak = (next(numbers) for _ in range(4))
            pattern = (action >> actions.PATTERN_SHIFT) & 15
            number = (action >> actions.NUMBER_SHIFT) & 15
            card = number + at.JOKER_FLAG if action & actions.JOKER_BIT else number
            yield {
                "event": "grow",
                "player": seat,
                "pile": pile,
                "shape": SHAPES[pattern - at.GROW_LINE],
                "between": between(action),
                "cards": [field_card_name(card)],
                "streak": streak,
            }
        elif code == events.HANDED:
            seat, target, card, source = (next(numbers) for _ in range(4))
            yield {
                "event": "handoff",
                "player": seat,
                "target": target,
                "card": card_name(card),
                "from": SOURCES[source],
            }
        elif code == events.PASSED:
            yield {"event": "pass", "player": next(numbers)}
        elif code == events.DREW:
            seat, reason = next(numbers), next(numbers)
            yield {"event": "draw", "player": seat, "cards": cards(card_name), "reason": REASONS[reason]}
        elif code == events.STOPPED:
            yield {"event": "stop", "player": next(numbers)}
        elif code == events.PENALIZED:
            seat, streak, of_set, halved, due = (next(numbers) for _ in range(5))
            yield {
                "event": "penalty",
                "player": seat,
                "streak_cards": streak,
                "set_cards": of_set,
                "halved": bool(halved),
                "draw": due,
            }
        elif code == events.RECYCLED:
            yield {"event": "recycle", "stock": cards(card_name)}
        elif code == events.TURNED:
            yield {"event": "front", "player": next(numbers), "cards": unpack(next(numbers))}
        elif code == events.WENT_OUT:
            seat, place, bonuses = (next(numbers) for _ in range(3))
            earned = {
                name: points
                for i, (name, points) in enumerate(zip(columns.BONUSES, columns.BONUS_POINTS, strict=True))
                if (bonuses >> i) & 1
            }
            yield {"event": "out", "player": seat, "place": place, "bonuses": earned}
        else:
            raise AssertionError(f"no event has code {code}")


def end_event(counts: NDArray[np.integer[Any]], players: int) -> Event:
    """Return the `end` line of a game from what is kept of it (`calcsim.engine.columns`)."""

    def by_seat(name: str) -> list[int]:
        return [int(counts[columns.seat(name, seat)]) for seat in range(players)]

    return {
        "event": "end",
        "reason": columns.ENDS[counts[columns.game("end")]],
        "places": by_seat("place"),
        "scores": by_seat("score"),
        "left": by_seat("left"),
        "turns": int(counts[columns.game("turns")]),
    }
