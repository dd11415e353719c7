"""Skill and luck: shares of variance against made-up outcomes, duels, and the ladder."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calcsim.experiments.skill import MOST_LINE_UPS, games_of, line_ups_of, skill_and_luck
from calcsim.rules import load_rules
from calcsim.stats.crossed import PARTS, shares_of_variance
from calcsim.stats.ladder import ladder

SEED = 7


def made_up(
    seed: int, line_ups: int, deals: int, sd: tuple[float, float, float, float, float], seats: int = 3
) -> np.ndarray:
    """Outcomes with known standard deviations of line-ups, seats, deals, both, and chance."""
    rng = np.random.default_rng(seed)

    def part(scale: float, *shape: int) -> np.ndarray:
        return centred(scale * rng.normal(size=shape), 0 if len(shape) == 1 else -2)

    def centred(values: np.ndarray, axis: int) -> np.ndarray:
        # Outcomes of a game sum to the same: what one seat gains the others lose.
        return values - values.mean(axis=axis, keepdims=True)

    policy, seat, deal, both, play = sd
    return (
        part(policy, line_ups, seats, 1)[None]
        + part(seat, 1, seats, 1)[None]
        + part(deal, 1, seats, deals)[None]
        + part(both, line_ups, seats, deals)[None]
        + part(play, 2, line_ups, seats, deals)
    )


def test_shares_of_variance_find_what_was_put_in():
    outcomes = made_up(0, 30, 1000, (0.3, 0.0, 0.5, 0.4, 1.0))
    shares, variance = shares_of_variance(outcomes)
    assert list(shares) == list(PARTS)
    whole = 0.09 + 0.25 + 0.16 + 1.0
    assert variance == pytest.approx(whole * 2 / 3, rel=0.1)
    for name, put in (
        ("policies", 0.09),
        ("seat", 0.0),
        ("deal", 0.25),
        ("policies x deal", 0.16),
        ("play", 1),
    ):
        assert shares[name].estimate == pytest.approx(put / whole, abs=0.04)
    assert sum(share.estimate for share in shares.values()) == pytest.approx(1)


def test_pure_luck_leaves_nothing_to_the_rest_on_the_average():
    found = [shares_of_variance(made_up(k, 6, 100, (0, 0, 0, 0, 1)))[0] for k in range(25)]
    for name in PARTS:
        values = np.array([shares[name].estimate for shares in found])
        expected = 1.0 if name == "play" else 0.0
        assert abs(values.mean() - expected) < 4 * values.std() / math.sqrt(len(found)) + 1e-9


@pytest.mark.slow
def test_intervals_of_the_deals_share_cover_it():
    hits = 0
    # The six line-ups are all there are, so what they have in common of the interaction is the deal's.
    put = (0.25 + 0.16 / 6) / 1.41
    for k in range(300):
        share = shares_of_variance(made_up(k, 6, 400, (0, 0, 0.5, 0.4, 1.0)))[0]["deal"]
        assert share.low is not None
        assert share.high is not None
        hits += share.low <= put <= share.high
    # Binomial: 300 intervals of 95 % hit 285 times, give or take 3.8.
    assert 270 <= hits <= 300


def test_without_any_variance_there_are_no_shares():
    shares, variance = shares_of_variance(np.full((2, 4, 2, 100), 0.5))
    assert variance == 0
    assert all(math.isnan(share.estimate) for share in shares.values())


def test_a_ladder_is_the_longest_chain_in_which_each_beats_all_below():
    def beats(names: str, pairs: str) -> list[list[bool]]:
        return [[f"{a}{b}" in pairs.split() for b in names] for a in names]

    assert ladder(beats("abc", "")) == [0]
    assert ladder(beats("abc", "ca ab cb")) == [2, 0, 1]
    assert len(ladder(beats("abc", "ab bc ca"))) == 2
    # d beats only the others' loser: a > b > c stays the longest.
    assert ladder(beats("abcd", "ab ac bc dc")) == [0, 1, 2]
    assert ladder([]) == []


@pytest.mark.parametrize(("policies", "players"), [(2, 2), (3, 4), (4, 4), (3, 6)])
def test_line_ups_of_the_crossing_give_each_seat_the_same_policies(policies: int, players: int):
    names = [f"p{k}" for k in range(policies)]
    line_ups = line_ups_of(names, players)
    assert len(line_ups) == policies**players or MOST_LINE_UPS - players < len(line_ups) <= MOST_LINE_UPS
    for name in names:
        held = [sum(line_up[seat] == name for line_up in line_ups) for seat in range(players)]
        assert len(set(held)) == 1
        assert held[0] == pytest.approx(len(line_ups) / policies, rel=0.35)


def test_greedy_leads_random_and_the_deal_counts():
    found = skill_and_luck(
        [load_rules("advanced")], [2, 3], ["random", "greedy"], deals=2000, margin=0.02, seed=SEED
    )
    assert found.games == games_of(1, 2, [2, 3], 2000)
    for table in found.tables:
        assert table.ladder == ("greedy", "random")
        (duel,) = table.duels
        assert (duel.better, duel.worse, duel.clear) == ("greedy", "random", True)
        assert duel.to_tell.low < duel.to_tell.deals < duel.to_tell.high < 1000
        assert sum(share.estimate for share in table.shares.values()) == pytest.approx(1)
        assert table.shares["play"].estimate > 0.5
        assert sum(table.seats) == pytest.approx(1)
        assert table.line_ups == table.all_line_ups == 2**table.players


def test_policies_that_never_differ_have_no_ladder_and_no_lead():
    found = skill_and_luck(
        [load_rules("calc")], [2], ["greedy", "greedy:forbid=shield"], deals=1000, seed=SEED
    )
    (table,) = found.tables
    (duel,) = table.duels
    assert (duel.lead.estimate, duel.clear, duel.to_tell.deals) == (0.0, False, math.inf)
    assert len(table.ladder) == 1
    low, high = table.shares["policies"].low, table.shares["policies"].high
    assert low is not None
    assert high is not None
    assert low <= 0 <= high


def test_results_do_not_depend_on_the_threads_and_progress_counts_all_games():
    seen: list[int] = []
    args = ([load_rules("calc")], [3], ["random", "greedy"])
    one = skill_and_luck(*args, deals=1000, seed=SEED, threads=1, progress=seen.append)
    two = skill_and_luck(*args, deals=1000, seed=SEED, threads=2)
    assert one.as_dict() == two.as_dict()
    assert seen[-1] == one.games
    assert seen == sorted(seen)


def test_rows_hold_every_number_once():
    found = skill_and_luck([load_rules("calc")], [2], ["random", "greedy"], deals=1000, seed=SEED)
    rows = found.rows()
    assert [row["what"] for row in rows] == ["share"] * 5 + ["lead", "games to tell", "ladder"]
    assert len({tuple(row) for row in rows}) == 1
