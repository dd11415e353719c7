"""Players who weigh: from weights by name, or from a file of weights, to what the engine plays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from calcsim.errors import UsageError, nearest
from calcsim.policies.features import FEATURES, LIMIT, OPTIONS
from calcsim.policies.naming import BuiltIn

if TYPE_CHECKING:
    from calcsim.rules import RuleSet

VERSION: Final = 2
"""Raised whenever the same weights would play otherwise."""

ENTRIES: Final = (
    BuiltIn(
        "weighted",
        "the action with the highest weighted sum of features; without weights, anything legal",
        OPTIONS,
        "calcsim.policies.weighted:load",
        VERSION,
        kind="weigher",
    ),
)
"""For the registry."""


def load(values: Mapping[str, float], rules: RuleSet, players: int) -> tuple[Any, list[float]]:
    """Return no function, since the engine itself weighs, and the vector of parameters.

    Parameters
    ----------
    values
        Weights by the names of features; 0 for those not named.
    rules, players
        Not looked at.
    """
    return None, [float(values.get(feature.name, 0.0)) for feature in FEATURES]


def read_weights(path: str | Path) -> dict[str, float]:
    """Return the weights of a TOML file: its table ``[weights]``, one number by the name of a feature each.

    Whatever else is in the file tells where they come from, and is not looked at.

    Raises
    ------
    UsageError
        If the file cannot be read, or a name or number does not do.
    """
    import tomllib

    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"weights {str(path)!r}: cannot be read: {error}") from error
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"weights {str(path)!r}: {error}") from error
    return check_weights(table.get("weights"), str(path))


def check_weights(weights: object, where: str) -> dict[str, float]:
    """Return a table of weights with numbers as floats.

    Raises
    ------
    UsageError
        If it is no table, or a name or number does not do.
    """
    if not isinstance(weights, dict) or not weights:
        raise UsageError(f"weights {where!r}: needs a table [weights] with a number for each feature weighed")
    known = [feature.name for feature in FEATURES]
    for name, value in weights.items():
        if name not in known:
            raise UsageError(
                f"weights {where!r}: no feature {name!r}{nearest(name, known)} (known: {', '.join(known)})"
            )
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not -LIMIT <= value <= LIMIT:
            raise UsageError(
                f"weights {where!r}: {name} = {value!r} must be a number from {-LIMIT:g} to {LIMIT:g}"
            )
    return {name: float(value) for name, value in weights.items()}
