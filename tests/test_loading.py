"""Study files: what they mean, and each of their faults in one line with its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from calcsim.errors import UsageError
from calcsim.experiments.loading import StudyError, load_study, study_from_dict
from calcsim.experiments.places import find_line, key_lines
from calcsim.experiments.plan import Choice, Group, Luck, Main, Precision, Study
from calcsim.experiments.template import template
from calcsim.policies import names
from calcsim.rules import preset

SMALL = """\
title = "The shield"
question = "Does it help?"
background = "A shield is a card given away."
players = [3, 4]
deals = 1_000

[vary]
handoff = ["shield", "none"]

[margins]
turns = 2
"""

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a text as a study file."""

    def write(text: str) -> Path:
        path = tmp_path / "shield.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def study(write: Write) -> Callable[[str], Study]:
    """Reads a text as a study."""
    return lambda text: load_study(write(text))


@pytest.fixture
def faults(write: Write) -> Callable[[str], list[str]]:
    """What is wrong with a text, without the path at the start."""

    def faults(text: str) -> list[str]:
        path = write(text)
        with pytest.raises(StudyError) as caught:
            load_study(path)
        assert "\n" not in str(caught.value)
        assert all(line.startswith(f"{path}: ") for line in caught.value.lines)
        return [line.removeprefix(f"{path}: ") for line in caught.value.lines]

    return faults


Read = Callable[[str], Study]
Faults = Callable[[str], list[str]]


def test_a_small_study_has_all_defaults_filled_in(study: Read):
    read = study(SMALL)
    assert (read.name, read.title, read.question) == ("shield", "The shield", "Does it help?")
    assert [variant.name for variant in read.design.variants] == ["handoff=shield", "handoff=none"]
    assert read.design.groups == (Group(3, "greedy"), Group(4, "greedy"))
    assert (read.design.seed, read.design.deals, read.design.level) == (20260101, 1_000, 0.95)
    assert read.design.choices == (Choice("turns", 2.0, True),)
    assert read.main == Main("turns", "handoff=none", Group(3, "greedy"))


def test_every_key_is_read(study: Read, tmp_path: Path):
    (tmp_path / "mine.toml").write_text('preset = "calc"\nmax_players = 6\n')
    read = study("""
title = "T"
question = "Q"
background = '''
two
lines'''
rules = "mine.toml"
set = { jokers = 1 }
players = 5
policies = ["random", "greedy, random, random, random, random"]
precision = { metric = "turns", half_width = 0.5, most = 5_000 }
seed = 7
level = 0.9
baseline = "b"
metrics = ["share.star"]
explore = ["passes", "win.*"]
notes = ["one"]
match_games = 3
[[variants]]
name = "a"
[[variants]]
name = "b"
set = { hand_size = 6, finish_multiply = "off" }
[margins]
turns = 1.5
edge.largest = 0.01
[main]
metric = "win.random"
variant = "a"
policy = "greedy,random,random,random,random"
[answer]
more = "{difference}{{}}"
undecided = "{more}"
[flow]
deals = 300
[luck]
deals = 200
replays = 9
""")
    design = read.design
    rules = preset("calc").replace(max_players=6, jokers=1)
    assert [variant.rules for variant in design.variants] == [
        rules,
        rules.replace(hand_size=6, finish_multiply=False),
    ]
    assert [group.label for group in design.groups] == [
        "5 players, random",
        "5 players, greedy/random/random/random/random",
    ]
    assert (design.baseline, design.seed, design.level, design.match_games) == (1, 7, 0.9, 3)
    assert (design.deals, design.precision) == (5_000, Precision("turns", 0.5, 5_000))
    assert design.choices == (
        Choice("turns", 1.5, True),
        Choice("edge.largest", 0.01, True),
        Choice("share.star", 0.01, True),
        Choice("passes", None, False),
        Choice("win.*", None, False),
    )
    assert (design.flow_deals, design.luck) == (300, Luck(200, 9))
    assert (read.background, read.notes) == ("two lines", ("one",))
    assert read.answer == {"more": "{difference}{{}}", "undecided": "{more}"}
    assert read.main == Main("win.random", "a", Group(5, "greedy,random,random,random,random"))


