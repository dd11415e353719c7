"""Numbers and verdicts of a report in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from calcsim.report.rows import doc, is_share
from calcsim.stats.intervals import METHODS, Estimate, Share
from calcsim.stats.text import decimals, estimate_text, percent, share_text

if TYPE_CHECKING:
    from calcsim.report.rows import Effect, Value

MINUS: Final = "−"

POINTS: Final = "percentage points"

_LEAST_P: Final = 0.001


def count(number: float) -> str:
    """Return a whole number with its thousands apart.

    Examples
    --------
    >>> count(200000)
    '200,000'
    """
    return f"{number:,.0f}"


def one(unit: str) -> str:
    """Return the singular of a unit.

    Examples
    --------
    >>> one("turns"), one("penalties"), one("passes"), one("percentage points")
    ('turn', 'penalty', 'pass', 'percentage point')
    """
    for plural, singular in (("ies", "y"), ("sses", "ss"), ("s", "")):
        if unit.endswith(plural):
            return unit.removesuffix(plural) + singular
    return unit


def round_up(number: float) -> int:
    """Return a number of deals with two significant digits, not below what it was.

    Examples
    --------
    >>> round_up(123_456)
    130000
    """
    if number < 100:
        return math.ceil(number)
    step = int(10 ** (math.floor(math.log10(number)) - 1))
    return math.ceil(number / step) * step


def difference_unit(base_metric: str, unit: str) -> str:
    """Return what differences of a metric are measured in; empty for plain numbers."""
    return POINTS if is_share(base_metric, unit) else unit


def with_unit(number: str, unit: str) -> str:
    """Return a number and its unit, in the singular where it is 1."""
    return f"{number} {one(unit) if number.lstrip('+' + MINUS) == '1' else unit}".strip()


def _minus(text: str) -> str:
    return text.replace("-", MINUS)


def _signed(text: str) -> str:
    """Return a number as text with its sign, 0 without one."""
    if not float(text):
        return text.lstrip("-")
    return _minus(text) if text.startswith("-") else f"+{text}"


def _scale(base_metric: str, unit: str) -> float:
    return 100.0 if is_share(base_metric, unit) else 1.0


def margin_text(effect: Effect) -> str:
    """Return the margin with its unit, or "" if there is none."""
    if effect.margin is None:
        return ""
    scale = _scale(effect.base_metric, effect.unit)
    return with_unit(f"{effect.margin * scale:.10g}", difference_unit(effect.base_metric, effect.unit))


def value_text(value: Value) -> tuple[str, str]:
    """Return an estimate and its interval as text, shares in percent."""
    if value.estimate is None:
        return "none", ""
    low, high = value.low, value.high
    if not is_share(value.base_metric, value.unit):
        words = estimate_text(Estimate(value.estimate, value.error, low, high))
        return _minus(words[0]), _minus(words[1])
    if value.method in METHODS and low is not None and high is not None:
        seen = round(value.estimate * (value.games or 0))
        return share_text(Share(seen, value.games or 0, value.estimate, low, high, value.method))
    scaled = [None if bound is None else 100 * bound for bound in (low, high)]
    estimate, interval = estimate_text(Estimate(100 * value.estimate, value.error, scaled[0], scaled[1]))
    estimate = f"{_minus(estimate)} %"
    return estimate, interval if interval in ("always", "one only") else f"{_minus(interval)} %"


def value_with_interval(value: Value) -> str:
    """Return an estimate with its unit and its interval in brackets."""
    estimate, interval = value_text(value)
    known = with_unit(estimate, value.unit)
    return f"{known} ({interval})" if interval else known


def level_text(effect: Effect, number: float | None) -> str:
    """Return the value of one of the two sides of a difference, as exact as the difference is."""
    if number is None:
        return ""
    scale = _scale(effect.base_metric, effect.unit)
    ending = " %" if scale > 1 else ""
    if effect.low is None or effect.high is None or effect.high <= effect.low:
        return _minus(f"{number * scale:.6g}{ending}")
    return _minus(f"{number * scale:.{decimals(scale * (effect.high - effect.low) / 2)}f}{ending}")


def difference_text(effect: Effect, *, sized: bool = False) -> tuple[str, str]:
    """Return a difference and its interval as text, without the unit.

    Parameters
    ----------
    effect
        The difference.
    sized
        Give the size alone, as in "3.2 turns shorter", and not the sign.
    """
    if effect.difference is None:
        return "none", ""
    scale = _scale(effect.base_metric, effect.unit)
    turned = -scale if sized and effect.difference < 0 else scale
    bounds = [None if bound is None else turned * bound for bound in (effect.low, effect.high)]
    if turned < 0:
        bounds.reverse()
    number, interval = estimate_text(Estimate(turned * effect.difference, effect.error, bounds[0], bounds[1]))
    if interval == "always":
        interval = "on every deal"
    elif interval != "one only":
        show: Callable[[str], str] = _minus if sized else _signed
        interval = " to ".join(show(bound) for bound in interval.split(" to "))
    return (_minus(number) if sized else _signed(number)), interval


def all_text(effect: Effect) -> str:
    """Return the interval that holds for its whole family at once, or "" if there is none."""
    low, high = effect.low_all, effect.high_all
    if low is None or high is None or high <= low:
        return ""
    scale = _scale(effect.base_metric, effect.unit)
    places = decimals(scale * (high - low) / 2)
    return f"{_signed(f'{scale * low:.{places}f}')} to {_signed(f'{scale * high:.{places}f}')}"


def p_text(p: float | None) -> str:
    """Return a p- or q-value with two digits, tiny ones as a bound."""
    if p is None:
        return ""
    return f"< {_LEAST_P:g}" if p < _LEAST_P else f"{p:.{2 if p >= 0.1 else 3}f}"


def reduction_text(factor: float | None) -> str:
    """Return how many times as many unpaired games would have been needed."""
    if factor is None:
        return ""
    return "no spread" if math.isinf(factor) else f"×{factor:.2g}" if factor < 99.5 else f"×{factor:.0f}"


def changed_text(share: float | None) -> str:
    """Return the share of deals on which anything differed."""
    if share is None:
        return ""
    if share in (0, 1):
        return "none" if share == 0 else "all"
    return f"{100 * share:.2g} %" if share < 0.99 else f"{100 * share:.4g} %"


def verdict_text(effect: Effect) -> str:
    """Return the verdict with the margin it was judged by, and what a decision would still take."""
    if not effect.verdict:
        return ""
    if effect.verdict == "undecided":
        if effect.more is None or not math.isfinite(effect.more):
            return f"undecided (margin {margin_text(effect)})"
        return f"undecided (margin {margin_text(effect)}; {count(round_up(effect.more))} more deals)"
    return f"{effect.verdict} ({'beyond' if effect.verdict == 'matters' else 'within'} {margin_text(effect)})"


def metric_text(metric: str, base_metric: str) -> str:
    """Return a metric's name, with what it counts in brackets."""
    words = doc(base_metric)
    return f"`{metric}` ({words})" if words else f"`{metric}`"


