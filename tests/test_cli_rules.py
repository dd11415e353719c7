"""``calcsim rules``, and the tables it prints."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from calcsim.cli import rules as command
from calcsim.cli.tables import format_table
from calcsim.errors import UsageError
from calcsim.rules import FIELDS, PRESET_NAMES, PRESETS, book, load_rules, preset


def rules(*words: str) -> str:
    run = CliRunner().invoke(command.app, list(words), catch_exceptions=False)
    assert (run.exit_code, run.stderr) == (0, "")
    return run.stdout


def refused(*words: str) -> str:
    error = CliRunner().invoke(command.app, list(words)).exception
    assert isinstance(error, UsageError)
    return str(error)


def test_list_names_presets_and_fingerprints():
    text = rules("list")
    assert all(rule_set.name in text and rule_set.fingerprint in text for rule_set in PRESETS.values())
    assert [row["name"] for row in json.loads(rules("list", "--json"))] == list(PRESET_NAMES)


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_show_prints_a_file_that_loads(name: str, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(rules("show", name, "--set", "jokers=1"), encoding="utf-8")
    shown = load_rules(str(path))
    assert shown == preset(name).replace(jokers=1)
    assert shown.label == f"{name} jokers=1"


def test_show_carries_the_fingerprint_and_what_differs():
    text = rules("show", "calc", "--set", "handoff=push", "--set", "jokers=1")
    changed = preset("calc").replace(handoff="push", jokers=1)
    assert text.splitlines()[:2] == ["# calc jokers=1 handoff=push", f"# fingerprint {changed.fingerprint}"]


def test_show_json_has_every_field():
    shown = json.loads(rules("show", "advanced", "--set", "handoff=none", "--json"))
    changed = preset("advanced").replace(handoff="none")
    assert shown == {
        "preset": "advanced",
        "fingerprint": changed.fingerprint,
        "rules": changed.as_dict(),
        "differences": {"handoff": "none"},
    }


def test_diff_names_the_fields_that_differ():
    lines = [line.split() for line in rules("diff", "calc", "advanced").splitlines()]
    assert lines[0] == ["field", "calc", "advanced", "clause"]
    assert ["start_piles", "1", "2", "R2.2"] in lines
    assert ["growth", "off", "on", "R5.1"] in lines
    assert len(lines) == 9
    shown = json.loads(rules("diff", "calc", "advanced", "--json"))
    assert shown["growth"] == [False, True]
    assert len(shown) == 8


def test_diff_of_equal_rules_says_so():
    assert rules("diff", "calc", "calc") == "no field differs\n"
    assert json.loads(rules("diff", "calc", "calc", "--json")) == {}


@pytest.mark.parametrize("topic", ["6.6", "R6.6", "r6.6", " 6.6 "])
def test_explain_prints_a_clause(topic: str):
    assert " ".join(rules("explain", topic).split()) == f"6.6 {book.clause('6.6')}"


@pytest.mark.parametrize("topic", [*book.clauses()])
def test_explain_fits_eighty_columns(topic: str):
    assert max(map(len, rules("explain", topic).splitlines())) <= 80


@pytest.mark.parametrize("number", [*book.sections()])
def test_explain_prints_a_section_whole(number: str):
    section = book.section(number)
    assert rules("explain", number).split() == f"{number}. {section.title} {section.text}".split()


@pytest.mark.parametrize("name", [*FIELDS])
def test_explain_prints_a_field_with_its_clauses(name: str):
    text = " ".join(rules("explain", name).split())
    field = FIELDS[name]
    assert text.startswith(f"{name}: {field.doc} may be: {field.range_text} is: ")
    assert f"{field.format(field.presets[2])} in advanced" in text
    assert all(f"{number} {book.clause(number)}" in text for number in field.clauses)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["explain", "handof"], "nothing to explain about 'handof': must be a clause, section or field"),
        (["explain", "handof"], "did you mean 'handoff'?"),
        (["explain", "6.12"], "no clause '6.12' in the rulebook: its section has 6.1 to 6.9"),
        (["explain", "12"], "no section '12' in the rulebook: there are 1 to 11"),
        (["explain", ""], "nothing to explain about ''"),
        (["show", "calcs"], "unknown rules 'calcs'"),
        (["show", "calc", "--set", "jokers=3"], "jokers=3: must be a whole number from 0 to 2"),
        (["diff", "calc", "advnced"], "did you mean 'advanced'?"),
    ],
)
def test_what_cannot_be_shown(words: list[str], sentence: str):
    assert sentence in refused(*words)


# Tables.


def test_tables_align_numbers_right_and_words_left():
    table = format_table(("what", "n"), [("stars", "12"), ("rings", "3")], "lr")
    assert table.splitlines() == ["what    n", "stars  12", "rings   3"]


def test_tables_wrap_words_but_never_numbers():
    rows = [("a word and another one and more", "123456789"), ("x", "1")]
    table = format_table(("text", "n"), rows, "lr", width=28)
    assert table.splitlines() == [
        "text                       n",
        "a word and         123456789",
        "another one and",
        "more",
        "x                          1",
    ]
    numbers = format_table(("a", "b"), [("1" * 30, "2" * 30)], "rr", width=20)
    assert numbers.splitlines()[1] == "1" * 30 + "  " + "2" * 30


def test_tables_without_header_or_rows():
    assert format_table(("", ""), [("a", "b")]) == "a  b"
    assert format_table(("a", "b"), []) == "a  b"
    assert format_table(("", ""), []) == ""


def test_words_that_cannot_be_wrapped_stay_whole_enough():
    table = format_table(("text",), [("x" * 40,)], width=20)
    assert "".join(table.split()) == "text" + "x" * 40
