"""The players: those that come with calcsim, and those in a user's own file."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from calcsim.errors import UsageError, nearest
from calcsim.policies.features import OPTIONS
from calcsim.policies.naming import FORBID, PolicyName, read_options, split_name
from calcsim.policies.registry import BUILT_IN
from calcsim.policies.weighted import load as load_weights
from calcsim.policies.weighted import read_weights

if TYPE_CHECKING:
    from calcsim.rules import RuleSet

__all__ = ["Policy", "check_name", "describe", "identity", "line_up", "names", "resolve", "with_a_list"]


@dataclass(frozen=True)
class Policy:
    """A policy ready to sit at a table.

    Attributes
    ----------
    name
        As it was asked for.
    kind
        ``random`` or ``greedy``, which the engine knows; ``plugged``, a user's, which is shown a view; or one
        of calcsim's own, which read the state: ``thinker``, or ``weigher``, which lists no actions.
    function
        The compiled function of ``plugged`` and ``thinker``; of a ``weigher`` only `with_a_list`.
    params
        What the function gets as its parameters, padded with zeros.
    forbidden
        Bits of what it may not do (`calcsim.policies.naming.RESTRICTIONS`).
    """

    name: str
    kind: Literal["random", "greedy", "plugged", "thinker", "weigher"]
    function: Any = None
    params: tuple[float, ...] = ()
    forbidden: int = 0


def names() -> tuple[str, ...]:
    """Return the names of the policies that come with calcsim, from the weakest to the strongest."""
    return tuple(BUILT_IN)


def describe(name: str) -> str:
    """Return in a line what a policy of `names` does."""
    return BUILT_IN[name].doc


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


def check_name(name: str) -> PolicyName:
    """Check that a name may be a policy, without compiling or running anything, and take it apart.

    Raises
    ------
    UsageError
        If its base is neither one of `names`, nor ``FILE.py:FUNCTION`` or a file of weights that is there,
        or an option does not do.
    """
    split = split_name(name)
    base = split.base
    if base in BUILT_IN:
        read_options(split, BUILT_IN[base].options)
        return split
    if base.endswith(".toml"):
        _weights(split)
        return split
    file, colon, function = base.rpartition(":")
    if not file.endswith(".py") and not base.endswith(".py"):
        known = f"known: {', '.join(BUILT_IN)}; or FILE.py:FUNCTION or FILE.toml"
        raise UsageError(f"unknown policy {name!r}{nearest(base, BUILT_IN)} ({known})")
    if not colon or not function.isidentifier():
        raise UsageError(f"policy {name!r}: name the function, too: FILE.py:FUNCTION")
    if not Path(file).is_file():
        raise UsageError(f"policy {name!r}: there is no file {file!r}")
    return split


def _weights(split: PolicyName) -> dict[str, float]:
    """Return the weights of a file, changed by options of the same names.

    Raises
    ------
    UsageError
        If the file, a weight in it or an option does not do.
    """
    if not Path(split.base).is_file():
        raise UsageError(f"policy {split.text!r}: there is no file {split.base!r}")
    weights = read_weights(split.base)
    given = zip(OPTIONS, read_options(split, OPTIONS), strict=True)
    return weights | {option.name: value for option, value in given if option.name in split.options}


def resolve(name: str, rules: RuleSet, players: int) -> Policy:
    """Return the policy of a name, compiled if it is a user's.

    Parameters
    ----------
    name
        One of `names`, ``FILE.py:FUNCTION`` or ``FILE.toml``, with options after colons.
    rules, players
        What it is to play: some policies know what they are good at.

    Raises
    ------
    UsageError
        If there is none, or the file, the function or an option does not do.
    """
    split = check_name(name)
    if split.base in ("random", "greedy"):
        return Policy(name, "random" if split.base == "random" else "greedy", forbidden=split.forbidden)
    if split.base in BUILT_IN:
        entry = BUILT_IN[split.base]
        values = dict(zip((o.name for o in entry.options), read_options(split, entry.options), strict=True))
        values[FORBID] = split.forbidden
        module, _, function_name = entry.loader.partition(":")
        make = getattr(importlib.import_module(module), function_name)
        function, params = make(values, rules, players)
        policy = Policy(name, entry.kind, function, tuple(params), split.forbidden)
    elif split.base.endswith(".toml"):
        function, params = load_weights(_weights(split), rules, players)
        policy = Policy(name, "weigher", function, tuple(params), split.forbidden)
    else:
        from calcsim.policies.plugin import load

        function, params = load(split)
        policy = Policy(name, "plugged", function, tuple(params), split.forbidden)
    return with_a_list(policy) if split.forbidden else policy


def with_a_list(policy: Policy) -> Policy:
    """Return a policy that can choose from any list of actions: a weigher with its function, others as is."""
    if policy.kind != "weigher":
        return policy
    from calcsim.engine.weigher import weigh

    return replace(policy, function=weigh)


def _version(name: str) -> str:
    """Return the version of a built-in as it stands in an identity."""
    version = BUILT_IN[name].version
    return "" if version == 1 else f"#{version}"


def identity(name: str) -> str:
    """Return what tells a policy from all others, wherever its file lies.

    A built-in is told by its name, options and version, a user's by its function's name, its options and the
    bytes of its file; what the file imports is not looked at. A file of weights is told by its bytes and the
    version of `weighted`.

    Raises
    ------
    UsageError
        If there is no such policy.
    """
    split = check_name(name)
    options = "".join(f":{key}={value}" for key, value in sorted(split.options.items()))
    if split.forbidden:
        options += f":forbid={split.forbidden}"
    if split.base in BUILT_IN:
        return split.base + options + _version(split.base)
    import hashlib

    if split.base.endswith(".toml"):
        file, function = split.base, _version("weighted")
    else:
        file, _, function = split.base.rpartition(":")
    return f"sha256:{hashlib.sha256(Path(file).read_bytes()).hexdigest()}:{function}{options}"
