"""What a comparison or a study plays: variants, what is held fixed, metrics, deals.

Nothing heavy is imported here; `calcsim.experiments.design` builds and checks a `Design`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from calcsim.errors import UsageError
from calcsim.policies.naming import split_name
from calcsim.rules import RuleSet

RULES: Final = "rules"
PLAYERS: Final = "players"
POLICY: Final = "policy"

DEFAULT_DEALS: Final = 200_000
DEFAULT_FLOW_DEALS: Final = 20_000
DEFAULT_MATCH_GAMES: Final = 4
DEFAULT_LEVEL: Final = 0.95


@dataclass(frozen=True, slots=True)
class Factor:
    """What is varied, and over which values.

    Attributes
    ----------
    name
        A field of the rules, or ``rules``, ``players`` or ``policy``.
    values
        As ``--set``, ``--rules``, ``--players`` or ``--policy`` take them.
    """

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the things that are compared.

    Attributes
    ----------
    name
        Such as ``handoff=shield, ko=on``.
    rules
        What is played.
    levels
        The value of each factor, empty where variants are listed one by one.
    players
        How many play, None where the group says so.
    policies
        One for all seats or one for each, as written; None where the group says so.
    """

    name: str
    rules: RuleSet
    levels: tuple[str, ...] = ()
    players: int | None = None
    policies: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """What is held fixed while variants are compared.

    Attributes
    ----------
    players
        How many play, None where the variants say so.
    policy
        As ``--policy`` takes it: one name for all seats, or names with commas, one for each; None where the
        variants say so.
    """

    players: int | None
    policy: str | None

    @property
    def label(self) -> str:
        """The group in words.

        Examples
        --------
        >>> Group(4, "greedy,random,random,random").label
        '4 players, greedy/random/random/random'
        """
        parts = [] if self.players is None else [f"{self.players} players"]
        if self.policy is not None:
            parts.append(self.policy.replace(",", "/"))
        return ", ".join(parts) or "all"


@dataclass(frozen=True, slots=True)
class Choice:
    """A metric that is reported.

    Attributes
    ----------
    metric
        Its name in `calcsim.stats.metrics` or `calcsim.stats.special`, with its `*` if it has one.
    margin
        The difference that would matter, in the metric's unit; None for no verdict.
    primary
        Whether it is one of the declared questions, and not one screened beside them.
    """

    metric: str
    margin: float | None
    primary: bool


@dataclass(frozen=True, slots=True)
class Precision:
    """When to stop before all deals are played.

    Attributes
    ----------
    metric
        The metric looked at.
    half_width
        Half the length that the interval of each of its differences may have (of each estimate, where only
        one variant is played).
    most
        Deals that are not exceeded.
    """

    metric: str
    half_width: float
    most: int


@dataclass(frozen=True, slots=True)
class Luck:
    """How the share of luck in the deal is measured.

    Attributes
    ----------
    deals
        How many deals are replayed.
    replays
        How often each.
    """

    deals: int = 2_000
    replays: int = 50


class PlanCell(NamedTuple):
    """A variant in a group: what is played on each deal."""

    group: Group
    variant: Variant
    rules: RuleSet
    players: int
    line_up: tuple[str, ...]
    """The policy of each seat, ready to be resolved: paths of files start where the command runs."""

    @property
    def policies(self) -> tuple[str, ...]:
        """The policy of each seat, as the study writes it."""
        written = self.variant.policies or split_policy(self.group.policy or "")
        return written * self.players if len(written) == 1 else written

    @property
    def seatings(self) -> list[tuple[str, ...]]:
        """The line-ups played on each deal: all different rotations."""
        return rotations(self.line_up)


