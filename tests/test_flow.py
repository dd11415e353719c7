"""The course of games: against plain Python on their traces, by hand, and how well V predicts."""

from __future__ import annotations

import collections
import itertools
import math
from typing import Any

import numpy as np
import pytest

from calcsim.engine import driver
from calcsim.engine import layout as at
from calcsim.errors import UsageError
from calcsim.experiments import course, tape
from calcsim.experiments.flow import Flow, measure_flow
from calcsim.notation.trace import trace_games
from calcsim.rules import load_rules
from calcsim.stats.special import specials

SEED = 20260101


def cell(rules: str, policies: list[str], changes: tuple[str, ...] = ()) -> driver.Cell:
    return driver.prepare(load_rules(rules, changes), len(policies), policies)


# ---- the same in plain Python, from what traces say


class Position:
    """The position after a turn."""

    def __init__(self, sizes: list[int], mover: int, owed: bool, stock: int) -> None:
        self.sizes = list(sizes)
        self.next = (mover + 1) % len(sizes)
        self.owed = owed
        self.stock = stock


def positions(events: list[dict[str, Any]]) -> tuple[list[Position], set[int]]:
    """Return the positions of a traced game until place 1 is decided, and who has it."""
    rules = events[0]["rules"]
    sizes = [len(hand) for hand in events[1]["hands"]]
    stock = len(events[1]["stock"])
    found: list[Position] = []
    mover, owed, over = 0, False, False
    for event in [*events[2:-1], {"event": "end"}]:
        kind = event["event"]
        if over and kind not in ("recycle", "front"):
            found.append(Position(sizes, mover, owed, stock))
            over = False
        if kind == "out":
            break
        mover = event.get("player", mover)
        if kind in ("play", "grow"):
            sizes[mover] -= len(event["cards"])
            streak = event["streak"] >= 3 and rules["streak_penalty"] > 0
            owed = streak or (len(event["cards"]) >= 3 and rules["set_penalty"] > 0)
            over = True
        elif kind == "handoff":
            sizes[mover] -= 1
            sizes[event["target"]] += 1
            owed, over = False, True
        elif kind == "draw":
            sizes[mover] += len(event["cards"])
            stock -= len(event["cards"])
            # A pass goes on, unless the game ended with the stock.
            owed, over = False, event["reason"] == "penalty" or event is events[-2]
        elif kind == "recycle":
            stock = len(event["stock"])
        elif kind == "stop":
            owed, over = False, True
    winners = {seat for seat, place in enumerate(events[-1]["places"]) if place == 1}
    return found, winners


def coarse(position: Position, seat: int, policies: list[str], stock_out: bool) -> tuple[Any, ...]:
    sizes = position.sizes
    players = len(sizes)
    others = [size for other, size in enumerate(sizes) if other != seat]
    rounds = position.stock / players
    stage = 0 if not stock_out or rounds < 1 else 1 if rounds < 2 else 2 if rounds < 4 else 3
    return (
        min(sizes[seat], 10),
        min(min(others), 10),
        others.count(min(others)),
        (seat - position.next) % players,
        position.owed,
        stage,
        policies[seat],
    )


def slow_flow(seatings: list[driver.Cell], deals: int, first: int = 0) -> tuple[dict[str, list[float]], Any]:
    """Return what `measure_flow` returns: values by name, and predictions with what came of them."""
    games = [
        [
            (one, first + deal, *positions(events))
            for deal, events in enumerate(
                trace_games(one.rules, one.policies, SEED, range(first, first + deals))
            )
        ]
        for one in seatings
    ]
    stock_out = seatings[0].rules.end == "stock-out"
    players = seatings[0].players
    visits: dict[Any, int] = collections.Counter()
    wins: dict[Any, float] = collections.Counter()
    for one, deal, course_, winners in (game for some in games for game in some):
        for position in course_[:-1]:
            for seat in range(players):
                key = (deal % 2, coarse(position, seat, one.policies, stock_out))
                visits[key] += 1
                wins[key] += (seat in winners) / len(winners)

    predictions: list[tuple[float, float]] = []
    values: dict[str, list[list[float]]] = collections.defaultdict(list)
    for some in games:
        for column in values.values():
            column.append([])
        for one, deal, course_, winners in some:
            chances: list[list[float]] = []
            for position in course_[:-1]:
                keys = [
                    ((deal + 1) % 2, coarse(position, seat, one.policies, stock_out))
                    for seat in range(players)
                ]
                plain = [round(wins[key] * 60 + 60) / (60 * (visits[key] + players)) for key in keys]
                chances.append([p / sum(plain) for p in plain])
                predictions += [(p, (seat in winners) / len(winners)) for seat, p in enumerate(chances[-1])]
            found = values_of(course_, chances, winners)
            for name, value in found.items():
                values.setdefault(name, [[]])[-1].append(value)
    return {name: list(np.mean(columns, axis=0)) for name, columns in values.items()}, predictions


