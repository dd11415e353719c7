"""Every command and every figure of the README."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

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
    assert shown >= {"ask", "run", "trace", "legal", "replay", "rules", "policies", "bench"}
