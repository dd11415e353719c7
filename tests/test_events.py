"""Events: how they are written, and in which games they hold."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from calcsim.engine import columns
from calcsim.errors import UsageError
from calcsim.questions.events import ALIASES, EVENTS, parse_event
from calcsim.rules import PRESETS, load_rules
from calcsim.stats.block import Block
from calcsim.stats.metrics import metrics
from tests.blocks import random_block
from tests.test_metrics import Game

PLAYERS = 3
GAMES = 800

PLAIN: dict[str, Callable[[Game], bool]] = {
    "growth": lambda g: g["growth_turn"] > 0,
    "ring": lambda g: g["ring_turn"] > 0,
    "star": lambda g: g["star_turn"] > 0,
    "piles:4": lambda g: g["piles"] >= 4,
    "play:under-joker": lambda g: g.all("under_joker") > 0,
    "play:quotient": lambda g: g.all("quotient") > 0,
    "joker:9": lambda g: g.all("jokers_played") >= 9,
    "streak-penalty": lambda g: g["max_streak_penalty"] >= 1,
    "streak-penalty:4": lambda g: g["max_streak_penalty"] >= 4,
    "set-penalty:2": lambda g: g["max_set_penalty"] >= 2,
    "penalty:8": lambda g: g.all("penalties") >= 8,
    "avoided": lambda g: g.all("avoided") >= 1,
    "avoided:3": lambda g: g.all("avoided") >= 3,
    "handoff:10": lambda g: g.all("handoffs") >= 10,
    "recycle": lambda g: g["recycles"] >= 1,
    "recycle:3": lambda g: g["recycles"] >= 3,
    "turns:75": lambda g: g["turns"] >= 75,
    "first-out": lambda g: g["end"] == 0,
    "last-standing": lambda g: g["end"] == 1,
    "stock-out": lambda g: g["end"] == 2,
    "stalled": lambda g: g["end"] == 3,
    "turn-limit": lambda g: g["end"] == 4,
    "somebody-out": lambda g: g["first_out"] >= 0,
    "finish:same": lambda g: g.first("finish") == 1,
    "finish:quotient": lambda g: g.first("finish") == 6,
    "finish:ring": lambda g: g.first("finish") == 8,
    "any-finish:sum": lambda g: any(seat["finish"] == 3 for seat in g.seats),
    "one-card": lambda g: g.first("finish_size") == 1,
    "tied-first": lambda g: g.winners() > 1,
    "winner:0": lambda g: g.seats[0]["place"] == 1,
    "winner:2": lambda g: g.seats[2]["place"] == 1,
    "sole-winner:1": lambda g: g.seats[1]["place"] == 1 and g.winners() == 1,
    "left:5": lambda g: any(seat["left"] >= 5 for seat in g.seats),
    "bonus:single": lambda g: g["bonus_single"] > 0,
    "bonus:no-recycle": lambda g: g["bonus_no_recycle"] > 0,
}


@pytest.mark.parametrize("text", PLAIN)
def test_an_event_holds_where_it_says(text: str):
    out = random_block(PLAYERS, GAMES)
    block = Block(out, PLAYERS)
    expected = [PLAIN[text](Game(column, PLAYERS)) for column in out.T]
    assert any(expected)
    assert not all(expected)
    assert parse_event(text).mask(block).tolist() == expected
    assert parse_event(f"not:{text}").mask(block).tolist() == [not holds for holds in expected]
    assert parse_event(f"not:not:{text}").mask(block).tolist() == expected


def test_every_event_is_tried():
    assert {parse_event(text).kind.name for text in PLAIN} == set(EVENTS)


def test_every_event_is_explained():
    for name, kind in EVENTS.items():
        assert kind.name == name
        assert kind.doc
        assert kind.clause.startswith("R")
        assert bool(kind.choices) == (kind.argument == "choice")


def test_every_choice_can_be_asked_for():
    block = Block(random_block(PLAYERS, 5), PLAYERS)
    for kind in EVENTS.values():
        for choice in kind.choices:
            assert parse_event(f"{kind.name}:{choice}").mask(block).shape == (5,)


def test_every_end_finish_and_bonus_has_an_event():
    assert set(columns.ENDS) <= set(EVENTS)
    assert EVENTS["finish"].choices == columns.FINISHES
    assert EVENTS["bonus"].choices == columns.BONUSES


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("star", "share.star"),
        ("avoided", "share.avoided"),
        ("streak-penalty", "share.streak_penalty"),
        ("handoff", "share.handoff"),
        ("tied-first", "share.tied_first"),
        ("winner:1", "win.*"),
        ("finish:sum", "finish.sum"),
        ("bonus:star", "bonus.star"),
    ],
)
def test_events_cite_the_clause_of_their_figure(text: str, figure: str):
    found = next(f for f in metrics(PLAYERS) if f.name == figure)
    assert parse_event(text).kind.clause == found.clause


@pytest.mark.parametrize("alias", ALIASES)
def test_other_ways_to_write_an_event(alias: str):
    block = Block(random_block(PLAYERS, 50), PLAYERS)
    assert parse_event(alias).text == alias
    assert parse_event(alias).mask(block).tolist() == parse_event(ALIASES[alias]).mask(block).tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sttar", r"unknown event 'sttar'; did you mean 'star'\? \(see 'calcsim ask --list'\)"),
        ("", "unknown event ''"),
        ("not:", "unknown event 'not:'"),
        ("not:rng", "unknown event 'not:rng'; did you mean 'ring'"),
        ("star:2", "event 'star:2': star takes no argument"),
        ("finish", "must be finish: and one of same, under-joker, .*"),
        ("finish:sun", r"did you mean 'sum'\?"),
        ("handoff:", r"must be handoff\[:N\], N a whole number from 1 to 100000"),
        ("handoff:0", "N a whole number from 1"),
        ("handoff:-1", "N a whole number from 1"),
        ("handoff:1.5", "N a whole number from 1"),
        ("turns:100001", "N a whole number from 1 to 100000"),
        ("turns:" + "9" * 5_000, "N a whole number from 1 to 100000"),
        ("winner", "must be winner:S, S a seat, counted from 0"),
        ("winner:x", "S a seat, counted from 0"),
        ("winner:²", "S a seat, counted from 0"),
    ],
)
def test_what_is_no_event_is_refused(text: str, message: str):
    with pytest.raises(UsageError, match=message):
        parse_event(text)


def test_a_seat_that_nobody_sits_at_is_refused():
    event = parse_event("winner:4")
    event.check(5)
    with pytest.raises(UsageError, match="event 'winner:4' with 4 players: the seat must be from 0 to 3"):
        event.check(4)
    parse_event("turns:4").check(2)


@pytest.mark.parametrize(
    ("text", "rules", "change", "why"),
    [
        ("star", "calc", "jokers=1", "growth is off"),
        ("star", "advanced", "jokers=1", ""),
        ("handoff:2", "calc", "jokers=1", "handoff is none"),
        ("bonus:single", "calc", "jokers=1", "bonuses is off"),
        ("joker", "calc", "jokers=0", "jokers is 0"),
        ("play:under-joker", "calc", "jokers=0", "jokers is 0"),
        ("play:under-joker", "calc", "joker_special=off", "joker_special is off"),
        ("play:sum", "calc", "jokers=0", ""),
        ("finish:product", "calc", "finish_multiply=off", "finish_multiply is off"),
        ("finish:line", "calc", "jokers=1", "growth is off"),
        ("streak-penalty", "calc", "streak_penalty=0", "streak_penalty is 0"),
        ("set-penalty", "calc", "set_penalty=0", "set_penalty is 0"),
        ("recycle", "calc-revised", "jokers=1", "end is stock-out"),
        ("first-out", "advanced", "jokers=1", "end is last-standing"),
        ("last-standing", "calc", "jokers=1", "end is first-out"),
        ("last-standing", "calc-revised", "jokers=1", ""),
        ("stock-out", "advanced", "jokers=1", "end is last-standing"),
        ("stalled", "calc", "jokers=1", ""),
        ("not:star", "calc", "jokers=1", "growth is off"),
    ],
)
def test_what_rules_make_impossible_is_told(text: str, rules: str, change: str, why: str):
    assert parse_event(text).hindrance(load_rules(rules, [change])) == why


def test_nothing_is_said_to_be_impossible_in_advanced_but_other_ends():
    impossible = {name for name in columns.ENDS if parse_event(name).hindrance(PRESETS["advanced"])}
    assert impossible == {"first-out", "stock-out"}
