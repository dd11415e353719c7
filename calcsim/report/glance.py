"""The whole study in one table: a row for each change, and what it does to each declared metric."""

from __future__ import annotations

from collections.abc import Sequence

from calcsim.report import prose
from calcsim.report.facts import Facts, short
from calcsim.report.model import Table
from calcsim.report.rows import Effect

_KINDS = ("contrast", "main")


def glance(facts: Facts) -> Table | None:
    """Return the table; None where there is too little to need one."""
    effects = [effect for effect in facts.primary if effect.kind in _KINDS and effect.verdict]
    if facts.design.factorial:
        effects = [effect for effect in effects if effect.kind == "main"]
    metrics = list(dict.fromkeys(effect.metric for effect in effects))
    changes = list(dict.fromkeys(short(effect) for effect in effects))
    groups = list(dict.fromkeys(effect.group for effect in effects))
    if len(changes) < 2 or len(groups) < 2:
        return None
    rows = []
    for change in changes:
        cells = [change]
        for metric in metrics:
            cells.append(_cell([e for e in effects if short(e) == change and e.metric == metric]))
        rows.append(tuple(cells))
    heads = []
    for metric in metrics:
        one = next(effect for effect in effects if effect.metric == metric)
        heads.append(f"`{metric}` (margin {prose.margin_text(one)})")
    caption = f"At a glance: verdicts in {len(groups)} groups, and the smallest and largest difference of any"
    return Table(("change", *heads), tuple(rows), "l" * (1 + len(heads)), caption)


def _cell(effects: Sequence[Effect]) -> str:
    """Return how often which verdict, and from where to where the differences go."""
    if not effects:
        return ""
    counts = {word: sum(e.verdict == word for e in effects) for word in ("matters", "undecided", "no matter")}
    present = [word for word, count in counts.items() if count]
    if len(present) == 1:
        words = present[0]
    else:
        words = ", ".join(f"{word} in {counts[word]} of {len(effects)}" for word in present[:-1])
    known = [effect for effect in effects if effect.difference is not None]
    if not known:
        return words
    ordered = sorted(known, key=lambda effect: effect.difference or 0.0)
    ends = dict.fromkeys(prose.difference_text(effect)[0] for effect in (ordered[0], ordered[-1]))
    return f"{words} ({' to '.join(ends)})"
