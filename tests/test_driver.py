"""The driver and its randomness: the same games whatever the threads and the blocks."""

from __future__ import annotations

import collections
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import calcsim
from calcsim.engine import columns, driver, rng
from calcsim.engine._jit import door
from calcsim.errors import UsageError
from calcsim.notation.trace import trace_events
from calcsim.rules import load_rules

MASK = 2**64 - 1
KINDS = ["A", *map(str, range(2, 11)), "J", "Q", "K", "X"]


def mixed(x: int) -> int:
    """splitmix64's finaliser in plain integers."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


@door
def key_of(seed: int, game: int, purpose: int) -> Any:
    return rng.stream_key(seed, game, purpose)


@door
def draws(stream: Any, n: int, out: Any) -> None:
    for i in range(out.size):
        out[i] = rng.below(stream, n)


@given(st.integers(0, 2**63 - 1), st.integers(0, 2**40), st.integers(0, 200))
def test_streams_are_the_mix_they_are_said_to_be(seed: int, game: int, purpose: int) -> None:
    gamma = int(rng.GAMMA)
    key = mixed((seed + gamma) & MASK)
    key = mixed(key ^ (game * 0xBF58476D1CE4E5B9 + gamma) & MASK)
    key = mixed(key ^ (purpose * 0x94D049BB133111EB + gamma) & MASK)
    assert int(key_of(seed, game, purpose)) == key


@given(st.integers(0, MASK), st.integers(1, 2**31))
def test_numbers_below_are_scaled_from_the_stream(start: int, n: int) -> None:
    stream = np.array([start], dtype=np.uint64)
    out = np.zeros(5, dtype=np.int64)
    draws(stream, n, out)
    state = start
    for number in out.tolist():
        state = (state + int(rng.GAMMA)) & MASK
        assert number == (mixed(state) >> 32) * n >> 32
    assert int(stream[0]) == state


def test_streams_differ_by_seed_game_and_purpose() -> None:
    keys = [int(key_of(s, g, p)) for s in range(20) for g in range(100) for p in range(10)]
    assert len(set(keys)) == len(keys)


def all_rows(cell: driver.Cell, threads: int = 1, first: int = 0, games: int = 9000) -> NDArray[np.int32]:
    blocks = driver.blocks(
        cell, seed=11, first=first, games=games, threads=threads, map=lambda _, out: out.copy()
    )
    return np.concatenate(list(blocks), axis=1)


@pytest.mark.parametrize("preset", ["calc", "calc-revised", "advanced"])
def test_games_do_not_depend_on_threads_or_on_where_a_run_begins(preset: str) -> None:
    cell = driver.prepare(load_rules(preset), 4, ["greedy"])
    one = all_rows(cell)
    np.testing.assert_array_equal(one, all_rows(cell, threads=3))
    np.testing.assert_array_equal(one[:, 777:5000], all_rows(cell, first=777, games=4223))
    assert len({tuple(game) for game in one.T.tolist()}) > 8_500


def test_blocks_come_in_order_and_progress_is_told() -> None:
    cell = driver.prepare(load_rules("calc"), 2, ["random"])
    told: list[int] = []
    games = 2 * columns.BLOCK + 1
    starts = list(
        driver.blocks(
            cell,
            seed=1,
            games=games,
            threads=2,
            map=lambda first, out: (first, out.shape),
            progress=told.append,
        )
    )
    width = columns.n_columns(2)
    assert starts == [
        (0, (width, columns.BLOCK)),
        (columns.BLOCK, (width, columns.BLOCK)),
        (2 * columns.BLOCK, (width, 1)),
    ]
    assert told == [columns.BLOCK, 2 * columns.BLOCK, games]


def test_a_run_may_be_left_early() -> None:
    cell = driver.prepare(load_rules("calc"), 2, ["random"])
    blocks = driver.blocks(cell, seed=1, games=10**9, map=lambda first, _: first)
    assert next(blocks) == 0
    blocks.close()  # would otherwise play for hours


def deal_of(changes: list[str], players: int, game: int) -> dict[str, Any]:
    rules = load_rules("advanced", changes)
    return trace_events(rules, ["random"] * players, 8, game)[1]


@pytest.mark.parametrize("game", range(6))
def test_deals_differ_as_little_as_possible(game: int) -> None:
    """More players, piles or cards of a hand come out of the stock; what stays keeps its order."""
    base = deal_of([], 4, game)
    for changes in (
        ["growth=off"],
        ["handoff=none"],
        ["star_halving=off"],
        ["end=first-out", "joker_finish=on"],
    ):
        assert deal_of(changes, 4, game) == base
    assert deal_of([], 3, game)["hands"] == base["hands"][:3]
    assert deal_of([], 3, game)["piles"] == base["piles"]
    more = deal_of(["start_piles=3"], 4, game)
    assert more["hands"] == base["hands"]
    assert more["piles"][:2] == base["piles"]
    longer = deal_of(["hand_size=6"], 4, game)
    for hand, short in zip(longer["hands"], base["hands"], strict=True):
        assert not collections.Counter(short) - collections.Counter(hand)
    fewer = deal_of(["jokers=1"], 4, game)
    changed = sum(
        (collections.Counter(a) - collections.Counter(b)).total()
        for a, b in zip(base["hands"], fewer["hands"], strict=True)
    )
    assert changed <= 1


def test_deals_of_large_hands_hold_every_card_once() -> None:
    deck = collections.Counter(4 * KINDS[:13] + 2 * KINDS[13:])
    for players, size, piles in ((2, 25, 1), (2, 23, 4), (6, 8, 3), (5, 9, 4), (3, 16, 2), (6, 1, 4)):
        changes = [f"hand_size={size}", f"start_piles={piles}", *(["growth=off"] if piles == 1 else [])]
        for jokers in (0, 1, 2):
            for game in range(5):
                deal = deal_of([*changes, f"jokers={jokers}"], players, game)
                assert [len(hand) for hand in deal["hands"]] == [size] * players
                assert len(deal["piles"]) == piles
                cards = [*itertools.chain(*deal["hands"], *deal["piles"]), *deal["stock"]]
                assert collections.Counter(cards) == deck - collections.Counter({"X": 2 - jokers})
                assert ["X"] not in deal["piles"]


def test_every_card_is_dealt_to_every_place_alike() -> None:
    """Chi-square of the first card of each hand and of the first pile over its 13 or 14 kinds."""
    n = 1500
    counts = np.zeros((3, 14))
    for game in range(n):
        deal = deal_of([], 2, game)
        for row, card in enumerate((deal["piles"][0][0], deal["stock"][0], deal["hands"][1])):
            for name in card if isinstance(card, list) else [card]:
                counts[row, KINDS.index(name)] += 1
    assert counts[0, 13] == 0
    for row, weights in ((0, [4] * 13), (1, [4] * 13 + [2]), (2, [4] * 13 + [2])):
        seen = counts[row, : len(weights)]
        expected = seen.sum() * np.array(weights) / sum(weights)
        # Far out in the tail of chi-square with 12 or 13 degrees of freedom.
        assert ((seen - expected) ** 2 / expected).sum() < 40


def test_simulate_gives_a_table() -> None:
    table = calcsim.simulate("calc", players=3, policy=["random", "greedy", "greedy"], games=500, first=100)
    assert list(table.index) == list(range(100, 600))
    assert set(table["end"]) == {"first-out"}
    assert ((table[[f"place.seat{seat}" for seat in range(3)]] == 1).sum(axis=1) == 1).all()
    assert table.attrs["policies"] == ["random", "greedy", "greedy"]
    assert table.attrs["fingerprint"] == load_rules("calc").fingerprint
    again = calcsim.simulate(load_rules("calc"), players=3, policy=["random", "greedy", "greedy"], games=600)
    np.testing.assert_array_equal(table["turns"], again["turns"][100:])


def test_too_many_players_are_refused() -> None:
    with pytest.raises(UsageError, match="max_players"):
        driver.prepare(load_rules("calc"), 5, ["greedy"])
    with pytest.raises(UsageError, match="2 names for 3 players"):
        driver.prepare(load_rules("calc"), 3, ["greedy", "random"])
