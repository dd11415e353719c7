"""Duels: a sequential test of whether one policy is better than another, then an estimate on fresh deals.

At a table of two the policies meet in both seats. At larger tables each deal is played by one of the first
among copies of the second and by one of the second among copies of the first, at each seat in turn. The
first's *advantage* is half the difference of the two lone players' shares of the games: 0 for equals, and for
two players what the first wins beyond one half.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from calcsim.defaults import DEFAULT_PLAYERS, DEFAULT_RULES, DEFAULT_SEED
from calcsim.errors import UsageError
from calcsim.policies import check_name
from calcsim.rules import RuleSet, load_rules
from calcsim.stats.intervals import LEVEL, Estimate, normal_quantile
from calcsim.stats.sprt import Bounds, Decision, log_ratio, moments, operating

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calcsim.experiments.lineups import Ledger
    from calcsim.experiments.matches import ToTell

LOOK: Final = 200
"""Deals between two looks at the ratio; whether to stop depends on nothing but the deals played."""

DEFAULT_MOST: Final = 100_000
LEAST_FRESH: Final = 1_000
"""Deals of the estimate at least, unless told otherwise."""

DEFAULT_BOUNDS: Final = (0.0, 0.01)


@dataclass(frozen=True, slots=True)
class Fresh:
    """What deals that the test has not seen say.

    Attributes
    ----------
    deals, games
        How many.
    advantage
        Of the first policy, see the module.
    alone
        Share of the games that the first wins alone among copies of the second, and the second among
        copies of the first.
    score
        The first's mean score less the second's, over all seats of both.
    ahead
        How often the first finishes ahead of the second, of two seats of them; equal places count half.
    to_tell
        Deals until the better one is ahead with a probability of 95 %.
    """

    deals: int
    games: int
    advantage: Estimate
    alone: tuple[Estimate, Estimate]
    score: Estimate
    ahead: Estimate
    to_tell: ToTell


@dataclass(frozen=True)
class Duel:
    """What was played and what came out.

    Attributes
    ----------
    rules, players, policies, seed, level
        What was asked for.
    bounds
        The two advantages that are told apart.
    decision
        ``high``, ``low``, or ``undecided`` where the most deals were played without one.
    ratio
        The log likelihood ratio at the end.
    deals, games, most
        What the test took, and the deals it could have taken.
    mean
        The advantage on the test's deals. It is biased, since the test stops when it is far out: take that of
        `fresh`.
    more
        Where undecided: about how many deals more a decision would take if the ratio went on as it did.
    usual
        Mean deals of such tests, about, where the advantage is the lower bound, midway, or the upper one.
    fresh
        The estimate on fresh deals; None if none were asked for.
    """

    rules: RuleSet
    players: int
    policies: tuple[str, str]
    seed: int
    level: float
    bounds: Bounds
    decision: Decision
    ratio: float
    deals: int
    games: int
    most: int
    mean: float
    more: int | None
    usual: tuple[float, ...]
    fresh: Fresh | None


def duel(
    first: str,
    second: str,
    rules: RuleSet | str = DEFAULT_RULES,
    changes: Sequence[str] = (),
    *,
    players: int = DEFAULT_PLAYERS,
    bounds: Bounds | None = None,
    most: int = DEFAULT_MOST,
    fresh: int | None = None,
    level: float = LEVEL,
    seed: int = DEFAULT_SEED,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Duel:
    """Test whether one policy is better than another, and estimate by how much.

    Parameters
    ----------
    first, second
        Names of the policies.
    rules, changes
        A rule set, a preset's name or a TOML file, and fields changed in it, as ``"jokers=1"``.
    players
        2 to 6.
    bounds
        Advantages to be told apart, and how surely; by default 0 and 0.01, each with 5 %.
    most
        The most deals of the test.
    fresh
        Deals of the estimate, 0 for none; by default as many as the test took, at least `LEAST_FRESH`. They
        are those from number `most` on, so none was seen by the test.
    level
        Of the estimate's intervals.
    seed, threads
        As for `calcsim.compare`.
    progress
        Called with the number of games done.

    Raises
    ------
    UsageError
        If what is asked for cannot be played.
    PolicyError
        If a policy fails.

    Examples
    --------
    >>> found = duel("greedy", "random", "calc", players=2, bounds=Bounds(0.0, 0.05), fresh=1000)
    >>> found.decision, found.fresh.deals
    ('high', 1000)
    """
    rule_set = load_rules(rules, changes) if isinstance(rules, str) else rules
    check_pair(first, second)
    rule_set.validate_players(players)
    normal_quantile(level)
    told = Bounds(*DEFAULT_BOUNDS) if bounds is None else bounds
    ledger = _ledger(rule_set, players, first, second)
    ledger.prepare()
    test = _Test(ledger, told)
    test.run(most, seed, threads, progress)
    games = test.deals * ledger.seatings
    usual = tuple(
        operating(mean, test.variance, told)[1] for mean in (told.low, (told.low + told.high) / 2, told.high)
    )
    n = max(test.deals, LEAST_FRESH) if fresh is None else fresh
    later = None
    if n:
        other = _ledger(rule_set, players, first, second)

        def report(done: int) -> None:
            if progress is not None:
                progress(games + done)

        for _ in other.play(seed=seed, first=most, deals=n, threads=threads, progress=report):
            pass
        later = _estimate(other, level)
    return Duel(
        rules=rule_set,
        players=players,
        policies=(first, second),
        seed=seed,
        level=level,
        bounds=told,
        decision=test.decision,
        ratio=test.ratio,
        deals=test.deals,
        games=games,
        most=most,
        mean=test.mean,
        more=test.more(),
        usual=usual,
        fresh=later,
    )


def check_pair(first: str, second: str) -> None:
    """Check that two names are policies, and not the same one.

    Raises
    ------
    UsageError
        If not.
    """
    check_name(first)
    check_name(second)
    if first == second:
        raise UsageError(f"policy {first!r}: against itself there is nothing to find out; name another one")


def games_per_deal(players: int) -> int:
    """Return how many games a duel plays on each deal.

    Examples
    --------
    >>> games_per_deal(2), games_per_deal(4)
    (2, 8)
    """
    return 2 if players == 2 else 2 * players


def _ledger(rules: RuleSet, players: int, first: str, second: str) -> Ledger:
    from calcsim.experiments import lineups

    table = [lineups.one_among(0, 1, players, 0)]
    if players > 2:
        table.append(lineups.one_among(1, 0, players, 1))
    return lineups.Ledger(rules, players, (first, second), table)


def _scores(ledger: Ledger, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first's advantage on each deal, in units (`_unit`)."""
    from calcsim.experiments.lineups import Key

    group = 0 if ledger.players == 2 else 1
    found: NDArray[np.int64] = values[ledger.row[Key("win", 0, 0)]] - values[ledger.row[Key("win", group, 1)]]
    return found


