"""Skill and luck: how much of the outcome the policies decide, and how many steps of strength there are.

Two questions are played for. In *duels* each two policies meet, one player of the one among players of the
other, both ways. In the *crossing* line-ups drawn from all policies play the same deals, each of them twice,
with the choices made by chance drawn anew.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from calcsim.defaults import DEFAULT_SEED
from calcsim.experiments.matches import ToTell, games_to_tell
from calcsim.stats.intervals import LEVEL, Estimate

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from calcsim.engine.driver import Cell
    from calcsim.rules import RuleSet

    Floats = NDArray[np.float64]

DEFAULT_DEALS: Final = 20_000
LEAST_DEALS: Final = 1_000

DEFAULT_MARGIN: Final = 0.05
"""How much better a step of the ladder is: five games in a hundred."""

CROSSED: Final = 10
"""One in so many deals is played in the crossing."""

MOST_LINE_UPS: Final = 96
"""Line-ups of the crossing; where there are more, about as many are drawn."""

REPLAYS: Final = 2


@dataclass(frozen=True)
class Duel:
    """How much better one policy is than another.

    Attributes
    ----------
    better, worse
        The policies.
    lead
        The mean of what one `better` wins beyond its fair share among `worse`, and of what one `worse` falls
        short of it among `better`. Its interval holds together with those of all duels of the same table.
    to_tell
        Games until the better one is ahead with a probability of 95 %, and its interval, where each deal is
        played in all seats and both ways.
    clear
        Whether the lead is larger than the margin, for certain.
    """

    better: str
    worse: str
    lead: Estimate
    to_tell: ToTell
    clear: bool


@dataclass(frozen=True)
class Table:
    """What came out for one rule set and number of players.

    Attributes
    ----------
    rules, players
        What was played.
    shares
        The share of the outcome's variance by `calcsim.stats.crossed.PARTS`.
    seats
        What each seat wins, on the average.
    line_ups
        How many line-ups were crossed.
    all_line_ups
        How many there are.
    duels
        For each two policies.
    ladder
        The longest chain of policies each of which clearly beats all those below, the strongest first.
    """

    rules: RuleSet
    players: int
    shares: dict[str, Estimate]
    seats: tuple[float, ...]
    line_ups: int
    all_line_ups: int
    duels: tuple[Duel, ...]
    ladder: tuple[str, ...]

    @property
    def label(self) -> str:
        """The table in words."""
        return f"{self.rules.label}, {self.players} players"


@dataclass(frozen=True)
class Skill:
    """What was played and what came out.

    Attributes
    ----------
    policies, seed, deals, crossed, games, level, margin
        What was played and asked; `crossed` of the deals in the crossing.
    tables
        For each rule set and number of players.
    """

    policies: tuple[str, ...]
    seed: int
    deals: int
    crossed: int
    games: int
    level: float
    margin: float
    tables: tuple[Table, ...]

    def figure(self) -> Figure:
        """Return the shares of skill and luck, a bar for each table."""
        from calcsim.report.metagame import skill_figure

        return skill_figure(self)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        from calcsim.version import ENGINE_VERSION, RULES_VERSION, __version__

        return {
            "policies": list(self.policies),
            "seed": self.seed,
            "deals": self.deals,
            "crossed": self.crossed,
            "games": self.games,
            "level": self.level,
            "margin": self.margin,
            "versions": {"calcsim": __version__, "rules": RULES_VERSION, "engine": ENGINE_VERSION},
            "tables": [
                {
                    "rules": table.rules.label,
                    "fingerprint": table.rules.fingerprint,
                    "players": table.players,
                    "shares": {name: share._asdict() for name, share in table.shares.items()},
                    "seats": list(table.seats),
                    "line_ups": table.line_ups,
                    "all_line_ups": table.all_line_ups,
                    "duels": [
                        {
                            "better": duel.better,
                            "worse": duel.worse,
                            "lead": duel.lead._asdict(),
                            "games_to_tell": duel.to_tell._asdict(),
                            "clear": duel.clear,
                        }
                        for duel in table.duels
                    ],
                    "ladder": list(table.ladder),
                }
                for table in self.tables
            ],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return everything as one flat table: a row for each share, duel and ladder."""
        found = []
        for table in self.tables:
            at = {"rules": table.rules.label, "players": table.players}
            for name, share in table.shares.items():
                found.append({**at, "what": "share", "name": name, **share._asdict()})
            for duel in table.duels:
                name = f"{duel.better} over {duel.worse}"
                found.append({**at, "what": "lead", "name": name, **duel.lead._asdict()})
                number = {"estimate": duel.to_tell.deals, "error": None}
                ends = {"low": duel.to_tell.low, "high": duel.to_tell.high}
                found.append({**at, "what": "games to tell", "name": name, **number, **ends})
            length = {"estimate": len(table.ladder), "error": None, "low": None, "high": None}
            found.append({**at, "what": "ladder", "name": " > ".join(table.ladder), **length})
        return found


