"""``calcsim metrics``."""

from __future__ import annotations

import pytest

from calcsim.stats.metrics import metrics
from calcsim.stats.special import SPECIALS
from tests.commands import Command, command_of


@pytest.fixture
def calcsim(capsys: pytest.CaptureFixture[str]) -> Command:
    return command_of(capsys)


def test_list_explains_every_metric(calcsim: Command):
    text = calcsim("metrics").text
    known = metrics(4)
    assert all(metric.name in text for metric in (*known, *SPECIALS))
    assert max(map(len, text.splitlines())) <= 80
    names = [metric.name for metric in (*known, *SPECIALS)]
    assert [row["metric"] for row in calcsim("metrics", "--json").json] == names
    rows = calcsim("metrics", "--csv").csv
    kinds = {"share", "mean", "ratio", "place", "derived", "flow", "calibration", "luck", "match"}
    assert {row["kind"] for row in rows} == kinds
    assert all(row["per"] and row["counts"] and row["source"] for row in rows)


def test_both_formats_at_once_are_refused(calcsim: Command):
    ending = calcsim("metrics", "--json", "--csv")
    assert (ending.status, ending.out) == (2, "")
    assert "only one" in ending.err
