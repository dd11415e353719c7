"""Payoffs over multisets of policies, and what evolves from them: against brute force and known games."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from calcsim.errors import UsageError
from calcsim.experiments.metagame import MOST_LINE_UPS, line_ups_of, metagame
from calcsim.experiments.tables import games_of, orders, play_shares, ready, segments
from calcsim.rules import load_rules
from calcsim.simulation import simulate
from calcsim.stats.metagame import (
    Ends,
    Game,
    alpha_rank,
    attractors,
    follow,
    replicate,
    starting_points,
    survivors,
)
from calcsim.stats.resampling import bootstrap_weights, uniforms

SEED = 7
POLICIES = ("greedy", "random", "greedy:forbid=shield")


def two_player_table(wins: list[list[float]]) -> tuple[Game, np.ndarray]:
    """A game of two and its matrix, from what the row gets against the column."""
    table = np.array(wins)
    game = Game(len(table), 2)
    payoffs = np.full((len(game.line_ups), len(table)), np.nan)
    for i, (a, b) in enumerate(game.line_ups):
        payoffs[i, a], payoffs[i, b] = table[a, b], table[b, a]
    return game, game.matrix(payoffs)


def some_payoffs(game: Game, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0, 1, (len(game.line_ups), game.policies))


@pytest.mark.parametrize(("policies", "players"), [(2, 2), (3, 2), (3, 4), (2, 6)])
def test_fitness_is_the_mean_over_all_ways_to_draw_opponents(policies: int, players: int):
    game = Game(policies, players)
    payoffs = some_payoffs(game)
    shares = np.random.default_rng(1).dirichlet(np.ones(policies))
    expected = np.zeros(policies)
    for a in range(policies):
        for others in itertools.product(range(policies), repeat=players - 1):
            line_up = game.line_ups.index(tuple(sorted((a, *others))))
            expected[a] += np.prod(shares[list(others)]) * payoffs[line_up, a]
    assert game.fitness(game.matrix(payoffs), shares[None])[0] == pytest.approx(expected, abs=1e-12)
    assert game.chances(shares).sum() == pytest.approx(1)


def test_gains_compare_a_newcomer_with_residents_among_themselves():
    game = Game(3, 4)
    payoffs = some_payoffs(game)
    gains = game.gains(game.matrix(payoffs))
    newcomer = payoffs[game.line_ups.index((0, 0, 0, 2)), 2]
    assert gains[2, 0] == pytest.approx(newcomer - payoffs[game.line_ups.index((0, 0, 0, 0)), 0])
    assert gains.diagonal() == pytest.approx(0)


def test_what_always_wins_more_takes_over_from_everywhere():
    game, matrix = two_player_table([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]])
    ends = replicate(game, matrix[None], starting_points(3, 50), 0.01)
    assert ends.settled.all()
    (only,) = attractors(ends.shares[0], ends.settled[0])
    assert (only.present, only.basin, only.settled) == ([0], 1.0, True)
    assert survivors(ends).tolist() == [[True, False, False]]


def test_hawks_and_doves_come_to_the_known_mixture():
    # A fight costs 4, what is fought for is worth 2: half are hawks.
    game, matrix = two_player_table([[-1, 2], [0, 1]])
    ends = replicate(game, matrix[None], starting_points(2, 20), 0.1)
    (only,) = attractors(ends.shares[0], ends.settled[0])
    assert only.settled
    assert only.shares == pytest.approx((0.5, 0.5), abs=0.001)


def test_where_alike_do_best_the_start_decides():
    game, matrix = two_player_table([[1.0, 0.0], [0.0, 0.5]])
    starts = starting_points(2, 400)
    ends = replicate(game, matrix[None], starts, 0.01)
    first, second = attractors(ends.shares[0], ends.settled[0])
    assert (first.present, second.present) == ([0], [1])
    assert first.basin == (starts[:, 0] > 1 / 3).mean()


def test_rock_paper_scissors_goes_round_about_the_middle():
    game, matrix = two_player_table([[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]])
    ends = replicate(game, matrix[None], starting_points(3, 30)[1:], 0.01)
    (only,) = attractors(ends.shares[0], ends.settled[0])
    assert not only.settled
    assert only.shares == pytest.approx((1 / 3,) * 3, abs=0.03)


def test_names_of_policies_do_not_matter():
    game = Game(3, 3)
    payoffs = some_payoffs(game)
    turned = np.empty_like(payoffs)
    for i, line_up in enumerate(game.line_ups):
        renamed = game.line_ups.index(tuple(sorted((k + 1) % 3 for k in line_up)))
        turned[renamed] = np.roll(payoffs[i], 1)
    starts = starting_points(3, 20)
    one = replicate(game, game.matrix(payoffs)[None], starts, 0.02)
    two = replicate(game, game.matrix(turned)[None], np.roll(starts, 1, axis=1), 0.02)
    assert np.roll(one.shares, 1, axis=2) == pytest.approx(two.shares, abs=1e-6)


def test_tables_are_followed_independently_and_one_without_differences_stays():
    game = Game(2, 3)
    matrices = game.matrix(np.array([some_payoffs(game, seed) for seed in range(4)]))
    starts = starting_points(2, 10)
    together = replicate(game, matrices, starts, 0.02)
    spread = matrices.max() - matrices.min()
    alone = replicate(game, matrices[2:3], starts, 0.02 * (matrices[2].max() - matrices[2].min()) / spread)
    assert together.shares[2] == pytest.approx(alone.shares[0], abs=0.01)
    flat = replicate(game, np.full_like(matrices[:1], 0.5), starts, 0.02)
    assert (flat.shares[0] == starts).all()


def test_a_course_begins_at_its_start_and_goes_where_populations_end():
    game, matrix = two_player_table([[-1, 2], [0, 1]])
    times, shares = follow(game, matrix, np.array([0.9, 0.1]), 0.1)
    assert (times[0], times[-1]) == (0, pytest.approx(100))
    assert shares[0].tolist() == [0.9, 0.1]
    assert shares[-1] == pytest.approx([0.5, 0.5], abs=1e-3)
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(shares)))


def test_ends_that_are_apart_are_not_put_together():
    shares = np.array([[0.5, 0.5], [0.52, 0.48], [0.8, 0.2], [1.0, 0.0], [0.5, 0.5]])
    settled = np.array([True, True, True, True, False])
    found = attractors(shares, settled)
    assert [one.basin for one in found] == [0.4, 0.2, 0.2, 0.2]
    assert found[0].shares == pytest.approx((0.51, 0.49))
    ends = Ends(shares[None], settled[None])
    assert survivors(ends).tolist() == [[True, True]]
    assert survivors(ends, least=0.9).tolist() == [[True, False]]


@pytest.mark.parametrize("intensity", [0.01, 1.0, 100.0])
def test_alpha_rank_of_rock_paper_scissors_is_even(intensity: float):
    game, matrix = two_player_table([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    assert alpha_rank(game.gains(matrix), 2, intensity) == pytest.approx([1 / 3] * 3)


def test_alpha_rank_is_the_stationary_distribution_of_its_chain():
    rng = np.random.default_rng(3)
    wins = rng.uniform(0.3, 0.7, (4, 4))
    wins = (wins + 1 - wins.T) / 2
    game, matrix = two_player_table(wins.tolist())
    intensity, population = 0.7, 20
    chain = np.zeros((4, 4))
    for resident, newcomer in itertools.permutations(range(4), 2):
        d = intensity * (wins[newcomer, resident] - wins[resident, newcomer])
        chain[resident, newcomer] = (1 - np.exp(-d)) / (1 - np.exp(-population * d)) / 3
    chain += np.diag(1 - chain.sum(axis=1))
    values, vectors = np.linalg.eig(chain.T)
    expected = np.real(vectors[:, np.argmax(np.real(values))])
    found = alpha_rank(game.gains(matrix), 2, intensity, population)
    assert found == pytest.approx(expected / expected.sum())


def test_alpha_rank_counts_what_the_others_at_a_large_table_lose():
    # A newcomer who wins 0.4 of the games at a table of four leaves 0.2 for each of the others.
    gains = np.array([[0.0, 0.15], [-0.15, 0.0]])
    found = alpha_rank(gains, 4, 1.0, population=10)
    assert found[0] / found[1] == pytest.approx(np.exp(9 * 0.2))


def test_alpha_rank_neither_overflows_nor_divides_by_nothing():
    gains = np.array([[0.0, 1e-4, -0.5], [-1e-4, 0.0, 0.5], [0.5, -0.5, 0.0]])
    for intensity in (0.0, 1e-9, 1e3, 1e6):
        masses = alpha_rank(gains, 3, intensity)
        assert np.isfinite(masses).all()
        assert masses.sum() == pytest.approx(1)
    assert alpha_rank(gains, 3, 0.0) == pytest.approx([1 / 3] * 3)
    assert alpha_rank(np.array([gains, gains.T]), 3, 5.0)[0] == pytest.approx(alpha_rank(gains, 3, 5.0))


def test_resamples_are_those_of_the_bootstrap():
    weights = bootstrap_weights(400, 300)
    assert weights.sum(axis=1) == pytest.approx(np.ones(300))
    values = np.random.default_rng(0).normal(size=400)
    assert (weights @ values).std() == pytest.approx(values.std() / 20, rel=0.15)
    assert (weights == bootstrap_weights(400, 300)).all()
    assert np.corrcoef(uniforms(0, 1000), uniforms(1, 1000))[0, 1] == pytest.approx(0, abs=0.1)


def test_starting_points_cover_all_mixtures():
    points = starting_points(3, 2000)
    assert points.sum(axis=1) == pytest.approx(np.ones(2000))
    assert points[0].tolist() == pytest.approx([1 / 3] * 3)
    # Even over the triangle: a quarter of it has more than half of a given policy.
    assert (points > 0.5).mean(axis=0) == pytest.approx([0.25] * 3, abs=0.03)


def test_who_sits_next_to_whom_changes_from_part_to_part():
    assert [way for _, _, way in segments(600, 4)] == orders(4)
    assert len(set(orders(4))) == 6
    assert len(set(orders(6))) == 24
    for players in (2, 3, 4, 5, 6):
        parts = list(segments(1001, players))
        assert sum(count for _, count, _ in parts) == 1001
        assert all(a + n == b for (a, n, _), (b, _, _) in itertools.pairwise(parts))


def test_shares_are_those_of_the_games():
    known = ready(load_rules("advanced"), 3, POLICIES)
    line_up = ("greedy", "greedy", "random")
    (found,) = play_shares(known, [line_up], seed=SEED, deals=40)
    won = np.zeros((2, 40))
    for start, count, way in segments(40, 3):
        seats = [line_up[k] for k in way]
        for turn in range(3):
            names = seats[turn:] + seats[:turn]
            games = simulate("advanced", players=3, policy=names, games=40, seed=SEED)
            first = np.array([games[f"place.seat{seat}"] == 1 for seat in range(3)])
            shares = first / first.sum(axis=0)
            for k, name in enumerate(("greedy", "random")):
                held = [seat for seat in range(3) if names[seat] == name]
                here = slice(start, start + count)
                won[k, here] += shares[held][:, here].mean(axis=0) / 3
    assert found["greedy"] == pytest.approx(won[0])
    assert found["random"] == pytest.approx(won[1])


def test_shares_of_a_table_sum_to_one_on_each_deal_whatever_the_threads():
    known = ready(load_rules("advanced"), 4, POLICIES)
    _, line_ups = line_ups_of(POLICIES, 4)
    seen: list[int] = []
    one = play_shares(known, line_ups, seed=SEED, deals=30, threads=1, progress=seen.append)
    two = play_shares(known, line_ups, seed=SEED, deals=30, threads=2)
    for line_up, here, there in zip(line_ups, one, two, strict=True):
        assert list(here) == list(dict.fromkeys(line_up))
        assert all((here[name] == there[name]).all() for name in here)
        total = sum(line_up.count(name) * rows for name, rows in here.items())
        assert total == pytest.approx(np.ones(30))
    assert seen[-1] == games_of(line_ups, 30)
    assert seen == sorted(seen)


def test_policies_that_never_differ_win_the_same():
    # There are no hand-offs in Calc to do without.
    found = metagame(load_rules("calc"), 3, ["greedy", "greedy:forbid=shield"], deals=200, seed=SEED)
    assert [payoff.share for payoff in found.payoffs] == pytest.approx([1 / 3] * 4)
    assert {one.verdict for one in found.invasions} == {"even"}
    assert [one.survives for one in found.survival] == [1.0, 1.0]
    assert [one.alpha.estimate for one in found.survival] == pytest.approx([0.5, 0.5])
    assert found.dominant is None


def test_the_better_policy_survives():
    found = metagame(load_rules("advanced"), 2, ["random", "greedy"], deals=1000, seed=SEED)
    assert found.dominant == "greedy"
    random, greedy = found.survival
    assert (random.survives, greedy.survives) == (0.0, 1.0)
    assert (random.present, greedy.present) == (0.0, 1.0)
    assert greedy.alpha.estimate > 0.99
    assert greedy.field.estimate + random.field.estimate == pytest.approx(1)
    assert [(one.newcomer, one.verdict) for one in found.invasions] == [
        ("random", "kept out"),
        ("greedy", "invades"),
    ]
    first, second = found.invasions
    assert first.gain.estimate == pytest.approx(-second.gain.estimate)
    assert found.games == 2000
    again = metagame(load_rules("advanced"), 2, ["random", "greedy"], deals=1000, seed=SEED, threads=1)
    assert again.as_dict() == found.as_dict()


def test_policies_have_to_be_several_and_not_too_many():
    with pytest.raises(UsageError, match="give 2 to 12"):
        line_ups_of(["greedy"], 4)
    with pytest.raises(UsageError, match="twice"):
        line_ups_of(["greedy", "greedy"], 4)
    many = [f"weighted:cards={k}" for k in range(12)]
    with pytest.raises(UsageError, match=f"at most {MOST_LINE_UPS:,}"):
        line_ups_of(many, 6)
