"""A player's weights tuned for one setting: from a start and a league to a file of weights with its story."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from calcsim.errors import UsageError
from calcsim.experiments.evolution import FIRST_DEAL, Course, Generation, Search, read_state, write_state
from calcsim.experiments.league import Measure, play, play_all
from calcsim.experiments.store import replace_file
from calcsim.policies import Policy, identity, resolve
from calcsim.policies.features import FEATURES
from calcsim.stats.intervals import LEVEL, Estimate, mean
from calcsim.version import ENGINE_VERSION, RULES_VERSION, __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIXED: Final = {"out": 100.0, "bonus": 10.0, "handoff_again": -6.0}
"""Weights that are not tuned, beside those of which the largest is 1.

Going out at once is never worse, and rather with a bonus than without. Who hands off has a limit: otherwise
good players push the same cards to and fro for ever, and that is no game that people would play.
"""

TURNS: Final = 50
"""Turns for each player after which a game of a tuning ends, where the rules say no fewer.

Real games are long over; but candidates that hoard cards would take most of the time. Who gets there shares
the last place, whatever the rules say: so nobody is tuned to hand cards to and fro until the end.
"""

_TRIALS: Final = 100
"""Deals that show whether a weight changes anything."""

_TRIAL_WEIGHTS: Final = (-2.0, 2.0)

_DIGITS: Final = 4


@dataclass(frozen=True)
class Tuning:
    """What is tuned, and how.

    Attributes
    ----------
    measure
        The rules, the number of players, and what is wanted.
    league
        The players whose copies a candidate meets.
    start
        A player who weighs, with the weights to begin with.
    search
        How weights are looked for.
    check_deals
        Deals that the outcome is checked on: from the first on, which no tuning plays.
    level
        Of the intervals of the check.
    """

    measure: Measure
    league: tuple[str, ...]
    start: str
    search: Search = field(default_factory=Search)
    check_deals: int = 20_000
    level: float = LEVEL

    def identity(self) -> dict[str, Any]:
        """Return all that decides what candidates there are and how they fare, as JSON values."""
        search = asdict(self.search)
        del search["generations"]
        return {
            "rules": self.measure.rules.label,
            "fingerprint": self.measure.rules.fingerprint,
            "players": self.measure.players,
            "objective": self.measure.objective,
            "league": [identity(name) for name in self.league],
            "start": identity(self.start),
            "features": [feature.name for feature in FEATURES],
            **search,
            "versions": {"rules": RULES_VERSION, "engine": ENGINE_VERSION},
        }


@dataclass(frozen=True)
class Check:
    """How the outcome did against one rival, on deals that no tuning plays.

    Attributes
    ----------
    rival
        The rival whose copies it met.
    value, before
        What it got, and what the start got, on the same deals.
    gain
        The difference.
    """

    rival: str
    value: Estimate
    before: Estimate
    gain: Estimate


@dataclass(frozen=True)
class Outcome:
    """What came out of a tuning.

    Attributes
    ----------
    weights
        By the names of features; those that are 0 are left out.
    checks
        One for each rival of the league.
    generations
        What was played.
    games
        How many games those were.
    promised
        What the best candidate seen got on the deals that it was chosen by.
    """

    weights: dict[str, float]
    checks: tuple[Check, ...]
    generations: tuple[Generation, ...]
    games: int
    promised: float


class Weights:
    """The weights that are tuned, as points: in the order of the features, without the idle ones.

    Parameters
    ----------
    start
        The player to begin with.

    Raises
    ------
    UsageError
        If it has no weights.
    """

    def __init__(self, start: Policy) -> None:
        if start.kind != "weigher":
            raise UsageError(
                f"--start {start.name!r}: has no weights; give a player who weighs, as sensible, or FILE.toml"
            )
        self._start = start
        self._before = dict(zip((f.name for f in FEATURES), start.params, strict=False))
        self.tuned = [feature.name for feature in FEATURES if feature.name not in FIXED]

    def origin(self) -> tuple[float, ...]:
        """Return the point of the start; its largest number is 1."""
        point = [self._before.get(name, 0.0) for name in self.tuned]
        largest = max(map(abs, point), default=0.0)
        return tuple(x / largest if largest else x for x in point)

    def named(self, point: Sequence[float], digits: int | None = None) -> dict[str, float]:
        """Return the weights of a point by name; only the angle of a point counts, so the largest is 1."""
        largest = max(map(abs, point), default=0.0) or 1.0
        values = [x / largest for x in point]
        if digits is not None:
            values = [round(x, digits) for x in values]
        return FIXED | dict(zip(self.tuned, values, strict=True))

    def policy(self, weights: Mapping[str, float], name: str) -> Policy:
        """Return the player with these weights."""
        params = tuple(weights.get(feature.name, 0.0) for feature in FEATURES)
        return replace(self._start, name=name, params=params)

    def leave_out_idle(self, differs: Callable[[list[Policy]], Sequence[bool]]) -> None:
        """Leave out the weights that change nothing, whatever they are.

        Parameters
        ----------
        differs
            Says of players, the start first, whether they do otherwise than the first.
        """
        origin = dict(zip(self.tuned, self.origin(), strict=True))
        players = [self.policy(FIXED | origin, "start")]
        for name in self.tuned:
            for value in _TRIAL_WEIGHTS:
                players.append(self.policy(FIXED | origin | {name: value}, name))
        found = {policy.name for policy, other in zip(players, differs(players), strict=True) if other}
        self.tuned = [name for name in self.tuned if name in found]


def tune(
    tuning: Tuning,
    state: Path,
    *,
    threads: int = 0,
    report: Callable[[Generation], None] | None = None,
) -> Outcome:
    """Find weights, going on where an earlier run of the same tuning ended.

    Parameters
    ----------
    tuning
        What is tuned, and how.
    state
        File in which each generation is kept.
    threads
        0 for one a core; the outcome does not depend on it.
    report
        Called after each generation, those of an earlier run left out.

    Raises
    ------
    UsageError
        If a policy or the file of the state does not do.
    """
    import os

    threads = threads or os.cpu_count() or 1
    search = tuning.search
    rules, players = tuning.measure.rules, tuning.measure.players
    short = rules.replace(turn_limit=min(rules.turn_limit, TURNS * players))
    measure = replace(tuning.measure, rules=short, endless=False)
    rivals = [resolve(name, rules, players) for name in tuning.league]
    before = resolve(tuning.start, rules, players)
    weights = Weights(before)
    scale = measure.units * players
    earlier = read_state(state, tuning.identity())

    def differs(heroes: list[Policy]) -> list[bool]:
        found = play_all(
            measure, heroes, rivals[:1], seed=search.seed, first=FIRST_DEAL, deals=_TRIALS, threads=threads
        )
        return [not np.array_equal(numbers, found[0]) for numbers in found]

    def evaluate(
        points: list[tuple[float, ...]], recruits: list[tuple[float, ...]], first: int, deals: int
    ) -> NDArray[np.float64]:
        heroes = [weights.policy(weights.named(point), "candidate") for point in points]
        league = rivals + [weights.policy(weights.named(point), "recruit") for point in recruits]
        found = play_all(measure, heroes, league, seed=search.seed, first=first, deals=deals, threads=threads)
        return np.asarray(found.sum(axis=2) / (deals * scale))

    weights.leave_out_idle(differs)
    course = Course(search, weights.origin(), evaluate, earlier)
    while len(course.done) < search.generations:
        generation = course.advance()
        write_state(state, tuning.identity(), course.done)
        if report is not None:
            report(generation)
    done = tuple(course.done)
    named = weights.named(course.middle(), _DIGITS)
    return Outcome(
        weights={name: value for name, value in named.items() if value},
        checks=_check(tuning, weights.policy(named, "tuned"), before, rivals, threads),
        generations=done,
        games=sum(g.deals * players * len(g.against) * (len(g.fitness) + 1) for g in done),
        promised=max(max(g.fitness) for g in done),
    )


def _check(
    tuning: Tuning, after: Policy, before: Policy, rivals: Sequence[Policy], threads: int
) -> tuple[Check, ...]:
    """Return how the outcome and the start do on the same deals, which no tuning plays."""
    measure = tuning.measure
    scale = measure.units * measure.players

    def numbers(hero: Policy) -> NDArray[np.int64]:
        return play(
            measure,
            hero,
            rivals,
            seed=tuning.search.seed,
            first=0,
            deals=tuning.check_deals,
            threads=threads,
        )

    def estimate(found: NDArray[np.int64]) -> Estimate:
        whole = mean(len(found), int(found.sum()), int((found * found).sum()), tuning.level)
        return scaled(whole, 1 / scale)

    new, old = numbers(after), numbers(before)
    return tuple(
        Check(rival.name, estimate(new[i]), estimate(old[i]), estimate(new[i] - old[i]))
        for i, rival in enumerate(rivals)
    )


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """Return an estimate in another unit."""
    value, error, low, high = estimate
    return Estimate(
        value * factor,
        None if error is None else error * factor,
        None if low is None else low * factor,
        None if high is None else high * factor,
    )


def weights_text(tuning: Tuning, outcome: Outcome) -> str:
    """Return the file of the weights: TOML that `--policy` takes, with how they were found."""
    measure, search = tuning.measure, tuning.search
    last = outcome.generations[-1]
    found: dict[str, Any] = {
        "rules": measure.rules.label,
        "fingerprint": measure.rules.fingerprint,
        "players": measure.players,
        "objective": measure.objective,
        "start": tuning.start,
        "league": list(tuning.league),
        "recruit": search.recruit,
        "generations": last.number,
        "population": search.population,
        "sigma": search.sigma,
        "deals": outcome.generations[0].deals,
        "last_deals": last.deals,
        "games": outcome.games,
        "seed": search.seed,
        "promised": outcome.promised,
        "calcsim": __version__,
        "engine_version": ENGINE_VERSION,
        "rules_version": RULES_VERSION,
    }
    lines = [
        f"# A player who weighs, tuned for {measure.rules.label} with {measure.players} players.",
        "# Play it: --policy THIS_FILE. What each weight means: calcsim policies show weighted",
        "",
        "[weights]",
        *(f"{name} = {value:g}" for name, value in outcome.weights.items()),
        "",
        "# How they were found. Promised is what the best candidate got on the deals that it was chosen by.",
        "[found]",
        *(f"{key} = {_toml(value)}" for key, value in found.items()),
        "",
        "# Held out is what the weights get on deals that no tuning plays, among copies of a rival; before",
        "# is what the start gets on the same deals. Each is an estimate with the ends of its interval.",
        "[held_out]",
        f"deals = {tuning.check_deals}",
        f"level = {tuning.level:g}",
    ]
    if measure.fair is not None:
        lines.append(f"fair = {measure.fair:.6g}")
    for check in outcome.checks:
        lines += ["", "[[held_out.against]]", f"rival = {_toml(check.rival)}"]
        for key in ("value", "before", "gain"):
            numbers = getattr(check, key)
            lines.append(f"{key} = {_toml([numbers.estimate, numbers.low, numbers.high])}")
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_toml(entry) for entry in value)}]"
    if isinstance(value, float):
        return f"{value:.6g}"
    return json.dumps(value)


def write_weights(path: Path, tuning: Tuning, outcome: Outcome) -> None:
    """Write the file of the weights, whole or not at all."""
    replace_file(path, weights_text(tuning, outcome).encode())
