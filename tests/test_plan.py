"""Designs: variants, groups and metrics from texts and values, and all that is refused of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from calcsim.engine import driver
from calcsim.experiments.design import build_design
from calcsim.experiments.plan import (
    Choice,
    Fault,
    Group,
    Luck,
    PlanError,
    Precision,
    at_folder,
    portable,
    rotations,
)
from calcsim.experiments.reading import components, known_metrics
from calcsim.policies import names
from calcsim.rules import preset
from calcsim.stats.metrics import metrics


def faults_of(*args: Any, **options: Any) -> list[str]:
    """What is wrong with a design, each fault as its place and message."""
    options.setdefault("metrics", ["turns"])
    with pytest.raises(PlanError) as caught:
        build_design(*args, **options)
    return [f"{fault.where}: {fault.message}" for fault in caught.value.faults]


def test_one_factor_gives_a_variant_for_each_value_and_the_first_is_the_baseline():
    design = build_design(vary=["handoff=shield,none"], metrics=["turns=1.0"])
    assert [variant.name for variant in design.variants] == ["handoff=shield", "handoff=none"]
    assert [variant.rules.handoff for variant in design.variants] == ["shield", "none"]
    assert (design.baseline, design.factorial) == (0, False)
    assert design.choices == (Choice("turns", 1.0, True),)


def test_several_factors_are_crossed_in_the_order_of_product():
    design = build_design(vary=["handoff=shield,none", "ko=on,off"], metrics=["turns"])
    assert [variant.name for variant in design.variants] == [
        "handoff=shield, ko=on",
        "handoff=shield, ko=off",
        "handoff=none, ko=on",
        "handoff=none, ko=off",
    ]
    assert design.factorial
    assert design.levels == (2, 2)
    assert [variant.levels for variant in design.variants][1] == ("shield", "off")


def test_a_named_baseline_gives_the_baseline_level_of_each_factor():
    design = build_design(
        vary=["handoff=shield,none", "ko=on,off"], metrics=["turns"], baseline="handoff=none, ko=on"
    )
    assert (design.baseline, design.baseline_levels) == (2, (1, 0))


def test_without_factors_there_is_one_variant_named_by_its_rules():
    design = build_design("calc", ["jokers=1"], metrics=["share.star"])
    assert [variant.name for variant in design.variants] == ["calc jokers=1"]
    assert (design.baseline, design.factors, design.baseline_levels) == (0, (), ())


def test_texts_and_values_make_the_same_design():
    texts = build_design("calc", ["jokers=1"], vary=["ko=on,off", "hand_size=4,5"], metrics=["turns"])
    values = build_design(
        "calc", {"jokers": 1}, vary={"ko": [True, "false"], "hand_size": [4, "5"]}, metrics=["turns"]
    )
    assert texts == values


def test_values_that_hold_commas_are_separated_by_semicolons():
    design = build_design(
        vary=["place_points=6,5,4,3,2,1;1,2,3,4,5,6", "policy=greedy;greedy,random,random,random"],
        metrics=["turns"],
    )
    assert design.variants[3].rules.place_points == (1, 2, 3, 4, 5, 6)
    assert design.variants[3].policies == ("greedy", "random", "random", "random")


def test_groups_are_all_players_with_all_policies():
    design = build_design(players=[2, 4], policies=["greedy", "random"], metrics=["turns"])
    assert [group.label for group in design.groups] == [
        "2 players, greedy",
        "2 players, random",
        "4 players, greedy",
        "4 players, random",
    ]
    assert [(cell.players, cell.line_up) for cell in design.cells()][1] == (2, ("random", "random"))


def test_players_policy_and_rules_can_be_factors():
    design = build_design(
        vary=["rules=calc,advanced", "players=2,3", "policy=greedy,random"], metrics=["turns"]
    )
    assert design.groups == (Group(None, None),)
    last = design.cells()[-1]
    assert (last.rules, last.players, last.policies) == (preset("advanced"), 3, ("random",) * 3)
    assert last.variant.name == "rules=advanced, players=3, policy=random"


def test_variants_can_be_listed():
    design = build_design(
        variants=[
            {"name": "as it is"},
            {"name": "no ko", "set": {"ko": False}},
            {"name": "c", "rules": "calc"},
        ],
        metrics=["turns"],
    )
    assert [variant.rules for variant in design.variants] == [
        preset("advanced"),
        preset("advanced").replace(ko=False),
        preset("calc"),
    ]
    assert design.factors == ()


def test_listed_variants_without_players_take_the_one_number_held():
    design = build_design(
        variants=[{"name": "few"}, {"name": "many", "players": 6}], players=[2], metrics=["turns"]
    )
    assert [variant.players for variant in design.variants] == [2, 6]
    assert design.groups == (Group(None, "greedy"),)
    assert faults_of(variants=[{"name": "few"}, {"name": "many", "players": 6}], players=[2, 3]) == [
        "players: variants say players, so players can be one value only, for those that do not"
    ]


def test_games_of_a_deal_are_counted_over_cells_and_rotations():
    design = build_design(
        vary=["ko=on,off"], policies=["greedy", "greedy,random,greedy,random"], metrics=["turns"]
    )
    assert design.games_per_deal() == 2 * (1 + 2)


def test_every_cell_can_be_prepared():
    design = build_design(
        vary=["handoff=shield,none"], players=[2, 6], policies=["greedy", "random"], metrics=["turns"]
    )
    cells = design.cells()
    assert len(cells) == 8
    for group, variant, rules, players, line_up in cells:
        assert (group in design.groups, variant in design.variants) == (True, True)
        assert driver.prepare(rules, players, line_up).players == players


def test_a_margin_comes_from_the_text_or_the_metric_and_primary_metrics_come_first():
    explored = Choice("passes", None, False)
    design = build_design(vary=["ko=on,off"], metrics=[explored, "turns=0.5", "win.*", "drama"])
    default = {metric.name: metric.margin for metric in metrics(4)}["win.*"]
    assert design.choices[:2] == (Choice("turns", 0.5, True), Choice("win.*", default, True))
    assert design.choices[-1] == explored
    assert design.primary == design.choices[:3]
    assert design.needs == {"flow"}


def test_all_faults_are_found_at_once():
    assert faults_of(
        "calc",
        ["jokers=7"],
        vary=["handof=shield,none", "ko=on", "end=first-out,first-out"],
        metrics=["turs", "win.seat0", "turns=x", "passes=-1"],
        players=[5, 7],
        policies=["gredy"],
        seed=-1,
        deals=1,
        level=2.0,
        luck=Luck(1_000, 1),
        match_games=0,
    ) == [
        "set.jokers: jokers=7: must be a whole number from 0 to 2 (jokers) (R1.1)",
        "vary.handof: unknown rule field 'handof'; did you mean 'handoff'? "
        "(rules, players and policy can be varied, too)",
        "vary.ko: ko has 1 value: give two or more, or set it",
        "vary.end[1]: end=first-out is there twice; give each value once",
        "players[1]: players=7: must be a whole number from 2 to 6 (R2.1)",
        "policies[0]: unknown policy 'gredy'; did you mean 'greedy'? "
        f"(known: {', '.join(names())}; or FILE.py:FUNCTION or FILE.toml)",
        "margins.turs: unknown metric 'turs'; did you mean 'turns'? (see 'calcsim metrics')",
        "margins.win.seat0: unknown metric 'win.seat0'; did you mean 'win.*'? (see 'calcsim metrics')",
        "margins.turns: margin 'x' of turns: must be a number above 0",
        "margins.passes: margin -1 of passes: must be above 0",
        "seed: seed=-1: must be a whole number from 0 to 9,223,372,036,854,775,807",
        "deals: deals=1: must be a whole number from 100 to 10,000,000,000",
        "luck.replays: replays=1: must be a whole number from 2 to 10,000,000,000",
        "match_games: match_games=0: must be a whole number from 1 to 1,000",
        "level: level=2: must be from 0.5 to below 1, as 0.95",
    ]


def test_a_refused_combination_is_named():
    (fault,) = faults_of(vary=["scoring=places,win", "ko=on,off"])[:1]
    assert fault.startswith("vary: combination 'scoring=win, ko=on': bonuses=on with scoring=win")
    (fault,) = faults_of(variants=[{"name": "a"}, {"name": "b", "set": {"start_piles": 1}}])
    assert fault.startswith("variants[1].set: variant 'b': growth=on with start_piles=1")


@pytest.mark.parametrize("players", [[5], [3, 5]])
def test_more_players_than_the_rules_allow_are_told_once(players: list[int]):
    (fault,) = faults_of("calc", vary=["ko=on,off"], players=players)
    assert fault == (
        "players: 'ko=on' with 5 players, greedy: players=5: max_players=4 in rules 'calc'; "
        "set max_players=5 (R2.1)"
    )


def test_a_line_up_that_does_not_fit_the_players_is_told_once():
    (fault,) = faults_of(vary=["ko=on,off"], players=[2, 3], policies=["greedy,random"])
    assert fault == (
        "policies: 'ko=on' with 3 players, greedy/random: 'greedy,random' names 2 seats, and there are "
        "3 players: give one name for all seats, or one for each"
    )


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"vary": ["ko=on,off", "ko=off,on"]}, "vary.ko: ko is varied twice; give all its values at once"),
        ({"vary": ["ko=on,off"], "changes": ["ko=on"]}, "vary.ko: ko is set and varied; do one of them"),
        (
            {"vary": ["players=2,3"], "players": [4]},
            "players: players is varied, so players cannot be held fixed; leave it out",
        ),
        (
            {"vary": ["ko=on,off"], "variants": [{"name": "a"}]},
            "variants: vary and variants: factors are crossed or variants are listed, not both",
        ),
        (
            {"variants": [{"name": "a"}, {"name": "a", "set": {"ko": False}}]},
            "variants[1].name: two variants are called 'a'; give each its own name",
        ),
        ({"variants": [{"name": "a"}, {"name": "b"}]}, "variants[1]: variant 'b' is the same as 'a'"),
        (
            {"variants": [{"name": " "}]},
            "variants[0].name: name is empty: say in a few words what is different",
        ),
        (
            {"vary": ["ko=on,off"], "baseline": "ko=of"},
            "baseline: no variant is called 'ko=of'; did you mean 'ko=off'?",
        ),
        ({"players": [4, 4]}, "players[1]: 4 is there twice; give each once"),
        ({"players": []}, "players: players is empty: give one or more"),
        ({"metrics": []}, "margins: no metric: name one or more (see 'calcsim metrics')"),
        ({"metrics": ["turns", "turns"]}, "margins.turns: turns is there twice; name each metric once"),
        (
            {"metrics": ["place_share.4.*"], "players": [3]},
            "margins.place_share.4.*: place_share.4.* does not exist where 3 play",
        ),
        (
            {"precision": Precision("turn", 0.1, 1_000)},
            "precision.metric: 'turn' is none of the metrics chosen; did you mean 'turns'?",
        ),
        (
            {"precision": Precision("turns", 0.0, 1_000)},
            "precision.half_width: half_width=0: must be above 0",
        ),
        ({"changes": ["jokers"]}, "set[0]: no value in 'jokers': write FIELD=VALUE"),
        (
            {"changes": ["jokers=1", "jokers=2"]},
            "set.jokers: jokers is set twice, to different values; set it once",
        ),
        (
            {"changes": ["growth=on", "start_piles=1"]},
            "set: growth=on with start_piles=1: growth needs two piles at the start; "
            "set growth=off, or start_piles to 2, 3 or 4 (R5.1)",
        ),
        (
            {"vary": {"turn_limit": range(1, 41), "hand_size": range(1, 21)}},
            "vary: 800 combinations: at most 512 can be compared",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(options: dict[str, Any], fault: str):
    assert faults_of(**options) == [fault]


def test_the_error_is_one_line_with_all_faults():
    with pytest.raises(PlanError, match=r"hand_size=0.*; and .*'truns'") as caught:
        build_design("advanced", ["hand_size=0"], metrics=["truns"])
    assert "\n" not in str(caught.value)


def test_deals_are_the_cap_where_there_is_a_precision():
    design = build_design(metrics=["turns"], precision=Precision("turns", 0.1, 5_000), deals=100)
    assert design.deals == 5_000


def test_files_of_rules_and_policies_start_in_the_folder(tmp_path: Path):
    (tmp_path / "mine.toml").write_text('preset = "calc"\njokers = 0\n')
    (tmp_path / "mine.py").write_text("")
    design = build_design("mine.toml", policies=["mine.py:lay"], metrics=["turns"], folder=tmp_path)
    (cell,) = design.cells()
    assert cell.rules == preset("calc").replace(jokers=0)
    assert cell.policies == ("mine.py:lay",) * 4
    assert cell.line_up == (f"{tmp_path / 'mine.py'}:lay",) * 4
    (fault,) = faults_of(policies=["other.py:lay"], folder=tmp_path)
    assert fault == f"policies[0]: policy 'other.py:lay': there is no file {str(tmp_path / 'other.py')!r}"


def test_components_are_those_that_the_metrics_make():
    for players in (2, 5):
        for metric in metrics(players):
            assert components(metric.name, players, ("greedy",) * players) == metric.names(players)
    assert components("win.*", 2, ("greedy", "random"))[2:] == ["win.greedy", "win.random"]


def test_every_metric_is_known_with_its_margin():
    known = known_metrics(4)
    assert known["edge.largest"] == 0.02
    assert "place_share.5.*" not in known


def test_rotations_are_all_different():
    assert rotations(["a", "a", "a"]) == [("a", "a", "a")]
    assert rotations(["a", "b", "b"]) == [("a", "b", "b"), ("b", "b", "a"), ("b", "a", "b")]


def test_places_are_written_as_in_a_program():
    assert Fault(("variants", 0, "set", "ko"), "").where == "variants[0].set.ko"


def test_paths_are_portable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert portable(Path("experiments/a.toml")) == portable(tmp_path / "experiments" / "a.toml")
    assert portable(tmp_path.parent / "a.toml") == "a.toml"
    assert at_folder("greedy", tmp_path) == "greedy"


def test_the_plan_imports_nothing_heavy():
    code = "import sys, calcsim.experiments.plan; print(*{'numpy', 'numba', 'pydantic'} & set(sys.modules))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == ""