def line_ups_of(policies: Sequence[str], players: int) -> list[tuple[str, ...]]:
    """Return the line-ups of the crossing: all there are, or a sample.

    Of more than `MOST_LINE_UPS`, some are drawn, each seat's policy by itself, and taken with all their
    rotations, so that no seat has the better policies. The draws are always the same ones.
    """
    from calcsim.stats.resampling import uniforms

    if len(policies) ** players <= MOST_LINE_UPS:
        return list(itertools.product(policies, repeat=players))
    drawn = MOST_LINE_UPS // players
    names = [policies[int(u * len(policies))] for u in uniforms(len(policies), drawn * players)]
    bases = [tuple(names[i * players : (i + 1) * players]) for i in range(drawn)]
    return [base[k:] + base[:k] for base in bases for k in range(players)]


def games_of(tables: int, policies: int, players: Sequence[int], deals: int) -> int:
    """Return how many games are played.

    Parameters
    ----------
    tables, policies, players
        How many rule sets and policies, and the numbers of players for each.
    deals
        As for `skill_and_luck`.
    """
    games = 0
    for n in players:
        duels = policies * (policies - 1) // (2 if n == 2 else 1)
        games += deals * duels * n + _crossing_games(policies, n, deals // CROSSED)
    return tables * games


def skill_and_luck(
    rules: Sequence[RuleSet],
    players: Sequence[int],
    policies: Sequence[str],
    *,
    deals: int = DEFAULT_DEALS,
    margin: float = DEFAULT_MARGIN,
    level: float = LEVEL,
    seed: int = DEFAULT_SEED,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Skill:
    """Tell skill from luck among policies.

    Parameters
    ----------
    rules, players
        What is played, and by how many; each combination by itself.
    policies
        2 or more. The shares say how much it matters which of these sit where, so weak ones among them make
        for more skill.
    deals
        Of each duel; one in `CROSSED` of them is played in the crossing.
    margin
        How much better a step of the ladder is, in the share of games won.
    level
        Of the intervals.
    seed, threads
        As for `calcsim.simulate`.
    progress
        Called with the number of games done.

    Raises
    ------
    UsageError
        If the policies do not do.
    PolicyError
        If a policy fails.
    """
    from calcsim.experiments.tables import different, ready

    names = different(policies)
    crossed = deals // CROSSED
    tables = []
    done = 0
    for one in rules:
        for n in players:
            known = ready(one, n, names)

            def report(games: int, before: int = done) -> None:
                if progress is not None:
                    progress(before + games)

            duels = _duels(known, names, n, deals, margin, level, seed, threads, report)
            duelled = games_of(1, len(names), [n], deals) - _crossing_games(len(names), n, crossed)

            def report_more(games: int, before: int = done + duelled) -> None:
                if progress is not None:
                    progress(before + games)

            shares, seats, count = _cross(known, names, n, crossed, level, seed, threads, report_more)
            tables.append(Table(one, n, shares, seats, count, len(names) ** n, duels, _ladder(names, duels)))
            done += games_of(1, len(names), [n], deals)
    return Skill(names, seed, deals, crossed, done, level, margin, tuple(tables))


def _crossing_games(policies: int, players: int, crossed: int) -> int:
    line_ups = policies**players
    if line_ups > MOST_LINE_UPS:
        line_ups = MOST_LINE_UPS // players * players
    return int(line_ups * REPLAYS * crossed)


def _duels(
    known: dict[str, Cell],
    names: Sequence[str],
    players: int,
    deals: int,
    margin: float,
    level: float,
    seed: int,
    threads: int,
    progress: Callable[[int], None],
) -> tuple[Duel, ...]:
    """Play each two policies against one another."""
    import numpy as np

    from calcsim.experiments.tables import play_shares
    from calcsim.stats.families import simultaneous

    lone = [
        (a, *[b] * (players - 1))
        for a, b in itertools.permutations(names, 2)
        # Two at a table are one of each, whoever is named first.
        if players > 2 or names.index(a) < names.index(b)
    ]
    shares = dict(
        zip(
            lone,
            play_shares(known, lone, seed=seed, deals=deals, threads=threads, progress=progress),
            strict=True,
        )
    )
    pairs = list(itertools.combinations(names, 2))
    rows = []
    for a, b in pairs:
        above = shares[a, *[b] * (players - 1)][a] - 1 / players
        below = 1 / players - shares[b, *[a] * (players - 1)][b] if players > 2 else above
        rows.append((above + below) / 2)
    leads = np.array(rows)
    covariance = np.cov(leads).reshape(len(pairs), len(pairs)) / deals
    z = simultaneous(covariance, level)
    games = players if players == 2 else 2 * players
    found = []
    for (a, b), row, error in zip(pairs, leads, np.sqrt(covariance.diagonal()).tolist(), strict=True):
        mean = float(row.mean())
        if mean < 0:
            a, b, mean = b, a, -mean
        told = games_to_tell(mean, error * math.sqrt(deals), deals, level)
        lead = Estimate(mean, error, mean - z * error, mean + z * error)
        found.append(Duel(a, b, lead, ToTell(*(games * x for x in told)), mean - z * error > margin))
    return tuple(sorted(found, key=lambda duel: -duel.lead.estimate))


def _cross(
    known: dict[str, Cell],
    names: Sequence[str],
    players: int,
    deals: int,
    level: float,
    seed: int,
    threads: int,
    progress: Callable[[int], None],
) -> tuple[dict[str, Estimate], tuple[float, ...], int]:
    """Play line-ups crossed with deals, and take the outcome's variance apart."""
    import numpy as np

    from calcsim.engine import driver
    from calcsim.experiments.tables import in_threads, seated
    from calcsim.stats.block import WHOLE, Block
    from calcsim.stats.crossed import shares_of_variance

    line_ups = line_ups_of(names, players)
    outcomes = np.empty((REPLAYS, len(line_ups), players, deals))

    def play(task: tuple[int, int]) -> int:
        replay, i = task
        blocks = driver.blocks(
            seated(known, line_ups[i]),
            seed=seed,
            games=deals,
            map=lambda start, out: (start, Block(out, players).win_parts()),
            threads=1,
            # Choices by chance are drawn anew in each game, or they would be part of the deal.
            noise=1 + replay * len(line_ups) + i,
        )
        for start, parts in blocks:
            outcomes[replay, i, :, start : start + parts.shape[1]] = parts / WHOLE
        return deals

    tasks = itertools.product(range(REPLAYS), range(len(line_ups)))
    for _ in in_threads(play, tasks, games=lambda played: played, threads=threads, progress=progress):
        pass
    shares, _ = shares_of_variance(outcomes, level)
    return shares, tuple(outcomes.mean(axis=(0, 1, 3)).tolist()), len(line_ups)


def _ladder(names: Sequence[str], duels: Sequence[Duel]) -> tuple[str, ...]:
    from calcsim.stats.ladder import ladder

    clear = {(duel.better, duel.worse) for duel in duels if duel.clear}
    return tuple(names[k] for k in ladder([[(a, b) in clear for b in names] for a in names]))