def test_a_study_of_one_variant_is_about_that(study: Read):
    text = SMALL.replace('[vary]\nhandoff = ["shield", "none"]\n', "")
    read = study(text + '[answer]\nestimate = "It takes {value} {unit} ({interval})."\n')
    assert read.main == Main("turns", "advanced", Group(3, "greedy"))


def test_the_template_is_a_study(study: Read):
    read = study(template('A "quoted" title', "experiments/a.toml"))
    assert read.title == 'A "quoted" title'
    assert set(read.answer) == {"more", "less", "no matter", "undecided"}
    assert read.main == Main("turns", "handoff=none", Group(4, "greedy"))


def test_what_the_template_leaves_out_would_do_too(study: Read):
    text = template("T", "a.toml")
    for line in text[: text.index("[vary]")].splitlines():
        if line.startswith(("# set", "# baseline", "# explore")):
            text = text.replace(line, line.removeprefix("# "), 1)
    read = study(text)
    assert read.design.variants[0].rules.jokers == 1
    assert len(read.design.choices) == 4
    start, end = text.index("[vary]"), text.index("# What is asked")
    listed = "".join(
        f"{line.removeprefix('# ')}\n"
        for line in text[start:end].splitlines()
        if line[:3] in ("# [", "# n", "# s")
    )
    text = text[:start] + listed + text[end:]
    text = text.replace('baseline = "handoff=shield"', "").replace(
        "handoff=none", "shields come straight back"
    )
    assert study(text).design.variants[1].rules.ko is False


def test_the_effective_study_can_be_read_back(study: Read, tmp_path: Path):
    read = study(template("T", "a.toml"))
    values = json.loads(json.dumps(read.as_dict()))
    again = study_from_dict(values, folder=tmp_path)
    assert again.design == read.design
    assert again.as_dict() == values
    assert again.main == read.main


def test_the_effective_study_does_not_depend_on_how_the_file_was_named(
    write: Write, monkeypatch: pytest.MonkeyPatch
):
    path = write(SMALL)
    monkeypatch.chdir(path.parent)
    assert load_study(path).as_dict() == load_study(path.name).as_dict()


@pytest.mark.parametrize("values", [{}, {"file": "a"}, {"file": 3}])
def test_what_is_no_effective_study_is_refused(values: dict[str, object]):
    with pytest.raises(UsageError, match="no effective study"):
        study_from_dict(values)


