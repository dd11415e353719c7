"""What a study of strategies plays: a table of its kind for each rule set and number of players.

Nothing heavy is imported here; `calcsim.experiments.strategies.reading` builds and checks a study.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from calcsim.errors import UsageError
from calcsim.experiments.plan import DEFAULT_LEVEL, at_folder, portable
from calcsim.rules import RuleSet


class Kind(NamedTuple):
    """A sort of study of strategies.

    Attributes
    ----------
    doc
        What it plays, in a few words.
    fewest
        Deals at least.
    margin
        The difference that matters unless said; None where the sort has none.
    least
        How many policies at least.
    own
        Keys of a file that only this sort has.
    """

    doc: str
    fewest: int
    margin: float | None
    least: int
    own: tuple[str, ...] = ()


KINDS: Final[Mapping[str, Kind]] = {
    "tournament": Kind("policies against each other: who wins, and who beats whom", 100, None, 2, ("hero",)),
    "metagame": Kind("which policies survive among each other", 100, 0.01, 2),
    "restricted": Kind("what parts of the game are worth to a policy", 100, 0.01, 1, ("forbid",)),
    "skill": Kind("what of the outcome is skill, and what luck", 1_000, 0.05, 2),
}
"""What the key ``kind`` of a study's file may say; a file without it compares rules."""

RULES_KIND: Final = "rules"
"""What a file without ``kind`` is."""

_EVERYWHERE: Final = ("rules", "players", "deals", "fair")

_FIELD: Final = (
    *("best", "best_share", "interval", "runner_up", "runner_up_share", "ahead", "ahead_interval"),
    *("last", "last_share", "order", *_EVERYWHERE),
)
_GAUNTLET: Final = ("hero", "share", "interval", "least", "least_share", "least_interval", *_EVERYWHERE)
_METAGAME: Final = ("survivors", "lost", "open", "first", "share", "interval", *_EVERYWHERE)
_RESTRICTED: Final = ("policy", "most", "worth", "interval", "margin", "others", *_EVERYWHERE)
_SKILL: Final = (
    *("skill", "interval", "deal", "both", "seat", "play", "luck"),
    *("levels", "ladder", "best", "second", "lead", "games", *_EVERYWHERE),
)

OUTCOMES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "tournament": {"in order": _FIELD, "ahead": _FIELD, "undecided": _FIELD},
    "gauntlet": {"stronger": _GAUNTLET, "weaker": _GAUNTLET, "undecided": _GAUNTLET},
    "metagame": {"one": _METAGAME, "several": _METAGAME, "undecided": _METAGAME},
    "restricted": {
        "matters": _RESTRICTED,
        "harms": _RESTRICTED,
        "no matter": _RESTRICTED,
        "undecided": _RESTRICTED,
    },
    "skill": {"skill": _SKILL, "luck": _SKILL, "undecided": _SKILL},
}
"""The ways it can turn out, and what each sentence of the answer may have filled in.

``tournament``: every policy finishes ahead of all that win less, beyond doubt; only the best one ahead of the
next; neither. ``gauntlet``: the hero wins more than its fair share among each; less among some; neither.
``metagame``: one policy survives; more do; the deals do not tell. ``restricted``: a part is worth the margin
or more; one does harm; none is worth as much; the deals do not tell. ``skill``: who plays what decides more
than half, less, or the deals do not tell.
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where one table is played.

    Attributes
    ----------
    rules, players
        Which game, and by how many.
    deals
        How many; None for as many as the study says.
    """

    rules: RuleSet
    players: int
    deals: int | None = None

    @property
    def label(self) -> str:
        """The place in words.

        Examples
        --------
        >>> from calcsim.rules import PRESETS
        >>> Place(PRESETS["calc"], 4).label
        'calc, 4 players'
        """
        return f"{self.rules.label}, {self.players} players"


