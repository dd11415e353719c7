"""The policies that come with calcsim: what they are called, take and do. Nothing heavy is imported here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from calcsim.policies.naming import Option


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A policy that comes with calcsim.

    Attributes
    ----------
    name
        What it is called.
    doc
        What it does, in a line.
    options
        The numbers it takes.
    loader
        ``module:function`` that makes it: called with the values of the options by name, the rules and the
        number of players, it returns the compiled function and its vector of parameters. Empty for the two
        that the engine itself knows.
    version
        Raised whenever it would play otherwise.
    """

    name: str
    doc: str
    options: tuple[Option, ...] = ()
    loader: str = ""
    version: int = 1


BUILT_IN: Final[dict[str, BuiltIn]] = {
    entry.name: entry
    for entry in (
        BuiltIn(
            "random",
            "any play or growth that is legal, else a hand-off by a fair coin, else passes (R11.1)",
        ),
        BuiltIn(
            "greedy",
            "any play or growth of the most cards, else a hand-off by a fair coin, else passes (R11.2)",
        ),
    )
}
"""By name, from the weakest to the strongest."""
