"""Reports: what they say, in which order, and that Markdown and HTML say the same."""

from __future__ import annotations

import html.parser
import math
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from calcsim.errors import CalcsimError
from calcsim.report import build, prose, write
from calcsim.report.html import inline, to_html
from calcsim.report.markdown import cell, to_markdown
from calcsim.report.model import Report, Table
from calcsim.report.rows import Effect, read_effects
from tests import report_data

KINDS = ("shield", "factorial", "stars", "lone")


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    return {name: report_data.report(name) for name in KINDS}


def markdown(report: Report) -> str:
    return to_markdown(report, {picture.name: f"figures/{picture.name}.svg" for picture in report.pictures})


def an_effect(**changes: Any) -> Effect:
    row = report_data.effect_row(
        report_data.Group(4, "greedy"),
        "b vs a",
        "turns",
        -3.6,
        0.021,
        margin=2.0,
        variant="b",
        baseline="a",
        baseline_value=36.8,
        unit="turns",
    )
    return replace(read_effects(report_data.pd.DataFrame([row]))[0], **changes)


def test_first_paragraph_has_answer_difference_interval_margin_deals(reports: dict[str, Report]) -> None:
    lines = markdown(reports["shield"]).split("\n\n")
    assert lines[:2] == ["# The shield", "*Does the shield help, or only prolong the game?*"]
    first = lines[2]
    assert first.startswith("**Without the shield games are 3.600 turns shorter (3.559 to 3.641)")
    for part in (
        "−3.600 turns",
        "95 % interval −3.641 to −3.559",
        "2 turns",
        "200,000 deals",
        "4 players, greedy",
    ):
        assert part in first


def test_policies_that_disagree_are_told_on_the_first_screen(reports: dict[str, Report]) -> None:
    text = markdown(reports["shield"]).partition("\n## ")[0]
    assert "**Policies disagree**" in text
    assert "Among `greedy`: no matter with 2 players, matters (less) with 3, 4, 5 and 6 players." in text
    assert len(re.findall(r"^\| \d players, (?:greedy|random) \|", text, re.MULTILINE)) == 10


def test_players_are_introduced_on_the_first_screen(reports: dict[str, Report]) -> None:
    text = markdown(reports["shield"]).partition("\n## ")[0]
    assert re.search(r"Who plays: `greedy`: .*; `random`: ", text)


def test_groups_that_agree_are_told_so(reports: dict[str, Report]) -> None:
    assert "The verdict is the same in all 2 groups: matters (less)." in markdown(reports["factorial"])


def test_missing_answer_becomes_a_plain_sentence(reports: dict[str, Report]) -> None:
    assert "**Undecided: `shields from hands of 8 cards" in markdown(reports["lone"])


def test_study_without_comparison_answers_with_its_estimate(reports: dict[str, Report]) -> None:
    text = markdown(reports["stars"])
    assert "**A star comes up in 0.400 % of the games of four" in text
    assert "Over all 10 groups it goes from 0.200 %" in text
    assert "vs" not in text.partition("## Method")[0]


def test_interactions_beyond_the_margin_are_told_by_case(reports: dict[str, Report]) -> None:
    text = markdown(reports["factorial"]).partition("## What surprised")[2]
    assert "**Some changes interact**" in text
    assert "`handoff: shield -> none` at `ko=on` −4.400 (−4.459 to −4.341)" in text
    assert "figures/interactions.svg" in text


def test_bad_ends_are_counted(reports: dict[str, Report]) -> None:
    text = markdown(reports["shield"])
    assert "No game stalled (below 0.0015 % of the games of each cell)." in text
    assert (
        "Games ended at the turn limit most often with 2 players, random, `handoff=shield`: 24 of 200,000"
        in text
    )


def test_exploratory_effects_are_cut_in_markdown_and_whole_in_html(reports: dict[str, Report]) -> None:
    report = reports["shield"]
    table = next(b for b in report.blocks if isinstance(b, Table) and b.caption.startswith("Exploratory"))
    assert len(table.rows) == 300
    assert f"*{table.left_out} more rows are not shown here; they are in effects.csv.*" in markdown(report)
    page = to_html(report, {picture.name: ("svg", b"") for picture in report.pictures})
    details = page[page.index("<summary>Exploratory") :]
    assert details[: details.index("</details>")].count("<tr>") == 301