def change_text(effect: Effect) -> str:
    """Return what is changed into what."""
    if effect.kind == "contrast" and effect.variant and effect.baseline:
        return f"`{effect.variant}` instead of `{effect.baseline}`"
    words = f"`{effect.effect}`"
    if effect.at:
        return f"{words} at `{effect.at}`"
    return f"{words} (mean over the other factors)" if effect.kind == "main" else words


def filled(effect: Effect) -> dict[str, str]:
    """Return what an answer's placeholders stand for.

    In the answers ``more`` and ``less`` `difference` and `interval` are sizes without a sign, so that
    "{difference} {unit} shorter" reads well; in the others they have one. `margin` has no unit, and values of
    shares have their per cent sign.
    """
    sized = effect.outcome in ("more", "less")
    number, interval = difference_text(effect, sized=sized)
    scale = _scale(effect.base_metric, effect.unit)
    unit = difference_unit(effect.base_metric, effect.unit)
    return {
        "difference": number,
        "interval": interval,
        "margin": "" if effect.margin is None else f"{effect.margin * scale:.10g}",
        "baseline_value": level_text(effect, effect.baseline_value),
        "variant_value": level_text(effect, effect.variant_value),
        "unit": one(unit) if number in ("1", "+1") else unit,
        "more": "" if effect.more is None else count(round_up(effect.more)),
    }


def answer(effect: Effect, sentences: Mapping[str, str]) -> str:
    """Return the sentence that answers the question: the study's, or a plain one where it has none."""
    outcome = effect.outcome
    if sentences.get(outcome):
        return sentences[outcome].format_map(filled(effect))
    name = f"`{effect.metric}`"
    if outcome in ("more", "less"):
        size = with_unit(
            difference_text(effect, sized=True)[0], difference_unit(effect.base_metric, effect.unit)
        )
        verb = "raises" if outcome == "more" else "lowers"
        matters = f", more than the {margin_text(effect)} that would matter" if effect.margin else ""
        return f"{change_text(effect)} {verb} {name} by {size}{matters}."
    if outcome == "no matter":
        return f"{change_text(effect)} does not matter: {name} changes by less than {margin_text(effect)}."
    return f"Undecided: {change_text(effect)} may or may not change {name} enough to matter."


def evidence(effect: Effect) -> str:
    """Return the sentences that give the difference, its interval, margin and deals."""
    number, interval = difference_text(effect)
    unit = difference_unit(effect.base_metric, effect.unit)
    change = f"{metric_text(effect.metric, effect.base_metric)} with {change_text(effect)}: "
    if effect.baseline_value is not None and effect.variant_value is not None:
        before, after = (level_text(effect, side) for side in (effect.baseline_value, effect.variant_value))
        change += f"{after} against {before}, "
    change += f"a difference of {with_unit(number, unit)}"
    if interval:
        at = "" if interval == "on every deal" else f"{percent(effect.level or 0)} interval "
        change += f" ({at}{interval})"
    deals = f", from {count(effect.deals)} deals played with both" if effect.deals else ""
    text = f"{change}; {effect.group}{deals}."
    if effect.margin is not None:
        verdict = effect.verdict.replace("matters", "it matters").replace("no matter", "it does not matter")
        text += f" A difference of {margin_text(effect)} was declared to matter, so the verdict is: {verdict}"
        if effect.verdict == "undecided" and effect.more is not None and math.isfinite(effect.more):
            text += f"; about {count(round_up(effect.more))} more deals would decide it"
        text += "."
    if effect.changed is not None:
        text += f" Anything at all differed on {changed_text(effect.changed)} of the deals."
    return text.replace(" on none of the deals", " on none of the deals: the change never came up")


def outcome_words(effect: Effect) -> str:
    """Return an outcome as a few words of a sentence."""
    direction = {"more": "more", "less": "less"}.get(effect.outcome)
    if direction:
        return f"matters ({direction})" if effect.verdict else f"differs ({direction})"
    return effect.outcome


def listed(words: Sequence[str]) -> str:
    """Return words with commas and a last "and".

    Examples
    --------
    >>> listed(["2", "3", "4"])
    '2, 3 and 4'
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
