"""The player who looks ahead: what it knows, what it leaves alone, and that it plays well."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from calcsim.engine import columns, driver
from calcsim.engine import layout as at
from calcsim.engine._jit import memory, player_kernel
from calcsim.engine.features import HANDOFF
from calcsim.engine.restrict import NO_SHIELD
from calcsim.engine.sample import SIZE_DEALT, copy_dealt, sample
from calcsim.engine.score import S_HANDOFFS, groups_weighed
from calcsim.engine.search import P_FORBIDDEN, ROLLOUT, play_out
from calcsim.notation.table import Table
from calcsim.policies import resolve
from calcsim.rules import RuleSet, load_rules
from tests.reference import deal
from tests.test_view import hidden_cards_shuffled, unpacked

PRESETS = ["calc", "calc-revised", "advanced"]


def tables(rules: RuleSet, players: int, games: int) -> Any:
    """Tables at every decision of games among players who take any legal action."""
    for game in range(games):
        rng = random.Random(f"{rules.name} {players} {game}")
        table = Table(rules, players, **deal(rules.as_dict(), players, rng))
        for _ in range(120):
            if table.over:
                break
            yield table, rng
            legal = table.legal()
            table.act(rng.choice(legal))


def sampled(state: NDArray[np.int64], key: int) -> NDArray[np.int64]:
    dealt = np.zeros(SIZE_DEALT, dtype=np.int64)
    sample(state, dealt, key)
    return dealt


def with_known_kept(state: Any, rng: random.Random) -> Any:
    """The state with hidden cards dealt anew, but what is known to be in a hand."""
    bare = state.copy()
    for seat in range(int(state[at.PLAYERS])):
        if seat != state[at.SEAT]:
            bare[at.HAND + seat] -= bare[at.KNOWN + seat]
    changed = hidden_cards_shuffled(bare, rng)
    for seat in range(int(state[at.PLAYERS])):
        if seat != state[at.SEAT]:
            changed[at.HAND + seat] += changed[at.KNOWN + seat]
    return changed


def everything(state: Any) -> list[int]:
    """All cards of a table, sorted."""
    cards = [
        c for s in range(state[at.PLAYERS]) for c in unpacked(int(state[at.HAND + s] + state[at.FRONT + s]))
    ]
    cards += state[at.STOCK + state[at.STOCK_NEXT] : at.STOCK + state[at.STOCK_END]].tolist()
    for pile in range(state[at.N_PILES]):
        start = at.FIELD + at.DEPTH * pile
        cards += [14 if c > 16 else c for c in state[start : start + state[at.HEIGHT + pile]].tolist()]
    return sorted(cards)


@pytest.mark.parametrize("preset", PRESETS)
def test_samples_hold_each_card_once_and_keep_what_is_seen(preset: str) -> None:
    n_known = 0
    for table, rng in tables(load_rules(preset), 3, 5):
        state = table._state
        dealt = sampled(state, rng.randrange(2**62))
        seat = int(state[at.SEAT])
        assert everything(dealt) == everything(state)
        assert dealt[at.HAND + seat] == state[at.HAND + seat]
        for other in range(3):
            assert dealt[at.FRONT + other] == state[at.FRONT + other]
            assert len(unpacked(int(dealt[at.HAND + other]))) == len(unpacked(int(state[at.HAND + other])))
            known = unpacked(int(state[at.KNOWN + other]))
            n_known += len(known)
            for hands in (dealt, state):
                hand = unpacked(int(hands[at.HAND + other]))
                assert all(hand.count(card) >= known.count(card) for card in known)
    assert n_known > 0 or preset != "advanced"


@pytest.mark.parametrize("preset", PRESETS)
def test_R10_2_samples_do_not_depend_on_what_is_hidden(preset: str) -> None:
    n_other = 0
    for table, rng in tables(load_rules(preset), 4, 3):
        state = table._state
        changed = with_known_kept(state, rng)
        changed[at.RNG : at.RNG + at.SEATS] = changed[at.SEED] = changed[at.GAME] = 99
        n_other += not np.array_equal(state, changed)
        key = rng.randrange(2**62)
        one, other = sampled(state, key), sampled(changed, key)
        one[at.SEED] = other[at.SEED] = 0
        np.testing.assert_array_equal(one, other)
    assert n_other > 20


def test_every_hidden_card_is_as_likely_in_every_place() -> None:
    """Chi-square of the cards of one hand over the unseen kinds."""
    table, _ = next(iter(tables(load_rules("advanced"), 4, 1)))
    state = table._state
    n = 4000
    counts = np.zeros(15)
    first = np.zeros(15)
    for key in range(n):
        dealt = sampled(state, key * 7919 + 1)
        first[dealt[at.STOCK]] += 1
        for card in unpacked(int(dealt[at.HAND + 2])):
            counts[card] += 1
    unseen = np.bincount(
        unpacked(int(state[at.HAND + 1] + state[at.HAND + 2] + state[at.HAND + 3])), minlength=15
    )
    unseen += np.bincount(
        state[at.STOCK + state[at.STOCK_NEXT] : at.STOCK + state[at.STOCK_END]], minlength=15
    )
    some = unseen > 0
    assert not counts[~some].any()
    for seen in (counts, first):
        expected = seen.sum() * unseen[some] / unseen.sum()
        # Far out in the tail of chi-square with 13 degrees of freedom.
        assert ((seen[some] - expected) ** 2 / expected).sum() < 42


@pytest.mark.parametrize(("preset", "players"), [("calc", 2), ("calc-revised", 3), ("advanced", 4)])
def test_R10_2_search_decides_the_same_whatever_the_hidden_cards_are(preset: str, players: int) -> None:
    rules = load_rules(preset)
    n_other = 0
    for name in ("search:playouts=12", "search:playouts=12:weighed=1", "search:playouts=6:score=1"):
        policy = resolve(name, rules, players)
        params = np.zeros(driver.PARAMS)
        params[: len(policy.params)] = policy.params
        for table, rng in tables(rules, players, 1):
            state = table._state
            legal = np.array(table_actions(table), dtype=np.int64)
            changed = with_known_kept(state, rng)
            n_other += not np.array_equal(state, changed)
            changed[at.RNG : at.RNG + at.SEATS] = changed[at.SEED] = changed[at.GAME] = 99
            before = state[: at.PARTS].copy()
            answers = []
            for one in (state, changed, state):
                rng_array = np.array([12345], dtype=np.uint64)
                answers.append(
                    (policy.function(one, legal, len(legal), params, rng_array), int(rng_array[0]))
                )
            assert answers[0] == answers[1] == answers[2]
            assert 0 <= answers[0][0] < len(legal)
            if len(legal) == 1:
                assert answers[0] == (0, 12345)
            np.testing.assert_array_equal(state[: at.PARTS], before)
    assert n_other > 20


def table_actions(table: Table) -> list[int]:
    from calcsim.engine.table import list_legal

    legal = np.zeros(40_000, dtype=np.int64)
    n = list_legal(table._state, legal)
    return [int(action) for action in legal[:n]]


def outcome(
    rules: RuleSet, names: list[str], deals: int, threads: int = 1, first: int = 0
) -> NDArray[np.int32]:
    cell = driver.prepare(rules, len(names), names)
    blocks = driver.blocks(
        cell, seed=5, first=first, games=deals, threads=threads, map=lambda _, out: out.copy()
    )
    return np.concatenate(list(blocks), axis=1)


@player_kernel
def played_out(dealt, array, params, groups, forbidden, legal, scores, rng):
    """Play a deal out from where its seat decides; how often that seat handed off."""
    table = memory(array)
    copy_dealt(memory(dealt), table)
    seat = table[at.SEAT]
    play_out(table, memory(params), 20, groups, False, seat, forbidden, legal, scores, rng)
    return table[at.COUNTS + columns.N_GAME + columns.N_SEAT * seat + S_HANDOFFS]


@pytest.mark.parametrize("weighed", [True, False])
def test_who_looks_ahead_plans_without_what_is_forbidden(weighed: bool) -> None:
    rules = load_rules("advanced")
    params = np.zeros(driver.PARAMS)
    vector = resolve("search", rules, 4).params
    params[: len(vector)] = vector
    params[HANDOFF] = 5.0
    groups = groups_weighed.py_func(params) if weighed else -1
    legal, scores = np.zeros(ROLLOUT, dtype=np.int64), np.zeros(ROLLOUT)
    table = np.zeros(at.SIZE_STATE, dtype=np.int64)
    handed = dict.fromkeys((0, NO_SHIELD), 0)
    for one, rng in tables(rules, 4, 2):
        dealt = sampled(one._state, rng.randrange(2**62))
        for forbidden in handed:
            stream = np.array([1], dtype=np.uint64)
            handed[forbidden] += played_out(dealt, table, params, groups, forbidden, legal, scores, stream)
    assert handed[0] > 20
    assert handed[NO_SHIELD] == 0


def test_what_is_forbidden_reaches_who_looks_ahead() -> None:
    rules = load_rules("advanced")
    plain, without = (resolve(name, rules, 4) for name in ("search", "search:forbid=shield+growth"))
    assert plain.params[P_FORBIDDEN] == 0
    assert without.params[P_FORBIDDEN] == without.forbidden == 3
    outcomes = [
        outcome(rules, [name, "greedy"], 20) for name in ("search:playouts=8:forbid=shield", "greedy")
    ]
    assert not outcomes[0][columns.seat("handoffs", 0)].any()
    assert outcomes[1][columns.seat("handoffs", 0)].any()


def test_games_of_search_are_the_same_every_time_and_wherever_a_run_begins() -> None:
    rules = load_rules("advanced")
    names = ["search:playouts=8", "greedy", "search:playouts=8:weighed=1"]
    one = outcome(rules, names, 30)
    np.testing.assert_array_equal(one, outcome(rules, names, 30, threads=2))
    np.testing.assert_array_equal(one[:, 11:], outcome(rules, names, 19, first=11))


@pytest.mark.parametrize(
    "changes",
    [
        ["hand_size=24", "growth=off"],
        ["joker_finish=on", "jokers=2", "hand_size=12"],
        ["start_piles=4", "end=first-out", "streak_scope=same-pile", "ring_from=any-line"],
        ["end=stock-out", "handoff=push", "jokers=0"],
        ["turn_limit=5"],
    ],
    ids=" ".join,
)
def test_search_plays_all_rules(changes: list[str]) -> None:
    rules = load_rules("advanced", changes)
    out = outcome(rules, ["search:playouts=16", "search:playouts=8:width=3:depth=2:trust=0"], 3)
    assert (out[columns.game("turns")] > 0).all()


def win_share(rules: RuleSet, players: int, hero: str, other: str, deals: int) -> NDArray[np.float64]:
    """Share of first places of one hero among others, summed over its seats, deal by deal."""
    shares = np.zeros(deals)
    for seat in range(players):
        names = [hero if k == seat else other for k in range(players)]
        out = outcome(rules, names, deals)
        first = np.array([out[columns.seat("place", k)] == 1 for k in range(players)])
        shares += first[seat] / first.sum(axis=0)
    return shares / players


def test_search_beats_greedy() -> None:
    shares = win_share(load_rules("advanced"), 2, "search:playouts=32", "greedy", 150)
    assert shares.mean() - 3 * shares.std() / 150**0.5 > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("players", [2, 4])
def test_search_beats_greedy_in_all_presets(preset: str, players: int) -> None:
    shares = win_share(load_rules(preset), players, "search:playouts=64", "greedy", 800)
    assert shares.mean() - 2.5 * shares.std() / 800**0.5 > 1 / players
