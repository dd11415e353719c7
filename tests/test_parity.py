"""The engine and the reference side by side: the same deal, the same choices, the same everything."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calcsim.notation.table import Table as EngineTable
from calcsim.rules import rules_from_fields
from tests.reference import Table as ReferenceTable
from tests.reference import deal
from tests.reference.conformance import action_set, comparable, comparable_position
from tests.reference.strategies import arranged, cells, leaning_choice, line_up

Cell = tuple[dict[str, Any], int]


class Recycles(Iterator[list[str]]):
    """Recycles as they become known; a table may ask before an action that turns out to recycle nothing."""

    def __init__(self) -> None:
        self.stocks: deque[list[str]] = deque()

    def __next__(self) -> list[str]:
        if not self.stocks:
            raise StopIteration
        return self.stocks.popleft()


def play_side_by_side(cell: Cell, seed: int) -> int:
    """Play one game at both tables and return its number of turns; the reference leads."""
    rules, players = cell
    rng = random.Random(seed)
    leanings = line_up(rng)
    dealt = deal(rules, players, rng)
    if rng.random() < 0.5:
        dealt = arranged(dealt, rng)
    told = f"rules={rules} players={players} leanings={leanings} seed={seed}"
    recycles = Recycles()
    reference = ReferenceTable(rules, players, **dealt, shuffle_seed=seed)
    engine = EngineTable(rules_from_fields(rules), players, **dealt, recycles=recycles)
    events: list[dict[str, Any]] = []
    while not reference.over:
        assert not engine.over, told
        assert engine.seat == reference.seat, told
        legal = reference.legal()
        assert action_set(engine.legal()) == action_set(legal), told
        assert comparable_position(engine.position()) == comparable_position(reference.position()), told
        action = leaning_choice(leanings[reference.seat], legal, rng)
        events = reference.act(action)
        recycles.stocks += [event["stock"] for event in events if event["event"] == "recycle"]
        assert list(map(comparable, engine.act(action))) == list(map(comparable, events)), told
    assert engine.over, told
    assert engine.legal() == [], told
    turns: int = events[-1]["turns"]
    return turns


SEEDS = st.integers(0, 2**63 - 1)


@settings(max_examples=100)
@given(cells(st.sampled_from([80, 80, 30, 1, 80, 200])), SEEDS)
def test_parity(cell: Cell, seed: int) -> None:
    play_side_by_side(cell, seed)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(cells(st.sampled_from([100, 300, 20, 1000])), SEEDS)
def test_parity_of_many_games(cell: Cell, seed: int) -> None:
    play_side_by_side(cell, seed)
