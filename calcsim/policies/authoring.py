"""What authors of players write above their functions: `policy` and `scorer`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar, overload

from calcsim.errors import UsageError
from calcsim.policies.naming import FORBID, Option

F = TypeVar("F", bound=Callable[..., Any])

Form = Literal["policy", "scorer"]
Declared = float | tuple[float, float, float]
"""A parameter's default, or its default, least and greatest value."""

MOST_PARAMETERS: Final = 64
"""Parameters that a policy can have."""

FAR: Final = 1e9
"""Parameters lie between this and its negative unless the author says otherwise."""

MARK: Final = "calcsim_mark"
"""Attribute of a marked function that says what it is."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What an author said about a function.

    Attributes
    ----------
    form
        ``policy`` chooses among the legal actions, ``scorer`` rates one of them.
    options
        Its parameters, in the order of `params`.
    """

    form: Form
    options: tuple[Option, ...] = ()


@overload
def policy(function: F, /) -> F: ...
@overload
def policy(**parameters: Declared) -> Callable[[F], F]: ...
def policy(function: F | None = None, /, **parameters: Declared) -> F | Callable[[F], F]:
    """Mark a function of a user's file as a policy.

    The function takes ``(view, legal, n, params, rng)`` and returns an index below `n` into `legal`: what the
    player sees and the legal actions (`calcsim.players` reads both), how many actions they are, the
    parameters, and the player's own random stream (`calcsim.players.below`).

    Parameters
    ----------
    function
        The function, where the decorator stands alone.
    parameters
        Numbers that whoever names the policy can set, as ``mine.py:bold:risk=0.5``, each with its default, or
        with default, least and greatest value. ``params[0]`` is the first.

    Raises
    ------
    UsageError
        If a parameter is none, or there are more than 64.

    Examples
    --------
    >>> @policy(risk=(0.3, 0.0, 1.0))
    ... def bold(view, legal, n, params, rng):
    ...     return 0 if params[0] > 0.5 else n - 1
    """
    return _mark("policy", function, parameters)


@overload
def scorer(function: F, /) -> F: ...
@overload
def scorer(**parameters: Declared) -> Callable[[F], F]: ...
def scorer(function: F | None = None, /, **parameters: Declared) -> F | Callable[[F], F]:
    """Mark a function of a user's file as a policy that rates actions one by one.

    The function takes ``(view, action, params)`` and returns a number. The legal action of the highest score
    is done; among equal ones the player's random stream draws.

    Parameters
    ----------
    function, parameters
        As for `policy`.

    Raises
    ------
    UsageError
        If a parameter is none, or there are more than 64.

    Examples
    --------
    >>> @scorer
    ... def sheds(view, action, params):
    ...     return (action >> 4) & 15
    """
    return _mark("scorer", function, parameters)


def mark_of(function: Any) -> Mark | None:
    """Return what the author said about a function, None if nothing."""
    found: Mark | None = getattr(function, MARK, None)
    return found


def _mark(form: Form, function: F | None, parameters: dict[str, Declared]) -> F | Callable[[F], F]:
    mark = Mark(form, _options(form, parameters))

    def wrap(marked: F) -> F:
        from calcsim.engine._jit import player_kernel

        compiled = player_kernel(getattr(marked, "py_func", marked))
        setattr(compiled, MARK, mark)
        return compiled

    return wrap if function is None else wrap(function)


def _options(form: Form, parameters: dict[str, Declared]) -> tuple[Option, ...]:
    if len(parameters) > MOST_PARAMETERS:
        raise UsageError(f"@{form}: {len(parameters)} parameters; {MOST_PARAMETERS} at most")
    options = []
    for name, declared in parameters.items():
        numbers = declared if isinstance(declared, tuple) else (declared, -FAR, FAR)
        if name == FORBID:
            raise UsageError(f"@{form}: {FORBID} is an option of every policy; give {name}= another name")
        if len(numbers) != 3 or not all(isinstance(number, int | float) for number in numbers):
            raise UsageError(f"@{form}: {name}={declared!r} must be a number, or (default, least, greatest)")
        default, low, high = map(float, numbers)
        if not low <= default <= high:
            raise UsageError(f"@{form}: {name}={declared!r}: the default must lie between the other two")
        options.append(Option(name, default, low, high, ""))
    return tuple(options)
