"""The recorded positions and games, and how an implementation is held against them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data"
Event = dict[str, Any]


def positions() -> list[dict[str, Any]]:
    """The recorded positions, each with its `name`, `clauses`, `position` and `legal` actions."""
    with (DATA / "positions.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def traces() -> Iterator[tuple[str, list[Event]]]:
    """The recorded games: a name and all lines of each, from `game` to `end`."""
    for path in sorted((DATA / "traces").glob("*.jsonl")):
        game: list[Event] = []
        number = 0
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                game.append(json.loads(line))
                if game[-1]["event"] == "end":
                    yield f"{path.stem}:{number}", game
                    game = []
                    number += 1
        assert not game, path


def statistics() -> list[dict[str, Any]]:
    """The recorded figures, a dict for each set of rules, players and policy."""
    found: list[dict[str, Any]] = json.loads((DATA / "statistics.json").read_text(encoding="utf-8"))
    return found


def canonical(action: dict[str, Any]) -> str:
    """Return an action as text that is equal for equal actions."""
    return json.dumps(action, sort_keys=True)


def action_set(actions: list[dict[str, Any]]) -> set[str]:
    """Return a list of actions as a set, having checked that none is there twice."""
    found = {canonical(action) for action in actions}
    assert len(found) == len(actions), sorted(canonical(action) for action in actions)
    return found


def comparable(event: Event) -> Event:
    """Return an event with what has no order put in order: the cards of `front`."""
    return event | {"cards": sorted(event["cards"])} if event["event"] == "front" else event


def comparable_position(position: dict[str, Any]) -> dict[str, Any]:
    """Return a position with what has no order put in order, and bans of no effect left out."""
    field = dict(position["field"])
    if field["shape"] == "ring":
        order = field["order"]
        turned = [order[i:] + order[:i] for i in range(len(order))]
        field["order"] = min(turned + [list(reversed(turn)) for turn in turned])
    elif field["shape"] == "star":
        field["arms"] = sorted(field["arms"])
    others = sorted(position["others"], key=lambda other: other["seat"])
    still_in = [other["seat"] for other in others]
    return position | {
        "field": field,
        "hand": sorted(position["hand"]),
        "front": sorted(position["front"]),
        "others": others,
        "ko": sorted(ban for ban in position["ko"] if ban[0] in still_in),
    }


def action_of(event: Event) -> dict[str, Any]:
    """Return the action that begins with an event."""
    kind = event["event"]
    keys = {
        "play": ("pile", "pattern", "cards"),
        "grow": ("shape", "between", "cards"),
        "handoff": ("target", "card", "from"),
    }.get(kind, ())
    return {"action": "accept" if kind == "penalty" else kind} | {key: event[key] for key in keys}


def replay(table: Callable[..., Any], game: list[Event]) -> None:
    """Play a recorded game at a table of the implementation; every event must be as recorded."""
    head, dealt, *events = game
    recycles = [event["stock"] for event in events if event["event"] == "recycle"]
    played = table(
        head["rules"], head["players"], dealt["hands"], dealt["piles"], dealt["stock"], recycles=recycles
    )
    at = 0
    while not played.over:
        assert events[at]["player"] == played.seat, events[at]
        caused = played.act(action_of(events[at]))
        recorded = events[at : at + len(caused)]
        assert [comparable(event) for event in caused] == [comparable(event) for event in recorded], at
        at += len(caused)
    assert at == len(events)
    assert played.legal() == []
