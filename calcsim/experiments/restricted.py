"""Restricted play: what a part of the game is worth to a policy that uses it.

One player does without the part, all others play the same policy with it. On each deal it sits in each seat
once. If it did not do without, all would play the same, and over the seats it would win its fair share
exactly; what it wins less is what the part is worth (Jaffe et al. 2012).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from calcsim.defaults import DEFAULT_SEED
from calcsim.errors import UsageError, nearest
from calcsim.policies.naming import FORBID, RESTRICTIONS, split_name
from calcsim.stats.intervals import LEVEL, Estimate

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from calcsim.engine.driver import Cell
    from calcsim.rules import RuleSet
    from calcsim.stats.verdicts import Verdict

    Floats = NDArray[np.float64]

DEFAULT_DEALS: Final = 20_000
DEFAULT_MARGIN: Final = 0.01


@dataclass(frozen=True)
class Worth:
    """What a part of the game is worth to a policy.

    Attributes
    ----------
    players, policy
        Where, and to whom.
    forbidden
        The part, or several joined by ``+``.
    worth
        The share of games won with it minus that without it. Its interval holds together with those of all
        other parts for the same policy and players.
    restricted
        The share that is won without it; the fair share is won with it.
    verdict
        Against the margin, together with all others of the run.
    changed
        The share of games in which anything went otherwise for doing without it.
    """

    players: int
    policy: str
    forbidden: str
    worth: Estimate
    restricted: float
    verdict: Verdict
    changed: float

    def as_dict(self) -> dict[str, Any]:
        """Return it as a flat row."""
        return {
            "players": self.players,
            "policy": self.policy,
            "forbidden": self.forbidden,
            "worth": self.worth.estimate,
            "error": self.worth.error,
            "low_all": self.worth.low,
            "high_all": self.worth.high,
            "restricted": self.restricted,
            "fair": 1 / self.players,
            "verdict": self.verdict.word,
            "p": self.verdict.p,
            "more": self.verdict.more,
            "changed": self.changed,
        }


@dataclass(frozen=True)
class RestrictedPlay:
    """What was played and what came out.

    Attributes
    ----------
    rules, seed, deals, games, level, margin
        What was played and asked.
    worths
        For each number of players, policy and part.
    """

    rules: RuleSet
    seed: int
    deals: int
    games: int
    level: float
    margin: float
    worths: tuple[Worth, ...]

    def figure(self) -> Figure:
        """Return what each part is worth, over the band of what does not matter."""
        from calcsim.report.metagame import restricted_figure

        return restricted_figure(self)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        from calcsim.version import ENGINE_VERSION, RULES_VERSION, __version__

        return {
            "rules": self.rules.label,
            "fingerprint": self.rules.fingerprint,
            "seed": self.seed,
            "deals": self.deals,
            "games": self.games,
            "level": self.level,
            "margin": self.margin,
            "versions": {"calcsim": __version__, "rules": RULES_VERSION, "engine": ENGINE_VERSION},
            "worths": [one.as_dict() for one in self.worths],
        }


def check_parts(forbidden: Sequence[str]) -> tuple[str, ...]:
    """Return the parts of the game that are to be done without: all, unless some are given.

    Raises
    ------
    UsageError
        If one is unknown or given twice.
    """
    for text in forbidden:
        for word in text.split("+"):
            if word not in RESTRICTIONS:
                known = f"known: {', '.join(RESTRICTIONS)}; several at once with +"
                raise UsageError(
                    f"--forbid {text!r}: unknown {word!r}{nearest(word, RESTRICTIONS)} ({known})"
                )
        if list(forbidden).count(text) > 1:
            raise UsageError(f"--forbid {text!r} is given twice; give each once")
    return tuple(forbidden) or tuple(RESTRICTIONS)


def check_policies(policies: Sequence[str]) -> None:
    """Refuse policies that do without something already.

    Raises
    ------
    UsageError
        Naming the first, or if one is given twice.
    """
    for name in policies:
        split = split_name(name)
        if split.forbidden:
            raise UsageError(
                f"policy {name!r}: give it without {FORBID}=; --forbid says what it does without"
            )
        if list(policies).count(name) > 1:
            raise UsageError(f"policy {name!r} is given twice; give each policy once")


def games_per_deal(players: Sequence[int], policies: int, parts: int) -> int:
    """Return how many games each deal is played in."""
    return sum(policies * (1 + parts * n) for n in players)


def restricted_play(
    rules: RuleSet,
    players: Sequence[int],
    policies: Sequence[str],
    forbidden: Sequence[str] = (),
    *,
    deals: int = DEFAULT_DEALS,
    margin: float = DEFAULT_MARGIN,
    level: float = LEVEL,
    seed: int = DEFAULT_SEED,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
) -> RestrictedPlay:
    """Tell what parts of the game are worth to policies.

    Parameters
    ----------
    rules, players
        What is played, and by how many: several numbers are played one after the other.
    policies
        Each is a run of its own, in which all play it.
    forbidden
        Parts of `calcsim.policies.naming.RESTRICTIONS`, several at once joined by ``+``; none for all of
        them, one after the other.
    deals
        How many are played, the same in all cases.
    margin
        The difference in the share of games won that would matter.
    level
        Of the intervals and verdicts.
    seed, threads
        As for `calcsim.simulate`.
    progress
        Called with the number of games done.

    Raises
    ------
    UsageError
        If what is given does not do.
    PolicyError
        If a policy fails.
    """
    import numpy as np

    from calcsim.stats.families import simultaneous
    from calcsim.stats.verdicts import judge

    parts = check_parts(forbidden)
    check_policies(policies)
    found: list[tuple[int, str, str, Estimate, float]] = []
    done = 0
    for n in players:
        for policy in policies:

            def report(games: int, before: int = done) -> None:
                if progress is not None:
                    progress(before + games)

            lost, changed = _play(rules, n, policy, parts, seed, deals, threads, report)
            done += deals * games_per_deal([n], 1, len(parts))
            covariance = np.cov(lost).reshape(len(parts), len(parts)) / deals
            z = simultaneous(covariance, level)
            errors = np.sqrt(covariance.diagonal())
            for part, mean, error, share in zip(
                parts, lost.mean(axis=1).tolist(), errors.tolist(), changed.tolist(), strict=True
            ):
                found.append(
                    (n, policy, part, Estimate(mean, error, mean - z * error, mean + z * error), share)
                )
    verdicts = judge(
        [one[3].estimate for one in found],
        np.array([one[3].error for one in found], dtype=np.float64),
        np.full(len(found), margin),
        deals,
        level,
    )
    worths = tuple(
        Worth(n, policy, part, worth, 1 / n - worth.estimate, verdict, share)
        for (n, policy, part, worth, share), verdict in zip(found, verdicts, strict=True)
    )
    return RestrictedPlay(rules, seed, deals, done, level, margin, worths)


def _play(
    rules: RuleSet,
    players: int,
    policy: str,
    parts: Sequence[str],
    seed: int,
    deals: int,
    threads: int,
    progress: Callable[[int], None],
) -> tuple[Floats, Floats]:
    """Return the loss of each part on each deal, and in what share of the games anything went otherwise."""
    import numpy as np

    from calcsim.engine import driver
    from calcsim.experiments.tables import chunks, in_threads
    from calcsim.stats.block import WHOLE, Block
    from calcsim.stats.marks import mark_games

    base = driver.prepare(rules, players, [policy])
    cells = [base]
    for part in parts:
        hero = driver.prepare(rules, players, [f"{policy}:{FORBID}={part}"])
        cells += [_seated(base, hero, seat) for seat in range(players)]

    def each(index: int, start: int, out: NDArray[np.int32]) -> tuple[Any, Any]:
        seat = (index - 1) % players
        return Block(out, players).win_parts()[seat], mark_games(out)

    def join(start: int, games: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        won = np.array([one for one, _ in games[1:]]).reshape(len(parts), players, -1).sum(axis=1)
        marks = np.array([mark for _, mark in games])
        other = (marks[1:] != marks[0]).reshape(len(parts), -1).sum(axis=1)
        return won, other

    def play(chunk: tuple[int, int]) -> list[tuple[Any, Any]]:
        first, count = chunk
        return list(
            driver.joint_blocks(cells, seed=seed, first=first, deals=count, each=each, join=join, threads=1)
        )

    def games(played: list[tuple[Any, Any]]) -> int:
        return len(cells) * sum(int(won.shape[1]) for won, _ in played)

    played = in_threads(play, chunks(deals), games=games, threads=threads, progress=progress)
    blocks = [block for some in played for block in some]
    won = np.concatenate([one for one, _ in blocks], axis=1)
    changed = sum(other for _, other in blocks)
    # In whole parts until here, so that what never changes anything is worth exactly nothing.
    lost = (WHOLE - won) / (WHOLE * players)
    return lost, np.asarray(changed / (deals * players), dtype=np.float64)


def _seated(base: Cell, hero: Cell, seat: int) -> Cell:
    """Return a table at which one seat is another's."""
    names, resolved = list(base.policies), list(base.resolved)
    names[seat], resolved[seat] = hero.policies[0], hero.resolved[0]
    return replace(base, policies=tuple(names), resolved=tuple(resolved))
