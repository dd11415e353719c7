"""Section 9: ends, places, points, and the fields of a rule set."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest

from calcsim.errors import UsageError
from calcsim.rules import PRESETS
from tests.implementations import Implementation, change_of
from tests.reference import complete
from tests.rules.given import Play, kinds, only


def test_R9_1_out_in_order_of_going_out(impl: Implementation) -> None:
    game = Play(impl, "calc", "5 | 5 | K K", "5", end="last-standing")
    first = only(game.do("same 5 on 0"), "out")
    assert (first["player"], first["place"]) == (0, 1)
    events = game.do("same 5 on 0")
    assert (events[1]["player"], events[1]["place"]) == (1, 2)
    assert events[-1]["places"] == [1, 2, 3]


def test_R9_2_first_out(impl: Implementation) -> None:
    game = Play(impl, "calc", "5 | 5 7 | K K", "5")
    events = game.do("same 5 on 0")
    assert kinds(events) == ["play", "out", "end"]
    assert events[-1]["reason"] == "first-out"
    assert game.table.over
    assert game.legal == set()


@pytest.mark.parametrize("end", ["last-standing", "stock-out"])
def test_R9_2_when_one_is_left(impl: Implementation, end: str) -> None:
    game = Play(impl, "calc", "5 | 5 | K K", "5", end=end)
    assert kinds(game.do("same 5 on 0")) == ["play", "out"]
    events = game.do("same 5 on 0")
    assert kinds(events) == ["play", "out", "end"], "no line for the last one standing"
    assert events[-1]["reason"] == "last-standing"


def test_R9_2_stock_out(impl: Implementation) -> None:
    game = Play(impl, "calc", "9 9 | 9 9", "5", stock="8", end="stock-out")
    assert game.do("pass")[-1]["reason"] == "stock-out"


def test_R9_2_a_pending_penalty_is_not_drawn(impl: Implementation) -> None:
    game = Play(impl, "calc", "2 3 4 | J J", "9")
    assert kinds(game.do("sum 2 3 4 on 0")) == ["play", "out", "end"]


def test_R9_3_stalled_when_nobody_can_draw(impl: Implementation) -> None:
    game = Play(impl, "calc", "9 9 | 9 9", "5", stock="8")
    events = game.do("pass", "stop", "pass", "stop", "pass", "stop")
    assert events[-1]["reason"] == "stalled"
    assert events[-1]["turns"] == 3


def test_R9_3_any_other_turn_starts_the_count_again(impl: Implementation) -> None:
    game = Play(impl, "calc", "5 9 9 | 9 9", "5", stock="8")
    events = game.do("pass", "stop", "pass", "stop", "same 5 on 0", "pass", "stop", "pass", "stop")
    assert (events[-1]["reason"], events[-1]["turns"]) == ("stalled", 5)
    game = Play(impl, "calc", "5 9 9 | 9 9", "5", stock="8")
    events = game.do("pass", "stop", "pass", "stop", "pass", "same 5 on 0", "pass", "stop", "pass", "stop")
    assert (events[-1]["reason"], events[-1]["turns"]) == ("stalled", 5)


def test_R9_3_a_penalty_turn_without_cards_is_no_pass(impl: Implementation) -> None:
    game = Play(impl, "calc", "5 9 9 | 9 9 | 5 9 9", "5", stock="8")
    events = game.do("pass", "stop", "pass", "stop", "same 5 on 0", "same 5 on 0", "accept")
    assert only(events, "penalty")["draw"] == 2
    assert not game.table.over
    events = game.do("pass", "stop", "pass", "stop", "pass", "stop")
    assert (events[-1]["reason"], events[-1]["turns"]) == ("stalled", 8)


def test_R9_3_turn_limit_counts_every_turn(impl: Implementation) -> None:
    game = Play(impl, "calc", "2 3 4 K | J J J", "9", turn_limit=2)
    events = game.do("sum 2 3 4 on 0", "accept")
    assert (events[-1]["reason"], events[-1]["turns"]) == ("turn-limit", 2)


def test_R9_3_the_first_reason_counts(impl: Implementation) -> None:
    game = Play(impl, "calc", "9 9 | 9 9", "5", stock="8", turn_limit=3)
    assert game.do("pass", "stop", "pass", "stop", "pass", "stop")[-1]["reason"] == "stalled"
    game = Play(impl, "calc", "9 9 | 9 9", "5", stock="8", turn_limit=1, end="stock-out")
    assert game.do("pass")[-1]["reason"] == "stock-out"
    game = Play(impl, "calc", "5 | 9 9", "5", turn_limit=1)
    assert game.do("same 5 on 0")[-1]["reason"] == "first-out", "though one is left"
    game = Play(impl, "calc", "5 | 9 9", "5", turn_limit=1, end="stock-out")
    assert game.do("same 5 on 0")[-1]["reason"] == "last-standing"


def test_R9_4_places_by_cards_left_and_shared_when_equal(impl: Implementation) -> None:
    game = Play(impl, "calc-revised", "9 9 9 | J J | 10 10 10 10 | 8 8 8 8 8 8", "5", stock="K")
    end = game.do("pass")[-1]
    assert end["left"] == [4, 2, 4, 6]
    assert end["places"] == [2, 1, 2, 4]


def test_R9_4_after_those_who_are_out(impl: Implementation) -> None:
    game = Play(impl, "calc", "5 | J J | 10 | 8 8", "5", scoring="places")
    end = game.do("same 5 on 0")[-1]
    assert end["places"] == [1, 3, 2, 3]
    assert end["scores"] == [100, 30, 50, 30], "each with its full points"


def test_R9_4_the_last_one_standing_has_the_last_place(impl: Implementation) -> None:
    game = Play(impl, "calc", "5 | J J", "5", end="last-standing")
    assert game.do("same 5 on 0")[-1]["places"] == [1, 2]


@pytest.mark.parametrize(
    ("scoring", "scores"), [("win", [1, 0, 0]), ("rank-points", [1, 5, 3]), ("places", [100, 30, 50])]
)
def test_R9_5_scoring(impl: Implementation, scoring: str, scores: list[int]) -> None:
    game = Play(impl, "calc", "5 | J J | 9", "5", scoring=scoring)
    assert game.do("same 5 on 0")[-1]["scores"] == scores


def test_R9_5_place_points_is_a_field(impl: Implementation) -> None:
    game = Play(impl, "calc", "5 | J J", "5", scoring="places", place_points=[7, -3, 0, 0, 0, 0])
    assert game.do("same 5 on 0")[-1]["scores"] == [7, -3]


ALL = {"no-growth": 30, "no-shield": 30, "no-recycle": 10}


def bonuses(events: list[dict[str, Any]]) -> dict[str, int]:
    """The bonuses of the first player out."""
    earned: dict[str, int] = next(event for event in events if event["event"] == "out")["bonuses"]
    return earned


def test_R9_6_single_card(impl: Implementation) -> None:
    events = Play(impl, "advanced", "5 | J J", "5 | K").do("same 5 on 0")
    assert bonuses(events) == ALL | {"single": 50}
    assert events[-1]["scores"] == [100 + 120, 50]
    assert bonuses(Play(impl, "advanced", "2 3 | J J", "5 | K").do("sum 2 3 on 0")) == ALL


def test_R9_6_star_and_no_growth(impl: Implementation) -> None:
    star = Play(impl, "advanced", "3 | J J", "3 | 9 | 3").do("star 3 at 0 1 2")
    assert bonuses(star) == {"single": 50, "star": 50, "no-shield": 30, "no-recycle": 10}
    line = Play(impl, "advanced", "3 | J J", "3 | 9 | 3").do("line 3 at 0 1")
    assert bonuses(line) == {"single": 50, "no-shield": 30, "no-recycle": 10}


def test_R9_6_no_shield_of_that_player(impl: Implementation) -> None:
    few = {"shield_min_hand": 2, "shield_max_target": 9}
    game = Play(impl, "advanced", "5 9 | 7 7 7", "5 | K", **few)
    events = game.do("9 from hand to 1", "pass", "stop", "same 5 on 0")
    assert bonuses(events) == {"single": 50, "no-growth": 30, "no-recycle": 10}
    game = Play(impl, "advanced", "5 5 | 9 7 7 | J J", "5 | K", **few)
    events = game.do("same 5 on 0", "9 from hand to 2", "pass", "stop", "same 5 on 0")
    assert bonuses(events) == ALL | {"single": 50}, "others may shield"


def test_R9_6_a_push_is_no_shield(impl: Implementation) -> None:
    game = Play(impl, "advanced", "5 5 9 | 7 7 7", "5 | K", handoff="push")
    events = game.do("9 from hand to 1", "pass", "stop", "same 5 on 0", "pass", "stop", "same 5 on 0")
    assert bonuses(events) == ALL | {"single": 50}


def test_R9_6_no_recycle(impl: Implementation) -> None:
    game = Play(impl, "advanced", "2 3 3 | J J J", "5 | K", stock="Q", recycles=["5 2"])
    events = game.do("sum 2 3 on 0", "pass", "stop", "same 3 on 0")
    assert bonuses(events) == {"single": 50, "no-growth": 30, "no-shield": 30}


def test_R9_6_only_for_the_first_out(impl: Implementation) -> None:
    game = Play(impl, "advanced", "5 | 5 | J J", "5 | K")
    events = game.do("same 5 on 0", "same 5 on 0")
    assert [event["bonuses"] for event in events if event["event"] == "out"] == [ALL | {"single": 50}, {}]


def test_R9_6_nobody_out_no_bonus(impl: Implementation) -> None:
    game = Play(impl, "advanced", "9 9 | 9 9 9", "5 | K", stock="8", end="stock-out")
    assert game.do("pass")[-1]["scores"] == [100, 100]


def test_R9_6_none_where_bonuses_are_off(impl: Implementation) -> None:
    events = Play(impl, "advanced", "5 | J J", "5 | K", bonuses=False).do("same 5 on 0")
    assert bonuses(events) == {}
    assert events[-1]["scores"] == [100, 50]


def test_R9_6_what_the_rules_lack_was_not_used(impl: Implementation) -> None:
    rules = {"growth": False, "handoff": "none", "end": "first-out"}
    events = Play(impl, "advanced", "5 | J J", "5 | K", **rules).do("same 5 on 0")
    assert bonuses(events) == ALL | {"single": 50}


def rulebook_table() -> dict[str, dict[str, Any]]:
    """The table of presets in section 9 of the rulebook that calcsim ships."""
    text = files("calcsim.rules").joinpath("rulebook.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if "|" in line
    ]
    head, _, *rows = rows[next(i for i, row in enumerate(rows) if row[0] == "field") :]
    table: dict[str, dict[str, Any]] = {preset: {} for preset in head[1:]}
    for names, *columns in rows:
        for preset, cell in zip(table, columns, strict=True):
            shown = columns[0] if cell == "same" else cell
            if names == "place_points":
                table[preset][names] = [int(points) for points in shown.split()]
                continue
            for name, value in zip(names.split(" / "), shown.split(" / "), strict=True):
                table[preset][name] = change_of(f"{name}={value}")[1]
    return table


@pytest.mark.parametrize("preset", ["calc", "calc-revised", "advanced"])
def test_R9_the_table_of_presets(preset: str) -> None:
    assert PRESETS[preset].as_dict() == rulebook_table()[preset] == complete(preset)


RANGES = {
    "max_players": (2, 6),
    "hand_size": (1, 25),
    "jokers": (0, 2),
    "start_piles": (1, 4),
    "streak_penalty": (0, 10),
    "set_penalty": (0, 10),
    "push_min_hand": (2, 54),
    "shield_min_hand": (2, 54),
    "push_face_limit": (0, 12),
    "shield_max_target": (1, 54),
    "turn_limit": (1, 100_000),
}


@pytest.mark.parametrize("field", RANGES)
def test_R9_ranges(field: str) -> None:
    low, high = RANGES[field]
    for value in (low, high):
        assert getattr(PRESETS["calc"].replace(**{field: value}), field) == value
    for value in (low - 1, high + 1):
        with pytest.raises(UsageError, match=field):
            PRESETS["calc"].replace(**{field: value})


@pytest.mark.parametrize(
    ("preset", "changes", "field"),
    [
        ("advanced", {"start_piles": 1}, "growth"),
        ("advanced", {"scoring": "win"}, "bonuses"),
        ("calc", {"place_points": (1, 2, 3)}, "place_points"),
        ("calc", {"end": "never"}, "end"),
        ("calc", {"growht": True}, "growht"),
    ],
)
def test_R9_what_makes_no_sense_is_refused(preset: str, changes: dict[str, Any], field: str) -> None:
    with pytest.raises(UsageError, match=field):
        PRESETS[preset].replace(**changes)


@pytest.mark.parametrize(
    ("changes", "players", "field"),
    [({"hand_size": 13}, 4, "hand_size"), ({}, 5, "max_players"), ({}, 1, "players")],
)
def test_R9_no_more_players_than_the_rules_and_cards_allow(
    changes: dict[str, Any], players: int, field: str
) -> None:
    with pytest.raises(UsageError, match=field):
        PRESETS["calc"].replace(**changes).validate_players(players)
