"""Names of policies: a base, and options after colons, as ``greedy:forbid=growth``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from calcsim.errors import UsageError, nearest

FORBID: Final = "forbid"
"""The option that every policy takes: parts of the game it does without, joined by ``+``."""

RESTRICTIONS: Final = {
    "shield": "no hand-offs, whether they are shields or pushes (R7)",
    "growth": "no growths (R5.1)",
    "joker-hold": "no keeping of jokers: where some play or growth uses one, one of these (R4.7)",
    "avoid": "no avoiding of penalties (R6.6)",
    "multiply-finish": "no products and quotients (R4.4)",
}
"""What can be forbidden, in the order of the bits in `calcsim.engine.restrict`."""


@dataclass(frozen=True, slots=True)
class Option:
    """A number that a policy can be given.

    Attributes
    ----------
    name, default, low, high
        What it is called, what it is unless given, and its range.
    doc
        One line.
    whole
        Whether it is a whole number.
    """

    name: str
    default: float
    low: float
    high: float
    doc: str
    whole: bool = False

    def parse(self, text: str, policy: str) -> float:
        """Return the number that is written.

        Raises
        ------
        UsageError
            If it is none, or out of range.
        """
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not self.low <= value <= self.high or (self.whole and value != int(value)):
            kind = "a whole number" if self.whole else "a number"
            raise UsageError(
                f"policy {policy!r}: {self.name}={text!r} must be {kind} from {self.low:g} to {self.high:g}"
            )
        return value


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
        ``module:function`` that makes it: called with the values of the options by name, the bits of what is
        forbidden under `FORBID`, the rules and the number of players, it returns the compiled function, None
        of a weigher, and its vector of parameters. Empty for the two that the engine itself knows.
    version
        Raised whenever it would play otherwise.
    kind
        How the engine asks it, see `calcsim.policies.Policy`.
    """

    name: str
    doc: str
    options: tuple[Option, ...] = ()
    loader: str = ""
    version: int = 1
    kind: Literal["thinker", "weigher"] = "thinker"


@dataclass(frozen=True, slots=True)
class PolicyName:
    """A policy's name taken apart.

    Attributes
    ----------
    text
        As it was given.
    base
        A built-in's name, ``FILE.py:FUNCTION``, or ``FILE.toml``, a file of weights.
    options
        The texts of its options by name, without `FORBID`.
    forbidden
        Bits of what it does without.
    """

    text: str
    base: str
    options: Mapping[str, str]
    forbidden: int

    @property
    def file(self) -> str | None:
        """The file that the base names, if it names one."""
        if self.base.endswith(".toml"):
            return self.base
        file = self.base.rpartition(":")[0]
        return file if file.endswith(".py") else None


def split_name(text: str) -> PolicyName:
    """Take a policy's name apart.

    Raises
    ------
    UsageError
        If an option is given twice, or what is forbidden is unknown.

    Examples
    --------
    >>> split_name("mine.py:bold:risk=0.3:forbid=growth").base
    'mine.py:bold'
    """
    parts = text.split(":")
    n_options = 0
    while n_options < len(parts) - 1 and "=" in parts[len(parts) - 1 - n_options]:
        n_options += 1
    base = ":".join(parts[: len(parts) - n_options])
    options: dict[str, str] = {}
    for part in parts[len(parts) - n_options :]:
        name, _, value = part.partition("=")
        if name in options:
            raise UsageError(f"policy {text!r}: {name} is given twice")
        options[name] = value
    return PolicyName(text, base, options, _forbidden(text, options.pop(FORBID, "")))


def _forbidden(text: str, words: str) -> int:
    mask = 0
    names = list(RESTRICTIONS)
    for word in filter(None, words.split("+")):
        if word not in RESTRICTIONS:
            raise UsageError(
                f"policy {text!r}: cannot forbid {word!r}{nearest(word, names)} (known: {', '.join(names)})"
            )
        mask |= 1 << names.index(word)
    return mask


def read_options(name: PolicyName, known: Iterable[Option]) -> list[float]:
    """Return the values of a policy's options, in their order, defaults where none is given.

    Raises
    ------
    UsageError
        If one is unknown or its value does not do.
    """
    options = {option.name: option for option in known}
    for key in name.options:
        if key not in options:
            takes = f"it takes {', '.join(options)}" if options else "it takes none but forbid"
            raise UsageError(f"policy {name.text!r}: no option {key!r}{nearest(key, options)} ({takes})")
    return [
        option.parse(name.options[key], name.text) if key in name.options else option.default
        for key, option in options.items()
    ]
