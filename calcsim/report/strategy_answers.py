"""What a table of a study of strategies says: how it turned out, and what sentences may have filled in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from calcsim.report.prose import POINTS, count, listed, with_unit
from calcsim.stats.intervals import Estimate
from calcsim.stats.points import gain_text, share_of_all, whole_percent
from calcsim.stats.text import percent

if TYPE_CHECKING:
    from calcsim.experiments.metagame import Metagame
    from calcsim.experiments.restricted import RestrictedPlay, Worth
    from calcsim.experiments.skill import Duel, Skill
    from calcsim.experiments.strategies.design import Place, StrategyStudy
    from calcsim.experiments.tournament import Tournament

CERTAIN: Final = 0.95
"""A policy survives if it does in this share of the resamples of the deals or more; it is gone if it
survives in the rest at most."""


class Said(NamedTuple):
    """What a table says.

    Attributes
    ----------
    outcome
        A key of `StrategyDesign.outcomes`.
    filled
        What the placeholders of a sentence stand for.
    plain
        A sentence, for where the study has none of its own.
    evidence
        Sentences with interval and deals.
    short
        The outcome in a few words, to be compared with those of other tables.
    """

    outcome: str
    filled: dict[str, str]
    plain: str
    evidence: str
    short: str

    def answer(self, study: StrategyStudy) -> str:
        """Return the study's sentence for the outcome, or a plain one."""
        sentence = study.answer.get(self.outcome)
        return self.plain if sentence is None else sentence.format_map(self.filled)


def say(study: StrategyStudy, index: int, found: Any) -> Said:
    """Return what one of a study's tables says.

    Parameters
    ----------
    study
        The study.
    index
        Which of the design's places it is.
    found
        What came out there.
    """
    design = study.design
    place = design.places[index]
    if design.kind == "tournament":
        said = _gauntlet(found) if design.hero is not None else _field(found)
    elif design.kind == "metagame":
        said = _metagame(found)
    elif design.kind == "restricted":
        said = _restricted(found, study.main_policy or design.policies[0])
    else:
        said = _skill(found)
    filled = said.filled | _everywhere(place, found.deals)
    played = f"{place.label}, from {count(found.deals)} deals ({count(found.games)} games)"
    return said._replace(filled=filled, evidence=f"{said.evidence} {played[:1].upper()}{played[1:]}.")


def _everywhere(place: Place, deals: int) -> dict[str, str]:
    return {
        "rules": place.rules.label,
        "players": str(place.players),
        "deals": count(deals),
        "fair": f"{100 / place.players:.4g} %",
    }


def ahead_of(found: Tournament, first: str, second: str) -> tuple[Estimate, str]:
    """Return how often one policy finishes ahead of another one, and the verdict from its side."""
    for pair in found.pairs:
        if (pair.first, pair.second) == (first, second):
            return pair.share, pair.verdict
        if (pair.second, pair.first) == (first, second):
            low, high = (None if x is None else 1 - x for x in (pair.share.high, pair.share.low))
            turned = {"ahead": "behind", "behind": "ahead"}
            share = Estimate(1 - pair.share.estimate, pair.share.error, low, high)
            return share, turned.get(pair.verdict, pair.verdict)
    raise KeyError(f"{first} and {second} never met")


def _field(found: Tournament) -> Said:
    best, runner_up, *_ = found.standings
    last = found.standings[-1]
    names = [one.policy for one in found.standings]
    ahead, verdict = ahead_of(found, best.policy, runner_up.policy)
    in_order = all(ahead_of(found, a, b)[1] == "ahead" for i, a in enumerate(names) for b in names[i + 1 :])
    outcome = "in order" if in_order else "ahead" if verdict == "ahead" else "undecided"
    share, interval = share_of_all(best.win)
    ahead_share, ahead_interval = share_of_all(ahead)
    order = " > ".join(names)
    filled = {
        "best": best.policy,
        "best_share": share,
        "interval": interval,
        "runner_up": runner_up.policy,
        "runner_up_share": share_of_all(runner_up.win)[0],
        "ahead": ahead_share,
        "ahead_interval": ahead_interval,
        "last": last.policy,
        "last_share": share_of_all(last.win)[0],
        "order": order,
    }
    plain = {
        "in order": f"From the best to the weakest: {order}.",
        "ahead": f"{best.policy} is the best.",
        "undecided": f"{best.policy} and {runner_up.policy} are not told apart.",
    }
    evidence = (
        f"`{best.policy}` wins {share} of the games against the field ({percent(found.level)} interval "
        f"{interval}), `{runner_up.policy}` {filled['runner_up_share']}; a fair share is "
        f"{100 / found.players:.4g} %. At the same table `{best.policy}` finishes ahead of "
        f"`{runner_up.policy}` in {ahead_share} of the cases ({ahead_interval}; intervals of all pairs hold "
        "together)."
    )
    short = {"in order": order, "ahead": f"{best.policy} is the best"}.get(
        outcome, f"{' and '.join(sorted(names[:2], key=found.policies.index))} are not told apart"
    )
    return Said(outcome, filled, plain[outcome], evidence, short)


