"""Tournaments: who does best against the field, who finishes ahead of whom, and strengths that sum it up."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from calcsim.defaults import DEFAULT_PLAYERS, DEFAULT_RULES, DEFAULT_SEED
from calcsim.errors import UsageError
from calcsim.policies import check_name
from calcsim.rules import RuleSet, load_rules
from calcsim.stats.intervals import LEVEL, Estimate, normal_quantile
from calcsim.stats.sequential import LEAST_DEALS, deals_for

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from calcsim.experiments.lineups import Key, Ledger

MOST_POLICIES: Final = 12
MOST_SEATINGS: Final = 25_000
"""More games a deal are refused: one deal would take minutes."""

FEWEST_DEALS: Final = 100
DEFAULT_DEALS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Standing:
    """How a policy does.

    Attributes
    ----------
    policy
        Its name.
    win
        Its share of the games it sits in, shared first places in parts, with its own interval. All seats but
        its own are filled from the policies by a fair draw; in a gauntlet by the hero, or each other policy.
    score, place
        Its mean score and mean place there.
    strength
        Plackett-Luce strength, 1 for the (geometric) mean of all: of two policies, the first finishes ahead
        with odds of one strength to the other. None where there is no finite one.
    ahead_of, behind
        How many others it finishes ahead of, or behind of, beyond doubt (see `Pair`).
    """

    policy: str
    win: Estimate
    score: Estimate
    place: Estimate
    strength: Estimate | None
    ahead_of: int
    behind: int


@dataclass(frozen=True, slots=True)
class Pair:
    """How often one policy finishes ahead of another one at the same table; equal places count half.

    Attributes
    ----------
    first, second
        Their names.
    share
        With an interval that holds together with those of all other pairs.
    expected
        What the strengths say; None without.
    residual
        How far the share lies from that, with a simultaneous interval.
    """

    first: str
    second: str
    share: Estimate
    expected: float | None
    residual: Estimate | None

    @property
    def verdict(self) -> str:
        """``ahead``, ``behind``, or ``undecided`` where the interval holds one half."""
        low, high = self.share.low, self.share.high
        if low is not None and low > 0.5:
            return "ahead"
        return "behind" if high is not None and high < 0.5 else "undecided"


@dataclass(frozen=True, slots=True)
class Bout:
    """What a gauntlet's hero does alone among copies of another policy.

    Attributes
    ----------
    policy
        The other one.
    win
        The hero's share of the games, with an interval that holds together with those of all bouts.
    score
        The hero's score less a copy's, with a simultaneous interval.
    """

    policy: str
    win: Estimate
    score: Estimate


@dataclass(frozen=True)
class Tournament:
    """What was played and what came out.

    Attributes
    ----------
    rules, players, policies, hero, seed, level
        What was asked for; `hero` is None but in a gauntlet.
    deals, seatings, line_ups
        What was played: each deal in so many seatings of so many line-ups.
    stopped_by
        ``deals``, ``precision``, or ``most`` where the precision was not reached.
    standings
        Of each policy, the best first.
    pairs
        In the order of the policies; in a gauntlet those of the hero.
    bouts
        Of a gauntlet; empty else.
    circles
        Policies that go round: each finishes ahead of the next, the last of the first, beyond doubt.
    """

    rules: RuleSet
    players: int
    policies: tuple[str, ...]
    hero: str | None
    seed: int
    level: float
    deals: int
    seatings: int
    line_ups: int
    stopped_by: str
    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    bouts: tuple[Bout, ...]
    circles: tuple[tuple[str, ...], ...]

    @property
    def games(self) -> int:
        """Games played."""
        return self.deals * self.seatings

    @property
    def lower_wins(self) -> bool:
        """Whether low scores are good ones (R9.5)."""
        return self.rules.scoring == "rank-points"

    @property
    def worst(self) -> Pair | None:
        """The pair that its strengths describe worst; None without strengths, or with a single pair."""
        known = [pair for pair in self.pairs if pair.residual is not None]
        if len(self.pairs) < 2 or not known:
            return None
        return max(known, key=lambda pair: abs(pair.residual.estimate) if pair.residual else 0.0)

    @property
    def misfits(self) -> tuple[Pair, ...]:
        """Pairs that strengths do not describe: the interval of the residual does not hold 0."""
        return tuple(
            pair
            for pair in self.pairs
            if (r := pair.residual) is not None
            and r.low is not None
            and r.high is not None
            and (r.low > 0 or r.high < 0)
        )

    def figure(self) -> Figure:
        """Return the picture: who wins how much, and who finishes ahead of whom."""
        from calcsim.report.standings import tournament_figure

        return tournament_figure(self)


def tournament(
    policies: Sequence[str],
    rules: RuleSet | str = DEFAULT_RULES,
    changes: Sequence[str] = (),
    *,
    players: int = DEFAULT_PLAYERS,
    hero: str | None = None,
    deals: int = DEFAULT_DEALS,
    precision: float | None = None,
    level: float = LEVEL,
    seed: int = DEFAULT_SEED,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Tournament:
    """Play a tournament on common deals.

    Parameters
    ----------
    policies
        Two to twelve names.
    rules, changes
        A rule set, a preset's name or a TOML file, and fields changed in it, as ``"jokers=1"``.
    players
        2 to 6.
    hero
        Play a gauntlet: this policy among copies of each other one, instead of all line-ups of all.
    deals
        How many; with a precision the most of them.
    precision
        Play until the win shares have intervals of that half width.
    level
        Of the intervals.
    seed, threads, progress
        As for `calcsim.compare`; nothing depends on the threads.

    Raises
    ------
    UsageError
        If what is asked for cannot be played.
    PolicyError
        If a policy fails.

    Examples
    --------
    >>> found = tournament(["random", "greedy"], "calc", players=2, deals=200)
    >>> [standing.policy for standing in found.standings], found.games
    (['greedy', 'random'], 800)
    """
    rule_set = load_rules(rules, changes) if isinstance(rules, str) else rules
    names = entrants(policies, hero)
    seated(rule_set, players, len(names), hero is not None)
    normal_quantile(level)
    from calcsim.experiments import lineups

    if hero is None:
        table = lineups.field(len(names), players)
    else:
        table = [lineups.one_among(0, other, players, other) for other in range(1, len(names))]
    ledger = lineups.Ledger(rule_set, players, names, table)
    stopped_by = "deals"
    target = deals if precision is None else min(deals, LEAST_DEALS)
    while True:
        done = ledger.deals

        def report(games: int, before: int = done * ledger.seatings) -> None:
            if progress is not None:
                progress(before + games)

        for _ in ledger.play(seed=seed, first=done, deals=target - done, threads=threads, progress=report):
            pass
        if precision is None:
            break
        needed = _needed(ledger, hero is not None, precision, level)
        if needed <= target or target >= deals:
            stopped_by = "precision" if needed <= target else "most"
            break
        target = min(-(-needed // LEAST_DEALS) * LEAST_DEALS, deals)
    return _Analysis(ledger, hero is not None, level).tournament(seed, stopped_by, len(table))


def entrants(policies: Sequence[str], hero: str | None) -> list[str]:
    """Return the policies that take part, the hero first.

    Raises
    ------
    UsageError
        If they are too few, too many, unknown, or named twice.
    """
    names = list(policies)
    for name in dict.fromkeys(names):
        check_name(name)
        if names.count(name) > 1:
            raise UsageError(f"policy {name!r}: given twice; each plays against copies of itself anyway")
    if hero is not None:
        check_name(hero)
        names = [hero, *(name for name in names if name != hero)]
    if not 2 <= len(names) <= MOST_POLICIES:
        what = "a gauntlet takes its hero and 1" if hero is not None else "a tournament takes 2"
        most = MOST_POLICIES - (hero is not None)
        given = len(names) - (hero is not None)
        raise UsageError(f"{given} polic{'y' if given == 1 else 'ies'}: {what} to {most}")
    return names


def seated(rules: RuleSet, players: int, policies: int, gauntlet: bool) -> int:
    """Return how many games each deal takes.

    Raises
    ------
    UsageError
        If the rules do not seat so many, or too many line-ups are possible.
    """
    rules.validate_players(players)
    if gauntlet:
        return players * (policies - 1)
    if players <= 4:
        games: int = policies**players
    else:
        turns = players * sum(math.gcd(step, players) == 1 for step in range(1, players))
        games = turns * math.comb(policies + players - 1, players)
    if games > MOST_SEATINGS:
        raise UsageError(
            f"{policies} policies at tables of {players}: {games:,} games on each deal are too many; "
            "give fewer policies or players, or a hero (--gauntlet)"
        )
    if players > 4:
        from calcsim.experiments.lineups import field

        games = sum(len(line_up.seatings) for line_up in field(policies, players))
    return games


def _win_keys(ledger: Ledger, gauntlet: bool) -> list[Key]:
    return [key for key in ledger.keys if key.what == "win" and not (gauntlet and key.policy)]


def _needed(ledger: Ledger, gauntlet: bool, precision: float, level: float) -> int:
    """Return how many deals the precision takes, as those so far tell."""
    from calcsim.stats.linear import components

    assert ledger.gram is not None
    _, covariance = components(ledger.gram, ledger.pairs(_win_keys(ledger, gauntlet)))
    error = math.sqrt(max(covariance.diagonal()))
    return deals_for(error, ledger.deals, precision, level)


class _Analysis:
    """Makes a tournament's tables from its sums."""

    def __init__(self, ledger: Ledger, gauntlet: bool, level: float) -> None:
        from calcsim.stats import ranking
        from calcsim.stats.linear import components

        assert ledger.gram is not None
        self.ledger = ledger
        self.gauntlet = gauntlet
        self.level = level
        self.names = ledger.policies
        self.estimates, self.covariance = components(ledger.gram, ledger.pairs(ledger.keys))
        self.fit = ranking.fit(ledger.won_by_block, ledger.members(), ledger.sets_by_block)

    def tournament(self, seed: int, stopped_by: str, line_ups: int) -> Tournament:
        pairs = self._pairs()
        beaten = {(pair.first, pair.second) for pair in pairs if pair.verdict == "ahead"}
        beaten |= {(pair.second, pair.first) for pair in pairs if pair.verdict == "behind"}
        from calcsim.stats.ranking import circles

        round_about = circles([[(a, b) in beaten for b in self.names] for a in self.names])
        standings = [self._standing(k, beaten) for k in range(len(self.names))]
        standings.sort(key=lambda standing: -standing.win.estimate)
        return Tournament(
            rules=self.ledger.rules,
            players=self.ledger.players,
            policies=self.names,
            hero=self.names[0] if self.gauntlet else None,
            seed=seed,
            level=self.level,
            deals=self.ledger.deals,
            seatings=self.ledger.seatings,
            line_ups=line_ups,
            stopped_by=stopped_by,
            standings=tuple(standings),
            pairs=pairs,
            bouts=self._bouts() if self.gauntlet else (),
            circles=tuple(tuple(self.names[k] for k in circle) for circle in round_about),
        )

    def _mean(self, what: str, policy: int) -> NDArray[np.float64]:
        """Return the weights of a policy's mean over its groups."""
        import numpy as np

        weights = np.zeros(len(self.ledger.keys))
        rows = [row for key, row in self.ledger.row.items() if key.what == what and key.policy == policy]
        weights[rows] = 1.0 / len(rows)
        return weights

    def _estimates(self, weights: Sequence[NDArray[np.float64]], together: bool) -> list[Estimate]:
        """Return weighted sums of the rows, with intervals of their own or ones that hold together."""
        import numpy as np

        from calcsim.stats.families import simultaneous
        from calcsim.stats.linear import contrast

        if not weights:
            return []
        values, errors, covariance = contrast(self.estimates, self.covariance, np.array(weights))
        z = simultaneous(covariance, self.level) if together else normal_quantile(self.level)
        return [_estimate(float(v), float(e), z) for v, e in zip(values, errors, strict=True)]

    def _standing(self, k: int, beaten: set[tuple[str, str]]) -> Standing:
        win, score, place = self._estimates([self._mean(w, k) for w in ("win", "score", "place")], False)
        strength = None
        if self.fit is not None:
            log, error = float(self.fit.logs[k]), float(self.fit.errors[k])
            reach = normal_quantile(self.level) * error
            strength = Estimate(
                math.exp(log), error * math.exp(log), math.exp(log - reach), math.exp(log + reach)
            )
        name = self.names[k]
        ahead = sum(first == name for first, _ in beaten)
        behind = sum(second == name for _, second in beaten)
        return Standing(name, win, score, place, strength, ahead, behind)

    def _pairs(self) -> tuple[Pair, ...]:
        import numpy as np

        from calcsim.stats.families import simultaneous
        from calcsim.stats.ranking import residuals

        keys = [key for key in self.ledger.keys if key.what == "ahead"]
        keys.sort(key=lambda key: (key.policy, key.other))
        rows = [self.ledger.row[key] for key in keys]
        shares = self._estimates(list(np.eye(len(self.ledger.keys))[rows]), True)
        numbers = [(key.policy, key.other) for key in keys]
        expected: list[float | None] = [None] * len(keys)
        off: list[Estimate | None] = [None] * len(keys)
        if self.fit is not None:
            observed = self.estimates[rows]
            moved = self._moved(keys)
            found, covariance = residuals(self.fit, numbers, observed, moved)
            z = simultaneous(covariance, self.level)
            expected = [self.fit.ahead(a, b) for a, b in numbers]
            errors = np.sqrt(covariance.diagonal())
            off = [_estimate(float(v), float(e), z) for v, e in zip(found, errors, strict=True)]
        return tuple(
            Pair(self.names[a], self.names[b], share, said, gap)
            for (a, b), share, said, gap in zip(numbers, shares, expected, off, strict=True)
        )

    def _moved(self, keys: Sequence[Key]) -> NDArray[np.float64]:
        """Return how far each block of deals moved the shares of these rows."""
        import numpy as np

        deals, blocks = self.ledger.deals, self.ledger.blocks
        # Deal i is of block i % blocks, so the first blocks may have a deal more.
        counts = np.array([len(range(block, deals, blocks)) for block in range(blocks)])
        rows, whole = zip(*self.ledger.pairs(keys), strict=True)
        means = self.estimates[list(rows)]
        return np.asarray(
            (self.ledger.by_block[:blocks, list(rows)] / np.array(whole) - np.outer(counts, means)) / deals
        )

    def _bouts(self) -> tuple[Bout, ...]:
        import numpy as np

        from calcsim.experiments.lineups import Key

        row, n = self.ledger.row, len(self.ledger.keys)
        wins, gains = [], []
        for other in range(1, len(self.names)):
            wins.append(np.eye(n)[row[Key("win", other, 0)]])
            gains.append(np.eye(n)[row[Key("score", other, 0)]] - np.eye(n)[row[Key("score", other, other)]])
        found = zip(self.names[1:], self._estimates(wins, True), self._estimates(gains, True), strict=True)
        return tuple(itertools.starmap(Bout, found))


def _estimate(value: float, error: float, z: float) -> Estimate:
    return Estimate(value, error, value - z * error, value + z * error)
