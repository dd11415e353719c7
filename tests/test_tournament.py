"""Tournaments and duels: against plain recounts, and what has to hold whatever is played."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calcsim.engine import columns
from calcsim.errors import PolicyError, UsageError
from calcsim.experiments import lineups
from calcsim.experiments.duel import LOOK, duel
from calcsim.experiments.tournament import Pair, Standing, Tournament, seated, tournament
from calcsim.report.standings import tournament_figure
from calcsim.rules import preset
from calcsim.simulation import simulate
from calcsim.stats.intervals import Estimate
from calcsim.stats.sprt import Bounds

NAMES = ["greedy", "random"]


@pytest.mark.parametrize("players", range(2, 7))
def test_everybody_sits_everywhere_and_next_to_everybody(players: int):
    seated = lineups.seatings(range(players))
    for seat in range(players):
        assert set(Counter(seating[seat] for seating in seated).values()) == {len(seated) // players}
    after = Counter((one[i - 1], one[i]) for one in seated for i in range(players))
    turned = {(b, a): n for (a, b), n in after.items()}
    assert after == turned
    if players != 6:
        assert len(after) == players * (players - 1)
        assert len(set(after.values())) == 1
    if players <= 4:
        assert len(seated) == math.factorial(players)


@pytest.mark.parametrize(("policies", "players"), [(3, 2), (3, 4), (2, 5), (3, 5), (2, 6)])
def test_a_field_is_a_fair_draw_for_every_seat(policies: int, players: int):
    table = lineups.field(policies, players)
    chances: Counter[tuple[int, ...]] = Counter()
    for line_up in table:
        for seating in line_up.seatings:
            chances[tuple(sorted(seating))] += line_up.weight
    whole = sum(chances.values())
    for members, n in chances.items():
        ways = math.factorial(players)
        for policy in set(members):
            ways //= math.factorial(members.count(policy))
        assert n * policies**players == ways * whole
    assert sum(len(line_up.seatings) for line_up in table) == seated(
        replace(preset("advanced")), players, policies, False
    )


def recount(rules: str, players: int, deals: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Games won, scores and places of both policies over all seatings, and how often greedy is ahead."""
    sums = np.zeros((3, 2))
    seats = np.zeros(2)
    ahead = both = 0.0
    for line_up in itertools.product(range(2), repeat=players):
        games = simulate(rules, players=players, policy=[NAMES[k] for k in line_up], games=deals)
        places = games[[f"place.seat{seat}" for seat in range(players)]].to_numpy()
        won = (places == 1) / (places == 1).sum(axis=1, keepdims=True)
        for seat, k in enumerate(line_up):
            sums[:, k] += [won[:, seat].sum(), games[f"score.seat{seat}"].sum(), places[:, seat].sum()]
            seats[k] += deals
        for a, b in itertools.product(range(players), repeat=2):
            if line_up[a] == 0 and line_up[b] == 1:
                ahead += (places[:, a] < places[:, b]).sum() + (places[:, a] == places[:, b]).sum() / 2
                both += deals
    return *(sums / seats), ahead / both  # type: ignore[return-value]


@pytest.mark.parametrize(("rules", "players"), [("advanced", 3), ("calc-revised", 2)])
def test_a_tournament_agrees_with_a_plain_recount(rules: str, players: int):
    won, scores, places, ahead = recount(rules, players, 150)
    found = tournament(NAMES, rules, players=players, deals=150)
    assert (found.games, found.line_ups) == (150 * 2**players, players + 1)
    for standing in found.standings:
        k = NAMES.index(standing.policy)
        assert standing.win.estimate == pytest.approx(won[k], abs=1e-12)
        assert standing.score.estimate == pytest.approx(scores[k], abs=1e-12)
        assert standing.place.estimate == pytest.approx(places[k], abs=1e-12)
    (pair,) = found.pairs
    assert pair.share.estimate == pytest.approx(ahead, abs=1e-12)
    assert pair.first == "greedy"
    assert (pair.verdict == "ahead") == ((pair.share.low or 0) > 0.5)


def test_intervals_are_those_of_deals():
    deals = 200
    shares = np.zeros(deals)
    for line_up in itertools.product(NAMES, repeat=2):
        games = simulate("calc", players=2, policy=line_up, games=deals)
        for seat in range(2):
            if line_up[seat] == "greedy":
                shares += (games[f"place.seat{seat}"] == 1).to_numpy() / 4
    found = tournament(NAMES, "calc", players=2, deals=deals).standings[0].win
    assert found.estimate == pytest.approx(shares.mean())
    assert found.error == pytest.approx(shares.std(ddof=1) / deals**0.5)


