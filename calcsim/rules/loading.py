"""Rule sets from names, TOML files, ``field=value`` texts, positions and traces."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from calcsim.errors import UsageError, nearest
from calcsim.rules.fields import FIELDS, PRESET_NAMES, field
from calcsim.rules.presets import PRESETS, preset
from calcsim.rules.ruleset import RuleSet

DEFAULT_PRESET: Final = "advanced"
"""What a file of rules changes where it names no preset."""


def load_rules(source: str, changes: Sequence[str] = ()) -> RuleSet:
    """Return the rule set named `source`, or written in the TOML file `source`, with `changes` made.

    Parameters
    ----------
    source
        Name of a preset, or path of a TOML file whose keys are fields and, if wanted, ``preset`` (else
        `DEFAULT_PRESET` is what the file changes).
    changes
        Texts like ``"handoff=none"``, all made at once, so that their order means nothing.

    Raises
    ------
    UsageError
        For an unknown name, a file that cannot be read, and whatever `RuleSet` refuses.

    Examples
    --------
    >>> load_rules("advanced", ["handoff=none", "jokers=1"]).differences()
    {'jokers': 1, 'handoff': 'none'}
    """
    values: dict[str, Any] = {}
    for change in changes:
        name, value = parse_change(change)
        if values.setdefault(name, value) != value:
            shown = FIELDS[name].format
            raise UsageError(
                f"{name} is set twice, to {shown(values[name])} and to {shown(value)}; set it once"
            )
    if source in PRESETS:
        return preset(source).replace(**values)
    if not _means_file(source):
        raise UsageError(
            f"unknown rules {source!r}: must be {', '.join(PRESET_NAMES)} or a TOML file"
            f"{nearest(source, PRESET_NAMES)}"
        )
    base, fields = _split_preset(_read_toml(Path(source)), DEFAULT_PRESET, where=source)
    return _changed(base, fields | values, where=source)


def parse_change(text: str) -> tuple[str, Any]:
    """Return field and value of a text like ``"hand_size=6"``; the range is checked later, with the rest.

    Raises
    ------
    UsageError
        If there is no ``=``, no such field, or the value cannot be read.

    Examples
    --------
    >>> parse_change("place_points=6,5,4,3,2,1")
    ('place_points', (6, 5, 4, 3, 2, 1))
    """
    name, equals, value = text.partition("=")
    entry = field(name.strip())
    if not equals:
        raise UsageError(f"no value in {text!r}: write {entry.name}=VALUE, {entry.range_text}")
    return entry.name, entry.parse(value)


def rules_from_mapping(rules: object, where: str = "") -> RuleSet:
    """Return the rule set that a position's ``rules`` describe.

    Parameters
    ----------
    rules
        A preset's name, ``{"preset": name, field: value, ...}``, or all fields without a preset.
    where
        Put in front of the message of an error, with a colon.

    Raises
    ------
    UsageError
        If `rules` is anything else, and whatever `RuleSet` refuses.
    """
    if isinstance(rules, str):
        return _changed(rules, {}, where)
    if not isinstance(rules, Mapping):
        raise _placed(UsageError(f"rules={rules!r}: must be a preset's name or an object of fields"), where)
    if "preset" not in rules:
        return rules_from_fields(rules, where)
    base, fields = _split_preset(rules, DEFAULT_PRESET, where)
    return _changed(base, fields, where)


def rules_from_fields(fields: Mapping[str, Any], where: str = "") -> RuleSet:
    """Return the rule set whose every field is given, deriving from the preset it is nearest to.

    Parameters
    ----------
    fields
        A value for each name in `FIELDS`, as in the ``game`` line of a trace.
    where
        Put in front of the message of an error, with a colon.

    Raises
    ------
    UsageError
        If a field is missing or unknown, and whatever `RuleSet` refuses.
    """
    missing = [name for name in FIELDS if name not in fields]
    if missing and all(name in FIELDS for name in fields):
        raise _placed(
            UsageError(f"no {missing[0]!r} in the rules: give a preset, or each of the {len(FIELDS)} fields"),
            where,
        )
    rules = _changed(DEFAULT_PRESET, dict(fields), where)
    nearest_preset = min(PRESET_NAMES, key=lambda name: _distance(rules, PRESETS[name]))
    return dataclasses.replace(rules, name=nearest_preset)


def _distance(rules: RuleSet, other: RuleSet) -> int:
    return sum(getattr(rules, name) != getattr(other, name) for name in FIELDS)


def _split_preset(mapping: Mapping[str, Any], default: str, where: str) -> tuple[str, dict[str, Any]]:
    fields = dict(mapping)
    base = fields.pop("preset", default)
    if not isinstance(base, str):
        raise _placed(UsageError(f"preset={base!r}: must be {', '.join(PRESET_NAMES)}"), where)
    return base, fields


def _changed(base: str, fields: dict[str, Any], where: str) -> RuleSet:
    try:
        return preset(base).replace(**fields)
    except UsageError as error:
        raise _placed(error, where) from None


def _placed(error: UsageError, where: str) -> UsageError:
    return UsageError(f"{where}: {error}") if where else error


def _means_file(source: str) -> bool:
    return source.endswith(".toml") or os.sep in source or os.path.exists(source)


def _read_toml(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"cannot read rules from {str(path)!r}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"cannot read rules from {str(path)!r}: not text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"cannot read rules from {str(path)!r}: no TOML: {error}") from None
