"""The rule sets of the table in section 9, as plain dicts of all 24 fields."""

from __future__ import annotations

from typing import Any

CALC: dict[str, Any] = {
    "max_players": 4,
    "hand_size": 5,
    "jokers": 2,
    "start_piles": 1,
    "growth": False,
    "finish_multiply": True,
    "joker_special": True,
    "joker_finish": False,
    "streak_penalty": 2,
    "set_penalty": 2,
    "streak_scope": "all-piles",
    "ring_from": "line-of-three",
    "star_halving": False,
    "handoff": "none",
    "push_min_hand": 3,
    "push_face_limit": 1,
    "shield_min_hand": 4,
    "shield_max_target": 3,
    "ko": True,
    "end": "first-out",
    "scoring": "win",
    "place_points": [100, 50, 30, 20, 10, 0],
    "bonuses": False,
    "turn_limit": 1000,
}
CALC_REVISED = CALC | {"handoff": "push", "end": "stock-out", "scoring": "rank-points"}
ADVANCED = CALC | {
    "max_players": 6,
    "start_piles": 2,
    "growth": True,
    "star_halving": True,
    "handoff": "shield",
    "end": "last-standing",
    "scoring": "places",
    "bonuses": True,
}
PRESETS = {"calc": CALC, "calc-revised": CALC_REVISED, "advanced": ADVANCED}


def complete(rules: Any) -> dict[str, Any]:
    """Return all fields of a preset's name, of a preset with changes, of a full dict or of a rule set."""
    if isinstance(rules, str):
        return dict(PRESETS[rules])
    if hasattr(rules, "as_dict"):
        return dict(rules.as_dict())
    changes = dict(rules)
    fields = PRESETS[changes.pop("preset", "calc")] | changes
    assert fields.keys() == CALC.keys(), sorted(fields.keys() ^ CALC.keys())
    return fields
