"""calcsim: plays millions of games of Calc and Advanced Calc, and says what happens in them.

Nothing heavy is imported until it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calcsim.errors import CalcsimError, PolicyError, UsageError
from calcsim.policies import policy
from calcsim.rules import PRESETS, RuleSet, load_rules
from calcsim.version import __version__

if TYPE_CHECKING:
    from calcsim.simulation import simulate

__all__ = [
    "PRESETS",
    "CalcsimError",
    "PolicyError",
    "RuleSet",
    "UsageError",
    "__version__",
    "load_rules",
    "policy",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name == "simulate":
        from calcsim.simulation import simulate

        return simulate
    raise AttributeError(f"module 'calcsim' has no attribute {name!r}")
