"""Rule-of-thumb players: each sheds as many cards as it can, and follows one idea besides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from calcsim.policies.naming import BuiltIn
from calcsim.policies.weighted import VERSION
from calcsim.policies.weighted import load as load_weights

if TYPE_CHECKING:
    from calcsim.rules import RuleSet

SHED: Final = {"cards": 1.0, "out": 100.0, "handoff": 0.5}
"""What all have in common: most cards first, and rather hand a card off than pass."""

IDEAS: Final[dict[str, tuple[str, dict[str, float]]]] = {
    "sheds": ("any play or growth of the most cards, else any hand-off, else passes", {}),
    "keeps-jokers": (
        "sheds, but uses a joker only where it could not play without one",
        {"jokers": -14.0, "pass": -50.0, "stop": -50.0, "accept": -50.0, "handoff": -49.0},
    ),
    "keeps-pairs": (
        "sheds, but keeps cards that could all go out in one play",
        {"left_out": 3.0, "left_ways": 0.4},
    ),
    "strikes": (
        "sheds, but first of all puts the next player under a penalty, the more cards the better",
        {"strike": 50.0, "penalty": 1.0},
    ),
    "blocks": (
        "sheds, but rather hands a card to a player near to going out, and a joker first",
        {"handoff_near": 3.0, "handoff_joker": 0.5},
    ),
    "denies": (
        "sheds; of plays with as many cards, leaves high numbers on top, and such as others rarely hold",
        {"top": 0.5, "expose": -0.4},
    ),
    "grows": ("sheds, but starts a new pile wherever it can", {"grow": 50.0}),
    "never-grows": ("sheds, but starts no new pile unless it goes out by it", {"grow": -50.0}),
}
"""By name: what it does, and the weights beside `SHED`."""

SENSIBLE: Final = {
    "cards": 0.5,
    "out": 100.0,
    "bonus": 10.0,
    "jokers": -0.4,
    "high": 0.5,
    "pass": -0.5,
    "grow": -0.2,
    "penalty": 0.1,
    "strike": 0.5,
    "strike_near": 1.0,
    "top": 1.0,
    "expose_near": -2.0,
    "handoff": -0.3,
    "handoff_near": 3.0,
    "handoff_next": 0.5,
    "handoff_high": 1.5,
    "handoff_again": -6.0,
    "left_flex": 0.5,
    "left_shed": 0.6,
    "left_out": 2.5,
    "left_ways": 0.4,
    "ends": 3.0,
}
"""All good ideas, weighed by hand."""


def weights_of(name: str) -> dict[str, float]:
    """Return the weights of a rule-of-thumb player."""
    return dict(SENSIBLE) if name == "sensible" else SHED | IDEAS[name][1]


def _loader(name: str) -> Callable[[Mapping[str, float], RuleSet, int], tuple[Any, list[float]]]:
    def load(values: Mapping[str, float], rules: RuleSet, players: int) -> tuple[Any, list[float]]:
        return load_weights(weights_of(name), rules, players)

    return load


load_sheds = _loader("sheds")
load_keeps_jokers = _loader("keeps-jokers")
load_keeps_pairs = _loader("keeps-pairs")
load_strikes = _loader("strikes")
load_blocks = _loader("blocks")
load_denies = _loader("denies")
load_grows = _loader("grows")
load_never_grows = _loader("never-grows")
load_sensible = _loader("sensible")


def _entry(name: str, doc: str) -> BuiltIn:
    loader = f"calcsim.policies.thumbs:load_{name.replace('-', '_')}"
    return BuiltIn(name, doc, loader=loader, version=VERSION, kind="weigher")


ENTRIES: Final = (
    *(_entry(name, doc) for name, (doc, _) in IDEAS.items()),
    _entry("sensible", "all good ideas at once, weighed by hand"),
)
"""For the registry, the single ideas first."""
