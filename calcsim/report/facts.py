"""The results of a study, arranged for questions that several parts of a report ask."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from calcsim.errors import CalcsimError
from calcsim.report.model import Source
from calcsim.report.rows import Effect, Value, read_effects, read_values

PRIMARY = "primary"
TIMES = " × "
"""Between the changes of an interaction."""

VERSUS = " vs "
"""Between a variant and the baseline."""


@dataclass(frozen=True, slots=True)
class Place:
    """A group: what is held fixed."""

    label: str
    players: int | None
    policy: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Typed rows, and what the first sentence is about.

    Attributes
    ----------
    source
        Where they come from.
    values, effects
        All rows.
    places
        The groups, in the study's order.
    main
        The difference that answers the question; None where only one variant is played.
    main_value
        The estimate that answers it then.
    """

    source: Source
    values: tuple[Value, ...]
    effects: tuple[Effect, ...]
    places: tuple[Place, ...]
    main: Effect | None
    main_value: Value | None

    @property
    def design(self) -> Any:
        """The study's design."""
        return self.source.study.design

    @property
    def primary(self) -> list[Effect]:
        """The effects of the declared questions."""
        return [effect for effect in self.effects if effect.role == PRIMARY]

    @property
    def variants(self) -> list[str]:
        """Names of the variants, the baseline first."""
        names = [variant.name for variant in self.design.variants]
        return [
            names[self.design.baseline],
            *(names[: self.design.baseline] + names[self.design.baseline + 1 :]),
        ]

    @property
    def main_effects(self) -> list[Effect]:
        """The differences in the main metric in all groups, of the main one's kind."""
        main = self.main
        if main is None:
            return []
        return [
            effect for effect in self.effects if effect.metric == main.metric and effect.kind == main.kind
        ]

    def place(self, label: str) -> Place:
        """Return the group with a label."""
        return next((place for place in self.places if place.label == label), Place(label, None, ""))

    def only(self, values: Iterable[Value], metric: str) -> list[Value]:
        """Return those of the values that are of one component."""
        return [value for value in values if value.metric == metric]


def short(effect: Effect) -> str:
    """Return what is changed, without the baseline that all variants are compared with."""
    return effect.effect.removesuffix(f"{VERSUS}{effect.baseline}") if effect.baseline else effect.effect


def _main_effect(study: Any, effects: list[Effect]) -> Effect | None:
    """Return the effect that the study's `main` names: its metric, its variant, its group."""
    found = [effect for effect in effects if effect.kind in ("contrast", "main")]
    main = study.main
    of_metric = [effect for effect in found if effect.metric == main.metric] or [
        effect for effect in found if effect.base_metric == main.metric
    ]
    in_group = [effect for effect in of_metric if effect.group == main.group.label]
    of_variant = [effect for effect in in_group if main.variant in (effect.variant, effect.effect)]
    if not of_variant:
        of_variant = [effect for effect in in_group if _level(effect.effect) in _parts(main.variant)]
    if effects and not of_variant:
        raise CalcsimError(
            f"the results have no effect on {main.metric!r} of {main.variant!r} with {main.group.label}; "
            "run the study again (calcsim study run)"
        )
    return of_variant[0] if of_variant else None


def _level(effect: str) -> str:
    """Return the new level of a main effect as variants write it, ``handoff=none``."""
    name, _, change = effect.partition(": ")
    return f"{name}={change.partition(' -> ')[2]}"


def _parts(variant: str) -> list[str]:
    return [part.strip() for part in variant.split(", ")]


def gather(source: Source) -> Facts:
    """Return the facts of a study's results.

    Raises
    ------
    CalcsimError
        If what the first sentence is about is not among the results.
    """
    study = source.study
    values, effects = read_values(source.estimates), read_effects(source.effects)
    places = tuple(
        Place(group.label, group.players, "" if group.policy is None else group.policy.replace(",", "/"))
        for group in study.design.groups
    )
    main = _main_effect(study, effects)
    main_value = None
    if main is None:
        of_metric = [
            value
            for value in values
            if study.main.metric in (value.metric, value.base_metric)
            and value.group == study.main.group.label
        ]
        of_variant = [value for value in of_metric if value.variant == study.main.variant] or of_metric
        if not of_variant:
            raise CalcsimError(
                f"the results have no {study.main.metric!r} with {study.main.group.label}; "
                "run the study again (calcsim study run)"
            )
        main_value = of_variant[0]
    return Facts(source, tuple(values), tuple(effects), places, main, main_value)