def _gauntlet(found: Tournament) -> Said:
    fair = 1 / found.players
    hero = found.hero or ""
    least = min(found.bouts, key=lambda bout: bout.win.estimate)
    lows = [bout.win.low for bout in found.bouts if bout.win.low is not None]
    highs = [bout.win.high for bout in found.bouts if bout.win.high is not None]
    outcome = "undecided"
    if len(lows) == len(found.bouts) and min(lows) > fair:
        outcome = "stronger"
    elif highs and min(highs) < fair:
        outcome = "weaker"
    (own,) = [one for one in found.standings if one.policy == hero]
    share, interval = share_of_all(own.win)
    least_share, least_interval = share_of_all(least.win)
    filled = {
        "hero": hero,
        "share": share,
        "interval": interval,
        "least": least.policy,
        "least_share": least_share,
        "least_interval": least_interval,
    }
    plain = {
        "stronger": f"{hero} wins more than its fair share among copies of each other policy.",
        "weaker": f"{hero} wins less than its fair share among copies of {least.policy}.",
        "undecided": f"Whether {hero} is stronger than all others is open.",
    }
    evidence = (
        f"`{hero}` alone among copies of each other policy wins {share} of the games ({percent(found.level)} "
        f"interval {interval}), least among `{least.policy}`: {least_share} ({least_interval}; intervals of "
        f"all of them hold together). A fair share is {100 * fair:.4g} %."
    )
    return Said(outcome, filled, plain[outcome], evidence, f"{hero}: {outcome}")


class Fates(NamedTuple):
    """Which policies survive, are gone, or may do either."""

    survivors: list[str]
    lost: list[str]
    open: list[str]


def fates(found: Metagame) -> Fates:
    """Return what becomes of the policies, as sure as the resamples of the deals are."""
    shares = {one.policy: one.survives for one in found.survival}
    return Fates(
        [name for name, share in shares.items() if share >= CERTAIN],
        [name for name, share in shares.items() if share <= 1 - CERTAIN],
        [name for name, share in shares.items() if 1 - CERTAIN < share < CERTAIN],
    )


def names_of(names: Sequence[str]) -> str:
    """Return policies as text, or "none"."""
    return listed(list(names)) or "none"


def _metagame(found: Metagame) -> Said:
    fate = fates(found)
    outcome = "undecided"
    if not fate.open and fate.survivors:
        outcome = "one" if len(fate.survivors) == 1 else "several"
    by_name = {one.policy: one for one in found.survival}
    first = max(fate.survivors or fate.open or list(by_name), key=lambda name: by_name[name].field.estimate)
    share, interval = share_of_all(by_name[first].field)
    survivors = names_of(fate.survivors)
    filled = {
        "survivors": survivors,
        "lost": names_of(fate.lost),
        "open": names_of(fate.open),
        "first": first,
        "share": share,
        "interval": interval,
    }
    plain = {
        "one": f"Only {survivors} survives.",
        "several": f"{survivors} survive side by side.",
        "undecided": f"Certain to survive: {survivors}; open: {names_of(fate.open)}.",
    }
    left = ", ".join(f"`{name}` in {whole_percent(one.survives)}" for name, one in by_name.items())
    evidence = (
        f"Of 200 resamples of the deals there is left in the end: {left}. Against opponents drawn evenly "
        f"from all policies `{first}` wins {share} of the games ({percent(found.level)} interval {interval}; "
        f"a fair share is {100 / found.players:.4g} %)."
    )
    if found.dominant is not None:
        evidence += f" `{found.dominant}` dominates: nobody invades it, and all else disappears beside it."
    short = f"{survivors} {'survives' if len(fate.survivors) == 1 else 'survive'}"
    return Said(outcome, filled, plain[outcome], evidence, short if outcome != "undecided" else "open")


def sized(gain: Estimate) -> tuple[str, str]:
    """Return the size of a difference of shares in percentage points, and its interval, without signs.

    Where the interval holds both, a bound on the other side keeps its minus.
    """
    low, high = gain.low or 0.0, gain.high or 0.0
    turned = gain if gain.estimate >= 0 else Estimate(-gain.estimate, gain.error, -high, -low)
    number, interval = gain_text(turned)
    return with_unit(number.lstrip("+"), POINTS), interval.replace("+", "")


