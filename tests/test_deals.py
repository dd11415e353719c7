"""Deals: what is kept of each, against plain Python over the games themselves."""

from __future__ import annotations

import numpy as np
import pytest

from calcsim.engine import columns, driver
from calcsim.experiments.deals import ALWAYS, SQUARES, Reducer, add_counts, play, seatings
from calcsim.rules import load_rules
from calcsim.simulation import simulate
from calcsim.stats.metrics import metrics

SEED = 7
DEALS = 300


def rows_of(reducer: Reducer, deals: int = DEALS, first: int = 0, threads: int = 1):
    parts = list(
        play([reducer], seed=SEED, deals=deals, first=first, make=lambda rows: rows[0], threads=threads)
    )
    values = np.concatenate([part.values for part in parts], axis=1)
    marks = np.concatenate([part.marks for part in parts])
    return values, marks, parts


def reducer_of(policies: list[str], names: list[str], players: int = 3, rules: str = "advanced") -> Reducer:
    return Reducer(driver.prepare(load_rules(rules), players, policies), names)


def test_one_policy_plays_a_deal_once_and_others_in_all_different_rotations():
    cell = driver.prepare(load_rules("calc"), 4, ["greedy"])
    assert [c.policies for c in seatings(cell)] == [("greedy",) * 4]
    cell = driver.prepare(load_rules("calc"), 4, ["greedy", "random", "greedy", "random"])
    assert len(seatings(cell)) == 2
    cell = driver.prepare(load_rules("calc"), 4, ["greedy", "random", "random", "random"])
    assert len(seatings(cell)) == 4
    for seating in seatings(cell):
        assert [policy.name for policy in seating.resolved] == list(seating.policies)


def test_rows_are_sums_over_the_seatings():
    policies = ["greedy", "random", "random"]
    reducer = reducer_of(policies, ["score_by_place.*", "handoff_uptake", "penalties.*"])
    values, _, _ = rows_of(reducer)
    games = [
        simulate("advanced", players=3, policy=c.policies, games=DEALS, seed=SEED) for c in reducer.seatings
    ]
    at = {component.name: component for component in reducer.components}

    assert (values[at["turns"].x] == sum(g["turns"] for g in games)).all()
    assert (values[at[SQUARES].x] == sum(g["turns"] ** 2 for g in games)).all()
    assert (values[at["win.seat1"].x] == sum(g["place.seat1"] == 1 for g in games)).all()
    greedy = sum(
        g[f"place.seat{c.policies.index('greedy')}"] == 1
        for g, c in zip(games, reducer.seatings, strict=True)
    )
    assert (values[at["win.greedy"].x] == greedy).all()
    assert (at["win.greedy"].games, at["win.random"].games, at["win.seat0"].games) == (3, 6, 3)
    uptake = at["handoff_uptake"]
    assert (values[uptake.x] == sum(g[f"handoffs.seat{s}"] for g in games for s in range(3))).all()
    assert (values[uptake.y] == sum(g[f"handoff_chances.seat{s}"] for g in games for s in range(3))).all()
    second = at["score_by_place.2"]
    assert (values[second.y] == sum(g[f"place.seat{s}"] == 2 for g in games for s in range(3))).all()
    points = sum(g[f"score.seat{s}"] * (g[f"place.seat{s}"] == 2) for g in games for s in range(3))
    assert (values[second.x] == points).all()


def test_wins_of_all_policies_are_the_wins_of_all_seats():
    reducer = reducer_of(["greedy", "random", "random"], [])
    values, _, _ = rows_of(reducer)
    at = {component.name: component.x for component in reducer.components}
    seats = sum(values[at[f"win.seat{seat}"]] for seat in range(3))
    assert (values[at["win.greedy"]] + values[at["win.random"]] == seats).all()
    assert seats.min() >= 3  # a place 1 in each of three seatings


