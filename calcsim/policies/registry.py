"""The policies that come with calcsim: what they are called, take and do. Nothing heavy is imported here."""

from __future__ import annotations

from typing import Final

from calcsim.policies import searching, thumbs, tuned, weighted
from calcsim.policies.naming import BuiltIn

__all__ = ["BUILT_IN", "BuiltIn"]

_YARDSTICKS: Final = (
    BuiltIn(
        "random",
        "any play or growth that is legal, else a hand-off by a fair coin, else passes (R11.1)",
    ),
    BuiltIn(
        "greedy",
        "any play or growth of the most cards, else a hand-off by a fair coin, else passes (R11.2)",
    ),
)

BUILT_IN: Final[dict[str, BuiltIn]] = {
    entry.name: entry
    for entry in (
        *_YARDSTICKS,
        *thumbs.ENTRIES,
        *weighted.ENTRIES,
        *tuned.ENTRIES,
        *searching.ENTRIES,
    )
}
"""By name, from the weakest to the strongest."""
