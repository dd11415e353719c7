"""The player who looks ahead: what it takes, and with which weights it plays on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from calcsim.policies import tuned, weighted
from calcsim.policies.features import FEATURES
from calcsim.policies.naming import FORBID, BuiltIn, Option

if TYPE_CHECKING:
    from calcsim.rules import RuleSet

VERSION: Final = 1
"""Raised whenever the same search with the same weights would play otherwise."""

OPTIONS: Final = (
    Option("playouts", 256, 1, 1_000_000, "games that are played on to judge a decision's actions", True),
    Option("width", 8, 2, 1024, "actions that are judged, those that the weights like best", True),
    Option("depth", 9, 1, 100_000, "turns after which a playout is judged by the hand sizes", True),
    Option("trust", 4, 0, 1000, "playouts won that the weights' own choice is ahead by"),
    Option("weighed", 1, 0, 1, "playouts by the weights (1), better and slower, or greedy (0)", True),
    Option("score", 0, 0, 1, "aims at points (1), in whole games, or at the best place (0)", True),
)
"""In the order in which `calcsim.engine.search` takes them."""

ENTRIES: Final = (
    BuiltIn(
        "search",
        "plays the likeliest actions out on deals that agree with what it sees, and takes the best",
        OPTIONS,
        "calcsim.policies.searching:load",
        VERSION + tuned.VERSION + weighted.VERSION - 2,
    ),
)
"""For the registry."""


def load(values: Mapping[str, float], rules: RuleSet, players: int) -> tuple[Any, list[float]]:
    """Return the compiled function of the player who looks ahead, and its vector of parameters.

    Parameters
    ----------
    values
        The options, by name, and by `FORBID` the bits of what it may not do: it plans without that, too.
    rules, players
        What it is to play.
    """
    from calcsim.engine.search import search

    # They tell which actions are worth a look, and play on.
    weights = weighted.read_weights(tuned.weights_file(rules, players))
    vector = [weights.get(feature.name, 0.0) for feature in FEATURES]
    vector += [values[option.name] for option in OPTIONS]
    return search, [*vector, values[FORBID]]
