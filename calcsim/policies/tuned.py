"""The tuned player: weights that ``calcsim tune`` found, one file for each preset and number of players."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from calcsim.policies import weighted
from calcsim.policies.naming import BuiltIn

if TYPE_CHECKING:
    from calcsim.rules import RuleSet

FOLDER: Final = Path(__file__).with_suffix("")
"""Files ``PRESET-PLAYERS.toml``: weights, how they were found, and what they are worth on fresh deals."""

VERSION: Final = 2
"""Raised whenever the weights change."""

ENTRIES: Final = (
    BuiltIn(
        "tuned",
        "weighs with what was found best for the preset and the number of players (see calcsim tune)",
        loader="calcsim.policies.tuned:load",
        version=VERSION + weighted.VERSION - 1,
        kind="weigher",
    ),
)
"""For the registry."""


def weights_file(rules: RuleSet, players: int) -> Path:
    """Return the file of weights that suits a table best.

    It is that of the preset that the rules derive from, and of the number of players nearest to this one:
    of two as near, the lower.
    """
    known = sorted(FOLDER.glob(f"{rules.name}-[2-6].toml"), key=lambda path: path.name)
    return min(known, key=lambda path: abs(int(path.stem[-1]) - players))


def load(values: Mapping[str, float], rules: RuleSet, players: int) -> tuple[Any, list[float]]:
    """Return no function, as `weighted.load`, and the tuned player's vector of parameters.

    Parameters
    ----------
    values
        None are taken.
    rules, players
        What it is to play.
    """
    return weighted.load(weighted.read_weights(weights_file(rules, players)), rules, players)