def test_sections_stand_in_the_order_they_are_read_in(reports: dict[str, Report]) -> None:
    headings = [
        "The declared questions",
        "What surprised",
        "Distributions",
        "Games to look at",
        "Method",
        "Rules in force",
        "Again, and the same",
    ]
    assert [section.heading for section in reports["shield"].sections] == headings


def test_method_rules_and_commands_are_given(reports: dict[str, Report]) -> None:
    text = markdown(reports["factorial"])
    for part in (
        "200,000 deals of seed 7",
        "all rotations",
        "Holm",
        "±0.05",
        "R7.1, R7.4",
        "calcsim study run experiments/shield.toml",
        "calcsim study verify experiments/shield.toml",
        "calcsim replay --players 4",
        "files summary.csv",
    ):
        assert part in text


@pytest.mark.parametrize("name", KINDS)
def test_no_table_row_has_too_many_or_too_few_cells(name: str, reports: dict[str, Report]) -> None:
    for block in reports[name].blocks:
        if isinstance(block, Table):
            assert len(block.align) == len(block.columns)
            assert {len(row) for row in block.rows} <= {len(block.columns)}
    for rows in re.findall(r"(?:^\|.*\n)+", markdown(reports[name]), re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in rows.splitlines()}) == 1


@pytest.mark.parametrize("name", KINDS)
def test_no_number_is_missing_or_of_no_width(name: str, reports: dict[str, Report]) -> None:
    text = markdown(reports[name])
    assert not re.search(r"\b(?:nan|None|inf)\b|±\s*0(?![.\d])", text)
    assert "\n\n\n" not in text


class _Page(html.parser.HTMLParser):
    """Keeps the open elements and what is fetched."""

    EMPTY = frozenset({"meta", "img", "br", "link"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.sources: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.sources += [value or "" for key, value in attrs if key in ("src", "href")]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_well_formed_and_needs_nothing_else(reports: dict[str, Report]) -> None:
    report = reports["factorial"]
    page = _Page()
    page.feed(to_html(report, {picture.name: ("svg", b"<svg/>") for picture in report.pictures}))
    assert page.open == []
    assert len(page.sources) == len(report.pictures)
    assert all(source.startswith("data:image/svg+xml;base64,") for source in page.sources)


def test_texts_of_a_study_are_not_taken_for_html() -> None:
    results = report_data.lone()
    results.study = replace(results.study, title="a <b> c", background="x <script>alert(1)</script> | *y*")
    report = build(results)
    page = to_html(report, {picture.name: ("svg", b"") for picture in report.pictures})
    assert "<script>" not in page
    assert "<title>a &lt;b&gt; c</title>" in page
    assert "# a &lt;b> c" in markdown(report)


def test_inline_marks() -> None:
    assert inline("`win.*` and *this* **that** 2*3*4") == (
        "<code>win.*</code> and <em>this</em> <strong>that</strong> 2*3*4"
    )
    assert cell("a|b\nc < d `e < f`") == "a\\|b c &lt; d `e < f`"


def test_write_gives_the_same_bytes_and_removes_old_figures(tmp_path: Path) -> None:
    (tmp_path / "a" / "figures").mkdir(parents=True)
    (tmp_path / "a" / "figures" / "old.svg").write_text("")
    first = write(report_data.lone(), tmp_path / "a")
    second = write(report_data.lone(), tmp_path / "b")
    assert [path.name for path in first] == ["main.svg", "turns.svg", "report.md", "report.html"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    kept = sorted(path for path in (tmp_path / "a").rglob("*") if path.is_file())
    assert kept == sorted(first)
    for link in re.findall(r"\]\((figures/[^)]*)\)", (tmp_path / "a" / "report.md").read_text()):
        assert (tmp_path / "a" / link).exists()


def test_results_read_from_csv_give_the_same_report(tmp_path: Path, reports: dict[str, Report]) -> None:
    results = report_data.factorial()
    for name in ("estimates", "effects"):
        file = tmp_path / f"{name}.csv"
        getattr(results, name).to_csv(file, index=False, float_format="%.10g")
        setattr(results, name, report_data.pd.read_csv(file))
    assert markdown(build(results)) == markdown(reports["factorial"])


def test_report_does_not_change_once_its_own_checksum_is_in_the_manifest(reports: dict[str, Report]) -> None:
    results = report_data.lone()
    results.manifest["files"]["report.md"] = "00" * 32
    assert markdown(build(results)) == markdown(reports["lone"])


def test_results_without_the_main_effect_are_refused() -> None:
    results = report_data.lone()
    results.effects = results.effects[results.effects["variant"] != results.study.main.variant]
    with pytest.raises(CalcsimError, match="have no effect on 'turns'"):
        build(results)


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, "less"),
        ({"difference": 3.6, "low": 3.5, "high": 3.7}, "more"),
        ({"verdict": "no matter"}, "no matter"),
        ({"verdict": "undecided"}, "undecided"),
        ({"verdict": "", "low": -1.0, "high": -0.5}, "less"),
        ({"verdict": "", "low": -1.0, "high": 0.5}, "undecided"),
    ],
)
def test_outcome_follows_verdict_and_sign(changes: dict[str, Any], outcome: str) -> None:
    assert an_effect(**changes).outcome == outcome


