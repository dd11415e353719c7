"""What all tests share: a plain terminal, Hypothesis profiles, the two implementations of the game."""

from __future__ import annotations

import os

# Before typer is imported anywhere: it reads these once.
os.environ["_TYPER_FORCE_DISABLE_TERMINAL"] = "1"
os.environ["COLUMNS"] = "100"
os.environ["TERMINAL_WIDTH"] = "100"
os.environ.pop("FORCE_COLOR", None)

import pytest
from hypothesis import HealthCheck, settings

from tests.implementations import IMPLEMENTATIONS, Implementation

COMMON = {
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("dev", **COMMON)
settings.register_profile("ci", derandomize=True, **COMMON)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(params=IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS.keys())
def impl(request: pytest.FixtureRequest) -> Implementation:
    """Each implementation of the game in turn: the reference and the engine."""
    implementation: Implementation = request.param
    return implementation
