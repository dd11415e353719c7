"""Tables of strategies as JSON, and back: what a store keeps, and reports are written from."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

import numpy as np

from calcsim.rules import RuleSet, rules_from_mapping

_TYPE: Final = "is"

_DIGITS: Final = 10
"""Significant ones: the last bits of a number may depend on the processor."""


@functools.cache
def _types() -> dict[str, Any]:
    from calcsim.experiments import metagame, restricted, skill, tournament
    from calcsim.experiments.matches import ToTell
    from calcsim.stats.intervals import Estimate
    from calcsim.stats.metagame import Attractor
    from calcsim.stats.verdicts import Verdict

    known: tuple[Any, ...] = (
        *(tournament.Tournament, tournament.Standing, tournament.Pair, tournament.Bout),
        *(metagame.Metagame, metagame.Payoff, metagame.Invasion, metagame.Survival, Attractor),
        *(restricted.RestrictedPlay, restricted.Worth, Verdict),
        *(skill.Skill, skill.Table, skill.Duel, ToTell),
        Estimate,
    )
    return {one.__name__: one for one in known}


def encode(found: Any, names: Mapping[str, str]) -> str:
    """Return what a table came to as JSON.

    Parameters
    ----------
    found
        As `calcsim.experiments.strategies.kinds.play` returns it.
    names
        How policies are written, by how they were resolved.
    """
    return json.dumps(_plain(found, names), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def decode(text: str) -> Any:
    """Return what `encode` encoded, numbers rounded to ten digits and lists as tuples."""
    return _object(json.loads(text))


def _plain(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float | np.floating):
        number = float(value)
        return float(f"{number:.{_DIGITS}g}") if math.isfinite(number) else {_TYPE: repr(number)}
    if isinstance(value, np.bool_ | np.integer):
        return value.item()
    if isinstance(value, np.ndarray):
        return {_TYPE: "array", "values": _plain(value.tolist(), names)}
    if isinstance(value, RuleSet):
        return {_TYPE: "rules", "preset": value.name, **value.as_dict()}
    if isinstance(value, Mapping):
        return {str(key): _plain(entry, names) for key, entry in value.items()}
    if hasattr(value, "_fields") or is_dataclass(value):
        keys = value._fields if hasattr(value, "_fields") else [one.name for one in fields(value)]
        return {_TYPE: type(value).__name__} | {key: _plain(getattr(value, key), names) for key in keys}
    return [_plain(entry, names) for entry in value]


def _object(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_object(entry) for entry in value)
    if not isinstance(value, dict):
        return value
    if _TYPE not in value:
        return {key: _object(entry) for key, entry in value.items()}
    rest = {key: entry for key, entry in value.items() if key != _TYPE}
    name = value[_TYPE]
    if name in ("inf", "-inf", "nan"):
        return float(name)
    if name == "array":
        return np.array(_object(rest["values"]), dtype=np.float64)
    if name == "rules":
        return rules_from_mapping(rest)
    return _types()[name](**{key: _object(entry) for key, entry in rest.items()})
