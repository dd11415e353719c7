"""Players: names, line-ups, and functions of a user's own file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from calcsim import policies
from calcsim.engine import columns, driver
from calcsim.errors import PolicyError, UsageError
from calcsim.notation.trace import trace_events
from calcsim.rules import load_rules

PLAYERS = """
from calcsim import policy
from calcsim.engine.rng import below
from calcsim.engine.view import V_HAND, V_SIZE, V_SEAT

@policy
def anything(view, legal, n, params, rng):
    return below(rng, n)

def last(view, legal, n, params, rng):
    return n - 1

@policy
def beyond(view, legal, n, params, rng):
    return n

@policy
def below_zero(view, legal, n, params, rng):
    return -1

@policy
def raises(view, legal, n, params, rng):
    if view[3] >= 4:
        raise ValueError("no idea\\nof this game")
    return n - 1

@policy
def wrong_index(view, legal, n, params, rng):
    return view[10**6]

@policy
def never(view, legal, n, params, rng):
    raise ValueError("never")

def few(view, legal):
    return 0

def no_number(view, legal, n, params, rng):
    return "first"

def typo(view, legal, n, params, rng):
    return nonsense(n)

NUMBER = 3
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("players") / "mine.py"
    path.write_text(PLAYERS, encoding="utf-8")
    return path


def cell(file: Path, name: str, *, rules: str = "advanced", players: int = 2) -> driver.Cell:
    return driver.prepare(load_rules(rules), players, [f"{file}:{name}"])


def turns(cell: driver.Cell, games: int = 200, threads: int = 1) -> list[int]:
    row = columns.game("turns")
    blocks = driver.blocks(cell, seed=5, games=games, threads=threads, map=lambda _, out: out[row].tolist())
    return [number for block in blocks for number in block]


def test_built_in_policies_are_described() -> None:
    assert policies.names()[:2] == ("random", "greedy")
    assert all(policies.describe(name) for name in policies.names())
    for name in policies.names()[:2]:
        assert "R11" in policies.describe(name)
        assert policies.resolve(name, load_rules("calc"), 2) == policies.Policy(name, name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("greddy", "unknown policy 'greddy'; did you mean 'greedy'?"),
        ("nowhere.py:player", "there is no file 'nowhere.py'"),
        ("mine.py", "name the function, too"),
        ("mine.py:", "name the function, too"),
    ],
)
def test_unknown_policies_are_refused(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=r"^(unknown )?policy") as refused:
        policies.resolve(name, load_rules("calc"), 2)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lats", "has no 'lats'; did you mean 'last'?"),
        ("few", "must take (view, legal, n, params, rng)"),
        ("no_number", "does not compile: No conversion from"),
        ("typo", "does not compile: NameError: name 'nonsense' is not defined"),
        ("NUMBER", "must be a function (view, legal, n, params, rng)"),
        ("never", "returns no index"),
    ],
)
def test_functions_that_are_no_policies_are_refused(file: Path, name: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        cell(file, name)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_fails_is_told_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("import nothing_of_the_kind\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"ModuleNotFoundError while .*broken\.py' was run: No module"):
        policies.resolve(f"{path}:player", load_rules("calc"), 2)


def test_plugged_players_play_the_same_on_any_number_of_threads(file: Path) -> None:
    games = columns.BLOCK + 500
    one = turns(cell(file, "anything"), games, threads=1)
    assert one == turns(cell(file, "anything"), games, threads=2)
    assert len(set(one)) > 20


def test_line_ups_may_mix_kinds_of_players(file: Path) -> None:
    mixed = driver.prepare(load_rules("calc"), 3, ["greedy", f"{file}:last", f"{file}:anything"])
    assert mixed.policies == ("greedy", f"{file}:last", f"{file}:anything")
    assert min(turns(mixed)) > 0


def test_a_policy_as_random_is_plays_as_random_does(file: Path, tmp_path: Path) -> None:
    """The list of legal actions that players get holds what the engine's own players choose from (R11.1)."""
    path = tmp_path / "uniform.py"
    path.write_text(
        """
from calcsim import policy
from calcsim.engine.actions import GROW, HANDOFF, PLAY
from calcsim.engine.rng import below

@policy
def uniform(view, legal, n, params, rng):
    plays = 0
    handoffs = 0
    for i in range(n):
        kind = legal[i] & 15
        plays += kind == PLAY or kind == GROW
        handoffs += kind == HANDOFF
    if plays:
        return below(rng, plays) if plays > 1 else 0
    if handoffs and below(rng, 2):
        return below(rng, handoffs)
    return n - 1
""",
        encoding="utf-8",
    )
    for rules in ("calc", "calc-revised", "advanced"):
        own = driver.prepare(load_rules(rules), 4, ["random"])
        plugged = driver.prepare(load_rules(rules), 4, [f"{path}:uniform"])
        for one, other in zip(
            driver.blocks(own, seed=3, games=3000, map=lambda _, out: out.copy()),
            driver.blocks(plugged, seed=3, games=3000, map=lambda _, out: out.copy()),
            strict=True,
        ):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("beyond", r"answered \d+, no index of its \d+ legal actions \(seed 5, game 0, turn 1, advanced\)"),
        ("below_zero", r"answered -1, no index of its"),
        ("raises", r"raised ValueError: no idea \(seed 5, game 0, turn 5, advanced\)"),
        ("wrong_index", r"raised IndexError"),
    ],
)
def test_a_policy_that_breaks_the_rules_ends_the_run(file: Path, name: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message) as ended:
        turns(cell(file, name))
    said = str(ended.value)
    assert said.startswith(f"policy '{file}:{name}' at seat ")
    assert f"calcsim replay --rules advanced --players 2 --policy {file}:{name} --seed 5 --game 0" in said


def test_what_happened_before_a_policy_failed_is_kept(file: Path) -> None:
    with pytest.raises(PolicyError) as ended:
        trace_events(load_rules("advanced"), [f"{file}:raises"] * 2, 5, 0)
    events = [event["event"] for event in ended.value.log]
    assert events[:2] == ["game", "deal"]
    assert events[2:].count("pass") == 4
