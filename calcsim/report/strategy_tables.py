"""The tables, figures and methods of studies of strategies, kind by kind."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from calcsim.report.model import Block, Paragraph, Picture, Table
from calcsim.report.prose import MINUS, changed_text, count, listed, round_up, with_unit
from calcsim.report.strategy_answers import ahead_of, fates, leading, names_of, told_text
from calcsim.stats.crossed import PARTS
from calcsim.stats.points import gain_text, share_of_all, whole_percent
from calcsim.stats.text import estimate_text, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calcsim.experiments.metagame import Metagame
    from calcsim.experiments.restricted import RestrictedPlay, Worth
    from calcsim.experiments.skill import Skill
    from calcsim.experiments.strategies.design import StrategyStudy
    from calcsim.experiments.tournament import Tournament

REST: Final = "results.csv"

_MOST_PAIRS: Final = 30
_MOST_ENDS: Final = 6

_PART_WORDS: Final = {
    "policies": "who plays what",
    "policies x deal": "what policies make of the deal",
    "seat": "the seat",
    "deal": "the deal",
    "play": "chance in play",
}


def slug(text: str) -> str:
    """Return a text as a part of a file's name.

    Examples
    --------
    >>> slug("calc jokers=2, 4 players")
    'calc-jokers-2-4-players'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def pictures(study: StrategyStudy, tables: Sequence[Any]) -> dict[int, Picture]:
    """Return the figures, by the table that they stand at; that of the main table is called ``main``."""
    design = study.design
    labels = [place.label for place in design.places]
    if design.kind == "skill":
        whole = replace(tables[0], tables=tuple(t for one in tables for t in one.tables))
        caption = "What decides who wins, and how many levels of strength there are."
        alt = f"Shares of skill and luck for {listed(labels)}"
        return {study.main: Picture("main", whole.figure(), caption, alt)}
    if design.kind == "restricted":
        return _restricted_pictures(study, tables)
    captions = {
        "tournament": "Who wins how much of the games, and who finishes ahead of whom",
        "metagame": "Who can enter where all others play the same, and what becomes of equal shares",
    }
    if design.hero is not None:
        captions["tournament"] = f"What {design.hero} wins alone among copies of each other policy"
    found = {}
    for i, (label, table) in enumerate(zip(labels, tables, strict=True)):
        name = "main" if i == study.main else slug(label)
        text = f"{captions[design.kind]}; {label}"
        found[i] = Picture(name, table.figure(), f"{text}.", text)
    return found


def _restricted_pictures(study: StrategyStudy, tables: Sequence[RestrictedPlay]) -> dict[int, Picture]:
    """Return a figure for each rule set, with a panel for each number of players."""
    found: dict[int, Picture] = {}
    places = study.design.places
    main = places[study.main].rules
    for rules in dict.fromkeys(place.rules for place in places):
        at = [i for i, place in enumerate(places) if place.rules == rules]
        worths = tuple(one for i in at for one in tables[i].worths)
        whole = replace(tables[at[0]], worths=worths, games=sum(tables[i].games for i in at))
        text = f"What each part of the game is worth, {rules.label}"
        name, where = ("main", study.main) if rules == main else (slug(rules.label), at[0])
        caption = f"{text}. To the right of 0: a player who does without it wins less."
        found[where] = Picture(name, whole.figure(), caption, text)
    return found


def glance(study: StrategyStudy, tables: Sequence[Any]) -> Table:
    """Return a row or a few for each table: what it says."""
    design = study.design
    read: Any = {
        "tournament": _glance_field if design.hero is None else _glance_gauntlet,
        "metagame": _glance_metagame,
        "restricted": _glance_restricted,
        "skill": _glance_skill,
    }[design.kind]
    columns, align = read(None)[0]
    rows = []
    for place, found in zip(design.places, tables, strict=True):
        rows += [(place.label, *row) for row in read(found)]
    return Table(("table", *columns), tuple(rows), "l" + "".join(align), "All tables at a glance")


def _glance_field(found: Tournament | None) -> list[tuple[Any, ...]]:
    if found is None:
        return [(("best", "wins", "interval", "next", "ahead of it", "interval", "verdict"), "lrrlrrl")]
    best, second, *_ = found.standings
    ahead, verdict = ahead_of(found, best.policy, second.policy)
    return [
        (f"`{best.policy}`", *share_of_all(best.win), f"`{second.policy}`", *share_of_all(ahead), verdict)
    ]


