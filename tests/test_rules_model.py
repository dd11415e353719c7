"""Rule sets: fields and presets as the rulebook has them, every refusal, loading, naming, fingerprints."""

from __future__ import annotations

import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calcsim import version
from calcsim.errors import UsageError
from calcsim.rules import (
    FIELDS,
    PRESET_NAMES,
    PRESETS,
    RuleSet,
    book,
    load_rules,
    preset,
    rules_from_fields,
    rules_from_mapping,
    ruleset,
)


def values_of(name: str) -> st.SearchStrategy:
    field = FIELDS[name]
    if field.kind == "switch":
        return st.booleans()
    if field.kind == "choice":
        return st.sampled_from(field.choices)
    number = st.integers(field.low, field.high)
    return st.tuples(*[number] * 6) if field.kind == "points" else number


def is_sensible(fields: dict) -> bool:
    return not (fields["growth"] and fields["start_piles"] == 1) and not (
        fields["bonuses"] and fields["scoring"] != "places"
    )


ANY_FIELDS = st.fixed_dictionaries({name: values_of(name) for name in FIELDS}).filter(is_sensible)
ANY_RULES = st.builds(
    lambda name, fields: RuleSet(name=name, **fields), st.sampled_from(PRESET_NAMES), ANY_FIELDS
)


# The rulebook's table and ranges.


def table_of_presets() -> dict[str, list[str]]:
    """The table of section 9: each field's value in each preset, as text."""
    table = {}
    for line in book.section("9").text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or cells[0] in ("field", "---"):
            continue
        cells = [cells[1] if cell == "same" else cell for cell in cells]
        for row in zip(*(cell.split(" / ") for cell in cells), strict=True):
            table[row[0]] = list(row[1:])
    return table


def test_presets_are_those_of_the_rulebook():
    table = table_of_presets()
    assert set(table) == set(FIELDS)
    for name, texts in table.items():
        field = FIELDS[name]
        texts = [text.replace(" ", ",") for text in texts]
        assert [field.format(getattr(rules, name)) for rules in PRESETS.values()] == texts, name


def test_ranges_are_those_of_the_rulebook():
    sentence = re.sub(r"\s+", " ", book.section("9").text.partition("Ranges: ")[2])
    found = {}
    for names, low, high in re.findall(r"([a-z_ ]+) (\d+)\.\.(\d+)", sentence):
        names = "streak_penalty and set_penalty" if names.strip() == "both penalties" else names
        found |= {name: (int(low), int(high)) for name in names.strip().split(" and ")}
    assert found == {name: (field.low, field.high) for name, field in FIELDS.items() if field.kind == "count"}
    points = FIELDS["place_points"]
    assert f"six integers ({points.low:,}..{points.high:,} each)" in sentence


def test_fields_are_those_of_rule_sets_in_order():
    assert [field.name for field in dataclasses.fields(RuleSet)] == ["name", *FIELDS]
    assert list(preset("calc").as_dict()) == list(FIELDS)


def test_fields_cite_clauses_that_speak_of_them():
    for field in FIELDS.values():
        for number in field.clauses:
            text = book.section(number.partition(".")[0]).title + book.clause(number)
            assert f"`{field.name}" in text, field


def test_every_field_has_a_line_of_its_own():
    assert all(field.doc.endswith(".") and len(field.doc) < 80 for field in FIELDS.values())


# What is refused.


def refusals():
    for name, field in FIELDS.items():
        if field.kind == "count":
            yield name, field.low - 1, f"{name}={field.low - 1}: must be a whole number from {field.low} to"
            yield name, field.high + 1, f"{name}={field.high + 1}: must be"
            yield name, True, f"{name}=True: must be a whole number"
            yield name, float(field.low), f"{name}={float(field.low)}: must be a whole number"
            yield name, str(field.low), f"{name}='{field.low}': must be a whole number"
        elif field.kind == "switch":
            yield name, 1, f"{name}=1: must be on or off"
            yield name, "on", f"{name}='on': must be on or off (in a file true or false)"
        elif field.kind == "choice":
            near = field.choices[1]
            yield name, near[:-1], f"{name}='{near[:-1]}': must be"
            yield name, near[:-1], f"did you mean '{near}'?"
            yield name, True, f"{name}=True: must be"
            yield name, ["none"], f"{name}=['none']: must be"
        else:
            yield name, (1, 2, 3, 4, 5), f"{name}=[1, 2, 3, 4, 5]: must be 6 whole numbers"
            yield name, (1, 2, 3, 4, 5, 6.0), f"{name}=[1, 2, 3, 4, 5, 6.0]: must be"
            yield name, (1, 2, 3, 4, 5, field.high + 1), f"{name}=[1, 2, 3, 4, 5, {field.high + 1}]: must be"
            yield name, 100, f"{name}=100: must be"


