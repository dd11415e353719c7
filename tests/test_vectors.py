"""The engine against the recorded positions and games."""

from __future__ import annotations

from typing import Any

import pytest

from calcsim.notation.table import Table, legal_actions
from tests.reference.conformance import action_set, positions, replay, traces

POSITIONS = positions()
TRACES = dict(traces())


@pytest.mark.parametrize("recorded", POSITIONS, ids=[recorded["name"] for recorded in POSITIONS])
def test_recorded_position(recorded: dict[str, Any]) -> None:
    assert action_set(legal_actions(recorded["position"])) == action_set(recorded["legal"])


@pytest.mark.parametrize("name", TRACES)
def test_recorded_game(name: str) -> None:
    replay(Table, TRACES[name])
