"""Games told for people: every recorded game fits on 80 columns, and what is told is right."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from calcsim.errors import UsageError
from calcsim.notation.render import render
from calcsim.notation.render_field import draw_line, draw_ring, draw_star
from calcsim.notation.tracefile import RecordedGame, read_games
from calcsim.rules import book, preset

TRACES = sorted((Path(__file__).parent / "data" / "traces").glob("*.jsonl"))
RECORDED = [game for path in TRACES for game in read_games(str(path))]


def events_of(
    rules: str, hands: list[str], piles: str, *events: dict[str, Any], stock: str = "9 9", **changes: Any
) -> list[dict[str, Any]]:
    """The events of a game, without its end, from hands and piles as text."""
    game = {
        "event": "game",
        "rules": preset(rules).replace(**changes).as_dict(),
        "players": len(hands),
        "policies": ["random"] * len(hands),
        "seed": 5,
        "game": 7,
    }
    deal = {
        "event": "deal",
        "hands": [hand.split() for hand in hands],
        "piles": [[card] for card in piles.split()],
        "stock": stock.split(),
    }
    return [game, deal, *events]


def play(player: int, pile: int, pattern: str, cards: str, streak: int = 1) -> dict[str, Any]:
    placed = cards.split()
    return {
        "event": "play",
        "player": player,
        "pile": pile,
        "pattern": pattern,
        "cards": placed,
        "streak": streak,
        "set": len(placed),
    }


def grow(
    player: int, pile: int, shape: str, between: list[int], card: str, streak: int = 1
) -> dict[str, Any]:
    return {
        "event": "grow",
        "player": player,
        "pile": pile,
        "shape": shape,
        "between": between,
        "cards": [card],
        "streak": streak,
    }


def told(events: list[dict[str, Any]]) -> str:
    """What is told, on one line."""
    return re.sub(r"\s+", " ", " ".join(render(events)))


@pytest.mark.parametrize("width", [40, 80])
def test_every_recorded_game_fits_the_width(width: int):
    for game in RECORDED:
        for line in render(game.events, width=width, source=game.source, lines=game.lines):
            assert len(line) <= width
            assert line == line.rstrip()
            assert line.isascii()
            assert "\x1b" not in line


def test_cited_clauses_exist():
    cited = {
        number
        for game in RECORDED
        for number in re.findall(r"\bR(\d+(?:\.\d+)?)", " ".join(render(game.events)))
    }
    assert cited <= set(book.clauses())
    assert len(cited) > 25


def test_every_event_is_told():
    for game in RECORDED:
        text = told(game.events)
        assert len(re.findall(r"turn \d+: seat", text)) == game.events[-1]["turns"]
        assert text.count(" is out and takes place") == sum(e["event"] == "out" for e in game.events)
        assert text.count(" passes (R3.3)") == sum(e["event"] == "pass" for e in game.events)
        assert text.count("the stock is empty:") == sum(e["event"] == "recycle" for e in game.events)


def test_arithmetic_is_right():
    signs = {"+": int.__add__, "-": int.__sub__, "x": int.__mul__, "/": int.__floordiv__}
    found = 0
    for game in RECORDED:
        for left, result in re.findall(r"(\d+(?: [-+x/] \d+)+) = (\d+)", told(game.events)):
            first, *rest = left.split()
            value = int(first)
            for sign, number in zip(rest[::2], rest[1::2], strict=True):
                value = signs[sign](value, int(number))
            assert value == int(result)
            found += 1
    assert found > 500


@pytest.mark.parametrize(
    ("rules", "hand", "piles", "event", "sentence"),
    [
        (
            "calc",
            "5 K",
            "5",
            play(0, 0, "same", "5", 2),
            "seat 0 plays 5 on pile 0 (top 5): the same number (R4.1)",
        ),
        (
            "calc",
            "9 3 K",
            "6",
            play(0, 0, "difference", "9 3"),
            "seat 0 plays 9 3 on pile 0 (top 6): 9 - 3 = 6, a difference (R4.3); 3 ends on top",
        ),
        (
            "calc",
            "A X K",
            "J",
            play(0, 0, "sum", "A X=10"),
            "plays A X=10 on pile 0 (top J = 11): 1 + 10 = 11, a sum (R4.2), with a joker as 10 (R4.7); "
            "X=10 ends on top",
        ),
        (
            "calc",
            "8 A",
            "8",
            play(0, 0, "product", "A 8"),
            "1 x 8 = 8, a product (R4.4), allowed with the last two cards; 8 ends on top",
        ),
        ("calc", "8 4", "2", play(0, 0, "quotient", "8 4"), "(top 2): 8 / 4 = 2, a quotient (R4.4)"),
        (
            "advanced",
            "Q A",
            "3 4",
            grow(0, 2, "line", [0, 1], "Q"),
            "seat 0 lays Q down as pile 2 between pile 0 (3) and pile 1 (4): 3 x 4 = 12 (R5.1); "
            "the line grows (R5.2)",
        ),
    ],
)
def test_moves_are_explained(rules, hand, piles, event, sentence):
    assert sentence in told(events_of(rules, [hand, "A A A", "A A"], piles, event))


def test_a_line_closes_to_a_ring():
    events = events_of(
        "advanced",
        ["3 K", "3 K"],
        "9 A",
        grow(0, 2, "line", [0, 1], "9", 2),
        grow(1, 3, "ring", [0, 1], "9", 3),
    )
    events[1]["hands"] = [["9", "K"], ["9", "K"]]
    text = told(events)
    assert (
        "lays 9 down as pile 3 between the two ends, pile 0 (9) and pile 1 (A = 1): 9 x 1 = 9 (R5.1); "
        in text
    )
    assert "the line closes to a ring (R5.3)" in text


def test_a_line_becomes_a_star_that_halves_penalties():
    events = events_of(
        "advanced",
        ["A K", "6 K", "Q"],
        "6 6",
        grow(0, 2, "line", [0, 1], "A"),
        grow(1, 3, "star", [0, 2, 1], "6", 3),
        {"event": "penalty", "player": 2, "streak_cards": 2, "set_cards": 0, "halved": True, "draw": 1},
        {"event": "draw", "player": 2, "cards": ["9"], "reason": "penalty"},
    )
    text = told(events)
    assert (
        "seat 1 lays 6 down as pile 3 in the middle of pile 0 (6), pile 2 (A = 1) and pile 1 (6): "
        "6 x 1 = 6 and 1 x 6 = 6 fits both gaps (R5.1); the line becomes a star (R5.4), on which penalties "
        "are halved (R6.8)"
    ) in text
    assert "number 6 now makes a streak of 3 (R6.1): seat 2 owes 2 x (3 - 2) = 2 cards (R6.2)" in text
    assert "one 6 on a 6 would avoid it (R6.6) drawn on a star, it is halved (R6.8)" in text
    assert "seat 2 takes the penalty of 2 cards (R6.5), halved on the star to 1 (R6.8) seat 2 draws 9" in text
    assert "star .---0:[6] 3:[6]----+---2:[A] '---1:[6] hand Q" in text


def test_an_under_joker_changes_the_joker():
    events = events_of("calc", ["8 X K", "8 K"], "8", play(0, 0, "same", "X=8", 2), stock="9")
    events += [play(1, 0, "same", "8", 3)]
    assert "0:[X=8 x2]" in told(events)
    covered = events_of("calc", ["A X=3", "8 K"], "8", stock="9")
    covered[1]["hands"] = [["5", "X", "K"], ["8", "K"]]
    covered += [play(0, 0, "sum", "5 X=3"), play(1, 0, "same", "8")]
    with pytest.raises(UsageError, match=r"^trace, line 4: same of 8 does not fit X=3 on pile 0"):
        told(covered)
    covered[1]["hands"] = [["J", "X", "K"], ["J", "K"]]
    covered[2:] = [play(0, 0, "difference", "J X=3"), play(1, 0, "under-joker", "J", 3)]
    text = told(covered)
    assert "0:[X=3 on J]" in text
    assert text.endswith(
        "seat 1 plays J on pile 0 (top X=3): under the joker lies a J, so J fits, and the joker becomes X=J "
        "for good (R4.6)"
    )


def test_a_penalty_is_avoided_and_falls_on_the_next():
    events = events_of(
        "calc",
        ["5 K", "5 K", "5 K"],
        "5",
        play(0, 0, "same", "5", 2),
        play(1, 0, "same", "5", 3),
        play(2, 0, "same", "X=5", 4),
        {"event": "penalty", "player": 0, "streak_cards": 4, "set_cards": 0, "halved": False, "draw": 4},
    )
    events[1]["hands"][2] = ["X", "K"]
    text = told(events)
    assert (
        "seat 2 plays X=5 on pile 0 (top 5): the same number (R4.1), with a joker as 5 (R4.7); "
        "it is the streak's number, so the penalty of 2 cards is avoided (R6.6)"
    ) in text
    assert "number 5 now makes a streak of 4 (R6.1): seat 0 owes 2 x (4 - 2) = 4 cards (R6.2)" in text
    assert "turn 4: seat 0, random, under a penalty (R6.5)" in text


def test_a_streak_and_a_set_add_up():
    events = events_of(
        "calc",
        ["3 3 3 K", "5 K"],
        "9",
        play(0, 0, "sum", "3 3 3", 3),
        {"event": "penalty", "player": 1, "streak_cards": 2, "set_cards": 2, "halved": False, "draw": 4},
    )
    text = told(events)
    assert "3 cards were played at once: seat 1 owes 2 x (3 - 2) = 2 cards (R6.3)" in text
    assert "together 4 cards, and no way to avoid them (R6.6)" in text


def handoff(player: int, target: int, card: str, source: str = "hand") -> dict[str, Any]:
    return {"event": "handoff", "player": player, "target": target, "card": card, "from": source}


def test_pushes_and_shields():
    pushed = told(
        events_of("calc-revised", ["J 5 K", "5 K"], "5", handoff(0, 1, "J"), play(1, 0, "same", "5", 2))
    )
    assert (
        "seat 0 pushes J from its hand in front of seat 1 (R7.1); court card 1 of at most 1 (R7.2)" in pushed
    )
    assert "hand 5 K front J others seat 0: 2 cards; stock: 2 cards" in pushed
    events = events_of("advanced", ["J 5 K K", "7"], "5 7", handoff(0, 1, "J"), play(1, 1, "same", "7", 2))
    events.append({"event": "front", "player": 1, "cards": ["J"]})
    shielded = told(events)
    assert (
        "seat 0 shields against seat 1 (R7.4): J from its hand goes in front of seat 1, who may not shield "
        "that card straight back (R7.7)"
    ) in shielded
    assert "seat 1 has no private hand left: J in front becomes it (R7.6)" in shielded
    off = told(events_of("advanced", ["J 5 K K", "7"], "5 7", handoff(0, 1, "J"), ko=False))
    assert off.endswith("J from its hand goes in front of seat 1")


def test_a_card_in_front_leaves_first():
    same = play(1, 0, "same", "8", 2)
    text = told(events_of("calc-revised", ["8 K K", "8 K"], "8", handoff(0, 1, "8"), same))
    assert "seat 1 plays 8 from the front on pile 0" in text
    # A joker in front is used first under push; under shield it waits for the private hand to be gone (R7.5).
    joker = play(1, 0, "sum", "X=3 5")
    pushed = told(events_of("calc-revised", ["X K K", "5 X K"], "8", handoff(0, 1, "X"), joker))
    assert "seat 1 plays X=3 5 (X from the front) on pile 0" in pushed
    shielded = told(events_of("advanced", ["X K K Q", "5 X K"], "8 8", handoff(0, 1, "X"), joker))
    assert "seat 1 plays X=3 5 on pile 0" in shielded


def test_a_card_in_front_is_handed_on():
    events = events_of("calc-revised", ["8 K K", "8 K"], "7", handoff(0, 1, "8"), handoff(1, 0, "8", "front"))
    assert "seat 1 pushes 8 from those in front of it in front of seat 0 (R7.1)" in told(events)
    with pytest.raises(UsageError, match="line 4: seat 1 has no K in its front to hand off"):
        told([*events[:3], handoff(1, 0, "K", "front")])
    with pytest.raises(UsageError, match="line 3: nothing can be handed to seat 0"):
        told([*events[:2], handoff(0, 0, "8")])


def test_a_pass_is_told_with_its_draw_and_a_recycle_between():
    drawn = {"event": "draw", "player": 0, "cards": ["2"], "reason": "pass"}
    passed = [{"event": "pass", "player": 0}, drawn, {"event": "stop", "player": 0}]
    text = told(events_of("calc", ["8 K", "8 K"], "5", *passed, stock="2 3"))
    assert text.endswith("seat 0 passes (R3.3) and draws 2 seat 0 stops without a play (R3.3)")
    events = events_of("calc", ["2 3 K", "8 K", "2 K"], "5", play(0, 0, "sum", "2 3"), stock="")
    events += [{"event": "pass", "player": 1}, {"event": "recycle", "stock": ["2", "5"]}]
    events += [{**drawn, "player": 1}]
    assert told(events).endswith(
        "seat 1 passes (R3.3) the stock is empty: each pile keeps its top run, 2 cards become the new stock "
        "(R8.1) seat 1 draws 2"
    )
    events[-2:] = [{**drawn, "player": 1, "cards": []}]
    assert told(events).endswith("seat 1 passes (R3.3) and finds no card to draw (R8.1)")


def test_head_and_end_of_a_game():
    game = next(game for game in RECORDED if game.source.endswith("advanced.jsonl"))
    lines = list(render(game.events))
    assert lines[:6] == [
        "game 337 of seed 1: advanced, 2 players",
        f"  rules   advanced (fingerprint {preset('advanced').fingerprint})",
        "  score   100 50 30 20 10 0 by place (R9.5), and bonuses (R9.6)",
        "  cards   A = 1, J = 11, Q = 12, K = 13; X is a joker, X=3 one laid down as a 3",
        "          (R1.3)",
        "  piles   0:[5 x2] is pile 0 with a 5 on top of another 5; 1:[X=3 on 8] has a",
    ]
    assert lines[-7:] == [
        "",
        "end after 6 turns: last-standing, one player is left (R9.2)",
        "  score   100 50 30 20 10 0 by place (R9.5), and bonuses (R9.6)",
        "  seat 0  holds Q K",
        "  place  seat  cards left  score",
        "      1     1           0    190",
        "      2     0           2     50",
    ]


def test_what_differs_from_the_preset_is_told():
    assert "rules advanced handoff=none ko=off (fingerprint " in told(
        events_of("advanced", ["A", "A"], "2 2", handoff="none", ko=False)
    )


def test_colour_only_when_asked():
    game = RECORDED[0]
    plain, coloured = list(render(game.events)), list(render(game.events, colour=True))
    assert [re.sub(r"\x1b\[\d*m", "", line) for line in coloured] == plain
    assert any(line.startswith("\x1b[1mturn 1") and line.endswith("\x1b[0m") for line in coloured)


def test_a_width_too_narrow_is_refused():
    with pytest.raises(UsageError, match="width=39: a game takes at least 40 columns"):
        list(render(RECORDED[0].events, width=39))


def test_fields_too_wide_are_broken():
    cells = [f"{pile}:[10]" for pile in range(5)]
    assert draw_line(cells, 24) == ["0:[10]---1:[10]---", "---2:[10]---3:[10]---", "---4:[10]"]
    assert draw_ring(cells, 31) == [
        ".-0:[10]---1:[10]---2:[10]-.",
        "|                          |",
        "'-4:[10]------------3:[10]-'",
    ]
    assert draw_ring(cells, 26) == ["0:[10]---1:[10]---", "---2:[10]---3:[10]---", "---4:[10]---(back to 0)"]
    assert draw_star("5:[A]", [cells[:2], cells[2:3], cells[3:]], 22) == [
        "         .---0:[10]---",
        "         |   ---1:[10]",
        "5:[A]----+---2:[10]",
        "         '---3:[10]---",
        "             ---4:[10]",
    ]


def edited(game: RecordedGame, name: str, **changes: Any) -> list[dict[str, Any]]:
    """The events of a game with the first event called `name` changed."""
    events = copy.deepcopy(game.events)
    next(event for event in events if event["event"] == name).update(changes)
    return events


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("deal", {"piles": [["A"]]}, r"line 2: 1 piles are dealt, but these rules start with 2"),
        ("deal", {"stock": ["3"] * 42}, r"line 8: seat 0 draws 2, but next in the stock is 3"),
        ("play", {"player": 1}, r"line 3: seat 1 moves, but it is the turn of seat 0"),
        ("play", {"pile": 2}, r"line 3: no pile 2"),
        ("play", {"cards": ["4", "5"]}, r"line 3: sum of 4 5 does not fit 10 on pile 0"),
        ("play", {"cards": ["3", "7"]}, r"line 3: seat 0 has no 3 to lay down"),
        ("play", {"streak": 2}, r"line 3: a streak of 2, but number 6 has one of 1"),
        ("play", {"set": 3}, r"line 3: a set of 3, but 2 cards are played"),
        ("grow", {"cards": ["Q"]}, r"line 5: Q does not fit between X=6 6"),
        ("grow", {"pile": 3}, r"line 5: pile 3 is laid, but the next new pile is 2"),
        ("grow", {"between": [0, 7]}, r"line 5: no piles \[0, 7\]"),
        ("grow", {"shape": "ring"}, r"line 5: no ring comes of a new pile between \[0, 1\] on a line"),
        ("pass", {"player": 1}, r"line 7: seat 1 moves, but it is the turn of seat 0"),
        ("draw", {"cards": ["9"]}, r"line 8: seat 0 draws 9, but next in the stock is 2"),
        ("draw", {"player": 1}, r"line 8: seat 1 in the turn of seat 0"),
        ("out", {"player": 0}, r"line 13: seat 0 is out with 2 cards left"),
        ("end", {"left": [3, 0]}, r"line 14: cards left are told as \[3, 0\], but are \[2, 0\]"),
        ("end", {"turns": 7}, r"line 14: 7 turns, but 6 were played"),
        ("end", {"places": [1, 2]}, r"line 14: place 2 for seat 1, which went out as number 1"),
    ],
)
def test_traces_that_do_not_fit_together_are_refused(name, changes, message):
    game = next(game for game in RECORDED if game.source.endswith("advanced.jsonl"))
    with pytest.raises(UsageError, match=rf"^trace, {message}; the trace does not fit together$"):
        told(edited(game, name, **changes))


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ({"event": "pass", "player": 1}, "'pass' under a penalty"),
        (play(1, 0, "same", "A", 2), "same of A does not fit 3 on pile 0"),
        (play(1, 0, "same", "3", 4), "a play of 3 does not avoid the penalty"),
        (
            {"event": "penalty", "player": 1, "streak_cards": 2, "set_cards": 0, "halved": False, "draw": 2},
            r"cards owed for streak and set are told as \(2, 0\), but are \(2, 2\)",
        ),
        ({"event": "recycle", "stock": ["8"]}, "the new stock is not what lay beneath"),
        ({"event": "front", "player": 1, "cards": []}, "the hand of seat 1 is not empty"),
        ({"event": "stop", "player": 0}, "seat 0 stops without a pass"),
        ({"event": "draw", "player": 0, "cards": [], "reason": "pass"}, "a draw by seat 0 without a pass"),
    ],
)
def test_events_that_cannot_follow_a_penalty_are_refused(event, message):
    events = events_of("calc", ["3 3 3 K", "3 K"], "9", play(0, 0, "sum", "3 3 3", 3), event)
    with pytest.raises(UsageError, match=f"^trace, line 4: {message}"):
        told(events)


def test_only_a_play_or_a_growth_follows_a_draw():
    drawn = [{"event": "pass", "player": 0}, {"event": "draw", "player": 0, "cards": ["9"], "reason": "pass"}]
    penalty = {"event": "penalty", "player": 1, "streak_cards": 0, "set_cards": 0, "halved": False, "draw": 0}
    for event, message in (
        (handoff(0, 1, "K"), "'handoff' after a pass"),
        ({"event": "pass", "player": 1}, "seat 1 moves, but seat 0 has drawn and may still play"),
    ):
        with pytest.raises(UsageError, match=f"line 5: {message}"):
            told(events_of("calc-revised", ["3 3 K", "3 K"], "9", *drawn, event))
    with pytest.raises(UsageError, match="line 6: 'penalty' without penalty"):
        told(events_of("calc", ["3 3 K", "3 K"], "9", *drawn, {"event": "stop", "player": 0}, penalty))


def test_errors_name_the_line_of_the_file(tmp_path):
    game = RECORDED[0]
    path = tmp_path / "two.jsonl"
    events = edited(game, "deal", stock=[])
    path.write_text(
        "".join(json.dumps(event) + "\n\n" for event in [*game.events, *events]), encoding="utf-8"
    )
    _, second = read_games(str(path))
    first_draw = next(
        line for event, line in zip(events, second.lines, strict=True) if event["event"] == "draw"
    )
    with pytest.raises(UsageError, match=rf"^{re.escape(str(path))}, line {first_draw}: seat \d draws"):
        list(render(second.events, source=second.source, lines=second.lines))
