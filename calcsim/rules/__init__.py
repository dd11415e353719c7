"""The rules: rule sets, presets, how they are read and named, and the rulebook itself."""

from calcsim.rules.fields import FIELDS, PRESET_NAMES, Field, field
from calcsim.rules.loading import load_rules, rules_from_fields, rules_from_mapping
from calcsim.rules.presets import PRESET_DOCS, PRESETS, preset
from calcsim.rules.ruleset import RuleSet

__all__ = [
    "FIELDS",
    "PRESETS",
    "PRESET_DOCS",
    "PRESET_NAMES",
    "Field",
    "RuleSet",
    "field",
    "load_rules",
    "preset",
    "rules_from_fields",
    "rules_from_mapping",
]