def test_sizes_have_no_sign_and_their_bounds_rise() -> None:
    assert prose.difference_text(an_effect()) == ("−3.600", "−3.641 to −3.559")
    assert prose.difference_text(an_effect(), sized=True) == ("3.600", "3.559 to 3.641")


def test_shares_are_told_in_percent_and_percentage_points() -> None:
    effect = an_effect(
        base_metric="win.*",
        metric="win.seat0",
        unit="",
        difference=0.012,
        low=0.011,
        high=0.013,
        margin=0.01,
        baseline_value=0.25,
        variant_value=0.262,
    )
    assert prose.difference_text(effect) == ("+1.20", "+1.10 to +1.30")
    assert prose.margin_text(effect) == "1 percentage point"
    assert prose.level_text(effect, effect.variant_value) == "26.20 %"
    assert prose.verdict_text(effect) == "matters (beyond 1 percentage point)"


def test_difference_that_never_occurs_is_no_interval_of_no_width() -> None:
    effect = an_effect(difference=0.0, error=0.0, low=0.0, high=0.0, verdict="no matter", changed=0.0)
    assert prose.difference_text(effect) == ("0", "on every deal")
    assert prose.evidence(effect).endswith("none of the deals: the change never came up.")
    assert effect.in_deviations == 0
    assert an_effect(error=0.0).in_deviations == -math.inf


def test_undecided_verdict_tells_the_deals_that_it_would_take() -> None:
    effect = an_effect(verdict="undecided", more=412_345.0)
    assert prose.verdict_text(effect) == "undecided (margin 2 turns; 420,000 more deals)"
    assert "about 420,000 more deals would decide it" in prose.evidence(effect)


def test_answer_fills_every_placeholder_of_the_plan() -> None:
    from calcsim.experiments.plan import OUTCOMES

    for outcome in ("more", "less", "no matter", "undecided"):
        assert set(OUTCOMES[outcome]) <= set(prose.filled(an_effect()))


def test_examples_are_left_out_where_there_are_none() -> None:
    results = report_data.lone()
    results.examples = []
    assert "Games to look at" not in [section.heading for section in build(results).sections]


def test_results_need_no_more_than_the_protocol_has() -> None:
    given = report_data.lone()
    names = ("study", "estimates", "effects", "manifest", "turns", "examples")
    assert build(SimpleNamespace(**{name: getattr(given, name) for name in names})).title == "The shield"


def test_a_study_of_several_changes_is_told_at_a_glance(reports: dict[str, Report]) -> None:
    text = markdown(reports["factorial"])
    opening = text[: text.index("## The declared questions")]
    assert "At a glance: verdicts in" in opening
    lines = opening[opening.index("At a glance") :].splitlines()
    assert lines[2].startswith("| change |")
    assert "margin" in lines[2]
    assert all(any(word in line for word in ("matters", "no matter", "undecided")) for line in lines[4:6])
