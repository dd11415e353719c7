"""calcsim: plays millions of games of Calc and Advanced Calc, and says what happens in them.

Nothing heavy is imported until it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from calcsim.errors import CalcsimError, PolicyError, UsageError
from calcsim.policies.authoring import policy, scorer
from calcsim.rules import PRESETS, RuleSet, load_rules
from calcsim.version import __version__

if TYPE_CHECKING:
    from calcsim.experiments.comparing import compare
    from calcsim.experiments.results import load
    from calcsim.simulation import simulate

__all__ = [
    "PRESETS",
    "CalcsimError",
    "PolicyError",
    "RuleSet",
    "UsageError",
    "__version__",
    "compare",
    "load",
    "load_rules",
    "policy",
    "scorer",
    "simulate",
]


_HEAVY: Final = {
    "compare": "calcsim.experiments.comparing",
    "load": "calcsim.experiments.results",
    "simulate": "calcsim.simulation",
}
"""Where names lie whose modules are imported when they are first used."""


def __getattr__(name: str) -> Any:
    if name in _HEAVY:
        import importlib

        return getattr(importlib.import_module(_HEAVY[name]), name)
    raise AttributeError(f"module 'calcsim' has no attribute {name!r}")
