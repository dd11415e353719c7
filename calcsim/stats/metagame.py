"""Which strategies survive: payoffs over the multisets of policies at a table, and what evolves from them.

Players are drawn at random from a large population in which each policy has a share. A policy's fitness is
what it can expect there: the mean of its payoffs over the multisets of opponents, by how likely each is. In
`Game`, a *line-up* is a sorted tuple of policies' indices, one for each seat.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from calcsim.stats.resampling import uniforms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

POPULATION: Final = 50
"""Size of the populations of `alpha_rank`."""

PRESENT: Final = 0.01
"""A policy with less of the population than this counts as gone."""

DECISIVE: Final = 10.0
"""Exponent that a difference of the margin adds up to: what loses by it is left with e**-10 of itself."""

_STEPS: Final = 1.0
"""What the largest difference of fitness, times the length of a step, may be."""

_LOOK: Final = 25
"""Steps between two looks at whether anything still moves."""

_STILL: Final = 1e-5
"""Differences of fitness that count as none."""

_LEAST: Final = -300.0
"""Logarithm below which no share is let fall, so that what was gone can still come back."""


class Game:
    """A symmetric game of some players, each of whom chooses one of some policies.

    Parameters
    ----------
    policies, players
        How many.

    Attributes
    ----------
    line_ups
        All multisets of policies at a table.
    opponents
        How many of each policy are in each multiset of opponents: shape (multisets, policies).
    """

    def __init__(self, policies: int, players: int) -> None:
        self.policies = policies
        self.players = players
        self.line_ups = list(itertools.combinations_with_replacement(range(policies), players))
        known = {line_up: i for i, line_up in enumerate(self.line_ups)}
        others = list(itertools.combinations_with_replacement(range(policies), players - 1))
        self.opponents = np.array([[o.count(k) for k in range(policies)] for o in others])
        self._ways = np.array(
            [math.factorial(players - 1) / math.prod(map(math.factorial, row)) for row in self.opponents]
        )
        self._at = np.array([[known[tuple(sorted((*o, a)))] for o in others] for a in range(policies)])

    def matrix(self, payoffs: Floats) -> Floats:
        """Return payoffs by policy and multiset of opponents.

        Parameters
        ----------
        payoffs
            Shape (..., line-ups, policies): what one player of each policy gets in each of `line_ups`;
            policies that are not in it are not looked at.

        Returns
        -------
        matrix
            Shape (..., policies, multisets of opponents).
        """
        return np.asarray(payoffs[..., self._at, np.arange(self.policies)[:, None]])

    def chances(self, shares: Floats) -> Floats:
        """Return how likely each multiset of opponents is in populations: shape (..., multisets)."""
        with np.errstate(divide="ignore"):
            logs = np.maximum(np.log(shares), _LEAST)
        return np.asarray(self._ways * np.exp(logs @ self.opponents.T))

    def fitness(self, matrix: Floats, shares: Floats) -> Floats:
        """Return what each policy can expect.

        Parameters
        ----------
        matrix
            As `matrix` returns it, shape (..., policies, multisets).
        shares
            Populations, shape (..., populations, policies).

        Examples
        --------
        >>> game = Game(2, 2)
        >>> payoffs = np.array([[0.5, np.nan], [0.7, 0.3], [np.nan, 0.5]])
        >>> game.fitness(game.matrix(payoffs), np.array([[0.5, 0.5]])).tolist()
        [[0.6, 0.4]]
        """
        return np.asarray(self.chances(shares) @ np.swapaxes(matrix, -1, -2))

    def gains(self, matrix: Floats) -> Floats:
        """Return what a single newcomer gets beyond the residents' own payoff, where all others are alike.

        Returns
        -------
        gains
            Shape (..., newcomers, residents); 0 where both are the same.
        """
        alone = [
            int(np.flatnonzero(self.opponents[:, b] == self.players - 1)[0]) for b in range(self.policies)
        ]
        among = matrix[..., alone]
        own = np.diagonal(among, axis1=-2, axis2=-1)
        return np.asarray(among - own[..., None, :])


def starting_points(policies: int, count: int) -> Floats:
    """Return populations spread evenly over all mixtures: shape (count, policies).

    The first is the one with equal shares.
    """
    logs = -np.log(np.array([uniforms(k, count) for k in range(policies)])).T
    points = np.asarray(logs / logs.sum(axis=1, keepdims=True))
    points[0] = 1 / policies
    return points


class Ends(NamedTuple):
    """Where populations came to.

    Attributes
    ----------
    shares
        Shape (..., starts, policies); the mean over the second half of the time where they did not come to
        rest.
    settled
        Shape (..., starts): whether they came to rest.
    """

    shares: Floats
    settled: NDArray[np.bool_]


def replicate(game: Game, matrices: Floats, starts: Floats, margin: float) -> Ends:
    """Follow populations under the replicator dynamics: policies grow by what they get beyond the mean.

    They are followed for as long as it takes until a policy that gets less than another by `margin`, all the
    time, is left with e**-10 of what it had beside it, or until nothing moves.

    Parameters
    ----------
    game
        Policies and players.
    matrices
        Payoffs of several tables, as `Game.matrix` returns them: shape (tables, policies, multisets).
    starts
        Populations to start from, in each of the tables.
    margin
        The difference of payoffs that is to decide.

    Returns
    -------
    ends
        Shapes (tables, starts, policies) and (tables, starts).
    """
    tables, n_starts = len(matrices), len(starts)
    shares = np.broadcast_to(starts, (tables, *starts.shape)).copy()
    settled = np.zeros((tables, n_starts), dtype=bool)
    spread = float(matrices.max() - matrices.min())
    if spread == 0:
        return Ends(shares, ~settled)
    steps = math.ceil(DECISIVE / margin * spread / _STEPS)
    length = DECISIVE / margin / steps
    active = np.arange(tables)
    means = np.zeros_like(shares)
    counted = 0
    for step in range(1, steps + 1):
        shares[active] = _stepped(game, matrices[active], shares[active], length)
        if 2 * step > steps:
            means[active] += shares[active]
            counted += 1
        if step % _LOOK == 0:
            settled[active] = _at_rest(game, matrices[active], shares[active])
            active = active[~settled[active].all(axis=1)]
            if len(active) == 0:
                break
    moving = ~settled
    if counted:
        shares[moving] = means[moving] / counted
    return Ends(shares, settled)


def follow(
    game: Game, matrix: Floats, start: Floats, margin: float, points: int = 200
) -> tuple[Floats, Floats]:
    """Return one population's course: times in games played by each player, and shares at each.

    Parameters
    ----------
    game, matrix
        What is played.
    start
        The population at first.
    margin
        As for `replicate`.
    points
        At how many times.
    """
    spread = float(matrix.max() - matrix.min())
    end = DECISIVE / margin
    within = max(1, math.ceil(end * spread / _STEPS / points))
    shares = start[None, None].copy()
    found = [start]
    for _ in range(points):
        for _ in range(within):
            shares = _stepped(game, matrix[None], shares, end / points / within)
        found.append(shares[0, 0])
    return np.linspace(0, end, points + 1), np.array(found)


def _stepped(game: Game, matrices: Floats, shares: Floats, length: float) -> Floats:
    """Return shares a step later, by Runge and Kutta's method on their logarithms."""

    def moved(by: Floats) -> Floats:
        raw = logs + by
        grown = np.exp(raw - raw.max(axis=-1, keepdims=True))
        # Nothing dies for good: what was beaten by others that are gone may come back.
        grown = np.maximum(grown, math.exp(_LEAST))
        return np.asarray(grown / grown.sum(axis=-1, keepdims=True))

    logs = np.log(shares)
    first = game.fitness(matrices, shares)
    second = game.fitness(matrices, moved(first * (length / 2)))
    third = game.fitness(matrices, moved(second * (length / 2)))
    fourth = game.fitness(matrices, moved(third * length))
    return moved((first + 2 * second + 2 * third + fourth) * (length / 6))


