"""Reads what factors, players, policies and metrics are given as, from texts or from TOML values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from calcsim.errors import UsageError, nearest
from calcsim.experiments.plan import PLAYERS, POLICY, RULES, Choice, at_folder, split_policy
from calcsim.policies import check_name
from calcsim.rules import FIELDS, Field, field

Vary: TypeAlias = Sequence[str] | Mapping[str, Sequence[Any]]
"""Texts like ``"handoff=shield,none"``, or values by name."""


def field_value(name: str, value: Any) -> Any:
    """Return the value of a field from a text as ``--set`` takes it, or from a TOML value, checked.

    Raises
    ------
    UsageError
        For an unknown field, or a value that it cannot have.

    Examples
    --------
    >>> field_value("ko", "off"), field_value("jokers", 1)
    (False, 1)
    """
    entry = field(name)
    if isinstance(value, list):
        value = tuple(value)
    elif isinstance(value, str) and entry.kind != "choice":
        value = entry.parse(value)
    elif isinstance(value, str):
        value = value.strip()
    entry.check(value)
    return value


def varied_field(name: str) -> Field:
    """Return the field that a factor is called by.

    Raises
    ------
    UsageError
        If there is none, with the nearest of all that can be varied.
    """
    if name not in FIELDS:
        hint = nearest(name, (*FIELDS, RULES, PLAYERS, POLICY))
        raise UsageError(f"unknown rule field {name!r}{hint} (rules, players and policy can be varied, too)")
    return FIELDS[name]


def factors(vary: Vary) -> list[tuple[str, Sequence[Any]]]:
    """Return names and values of factors, unread; ``;`` goes between values of which one holds commas.

    Examples
    --------
    >>> factors(["handoff=shield,none", "policy=greedy;greedy,random"])
    [('handoff', ['shield', 'none']), ('policy', ['greedy', 'greedy,random'])]
    """
    if isinstance(vary, Mapping):
        return list(vary.items())
    found: list[tuple[str, Sequence[Any]]] = []
    for text in vary:
        name, _, values = text.partition("=")
        parts = [part.strip() for part in values.split(";" if ";" in values else ",")]
        found.append((name.strip(), [part for part in parts if part]))
    return found


def read_players(value: Any) -> int:
    """Return a number of players.

    Raises
    ------
    UsageError
        If it is none, or one that no rules could seat.
    """
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 2 <= value <= FIELDS["max_players"].high:
        raise UsageError(
            f"players={value!r}: must be a whole number from 2 to {FIELDS['max_players'].high} (R2.1)"
        )
    return value


def read_policy(value: Any, folder: Path) -> str:
    """Return the text of a policy, checked: a name for all seats, or names with commas, one for each.

    Raises
    ------
    UsageError
        If there is no such policy; the paths of files start at `folder`.
    """
    if not isinstance(value, str):
        raise UsageError(f"policy={value!r}: must be a name, or names with commas, one for each seat")
    names = split_policy(value)
    for name in names:
        file = at_folder(name, folder)
        try:
            check_name(file)
        except UsageError as error:
            raise UsageError(str(error).replace(repr(file), repr(name), 1)) from None
    return ",".join(names)


def known_metrics(players: int) -> dict[str, float | None]:
    """Return the default margin of every metric of games of so many players, by name."""
    from calcsim.stats.metrics import metrics
    from calcsim.stats.special import SPECIALS

    counted = {entry.name: entry.margin for entry in metrics(players)}
    return counted | {entry.name: entry.margin for entry in SPECIALS}


def components(metric: str, players: int, policies: Iterable[str]) -> list[str]:
    """Return the names of what a metric is made of, where so many play.

    Parameters
    ----------
    metric
        A metric's name.
    players
        Number of seats.
    policies
        The policy of each seat.
    """
    if "*" not in metric:
        return [metric]
    if "by_place." in metric:
        return [metric.replace("*", str(place)) for place in range(1, players + 1)]
    names = [f"seat{seat}" for seat in range(players)]
    different = list(dict.fromkeys(policies))
    if len(different) > 1:
        names += different
    return [metric.replace("*", name) for name in names]


def read_choice(text: str, known: Mapping[str, float | None]) -> Choice:
    """Return the primary metric that a text like ``"turns=1.0"`` or ``"turns"`` names.

    Raises
    ------
    UsageError
        If the margin is no number.
    """
    name, equals, margin = text.partition("=")
    name = name.strip()
    if not equals:
        return Choice(name, known.get(name), True)
    try:
        return Choice(name, float(margin), True)
    except ValueError:
        raise UsageError(f"margin {margin!r} of {name}: must be a number above 0") from None


def nearest_metric(name: str, known: Iterable[str]) -> str:
    """Return a hint at the metric meant; that of a component is the one it belongs to."""
    names = list(known)
    for metric in names:
        start, star, end = metric.partition("*")
        if star and name.startswith(start) and name.endswith(end) and len(name) > len(start + end):
            return f"; did you mean {metric!r}?"
    return nearest(name, names)