@pytest.mark.parametrize(("name", "value", "sentence"), list(refusals()))
def test_values_out_of_range_are_refused_by_field_value_and_range(name: str, value: object, sentence: str):
    with pytest.raises(UsageError, match=re.escape(sentence)) as caught:
        preset("advanced").replace(**{name: value})
    assert f"R{FIELDS[name].clauses[0]}" in str(caught.value)


def test_growth_needs_two_start_piles():
    with pytest.raises(UsageError, match=r"^growth=on with start_piles=1: .*2, 3 or 4 \(R5\.1\)"):
        preset("advanced").replace(start_piles=1)
    with pytest.raises(UsageError, match=r"^growth=on with start_piles=1"):
        preset("calc").replace(growth=True)
    assert preset("calc").replace(growth=True, start_piles=2).growth


@pytest.mark.parametrize("scoring", ["win", "rank-points"])
def test_bonuses_need_places(scoring: str):
    with pytest.raises(UsageError, match=rf"^bonuses=on with scoring={scoring}: .*\(R9\.6\)"):
        preset("advanced").replace(scoring=scoring)
    assert not preset("advanced").replace(scoring=scoring, bonuses=False).bonuses


def test_unknown_fields_are_refused_with_the_nearest():
    with pytest.raises(UsageError, match=r"unknown rule field 'hand_sizes'; did you mean 'hand_size'\?"):
        preset("calc").replace(hand_sizes=4)
    with pytest.raises(UsageError, match=r"unknown rule field 'name'"):
        preset("calc").replace(name="advanced")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_players_from_two_to_the_most(players: int):
    preset("calc").validate_players(players)


@pytest.mark.parametrize("players", [-1, 0, 1, True, 2.0, "4"])
def test_too_few_players_are_refused(players: object):
    with pytest.raises(UsageError, match=re.escape(f"players={players!r}: at least 2 have to play")):
        preset("calc").validate_players(players)


def test_too_many_players_are_refused_by_the_field():
    with pytest.raises(UsageError, match=r"players=5: max_players=4 in rules 'calc'; set max_players=5"):
        preset("calc").validate_players(5)
    with pytest.raises(UsageError, match=r"players=7: max_players=6 in rules 'advanced'; 6 is the most"):
        preset("advanced").validate_players(7)


def test_too_many_cards_dealt_are_refused_by_the_field():
    rules = preset("calc").replace(hand_size=12, start_piles=3)
    rules.validate_players(4)
    with pytest.raises(
        UsageError, match=r"^hand_size=12: 4 players and start_piles=4 take 52 cards.*1 to 11 "
    ):
        rules.replace(start_piles=4).validate_players(4)


# Texts like field=value.


@pytest.mark.parametrize("text", ["on", "true", "yes", "ON", " True "])
def test_switches_are_set_on(text: str):
    assert load_rules("calc", [f"joker_finish={text}"]).joker_finish is True


@pytest.mark.parametrize("text", ["off", "false", "no", "No"])
def test_switches_are_set_off(text: str):
    assert load_rules("calc", [f"joker_special={text}"]).joker_special is False


def test_points_are_set_by_place():
    rules = load_rules("advanced", ["place_points=6, 5,4,3,-2,1"])
    assert rules.place_points == (6, 5, 4, 3, -2, 1)


def test_changes_are_made_at_once():
    rules = load_rules("calc", ["growth=on", "start_piles=3"])
    assert rules == load_rules("calc", ["start_piles=3", "growth=on"])
    assert rules.differences() == {"start_piles": 3, "growth": True}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("handof=none", r"unknown rule field 'handof'; did you mean 'handoff'\?"),
        ("handoff=sheild", r"handoff='sheild': must be none, push or shield .*did you mean 'shield'"),
        ("handoff=", r"handoff='': must be"),
        ("handoff", r"no value in 'handoff': write handoff=VALUE, none, push or shield"),
        ("=3", r"unknown rule field ''"),
        ("", r"unknown rule field ''"),
        ("ko=1", r"ko='1': must be on or off"),
        ("hand_size=five", r"hand_size='five': must be a whole number from 1 to 25 \(cards\)"),
        ("hand_size=5.0", r"hand_size='5\.0': must be"),
        ("hand_size=26", r"hand_size=26: must be"),
        ("hand_size=" + "9" * 5000, r"hand_size=.*: must be"),
        ("place_points=1,2", r"place_points=\[1, 2\]: must be 6 whole numbers"),
        ("place_points=a,b", r"place_points='a,b': must be 6 whole numbers"),
        ("preset=calc", r"unknown rule field 'preset'"),
    ],
)
def test_changes_that_cannot_be_made(change: str, sentence: str):
    with pytest.raises(UsageError, match=sentence):
        load_rules("advanced", [change])