@pytest.mark.parametrize(
    ("players", "rules"), [(2, "calc"), (4, "advanced"), (5, "advanced"), (6, "advanced")]
)
def test_shares_of_the_games_add_up_to_all_of_them(players: int, rules: str):
    names = [*NAMES, "greedy:forbid=growth"] if players < 5 else NAMES
    found = tournament(names, rules, players=players, deals=100)
    assert sum(one.win.estimate for one in found.standings) == pytest.approx(len(names) / players, abs=1e-12)
    for pair in found.pairs:
        assert 0 <= pair.share.estimate <= 1


def test_the_same_player_under_two_names_is_exactly_as_good():
    # Without hand-offs there is nothing to forbid.
    found = tournament(["greedy", "greedy:forbid=shield"], "calc", players=3, deals=100)
    for standing in found.standings:
        assert (standing.win.estimate, standing.win.error) == (pytest.approx(1 / 3), 0.0)
        assert standing.strength is not None
        assert standing.strength.estimate == pytest.approx(1.0)
    assert found.pairs[0].verdict == "undecided"
    assert found.misfits == ()


def test_nothing_depends_on_threads_or_on_where_a_run_is_cut():
    one = tournament(NAMES, "advanced", players=3, deals=120, threads=1)
    assert one == tournament(NAMES, "advanced", players=3, deals=120, threads=3)
    whole, parts = (lineups.Ledger(preset("advanced"), 3, NAMES, lineups.field(2, 3)) for _ in range(2))
    for ledger, cuts in ((whole, [0, 450]), (parts, [0, 7, 211, 450])):
        for first, last in itertools.pairwise(cuts):
            for _ in ledger.play(seed=1, first=first, deals=last - first):
                pass
    assert whole.gram is not None
    assert parts.gram is not None
    np.testing.assert_array_equal(whole.gram.products, parts.gram.products)
    np.testing.assert_array_equal(whole.won_by_block, parts.won_by_block)
    np.testing.assert_array_equal(whole.sets_by_block, parts.sets_by_block)
    np.testing.assert_array_equal(whole.by_block.sum(axis=0), whole.gram.sums)


def test_choices_add_up_to_the_places_taken():
    players, deals = 3, 50
    ledger = lineups.Ledger(preset("advanced"), players, NAMES, lineups.field(2, players))
    for _ in ledger.play(seed=1, first=0, deals=deals):
        pass
    games = deals * ledger.seatings
    assert ledger.won_by_block.sum() == games * (players - 1) * lineups.WHOLE
    assert ledger.sets_by_block.sum() == games * (players - 1) * lineups.WHOLE
    sizes = ledger.members().sum(axis=1)
    by_size = {n: ledger.sets_by_block[:, sizes == n].sum() for n in (2, 3)}
    assert by_size == {2: games * lineups.WHOLE, 3: games * lineups.WHOLE}


def test_strengths_of_pairs_alone_are_the_shares():
    found = tournament(NAMES, "calc", players=2, deals=300)
    (pair,) = found.pairs
    assert pair.expected == pytest.approx(pair.share.estimate)
    assert pair.residual is not None
    assert pair.residual.estimate == 0.0
    assert found.worst is None
    strengths = {one.policy: one.strength for one in found.standings}
    greedy, random = strengths["greedy"], strengths["random"]
    assert greedy is not None
    assert random is not None
    assert greedy.estimate / (greedy.estimate + random.estimate) == pytest.approx(pair.share.estimate)


def test_a_precision_is_played_for():
    found = tournament(NAMES, "calc", players=2, deals=50_000, precision=0.005)
    assert found.stopped_by == "precision"
    assert 1000 < found.deals < 50_000
    widths = [one.win.high - one.win.low for one in found.standings if one.win.high and one.win.low]
    assert max(widths) / 2 == pytest.approx(0.005, rel=0.1)
    assert tournament(NAMES, "calc", players=2, deals=1200, precision=0.001).stopped_by == "most"