def _at_rest(game: Game, matrices: Floats, shares: Floats) -> NDArray[np.bool_]:
    """Return where those present do equally well, and nobody else would do better."""
    fitness = game.fitness(matrices, shares)
    beyond = fitness - (shares * fitness).sum(axis=-1, keepdims=True)
    still = np.where(shares > 1e-4, np.abs(beyond) < _STILL, beyond < 0)
    return np.asarray(still.all(axis=-1))


@dataclass(frozen=True)
class Attractor:
    """A population that others come to.

    Attributes
    ----------
    shares
        Of each policy, on the average.
    basin
        From what share of the starting points.
    settled
        Whether populations come to rest there; else they go round, or still moved when the time was up.
    """

    shares: tuple[float, ...]
    basin: float
    settled: bool

    @property
    def present(self) -> list[int]:
        """The policies that are not gone."""
        return [k for k, share in enumerate(self.shares) if share >= PRESENT]


def attractors(shares: Floats, settled: NDArray[np.bool_], apart: float = 0.05) -> list[Attractor]:
    """Put ends of one table together: at rest with the same policies in close shares, and all not at rest.

    Parameters
    ----------
    shares, settled
        Shapes (starts, policies) and (starts,).
    apart
        Shares at rest that are further apart than this are different ends.

    Returns
    -------
    attractors
        The one with the largest basin first.
    """
    present = shares >= PRESENT
    groups: list[list[int]] = []
    for i in range(len(shares)):
        for group in groups:
            first = group[0]
            alike = (present[i] == present[first]).all()
            close = alike and np.abs(shares[i] - shares[first]).max() <= apart
            if settled[i] == settled[first] and (close or not settled[i]):
                group.append(i)
                break
        else:
            groups.append([i])
    found = [
        Attractor(
            tuple(shares[group].mean(axis=0).tolist()), len(group) / len(shares), bool(settled[group].all())
        )
        for group in groups
    ]
    return sorted(found, key=lambda one: -one.basin)


