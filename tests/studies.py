"""Small studies, written as files, that take a moment to run."""

from __future__ import annotations

from pathlib import Path

from calcsim.experiments.loading import load_study
from calcsim.experiments.plan import Study

SMALL = """\
title = "Jokers"
question = "Do jokers make the game longer?"
background = "Players try to get rid of their cards. A joker goes on every card."
rules = "calc"
players = [2, 3]
policies = ["random"]
{deals}
seed = 7
{more}
{vary}
[margins]
turns = 2
"win.*" = 0.05
[main]
metric = "turns"
variant = "{variant}"
players = 2
policy = "random"
[answer]
more = "Longer, by {{difference}}."
less = "Shorter, by {{difference}}."
"no matter" = "It does not matter."
undecided = "Nobody knows."
"""

JOKERS = "[vary]\njokers = [0, 2]"


def write_study(
    path: Path,
    *,
    deals: str = "deals = 2_500",
    vary: str = JOKERS,
    variant: str = "jokers=2",
    more: str = "",
    end: str = "",
) -> Study:
    """Write a study of cheap games, and read it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SMALL.format(deals=deals, vary=vary, variant=variant, more=more) + end, "utf-8")
    return load_study(path)
