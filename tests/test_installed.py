"""The package as it is installed, in a folder that has nothing of the project's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_readme import ROOT, blocks


@pytest.mark.slow
def test_the_player_of_the_readme_plays_with_the_installed_package_alone(tmp_path: Path) -> None:
    site = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(site), str(ROOT)],
        check=True,
    )
    folder = tmp_path / "fresh"
    folder.mkdir()
    (player,) = blocks("python")
    (folder / "my_player.py").write_text(player, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(site)}

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    assert run("-c", "import calcsim; print(calcsim.__file__)").startswith(str(site))
    line_up = "my_player.py:thrifty,greedy,greedy,greedy"
    text = run("-m", "calcsim", "ask", "winner:0", "--policy", line_up, "--games", "5k")
    assert "winner:0" in text
    assert "my_player.py:thrifty" in text
    # What is no Python has to be installed as well.
    assert "6.6" in run("-m", "calcsim", "rules", "explain", "6.6")
    run("-m", "calcsim", "study", "new", "shields")
    run("-m", "calcsim", "study", "run", "shields", "--deals", "500")
    assert "report.html" in run("-m", "calcsim", "study", "report", "shields")
