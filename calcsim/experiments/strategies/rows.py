"""The tidy table of a study of strategies: a row for each number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from calcsim.stats.intervals import Estimate

if TYPE_CHECKING:
    from calcsim.experiments.metagame import Metagame
    from calcsim.experiments.restricted import RestrictedPlay
    from calcsim.experiments.skill import Skill
    from calcsim.experiments.strategies.design import StrategyDesign
    from calcsim.experiments.tournament import Tournament

COLUMNS: Final = (
    *("rules", "players", "policy", "other", "what", "estimate", "error", "low", "high", "interval"),
    *("verdict", "unit", "deals", "seed"),
)

_SHARE: Final = "share"
OWN: Final = "own"
ALL: Final = "simultaneous"
"""Whether an interval holds by itself, or together with the others of its family."""


class Row(NamedTuple):
    """A number, with whom it is about and how sure it is; `deals` where it is not from all of the table's."""

    policy: str
    other: str
    what: str
    value: Estimate
    unit: str
    interval: str = OWN
    verdict: str = ""
    deals: int | None = None


def _bare(value: float) -> Estimate:
    return Estimate(value, None, None, None)


def records(design: StrategyDesign, tables: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the rows of all tables under `COLUMNS`.

    Parameters
    ----------
    design
        What was played.
    tables
        What came out at each of its places.
    """
    read: Any = {
        "tournament": _tournament,
        "metagame": _metagame,
        "restricted": _restricted,
        "skill": _skill,
    }[design.kind]
    found = []
    for place, table in zip(design.places, tables, strict=True):
        for row in read(table):
            bounds = row.value
            whose = row.interval if bounds.low is not None else ""
            values = (
                *(place.rules.label, place.players, row.policy, row.other, row.what),
                *(bounds.estimate, bounds.error, bounds.low, bounds.high, whose),
                *(row.verdict, row.unit, table.deals if row.deals is None else row.deals, design.seed),
            )
            found.append(dict(zip(COLUMNS, values, strict=True)))
    return found


def _tournament(found: Tournament) -> Iterator[Row]:
    units = {"win": _SHARE, "score": "points", "place": "place", "strength": "odds"}
    for one in found.standings:
        for what, unit in units.items():
            value: Estimate | None = getattr(one, what)
            if value is not None:
                yield Row(one.policy, "", what, value, unit)
    for pair in found.pairs:
        yield Row(pair.first, pair.second, "ahead", pair.share, _SHARE, ALL, pair.verdict)
        if pair.residual is not None:
            yield Row(pair.first, pair.second, "residual", pair.residual, _SHARE, ALL)
    for bout in found.bouts:
        yield Row(found.hero or "", bout.policy, "bout.win", bout.win, _SHARE, ALL)
        yield Row(found.hero or "", bout.policy, "bout.score", bout.score, "points", ALL)


def _metagame(found: Metagame) -> Iterator[Row]:
    for one in found.invasions:
        yield Row(one.newcomer, one.resident, "gain", one.gain, _SHARE, ALL, one.verdict)
    for end in found.survival:
        yield Row(end.policy, "", "field", end.field, _SHARE)
        yield Row(end.policy, "", "left from", _bare(end.present), "share of the starts")
        yield Row(end.policy, "", "survives", _bare(end.survives), "share of the resamples")
        yield Row(end.policy, "", "alpha-rank", end.alpha, "share of the time")
    for number, one_end in enumerate(found.attractors, 1):
        word = "at rest" if one_end.settled else "moving"
        yield Row("", "", f"population {number}", _bare(one_end.basin), "share of the starts", verdict=word)
        for k in one_end.present:
            value = _bare(one_end.shares[k])
            yield Row(found.policies[k], "", f"population {number}", value, "share of the population")
    for paid in found.payoffs:
        value = Estimate(paid.share, paid.error, None, None)
        yield Row(paid.policy, "/".join(paid.line_up), "payoff", value, _SHARE)


def _restricted(found: RestrictedPlay) -> Iterator[Row]:
    for one in found.worths:
        yield Row(one.policy, one.forbidden, "worth", one.worth, _SHARE, ALL, one.verdict.word)
        yield Row(one.policy, one.forbidden, "win without", _bare(one.restricted), _SHARE)
        yield Row(one.policy, one.forbidden, "changed", _bare(one.changed), "share of the games")


def _skill(found: Skill) -> Iterator[Row]:
    for table in found.tables:
        for part, share in table.shares.items():
            yield Row("", "", f"part.{part}", share, "share of the variance", deals=found.crossed)
        for seat, won in enumerate(table.seats):
            yield Row("", "", f"win.seat{seat}", _bare(won), _SHARE, deals=found.crossed)
        for duel in table.duels:
            word = "step" if duel.clear else "no step"
            yield Row(duel.better, duel.worse, "lead", duel.lead, _SHARE, ALL, word)
            told = duel.to_tell
            value = Estimate(told.deals, None, told.low, told.high)
            yield Row(duel.better, duel.worse, "games to tell", value, "games")
        for level, name in enumerate(table.ladder, 1):
            yield Row(name, "", "ladder", _bare(level), "level from the top")
