"""Kinds of error, their exit statuses, and the hint at the nearest name."""

from __future__ import annotations

import pytest

from calcsim.errors import CalcsimError, PolicyError, UsageError, nearest


@pytest.mark.parametrize(("kind", "status"), [(CalcsimError, 1), (UsageError, 2), (PolicyError, 3)])
def test_each_kind_has_its_exit_status(kind: type[CalcsimError], status: int):
    assert kind.exit_status == status
    assert issubclass(kind, CalcsimError)


def test_nearest_names_the_closest():
    assert nearest("sheild", ["push", "shield"]) == "; did you mean 'shield'?"


def test_nearest_is_silent_where_nothing_is_close():
    assert nearest("zzz", ["push", "shield"]) == ""
    assert nearest("push", []) == ""