def survivors(ends: Ends, least: float = 0.05) -> NDArray[np.bool_]:
    """Return which policies are present at the ends of `least` of the starting points: (tables, policies)."""
    return np.asarray((ends.shares >= PRESENT).mean(axis=-2) >= least)


def alpha_rank(gains: Floats, players: int, intensity: float, population: int = POPULATION) -> Floats:
    """Return how much of the time a small population consists of each policy: alpha-rank.

    All members of the population are alike until one of them takes up another policy at random. It either
    disappears again or takes over: with probability (1 - e**-aD) / (1 - e**-amD), where m is the size of the
    population, a the intensity and D the difference between what a lone newcomer and a resident get at one
    table (Omidshafiei et al. 2019). The stationary distribution of the resulting Markov chain is returned.

    Parameters
    ----------
    gains
        As `Game.gains` returns them, shape (..., newcomers, residents), where each table's payoffs sum to the
        same.
    players
        At a table.
    intensity
        How much a difference of payoffs counts: 0 for drift alone.
    population
        Its size.

    Examples
    --------
    >>> scissors_beat_paper_beats_rock = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    >>> alpha_rank(scissors_beat_paper_beats_rock / 2, 2, 10.0).round(6).tolist()
    [0.333333, 0.333333, 0.333333]
    """
    if gains.shape[-1] == 1:
        return np.ones(gains.shape[:-1])
    # What the newcomer wins, the others at its table lose together.
    differences = gains * (players / (players - 1))
    rates = np.swapaxes(_log_fixation(differences, intensity, population), -1, -2)
    return _stationary(rates - math.log(gains.shape[-1] - 1))


def _log_fixation(differences: Floats, intensity: float, population: int) -> Floats:
    """Return the logarithm of the probability that a newcomer takes over."""
    x = intensity * np.abs(np.asarray(differences, dtype=np.float64))
    x = np.maximum(x, 1e-12)  # below, all is drift: 1 / population
    ratio = np.log(-np.expm1(-x)) - np.log(-np.expm1(-population * x))
    return np.asarray(np.where(np.asarray(differences) < 0, ratio - (population - 1) * x, ratio))


def _stationary(log_rates: Floats) -> Floats:
    """Return the stationary distribution of chains, by elimination without subtraction, in logarithms.

    Parameters
    ----------
    log_rates
        Logarithms of the probabilities to go from (row) to (column), shape (..., n, n); the diagonal is not
        looked at.
    """
    rates = log_rates.copy()
    n = rates.shape[-1]
    for k in range(n - 1, 0, -1):
        rates[..., :k, k] -= np.logaddexp.reduce(rates[..., k, :k], axis=-1)[..., None]
        through = rates[..., :k, k, None] + rates[..., k, None, :k]
        rates[..., :k, :k] = np.logaddexp(rates[..., :k, :k], through)
    logs = np.zeros(rates.shape[:-1])
    for k in range(1, n):
        logs[..., k] = np.logaddexp.reduce(logs[..., :k] + rates[..., :k, k], axis=-1)
    masses = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(masses / masses.sum(axis=-1, keepdims=True))


def sweep(
    gains: Floats, players: int, intensities: Sequence[float], population: int = POPULATION
) -> list[dict[str, Any]]:
    """Return `alpha_rank` at several intensities, as rows of ``intensity`` and ``masses``."""
    return [
        {"intensity": a, "masses": alpha_rank(gains, players, a, population).tolist()} for a in intensities
    ]
