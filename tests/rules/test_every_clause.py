"""Every clause of the rulebook has a test that is named by it."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

RULEBOOK = files("calcsim.rules").joinpath("rulebook.md").read_text(encoding="utf-8")
CLAUSES = re.findall(r"^(\d+\.\d+) ", RULEBOOK, flags=re.MULTILINE)


def test_the_clauses_are_found() -> None:
    assert len(CLAUSES) == 61
    assert CLAUSES[0] == "1.1"
    assert CLAUSES[-1] == "11.3"


@pytest.mark.parametrize("clause", CLAUSES)
def test_clause_has_a_test(clause: str) -> None:
    chapter, number = clause.split(".")
    source = (Path(__file__).parent / f"test_R{chapter}.py").read_text(encoding="utf-8")
    assert f"def test_R{chapter}_{number}_" in source