def _unit(ledger: Ledger) -> float:
    from calcsim.stats.block import WHOLE

    return 1.0 / (2 * ledger.players * WHOLE)


class _Test:
    """Plays deals and looks at the ratio every `LOOK` of them."""

    def __init__(self, ledger: Ledger, bounds: Bounds) -> None:
        from calcsim.stats.block import WHOLE

        self.ledger = ledger
        self.bounds = bounds
        self.decision: Decision = "undecided"
        self.deals = 0
        self.mean = self.ratio = 0.0
        self.variance = 1.0
        self._counts: dict[int, int] = {}
        # Scores without shared places; between two players what one wins, the other loses.
        step = 2 if ledger.players == 2 else 1
        self._possible = [WHOLE * i for i in range(-ledger.players, ledger.players + 1, step)]

    def run(self, most: int, seed: int, threads: int, progress: Callable[[int], None] | None) -> None:
        """Play until there is a decision, or the most deals are played."""
        played = 0
        while self.decision == "undecided" and played < most:
            # A tenth more at a time: few starts of threads, and few deals played in vain.
            deals = min(max(LOOK, played // 10 // LOOK * LOOK), most - played)
            before = played * self.ledger.seatings

            def report(games: int, before: int = before) -> None:
                if progress is not None:
                    progress(before + games)

            for _, values in self.ledger.play(
                seed=seed, first=played, deals=deals, threads=threads, progress=report
            ):
                scores = _scores(self.ledger, values)
                for start in range(0, len(scores), LOOK):
                    if self.decision == "undecided":
                        self._look(scores[start : start + LOOK])
            played += deals

    def _look(self, scores: NDArray[np.int64]) -> None:
        import numpy as np

        for score, n in zip(*np.unique(scores, return_counts=True), strict=True):
            self._counts[int(score)] = self._counts.get(int(score), 0) + int(n)
        self.deals += len(scores)
        self.mean, self.variance = moments(self._counts, self._possible, _unit(self.ledger))
        self.ratio = log_ratio(self.deals, self.mean, self.variance, self.bounds)
        self.decision = self.bounds.decide(self.ratio)

    def more(self) -> int | None:
        """Return the deals that a decision would still take if the ratio went on as it did."""
        if self.decision != "undecided" or not self.ratio:
            return None
        goal = self.bounds.accept if self.ratio > 0 else self.bounds.reject
        return max(1, math.ceil(self.deals * (goal / self.ratio - 1.0)))


def _estimate(ledger: Ledger, level: float) -> Fresh:
    import numpy as np

    from calcsim.experiments.lineups import Key
    from calcsim.experiments.matches import games_to_tell
    from calcsim.stats.linear import components, contrast

    assert ledger.gram is not None
    groups = (0,) if ledger.players == 2 else (0, 1)
    estimates, covariance = components(ledger.gram, ledger.pairs(ledger.keys))

    def weights(*parts: tuple[str, float, int, int, int]) -> NDArray[np.float64]:
        found = np.zeros(len(ledger.keys))
        for what, weight, group, policy, other in parts:
            found[ledger.row[Key(what, group, policy, other)]] += weight
        return found

    lone = (("win", 1.0, 0, 0, -1), ("win", 1.0, groups[-1], 1, -1))
    # Over the two line-ups a policy holds as many seats as the other; a lone one's group weighs less.
    share = {True: 1.0 / ledger.players, False: 1.0 - 1.0 / ledger.players}
    score = [
        ("score", sign * (1.0 if len(groups) == 1 else share[group == policy]), group, policy, -1)
        for group in groups
        for policy, sign in ((0, 1.0), (1, -1.0))
    ]
    rows = [
        0.5 * (weights(lone[0]) - weights(lone[1])),
        weights(lone[0]),
        weights(lone[1]),
        weights(*score),
        weights(*(("ahead", 1.0 / len(groups), group, 0, 1) for group in groups)),
    ]
    values, errors, _ = contrast(estimates, covariance, rows)
    z = normal_quantile(level)
    found = [
        Estimate(v, e, v - z * e, v + z * e) for v, e in zip(values.tolist(), errors.tolist(), strict=True)
    ]
    deals = ledger.deals
    return Fresh(
        deals=deals,
        games=deals * ledger.seatings,
        advantage=found[0],
        alone=(found[1], found[2]),
        score=found[3],
        ahead=found[4],
        to_tell=games_to_tell(float(values[0]), float(errors[0]) * deals**0.5, deals, level),
    )
