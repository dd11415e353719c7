"""The metagame: every mixture of policies at the table, and which policies survive among each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from calcsim.defaults import DEFAULT_SEED
from calcsim.errors import UsageError
from calcsim.stats.intervals import LEVEL, Estimate, normal_quantile

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from calcsim.rules import RuleSet
    from calcsim.stats.metagame import Attractor, Ends, Game

    Floats = NDArray[np.float64]

DEFAULT_DEALS: Final = 5_000
LEAST_DEALS: Final = 100

DEFAULT_MARGIN: Final = 0.01
"""The difference in the share of games won that is to decide: one game in a hundred."""

STARTS: Final = 200
"""Populations that the replicator dynamics start from."""

_FEWER_STARTS: Final = 24
"""As many in each resample."""

MOST_LINE_UPS: Final = 1_500

INTENSITIES: Final = (0.1, 0.5, 2.0, 10.0, 50.0, 250.0)
"""Of the sweep of alpha-rank."""

WORDS: Final = {
    "invades": "a newcomer wins more than its fair share by the margin or more",
    "kept out": "a newcomer wins less than its fair share by the margin or more",
    "even": "the difference is smaller than the margin",
    "undecided": "the deals played do not tell",
}
"""What each verdict on a newcomer means."""


class Payoff(NamedTuple):
    """What one player of a policy wins in a line-up: `share` with its standard error."""

    line_up: tuple[str, ...]
    policy: str
    copies: int
    share: float
    error: float


class Invasion(NamedTuple):
    """How a single newcomer fares where all others play the same.

    Attributes
    ----------
    newcomer, resident
        Policies.
    gain
        What the newcomer wins beyond its fair share; its interval is simultaneous with all others.
    verdict
        A key of `WORDS`.
    more
        Further deals that a decision would take, where it is undecided and they would bring one.
    """

    newcomer: str
    resident: str
    gain: Estimate
    verdict: str
    more: int | None


class Survival(NamedTuple):
    """How a policy fares in the end.

    Attributes
    ----------
    policy
        Its name.
    field
        What it wins against opponents drawn evenly from all policies.
    present
        Share of the starting points from which it is left in the end.
    survives
        Share of the resamples of the deals in which it is left in the end, from 5 % of the starting points
        or more.
    alpha
        Its mass in alpha-rank: mean and interval over the resamples.
    """

    policy: str
    field: Estimate
    present: float
    survives: float
    alpha: Estimate


@dataclass(frozen=True)
class Metagame:
    """What came out.

    Attributes
    ----------
    rules, players, policies, seed, deals, games, level, margin
        What was played and asked.
    payoffs
        The payoff table.
    invasions
        For each two policies.
    attractors
        What populations come to, the largest basin first.
    survival
        For each policy.
    sweep
        Alpha-rank at several intensities.
    intensity
        That of `survival`.
    course
        Times, and the shares of the policies at each, from equal shares on.
    """

    rules: RuleSet
    players: int
    policies: tuple[str, ...]
    seed: int
    deals: int
    games: int
    level: float
    margin: float
    payoffs: tuple[Payoff, ...]
    invasions: tuple[Invasion, ...]
    attractors: tuple[Attractor, ...]
    survival: tuple[Survival, ...]
    sweep: tuple[dict[str, Any], ...]
    intensity: float
    course: tuple[Floats, Floats]

    @property
    def dominant(self) -> str | None:
        """The policy that is alone in every attractor and that nobody invades, if there is one."""
        for k, name in enumerate(self.policies):
            alone = all(one.present == [k] for one in self.attractors)
            kept = all(i.verdict in ("kept out", "even") for i in self.invasions if i.resident == name)
            if alone and kept:
                return name
        return None

    def figure(self) -> Figure:
        """Return the heat map of newcomers and residents, and the course from equal shares."""
        from calcsim.report.metagame import metagame_figure

        return metagame_figure(self)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        from calcsim.version import ENGINE_VERSION, RULES_VERSION, __version__

        return {
            "rules": self.rules.label,
            "fingerprint": self.rules.fingerprint,
            "players": self.players,
            "policies": list(self.policies),
            "seed": self.seed,
            "deals": self.deals,
            "games": self.games,
            "level": self.level,
            "margin": self.margin,
            "versions": {"calcsim": __version__, "rules": RULES_VERSION, "engine": ENGINE_VERSION},
            "dominant": self.dominant,
            "survival": [
                {**one._asdict(), "field": one.field._asdict(), "alpha": one.alpha._asdict()}
                for one in self.survival
            ],
            "attractors": [asdict(one) for one in self.attractors],
            "invasions": [{**one._asdict(), "gain": one.gain._asdict()} for one in self.invasions],
            "alpha_rank": {"intensity": self.intensity, "sweep": list(self.sweep)},
            "course": {"times": self.course[0].tolist(), "shares": self.course[1].tolist()},
            "payoffs": [one._asdict() for one in self.payoffs],
        }


def metagame(
    rules: RuleSet,
    players: int,
    policies: Sequence[str],
    *,
    deals: int = DEFAULT_DEALS,
    margin: float = DEFAULT_MARGIN,
    level: float = LEVEL,
    seed: int = DEFAULT_SEED,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Metagame:
    """Play every multiset of policies at the table, and tell which of them survive.

    Parameters
    ----------
    rules, players
        What is played.
    policies
        2 or more, each once.
    deals
        How many each line-up plays, in all its rotations.
    margin
        The difference in the share of games won that is to decide.
    level
        Of the intervals.
    seed, threads
        As for `calcsim.simulate`.
    progress
        Called with the number of games done.

    Raises
    ------
    UsageError
        If the policies do not do, or make more line-ups than can be played.
    PolicyError
        If a policy fails.
    """
    import numpy as np

    from calcsim.experiments.tables import games_of, play_shares, ready
    from calcsim.stats.metagame import (
        DECISIVE,
        POPULATION,
        Game,
        attractors,
        follow,
        replicate,
        starting_points,
        sweep,
    )
    from calcsim.stats.resampling import bootstrap_weights

    names, line_ups = line_ups_of(policies, players)
    game = Game(len(names), players)
    found = play_shares(
        ready(rules, players, names), line_ups, seed=seed, deals=deals, threads=threads, progress=progress
    )
    played = _Played(game, names, line_ups, found, deals)
    matrix = game.matrix(played.table(np.full((1, deals), 1 / deals)))[0]
    starts = starting_points(len(names), STARTS)
    ends = replicate(game, matrix[None], starts, margin)
    again = game.matrix(played.table(bootstrap_weights(deals)))
    intensity = DECISIVE / (POPULATION * margin)
    return Metagame(
        rules,
        players,
        names,
        seed,
        deals,
        games_of(line_ups, deals),
        level,
        margin,
        tuple(played.payoffs()),
        tuple(_invasions(played, margin, level)),
        tuple(attractors(ends.shares[0], ends.settled[0])),
        tuple(_survival(played, ends, again, margin, intensity, level)),
        tuple(sweep(game.gains(matrix), players, INTENSITIES)),
        intensity,
        follow(game, matrix, starts[0], margin),
    )


def line_ups_of(policies: Sequence[str], players: int) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return policies, checked, and all their line-ups that are not of one policy alone.

    Raises
    ------
    UsageError
        If the policies do not do, or there would be more than `MOST_LINE_UPS`.
    """
    from itertools import combinations_with_replacement

    from calcsim.experiments.tables import different

    names = different(policies)
    line_ups = [one for one in combinations_with_replacement(names, players) if len(set(one)) > 1]
    if len(line_ups) > MOST_LINE_UPS:
        raise UsageError(
            f"{len(names)} policies at {players} seats make {len(line_ups):,} line-ups (at most "
            f"{MOST_LINE_UPS:,}); give fewer policies, or fewer players"
        )
    return names, line_ups