def _glance_gauntlet(found: Tournament | None) -> list[tuple[Any, ...]]:
    if found is None:
        return [(("wins", "interval", "least among", "there", "interval"), "rrlrr")]
    (own,) = [one for one in found.standings if one.policy == found.hero]
    least = min(found.bouts, key=lambda bout: bout.win.estimate)
    return [(*share_of_all(own.win), f"`{least.policy}`", *share_of_all(least.win))]


def _glance_metagame(found: Metagame | None) -> list[tuple[Any, ...]]:
    if found is None:
        return [(("survive", "open", "gone", "dominates"), "llll")]
    fate = fates(found)
    return [(*map(names_of, (fate.survivors, fate.open, fate.lost)), found.dominant or "none")]


def _glance_restricted(found: RestrictedPlay | None) -> list[tuple[Any, ...]]:
    if found is None:
        return [(("policy", "worth most", "percentage points", "interval", "verdict"), "llrrl")]
    rows = []
    for policy in dict.fromkeys(one.policy for one in found.worths):
        _, most = leading([one for one in found.worths if one.policy == policy])
        rows.append((f"`{policy}`", most.forbidden, *gain_text(most.worth), most.verdict.word))
    return rows


def _glance_skill(found: Skill | None) -> list[tuple[Any, ...]]:
    if found is None:
        return [((*_PART_WORDS.values(), "levels"), "r" * (len(_PART_WORDS) + 1))]
    (table,) = found.tables
    return [(*(share_of_all(table.shares[name])[0] for name in _PART_WORDS), str(len(table.ladder)))]


def details(study: StrategyStudy, found: Any) -> list[Block]:
    """Return the tables of one of a study's tables."""
    kind = study.design.kind
    if kind == "tournament":
        return _gauntlet(found) if found.bouts else _field(found)
    if kind == "metagame":
        return _metagame(found)
    return _restricted(found) if kind == "restricted" else _skill(found)


def _field(found: Tournament) -> list[Block]:
    rows = tuple(
        (
            f"`{one.policy}`",
            *share_of_all(one.win),
            *(text.replace("-", MINUS) for text in estimate_text(one.score)),
            estimate_text(one.place)[0],
            *(("", "") if one.strength is None else estimate_text(one.strength)),
            f"{one.ahead_of}-{one.behind}",
        )
        for one in found.standings
    )
    score = "score (low wins)" if found.lower_wins else "score"
    columns = ("policy", "wins", "interval", score, "interval", "place", "strength", "interval", "record")
    caption = "Against the field; the record: how many others it finishes ahead of, and behind, beyond doubt"
    order = [one.policy for one in found.standings]
    pairs = []
    for i, first in enumerate(order):
        for second in order[i + 1 :]:
            share, verdict = ahead_of(found, first, second)
            pairs.append((f"`{first}`", f"`{second}`", *share_of_all(share), verdict))
    shown = _MOST_PAIRS if len(pairs) > _MOST_PAIRS else None
    return [
        Table(columns, rows, "lrrrrrrrr", caption),
        Table(
            ("policy", "of", "finishes ahead", "interval", "verdict"),
            tuple(pairs),
            "llrrl",
            "Who finishes ahead of whom; equal places count half, intervals hold together",
            shown,
            REST,
        ),
        *_fit(found),
    ]


def _fit(found: Tournament) -> list[Block]:
    texts = [f"{' ahead of '.join(f'`{name}`' for name in (*one, one[0]))}" for one in found.circles]
    blocks: list[Block] = []
    if texts:
        more = f"; and {len(texts) - 3} more" if len(texts) > 3 else ""
        blocks.append(Paragraph(f"No order describes them all, they go round: {'; '.join(texts[:3])}{more}."))
    worst = found.worst
    if worst is not None and worst.residual is not None and worst.expected is not None:
        gap, interval = gain_text(worst.residual)
        words = (
            f"{len(found.misfits)} of {len(found.pairs)} pairs differ from what the strengths say"
            if found.misfits
            else "no pair differs from what the strengths say beyond doubt"
        )
        blocks.append(
            Paragraph(
                f"Fit of the strengths: {words}; the largest gap is that of `{worst.first}` and "
                f"`{worst.second}`: {gap} percentage points ({interval})."
            )
        )
    return blocks