def leading(worths: Sequence[Worth]) -> tuple[str, Worth]:
    """Return how it turned out for one policy, and the part that says so."""
    matter = [one for one in worths if one.verdict.word == "matters"]
    useful = [one for one in matter if one.worth.estimate > 0]
    if useful:
        return "matters", max(useful, key=lambda one: one.worth.estimate)
    if matter:
        return "harms", min(matter, key=lambda one: one.worth.estimate)
    largest = max(worths, key=lambda one: one.worth.estimate)
    open_ = any(one.verdict.word == "undecided" for one in worths)
    return ("undecided" if open_ else "no matter"), largest


def _restricted(found: RestrictedPlay, policy: str) -> Said:
    worths = [one for one in found.worths if one.policy == policy]
    outcome, most = leading(worths)
    decided = outcome in ("matters", "harms")
    number, interval = sized(most.worth) if decided else gain_text(most.worth)
    worth = number if decided else with_unit(number, POINTS)
    alike = [
        one.forbidden
        for one in worths
        if one is not most
        and one.verdict.word == "matters"
        and (one.worth.estimate > 0) == (most.worth.estimate > 0)
    ]
    margin = with_unit(f"{100 * found.margin:.10g}", POINTS)
    filled = {
        "policy": policy,
        "most": most.forbidden,
        "worth": worth,
        "interval": interval,
        "margin": margin,
        "others": names_of(alike) if alike else "nothing",
    }
    plain = {
        "matters": f"{most.forbidden} is worth {worth} of the games won to {policy}.",
        "harms": f"{policy} would do better without {most.forbidden}, by {worth} of the games won.",
        "no matter": f"No part of the game is worth {margin} to {policy}.",
        "undecided": f"Whether any part of the game is worth {margin} to {policy} is open.",
    }
    gain, bounds = gain_text(most.worth)
    evidence = (
        f"Worth of `{most.forbidden}` to `{policy}`: {with_unit(gain, POINTS)} of the games won ({bounds}; "
        f"{percent(found.level)} intervals of all parts hold together). {margin[:1].upper()}{margin[1:]} was "
        f"declared to matter, so the verdict is: {most.verdict.word}."
    )
    short = {"matters": f"{most.forbidden} matters most", "harms": f"{most.forbidden} does harm"}
    return Said(outcome, filled, plain[outcome], evidence, short.get(outcome, outcome))


def top_two(found: Skill) -> Duel:
    """Return the duel between the two policies that do best in all duels together."""
    duels = found.tables[0].duels
    sums = dict.fromkeys(found.policies, 0.0)
    for duel in duels:
        sums[duel.better] += duel.lead.estimate
        sums[duel.worse] -= duel.lead.estimate
    best = set(sorted(sums, key=lambda name: -sums[name])[:2])
    return next(duel for duel in duels if {duel.better, duel.worse} == best)


def told_text(deals: float) -> str:
    """Return a number of games as text."""
    return "no number of" if math.isinf(deals) else count(math.ceil(deals))


def _skill(found: Skill) -> Said:
    (table,) = found.tables
    skill = table.shares["policies"]
    outcome = "undecided"
    if skill.low is not None and skill.low > 0.5:
        outcome = "skill"
    elif skill.high is not None and skill.high < 0.5:
        outcome = "luck"
    share, interval = share_of_all(skill)
    text = {name: share_of_all(one)[0] for name, one in table.shares.items()}
    luck = sum(table.shares[name].estimate for name in ("seat", "deal", "play"))
    duel = top_two(found)
    filled = {
        "skill": share,
        "interval": interval,
        "deal": text["deal"],
        "both": text["policies x deal"],
        "seat": text["seat"],
        "play": text["play"],
        "luck": f"{100 * luck:.1f} %",
        "levels": str(len(table.ladder)),
        "ladder": " > ".join(table.ladder),
        "best": duel.better,
        "second": duel.worse,
        "lead": sized(duel.lead)[0],
        "games": told_text(duel.to_tell.deals),
    }
    plain = {
        "skill": f"Winning is mostly skill: who plays what decides {share} of it.",
        "luck": f"Winning is mostly luck: who plays what decides {share} of it.",
        "undecided": f"Skill and luck weigh about the same: who plays what decides {share} of winning.",
    }
    evidence = (
        f"Of the variance of who wins, {share} is due to who plays what ({percent(found.level)} interval "
        f"{interval}), {text['policies x deal']} to what policies make of the deal, {text['deal']} to the "
        f"deal, {text['seat']} to the seat and {text['play']} to chance in play, as "
        f"{count(found.crossed)} of the deals tell, on which all line-ups were played. It takes "
        f"{filled['games']} games until `{duel.better}` is ahead of `{duel.worse}` with a probability of "
        "95 %."
    )
    return Said(
        outcome, filled, plain[outcome], evidence, f"mostly {outcome}" if outcome != "undecided" else "open"
    )