def test_all_faults_come_at_once_in_the_order_of_the_file(faults: Faults):
    found = faults('''
titel = "x"
question = """
title = 5
"""
background = "b"
set = { jokers = 7, sheild = true }
players = [3, 4,
  9]
policies = "gredy"
seed = "x"
[vary]
handoff = [
  "shield",
  "sheild",
]
[margins]
turns = -1
share.stra = 0.01
explore = ["passes"]
[main]
metric = "turn"
[answer]
more = "{differnce}"
less = "{"
mor = ""
[flow]
deals = 3
''')
    assert found == [
        "title: is missing",
        "deals: say how many deals are played, or give a precision",
        "line 2: titel: unknown key; did you mean 'title'?",
        "line 7: set.jokers: jokers=7: must be a whole number from 0 to 2 (jokers) (R1.1)",
        "line 7: set.sheild: unknown rule field 'sheild'",
        "line 9: players[2]: players=9: must be a whole number from 2 to 6 (R2.1)",
        "line 10: policies: unknown policy 'gredy'; did you mean 'greedy'? "
        f"(known: {', '.join(names())}; or FILE.py:FUNCTION or FILE.toml)",
        "line 11: seed: seed='x': must be a whole number",
        "line 15: vary.handoff[1]: handoff='sheild': must be none, push or shield (R7.1); "
        "did you mean 'shield'?",
        "line 18: margins.turns: margin -1 of turns: must be above 0",
        "line 19: margins.share.stra: unknown metric 'share.stra'; did you mean 'share.star'? "
        "(see 'calcsim metrics')",
        "line 20: margins.explore: explore belongs at the top of the file, above the first [table]",
        "line 24: answer.more: unknown {differnce}; did you mean 'difference'? "
        "(known: difference, interval, margin, baseline_value, variant_value, unit)",
        "line 25: answer.less: braces do not match: Single '{' encountered in format string; "
        "a brace itself is written twice",
        "line 26: answer.mor: unknown outcome 'mor'; did you mean 'more'? "
        "(known: more, less, no matter, undecided, estimate)",
        "line 28: flow.deals: deals=3: must be a whole number from 100 to 10,000,000,000",
    ]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("deals = 1_000", "deals = 1e3", "line 5: deals: deals=1000.0: must be a whole number"),
        ("deals = 1_000", "deals = true", "line 5: deals: deals=True: must be a whole number"),
        ('"The shield"', "5", 'line 1: title: title=5: must be a text in quotes, as "..."'),
        ('"The shield"', '" "', "line 1: title: title is empty; the report needs it"),
        (
            '["shield", "none"]',
            '"shield"',
            "line 8: vary.handoff: handoff='shield': must be a list, as [...]",
        ),
        ("[3, 4]", '["3"]', "line 4: players[0]: 0='3': must be a whole number"),
        ("turns = 2", 'turns = "2"', "line 11: margins.turns: turns='2': must be a number"),
        ("turns = 2", "turns = nan", "line 11: margins.turns: margin nan of turns: must be above 0"),
        ("turns = 2", "", "line 10: margins: no metric: name one or more (see 'calcsim metrics')"),
        (
            "[vary]",
            "rules = 'calk'\n[vary]",
            "line 7: rules: unknown rules 'calk': must be calc, calc-revised, "
            "advanced or a TOML file; did you mean 'calc'?",
        ),
        ("[vary]", "precision = 5\n[vary]", "line 7: precision: precision=5: must be a table"),
        (
            "[vary]",
            'precision = { metric = "turns", most = 500 }\n[vary]',
            "line 7: precision.half_width: is missing",
        ),
        (
            "[vary]",
            'metrics = ["turn"]\n[vary]',
            "line 7: metrics[0]: unknown metric 'turn'; did you mean 'turns'? (see 'calcsim metrics')",
        ),
        (
            "[vary]",
            'explore = ["passes",\n "turns"]\n[vary]',
            "line 8: explore[1]: turns is there twice; name each metric once",
        ),
        (
            "[vary]",
            'baseline = "handoff=nun"\n[vary]',
            "line 7: baseline: no variant is called 'handoff=nun'; did you mean 'handoff=none'?",
        ),
        ("[margins]", "rules = 'calc'\n[margins]", None),
        (
            "[margins]",
            "[main]\nmetric = 'win.*'\n[margins]",
            "line 11: main.metric: 'win.*': none of the metrics chosen",
        ),
        (
            "[margins]",
            "[main]\nvariant = 'handoff=shield'\n[margins]",
            "line 11: main.variant: 'handoff=shield' is the baseline; did you mean 'handoff=none'?",
        ),
        (
            "[margins]",
            "[main]\nvariant = 'no'\n[margins]",
            "line 11: main.variant: no variant is called 'no'; there are 'handoff=none'",
        ),
        (
            "[margins]",
            "[main]\nplayers = 5\n[margins]",
            "line 11: main.players: no such group is played; "
            "there are '3 players, greedy', '4 players, greedy'",
        ),
        (
            "[margins]",
            "[main]\npolicy = 'random'\n[margins]",
            "line 11: main.policy: no such group is played; "
            "there are '3 players, greedy', '4 players, greedy'",
        ),
        (
            "[margins]",
            "[answer]\nestimate = 'x'\n[margins]",
            "line 11: answer.estimate: variants are compared, "
            "so the outcomes are: more, less, no matter and undecided",
        ),
        (
            "[margins]",
            "[answer]\nmore = '{more}'\n[margins]",
            "line 11: answer.more: unknown {more} (known: "
            "difference, interval, margin, baseline_value, variant_value, unit)",
        ),
        (
            "[margins]",
            "[answer]\nmore = '{unit:3}'\n[margins]",
            "line 11: answer.more: {unit} is filled in as a text; leave out what follows the name",
        ),
        ("[margins]", "[answer]\nmore = ' '\n[margins]", "line 11: answer.more: the sentence is empty"),
        (
            "[margins]",
            "[flow]\ndeal = 3\n[margins]",
            "line 11: flow.deal: unknown key; did you mean 'deals'?",
        ),
        (
            "[margins]",
            "[luck]\nseed = 3\n[margins]",
            "line 11: luck.seed: seed belongs at the top of the file, above the first [table]",
        ),
        ("[margins]", "[margins", "line 10: no TOML: Expected ']' at the end of a table declaration"),
    ],
)
def test_a_fault_is_one_line_with_its_place(faults: Faults, old: str, new: str, fault: str | None):
    assert old in SMALL
    text = SMALL.replace(old, new)
    if fault is not None:
        assert faults(text) == [fault]
    else:  # under [vary] it is a factor
        (found,) = faults(text)
        assert found.startswith("line 10: vary.rules")


