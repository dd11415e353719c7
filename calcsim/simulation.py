"""Games as a table, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from calcsim.defaults import DEFAULT_SEED
from calcsim.engine import columns
from calcsim.rules import RuleSet, load_rules


def simulate(
    rules: RuleSet | str = "advanced",
    *,
    players: int = 4,
    policy: str | Sequence[str] = "greedy",
    games: int = 10_000,
    first: int = 0,
    seed: int = DEFAULT_SEED,
    threads: int = 0,
) -> pd.DataFrame:
    """Play games and return what happened in each.

    Parameters
    ----------
    rules
        A rule set, a preset's name or a TOML file.
    players
        2 to 6.
    policy
        One policy for all seats, or one for each.
    games, first
        Games `first` to ``first + games - 1`` of the seed: the same numbers give the same games.
    seed
        Of the deals, the recycles and the players' own choices.
    threads
        0 for one a core; the games do not depend on it.

    Returns
    -------
    table
        A row a game, by its number, and a column for each name of `calcsim.engine.columns`: `end` by its
        name, those of a seat with the seat, such as ``score.seat0``; turns are counted from 1, 0 where there
        was none. What was played is in ``table.attrs``: rules, fingerprint, players, policies, seed.

    Raises
    ------
    UsageError
        If rules, players or policies are none.
    PolicyError
        If a policy fails.

    Examples
    --------
    >>> table = simulate("calc", players=2, games=100)
    >>> int((table["place.seat0"] == 1).sum() + (table["place.seat1"] == 1).sum())
    100
    """
    from calcsim.engine import driver

    rule_set = load_rules(rules) if isinstance(rules, str) else rules
    cell = driver.prepare(rule_set, players, [policy] if isinstance(policy, str) else policy)
    names = [*columns.GAME, *(f"{name}.seat{seat}" for seat in range(players) for name in columns.SEAT)]
    data = np.empty((len(names), games), dtype=np.int32)

    def keep(start: int, block: NDArray[np.int32]) -> None:
        data[:, start - first : start - first + block.shape[1]] = block

    for _ in driver.blocks(cell, seed=seed, games=games, first=first, threads=threads, map=keep):
        pass
    table = pd.DataFrame(data.T, columns=names, index=pd.RangeIndex(first, first + games, name="game"))
    ends = data[columns.game("end")]
    table["end"] = pd.Categorical.from_codes(ends, categories=pd.Index(columns.ENDS))
    table.attrs = {
        "rules": rule_set.as_dict(),
        "fingerprint": rule_set.fingerprint,
        "players": players,
        "policies": list(cell.policies),
        "seed": seed,
    }
    return table
