"""Weights found by playing: CMA-ES on what a player wins among copies of others.

All candidates of a generation play the same deals, the next generation plays new ones, and more of them the
less the candidates differ. What is recommended is the middle of the distribution, never the best candidate
seen: that one was lucky. The middle itself plays along without a say, so the numbers told on the way are
honest; the numbers in the result are from deals that no tuning ever plays.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from calcsim.errors import CalcsimError, UsageError
from calcsim.experiments.store import replace_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FIRST_DEAL: Final = 10**12
"""Number of the first deal of a tuning: no other command plays as many, so all theirs are new to it."""

MORE_DEALS: Final = 8
"""How many times the deals of the first generation the last may play."""

_EXTRA: Final = "pip install 'calcsim[tune]'"

_TOLERANCE: Final = 1e-6
"""How far the middle may lie from where it was when a tuning is taken up again."""


@dataclass(frozen=True)
class Search:
    """How weights are looked for.

    Attributes
    ----------
    generations
        How many there are.
    population
        Candidates in each.
    deals, most_deals
        Deals that each candidate plays against each rival, at first and at most.
    sigma
        The candidates' distance from the start in each weight, where the largest weight is 1.
    recruit
        After so many generations, each time, a copy of the middle joins the league; 0 for never.
    recruits
        How many copies stay in it: the newest.
    seed
        Of the deals and the candidates.
    """

    generations: int = 60
    population: int = 12
    deals: int = 200
    most_deals: int = 1600
    sigma: float = 0.3
    recruit: int = 0
    recruits: int = 2
    seed: int = 0


@dataclass(frozen=True)
class Generation:
    """What became of a generation.

    Attributes
    ----------
    number
        Counted from 1.
    first, deals
        The deals it played.
    fitness
        What each candidate got, the mean over the league.
    middle
        The point that the candidates lay around.
    sigma
        How far around it.
    against
        What the middle itself got against each rival, recruits last.
    """

    number: int
    first: int
    deals: int
    fitness: tuple[float, ...]
    middle: tuple[float, ...]
    sigma: float
    against: tuple[float, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "number": self.number,
            "first": self.first,
            "deals": self.deals,
            "fitness": list(self.fitness),
            "middle": list(self.middle),
            "sigma": self.sigma,
            "against": list(self.against),
        }

    @classmethod
    def of(cls, values: dict[str, Any]) -> Generation:
        """Return what `as_dict` was made of."""
        lists = {key: tuple(values[key]) for key in ("fitness", "middle", "against")}
        return cls(**(values | lists))


Evaluate = Callable[[list[tuple[float, ...]], list[tuple[float, ...]], int, int], "Floats"]
"""From candidates, recruits, the first deal and the number of deals: what each got against each rival."""


@dataclass
class Course:
    """A tuning under way.

    Attributes
    ----------
    search
        How it is done.
    start
        The point at which it begins.
    evaluate
        Plays candidates.
    done
        Generations so far.
    """

    search: Search
    start: tuple[float, ...]
    evaluate: Evaluate
    done: list[Generation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._strategy = strategy(self.start, self.search)
        self.recruits: list[tuple[float, ...]] = []
        past, self.done = self.done, []
        for generation in past:
            self._candidates = self._strategy.ask()
            if not np.allclose(self.middle(), generation.middle, rtol=0, atol=_TOLERANCE):
                raise CalcsimError(
                    f"generation {generation.number} comes out otherwise than before: the state was written "
                    "by another version or machine; remove it, or give another --out"
                )
            self._tell(generation)

    def middle(self) -> tuple[float, ...]:
        """Return the middle of the distribution: what is recommended."""
        return tuple(float(x) for x in self._strategy.mean)

    def advance(self) -> Generation:
        """Play one more generation."""
        self._candidates = self._strategy.ask()
        middle = self.middle()
        deals = self._deals()
        first = self.done[-1].first + self.done[-1].deals if self.done else FIRST_DEAL
        points = [*(tuple(float(x) for x in point) for point in self._candidates), middle]
        values = self.evaluate(points, self.recruits, first, deals)
        generation = Generation(
            number=len(self.done) + 1,
            first=first,
            deals=deals,
            fitness=tuple(float(x) for x in values[:-1].mean(axis=1)),
            middle=middle,
            sigma=float(self._strategy.sigma),
            against=tuple(float(x) for x in values[-1]),
        )
        self._tell(generation)
        return generation

    def _deals(self) -> int:
        """Return the deals of the next generation: errors shall fall as the candidates draw together."""
        search = self.search
        now = _distance(self.middle(), float(self._strategy.sigma))
        wanted = search.deals * (_distance(self.start, search.sigma) / now) ** 2
        before = self.done[-1].deals if self.done else search.deals
        return int(min(max(wanted, before), search.most_deals))

    def _tell(self, generation: Generation) -> None:
        # The library looks for the least.
        self._strategy.tell(self._candidates, [-value for value in generation.fitness])
        self.done.append(generation)
        if self.search.recruit and generation.number % self.search.recruit == 0:
            self.recruits = [*self.recruits, self.middle()][-self.search.recruits :]


def _distance(middle: Sequence[float], sigma: float) -> float:
    """Return how far candidates are from the middle, as they play: by the angle, not by the length."""
    return sigma / math.hypot(sigma, *middle)


def strategy(start: Sequence[float], search: Search) -> Any:
    """Return the library's search, which draws from a stream of our own.

    Raises
    ------
    UsageError
        If the library is not there.
    """
    try:
        cma = importlib.import_module("cma")
    except ImportError:
        raise UsageError(f"tuning needs the package 'cma': {_EXTRA}") from None
    never = 10**9
    options = {
        "popsize": search.population,
        "randn": _Normals(search.seed),
        "seed": np.nan,
        "verbose": -9,
        "verb_log": 0,
        "verb_disp": 0,
        "tolflatfitness": never,
        "tolstagnation": never,
    }
    return cma.CMAEvolutionStrategy(list(start), search.sigma, options)


class _Normals:
    """Standard normal numbers, the same ones for a seed everywhere."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._drawn = 0
        self._quantile = NormalDist().inv_cdf

    def __call__(self, *shape: int) -> Floats:
        return np.array([self._next() for _ in range(math.prod(shape))]).reshape(shape)

    def _next(self) -> float:
        self._drawn += 1
        digest = hashlib.blake2b(f"{self._seed}:{self._drawn}".encode(), digest_size=8).digest()
        # The middles of 2**52 equal steps, so that neither 0 nor 1 is met.
        return self._quantile(((int.from_bytes(digest, "big") >> 12) + 0.5) * 2.0**-52)


def read_state(path: Path, identity: dict[str, Any]) -> list[Generation]:
    """Return the generations that an earlier run of the same tuning has played; none without a file.

    Raises
    ------
    UsageError
        If the file cannot be read, or is of another tuning.
    """
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        before = kept["tuning"]
        generations = [Generation.of(values) for values in kept["generations"]]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"cannot go on from {str(path)!r}: {type(error).__name__}: {error}; remove it to begin anew"
        ) from None
    for key, value in identity.items():
        if before.get(key) != value:
            raise UsageError(
                f"{str(path)!r} is of a tuning with another {key} ({_short(before.get(key))}, "
                f"not {_short(value)}); remove it, or give another --out"
            )
    return generations


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def write_state(path: Path, identity: dict[str, Any], generations: Sequence[Generation]) -> None:
    """Write what `read_state` reads, whole or not at all."""
    kept = {"tuning": identity, "generations": [generation.as_dict() for generation in generations]}
    replace_file(path, (json.dumps(kept, indent=1) + "\n").encode())
