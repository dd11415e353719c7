"""What `calcsim policies check` finds: cheaters, crashers, and those who do not know their own mind."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from calcsim.engine import layout as at
from calcsim.engine._jit import policy_kernel
from calcsim.errors import UsageError
from calcsim.notation.position import parse_position
from calcsim.policies.checking import CHECKS, Report, check
from calcsim.policies.naming import BuiltIn
from calcsim.policies.positions import Stream, settings
from calcsim.policies.registry import BUILT_IN
from calcsim.policies.template import template
from calcsim.rules import PRESETS

PLAYERS = """
import numpy as np
from calcsim import policy, scorer
from calcsim.engine._jit import memory
from calcsim.engine.view import SIZE_VIEW, V_STOCK
from calcsim.players import PASS, below, cards, kind, phase, top, stock

WHICH = 1

@policy
def illegal(view, legal, n, params, rng):
    return n if stock(view) < 20 else n - 1

@policy
def crasher(view, legal, n, params, rng):
    if phase(view) == 1:
        raise ValueError("no idea what to do")
    return n - 1

@policy
def moods(view, legal, n, params, rng):
    return np.random.randint(0, n)

@policy
def forger(view, legal, n, params, rng):
    legal[0] = PASS
    return 0

@policy
def marker(view, legal, n, params, rng):
    view[V_STOCK] = 0
    return 0

@policy
def rememberer(view, legal, n, params, rng):
    params[10] += 1
    return int(params[10]) % n

@policy
def prober(view, legal, n, params, rng):
    return (memory(view)[SIZE_VIEW + 3] & 7) % n

@policy
def reads_no_pile(view, legal, n, params, rng):
    return top(view, 40) % n

@policy
def fraction(view, legal, n, params, rng):
    return n / 2 - 0.5

@policy(risk=0.5, other=1.0)
def forgetful(view, legal, n, params, rng):
    return 0 if params[0] > 0.7 else n - 1

@policy(risk=0.5)
def beyond(view, legal, n, params, rng):
    return 0 if params[0] + params[WHICH] > 0.7 else n - 1

@policy(risk=0.5, other=1.0)
def passes_on(view, legal, n, params, rng):
    return 0 if params.sum() > 1.7 else n - 1

@scorer(weight=1.0)
def honest(view, action, params):
    return params[0] * cards(action)

def plain(view, legal, n, params, rng):
    return below(rng, n)

@policy
def thinks_forever(view, legal, n, params, rng):
    i = 0
    while stock(view) < 30:
        i = (i + 1) % 7
    return n - 1
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("checked") / "mine.py"
    path.write_text(PLAYERS, encoding="utf-8")
    return path


def found(report: Report) -> dict[str, str]:
    return {finding.check: finding.text for finding in report.findings}


@pytest.mark.parametrize("name", ["honest", "honest:weight=-1", "plain", "passes_on"])
def test_who_is_sound_passes(file: Path, name: str) -> None:
    report = check(f"{file}:{name}", positions=300)
    assert report.findings == []
    assert report.sound
    assert report.positions == 300
    assert report.n_rules > 10
    assert report.decisions_per_second is not None
    assert report.decisions_per_second > 1000


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("illegal", "legal", "where n is"),
        ("crasher", "errors", "raises ValueError: no idea what to do"),
        ("moods", "steady", "with the same random stream"),
        ("forger", "hands off", "changes the list of legal actions"),
        ("marker", "hands off", "changes its view"),
        ("rememberer", "hands off", "changes its parameters"),
        ("prober", "bounds", "reads what means nothing"),
        ("reads_no_pile", "bounds", "reads what means nothing"),
        ("fraction", "whole", "returns a fraction"),
        ("forgetful", "parameters", "declares other, but never reads params[1]"),
        ("beyond", "parameters", "reads params[1], but declares 1: it is always 0"),
    ],
)
def test_who_is_not_sound_is_found(file: Path, name: str, kind: str, text: str) -> None:
    report = check(f"{file}:{name}", positions=200)
    assert not report.sound
    assert text in found(report)[kind]
    assert set(found(report)) <= {kind, "games", "parameters"}
    (finding,) = [finding for finding in report.findings if finding.check == kind]
    if kind in ("legal", "errors", "steady", "bounds", "hands off"):
        assert "players, turn" in finding.where
        parse_position(finding.position)