def test_a_gauntlet_plays_the_hero_alone_among_each():
    found = tournament(
        ["random", "greedy", "random:forbid=growth"], "advanced", hero="greedy", players=3, deals=100
    )
    assert (found.seatings, found.hero, found.policies[0]) == (6, "greedy", "greedy")
    assert [bout.policy for bout in found.bouts] == ["random", "random:forbid=growth"]
    assert {pair.first for pair in found.pairs} == {"greedy"}
    won = gained = 0.0
    for seat in range(3):
        names = ["random"] * 3
        names[seat] = "greedy"
        games = simulate("advanced", players=3, policy=names, games=100)
        places = games[[f"place.seat{i}" for i in range(3)]].to_numpy()
        won += float(((places[:, seat] == 1) / (places == 1).sum(axis=1)).sum())
        scores = games[[f"score.seat{i}" for i in range(3)]].to_numpy()
        gained += float((scores[:, seat] - (scores.sum(axis=1) - scores[:, seat]) / 2).sum())
    bout = found.bouts[0]
    assert bout.win.estimate == pytest.approx(won / 300)
    assert bout.score.estimate == pytest.approx(gained / 300)
    (hero,) = [one for one in found.standings if one.policy == "greedy"]
    assert hero.win.estimate == pytest.approx(np.mean([one.win.estimate for one in found.bouts]))


@pytest.mark.parametrize(
    ("names", "players", "hero", "message"),
    [
        (["greedy"], 4, None, "1 policy: a tournament takes 2 to 12"),
        (["greedy"], 4, "greedy", "0 policies: a gauntlet takes its hero and 1"),
        (["greedy", "greedy"], 4, None, "given twice"),
        (["greedy", "greddy"], 4, None, "did you mean 'greedy'"),
        (["greedy", "random"], 7, None, "max_players"),
        ([f"greedy:forbid={word}" for word in ("shield", "growth", "avoid")] * 2, 4, None, "given twice"),
    ],
)
def test_what_cannot_be_played_is_refused(names: list[str], players: int, hero: str | None, message: str):
    with pytest.raises(UsageError, match=message):
        tournament(names, "advanced", players=players, hero=hero)


def test_too_many_line_ups_are_refused_before_they_are_made():
    with pytest.raises(
        UsageError, match=r"12 policies at tables of 6: 148,512 games on each deal .*--gauntlet"
    ):
        seated(preset("advanced"), 6, 12, False)
    assert seated(preset("advanced"), 6, 12, True) == 66


def test_a_player_who_fails_is_named(tmp_path: Path):
    file = tmp_path / "bad.py"
    file.write_text(
        "from calcsim import policy\n\n\n@policy\ndef wrong(view, legal, n, params, rng):\n    return n\n"
    )
    with pytest.raises(PolicyError, match=r"wrong.* answered .* no index"):
        tournament(["greedy", f"{file}:wrong"], "calc", players=2, deals=200)


def made(shares: dict[tuple[str, str], tuple[float, float, float]]) -> Tournament:
    """A tournament with these shares of finishing ahead."""
    names = list(dict.fromkeys(name for pair in shares for name in pair))
    even = Estimate(0.25, 0.001, 0.248, 0.252)
    pairs = [
        Pair(a, b, Estimate(s, 0.01, low, high), None, None) for (a, b), (s, low, high) in shares.items()
    ]
    return Tournament(
        preset("advanced"), 4, tuple(names), None, 1, 0.95, 100, 81, 15, "deals",
        tuple(Standing(name, even, even, even, None, 0, 0) for name in names), tuple(pairs), (), (),
    )  # fmt: skip


def test_the_picture_has_all_players_and_pairs():
    found = made({("a", "b"): (0.6, 0.55, 0.65), ("a", "c"): (0.5, 0.45, 0.55), ("b", "c"): (0.3, 0.2, 0.4)})
    assert [pair.verdict for pair in found.pairs] == ["ahead", "undecided", "behind"]
    points, matrix = tournament_figure(found).axes
    assert [text.get_text() for text in points.get_yticklabels()] == ["a", "b", "c"]
    texts = {text.get_text(): text.get_fontweight() for text in matrix.texts}
    assert texts == {"60.0": "bold", "40.0": "bold", "50.0": "normal", "30.0": "bold", "70.0": "bold"}


def test_a_duel_is_decided_and_then_estimated_on_other_deals():
    found = duel("greedy", "random", "calc", players=2, most=5000)
    assert (found.decision, found.more) == ("high", None)
    assert found.deals % LOOK == 0
    assert found.games == 2 * found.deals
    fresh = found.fresh
    assert fresh is not None
    assert (fresh.deals, fresh.games) == (1000, 2000)
    games = [
        simulate("calc", players=2, policy=names, games=1000, first=5000) for names in (NAMES, NAMES[::-1])
    ]
    won = np.mean([(games[seat][f"place.seat{seat}"] == 1).mean() for seat in range(2)])
    assert fresh.advantage.estimate == pytest.approx(won - 0.5)
    assert fresh.alone[0].estimate == pytest.approx(won)
    assert fresh.ahead.estimate == pytest.approx(won)
    assert fresh.score.estimate == pytest.approx(2 * won - 1)  # one point for the winner


