"""The three published ways of playing, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from calcsim.errors import UsageError, nearest
from calcsim.rules.fields import FIELDS, PRESET_NAMES
from calcsim.rules.ruleset import RuleSet


def _build(column: int) -> RuleSet:
    values: dict[str, Any] = {name: entry.presets[column] for name, entry in FIELDS.items()}
    return RuleSet(name=PRESET_NAMES[column], **values)


PRESETS: Final[Mapping[str, RuleSet]] = MappingProxyType(
    {name: _build(column) for column, name in enumerate(PRESET_NAMES)}
)
"""`calc` and `calc-revised` (Calc, and with its author's additions), `advanced` (Advanced Calc)."""

PRESET_DOCS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "calc": "Calc as first published: one pile, no hand-offs, the first player out wins.",
        "calc-revised": "Calc with its author's additions: pushing, the stock ends the game, rank points.",
        "advanced": "Advanced Calc: growing fields of piles, shields, bonuses, played to the last.",
    }
)
"""One line about each preset."""


def preset(name: str) -> RuleSet:
    """Return the preset called `name`.

    Raises
    ------
    UsageError
        If there is none, with the nearest name.
    """
    if name not in PRESETS:
        raise UsageError(
            f"unknown preset {name!r}: must be {', '.join(PRESET_NAMES[:-1])} or {PRESET_NAMES[-1]}"
            f"{nearest(name, PRESET_NAMES)}"
        )
    return PRESETS[name]