@dataclass(frozen=True, slots=True)
class Design:
    """Everything that is played and reported.

    Attributes
    ----------
    variants, groups
        Each variant is played in each group.
    baseline
        Index of the variant that the others are compared with.
    factors
        What the variants are the product of, in the order of `itertools.product`; empty where they are listed
        one by one, or there is only one.
    choices
        What is reported, the primary metrics first.
    seed, deals
        Deals 0 to ``deals - 1`` of the seed; the most, where there is a `precision`.
    precision
        When to stop earlier.
    level
        Confidence of the intervals.
    flow_deals, luck, match_games
        How much is played for the metrics that need the course of games, replays, or matches.
    folder
        Where paths of policies' files start.
    """

    variants: tuple[Variant, ...]
    groups: tuple[Group, ...]
    baseline: int
    factors: tuple[Factor, ...]
    choices: tuple[Choice, ...]
    seed: int
    deals: int
    precision: Precision | None = None
    level: float = DEFAULT_LEVEL
    flow_deals: int = DEFAULT_FLOW_DEALS
    luck: Luck = Luck()
    match_games: int = DEFAULT_MATCH_GAMES
    folder: Path = field(default=Path(), compare=False)

    @property
    def factorial(self) -> bool:
        """Whether two or more factors are crossed."""
        return len(self.factors) > 1

    @property
    def levels(self) -> tuple[int, ...]:
        """How many values each factor has."""
        return tuple(len(factor.values) for factor in self.factors)

    @property
    def baseline_levels(self) -> tuple[int, ...]:
        """Which value of each factor the baseline has."""
        chosen = self.variants[self.baseline].levels
        return tuple(factor.values.index(value) for factor, value in zip(self.factors, chosen, strict=True))

    @property
    def primary(self) -> tuple[Choice, ...]:
        """The declared questions."""
        return tuple(choice for choice in self.choices if choice.primary)

    @property
    def needs(self) -> frozenset[str]:
        """What the metrics need beyond what is counted in every game: ``flow``, ``luck``, ``match`` ...

        These are the `needs` of the entries of `calcsim.stats.special.SPECIALS` that are chosen.
        """
        from calcsim.stats.special import SPECIALS

        chosen = {choice.metric for choice in self.choices}
        needs = {entry.needs for entry in SPECIALS if entry.name in chosen}
        return frozenset("flow" if need == "calibration" else need for need in needs)

    def cells(self) -> list[PlanCell]:
        """Return what is played, group by group."""
        found = []
        for group in self.groups:
            for variant in self.variants:
                players = variant.players or group.players or 0
                cell = PlanCell(group, variant, variant.rules, players, ())
                line_up = tuple(at_folder(name, self.folder) for name in cell.policies)
                found.append(cell._replace(line_up=line_up))
        return found

    def games_per_deal(self) -> int:
        """Return how many games each deal is played in, over all cells and seatings."""
        return sum(len(cell.seatings) for cell in self.cells())

    def with_deals(self, deals: int) -> Design:
        """Return the design with so many deals, whatever precision it asks for."""
        return replace(self, deals=deals, precision=None)

    def run_as(self, run: object) -> Design:
        """Return the design with the deals and the precision that another was run with."""
        return replace(self, deals=run.deals, precision=run.precision) if isinstance(run, Design) else self


@dataclass(frozen=True, slots=True)
class Main:
    """What the first sentence of a report is about.

    Attributes
    ----------
    metric
        A chosen metric, or one of its components such as ``win.seat0``.
    variant
        Name of the variant that is compared with the baseline; the baseline itself where only it is played.
    group
        Where.
    """

    metric: str
    variant: str
    group: Group


