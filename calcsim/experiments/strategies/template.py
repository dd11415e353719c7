"""The studies of strategies that `calcsim study new --kind` writes: each works, and explains its keys."""

from __future__ import annotations

from typing import Final, NamedTuple

from calcsim.errors import UsageError, nearest
from calcsim.experiments.strategies.design import KINDS, RULES_KIND

_TEMPLATE: Final = '''\
# A study of strategies: {doc}.
#
#   calcsim study check {file}    says whether it can be played, and how long it takes
#   calcsim study run {file}      plays it; interrupted, it goes on with the table it was at
#   calcsim study report {file}   writes the report

kind = "{kind}"
title = {title}
question = "{question}"

# For a reader who has never seen the game: what the question is about, in two to four sentences.
background = """
Players try to get rid of their cards, and who has none left first wins. A policy is a way to choose what to
play; those that come with calcsim are listed by 'calcsim policies list'.
"""

policies = {policies}
{own}
# A table is played for each of the rules and each number of players.
rules = ["calc"]            # calc, calc-revised, advanced, or a TOML file of rules in this folder
# set = {{ jokers = 1 }}      # fields that are changed in all rules; 'calcsim rules show' lists them
players = [2, 3]            # 2 to 6, or one number alone
# Instead of the three, tables one by one:
# [[tables]]
# rules = "advanced"
# players = [2, 4]
# deals = 500               # if other than below

deals = {deals:_}
seed = 20260101
# level = 0.95

# Which table the first sentence of the report is about; the first unless said.
[main]
rules = "calc"
players = 2

# That sentence, for each way it can turn out.
# Filled in: {filled}.
[answer]
{answer}
'''


class _Text(NamedTuple):
    """What the template of a kind says."""

    question: str
    policies: str
    own: str
    deals: int
    answer: tuple[tuple[str, str], ...]


_TEXTS: Final = {
    "tournament": _Text(
        "Who is better, and is it certain?",
        '["random", "greedy"]    # 2 to 12 different ones; all line-ups of them are played',
        '# hero = "greedy"           # a gauntlet instead: this one alone among copies of each other\n',
        2_000,
        (
            ("in order", "The order is {order}: {best} wins {best_share} ({interval})."),
            ("ahead", "{best} is the best: it wins {best_share} ({interval}), more than {runner_up}."),
            (
                "undecided",
                "{best} and {runner_up} are not told apart: they win {best_share} and {runner_up_share}.",
            ),
        ),
    ),
    "metagame": _Text(
        "Which policies survive among each other?",
        '["random", "greedy"]    # 2 to 12 different ones; all mixtures of them are played',
        "margin = 0.01               # the difference in the share of games won that decides\n",
        2_000,
        (
            ("one", "Only {survivors} survives; against all of them evenly it wins {share} ({interval})."),
            ("several", "{survivors} survive side by side."),
            ("undecided", "Whether {open} survives is open; {survivors} does."),
        ),
    ),
    "restricted": _Text(
        "What is growing the field worth to those who do it?",
        '["greedy"]              # each is a run of its own, in which all play it',
        'forbid = ["growth", "avoid"]  # what one player does without, by turns; all parts unless said\n'
        "margin = 0.01               # the share of games won that would matter\n",
        5_000,
        (
            ("matters", "Most is {most}: who does without wins {worth} less ({interval})."),
            ("harms", "{policy} would do better without {most}: it then wins {worth} more ({interval})."),
            ("no matter", "No part is worth {margin}; most is {most} with {worth} ({interval})."),
            ("undecided", "Whether any part matters is open; most is {most} with {worth} ({interval})."),
        ),
    ),
    "skill": _Text(
        "How much of winning is skill, and how much luck?",
        '["random", "greedy"]    # 2 to 12 different ones; weak ones among them make for more skill',
        "margin = 0.05               # how much better a step of the ladder is\n",
        2_000,
        (
            ("skill", "Mostly skill: who plays what decides {skill} of it ({interval})."),
            ("luck", "Mostly luck: who plays what decides {skill} of it ({interval})."),
            ("undecided", "Skill and luck weigh about the same: {skill} is who plays what ({interval})."),
        ),
    ),
}


def template_of(kind: str, title: str, file: str) -> str:
    """Return the text of a new study of a kind, ``rules`` included.

    Parameters
    ----------
    kind
        What it is about.
    title
        Its title.
    file
        Its path, as commands take it.

    Raises
    ------
    UsageError
        If there is no such kind.
    """
    import json

    from calcsim.experiments.strategies.design import OUTCOMES
    from calcsim.experiments.template import template

    if kind == RULES_KIND:
        return template(title, file)
    if kind not in KINDS:
        known = [RULES_KIND, *KINDS]
        raise UsageError(f"--kind {kind!r}{nearest(kind, known)} (known: {', '.join(known)})")
    text = _TEXTS[kind]
    names = next(iter(OUTCOMES[kind].values()))
    return _TEMPLATE.format(
        doc=KINDS[kind].doc,
        file=file,
        kind=kind,
        title=json.dumps(title, ensure_ascii=False),
        question=text.question,
        policies=text.policies,
        own=text.own,
        deals=text.deals,
        filled=" ".join(f"{{{name}}}" for name in names),
        answer="\n".join(
            f"{json.dumps(key) if ' ' in key else key} = {json.dumps(sentence)}"
            for key, sentence in text.answer
        ),
    )
