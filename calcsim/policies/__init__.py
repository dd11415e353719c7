"""The players: those that come with calcsim, and those in a user's own file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from calcsim.errors import UsageError, nearest

__all__ = ["Policy", "check_name", "describe", "line_up", "names", "policy", "resolve"]

_BUILT_IN: Final = {
    "random": "any play or growth that is legal, else a hand-off by a fair coin, else passes (R11.1)",
    "greedy": "any play or growth of the most cards, else a hand-off by a fair coin, else passes (R11.2)",
}


@dataclass(frozen=True)
class Policy:
    """A policy ready to sit at a table.

    Attributes
    ----------
    name
        As it was asked for.
    function
        The compiled function of a plugged player; None for those the engine knows.
    """

    name: str
    function: Any = None


def names() -> tuple[str, ...]:
    """Return the names of the policies that come with calcsim."""
    return tuple(_BUILT_IN)


def describe(name: str) -> str:
    """Return in a line what a policy of `names` does."""
    return _BUILT_IN[name]


def line_up(policies: Sequence[str], players: int) -> tuple[str, ...]:
    """Return the name of the policy at each seat.

    Parameters
    ----------
    policies
        One name for all seats, or one a seat.
    players
        Number of seats.

    Raises
    ------
    UsageError
        If there are neither one nor `players` names.
    """
    if len(policies) == 1:
        return (policies[0],) * players
    if len(policies) != players:
        raise UsageError(
            f"policy: {len(policies)} names for {players} players; give one, or one for each seat"
        )
    return tuple(policies)


def check_name(name: str) -> None:
    """Check that a name may be a policy, without compiling or running anything.

    Raises
    ------
    UsageError
        If it is neither one of `names` nor ``FILE.py:FUNCTION`` with a file that is there.
    """
    if name in _BUILT_IN:
        return
    file, colon, function = name.rpartition(":")
    if not file.endswith(".py") and not name.endswith(".py"):
        known = f"known: {', '.join(_BUILT_IN)}; or FILE.py:FUNCTION"
        raise UsageError(f"unknown policy {name!r}{nearest(name, _BUILT_IN)} ({known})")
    if not colon or not function.isidentifier():
        raise UsageError(f"policy {name!r}: name the function, too: FILE.py:FUNCTION")
    if not Path(file).is_file():
        raise UsageError(f"policy {name!r}: there is no file {file!r}")


def resolve(name: str) -> Policy:
    """Return the policy of a name, compiled if it is a user's.

    Parameters
    ----------
    name
        One of `names`, or ``FILE.py:FUNCTION``.

    Raises
    ------
    UsageError
        If there is none, or the file or the function does not do.
    """
    check_name(name)
    if name in _BUILT_IN:
        return Policy(name)
    from calcsim.policies.plugin import load

    return Policy(name, load(name))


def policy(function: Callable[..., int]) -> Any:
    """Mark a function of a user's file as a policy, and compile it to what the engine calls.

    The function takes ``(view, legal, n, params, rng)`` and returns an index below `n` into `legal`: what the
    player sees (`calcsim.engine.view`), the legal actions (`calcsim.engine.actions`), how many they are, its
    parameters, and its own random stream (`calcsim.engine.rng.below`).
    """
    from calcsim.engine._jit import policy_kernel

    return policy_kernel(function)