class _Played:
    """The payoffs of each deal, and what is made of them."""

    def __init__(
        self,
        game: Game,
        names: tuple[str, ...],
        line_ups: Sequence[tuple[str, ...]],
        found: Sequence[dict[str, Floats]],
        deals: int,
    ) -> None:
        self.game = game
        self.names = names
        self.deals = deals
        self.fair = 1 / game.players
        self._known = dict(zip(line_ups, found, strict=True))
        self._by_name = [tuple(names[k] for k in line_up) for line_up in game.line_ups]

    def table(self, weights: Floats) -> Floats:
        """Return payoffs over weighted deals: shape (weightings, line-ups, policies)."""
        import numpy as np

        table = np.full((len(weights), len(self._by_name), len(self.names)), np.nan)
        for i, line_up in enumerate(self._by_name):
            for name in dict.fromkeys(line_up):
                k = self.names.index(name)
                table[:, i, k] = weights @ self._known[line_up][name] if line_up in self._known else self.fair
        return table

    def payoffs(self) -> list[Payoff]:
        """Return the table, line-up by line-up."""
        import math

        return [
            Payoff(
                line_up,
                name,
                line_up.count(name),
                float(rows.mean()),
                float(rows.std(ddof=1)) / math.sqrt(self.deals),
            )
            for line_up, found in self._known.items()
            for name, rows in found.items()
        ]

    def newcomer(self, a: int, b: int) -> Floats:
        """Return what policy `a` wins beyond its fair share where all others play `b`, deal by deal."""
        line_up = tuple(self.names[k] for k in sorted([a] + [b] * (self.game.players - 1)))
        return self._known[line_up][self.names[a]] - self.fair

    def against_field(self, a: int) -> Floats:
        """Return what policy `a` wins against evenly drawn opponents, deal by deal."""
        import numpy as np

        even = np.full(len(self.names), 1 / len(self.names))
        total = np.zeros(self.deals)
        for chance, counts in zip(self.game.chances(even), self.game.opponents, strict=True):
            others = [k for k, count in enumerate(counts) for _ in range(count)]
            line_up = tuple(self.names[k] for k in sorted([a, *others]))
            found = self._known.get(line_up)
            # Where all play the same, each wins its fair share, whatever the deal.
            total += chance * (self.fair if found is None else found[self.names[a]])
        return total


