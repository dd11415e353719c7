"""Section 11: the two yardstick players, judged by games that each implementation plays itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any

import pytest

from tests.implementations import Implementation, cell_arguments, command, engine_games
from tests.reference import Table
from tests.reference.conformance import action_of, canonical
from tests.rules.given import short

Action = dict[str, Any]
GAMES = 50
CELLS = [("calc", 2), ("calc-revised", 3), ("advanced", 4)]


def decisions(game: list[dict[str, Any]]) -> Iterator[tuple[list[Action], Action]]:
    """Every decision of a game: the legal actions, and the one chosen."""
    head, dealt, *events = game
    recycles = [event["stock"] for event in events if event["event"] == "recycle"]
    table = Table(head["rules"], head["players"], dealt["hands"], dealt["piles"], dealt["stock"], recycles)
    at = 0
    while not table.over:
        legal, chosen = table.legal(), action_of(events[at])
        yield legal, chosen
        at += len(table.act(chosen))
    assert at == len(events)


@cache
def all_decisions(
    impl: Implementation, preset: str, players: int, policy: str
) -> list[tuple[list[Action], Action]]:
    """The decisions of many games."""
    played = impl.games(preset, players=players, policy=policy, games=GAMES, seed=11)
    return [decision for game in played for decision in decisions(game)]


def laying(legal: list[Action]) -> list[Action]:
    """The plays and growths among actions."""
    return [action for action in legal if action["action"] in ("play", "grow")]


def handing(legal: list[Action]) -> list[Action]:
    """The hand-offs among actions."""
    return [action for action in legal if action["action"] == "handoff"]


def most_cards(actions: list[Action]) -> list[Action]:
    """Those of the plays and growths that get rid of the most cards."""
    most = max(len(action["cards"]) for action in actions)
    return [action for action in actions if len(action["cards"]) == most]


def check_uniform(choices: list[tuple[int, int]]) -> None:
    """Choices (which, of how many) are uniform within 4 standard errors, in their mean and in the first."""
    shifted = sum((which + 0.5) / many - 0.5 for which, many in choices)
    variance = sum((1 - 1 / many**2) / 12 for _, many in choices)
    assert len(choices) > 100
    assert abs(shifted) < 4 * variance**0.5
    first = sum((which == 0) - 1 / many for which, many in choices)
    spread = sum(1 / many * (1 - 1 / many) for _, many in choices)
    assert abs(first) < 4 * spread**0.5


@pytest.mark.parametrize(("preset", "players"), CELLS)
def test_R11_1_random_plays_whatever_fits(impl: Implementation, preset: str, players: int) -> None:
    choices = []
    for legal, chosen in all_decisions(impl, preset, players, "random"):
        among = sorted(map(canonical, laying(legal)))
        if among:
            choices.append((among.index(canonical(chosen)), len(among)))
        else:
            assert short(chosen) in ("pass", "stop", "accept") or chosen in handing(legal)
    check_uniform([choice for choice in choices if choice[1] > 1])


@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_R11_1_else_a_fair_coin_for_a_hand_off(impl: Implementation, policy: str) -> None:
    flips, choices = [], []
    for legal, chosen in all_decisions(impl, "calc-revised", 3, policy):
        among = sorted(map(canonical, handing(legal)))
        if among and not laying(legal):
            flips.append(chosen["action"] == "handoff")
            if flips[-1]:
                choices.append((among.index(canonical(chosen)), len(among)))
    assert abs(sum(flips) - len(flips) / 2) < 4 * (len(flips) / 4) ** 0.5
    check_uniform([choice for choice in choices if choice[1] > 1])


@pytest.mark.parametrize(("preset", "players"), CELLS)
def test_R11_2_greedy_gets_rid_of_the_most_cards(impl: Implementation, preset: str, players: int) -> None:
    choices = []
    for legal, chosen in all_decisions(impl, preset, players, "greedy"):
        if laying(legal):
            among = sorted(map(canonical, most_cards(laying(legal))))
            choices.append((among.index(canonical(chosen)), len(among)))
        else:
            assert short(chosen) in ("pass", "stop", "accept") or chosen in handing(legal)
    check_uniform([choice for choice in choices if choice[1] > 1])


@pytest.mark.parametrize(("preset", "players"), CELLS)
def test_R11_3_every_decision_has_one_way_to_do_nothing(
    impl: Implementation, preset: str, players: int
) -> None:
    met = set()
    for legal, _ in all_decisions(impl, preset, players, "random"):
        (idle,) = {short(action) for action in legal} & {"pass", "stop", "accept"}
        met.add((idle, len(legal) == 1))
    assert met >= {(idle, True) for idle in ("pass", "stop", "accept")}


@pytest.mark.parametrize(("preset", "players"), CELLS)
def test_R11_3_decisions_and_actions_are_counted(preset: str, players: int) -> None:
    """The figures of `calcsim run` are those of the same games, counted by the reference."""
    cell: dict[str, Any] = {"players": players, "policy": "random", "games": 50, "seed": 7}
    figures = json.loads(command("run", *cell_arguments(preset, **cell), "--json"))["figures"]
    counts: dict[str, list[int]] = {"free": [], "after_draw": [], "penalty": []}
    for legal, _ in chain.from_iterable(map(decisions, engine_games(preset, **cell))):
        kind = {"pass": "free", "stop": "after_draw", "accept": "penalty"}
        (found,) = [kind[action["action"]] for action in legal if action["action"] in kind]
        counts[found].append(len(legal))
    together = [number for numbers in counts.values() for number in numbers]
    assert figures["decisions"][0] == pytest.approx(len(together) / 50)
    assert figures["actions_per_decision"][0] == pytest.approx(sum(together) / len(together))
    for kind, numbers in counts.items():
        assert figures[f"actions_per_decision.{kind}"][0] == pytest.approx(sum(numbers) / len(numbers))
