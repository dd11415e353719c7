"""Reading traces: games one by one, and each fault in one line that names file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calcsim.errors import UsageError
from calcsim.notation.tracefile import read_games, split_games
from calcsim.rules import preset

TRACES = sorted((Path(__file__).parent / "data" / "traces").glob("*.jsonl"))

GAME: dict[str, Any] = {
    "event": "game",
    "rules": preset("calc").as_dict(),
    "players": 2,
    "policies": ["random", "greedy"],
    "seed": 1,
    "game": 0,
}
DEAL: dict[str, Any] = {"event": "deal", "hands": [["A"], ["7", "X"]], "piles": [["A"]], "stock": ["K"]}
PLAY: dict[str, Any] = {
    "event": "play",
    "player": 0,
    "pile": 0,
    "pattern": "same",
    "cards": ["A"],
    "streak": 2,
    "set": 1,
}
OUT: dict[str, Any] = {"event": "out", "player": 0, "place": 1, "bonuses": {}}
END: dict[str, Any] = {
    "event": "end",
    "reason": "first-out",
    "places": [1, 2],
    "scores": [1, 0],
    "left": [0, 2],
    "turns": 1,
}
EVENTS = [GAME, DEAL, PLAY, OUT, END]


def lines(*events: object) -> list[bytes]:
    return [json.dumps(event).encode() + b"\n" for event in events]


def without(event: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name != key}


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_recorded_traces_are_read(path: Path):
    text = path.read_text(encoding="utf-8").splitlines()
    games = list(read_games(str(path)))
    assert [event for game in games for event in game.events] == [json.loads(line) for line in text]
    assert [number for game in games for number in game.lines] == list(range(1, len(text) + 1))
    assert all(game.source == str(path) for game in games)
    assert all((game.events[0]["event"], game.events[-1]["event"]) == ("game", "end") for game in games)


def test_empty_lines_and_further_keys_are_let_through():
    written = [
        b"\xef\xbb\xbf" + lines({**GAME, "note": "mine"})[0],
        b"\n",
        *lines(DEAL, PLAY, OUT, END),
        b" \n",
    ]
    (game,) = split_games(written, "mine")
    assert game.lines == [1, 3, 4, 5, 6]
    assert game.events[0]["note"] == "mine"


def test_games_come_before_the_fault_behind_them():
    games = split_games(lines(*EVENTS, END), "mine")
    assert len(next(games).events) == len(EVENTS)
    with pytest.raises(UsageError, match=r"^mine, line 6: 'end' where a 'game' line has to be"):
        next(games)


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([], r"mine: no game in it"),
        (EVENTS[:-1], r"mine: the game that begins on line 1 breaks off after line 4, before its 'end'"),
        ([DEAL], r"mine, line 1: 'deal' where a 'game' line has to be"),
        ([GAME, PLAY], r"mine, line 2: 'play' where a 'deal' line has to be"),
        ([GAME, DEAL, GAME], r"mine, line 3: a second 'game' line before the 'end' of the game from line 1"),
        ([GAME, DEAL, DEAL], r"mine, line 3: a second 'deal' line"),
        ([7], r"mine, line 1: 7 is no object"),
        ([{"player": 0}], r"mine, line 1: no 'event'"),
        ([{"event": "plya"}], r"mine, line 1: unknown event 'plya'; did you mean 'play'\?"),
        ([{"event": 3}], r"mine, line 1: unknown event 3; one of game, deal"),
        ([without(GAME, "seed")], r"mine, line 1: game: no 'seed'"),
        ([{**GAME, "rules": "calc"}], r"mine, line 1: game\.rules: 'calc' is no object"),
        ([{**GAME, "rules": {}}], r"mine, line 1: game\.rules: no 'max_players' in the rules"),
        ([{**GAME, "rules": {**GAME["rules"], "jokers": 9}}], r"mine, line 1: game\.rules: .*jokers"),
        ([{**GAME, "players": 7}], r"mine, line 1: players=7: max_players=4"),
        ([{**GAME, "players": "2"}], r"mine, line 1: game\.players: '2' is no whole number"),
        ([{**GAME, "policies": ["a"]}], r"mine, line 1: game\.policies: 1 entries for 2 players"),
        ([{**GAME, "policies": ["a", "\x1b"]}], r"mine, line 1: game\.policies\[1\]: .* is no text"),
        ([{**GAME, "seed": None}], r"mine, line 1: game\.seed: None is no whole number"),
        ([GAME, {**DEAL, "hands": [["A"], ["Z"]]}], r"mine, line 2: deal\.hands\[1\]\[0\]: unknown card 'Z'"),
        ([GAME, {**DEAL, "piles": [[]]}], r"mine, line 2: deal\.piles\[0\]: no cards"),
        (
            [GAME, DEAL, {**PLAY, "player": 2}],
            r"mine, line 3: play\.player: 2 is out of range; must be 0 to 1",
        ),
        ([GAME, DEAL, {**PLAY, "pattern": "smae"}], r"mine, line 3: play\.pattern: 'smae' must be one of"),
        (
            [GAME, DEAL, {**PLAY, "cards": ["X"]}],
            r"mine, line 3: play\.cards\[0\]: unknown card on the field",
        ),
        ([GAME, DEAL, without(PLAY, "streak")], r"mine, line 3: play: no 'streak'"),
        ([GAME, DEAL, {**OUT, "bonuses": {"star": "50"}}], r"mine, line 3: out\.bonuses\.star: '50'"),
        ([GAME, DEAL, {**END, "scores": [1]}], r"mine, line 3: end\.scores: 1 entries for 2 players"),
    ],
)
def test_faults_name_file_and_line(events, message):
    with pytest.raises(UsageError, match=rf"^{message}") as refused:
        list(split_games(lines(*events), "mine"))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("line", "message"), [(b'{"event": ', "no JSON: expecting value"), (b"\xff\xfe", "no text in UTF-8")]
)
def test_lines_that_are_no_json(line, message):
    with pytest.raises(UsageError, match=rf"^mine, line 2: {message}"):
        list(split_games([*lines(GAME), line], "mine"))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UsageError, match=r"^cannot read .*nowhere\.jsonl': No such file"):
        list(read_games(str(tmp_path / "nowhere.jsonl")))
    with pytest.raises(UsageError, match=r"^cannot read .*: Is a directory"):
        list(read_games(str(tmp_path)))
