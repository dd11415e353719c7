"""Positions and games in one line each, and actions as short texts, for the tests of the clauses.

An action reads ``sum 2 6 on 0``, ``line Q at 0 1``, ``5 from hand to 1``, ``pass``, ``stop`` or ``accept``.
Cards are written with blanks between them, piles bottom to top with bars between them: ``5 | 4 A X=3``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.implementations import Implementation
from tests.reference import complete

Event = dict[str, Any]


def rules(preset: str, piles: int = 1, **changes: Any) -> dict[str, Any]:
    """All fields of a preset with changes, with as many start piles as asked for."""
    fields = complete({"preset": preset, "start_piles": piles} | changes)
    assert fields["start_piles"] > 1 or not fields["growth"]
    return fields


def cards(text: str) -> list[str]:
    """Read cards with blanks between them."""
    return text.split()


def piles_of(text: str) -> list[list[str]]:
    """Read piles with bars between them."""
    return [cards(pile) for pile in text.split("|")]


def short(action: dict[str, Any]) -> str:
    """Write an action as a short text."""
    laid = " ".join(action.get("cards", []))
    if action["action"] == "play":
        return f"{action['pattern']} {laid} on {action['pile']}"
    if action["action"] == "grow":
        return f"{action['shape']} {laid} at {' '.join(map(str, action['between']))}"
    if action["action"] == "handoff":
        return f"{action['card']} from {action['from']} to {action['target']}"
    return str(action["action"])


def shorts(actions: Iterable[dict[str, Any]]) -> set[str]:
    """Write actions as short texts; none may be there twice."""
    listed = [short(action) for action in actions]
    assert len(set(listed)) == len(listed), sorted(listed)
    return set(listed)


def legal(
    impl: Implementation,
    preset: str,
    piles: str,
    hand: str,
    *,
    front: str = "",
    others: str = "5",
    ring: list[int] | None = None,
    star: tuple[int, list[list[int]]] | None = None,
    order: list[int] | None = None,
    ko: Iterable[tuple[int, str]] = (),
    courts: int = 0,
    streak: tuple[int, str, int] | None = None,
    set_cards: int = 0,
    after_draw: bool = False,
    **changes: Any,
) -> set[str]:
    """The legal actions of a position; others are the hand sizes of seats 1, 2, ..."""
    stacks = piles_of(piles)
    field: dict[str, Any] = {"shape": "line", "order": order or list(range(len(stacks)))}
    if ring is not None:
        field = {"shape": "ring", "order": ring}
    if star is not None:
        field = {"shape": "star", "center": star[0], "arms": star[1]}
    start_piles = 2 if complete(preset)["growth"] else min(len(stacks), 4)
    owed, number, pile = streak or (0, None, None)
    return shorts(
        impl.legal_actions(
            {
                "rules": {"preset": preset, "start_piles": start_piles} | changes,
                "field": field | {"piles": stacks},
                "hand": cards(hand),
                "front": cards(front),
                "others": [{"seat": seat, "size": int(n)} for seat, n in enumerate(cards(others), start=1)],
                "ko": [list(ban) for ban in ko],
                "courts_pushed": courts,
                "penalty": {"streak_cards": owed, "set_cards": set_cards, "number": number, "pile": pile},
                "after_draw": after_draw,
            }
        )
    )


def growths(actions: set[str]) -> set[str]:
    """Only the growths among short texts."""
    return {action for action in actions if " at " in action}


def handoffs(actions: set[str]) -> set[str]:
    """Only the hand-offs among short texts."""
    return {action for action in actions if " from " in action}


class Play:
    """A game of an implementation, driven by short texts."""

    def __init__(
        self,
        impl: Implementation,
        preset: str,
        hands: str,
        piles: str,
        stock: str = "K K Q Q",
        recycles: Iterable[str] = (),
        **changes: Any,
    ) -> None:
        stacks, dealt = piles_of(piles), piles_of(hands)
        self.table = impl.table(
            rules(preset, len(stacks), **changes),
            len(dealt),
            dealt,
            stacks,
            cards(stock),
            recycles=[cards(recycle) for recycle in recycles],
        )

    @property
    def legal(self) -> set[str]:
        """What the player to act may do."""
        return shorts(self.table.legal())

    @property
    def seat(self) -> int:
        """The player to act."""
        seat: int = self.table.seat
        return seat

    @property
    def position(self) -> dict[str, Any]:
        """What the player to act faces."""
        position: dict[str, Any] = self.table.position()
        return position

    def do(self, *texts: str) -> list[Event]:
        """Do actions one after the other; all events they caused."""
        events: list[Event] = []
        for text in texts:
            action = {short(action): action for action in self.table.legal()}[text]
            events += self.table.act(action)
        return events


def only(events: Iterable[Event], kind: str) -> Event:
    """The one event of a kind."""
    (event,) = [event for event in events if event["event"] == kind]
    return event


def kinds(events: Iterable[Event]) -> list[str]:
    """The kinds of events, in order."""
    return [event["event"] for event in events]
