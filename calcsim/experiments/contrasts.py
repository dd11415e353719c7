"""Which differences of variants a design asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from calcsim.stats.factorial import conditional, effects

if TYPE_CHECKING:
    from calcsim.experiments.plan import Design

BETWEEN: Final = "contrast"
MAIN: Final = "main"
INTERACTION: Final = "interaction"
CONDITIONAL: Final = "conditional"

TIMES: Final = " × "


@dataclass(frozen=True)
class Contrast:
    """A difference of variants.

    Attributes
    ----------
    kind
        ``contrast`` of a variant with the baseline, ``main`` effect, ``interaction``, ``conditional`` effect.
    label
        What is compared, in words.
    weights
        Of the variants.
    variant
        Index of the variant of a contrast, else None.
    factors, levels
        Of an effect, the factors and the levels that are compared with the baseline's.
    at
        Levels of other factors that are held.
    """

    kind: str
    label: str
    weights: tuple[float, ...]
    variant: int | None = None
    factors: tuple[int, ...] = ()
    levels: tuple[int, ...] = ()
    at: str = ""


def contrasts(design: Design) -> list[Contrast]:
    """Return each variant against the baseline, and the effects of a factorial."""
    found = []
    base = design.variants[design.baseline].name
    for index, variant in enumerate(design.variants):
        if index == design.baseline:
            continue
        weights = [0.0] * len(design.variants)
        weights[index] = 1.0
        weights[design.baseline] = -1.0
        found.append(Contrast(BETWEEN, f"{variant.name} vs {base}", tuple(weights), index))
    if design.factorial:
        for effect in effects(design.levels, design.baseline_levels):
            pairs = zip(effect.factors, effect.levels, strict=True)
            label = TIMES.join(_step(design, factor, level) for factor, level in pairs)
            kind = MAIN if len(effect.factors) == 1 else INTERACTION
            weights_of = tuple(map(float, effect.weights))
            found.append(Contrast(kind, label, weights_of, None, effect.factors, effect.levels))
    return found


def conditionals(design: Design, interaction: Contrast) -> list[Contrast]:
    """Return the effects of either factor of a material interaction where the other is held."""
    found = []
    for here, there in ((0, 1), (1, 0)):
        factor, level = interaction.factors[here], interaction.levels[here]
        other = interaction.factors[there]
        for held in (design.baseline_levels[other], interaction.levels[there]):
            weights = conditional(design.levels, design.baseline_levels, factor, level, {other: held})
            at = f"{design.factors[other].name}={design.factors[other].values[held]}"
            found.append(
                Contrast(
                    CONDITIONAL,
                    _step(design, factor, level),
                    tuple(map(float, weights)),
                    None,
                    (factor,),
                    (level,),
                    at,
                )
            )
    return found


def _step(design: Design, factor: int, level: int) -> str:
    """Return what changes, in words.

    Returns
    -------
    text
        Such as ``handoff: shield -> none``.
    """
    values = design.factors[factor].values
    start = values[design.baseline_levels[factor]]
    return f"{design.factors[factor].name}: {start} -> {values[level]}"
