"""One game played by hand, event by event (R3, R6, R8, R9)."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from calcsim.errors import CalcsimError, UsageError
from tests.reference.cards import COURTS, FieldCard, field_card
from tests.reference.field import Field
from tests.reference.legal import Action, View, actions, position_of, usable_in_front
from tests.reference.presets import complete

Event = dict[str, Any]


@dataclass
class Player:
    """What belongs to one seat."""

    hand: list[str]
    front: list[str] = field(default_factory=list)
    place: int = 0
    bonus: int = 0
    bans: list[tuple[int, str]] = field(default_factory=list)
    courts_pushed: int = 0
    shielded: bool = False

    @property
    def size(self) -> int:
        """The hand size (R3.4)."""
        return len(self.hand) + len(self.front)


@dataclass
class Pending:
    """A penalty that the player to act is under (R6.2, R6.3)."""

    streak_cards: int = 0
    set_cards: int = 0
    number: int = 0
    pile: int = -1


class Table:
    """A game from its deal on: who is to act, what is legal, what an action causes."""

    def __init__(
        self,
        rules: Any,
        players: int,
        hands: list[list[str]],
        piles: list[list[str]],
        stock: list[str],
        recycles: Iterable[list[str]] = (),
        shuffle_seed: int = 0,
    ) -> None:
        assert len(hands) == players
        self.rules = complete(rules)
        self.players = [Player(list(hand)) for hand in hands]
        self.field = Field.line(piles)
        self.stock = list(stock)
        self.recycles = iter(recycles)
        self.rng = random.Random(shuffle_seed)
        self.seat = 0  # R2.4
        self.over = False
        self.turns = 0
        self.quiet = 0
        self.grown = False
        self.recycled = False
        self.pending = Pending()
        self.passed: list[str] | None = None
        self.events: list[Event] = []

    # What the player to act faces.

    @property
    def still_in(self) -> list[int]:
        """The seats that are not out (R9.1)."""
        return [seat for seat, player in enumerate(self.players) if not player.place]

    def view(self) -> View:
        """What decides what the player to act may do."""
        player = self.players[self.seat]
        return View(
            rules=self.rules,
            field=self.field,
            hand=player.hand,
            front=player.front,
            others={seat: self.players[seat].size for seat in self.still_in if seat != self.seat},
            bans=player.bans if self.rules["ko"] else [],
            courts_pushed=player.courts_pushed,
            streak_cards=self.pending.streak_cards,
            set_cards=self.pending.set_cards,
            streak_number=self.pending.number,
            streak_pile=self.pending.pile,
            after_draw=self.passed is not None,
        )

    def position(self) -> dict[str, Any]:
        """What the player to act faces, as a position."""
        return position_of(self.view())

    def legal(self) -> list[Action]:
        """All legal actions of the player to act, none when the game is over."""
        return [] if self.over else actions(self.view())

    # What an action causes.

    def act(self, action: Action) -> list[Event]:
        """Do an action and return the events it caused, up to and including `end`."""
        if action not in self.legal():
            raise UsageError(f"illegal action {action!r} by seat {self.seat}: choose one of those legal")
        self.events = []
        if action["action"] == "play":
            self.do_play(action)
        elif action["action"] == "grow":
            self.do_grow(action)
        elif action["action"] == "handoff":
            self.do_handoff(action)
        elif action["action"] == "pass":
            self.do_pass()
        elif action["action"] == "accept":
            self.do_accept()
        else:
            self.log("stop", player=self.seat)
            self.end_turn(quiet=self.passed == [])
        return self.events

    def log(self, event: str, **keys: Any) -> None:
        """Note an event."""
        self.events.append({"event": event, **keys})

    def do_play(self, action: Action) -> None:
        """Put cards on a pile (section 4)."""
        cards = [field_card(text) for text in action["cards"]]
        pile = self.field.piles[action["pile"]]
        self.take(cards)
        if action["pattern"] == "under-joker":
            pile[-1] = FieldCard(cards[0].number, joker=True)  # R4.6
        pile += cards
        streak = self.field.streak(action["pile"], self.rules)
        self.log(
            "play",
            player=self.seat,
            pile=action["pile"],
            pattern=action["pattern"],
            cards=action["cards"],
            streak=streak,
            set=len(cards),
        )
        self.after_laying(action["pile"], streak, len(cards))

    def do_grow(self, action: Action) -> None:
        """Lay down a new pile (section 5)."""
        card = field_card(action["cards"][0])
        self.take([card])
        new = self.field.grow(action["shape"], tuple(action["between"]), card)
        self.grown = True
        streak = self.field.streak(new, self.rules)
        self.log(
            "grow",
            player=self.seat,
            pile=new,
            shape=self.field.shape,
            between=action["between"],
            cards=action["cards"],
            streak=streak,
        )
        self.after_laying(new, streak, 1)

    def take(self, cards: list[FieldCard]) -> None:
        """Take played cards from the player; of equal cards the one in front leaves first (R3.5)."""
        player = self.players[self.seat]
        in_front = [card for card in player.front if usable_in_front(card, player.hand, self.rules)]
        for card in (c.in_hand for c in cards):
            if card in in_front:
                in_front.remove(card)
                player.front.remove(card)
            else:
                player.hand.remove(card)

    def after_laying(self, pile: int, streak: int, cards: int) -> None:
        """What follows a play or growth: front (R7.6), out (R9.1), the next player's penalty (R6.2, R6.3)."""
        self.turn_front()
        player = self.players[self.seat]
        if player.size == 0:
            self.go_out(player, cards)
        self.pending = Pending()
        if streak >= 3 and self.rules["streak_penalty"]:
            self.pending.streak_cards = self.rules["streak_penalty"] * (streak - 2)
            self.pending.number = self.field.top(pile)
            self.pending.pile = pile
        if cards >= 3:
            self.pending.set_cards = self.rules["set_penalty"] * (cards - 2)
        self.end_turn()

    def turn_front(self) -> None:
        """Under shield the front becomes the private hand once that is empty (R7.6)."""
        player = self.players[self.seat]
        if self.rules["handoff"] == "shield" and player.front and not player.hand:
            player.hand, player.front = player.front, []
            self.log("front", player=self.seat, cards=list(player.hand))

    def go_out(self, player: Player, cards: int) -> None:
        """Give a player the best place still free, and the first one out the bonuses (R9.1, R9.6)."""
        player.place = 1 + sum(other.place > 0 for other in self.players)
        earned = {}
        if self.rules["bonuses"] and player.place == 1:
            if cards == 1:
                earned["single"] = 50
            if self.field.shape == "star":
                earned["star"] = 50
            if not self.grown:
                earned["no-growth"] = 30
            if not player.shielded:
                earned["no-shield"] = 30
            if not self.recycled:
                earned["no-recycle"] = 10
        player.bonus = sum(earned.values())
        self.log("out", player=self.seat, place=player.place, bonuses=earned)

    def do_handoff(self, action: Action) -> None:
        """Put a card in front of another player (section 7)."""
        player, target = self.players[self.seat], self.players[action["target"]]
        (player.hand if action["from"] == "hand" else player.front).remove(action["card"])
        target.front.append(action["card"])
        self.log(
            "handoff",
            player=self.seat,
            target=action["target"],
            card=action["card"],
            **{"from": action["from"]},
        )
        if self.rules["handoff"] == "shield":
            player.shielded = True
            target.bans.append((self.seat, action["card"]))  # R7.7
            self.turn_front()
        elif action["card"] in COURTS:
            player.courts_pushed += 1  # R7.2
        self.end_turn()

    def do_pass(self) -> None:
        """Draw a card; the player may then play or grow (R3.3), unless the game is over (R8.2)."""
        self.log("pass", player=self.seat)
        self.passed = self.draw(1, "pass")
        if self.stock_out():
            self.end_turn()

    def do_accept(self) -> None:
        """Draw the penalty (R6.5), halved in a star (R6.8)."""
        halved = self.rules["star_halving"] and self.field.shape == "star"
        due = self.pending.streak_cards + self.pending.set_cards
        due = due // 2 if halved else due
        self.log(
            "penalty",
            player=self.seat,
            streak_cards=self.pending.streak_cards,
            set_cards=self.pending.set_cards,
            halved=halved,
            draw=due,
        )
        self.pending = Pending()
        self.draw(due, "penalty")
        self.end_turn()

    def draw(self, due: int, reason: str) -> list[str]:
        """Draw cards, recycling where the stock is or becomes empty (R8.1-8.3)."""
        drawn: list[str] = []
        while len(drawn) < due:
            if not self.stock:
                self.recycle()
            if not self.stock:
                break
            drawn.append(self.stock.pop(0))
            if self.stock_out():
                break
            if not self.stock and len(drawn) < due:
                self.recycle()
        self.log("draw", player=self.seat, cards=drawn, reason=reason)
        if drawn and not self.stock:
            self.recycle()
        self.players[self.seat].hand += drawn
        return drawn

    def stock_out(self) -> bool:
        """Has the stock ended the game? (R8.2)"""
        return self.rules["end"] == "stock-out" and not self.stock

    def recycle(self) -> None:
        """Shuffle all field cards but the top runs into a new stock (R8.1)."""
        if self.rules["end"] == "stock-out":
            return
        stock = self.field.take_beneath()
        if not stock:
            return
        given = next(self.recycles, None)
        if given is None:
            self.rng.shuffle(stock)
        elif sorted(given) != sorted(stock):
            raise CalcsimError(f"recycle of {sorted(stock)} was given as {sorted(given)}")
        else:
            stock = list(given)
        self.stock = stock
        self.recycled = True
        self.log("recycle", stock=list(stock))

    # The end of a turn and of the game.

    def end_turn(self, *, quiet: bool = False) -> None:
        """Count the turn, end the game or pass the turn on (R2.4, R6.4, R7.7, R9.2, R9.3)."""
        self.turns += 1
        self.quiet = self.quiet + 1 if quiet else 0
        self.players[self.seat].bans = []
        self.passed = None
        reason = self.end_reason()
        if reason:
            self.finish(reason)
            return
        self.seat = (self.seat + 1) % len(self.players)
        while self.players[self.seat].place:
            self.seat = (self.seat + 1) % len(self.players)

    def end_reason(self) -> str:
        """Why the game is over now, empty if it is not: the first reason that holds (R9.2, R9.3)."""
        still_in = len(self.still_in)
        if self.rules["end"] == "first-out" and still_in < len(self.players):
            return "first-out"
        if still_in == 1:
            return "last-standing"
        if self.stock_out():
            return "stock-out"
        if self.quiet >= still_in:
            return "stalled"
        if self.turns >= self.rules["turn_limit"]:
            return "turn-limit"
        return ""

    def finish(self, reason: str) -> None:
        """Share the remaining places (R9.4) and give the points (R9.5)."""
        self.over = True
        out = len(self.players) - len(self.still_in)
        sizes = {seat: self.players[seat].size for seat in self.still_in}
        for seat, size in sizes.items():
            self.players[seat].place = 1 + out + sum(other < size for other in sizes.values())
        self.log(
            "end",
            reason=reason,
            places=[player.place for player in self.players],
            scores=[self.score(player) for player in self.players],
            left=[player.size for player in self.players],
            turns=self.turns,
        )

    def score(self, player: Player) -> int:
        """The points of a player, bonuses included (R9.5, R9.6)."""
        if self.rules["scoring"] == "win":
            return int(player.place == 1)
        if self.rules["scoring"] == "rank-points":
            return player.place + player.size
        points: int = self.rules["place_points"][player.place - 1]
        return points + player.bonus