def values_of(course_: list[Position], chances: list[list[float]], winners: set[int]) -> dict[str, float]:
    players, turns = len(course_[0].sizes), len(course_)
    chances = [*chances, [float(seat in winners) for seat in range(players)]]
    found: dict[str, float] = {}
    leaders = {
        "": [
            {seat for seat in range(players) if p.sizes[seat] == min(p.sizes)} for p in course_[:-1]
        ] + [winners],
        ".v": [
            {seat for seat in range(players) if row[seat] > max(row) - 1e-13} for row in chances
        ],
    }  # fmt: skip
    for suffix, sets in leaders.items():
        changes = sum(a != b for a, b in itertools.pairwise(sets))
        found[f"lead_changes{suffix}"] = changes
        found[f"lead_changes_per_turn{suffix}"] = changes / turns
        found[f"behind{suffix}"] = sum(len(winners - s) / len(winners) for s in sets) / turns
        settled = next(t for t in range(turns) if all(s == winners for s in sets[t:]))
        found[f"lock_in{suffix}"] = (settled + 1) / turns
    half = course_[math.ceil(turns / 2) - 1].sizes
    losing = [seat for seat in winners if half[seat] == max(half) > min(half)]
    found["comeback"] = len(losing) / len(winners)
    later = chances[players - 1 :]
    lost = [seat for seat in winners if any(row[seat] < 1 / (2 * players) for row in later)]
    found["comeback.v"] = len(lost) / len(winners)
    found["drama"] = sum(max(r) - r[w] for r in chances for w in winners) / turns / len(winners)
    entropies = [-sum(p * math.log(p) for p in row) / math.log(players) for row in chances[:-1]]
    found["uncertainty"] = sum(entropies) / turns
    return found


CELLS = {
    "advanced": [cell("advanced", ["greedy"] * 4)],
    "calc": [cell("calc", ["random"] * 3)],
    "two": [cell("calc", ["greedy"] * 2)],
    "shared": [cell("calc-revised", ["greedy"] * 4)],
    "six": [cell("advanced", ["random"] * 6, ("end=stock-out", "handoff=push"))],
    "cut short": [cell("advanced", ["greedy"] * 3, ("turn_limit=7",))],
    "one turn": [cell("calc", ["greedy"] * 4, ("turn_limit=1",))],
    "one card": [cell("calc", ["greedy"] * 2, ("hand_size=1",))],
    "no penalties": [cell("calc", ["random"] * 4, ("streak_penalty=0",))],
    "mixed": [cell("advanced", p) for p in (["greedy", "random", "random"], ["random", "random", "greedy"])],
}


@pytest.mark.parametrize("name", CELLS)
def test_the_course_is_that_of_the_traces(name: str):
    seatings = CELLS[name]
    expected, predictions = slow_flow(seatings, 60, first=7)
    found = measure_flow(seatings, seed=SEED, deals=60, first=7)
    assert list(found.values) == list(course.NAMES)
    assert set(expected) == set(found.values)
    for metric, values in found.values.items():
        np.testing.assert_allclose(values, expected[metric], rtol=0, atol=1e-12, err_msg=metric)
    if not predictions:
        assert found.calibration.predictions == 0
        return
    misses = [(p - x) ** 2 for p, x in predictions]
    assert found.calibration.brier == pytest.approx(np.mean(misses))
    fair = 1 / seatings[0].players
    assert found.calibration.brier_fair == pytest.approx(np.mean([(fair - x) ** 2 for _, x in predictions]))
    by_size: dict[int, list[tuple[float, float]]] = collections.defaultdict(list)
    for p, x in predictions:
        by_size[int(p * course.BINS)].append((p, x))
    bins = [(*np.mean(by_size[b], axis=0), len(by_size[b])) for b in sorted(by_size)]
    assert [tuple(b) for b in found.calibration.bins] == [pytest.approx(b) for b in bins]


@pytest.mark.parametrize("name", ["advanced", "shared", "cut short"])
def test_the_course_ends_when_place_1_is_decided(name: str):
    one = CELLS[name][0]
    for events in trace_games(one.rules, one.policies, SEED, range(30)):
        found, winners = positions(events)
        names = [event["event"] for event in events]
        if "out" in names:
            before = names[: names.index("out")]
            assert len(found) == sum(map(before.count, ("play", "grow", "handoff", "stop", "penalty")))
        else:
            assert len(found) == events[-1]["turns"]
        # So the fewest cards and the outcome agree on who leads at the end.
        assert winners == {s for s, size in enumerate(found[-1].sizes) if size == min(found[-1].sizes)}


# ---- by hand


def by_hand(sizes: list[list[int]], winner: int) -> dict[str, float]:
    """Measure one game of two players, given the hand sizes after every turn."""
    rows = np.zeros((len(sizes), course.WIDTH), dtype=np.uint8)
    rows[:, :2] = sizes
    rows[:, course.NEXT] = [(turn + 1) % 2 for turn in range(len(sizes))]
    values = np.zeros((course.N_VALUES, 1))
    games = (rows, np.array([len(sizes)]), np.array([1 << winner]))
    course.measure_cards(*games, 2, values)
    course.measure_chances(
        *games,
        0,
        2,
        1,
        np.zeros(2, dtype=np.int64),
        np.full((2, course.SIZE_TABLE), 0.5),
        values,
        np.zeros((2, course.BINS), dtype=np.int64),
        np.zeros(course.BINS),
        np.zeros(2),
    )
    return dict(zip(course.NAMES, values[:, 0].tolist(), strict=True))