def _gauntlet(found: Tournament) -> list[Block]:
    rows = tuple(
        (
            f"`{bout.policy}`",
            *share_of_all(bout.win),
            *(t.replace("-", MINUS) for t in estimate_text(bout.score)),
        )
        for bout in found.bouts
    )
    caption = f"`{found.hero}` alone among copies of each; intervals hold together"
    return [Table(("among", "wins", "interval", "score gain", "interval"), rows, "lrrrr", caption)]


def _metagame(found: Metagame) -> list[Block]:
    rows = tuple(
        (
            f"`{one.policy}`",
            *share_of_all(one.field),
            whole_percent(one.present),
            whole_percent(one.survives),
            whole_percent(one.alpha.estimate),
            f"{whole_percent(one.alpha.low or 0.0)} to {whole_percent(one.alpha.high or 0.0)}",
        )
        for one in found.survival
    )
    columns = ("policy", "wins", "interval", "left from", "survives", "alpha-rank", "interval")
    caption = (
        "Wins against opponents drawn evenly; left from: share of the starting populations; survives: share "
        "of the resamples of the deals; alpha-rank: share of the time"
    )
    order = {"invades": 0, "undecided": 1, "even": 2, "kept out": 3}
    ranked = sorted(found.invasions, key=lambda one: (order[one.verdict], -one.gain.estimate))
    pairs = tuple(
        (
            f"`{one.newcomer}`",
            f"`{one.resident}`",
            *gain_text(one.gain),
            one.verdict
            if one.verdict != "undecided" or one.more is None
            else f"undecided ({count(round_up(one.more))} more deals)",
        )
        for one in ranked
    )
    ends = []
    for end in found.attractors[:_MOST_ENDS]:
        parts = sorted(((end.shares[k], found.policies[k]) for k in end.present), reverse=True)
        mixture = ", ".join(f"`{name}` {whole_percent(share)}" for share, name in parts)
        ends.append((whole_percent(end.basin), mixture, "at rest" if end.settled else "still moving"))
    return [
        Table(columns, rows, "lrrrrrr", caption),
        Table(
            ("newcomer", "among", "gain", "interval", "verdict"),
            pairs,
            "llrrl",
            "What a single newcomer wins beyond its fair share, in points; intervals hold together",
            _MOST_PAIRS if len(pairs) > _MOST_PAIRS else None,
            REST,
        ),
        Table(("of the starts", "come to", "there"), tuple(ends), "rll", "What large populations come to"),
    ]


def _restricted(found: RestrictedPlay) -> list[Block]:
    blocks: list[Block] = []
    for policy in dict.fromkeys(one.policy for one in found.worths):
        rows = tuple(
            (
                one.forbidden,
                f"{100 * one.restricted:.2f} %",
                *gain_text(one.worth),
                _verdict(one, found.margin),
                changed_text(one.changed),
            )
            for one in found.worths
            if one.policy == policy
        )
        columns = ("without", "wins", "worth", "interval", "verdict", "games changed")
        caption = f"All play `{policy}`, one of them without; worth in percentage points of the games won"
        blocks.append(Table(columns, rows, "lrrrlr", caption))
    return blocks


def _verdict(one: Worth, margin: float) -> str:
    text = with_unit(f"{100 * margin:.10g}", "percentage points")
    word = one.verdict.word
    if word != "undecided":
        return f"{word} ({'beyond' if word == 'matters' else 'within'} {text})"
    more = "" if one.verdict.more is None else f"; {count(round_up(one.verdict.more))} more deals"
    return f"undecided (margin {text}{more})"


def _skill(found: Skill) -> list[Block]:
    (table,) = found.tables
    crossed = "all" if table.line_ups == table.all_line_ups else f"{table.line_ups} of {table.all_line_ups:,}"
    parts = tuple(
        (_PART_WORDS[name], *share_of_all(table.shares[name]), PARTS[name].rpartition(": ")[2])
        for name in _PART_WORDS
    )
    duels = []
    for duel in table.duels:
        told = duel.to_tell
        bounds = f"{told_text(told.low)} to {told_text(told.high)}" if told.low != told.high else ""
        duels.append(
            (
                f"`{duel.better}`",
                f"`{duel.worse}`",
                *gain_text(duel.lead),
                told_text(told.deals).replace("no number of", "no end"),
                bounds.replace("no number of", "no end"),
                "yes" if duel.clear else "no",
            )
        )
    columns = ("better", "worse", "lead", "interval", "games to tell", "interval", "step")
    seats = listed([f"{100 * share:.1f} %" for share in table.seats])
    steps = " > ".join(f"`{name}`" for name in table.ladder)
    return [
        Table(
            ("part", "share", "interval", "what it is"),
            parts,
            "lrrl",
            f"The variance of who wins ({crossed} line-ups crossed)",
        ),
        Table(
            columns,
            tuple(duels),
            "llrrrrl",
            "Each two policies: the lead in points of the games won (intervals hold together), and "
            "games until the better one is ahead with a probability of 95 %",
        ),
        Paragraph(
            f"Ladder of {len(table.ladder)}: {steps}. Seats 0 to {table.players - 1} win {seats}."
            if len(table.ladder) > 1
            else f"No ladder: no policy leads by more than the margin. Seats 0 to {table.players - 1} win "
            f"{seats}."
        ),
    ]


