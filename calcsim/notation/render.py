"""A game told for people: the field drawn, the hands, each move with the clause that allows it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Final

from calcsim.errors import UsageError
from calcsim.notation.render_field import draw_cell, draw_line, draw_ring, draw_star
from calcsim.notation.render_state import Follower, Laid
from calcsim.notation.render_text import (
    END_TEXTS,
    count_text,
    draw_text,
    falling_text,
    growth_text,
    hand_text,
    handoff_text,
    out_text,
    penalty_text,
    play_text,
    scoring_text,
)

MIN_WIDTH: Final = 40
"""Narrowest that a game can be told in."""

_LABEL: Final = 10
"""Columns of the labels on the left, indent included."""

_RESET: Final = "\x1b[0m"
_STYLES: Final = {"turn": "\x1b[1m", "penalty": "\x1b[33m", "out": "\x1b[32m", "faint": "\x1b[2m", "": ""}


def render(
    events: Sequence[dict[str, Any]],
    *,
    width: int = 80,
    colour: bool = False,
    source: str = "trace",
    lines: Sequence[int] = (),
) -> Iterator[str]:
    """Yield a game, line by line, as people read it.

    Parameters
    ----------
    events
        Of one game, from ``game`` to ``end``, each with the keys that traces have.
    width
        Longest line, in columns; `MIN_WIDTH` at least.
    colour
        Whether to colour lines by ANSI sequences.
    source, lines
        Name of the trace and line number of each event, for the message of an error; by default counted from
        1, as if the game were all there is.

    Raises
    ------
    UsageError
        If an event does not fit what went before; names its line.
    """
    if width < MIN_WIDTH:
        raise UsageError(f"width={width}: a game takes at least {MIN_WIDTH} columns")
    teller = _Teller(width, colour)
    numbers = lines or range(1, len(events) + 1)
    at = numbers[1]
    try:
        game = Follower(events[0], events[1])
        yield from teller.head(events[0], game)
        for idx in range(2, len(events)):
            at = numbers[idx]
            yield from teller.event(events[idx], game)
    except UsageError as error:
        raise UsageError(f"{source}, line {at}: {error}; the trace does not fit together") from None


class _Teller:
    """Turns events into lines; holds what is told only later."""

    def __init__(self, width: int, colour: bool) -> None:
        self._width = width
        self._colour = colour
        self._due = 1
        self._falls = False
        self._passes = ""
        self._policies: list[str] = []

    def head(self, event: dict[str, Any], game: Follower) -> Iterator[str]:
        """Yield what the game is played by and with, and the deal."""
        self._policies = event["policies"]
        rules = game.rules
        title = f"game {event['game']} of seed {event['seed']}: {rules.name}, {game.players} players"
        yield from self._say(title, "turn")
        yield from self._row("rules", f"{rules.label} (fingerprint {rules.fingerprint})")
        yield from self._row("score", scoring_text(rules))
        values = "A = 1, J = 11, Q = 12, K = 13"
        if rules.jokers:
            values += "; X is a joker, X=3 one laid down as a 3"
        yield from self._row("cards", f"{values} (R1.3)")
        told = "0:[5 x2] is pile 0 with a 5 on top of another 5"
        if rules.joker_special and rules.jokers:
            told += "; 1:[X=3 on 8] has a joker on an 8, so that 8 fits, too (R4.6)"
        yield from self._row("piles", told)
        for seat, policy in enumerate(self._policies):
            yield from self._row(f"seat {seat}", f"{policy}, dealt {hand_text(game.hands[seat])}")

    def event(self, event: dict[str, Any], game: Follower) -> Iterator[str]:
        """Follow one event and yield its lines."""
        name = event["event"]
        if self._falls and name not in ("front", "out"):
            yield from self._fall(name, game)
        if game.begins_turn(event):
            yield from self._turn(event, game)
        laid = game.follow(event)
        if name == "end":
            yield from self._end(event, game)
            return
        self._falls = self._falls or (laid is not None and game.pending is not None)
        if name == "penalty":
            self._due = event["draw"]
        if name == "pass":
            # Told in one with its draw, unless the stock has to be made anew first.
            self._due, self._passes = 1, f"seat {event['player']} passes (R3.3)"
            return
        told = self._sentence(event, game, laid)
        if self._passes and name == "draw":
            told = f"{self._passes} and {told}"
        elif self._passes:
            yield from self._say(f"  {self._passes}", "")
        elif name == "draw":
            told = f"seat {event['player']} {told}"
        self._passes = ""
        style = "out" if name == "out" else "faint" if name in ("recycle", "front") else ""
        yield from self._say(f"  {told}", style)

    def _sentence(self, event: dict[str, Any], game: Follower, laid: Laid | None) -> str:
        rules = game.rules
        if event["event"] == "recycle":
            n_cards = count_text(len(event["stock"]), "card")
            return f"the stock is empty: each pile keeps its top run, {n_cards} become the new stock (R8.1)"
        if event["event"] == "draw":
            return draw_text(event, self._due, rules)
        seat, fronts = event["player"], rules.handoff != "none"
        match event["event"]:
            case "play" if laid is not None:
                told = play_text(event, laid, fronts)
            case "grow" if laid is not None:
                told = growth_text(event, laid, rules, fronts)
            case "handoff":
                told = handoff_text(event, rules, game.courts_pushed[seat])
            case "penalty":
                told = penalty_text(event)
            case "front":
                told = f"has no private hand left: {' '.join(event['cards'])} in front becomes it (R7.6)"
            case "out":
                told = out_text(event)
            case _:
                told = "stops without a play (R3.3)"
        return f"seat {seat} {told}"

    def _fall(self, name: str, game: Follower) -> Iterator[str]:
        self._falls = False
        # A penalty that the end of the game overtakes is not drawn (R9.2), and so not told.
        if name != "end" and game.pending is not None:
            star = game.shape == "star"
            for told in falling_text(game.pending, game.rules, game.next_seat(), star):
                yield from self._say(f"  {told}", "penalty")

    def _turn(self, event: dict[str, Any], game: Follower) -> Iterator[str]:
        seat = event["player"]
        under = ", under a penalty (R6.5)" if game.pending is not None else ""
        yield ""
        yield from self._say(f"turn {game.turns + 1}: seat {seat}, {self._policies[seat]}{under}", "turn")
        yield from self._field(game)
        yield from self._row("hand", hand_text(game.hands[seat]))
        if game.fronts[seat].total():
            yield from self._row("front", hand_text(game.fronts[seat]))
        others = ", ".join(
            self._other(other, game)
            for other in range(game.players)
            if other != seat and other not in game.places
        )
        yield from self._row("others", f"{others}; stock: {count_text(len(game.stock), 'card')}")

    def _other(self, seat: int, game: Follower) -> str:
        told = f"seat {seat}: {count_text(game.size(seat), 'card')}"
        if game.fronts[seat].total():
            told += f" (in front: {hand_text(game.fronts[seat])})"
        return told.replace(" ", "\N{NO-BREAK SPACE}")

    def _field(self, game: Follower) -> Iterator[str]:
        beneath = game.rules.joker_special
        cells = [draw_cell(pile_id, pile, beneath=beneath) for pile_id, pile in enumerate(game.piles)]
        room = self._width - _LABEL
        if game.shape == "star":
            arms = [[cells[pile] for pile in arm] for arm in game.arms]
            rows = draw_star(cells[game.center], arms, room)
        else:
            draw = draw_line if game.shape == "line" else draw_ring
            rows = draw([cells[pile] for pile in game.order], room)
        for idx, row in enumerate(rows):
            yield f"{('  ' + game.shape if idx == 0 else ''):{_LABEL}}{row}"

    def _end(self, event: dict[str, Any], game: Follower) -> Iterator[str]:
        yield ""
        reason = event["reason"]
        told = f"end after {count_text(event['turns'], 'turn')}: {reason}, {END_TEXTS[reason]}"
        yield from self._say(told, "turn")
        yield from self._row("score", scoring_text(game.rules))
        for seat in range(game.players):
            hand = game.hands[seat] + game.fronts[seat]
            if hand:
                yield from self._row(f"seat {seat}", f"holds {hand_text(hand)}")
        rows = sorted(zip(event["places"], range(game.players), event["scores"], event["left"], strict=True))
        if len(set(event["places"])) < game.players:
            yield from self._row("places", "shared by those who hold equally many cards (R9.4)")
        yield "  place  seat  cards left  score"
        for place, seat, score, left in rows:
            yield f"  {place:>5}  {seat:>4}  {left:>10}  {score:>5}"

    def _row(self, label: str, text: str) -> Iterator[str]:
        return self._wrap(text, f"  {label}".ljust(_LABEL), " " * _LABEL, "")

    def _say(self, text: str, style: str) -> Iterator[str]:
        body = text.lstrip(" ")
        indent = " " * (len(text) - len(body))
        return self._wrap(body, indent, f"{indent}  ", style)

    def _wrap(self, text: str, first: str, later: str, style: str) -> Iterator[str]:
        rows = textwrap.wrap(
            text, self._width, initial_indent=first, subsequent_indent=later, break_on_hyphens=False
        )
        code = _STYLES[style] if self._colour else ""
        for row in rows:
            plain = row.replace("\N{NO-BREAK SPACE}", " ").rstrip()
            yield f"{code}{plain}{_RESET}" if code else plain