def test_a_win_rate_has_to_be_named_by_its_seat(faults: Faults, study: Read):
    text = SMALL.replace("turns = 2", '"win.*" = 0.01\n[main]\nmetric = "win.*"')
    assert faults(text) == ["line 13: main.metric: 'win.*': one number is wanted, as 'win.seat0'"]
    assert study(text.replace('metric = "win.*"', "")).main.metric == "win.seat0"


def test_deals_and_a_precision_exclude_each_other(faults: Faults):
    precision = 'precision = { metric = "turns", half_width = 0.1, most = 9_000 }\n'
    assert faults(precision + SMALL) == [
        "line 6: deals: deals and precision: give one of them; 'most' caps a precision"
    ]


def test_variants_are_told_by_their_number(faults: Faults):
    variants = """
[[variants]]
name = "a"
[[variants]]
name = "b"
[variants.set]
ko = 5
"""
    text = SMALL.replace('[vary]\nhandoff = ["shield", "none"]\n', variants)
    assert faults(text) == [
        "line 13: variants[1].set.ko: ko=5: must be on or off (in a file true or false) (R7.7)"
    ]
    assert faults(text.replace('name = "b"', "")) == ["line 10: variants[1].name: is missing"]


def test_a_file_that_cannot_be_read_is_a_usage_error(tmp_path: Path):
    with pytest.raises(UsageError, match="cannot read the study"):
        load_study(tmp_path / "none.toml")
    (tmp_path / "a.toml").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="not text in UTF-8"):
        load_study(tmp_path / "a.toml")


def test_lines_are_those_of_keys_tables_and_items():
    lines = key_lines(
        '# title = 1\n"a.b" = """\nc = 1\n"""\nd.e = [ # [x]\n  [1, 2],\n\n  "],", 3,\n]\n'
        "[[f]]\n[[f]]\ng = {h = 1}\n[f.i]\nj = 'x = 1'\n"
    )
    assert lines == {
        "a.b": 2,
        "d.e": 5,
        "d.e.0": 6,
        "d.e.1": 8,
        "d.e.2": 8,
        "f.0": 10,
        "f.1": 11,
        "f.1.g": 12,
        "f.1.i": 13,
        "f.1.i.j": 14,
    }
    assert find_line(lines, ("f", 1, "g", "h")) == 12
    assert find_line(lines, ("z",)) is None