def test_contradicting_changes_are_refused():
    with pytest.raises(UsageError, match=r"ko is set twice, to on and to off"):
        load_rules("advanced", ["ko=on", "ko=off"])
    assert load_rules("advanced", ["ko=off", "ko=no"]).ko is False


@given(ANY_RULES)
def test_labels_say_all_that_differs(rules: RuleSet):
    name, *changes = rules.label.split()
    assert name == rules.name
    assert load_rules(name, changes) == rules


# Files, positions, traces.


def write(folder, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_files_change_a_preset(tmp_path):
    path = write(tmp_path, 'preset = "calc-revised"\nhandoff = "none"\nplace_points = [6, 5, 4, 3, 2, 1]\n')
    rules = load_rules(path)
    assert rules.name == "calc-revised"
    assert rules.differences() == {"handoff": "none", "place_points": [6, 5, 4, 3, 2, 1]}


def test_files_without_a_preset_change_the_default(tmp_path):
    assert load_rules(write(tmp_path, "jokers = 0")).label == "advanced jokers=0"
    assert load_rules(write(tmp_path, "")) == preset("advanced")


def test_changes_come_on_top_of_files(tmp_path):
    path = write(tmp_path, 'preset = "calc"\nhand_size = 6\n')
    assert load_rules(path, ["hand_size=7", "growth=on", "start_piles=2"]).hand_size == 7


def test_files_may_begin_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xef\xbb\xbfjokers = 1\n")
    assert load_rules(str(path)).jokers == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("jokers = 3", r"mine\.toml: jokers=3: must be"),
        ("joker = 1", r"mine\.toml: unknown rule field 'joker'; did you mean 'jokers'\?"),
        ("growth = 1", r"mine\.toml: growth=1: must be on or off"),
        ('preset = "calcs"', r"mine\.toml: unknown preset 'calcs': .*did you mean 'calc'"),
        ("preset = 3", r"mine\.toml: preset=3: must be"),
        ("[rules]\njokers = 1", r"mine\.toml: unknown rule field 'rules'"),
        ("jokers = ", r"cannot read rules from '.*mine\.toml': no TOML: "),
    ],
)
def test_files_that_make_no_rules(tmp_path, text: str, sentence: str):
    with pytest.raises(UsageError, match=sentence):
        load_rules(write(tmp_path, text))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UsageError, match=r"cannot read rules from '.*no\.toml': No such file"):
        load_rules(str(tmp_path / "no.toml"))
    with pytest.raises(UsageError, match=r"cannot read rules from '.*': Is a directory"):
        load_rules(str(tmp_path))
    (tmp_path / "latin.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match=r"cannot read rules from '.*latin\.toml': not text in UTF-8"):
        load_rules(str(tmp_path / "latin.toml"))


def test_unknown_rules_are_refused_with_the_nearest():
    with pytest.raises(
        UsageError, match=r"unknown rules 'advnaced': .* or a TOML file; did you mean 'advanced'\?"
    ):
        load_rules("advnaced")
    with pytest.raises(UsageError, match=r"unknown preset 'calcs': .*; did you mean 'calc'\?"):
        preset("calcs")


def test_positions_name_a_preset_or_change_one():
    assert rules_from_mapping("calc") == preset("calc")
    assert rules_from_mapping({"preset": "calc", "jokers": 1}).label == "calc jokers=1"
    assert rules_from_mapping(preset("calc-revised").as_dict()).label == "calc-revised"


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ("calcs", r"^line 3: unknown preset 'calcs'"),
        ({"preset": "calcs"}, r"^line 3: unknown preset 'calcs'"),
        ({"preset": ["calc"]}, r"^line 3: preset=\['calc'\]: must be"),
        ({"preset": "calc", "jokers": True}, r"^line 3: jokers=True: must be"),
        ({"jokers": 1}, r"^line 3: no 'max_players' in the rules: give a preset, or each of the 24 fields"),
        ({"jokrs": 1}, r"^line 3: unknown rule field 'jokrs'"),
        ({}, r"^line 3: no 'max_players' in the rules"),
        (None, r"^line 3: rules=None: must be a preset's name or an object"),
        (["calc"], r"^line 3: rules=\['calc'\]: must be"),
    ],
)
def test_positions_that_make_no_rules(rules: object, sentence: str):
    with pytest.raises(UsageError, match=sentence):
        rules_from_mapping(rules, where="line 3")


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_traces_derive_from_the_preset_they_equal(name: str):
    assert rules_from_fields(preset(name).as_dict()).label == name


