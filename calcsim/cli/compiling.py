"""The word to the newcomer whose first command has to compile the engine."""

from __future__ import annotations

from collections.abc import Sequence

from calcsim.cli.common import say

_announced = False


def announce(policies: Sequence[str], door: str = "game.play_games") -> None:
    """Check the policies' names, then say so if the engine is still to be compiled here.

    Imports numba, but nothing that compiles.

    Parameters
    ----------
    policies
        Names, as given.
    door
        The kernel that the command needs: each is compiled when it is first needed.

    Raises
    ------
    UsageError
        If a policy is unknown.
    """
    from calcsim.policies import check_name

    for name in policies:
        check_name(name)
    global _announced
    if _announced:
        return
    _announced = True
    from calcsim.engine._jit import CACHE, is_cold

    if CACHE is None:
        say("compiling the engine, in each run: no folder can be written to; set CALCSIM_CACHE_DIR")
    elif is_cold(door):
        say(f"compiling the engine for this machine, about half a minute, this once (kept in {CACHE})")
