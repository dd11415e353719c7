"""Metrics that take more than counting: derived from others, or from the course, replays or matches of games.

`calcsim.stats.metrics` holds what is counted in each game. What is listed here beside it has no integer of
each game behind it: it is worked out of the estimates (`derived`), needs the position after every turn
(`flow`; and `calibration` is how well the win probabilities hold that are fitted for it), other choices of
the players on the same deals (`luck`), or several games in a row (`match`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Needs: TypeAlias = Literal["derived", "flow", "calibration", "luck", "match"]


@dataclass(frozen=True, slots=True)
class Special:
    """One metric that is not counted game by game.

    Attributes
    ----------
    name
        Its name; a `*` stands for the seat, or the policy where they differ: one number for each.
    unit
        What it is measured in; empty for shares.
    per
        What it is taken over.
    better
        Which direction a designer wants as a rule, ``more`` or ``less``; empty where it depends.
    margin
        A difference that matters, unless a study declares another; None if there is none to suggest.
    source
        Rulebook clause, or the literature it comes from.
    doc
        What it is, in one line.
    needs
        What has to be done for it; see the module.
    """

    name: str
    unit: str
    per: str
    better: Literal["more", "less", ""]
    margin: float | None
    source: str
    doc: str
    needs: Needs


def _edge(name: str, better: Literal["less", ""], doc: str) -> Special:
    return Special(f"edge.{name}", "", "game", better, 0.02, "Ludii, Balance", doc, "derived")


def _flow(
    name: str,
    unit: str,
    per: str,
    better: Literal["more", "less", ""],
    margin: float | None,
    source: str,
    doc: str,
) -> Special:
    return Special(name, unit, per, better, margin, source, doc, "flow")


_LEAD_SOURCE: Final = "Ludii, LeadChange"
_DRAMA_SOURCE: Final = "Browne & Maire 2010; Ludii, Drama"
_LOCK_SOURCE: Final = "Browne & Maire 2010, decisiveness"

SPECIALS: Final[tuple[Special, ...]] = (
    _edge(
        "first", "", "win rate of the seat that begins, less the mean of all seats (1/players but for ties)"
    ),
    _edge("last", "", "win rate of the last seat, less the mean of all seats (1/players but for ties)"),
    _edge("largest", "less", "largest distance of a seat's win rate from the mean of all seats"),
    _edge("range", "less", "largest win rate of a seat less the smallest"),
    Special(
        "turns.sd",
        "turns",
        "game",
        "",
        1.0,
        "R9.3",
        "standard deviation of the turns of a game",
        "derived",
    ),
    Special(
        "games_to_tell",
        "deals",
        "two policies",
        "less",
        None,
        "one-sided normal test at 95 %",
        "deals until the better of two policies is ahead with a probability of 95 %",
        "derived",
    ),
    _flow(
        "lead_changes",
        "changes",
        "game",
        "more",
        1.0,
        _LEAD_SOURCE,
        "turns that change who leads (fewest cards), until place 1 is decided",
    ),
    _flow(
        "lead_changes.v",
        "changes",
        "game",
        "more",
        1.0,
        _LEAD_SOURCE,
        "turns that change who leads (highest win probability), until place 1 is decided",
    ),
    _flow(
        "lead_changes_per_turn",
        "",
        "turn",
        "more",
        0.02,
        _LEAD_SOURCE,
        "share of turns that change who leads (fewest cards), mean of the games' shares",
    ),
    _flow(
        "lead_changes_per_turn.v",
        "",
        "turn",
        "more",
        0.02,
        _LEAD_SOURCE,
        "share of turns that change who leads (highest win probability), mean of the games' shares",
    ),
    _flow(
        "behind",
        "",
        "turn",
        "more",
        0.02,
        _DRAMA_SOURCE,
        "share of turns after which the winner had more cards than somebody else",
    ),
    _flow(
        "behind.v",
        "",
        "turn",
        "more",
        0.02,
        _DRAMA_SOURCE,
        "share of turns after which somebody else had a higher win probability than the winner",
    ),
    _flow(
        "comeback",
        "",
        "game",
        "more",
        0.02,
        "R9.4; halfway standing",
        "the winner held the most cards at half the game, and somebody fewer",
    ),
    _flow(
        "comeback.v",
        "",
        "game",
        "more",
        0.02,
        "win probability below half the fair share",
        "the winner's win probability was below 1/(2 players) at some time after the first round",
    ),
    _flow(
        "drama",
        "",
        "turn",
        "more",
        0.02,
        _DRAMA_SOURCE,
        "how far the winner's win probability lay behind the highest, mean over the turns",
    ),
    _flow(
        "lock_in",
        "",
        "game",
        "more",
        0.05,
        _LOCK_SOURCE,
        "share of the turns until the winner leads (fewest cards) for good",
    ),
    _flow(
        "lock_in.v",
        "",
        "game",
        "more",
        0.05,
        _LOCK_SOURCE,
        "share of the turns until the winner leads (highest win probability) for good",
    ),
    _flow(
        "uncertainty",
        "",
        "turn",
        "more",
        0.02,
        "Browne & Maire 2010, uncertainty",
        "entropy of the win probabilities, 1 where all are equal, mean over the turns",
    ),
    Special(
        "v.error",
        "",
        "prediction",
        "less",
        None,
        "expected calibration error",
        "how far fitted win probabilities lie from the share that then won, mean over classes of them",
        "calibration",
    ),
    Special(
        "v.skill",
        "",
        "prediction",
        "",
        None,
        "Brier skill score",
        "share of the squared error of the fair share that the fitted win probabilities take away",
        "calibration",
    ),
    Special(
        "luck.deal",
        "",
        "deal",
        "",
        0.05,
        "Goodman et al. 2025",
        "share of the variance of who wins that is settled by the deal, the policies being what they are",
        "luck",
    ),
    Special(
        "match.win.*",
        "",
        "match",
        "",
        0.05,
        "R9.5",
        "matches of several games won by total score, shared ones counted in parts",
        "match",
    ),
    Special(
        "match.tied",
        "",
        "match",
        "less",
        0.02,
        "R9.5",
        "the best total score of a match is shared",
        "match",
    ),
)
"""In the order in which they are listed."""


def specials(needs: Needs | None = None) -> list[Special]:
    """Return them all, or those that need one thing.

    Examples
    --------
    >>> [special.name for special in specials("match")]
    ['match.win.*', 'match.tied']
    """
    return [special for special in SPECIALS if needs is None or special.needs == needs]