def test_traces_derive_from_the_nearest_preset():
    rules = preset("calc").replace(handoff="push", jokers=0)
    assert rules_from_fields(rules.as_dict()).label == "calc jokers=0 handoff=push"


@given(ANY_RULES)
def test_traces_there_and_back(rules: RuleSet):
    assert rules_from_fields(rules.as_dict()) == rules


# Fingerprints and equality.


@given(ANY_FIELDS, st.sampled_from(PRESET_NAMES), st.sampled_from(PRESET_NAMES))
def test_equal_fields_are_equal_rules_whatever_the_preset(fields: dict, first: str, second: str):
    one, other = RuleSet(name=first, **fields), RuleSet(name=second, **fields)
    assert one == other
    assert hash(one) == hash(other)
    assert one.fingerprint == other.fingerprint


@given(ANY_RULES, st.data())
def test_fingerprints_change_with_every_field(rules: RuleSet, data: st.DataObject):
    name = data.draw(st.sampled_from(list(FIELDS)))
    value = data.draw(values_of(name))
    fields = rules.as_dict() | {name: value}
    if not is_sensible(fields):
        return
    changed = rules.replace(**{name: value})
    assert (changed.fingerprint == rules.fingerprint) == (changed == rules)


def test_fingerprints_change_with_the_version_of_the_rules(monkeypatch):
    before = preset("calc").fingerprint
    monkeypatch.setattr(ruleset, "RULES_VERSION", version.RULES_VERSION + 1)
    assert preset("calc").fingerprint != before


def test_fingerprints_are_short_hex():
    prints = [rules.fingerprint for rules in PRESETS.values()]
    assert len(set(prints)) == 3
    assert all(re.fullmatch("[0-9a-f]{12}", text) for text in prints)


def test_published_fingerprints_stay():
    """Rule sets named in published results are found again; raise RULES_VERSION to change these."""
    assert version.RULES_VERSION == 1
    assert {name: rules.fingerprint for name, rules in PRESETS.items()} == {
        "calc": "c7f0524f2924",
        "calc-revised": "6f14f0d26322",
        "advanced": "ce37b0c4a15a",
    }


def test_rule_sets_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        preset("calc").jokers = 1
    with pytest.raises(TypeError):
        PRESETS["mine"] = preset("calc")


# The rulebook by clauses.


def test_the_rulebook_has_every_clause_in_order():
    by_section: dict[str, list[int]] = {}
    for number in book.clauses():
        section, _, idx = number.partition(".")
        by_section.setdefault(section, []).append(int(idx))
    assert list(by_section) == list(book.sections()) == [str(n) for n in range(1, 12)]
    assert all(found == list(range(1, len(found) + 1)) for found in by_section.values())
    assert {section: len(found) for section, found in by_section.items()} == {
        "1": 3, "2": 4, "3": 5, "4": 11, "5": 7, "6": 9, "7": 8, "8": 3, "9": 6, "10": 2, "11": 3,
    }  # fmt: skip


def test_clauses_are_whole():
    assert book.clause("7.3") == "Cards pushed to a player are used like the private hand, jokers too."
    assert book.clause("9.3").endswith("The turn in which the game ends counts as a turn.")
    assert book.section("6").title == "Penalties"
    words = " ".join(book.clauses().values()).split()
    assert not any(word.startswith(("|", "##")) for word in words)


def test_nothing_of_a_section_is_lost_in_its_paragraphs():
    for section in book.sections().values():
        assert " ".join(book.paragraphs(section)).split() == section.text.split()


@pytest.mark.parametrize(
    ("look_up", "number", "sentence"),
    [
        (book.clause, "6.12", r"no clause '6\.12' in the rulebook: its section has 6\.1 to 6\.9"),
        (book.clause, "66.1", r"no clause '66\.1' in the rulebook; did you mean '6"),
        (book.clause, "6.", r"no clause '6\.' in the rulebook: its section has"),
        (book.section, "12", r"no section '12' in the rulebook: there are 1 to 11"),
    ],
)
def test_what_is_not_in_the_rulebook(look_up, number: str, sentence: str):
    with pytest.raises(UsageError, match=sentence):
        look_up(number)
