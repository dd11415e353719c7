"""The study that `calcsim study new` writes: it works as it is, and says what each key is for."""

from __future__ import annotations

from typing import Final

TEMPLATE: Final = '''\
# A study: variants of the rules, compared on the same deals.
#
#   calcsim study check {file}    says whether it can be played, and how long it takes
#   calcsim study run {file}      plays it; interrupted, it goes on where it was
#   calcsim study report {file}   writes the report

title = {title}
question = "Does the shield make the game shorter, or longer?"

# For a reader who has never seen the game: what the question is about, in two to four sentences.
background = """
Players try to get rid of their cards, and who has none left first wins. A shield is a card that a player
who is not near the end puts in front of one who is, who takes it into the hand and so is further from the
end again.
"""

rules = "advanced"          # calc, calc-revised, advanced, or a TOML file of rules in this folder
# set = {{ jokers = 1 }}      # fields that are changed in all variants; 'calcsim rules show' lists them
players = [3, 4]            # each is played: 2 to 6, or one number alone
policies = ["greedy"]       # each is played; "greedy,random,random,random" is a policy for each seat
deals = 40_000              # or: precision = {{ metric = "turns", half_width = 0.05, most = 1_000_000 }}
seed = 20260101
# baseline = "handoff=shield"         # what is compared with; the first variant unless said
# explore = ["share.star", "passes"]  # metrics that are looked at beside the question

# What is varied: fields of the rules, "rules", "players" or "policy". All combinations are played.
[vary]
handoff = ["shield", "none"]

# Instead of [vary], variants one by one:
# [[variants]]
# name = "as published"
# [[variants]]
# name = "shields come straight back"
# set = {{ ko = false }}

# What is asked: metrics ('calcsim metrics' lists them), each with the difference that would matter.
[margins]
turns = 2
"edge.largest" = 0.01

# What the first sentence of the report is about.
[main]
metric = "turns"
variant = "handoff=none"
players = 4
policy = "greedy"

# That sentence, for each way it can turn out. Where only one variant is played, it is "estimate" alone.
# Filled in: {{difference}} {{interval}} {{margin}} {{baseline_value}} {{variant_value}} {{unit}}, and
# where it is undecided {{more}}, the deals that it would still take.
# For an estimate: {{value}} {{interval}} {{unit}}.
[answer]
more = "Shields shorten the game: without them it takes {{difference}} {{unit}} more ({{interval}})."
less = "Shields prolong the game: without them it takes {{difference}} {{unit}} less ({{interval}})."
"no matter" = "Shields do not change the length of the game by {{margin}} {{unit}} or more ({{interval}})."
undecided = "Whether shields change the length is open ({{interval}}); {{more}} more deals would tell."
'''
"""With ``{title}`` and ``{file}`` to be filled in, and all other braces written twice."""


def template(title: str, file: str) -> str:
    """Return the text of a new study.

    Parameters
    ----------
    title
        Its title.
    file
        Its path, as commands take it.
    """
    import json

    return TEMPLATE.format(title=json.dumps(title, ensure_ascii=False), file=file)