@dataclass(frozen=True, slots=True)
class StrategyCell:
    """One table: what is played there, and by whom.

    Attributes
    ----------
    place
        Where.
    deals
        How many.
    policies
        As the study writes them.
    line_up
        The same policies, ready to be resolved: paths of files start where the command runs.
    """

    place: Place
    deals: int
    policies: tuple[str, ...]
    line_up: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StrategyDesign:
    """Everything that is played.

    Attributes
    ----------
    kind
        A key of `KINDS`.
    places
        A table of the kind is played at each.
    policies
        As written; in a gauntlet the hero is the first.
    hero
        Of a tournament that is a gauntlet.
    forbid
        The parts that restricted play does without.
    deals, seed
        Deals 0 to ``deals - 1`` of the seed at each table, unless it has a number of its own.
    level, margin
        Of the intervals, and the difference that matters, if the kind has one.
    folder
        Where paths of policies' files start.
    """

    kind: str
    places: tuple[Place, ...]
    policies: tuple[str, ...]
    deals: int
    seed: int
    hero: str | None = None
    forbid: tuple[str, ...] = ()
    level: float = DEFAULT_LEVEL
    margin: float | None = None
    folder: Path = field(default=Path(), compare=False)

    def cells(self) -> list[StrategyCell]:
        """Return the tables."""
        line_up = tuple(at_folder(name, self.folder) for name in self.policies)
        return [
            StrategyCell(place, place.deals or self.deals, self.policies, line_up) for place in self.places
        ]

    @property
    def outcomes(self) -> Mapping[str, tuple[str, ...]]:
        """The ways it can turn out, with what the sentences may have filled in."""
        return OUTCOMES["gauntlet" if self.hero is not None else self.kind]

    def with_deals(self, deals: int) -> StrategyDesign:
        """Return the design with another number of deals, the same at all tables.

        Raises
        ------
        UsageError
            If they are too few.
        """
        fewest = KINDS[self.kind].fewest
        if deals < fewest:
            raise UsageError(f"{deals:,} deals: a study of kind {self.kind!r} takes {fewest:,} or more")
        places = tuple(replace(place, deals=None) for place in self.places)
        return replace(self, deals=deals, places=places)

    def run_as(self, run: object) -> StrategyDesign:
        """Return the design with the deals that another was run with, where that has the same tables."""
        if not isinstance(run, StrategyDesign):
            return self
        asked, played = ([(place.rules, place.players) for place in one.places] for one in (self, run))
        return replace(self, deals=run.deals, places=run.places) if asked == played else self


@dataclass(frozen=True, slots=True)
class StrategyStudy:
    """A question about strategies, with all that is needed to answer it again.

    Attributes
    ----------
    path
        The file it was read from.
    name
        The file's name without its ending.
    title, question, background
        For the reader; the background is for one who has never seen the game.
    design
        What is played.
    answer
        A sentence for each of `StrategyDesign.outcomes`; some may be missing.
    notes
        Further sentences for the report.
    main
        Which of the tables the first sentence is about.
    main_policy
        Whom it is about in restricted play.
    """

    path: Path
    name: str
    title: str
    question: str
    background: str
    design: StrategyDesign
    answer: Mapping[str, str]
    notes: tuple[str, ...]
    main: int = 0
    main_policy: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the effective study, all defaults filled in, as JSON values.

        The inverse is `calcsim.experiments.loading.study_from_dict`.
        """
        design = self.design
        return {
            "kind": design.kind,
            "file": portable(self.path),
            "name": self.name,
            "title": self.title,
            "question": self.question,
            "background": self.background,
            "tables": [
                {
                    "preset": place.rules.name,
                    "rules": place.rules.as_dict(),
                    "players": place.players,
                    "deals": place.deals,
                }
                for place in design.places
            ],
            "policies": list(design.policies),
            "hero": design.hero,
            "forbid": list(design.forbid),
            "deals": design.deals,
            "seed": design.seed,
            "level": design.level,
            "margin": design.margin,
            "main": self.main,
            "main_policy": self.main_policy,
            "answer": dict(self.answer),
            "notes": list(self.notes),
        }