def test_a_game_by_hand():
    # Who leads: both, 1, 1, both, 0, 0.
    found = by_hand([[5, 5], [5, 3], [6, 3], [3, 3], [2, 3], [0, 3]], winner=0)
    assert found["lead_changes"] == 3
    assert found["lead_changes_per_turn"] == 3 / 6
    assert found["behind"] == 2 / 6
    assert found["comeback"] == 1  # 6 to 3 after turn 3 of 6
    assert found["lock_in"] == 5 / 6
    # Here all have the same chance until the end is known.
    assert found["lead_changes.v"] == 1
    assert found["lock_in.v"] == 1
    assert found["drama"] == found["comeback.v"] == found["behind.v"] == 0
    assert found["uncertainty"] == pytest.approx(5 / 6)


def test_a_winner_who_always_led_was_never_behind():
    found = by_hand([[4, 5], [4, 5], [3, 6], [0, 6]], winner=0)
    assert found["lead_changes"] == found["behind"] == found["comeback"] == 0
    assert found["lock_in"] == 1 / 4


def test_as_many_cards_as_everybody_is_no_comeback():
    assert by_hand([[4, 4], [4, 4], [2, 4], [0, 4]], winner=0)["comeback"] == 0


# ---- V


@pytest.mark.parametrize("name", ["advanced", "shared", "mixed"])
def test_v_is_calibrated(name: str):
    found = measure_flow(CELLS[name], seed=SEED, deals=6000).calibration
    assert found.error < 0.01
    assert found.brier < found.brier_fair
    assert 0 < found.skill < 1
    assert sum(b.n for b in found.bins) == found.predictions
    for b in found.bins:
        if b.n > 10_000:
            assert b.observed == pytest.approx(b.predicted, abs=0.02)


def test_v_tells_policies_apart():
    """Without the policy in the table, a greedy player among random ones would win more than predicted."""
    fair = measure_flow(CELLS["calc"], seed=SEED, deals=3000).calibration
    mixed = measure_flow(CELLS["mixed"], seed=SEED, deals=3000).calibration
    assert mixed.skill > fair.skill
    assert mixed.error < 0.015


# ---- around it


def test_deals_are_their_own_whatever_is_measured_with_them():
    """What goes by cards depends on a deal alone."""
    whole = measure_flow(CELLS["advanced"], seed=SEED, deals=400)
    part = measure_flow(CELLS["advanced"], seed=SEED, deals=100, first=250)
    assert (part.first, part.deals, part.games) == (250, 100, 100)
    for name in ("lead_changes", "behind", "comeback", "lock_in"):
        assert (whole.values[name][250:350] == part.values[name]).all()


def test_one_seating_needs_no_list():
    one = measure_flow(CELLS["calc"][0], seed=SEED, deals=50)
    same = measure_flow(CELLS["calc"], seed=SEED, deals=50)
    assert all((one.values[name] == same.values[name]).all() for name in one.values)
    assert one.calibration == same.calibration


def test_progress_counts_the_games_of_all_seatings():
    told: list[int] = []
    found: Flow = measure_flow(CELLS["mixed"], seed=SEED, deals=300, progress=told.append)
    assert told == [256, 300, 556, 600]
    assert found.games == 600


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(UsageError, match="2 or more"):
        measure_flow(CELLS["calc"], seed=SEED, deals=1)
    with pytest.raises(UsageError, match="same rules and policies"):
        measure_flow([*CELLS["calc"], *CELLS["two"]], seed=SEED, deals=10)


def test_names_are_those_of_the_registry():
    assert tuple(special.name for special in specials("flow")) == course.NAMES


# ---- logs of many games


@pytest.mark.parametrize("room", [1 << 19, 1 << 12])
def test_logs_in_a_row_are_those_of_the_games(room: int):
    one = CELLS["advanced"][0]
    many = tape.Tape(one)
    many._grow(room)  # with little room for the log, fewer games are played at once
    recorder = driver.Recorder(one)
    number = 3
    for log, out in many.batches(SEED, 3, 300):
        logs, columns = [], []
        for _ in range(out.shape[1]):
            log_1, column = recorder.record(SEED, number)
            logs.append(log_1.copy())
            columns.append(column.copy())
            number += 1
        assert (log == np.concatenate(logs)).all()
        assert (out == np.stack(columns, axis=1)).all()
    assert number == 303


def test_the_log_grows_for_a_long_game():
    many = tape.Tape(CELLS["advanced"][0])
    many._grow(600)
    log, _ = next(many.batches(SEED, 0, 1))
    assert log.size > 88
    assert many._log_size > 600


def test_a_row_holds_every_hand_size():
    assert np.iinfo(np.uint8).max > at.DECK
