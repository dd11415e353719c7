"""Positions: read, refused in one line that names the place, written back."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from calcsim.cards import JOKER, JOKER_BIT
from calcsim.errors import UsageError
from calcsim.notation.position import loads, parse_position, streak, top_run
from calcsim.rules import preset

POSITIONS = Path(__file__).parent / "data" / "positions.jsonl"

LINE: dict[str, Any] = {
    "rules": "advanced",
    "field": {"shape": "line", "order": [0, 1, 2], "piles": [["5"], ["4", "A", "X=3"], ["9"]]},
    "hand": ["A", "7", "X"],
    "front": ["5"],
    "others": [{"seat": 1, "size": 3}, {"seat": 2, "size": 6}],
    "ko": [[1, "5"]],
    "courts_pushed": 0,
    "penalty": {"streak_cards": 0, "set_cards": 0, "number": None, "pile": None},
    "after_draw": False,
}
RING: dict[str, Any] = {
    "rules": "advanced",
    "field": {"shape": "ring", "order": [0, 2, 1, 3], "piles": [["5"], ["5"], ["A"], ["5"]]},
    "hand": ["A"],
    "others": [{"seat": 3, "size": 2}],
    "penalty": {"streak_cards": 2, "number": "5", "pile": 3},
}
STAR: dict[str, Any] = {
    "rules": {"preset": "advanced", "handoff": "none"},
    "field": {
        "shape": "star",
        "center": 3,
        "arms": [[0], [1, 4], [2]],
        "piles": [["5"], ["4"], ["9"], ["A"], ["4"]],
    },
    "hand": ["A"],
    "others": [{"seat": 1, "size": 3}],
}
PUSH: dict[str, Any] = {
    "rules": "calc-revised",
    "field": {"shape": "line", "order": [0], "piles": [["7", "7", "X=7"]]},
    "front": ["X", "2"],
    "others": [{"seat": 1, "size": 3}],
    "courts_pushed": 1,
    "penalty": {"streak_cards": 2, "set_cards": 2, "number": "7", "pile": 0},
}

OMIT = object()


def recorded() -> list[dict[str, Any]]:
    with POSITIONS.open(encoding="utf-8") as file:
        return [json.loads(line)["position"] for line in file]


def changed(base: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """`base` with the value at a path like ``field.piles.1`` put in, or taken out."""
    data = copy.deepcopy(base)
    *way, last = (int(word) if word.isdecimal() else word for word in path.split("."))
    inner: Any = data
    for word in way:
        inner = inner[word]
    if value is OMIT:
        del inner[last]
    else:
        inner[last] = value
    return data


def test_every_recorded_position_survives_the_round_trip():
    for data in recorded():
        position = parse_position(data)
        assert parse_position(json.loads(json.dumps(position.as_dict()))) == position


def test_recorded_positions_are_written_back_as_they_were():
    for data in recorded():
        written = parse_position(data).as_dict()
        assert {key: written[key] for key in written if key != "rules"} == {
            key: value for key, value in data.items() if key != "rules"
        }


def test_fields_of_a_position():
    position = parse_position(LINE)
    assert position.rules == preset("advanced")
    assert (position.shape, position.order, position.center, position.arms) == ("line", (0, 1, 2), None, ())
    assert position.piles == ((5,), (4, 1, JOKER_BIT + 3), (9,))
    assert (position.hand, position.front) == ((1, 7, JOKER), (5,))
    assert position.others == ((1, 3), (2, 6))
    assert position.ko == ((1, 5),)
    assert (position.streak_cards, position.set_cards) == (0, 0)


def test_a_star_has_a_center_and_arms():
    position = parse_position(STAR)
    assert (position.order, position.center, position.arms) == ((), 3, ((0,), (1, 4), (2,)))
    assert position.rules.label == "advanced handoff=none"


def test_what_is_left_out_is_empty_zero_or_false():
    position = parse_position(RING)
    assert (position.front, position.ko, position.courts_pushed) == ((), (), 0)
    assert (position.set_cards, position.after_draw) == (0, False)
    assert (position.penalty_number, position.penalty_pile) == (5, 3)


def test_empty_hand_with_cards_in_front_under_push():
    assert parse_position(PUSH).hand == ()


def test_all_fields_of_the_rules_may_be_given():
    data = changed(LINE, "rules", preset("advanced").as_dict())
    assert parse_position(data) == parse_position(LINE)


def test_a_ban_without_ko_in_the_rules_is_let_through():
    data = changed(LINE, "rules", {"preset": "advanced", "ko": False})
    assert parse_position(data).ko == ((1, 5),)


@pytest.mark.parametrize(
    ("base", "path", "value", "message"),
    [
        (LINE, "rules", OMIT, "position: no 'rules'"),
        (LINE, "rules", "advanecd", r"position: rules: unknown preset 'advanecd'.*did you mean 'advanced'"),
        (LINE, "rules", {"preset": "calc", "hand_sise": 4}, "position: rules: .*did you mean 'hand_size'"),
        (LINE, "hnad", [], r"position: unknown key 'hnad'; did you mean 'hand'\?"),
        (LINE, "field", [], r"position: field: \[\] is no object"),
        (LINE, "field.shape", "lime", r"position: field\.shape: 'lime' must be one of .*did you mean 'line'"),
        (LINE, "field.center", 1, "position: field of shape 'line': unknown key 'center'"),
        (LINE, "field.order", OMIT, "position: field of shape 'line': no 'order'"),
        (LINE, "field.order", [0, 1], r"position: field\.order: \[0, 1\] must name each of the 3 piles once"),
        (LINE, "field.order", [0, 1, 1], r"field\.order: \[0, 1, 1\] must name"),
        (LINE, "field.order", [0, 1, 3], r"field\.order\[2\]: 3 is out of range; must be 0 to 2"),
        (LINE, "field.order", [0, True, 2], r"field\.order\[1\]: True is no whole number"),
        (LINE, "field.piles", [], r"field\.piles: a field has at least one pile"),
        (LINE, "field.piles.0", [], r"field\.piles\[0\]: a pile has at least one card"),
        (LINE, "field.piles.1.2", "X=14", r"field\.piles\[1\]\[2\]: unknown card on the field 'X=14'"),
        (LINE, "field.piles.1.2", "X", r"field\.piles\[1\]\[2\]: unknown card on the field 'X'"),
        (LINE, "field.piles.1.2", 3, r"field\.piles\[1\]\[2\]: unknown card on the field 3"),
        (LINE, "hand", "A7", "position: hand: 'A7' is no list"),
        (LINE, "hand.0", "1", r"position: hand\[0\]: unknown card '1'"),
        (LINE, "hand.0", "X=3", r"position: hand\[0\]: unknown card 'X=3'"),
        (LINE, "hand", ["5"] * 3, r"position: 5 natural cards of number 5 .*the deck has 4 \(R1\.1\)"),
        (LINE, "hand", ["X", "X"], r"position: 3 jokers .*the deck has 2 \(R1\.1\)"),
        (LINE, "hand", ["X"], None),
        (LINE, "hand", [], r"position: hand: empty with cards in front; .*\(R7\.6\)"),
        (LINE, "others", [], r"position: others: nobody else is in"),
        (LINE, "others.0.seat", 2, r"position: others\[1\]\.seat: seat 2 is there twice"),
        (LINE, "others.0.seat", 6, r"position: others\[0\]\.seat: 6 is out of range; must be 0 to 5"),
        (LINE, "others.0.size", 0, r"position: others\[0\]\.size: 0 is out of range; must be 1 or more"),
        (LINE, "others.0.size", 2.5, r"position: others\[0\]\.size: 2\.5 is no whole number"),
        (LINE, "others.0.size", 40, r"position: 55 cards in all hands and on the field; the deck has 54"),
        (LINE, "others.0.size", 39, None),
        (LINE, "ko", [[0, "5"]], r"position: ko\[0\]: giver 0 is none of the others, seats 1, 2"),
        (LINE, "ko", [[1, "7"]], r"position: ko\[0\]: card '7' does not lie in front"),
        (LINE, "ko", [[1, "5"], [1, "5"]], r"position: ko\[1\]: giver 1 is there twice"),
        (LINE, "ko", [[1, "5", 2]], r"position: ko\[0\]: .* must be \[SEAT, CARD\]"),
        (LINE, "courts_pushed", 1, r"position: courts_pushed: 1, but these rules have no push"),
        (LINE, "courts_pushed", -1, r"position: courts_pushed: -1 is out of range"),
        (LINE, "after_draw", 1, "position: after_draw: 1 must be true or false"),
        (LINE, "penalty.number", "5", "position: penalty: number and pile are a streak's"),
        (LINE, "penalty.set_cards", 3, r"position: penalty\.set_cards: 3 cannot be owed with set_penalty=2"),
        (LINE, "penalty.set_card", 2, r"position: penalty: unknown key 'set_card'; did you mean 'set_cards'"),
        (RING, "front", [], None),
        (RING, "hand", [], r"position: hand: empty, with nothing in front; that player is out \(R9\.1\)"),
        (RING, "field.piles", [["5"]] * 3, r"field\.order\[3\]: 3 is out of range"),
        (RING, "after_draw", True, r"position: after_draw: nobody passes under a penalty.*\(R6\.9\)"),
        (
            RING,
            "penalty.number",
            OMIT,
            r"position: penalty: streak_cards=2 needs the streak's number and pile",
        ),
        (RING, "penalty.pile", None, r"position: penalty: streak_cards=2 needs the streak's number and pile"),
        (RING, "penalty.pile", 4, r"position: penalty\.pile: no pile 4; the piles are 0 to 3"),
        (RING, "penalty.pile", 2, r"position: penalty\.number: '5', but pile 2 shows 'A'"),
        (RING, "penalty.number", "X", r"position: penalty\.number: unknown number 'X'"),
        (
            RING,
            "penalty.streak_cards",
            4,
            r"streak_cards: 4, but a streak of 3 costs 2 with streak_penalty=2",
        ),
        (STAR, "front", ["5"], r"position: front: cards lie in front by hand-offs only"),
        (STAR, "ko", [[1, "5"]], r"position: ko: bans come with shields"),
        (STAR, "field.arms", [[0], [1, 4, 2]], r"field\.arms: 2 of them; a star has 3"),
        (STAR, "field.arms", [[0], [1, 4, 2], []], r"field\.arms\[2\]: an arm has at least one pile"),
        (STAR, "field.center", 0, r"field\.center and \.arms: \[0, 0, 1, 4, 2\] must name each"),
        (STAR, "field.order", [0], "position: field of shape 'star': unknown key 'order'"),
        (PUSH, "courts_pushed", 2, r"position: courts_pushed: 2 is above push_face_limit=1 \(R7\.2\)"),
        (PUSH, "field.piles", [["7"], ["8"]], r"field\.order: \[0\] must name each of the 2 piles"),
    ],
)
def test_wrong_positions_are_refused(base, path, value, message):
    data = changed(base, path, value)
    if message is None:
        parse_position(data)
        return
    with pytest.raises(UsageError, match=message) as refused:
        parse_position(data)
    assert "\n" not in str(refused.value)


def test_shapes_take_growth_and_four_piles():
    piles = [["5"], ["7"], ["9"], ["J"]]
    ring = {"shape": "ring", "order": [0, 1, 2], "piles": piles[:3]}
    with pytest.raises(UsageError, match=r"field\.piles: too few, 3; a ring has 4 or more"):
        parse_position(changed(RING, "field", ring))
    no_growth = changed(RING, "rules", {"preset": "advanced", "growth": False})
    with pytest.raises(UsageError, match=r"field\.shape: 'ring' takes growth, which is off"):
        parse_position(no_growth)
    line = {"shape": "line", "order": [0, 1], "piles": piles[:2]}
    with pytest.raises(UsageError, match=r"field\.piles: too many, 2; these rules have 1, no growth"):
        parse_position(changed(PUSH, "field", line))
    with pytest.raises(UsageError, match=r"field\.piles: too few, 1; these rules start with 2"):
        parse_position(changed(LINE, "field", {"shape": "line", "order": [0], "piles": [["5"]]}))


def test_no_more_players_than_the_rules_seat():
    others = [{"seat": seat, "size": 1} for seat in range(1, 5)]
    with pytest.raises(UsageError, match="position: others: players=5: max_players=4"):
        parse_position(changed(PUSH, "others", others))


@pytest.mark.parametrize("data", [None, [], "advanced", 3, {}])
def test_what_is_no_position_at_all_is_refused(data):
    with pytest.raises(UsageError, match=r"^deals\.jsonl, line 3: "):
        parse_position(data, "deals.jsonl, line 3")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", r"no JSON: expecting value \(column 1\)"),
        ('{"a": 1,}', r"no JSON: .* \(column \d+\)"),
        ('{\n"a" 1}', r"no JSON: expecting ':' delimiter \(line 2, column 5\)"),
        ('{"a": 1} x', r"no JSON: extra data \(column 10\)"),
        ('{"a": {"b": 1, "b": 2}}', "key 'b' is there twice in one object"),
        ('{"a": NaN}', "no JSON: NaN is no number there"),
        ("[" * 100_000, "no JSON that can be read: brackets nested too deeply"),
        ("9" * 5_000, "no JSON that can be read: exceeds the limit"),
    ],
)
def test_broken_json_is_told_in_one_line(line, message):
    with pytest.raises(UsageError, match=rf"^stdin, line 1: {message}") as refused:
        loads(line, "stdin, line 1")
    assert "\n" not in str(refused.value)


def test_streak_counts_top_runs_of_all_piles_or_of_one():
    rules = preset("advanced")
    piles = [[5, JOKER_BIT + 5], [5, 9], [3, 5]]
    assert [top_run(pile) for pile in piles] == [2, 1, 1]
    assert streak(rules, piles, 2) == 3
    assert streak(rules.replace(streak_scope="same-pile"), piles, 2) == 1