def _invasions(played: _Played, margin: float, level: float) -> list[Invasion]:
    import numpy as np

    from calcsim.stats.families import simultaneous
    from calcsim.stats.verdicts import judge

    k = len(played.names)
    pairs = [(a, b) for a in range(k) for b in range(k) if a != b]
    rows = np.array([played.newcomer(a, b) for a, b in pairs])
    covariance = np.cov(rows).reshape(len(pairs), len(pairs)) / played.deals
    gains, errors = rows.mean(axis=1), np.sqrt(covariance.diagonal())
    z = simultaneous(covariance, level)
    verdicts = judge(gains, errors, np.full(len(pairs), margin), played.deals, level)
    words = {"no matter": "even", "undecided": "undecided"}
    return [
        Invasion(
            played.names[a],
            played.names[b],
            Estimate(gain, error, gain - z * error, gain + z * error),
            words.get(verdict.word, "invades" if gain > 0 else "kept out"),
            verdict.more,
        )
        for (a, b), gain, error, verdict in zip(pairs, gains.tolist(), errors.tolist(), verdicts, strict=True)
    ]


def _survival(
    played: _Played,
    ends: Ends,
    again: Floats,
    margin: float,
    intensity: float,
    level: float,
) -> list[Survival]:
    import math

    import numpy as np

    from calcsim.stats.metagame import PRESENT, alpha_rank, replicate, starting_points, survivors

    game, players = played.game, played.game.players
    present = (ends.shares[0] >= PRESENT).mean(axis=0)
    few = starting_points(len(played.names), _FEWER_STARTS)
    survive = survivors(replicate(game, again, few, margin)).mean(axis=0)
    spread = alpha_rank(game.gains(again), players, intensity)
    low, high = np.quantile(spread, [(1 - level) / 2, (1 + level) / 2], axis=0)
    found = []
    for k, name in enumerate(played.names):
        rows = played.against_field(k)
        error = float(rows.std(ddof=1)) / math.sqrt(played.deals)
        reach = normal_quantile(level) * error
        value = float(rows.mean())
        alpha = Estimate(
            float(spread[:, k].mean()), float(spread[:, k].std(ddof=1)), float(low[k]), float(high[k])
        )
        field = Estimate(value, error, value - reach, value + reach)
        found.append(Survival(name, field, float(present[k]), float(survive[k]), alpha))
    return found
