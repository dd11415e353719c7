"""What is played unless something else is asked for."""

from __future__ import annotations

from typing import Final

DEFAULT_RULES: Final = "advanced"
DEFAULT_PLAYERS: Final = 4
DEFAULT_POLICY: Final = "greedy"
DEFAULT_GAMES: Final = 1_000_000
DEFAULT_SEED: Final = 20260101
