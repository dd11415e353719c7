"""Comparisons: tables against plain arithmetic over the games of each deal."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from calcsim.experiments.analysis import EFFECT_COLUMNS, ESTIMATE_COLUMNS
from calcsim.experiments.comparing import compare_design
from calcsim.experiments.design import build_design
from calcsim.simulation import simulate

DEALS = 2_000
SEED = 20260101


def compared(*vary: str, metrics: list[str], deals: int = DEALS, threads: int = 0, **more):
    design = build_design(vary=list(vary), metrics=metrics, deals=deals, seed=SEED, **more)
    return compare_design(design, threads=threads)


def games(changes: list[str], players: int = 4, policy="greedy", deals: int = DEALS) -> pd.DataFrame:
    from calcsim.rules import load_rules

    return simulate(load_rules("advanced", changes), players=players, policy=policy, games=deals, seed=SEED)


def one(frame: pd.DataFrame, **where) -> pd.Series:
    for name, value in where.items():
        frame = frame[frame[name] == value]
    assert len(frame) == 1, frame
    return frame.iloc[0]


def test_a_paired_difference_is_that_of_the_deals():
    found = compared("handoff=shield,none", metrics=["turns=1", "share.growth", "handoff_uptake"])
    a, b = games([]), games(["handoff=none"])
    row = one(found.effects, metric="turns")
    d = (b["turns"] - a["turns"]).to_numpy()
    assert row.difference == pytest.approx(d.mean())
    assert row.error == pytest.approx(d.std(ddof=1) / math.sqrt(DEALS))
    assert (row.baseline_value, row.variant_value) == pytest.approx((a["turns"].mean(), b["turns"].mean()))
    apart = a["turns"].var() + b["turns"].var()
    assert row.reduction == pytest.approx(apart / d.var(ddof=1))
    assert row.high - row.low == pytest.approx(2 * 1.959964 * row.error)
    assert (a["handoff_turn"] > 0).mean() <= row.changed < 1

    # Of what happens or not it is McNemar's test with a size.
    row = one(found.effects, metric="share.growth")
    grew_a, grew_b = a["growth_turn"] > 0, b["growth_turn"] > 0
    more, less = (grew_b & ~grew_a).sum(), (grew_a & ~grew_b).sum()
    assert row.difference == pytest.approx((more - less) / DEALS)
    variance = (more + less - (more - less) ** 2 / DEALS) / DEALS / (DEALS - 1)
    assert row.error == pytest.approx(math.sqrt(variance))

    # No hand-off is possible in one of the two, so there is no uptake to compare; the estimate says so.
    assert "handoff_uptake" not in set(found.effects.metric)
    missing = one(found.estimates, metric="handoff_uptake", variant="handoff=none")
    assert math.isnan(missing.estimate)
    assert missing.method == "none of those"


def test_a_ratio_differs_by_the_delta_method():
    found = compared("star_halving=on,off", "jokers=2,0", metrics=["actions_per_decision=0.1"])
    a, b = games([]), games(["jokers=0"])
    row = one(found.effects, kind="contrast", variant="star_halving=on, jokers=0")
    kinds = ("free", "after_draw", "penalty")

    def parts(frame: pd.DataFrame):
        x = sum(frame[f"actions_{kind}"] for kind in kinds).to_numpy(float)
        y = sum(frame[f"decisions_{kind}"] for kind in kinds).to_numpy(float)
        return x.mean() / y.mean(), (x - x.mean() / y.mean() * y) / y.mean()

    (value_a, residual_a), (value_b, residual_b) = parts(a), parts(b)
    assert row.difference == pytest.approx(value_b - value_a)
    assert row.error == pytest.approx((residual_b - residual_a).std(ddof=1) / math.sqrt(DEALS))


def test_effects_of_a_factorial_are_means_of_differences():
    found = compared("handoff=shield,none", "jokers=2,0", metrics=["turns=1"])
    turns = {
        (h, j): games([f"handoff={h}", f"jokers={j}"])["turns"].to_numpy(float)
        for h in ("shield", "none")
        for j in (2, 0)
    }
    main = (turns["none", 2] - turns["shield", 2] + turns["none", 0] - turns["shield", 0]) / 2
    row = one(found.effects, kind="main", effect="handoff: shield -> none")
    assert (row.difference, row.error) == pytest.approx((main.mean(), main.std(ddof=1) / math.sqrt(DEALS)))
    both = (turns["none", 0] - turns["shield", 0]) - (turns["none", 2] - turns["shield", 2])
    row = one(found.effects, kind="interaction")
    assert row.effect == "handoff: shield -> none × jokers: 2 -> 0"
    assert (row.difference, row.error) == pytest.approx((both.mean(), both.std(ddof=1) / math.sqrt(DEALS)))
    assert row.low_all < row.low < row.high < row.high_all


def test_a_material_interaction_comes_with_its_conditional_effects():
    # What growing does hangs on how many piles there are to grow between.
    vary = ("growth=on,off", "start_piles=4,2")
    found = compared(*vary, metrics=["turns=0.2"], deals=8_000)
    interaction = one(found.effects, kind="interaction")
    assert interaction.verdict == "matters"
    held = found.effects[found.effects.kind == "conditional"]
    assert set(zip(held.effect, held["at"], strict=True)) == {
        ("growth: on -> off", "start_piles=4"),
        ("growth: on -> off", "start_piles=2"),
        ("start_piles: 4 -> 2", "growth=on"),
        ("start_piles: 4 -> 2", "growth=off"),
    }
    at = held.set_index(["effect", "at"]).difference
    gap = at["growth: on -> off", "start_piles=2"] - at["growth: on -> off", "start_piles=4"]
    assert gap == pytest.approx(interaction.difference)
    calm = compared(*vary, metrics=["turns=50"])
    assert "conditional" not in set(calm.effects.kind)


def test_a_rule_that_never_comes_up_changes_nothing():
    found = compared("shield_max_target=3,4", changes=["handoff=none"], metrics=["turns=1", "win.*=0.01"])
    assert (found.effects.difference == 0).all()
    assert (found.effects.error == 0).all()
    assert (found.effects.changed == 0).all()
    assert set(found.effects.verdict) == {"no matter"}


def test_line_ups_are_rotated_and_the_deal_is_the_unit():
    found = compared(
        "handoff=shield,none", metrics=["win.*=0.02"], policies=["greedy,random,random"], players=[3]
    )
    frames = []
    for turn in range(3):
        line_up = ["random"] * 3
        line_up[-turn % 3] = "greedy"
        frames.append(games([], 3, line_up)[f"place.seat{-turn % 3}"] == 1)
    wins = sum(frame.astype(float) for frame in frames).to_numpy() / 3
    row = one(found.estimates, metric="win.greedy", variant="handoff=shield")
    assert row.estimate == pytest.approx(wins.mean())
    assert row.error == pytest.approx(wins.std(ddof=1) / math.sqrt(DEALS))
    assert (row.deals, row.games) == (DEALS, 3 * DEALS)
    assert row.method == "mean of deals"
    assert row.estimate > 1 / 3


def test_edges_are_taken_of_the_shares_of_the_seats():
    found = compared(
        "handoff=shield,none", metrics=["edge.first", "edge.last", "edge.largest", "edge.range", "win.*"]
    )
    shares = found.estimates[found.estimates.variant == "handoff=shield"].set_index("metric").estimate
    wins = [shares[f"win.seat{seat}"] for seat in range(4)]
    assert shares["edge.first"] == pytest.approx(wins[0] - 0.25)
    assert shares["edge.last"] == pytest.approx(wins[3] - 0.25)
    assert shares["edge.largest"] == pytest.approx(max(abs(win - 0.25) for win in wins))
    assert shares["edge.range"] == pytest.approx(max(wins) - min(wins))
    wide = one(found.estimates, metric="edge.largest", variant="handoff=shield")
    narrow = one(found.estimates, metric="edge.first", variant="handoff=shield")
    assert wide.high - wide.low > 1.2 * (narrow.high - narrow.low)


def test_the_spread_of_the_turns_is_that_of_the_games():
    found = compared("handoff=shield,none", metrics=["turns.sd"], deals=5_000)
    row = one(found.estimates, metric="turns.sd", variant="handoff=shield")
    turns = games([], deals=5_000)["turns"]
    assert row.estimate == pytest.approx(turns.std(ddof=0))
    m4 = ((turns - turns.mean()) ** 4).mean()
    error = math.sqrt((m4 - turns.var() ** 2) / 5_000) / (2 * turns.std())
    assert row.error == pytest.approx(error, rel=0.01)


def test_verdicts_follow_the_margin_and_undecided_ones_say_what_they_take():
    wide, narrow = (compared("jokers=2,0", metrics=[f"turns={margin}"]).effects for margin in (50, 0.01))
    assert one(wide, metric="turns").verdict == "no matter"
    assert one(narrow, metric="turns").verdict == "matters"
    size = abs(one(wide, metric="turns").difference)
    close = one(compared("jokers=2,0", metrics=[f"turns={size * 1.001}"]).effects, metric="turns")
    assert close.verdict == "undecided"
    assert close.more > DEALS


def test_numbers_of_players_can_be_compared():
    found = compared("players=2,4", metrics=["turns=1", "win.*"])
    assert set(found.effects.metric) == {"turns", "win.seat0", "win.seat1"}
    assert found.effects.changed.isna().all()
    assert set(found.estimates.players) == {2, 4}


def test_tables_have_their_columns_and_do_not_depend_on_threads():
    first, second = (
        compared("handoff=shield,none", "jokers=2,1", metrics=["turns=1", "win.*"], threads=n, deals=9_000)
        for n in (1, 2)
    )
    assert tuple(first.effects.columns) == EFFECT_COLUMNS
    assert tuple(first.estimates.columns)[: len(ESTIMATE_COLUMNS)] == ESTIMATE_COLUMNS
    assert list(first.estimates.columns)[len(ESTIMATE_COLUMNS) :] == ["handoff", "jokers"]
    pd.testing.assert_frame_equal(first.effects, second.effects, check_exact=True)
    pd.testing.assert_frame_equal(first.estimates, second.estimates, check_exact=True)


def test_precision_is_played_for_and_its_cap_kept():
    from calcsim.experiments.plan import Precision

    reached = compared(
        "handoff=shield,none", metrics=["turns=1"], precision=Precision("turns", 0.2, 1_000_000)
    )
    row = one(reached.effects, metric="turns")
    assert reached.stopped_by == "precision"
    assert (row.high - row.low) / 2 <= 0.2
    assert reached.deals % 40_000 == 0
    capped = compared("handoff=shield,none", metrics=["turns=1"], precision=Precision("turns", 0.001, 50_000))
    assert (capped.stopped_by, capped.deals) == ("most", 50_000)


def test_intervals_of_paired_differences_cover_what_many_deals_give():
    truth = compared("handoff=shield,none", metrics=["turns=1"], deals=200_000).effects.difference[0]
    covered = []
    for seed in range(200):
        design = build_design(
            vary=["handoff=shield,none"], metrics=["turns=1"], deals=250, seed=10_000 + seed
        )
        row = compare_design(design).effects.iloc[0]
        covered.append(row.low <= truth <= row.high)
    # 95 % of 200, give or take three standard errors.
    assert 0.904 <= np.mean(covered) <= 0.996


def test_games_to_tell_the_best_policy_from_the_worst():
    found = compared(
        "handoff=shield,none",
        metrics=["games_to_tell", "win.*"],
        policies=["greedy,random,random", "greedy"],
        players=[3],
    )
    told = found.estimates[found.estimates.metric == "games_to_tell"]
    assert set(told.group) == {"3 players, greedy/random/random"}
    assert set(told.per) == {"greedy against random"}
    wins = found.estimates.set_index(["group", "variant", "metric"]).estimate
    group, variant = told.group.iloc[0], told.variant.iloc[0]
    gap = wins[group, variant, "win.greedy"] - wins[group, variant, "win.random"]
    deviation = math.sqrt(told.estimate.iloc[0]) * gap / 1.644854
    assert 0.1 < deviation < 1  # of a difference of two shares in three games
    assert (told.low < told.estimate).all()
    assert (told.estimate < told.high).all()
    assert "games_to_tell" not in set(found.effects.metric)


def test_edges_are_from_the_mean_of_the_seats_where_place_1_is_shared():
    found = compared(
        metrics=["edge.first", "share.tied_first"], rules="calc-revised", changes=["hand_size=1"]
    )
    table = found.estimates.set_index("metric").estimate
    wins = [table[f"win.seat{seat}"] for seat in range(4)]
    assert table["share.tied_first"] > 0
    assert sum(wins) > 1
    assert table["edge.first"] == pytest.approx(wins[0] - sum(wins) / 4)