def test_games_that_do_not_repeat_are_found_on_the_engine_too(file: Path) -> None:
    report = check(f"{file}:moods", positions=100)
    assert "after other games" in found(report)["games"]
    order = [list(CHECKS).index(finding.check) for finding in report.findings]
    assert order == sorted(order)


# calcsim's own players read the state itself, in which hidden cards lie.


@cache
def compiled(function: Any) -> Any:
    return policy_kernel(function)


def peeker(state: Any, legal: Any, n: int, params: Any, rng: Any) -> int:
    other = (state[at.SEAT] + 1) % state[at.PLAYERS]
    return 0 if state[at.HAND + other] >> 52 else n - 1


def stacker(state: Any, legal: Any, n: int, params: Any, rng: Any) -> int:
    state[at.STOCK + state[at.STOCK_NEXT]] = at.JOKER
    return n - 1


def load_peeker(values: Mapping[str, float], rules: Any, players: int) -> tuple[Any, list[float]]:
    return compiled(peeker), []


def load_stacker(values: Mapping[str, float], rules: Any, players: int) -> tuple[Any, list[float]]:
    return compiled(stacker), []


@pytest.mark.parametrize(
    ("loader", "kind", "text"),
    [
        ("load_peeker", "blind", "sees what it may not (R10.2)"),
        ("load_stacker", "hands off", "changes the state of the game"),
    ],
)
def test_cheaters_among_calcsims_own_are_found(
    monkeypatch: pytest.MonkeyPatch, loader: str, kind: str, text: str
) -> None:
    monkeypatch.setitem(BUILT_IN, "own", BuiltIn("own", "cheats", loader=f"{__name__}:{loader}"))
    assert text in found(check("own", positions=150))[kind]


@pytest.mark.parametrize("name", [name for name, entry in BUILT_IN.items() if entry.loader])
@pytest.mark.slow
def test_calcsims_own_players_are_sound(name: str) -> None:
    assert check(name, positions=1000).findings == []


def test_a_sensible_player_is_sound() -> None:
    assert check("sensible", positions=300).findings == []


def test_yardsticks_are_not_checked() -> None:
    with pytest.raises(UsageError, match="no function to check"):
        check("greedy")


def test_positions_are_of_every_preset_and_number_of_players() -> None:
    asked = settings(Stream(0))
    for rules in PRESETS.values():
        assert {n for r, n in asked if r is rules} == set(range(2, rules.max_players + 1))
    others = [rules for rules, _ in asked if rules not in PRESETS.values()]
    assert len({rules.fingerprint for rules in others}) == len(others) == 12
    assert settings(Stream(0)) == asked


def test_the_template_is_sound(tmp_path: Path) -> None:
    path = tmp_path / "players.py"
    path.write_text(template(str(path)), encoding="utf-8")
    for name in ("careful", "moody"):
        assert check(f"{path}:{name}", positions=100).findings == []


FOREVER = """
from calcsim.policies.checking import check

report = check("{file}:thinks_forever", positions=200, patience=0.5)
(finding,) = report.findings
print(finding.check, finding.text, finding.position is not None)
"""


@pytest.mark.slow
def test_who_never_answers_is_left(file: Path) -> None:
    began = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-c", FOREVER.format(file=file)], capture_output=True, text=True, timeout=120
    )
    assert run.stdout.strip() == "legal gives no answer within 0.5 seconds True", run.stderr
    assert time.monotonic() - began < 100
