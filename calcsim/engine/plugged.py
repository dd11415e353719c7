"""Who sits where no plugged player does: the engine takes six functions whatever the line-up."""

from __future__ import annotations

from typing import Any

from calcsim.engine._jit import POLICY_SIGNATURE, entry


@entry(POLICY_SIGNATURE)
def nobody(view: Any, legal: Any, n_legal: int, params: Any, rng: Any) -> int:
    """Answer nothing; never asked."""
    return -1
