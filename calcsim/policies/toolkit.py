"""How the functions that authors of players use are written down: `calcsim.players` is full of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from calcsim.engine._jit import player_kernel

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Tool:
    """A function of `calcsim.players`.

    Attributes
    ----------
    name, arguments
        How it is called.
    group
        What it is about.
    values
        What it can return.
    clause
        Clauses of the rulebook.
    doc
        What it returns, in a line.
    """

    name: str
    arguments: tuple[str, ...]
    group: str
    values: str
    clause: str
    doc: str

    @property
    def call(self) -> str:
        """The function with its arguments, as it is written."""
        return f"{self.name}({', '.join(self.arguments)})"


TOOLS: Final[list[Tool]] = []
"""Every function for authors, in the order in which they are defined."""


def tool(group: str, values: str, clause: str) -> Callable[[F], F]:
    """Compile a function for authors, and keep what is said about it."""

    def wrap(function: F) -> F:
        arguments = tuple(inspect.signature(function).parameters)
        doc = " ".join((function.__doc__ or "").split())
        TOOLS.append(Tool(function.__name__, arguments, group, values, clause, doc))
        return player_kernel(function)

    return wrap


def helper(function: F) -> F:
    """Compile a function of a user's file that the policies in it call."""
    return player_kernel(function)
