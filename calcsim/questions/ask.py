"""Shares of games in which events hold, from as many games as are wanted or as a precision needs."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from calcsim.errors import UsageError
from calcsim.questions.events import Event
from calcsim.rules import FIELDS, RuleSet, load_rules
from calcsim.stats.block import Block
from calcsim.stats.intervals import LEVEL, Share, share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calcsim.engine.driver import Cell

N_EXAMPLES: Final = 2
"""Games shown as examples of an event."""

MIN_GAMES: Final = 1_000
"""A precision is not looked at before so many games, or so many that the condition held in."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Rules and a line-up that questions are asked about."""

    rules: RuleSet
    policies: tuple[str, ...]
    """One for each seat."""

    @property
    def players(self) -> int:
        """Number of seats."""
        return len(self.policies)


@dataclass(frozen=True, slots=True)
class Limit:
    """When to stop.

    Attributes
    ----------
    games
        The most games that are played.
    precision
        Half the length of an interval at which to stop before that, None to play all games. It is looked at
        after each block of games, so the games played depend on nothing but the seed.
    """

    games: int
    precision: float | None = None


@dataclass(slots=True)
class Tally:
    """How often one event held.

    Attributes
    ----------
    count
        Games in which the event and the conditions held.
    examples
        The first of them, by number.
    """

    count: int = 0
    examples: list[int] = field(default_factory=list)

    def add(self, count: int, examples: Iterable[int]) -> None:
        """Add later games."""
        self.count += count
        self.examples += itertools.islice(examples, N_EXAMPLES - len(self.examples))


@dataclass(frozen=True, slots=True)
class Answer:
    """What the games of one cell say to all questions.

    Attributes
    ----------
    played
        Games played.
    games
        Games in which the conditions held: what the shares are of.
    tallies, shares
        For each event, in order.
    stopped_by
        ``games``, ``precision`` or ``max-games``.
    seconds
        Wall time.
    """

    played: int
    games: int
    tallies: list[Tally]
    shares: list[Share]
    stopped_by: str
    seconds: float


def alternatives(changes: Sequence[str]) -> list[list[str]]:
    """Return every combination of the values of fields that are set to several.

    Parameters
    ----------
    changes
        Texts like ``"handoff=shield,none"``. `place_points` are always one value.

    Examples
    --------
    >>> alternatives(["handoff=shield,none", "jokers=1"])
    [['handoff=shield', 'jokers=1'], ['handoff=none', 'jokers=1']]
    """
    choices = []
    for change in changes:
        name, equals, values = change.partition("=")
        known = FIELDS.get(name.strip())
        if not equals or (known is not None and known.kind == "points"):
            choices.append([change])
        else:
            choices.append([f"{name}={value}" for value in values.split(",")])
    return [list(combination) for combination in itertools.product(*choices)]


def line_ups(policies: Sequence[str], players: int) -> list[tuple[str, ...]]:
    """Return the policy of each seat, for each of `policies`: a name for all seats, or a list by seat.

    As many names as seats with one of them repeated are no rows to compare, but one line-up by seat.

    Raises
    ------
    UsageError
        If a list is not as long as there are seats.

    Examples
    --------
    >>> line_ups(["random", "greedy,random"], 2)
    [('random', 'random'), ('greedy', 'random')]
    >>> line_ups(["greedy", "random", "random"], 3)
    [('greedy', 'random', 'random')]
    """
    if len(policies) == players > len(set(policies)) and not any("," in text for text in policies):
        return [tuple(policies)]
    found = []
    for text in policies:
        names = tuple(name.strip() for name in text.split(","))
        if len(names) == 1:
            names *= players
        if len(names) != players:
            raise UsageError(
                f"--policy {text!r} names {len(names)} seats, and there are {players} players: "
                "give one name for all seats, or one for each"
            )
        found.append(names)
    return found


def settings(
    rules: Sequence[str], changes: Sequence[str], players: Sequence[int], policies: Sequence[str]
) -> list[Setting]:
    """Return all combinations of rules, numbers of players and line-ups, each checked.

    Raises
    ------
    UsageError
        For unknown rules or fields, and players that rules cannot seat.
    """
    found = []
    for source, chosen in itertools.product(rules, alternatives(changes)):
        rule_set = load_rules(source, chosen)
        for n in players:
            rule_set.validate_players(n)
            found += [Setting(rule_set, names) for names in line_ups(policies, n)]
    return list(dict.fromkeys(found))


def ask(
    cell: Cell,
    events: Sequence[Event],
    given: Sequence[Event],
    limit: Limit,
    *,
    seed: int,
    threads: int = 0,
    level: float = LEVEL,
    progress: Callable[[int], None] | None = None,
) -> Answer:
    """Play games of a cell and count in how many each event holds.

    All events are counted over the same games.

    Parameters
    ----------
    cell
        Rules, players and policies, as `calcsim.engine.driver.prepare` makes it.
    events
        What to count.
    given
        Conditions: shares are of the games in which all of them hold.
    limit
        When to stop.
    seed, threads
        As for `calcsim.engine.driver.blocks`.
    level
        Confidence of the intervals.
    progress
        Called with the number of games played so far.
    """
    from calcsim.engine import driver

    began = time.monotonic()

    def count(first: int, out: NDArray[np.int32]) -> tuple[int, int, list[tuple[int, list[int]]]]:
        return _count(Block(out, cell.players), events, given, first)

    tallies = [Tally() for _ in events]
    played = games = 0
    stopped_by = "games" if limit.precision is None else "max-games"
    blocks: Iterator[Any] = driver.blocks(
        cell, seed=seed, games=limit.games, threads=threads, map=count, progress=progress
    )
    for block_played, block_games, counts in blocks:
        played += block_played
        games += block_games
        for tally, (n, examples) in zip(tallies, counts, strict=True):
            tally.add(n, examples)
        if limit.precision is not None and games >= MIN_GAMES:
            if all(share(tally.count, games, level).half_width <= limit.precision for tally in tallies):
                stopped_by = "precision"
                break
    if hasattr(blocks, "close"):
        blocks.close()
    shares = [share(tally.count, games, level) for tally in tallies]
    return Answer(played, games, tallies, shares, stopped_by, time.monotonic() - began)


def _count(
    block: Block, events: Sequence[Event], given: Sequence[Event], first: int
) -> tuple[int, int, list[tuple[int, list[int]]]]:
    """Return games, games in which all conditions hold, and for each event its count and first games."""
    condition: Any = None
    for event in given:
        mask = event.mask(block)
        condition = mask if condition is None else condition & mask
    counts = []
    for event in events:
        mask = event.mask(block)
        if condition is not None:
            mask = mask & condition
        n = int(mask.sum())
        examples = [first + int(i) for i in mask.nonzero()[0][:N_EXAMPLES]] if n else []
        counts.append((n, examples))
    return block.games, block.games if condition is None else int(condition.sum()), counts
