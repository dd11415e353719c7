"""Every command and every figure of the README."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.S)


SET_UPS = [
    line for block in blocks("sh") for line in block.splitlines() if line.startswith("python3 -m venv")
]
COMMANDS = [
    line.split("  #")[0].strip()
    for block in blocks("sh")
    for line in block.splitlines()
    if re.match(r"(calcsim|echo) ", line)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the player that the README shows, and the commands as an installation has them."""
    path: Path = tmp_path_factory.mktemp("newcomer")
    (player,) = blocks("python")
    (path / "my_player.py").write_text(player, encoding="utf-8")
    shim = path / "bin" / "calcsim"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m calcsim "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_command_runs(command: str, folder: Path) -> None:
    path = f"{folder / 'bin'}:/usr/bin:/bin"
    run = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={"PATH": path, "HOME": str(Path.home()), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()
    assert "Traceback" not in run.stderr


def test_the_two_set_ups_are_what_they_promise() -> None:
    first, second = SET_UPS
    assert first.endswith(".venv/bin/calcsim ask star")
    assert second.endswith(".venv/bin/pytest")
    assert re.search(r"^test_command=\$\(sed -n .*README\.md\)$", (ROOT / ".ci/run").read_text(), flags=re.M)


def test_many_commands_are_shown() -> None:
    assert len(COMMANDS) >= 12
    shown = {shlex.split(command.split("| ")[-1])[1] for command in COMMANDS}
    assert shown >= {
        "ask",
        "run",
        "trace",
        "legal",
        "replay",
        "rules",
        "policies",
        "bench",
        "compare",
        "study",
    }


FOUND = [
    ("strong-advanced", "turns", "4 players, tuned", "no shields", "6.16 turns (5.97 to 6.34)", -1),
    ("stars", "share.star", "4 players, greedy", None, "0.391 % (0.379 to 0.403)", 100),
    ("shield", "turns", "4 players, greedy", "no shields", "0.347 turns less (0.292 to 0.402)", -1),
    (
        "star-halving",
        "turns",
        "4 players, greedy",
        "star_halving=off, start_piles=2",
        "0.0078 turns more (0.0063 to 0.0093)",
        1,
    ),
    ("penalties", "turns", "4 players, greedy", "no penalties", "14.7 turns less (14.6 to 14.8)", -1),
    ("penalties", "turns", "4 players, greedy", "penalties of 3", "264 turns more", 1),
    ("bonuses", "score.seat0", "4 players, greedy", "no bonuses", "23.3 points a game (23.2 to 23.4)", -1),
    (
        "readings-advanced",
        "turns",
        "4 players, greedy",
        "joker may finish (R4.8)",
        "1.65 turns less (1.62 to 1.68)",
        -1,
    ),
    ("readings-advanced", "turns", "4 players, greedy", "streaks on one pile (R6.1)", "1.08 less", -1),
]
"""Study, metric, group, variant, what the README says of it, and the factor between the two."""


WON = [
    ("ladder", "tuned", "win", "32.7 % (32.3 to 33.1)"),
    ("search", "search", "win", "30.9 % (29.9 to 32.0)"),
    ("skill", "", "part.policies", "4.31 % (4.20 to 4.43)"),
]
"""Study, policy, what is told of four players of Advanced Calc, and what the README says of it."""


@pytest.mark.parametrize(("study", "policy", "what", "words"), WON)
def test_the_readme_says_who_wins(study: str, policy: str, what: str, words: str) -> None:
    assert words in README
    table = pd.read_csv(ROOT / "reports" / study / "results.csv", keep_default_na=False)
    here = (
        (table.rules == "advanced") & (table.players == 4) & (table.policy == policy) & (table.what == what)
    )
    row = table[here & (table.other == "")].iloc[0]
    for said, number in zip(re.findall(r"\d+\.?\d*", words), row[["estimate", "low", "high"]], strict=True):
        assert f"{float(number) * 100:.{len(said.partition('.')[2])}f}" == said


@pytest.mark.parametrize(("study", "metric", "group", "variant", "words", "factor"), FOUND)
def test_the_readme_says_what_the_studies_found(
    study: str, metric: str, group: str, variant: str | None, words: str, factor: float
) -> None:
    assert words in README
    name = "summary.csv" if variant is None else "effects.csv"
    table = pd.read_csv(ROOT / "reports" / study / name)
    here = (table.metric == metric) & (table.group == group)
    row = table[here if variant is None else here & (table.variant == variant)].iloc[0]
    numbers = [row["estimate" if variant is None else "difference"], *sorted([row.low, row.high], key=abs)]
    for said, number in zip(re.findall(r"\d+\.?\d*", words), numbers, strict=False):
        digits = len(said.partition(".")[2])
        assert f"{number * factor:.{digits}f}" == said
