"""The players that ``calcsim policies new`` writes: they play as they are, and say what each part is for."""

from __future__ import annotations

from typing import Final

TEMPLATE: Final = '''\
"""Players of my own.

    calcsim policies check {file}:careful     is it sound, and how fast is it
    calcsim policies features                 everything that a player can read
    calcsim ask winner:0 --policy {file}:careful,greedy,greedy,greedy --games 20k
    calcsim ask winner:0 --policy {file}:careful:keep=3,greedy,greedy,greedy --games 20k
"""

from calcsim import policy, scorer
from calcsim.players import (
    GROW,
    HANDOFF,
    PLAY,
    below,
    cards,
    chance,
    hand_size,
    helper,
    jokers,
    kind,
    left_size,
    next_seat,
    penalty,
    target,
)


# The simple form rates one action at a time. The legal action with the highest score is done; where several
# have the same, one of them is drawn. A whole function of yours, it is compiled when it is first used.
#
# What stands in the brackets are parameters: numbers that can be set from outside, each with its default, or
# with default, least and greatest value. params[0] is the first, params[1] the second.
@scorer(keep=0.9, strike=(1.0, 0.0, 10.0))
def careful(view, action, params):
    """Gets rid of many cards, keeps jokers for later, and rather puts the next player under a penalty."""
    if left_size(view, action) == 0:
        return 100.0
    if kind(action) == HANDOFF:
        return 0.5 if hand_size(view, target(action)) == 1 else -0.5
    score = float(cards(action))
    score -= params[0] * jokers(action)
    score += params[1] * penalty(view, action)
    return score


# What several players share is a function of its own.
@helper
def most_cards(legal, n):
    """How many cards the longest play or growth has."""
    most = 0
    for i in range(n):
        if kind(legal[i]) == PLAY or kind(legal[i]) == GROW:
            most = max(most, cards(legal[i]))
    return most


# The full form sees all legal actions at once, legal[0] to legal[n - 1], and returns the index of one. Plays
# and growths come first, then hand-offs; the last is to pass, to stop or to accept the penalty, and is always
# there. Random numbers come from rng alone, so that the same seed plays the same games.
@policy(patience=(0.5, 0.0, 1.0))
def moody(view, legal, n, params, rng):
    """Plays its longest play; a single card only now and then, or when the next player is nearly out."""
    most = most_cards(legal, n)
    if most == 0:
        return n - 1
    in_danger = hand_size(view, next_seat(view)) <= 2
    if most == 1 and not in_danger and chance(rng, params[0]):
        return n - 1
    # One of the longest, each as likely as the others.
    chosen = n - 1
    found = 0
    for i in range(n):
        if cards(legal[i]) == most:
            found += 1
            if below(rng, found) == 0:
                chosen = i
    return chosen
'''
"""With ``{file}`` to be filled in."""


def template(file: str) -> str:
    """Return the text of a new file of players.

    Parameters
    ----------
    file
        Its path, as commands take it.
    """
    return TEMPLATE.format(file=file)
