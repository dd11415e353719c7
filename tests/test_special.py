"""The register of metrics that are not counted game by game."""

from __future__ import annotations

import pytest

from calcsim.stats import metrics
from calcsim.stats.special import SPECIALS, Special, specials

NEEDS = ("derived", "flow", "calibration", "luck", "match")


@pytest.mark.parametrize("special", SPECIALS, ids=lambda special: special.name)
def test_every_entry_says_what_a_reader_needs(special: Special):
    assert special.needs in NEEDS
    assert special.better in ("more", "less", "")
    assert special.margin is None or special.margin > 0
    assert special.per
    assert special.source
    assert special.doc
    assert special.doc[0].islower()
    assert not special.doc.endswith(".")
    assert len(special.doc) <= 100


def test_names_are_unique_and_no_counted_metric_has_them():
    names = [special.name for special in SPECIALS]
    assert len(set(names)) == len(names)
    counted = {metric.name for players in range(2, 7) for metric in metrics.metrics(players)}
    assert not counted & set(names)


def test_they_can_be_asked_for_by_what_they_need():
    assert [special for needs in NEEDS for special in specials(needs)] == specials()
    assert specials() == list(SPECIALS)
    assert all(specials(needs) for needs in NEEDS)