def test_what_is_always_kept_is_there_without_asking():
    reducer = reducer_of(["greedy"], [])
    kept = {component.metric for component in reducer.components}
    assert kept == set(ALWAYS)
    assert {f"end.{reason}" for reason in columns.ENDS} <= kept


@pytest.mark.parametrize("name", [metric.name for metric in metrics(3)])
def test_every_metric_can_be_kept_and_agrees_with_its_sums(name: str):
    from calcsim.questions.measure import measure

    reducer = reducer_of(["random"], [name], rules="advanced")
    values, _, _ = rows_of(reducer)
    found = measure(reducer.cell, games=DEALS, seed=SEED).estimates()
    for component in reducer.components:
        if component.metric != name or component.name == SQUARES:
            continue
        under = DEALS if component.y is None else values[component.y].sum()
        if component.name not in found:
            assert under == 0
        else:
            assert values[component.x].sum() / under == pytest.approx(
                found[component.name].estimate, abs=1e-12
            )


def test_marks_are_equal_where_and_only_where_the_same_happens():
    base = reducer_of(["greedy"], [])
    _, marks, _ = rows_of(base)
    assert len(set(marks.tolist())) == DEALS
    # Ko cannot matter without shields, and a metric that is kept besides changes nothing.
    cell = driver.prepare(load_rules("advanced", ["handoff=none"]), 3, ["greedy"])
    other = driver.prepare(load_rules("advanced", ["handoff=none", "ko=off"]), 3, ["greedy"])
    _, without, _ = rows_of(Reducer(cell, []))
    _, with_ko, _ = rows_of(Reducer(other, ["turns"]))
    assert (without == with_ko).all()
    # A shield given is a change; where none was ever possible, nobody even tossed a coin about it.
    games = simulate("advanced", players=3, policy="greedy", games=DEALS, seed=SEED)
    chances = games[[f"handoff_chances.seat{seat}" for seat in range(3)]].sum(axis=1)
    differ = marks != without
    assert differ[games["handoff_turn"] > 0].all()
    assert not differ[chances == 0].any()
    assert 0 < differ.mean() < 1


def test_blocks_of_deals_join_up_whatever_the_threads():
    reducer = reducer_of(["greedy", "random", "random"], ["share.star"])
    deals = columns.BLOCK + 500
    one, marks, parts = rows_of(reducer, deals)
    two, others, _ = rows_of(reducer, deals, threads=2)
    assert (one == two).all()
    assert (marks == others).all()
    assert [part.first for part in parts] == [0, columns.BLOCK]
    assert [part.deals for part in parts] == [columns.BLOCK, 500]
    later, later_marks, _ = rows_of(reducer, 500, first=columns.BLOCK)
    assert (later == one[:, columns.BLOCK :]).all()
    assert (later_marks == marks[columns.BLOCK :]).all()


def test_turns_are_counted_over_all_seatings():
    reducer = reducer_of(["greedy", "random", "random"], [])
    values, _, parts = rows_of(reducer)
    counts = parts[0].turns
    at = {component.name: component.x for component in reducer.components}
    assert counts.sum() == 3 * DEALS
    assert counts @ np.arange(len(counts)) == values[at["turns"]].sum()


def test_histograms_of_different_lengths_add_up():
    assert add_counts(np.array([1, 2]), np.array([1, 1, 5])).tolist() == [2, 3, 5]


def test_noise_plays_the_same_deal_with_other_choices():
    cell = driver.prepare(load_rules("advanced"), 3, ["random"])

    def turns(noise: int):
        keep = driver.blocks(cell, seed=SEED, games=50, noise=noise, map=lambda first, out: out.copy())
        return np.concatenate(list(keep), axis=1)

    assert (turns(0) == turns(0)).all()
    assert (turns(1) == turns(1)).all()
    assert (turns(0) != turns(1)).any(axis=0).mean() > 0.9
    first = driver.Recorder(cell).record(SEED, 3)[1]
    assert (first == turns(0)[:, 3]).all()