@dataclass(frozen=True, slots=True)
class Study:
    """A question with all that is needed to answer it again.

    Attributes
    ----------
    path
        The file it was read from.
    name
        The file's name without its ending.
    title, question, background
        For the reader; the background is for one who has never seen the game.
    design
        What is played and reported.
    answer
        A sentence for each outcome, by `calcsim.experiments.plan.OUTCOMES`; outcomes may be missing.
    notes
        Further sentences for the report.
    main
        What the first sentence is about.
    """

    path: Path
    name: str
    title: str
    question: str
    background: str
    design: Design
    answer: Mapping[str, str]
    notes: tuple[str, ...]
    main: Main

    def as_dict(self) -> dict[str, Any]:
        """Return the effective study, all defaults filled in, as JSON values.

        The inverse is `calcsim.experiments.loading.study_from_dict`.
        """
        design = self.design
        return {
            "file": portable(self.path),
            "name": self.name,
            "title": self.title,
            "question": self.question,
            "background": self.background,
            "variants": [
                {
                    "name": variant.name,
                    "preset": variant.rules.name,
                    "rules": variant.rules.as_dict(),
                    "levels": list(variant.levels),
                    "players": variant.players,
                    "policies": None if variant.policies is None else list(variant.policies),
                }
                for variant in design.variants
            ],
            "groups": [{"players": group.players, "policy": group.policy} for group in design.groups],
            "baseline": design.baseline,
            "factors": [{"name": factor.name, "values": list(factor.values)} for factor in design.factors],
            "choices": [
                {"metric": choice.metric, "margin": choice.margin, "primary": choice.primary}
                for choice in design.choices
            ],
            "seed": design.seed,
            "deals": design.deals,
            "precision": None
            if design.precision is None
            else {
                "metric": design.precision.metric,
                "half_width": design.precision.half_width,
                "most": design.precision.most,
            },
            "level": design.level,
            "flow_deals": design.flow_deals,
            "luck": {"deals": design.luck.deals, "replays": design.luck.replays},
            "match_games": design.match_games,
            "main": {
                "metric": self.main.metric,
                "variant": self.main.variant,
                "group": {"players": self.main.group.players, "policy": self.main.group.policy},
            },
            "answer": dict(self.answer),
            "notes": list(self.notes),
        }


COMPARED: Final = ("difference", "interval", "margin", "baseline_value", "variant_value", "unit")

OUTCOMES: Final[Mapping[str, tuple[str, ...]]] = {
    "more": COMPARED,
    "less": COMPARED,
    "no matter": COMPARED,
    "undecided": (*COMPARED, "more"),
    "estimate": ("value", "interval", "unit"),
}
"""What each sentence of an answer may have filled in: ``estimate`` where only one variant is played, else the
others; ``{more}`` is the number of deals that a decision would still take."""


class Fault(NamedTuple):
    """Something to be mended.

    Attributes
    ----------
    place
        Keys and indices that lead to it, as ``("vary", "handoff", 1)``.
    message
        What is wrong and what to do.
    """

    place: tuple[str | int, ...]
    message: str

    @property
    def where(self) -> str:
        """The place as text.

        Examples
        --------
        >>> Fault(("vary", "handoff", 1), "").where
        'vary.handoff[1]'
        """
        text = ""
        for part in self.place:
            if isinstance(part, int):
                text += f"[{part}]"
            else:
                text += f"{'.' if text else ''}{part}"
        return text


class PlanError(UsageError):
    """All that is wrong with a design, at once.

    Attributes
    ----------
    faults
        In the order found.
    """

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; and ".join(fault.message for fault in self.faults))


def rotations(line_up: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the different rotations of a line-up, itself first.

    Examples
    --------
    >>> rotations(["greedy", "random", "greedy", "random"])
    [('greedy', 'random', 'greedy', 'random'), ('random', 'greedy', 'random', 'greedy')]
    """
    names = tuple(line_up)
    return list(dict.fromkeys(names[i:] + names[:i] for i in range(len(names))))


def split_policy(text: str) -> tuple[str, ...]:
    """Return the names in a policy's text: one for all seats, or one for each.

    Examples
    --------
    >>> split_policy("greedy, random")
    ('greedy', 'random')
    """
    return tuple(name.strip() for name in text.split(","))


def at_folder(name: str, folder: Path) -> str:
    """Return a policy's name with the path of its file, if it has one, starting at `folder`."""
    file = split_name(name).file
    return f"{folder / file}{name[len(file) :]}" if file else name


def portable(path: Path) -> str:
    """Return a path from the current folder if it lies beneath, else its name: the same on every machine."""
    relative = Path(os.path.relpath(path)) if path.is_absolute() else path
    return path.name if ".." in relative.parts else relative.as_posix()