def test_a_duel_at_a_larger_table_is_one_among_others_both_ways():
    deals = 300
    found = duel("greedy", "random", "advanced", players=3, most=LOOK, fresh=deals)
    fresh = found.fresh
    assert fresh is not None
    lone = []
    per_seat = np.zeros(2)
    for k, (one, other) in enumerate((NAMES, NAMES[::-1])):
        won = 0.0
        for seat in range(3):
            names = [other] * 3
            names[seat] = one
            games = simulate("advanced", players=3, policy=names, games=deals, first=LOOK)
            places = games[[f"place.seat{i}" for i in range(3)]].to_numpy()
            won += float(((places[:, seat] == 1) / (places == 1).sum(axis=1)).sum())
            for i in range(3):
                per_seat[k if i == seat else 1 - k] += games[f"score.seat{i}"].sum()
        lone.append(won / (3 * deals))
    assert [one.estimate for one in fresh.alone] == pytest.approx(lone)
    assert fresh.advantage.estimate == pytest.approx((lone[0] - lone[1]) / 2)
    assert fresh.score.estimate == pytest.approx((per_seat[0] - per_seat[1]) / (9 * deals))


def test_a_duel_of_equals_is_decided_for_the_lower_bound_or_not_at_all():
    found = duel("greedy", "greedy:forbid=shield", "calc", players=3, fresh=0)
    assert (found.decision, found.fresh) == ("low", None)
    assert found.deals == LOOK  # they never differ
    found = duel("greedy", "random", "calc", bounds=Bounds(0.02, 0.0201), most=500, fresh=0)
    assert (found.decision, found.deals) == ("undecided", 500)
    assert found.more is None or found.more > 0
    assert found.usual[1] > found.usual[0] > 500


def test_a_duel_depends_neither_on_threads_nor_on_who_is_named_first():
    one = duel("greedy", "random", "calc", players=2, most=600, fresh=200, threads=1)
    assert one == duel("greedy", "random", "calc", players=2, most=600, fresh=200, threads=2)
    turned = duel("random", "greedy", "calc", players=2, bounds=Bounds(-0.01, 0.0), most=600, fresh=200)
    assert one.fresh is not None
    assert turned.fresh is not None
    assert turned.fresh.advantage.estimate == pytest.approx(-one.fresh.advantage.estimate)
    assert turned.decision == {"high": "low", "low": "high"}.get(one.decision, one.decision)


def test_a_policy_cannot_fight_itself():
    with pytest.raises(UsageError, match="against itself"):
        duel("greedy", "greedy")


@pytest.mark.slow
def test_intervals_of_a_tournament_cover_what_many_deals_say():
    rules, names = "calc", [*NAMES, "random:forbid=joker-hold"]
    truth = tournament(names, rules, players=3, deals=20_000, seed=99)
    shares = {one.policy: one.win.estimate for one in truth.standings}
    strengths = {one.policy: one.strength for one in truth.standings}
    ahead = [pair.share.estimate for pair in truth.pairs]
    covered: Counter[str] = Counter()
    runs = 200
    for seed in range(runs):
        found = tournament(names, rules, players=3, deals=200, seed=seed)
        for one in found.standings:
            assert one.win.low is not None
            assert one.win.high is not None
            covered["win"] += one.win.low <= shares[one.policy] <= one.win.high
            its, true = one.strength, strengths[one.policy]
            assert its is not None
            assert true is not None
            assert its.low is not None
            assert its.high is not None
            covered["strength"] += its.low <= true.estimate <= its.high
        covered["pairs"] += all(
            (pair.share.low or 0) <= value <= (pair.share.high or 1)
            for pair, value in zip(found.pairs, ahead, strict=True)
        )
    # The truth's own error widens a miss a little; 200 runs of 95 % vary by 1.5 points, pairs together.
    assert 0.91 < covered["win"] / (3 * runs) < 0.98
    assert 0.91 < covered["strength"] / (3 * runs) < 0.98
    assert 0.89 < covered["pairs"] / runs < 0.99


def test_places_are_what_rankings_are_made_of():
    games = simulate("advanced", players=4, games=500)
    places = games[[f"place.seat{seat}" for seat in range(4)]].to_numpy()
    for row in places:
        assert all(place == 1 + (row < place).sum() for place in row)
    assert "place" in columns.SEAT