def method(study: StrategyStudy, tables: Sequence[Any]) -> list[str]:
    """Return how the numbers came about, a text for each point."""
    design = study.design
    games = sum(found.games for found in tables)
    level = percent(design.level)
    margin = "" if design.margin is None else with_unit(f"{100 * design.margin:.10g}", "percentage points")
    texts = [
        "The unit is the deal: it fixes every chance event of a game (cards, reshuffles), whatever the "
        f"players choose. {_deals(tables)} deals of seed {design.seed} at each table; "
        f"{count(games)} games at {with_unit(count(len(tables)), 'tables')} in all.",
        "What the seatings of one deal bring a policy is added up before anything is compared, so they are "
        f"not counted as independent games. Intervals are {level} intervals, normal over deals unless said "
        "otherwise. A shared first place counts in parts.",
    ]
    return texts + _method_of(study, margin)


def _deals(tables: Sequence[Any]) -> str:
    numbers = sorted({found.deals for found in tables})
    return count(numbers[0]) if len(numbers) == 1 else f"{count(numbers[0])} to {count(numbers[-1])}"


def _method_of(study: StrategyStudy, margin: str) -> list[str]:
    design = study.design
    if design.kind == "tournament":
        who = (
            "The hero plays alone among copies of each other policy, at each seat in turn."
            if design.hero is not None
            else "All line-ups are played, and weighted as if each seat but a policy's own were filled by a "
            "fair draw from all policies, the same one included."
        )
        return [
            f"{who} Up to four players a line-up is seated in all ways; beyond, in rotations of orders that "
            "balance the neighbours.",
            "Win shares have intervals of their own; those of all pairs (in a gauntlet, of all bouts) hold "
            "together. *ahead* and *behind*: that interval does not hold one half.",
            "Strengths are those of Plackett and Luce, 1 for the geometric mean: of two policies, the first "
            "finishes ahead with odds of one strength to the other. Their errors come from blocks of deals.",
        ]
    if design.kind == "metagame":
        return [
            "All mixtures of the policies are played in all rotations; the order around the table changes "
            "from one part of the deals to the next.",
            f"A newcomer *invades* if it wins more than its fair share by {margin} or more, is *kept out* "
            "if it wins less by as much, and is *even* within the margin; verdicts are corrected after "
            "Holm, and the intervals hold together.",
            "In a large population a policy's share grows with what it wins there (replicator dynamics), "
            "from many starting points. A policy survives if it is left in the end in 95 % of 200 "
            "resamples of the deals, and is gone if it is in 5 % or fewer. In a small population a single "
            "newcomer takes over or disappears (alpha-rank).",
        ]
    if design.kind == "restricted":
        return [
            "One player does without the part, all others play the same policy in full; it sits in each seat "
            "once on each deal. If it did not do without, it would win its fair share exactly; what it wins "
            "less is what the part is worth. A part that is worth less than nothing is one that the policy "
            "uses to its own harm.",
            f"*matters*: beyond {margin}; *no matter*: within, by two one-sided tests; *undecided*: neither. "
            "Verdicts are corrected after Holm over a table; intervals hold together for each policy of one.",
        ]
    return [
        "Line-ups of the policies are crossed with deals (one in ten of them), each played twice with the "
        "choices made by chance drawn anew; the variance of who wins is taken apart by the method of "
        "moments. Skill is what differs between line-ups of these policies: weak ones among them make for "
        "more of it.",
        "A duel is one player among players of the other policy, and the other way round; the lead is the "
        "mean of what the one wins beyond its fair share and what the other falls short of it. Intervals of "
        "all duels of a table hold together.",
        f"A step of the ladder is a lead that is larger than {margin} for certain; the ladder is the longest "
        "chain of policies each of which leads all those below by a step.",
    ]
