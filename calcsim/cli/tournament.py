"""``calcsim tournament``: policies against each other, with intervals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from calcsim.cli.ask import LevelOption
from calcsim.cli.common import (
    DEFAULT_PLAYERS,
    DEFAULT_RULES,
    DEFAULT_SEED,
    DEFAULT_THREADS,
    CsvOption,
    JsonOption,
    PlayersOption,
    RulesOption,
    SeedOption,
    SetOption,
    ThreadsOption,
    output_format,
    parse_whole,
    say,
    write_csv,
    write_json,
    write_text,
)
from calcsim.cli.compiling import announce
from calcsim.cli.plots import PlotOption, check_plot, write_plot
from calcsim.cli.progress import Progress
from calcsim.cli.tables import format_table
from calcsim.errors import UsageError
from calcsim.stats.intervals import LEVEL, Estimate, parse_level
from calcsim.stats.points import gain_text, share_of_all
from calcsim.stats.text import estimate_text, percent

if TYPE_CHECKING:
    from calcsim.experiments.tournament import Pair, Standing, Tournament

DEFAULT_DEALS: Final = "2000"
DEFAULT_MOST: Final = "1M"

_MOST_NAMED: Final = 5
"""Circles and misfits named one by one; the rest is counted."""

_OTHERWISE: Final = {"ahead": "behind", "behind": "ahead", "undecided": "undecided"}


def tournament(
    policies: Annotated[
        list[str] | None,
        typer.Option("--policy", metavar="NAME", help="One of the policies; give 2 to 12, each once."),
    ] = None,
    hero: Annotated[
        str | None,
        typer.Option(
            "--gauntlet", metavar="HERO", help="Only this policy alone among copies of each of the others."
        ),
    ] = None,
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    players: PlayersOption = DEFAULT_PLAYERS,
    deals: Annotated[
        str, typer.Option("--deals", metavar="N", help="Deals that each line-up plays in all its seatings.")
    ] = DEFAULT_DEALS,
    precision: Annotated[
        str | None,
        typer.Option(
            "--precision",
            metavar="HALF",
            help="Instead, play until the games won have intervals of that half width: 0.5% or 0.005.",
        ),
    ] = None,
    most: Annotated[
        str, typer.Option("--max-deals", metavar="N", help="With --precision, the most deals.")
    ] = DEFAULT_MOST,
    plot: PlotOption = None,
    level: LevelOption = str(LEVEL),
    seed: SeedOption = DEFAULT_SEED,
    threads: ThreadsOption = DEFAULT_THREADS,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """Play all line-ups of policies on the same deals, and say who does how well and who beats whom.

    Example: calcsim tournament --policy greedy --policy random --policy greedy:forbid=growth

    The field is uniform: every seat but a policy's own is filled by a fair draw from all policies. A shared
    first place counts in parts. Strengths (Plackett-Luce) are odds of finishing ahead, whoever else plays.
    """
    style = output_format(as_json, as_csv)
    check_plot(plot)
    half = None if precision is None else parse_share(precision, "--precision")
    from calcsim.experiments import tournament as play
    from calcsim.rules import load_rules

    option, text = ("--deals", deals) if half is None else ("--max-deals", most)
    n_deals = parse_whole(text, option, play.FEWEST_DEALS, 10**9)
    confidence = parse_level(level)
    table = load_rules(rules, changes or ())
    names = play.entrants(policies or (), hero)
    per_deal = play.seated(table, players, len(names), hero is not None)
    announce(names)
    if half is None:
        say(f"{n_deals:,} deals in {per_deal:,} seatings: {n_deals * per_deal:,} games")
    with Progress(n_deals * per_deal) as progress:
        found = play.tournament(
            names,
            table,
            players=players,
            hero=hero,
            deals=n_deals,
            precision=half,
            level=confidence,
            seed=seed,
            threads=threads,
            progress=progress,
        )
    if found.stopped_by == "most":
        say(f"the precision was not reached within {found.deals:,} deals (--max-deals)")
    if plot is not None:
        from calcsim.report.style import save

        write_plot(plot, save(found.figure(), plot.suffix[1:]))
    if style == "json":
        write_json(_object(found))
    elif style == "csv":
        write_csv(_records(found))
    else:
        _show(found)


def parse_share(text: str, option: str) -> float:
    """Return a share written as ``0.005`` or ``0.5%``.

    Raises
    ------
    UsageError
        If it does not lie between 0 and 1.
    """
    plain = text.strip()
    try:
        value = float(plain.removesuffix("%")) / (100 if plain.endswith("%") else 1)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise UsageError(f"{option} {text!r}: must be a share above 0, as 0.5% or 0.005")
    return value


def _object(found: Tournament) -> dict[str, Any]:
    from calcsim.version import ENGINE_VERSION, RULES_VERSION, __version__

    return {
        "rules": found.rules.label,
        "fingerprint": found.rules.fingerprint,
        "players": found.players,
        "policies": list(found.policies),
        "hero": found.hero,
        "seed": found.seed,
        "level": found.level,
        "deals": found.deals,
        "line_ups": found.line_ups,
        "seatings": found.seatings,
        "games": found.games,
        "stopped_by": found.stopped_by,
        "lower_scores_win": found.lower_wins,
        "versions": {"calcsim": __version__, "rules": RULES_VERSION, "engine": ENGINE_VERSION},
        "standings": [
            {
                "policy": one.policy,
                "win": one.win,
                "score": one.score,
                "place": one.place,
                "strength": one.strength,
                "ahead_of": one.ahead_of,
                "behind": one.behind,
            }
            for one in found.standings
        ],
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "ahead": pair.share,
                "verdict": pair.verdict,
                "expected": pair.expected,
                "residual": pair.residual,
            }
            for pair in found.pairs
        ],
        "bouts": [{"policy": bout.policy, "win": bout.win, "score": bout.score} for bout in found.bouts],
        "circles": [list(circle) for circle in found.circles],
        "misfits": [[pair.first, pair.second] for pair in found.misfits],
    }


def _records(found: Tournament) -> Iterator[dict[str, Any]]:
    """Yield a row for each number, with where it comes from."""
    numbers: list[tuple[str, str, str, Estimate | None, str]] = []
    for one in found.standings:
        for name in ("win", "score", "place", "strength"):
            numbers.append((name, one.policy, "", getattr(one, name), "own"))
    for pair in found.pairs:
        numbers.append(("ahead", pair.first, pair.second, pair.share, "simultaneous"))
        numbers.append(("residual", pair.first, pair.second, pair.residual, "simultaneous"))
    for bout in found.bouts:
        numbers.append(("bout.win", found.policies[0], bout.policy, bout.win, "simultaneous"))
        numbers.append(("bout.score", found.policies[0], bout.policy, bout.score, "simultaneous"))
    for name, policy, against, estimate, kind in numbers:
        value = estimate or Estimate(float("nan"), None, None, None)
        yield {
            "number": name,
            "policy": policy,
            "against": against,
            "estimate": None if estimate is None else value.estimate,
            "error": value.error,
            "low": value.low,
            "high": value.high,
            "interval": kind,
            "level": found.level,
            "rules": found.rules.label,
            "fingerprint": found.rules.fingerprint,
            "players": found.players,
            "deals": found.deals,
            "games": found.games,
            "seed": found.seed,
        }


def _show(found: Tournament) -> None:
    table = f"{found.rules.label} ({found.rules.fingerprint}), {found.players} players"
    write_text(
        f"{table}; {found.deals:,} deals, each in {found.seatings:,} seatings of {found.line_ups:,} line-ups"
        f": {found.games:,} games, seed {found.seed}"
    )
    if found.hero is None:
        write_text("other seats: filled by a fair draw from all policies, the same one included")
    else:
        write_text(f"gauntlet: {found.hero} alone among copies of each other policy, at each seat in turn")
    write_text(f"fair share of the games: {100 / found.players:.4g} %; intervals at {percent(found.level)}")
    if found.bouts:
        _show_bouts(found)
    else:
        _show_standings(found)
        _show_pairs(found)
    _show_strengths(found)


def _score(found: Tournament) -> str:
    return "score (low wins)" if found.lower_wins else "score"


def _show_standings(found: Tournament) -> None:
    rows = [
        (
            one.policy,
            *share_of_all(one.win),
            *estimate_text(one.score),
            estimate_text(one.place)[0],
            f"{one.ahead_of}-{one.behind}",
        )
        for one in found.standings
    ]
    header = ("policy", "won", "interval", _score(found), "interval", "place", "record")
    write_text("\n" + format_table(header, rows, "lrrrrrr"))
    write_text("record: how many others it finishes ahead of, and behind, beyond doubt")


def _show_pairs(found: Tournament) -> None:
    """Print who finishes ahead of whom, the better one of each pair first."""
    order = {one.policy: rank for rank, one in enumerate(found.standings)}
    rows = []
    for pair in sorted(found.pairs, key=lambda pair: sorted((order[pair.first], order[pair.second]))):
        first, second, share, verdict = pair.first, pair.second, pair.share, pair.verdict
        if order[first] > order[second]:
            first, second, share = second, first, _turned(share)
            verdict = _OTHERWISE[verdict]
        rows.append((first, second, *share_of_all(share), verdict))
    write_text("\nwho finishes ahead (equal places count half); intervals hold together")
    write_text(format_table(("policy", "of", "ahead", "interval", "verdict"), rows, "llrrl"))
    _show_circles(found)


def _turned(share: Estimate) -> Estimate:
    low, high = (None if bound is None else 1 - bound for bound in (share.high, share.low))
    return Estimate(1 - share.estimate, share.error, low, high)


def _show_circles(found: Tournament) -> None:
    if not found.circles:
        return
    for circle in found.circles[:_MOST_NAMED]:
        write_text("goes round: " + " ahead of ".join((*circle, circle[0])))
    if len(found.circles) > _MOST_NAMED:
        write_text(f"and {len(found.circles) - _MOST_NAMED} more circles of three")
    write_text("no order describes such policies: look at the pairs")


def _show_bouts(found: Tournament) -> None:
    ahead = {pair.second if pair.first == found.hero else pair.first: pair for pair in found.pairs}
    rows = []
    for bout in found.bouts:
        low, high = bout.win.low, bout.win.high
        fair = 1 / found.players
        word = "undecided"
        if low is not None and high is not None:
            word = "more" if low > fair else "less" if high < fair else word
        pair = ahead[bout.policy]
        seen = pair.share if pair.first == found.hero else _turned(pair.share)
        rows.append(
            (
                bout.policy,
                *share_of_all(bout.win),
                word,
                estimate_text(bout.score)[0].replace("-", "−"),
                share_of_all(seen)[0],
            )
        )
    header = ("among", "games won", "interval", "fair share", "score gain", "ahead")
    write_text("\nintervals hold together\n" + format_table(header, rows, "lrrlrr"))
    (own,) = [one for one in found.standings if one.policy == found.hero]
    share, interval = share_of_all(own.win)
    write_text(f"mean of all: {share} ({interval})")


def _show_strengths(found: Tournament) -> None:
    known: list[tuple[Standing, Estimate]] = [
        (one, one.strength) for one in found.standings if one.strength is not None
    ]
    if not known:
        write_text("\nno strengths: some policies never finished behind others, or never ahead of them")
        return
    known.sort(key=lambda entry: -entry[1].estimate)
    rows = [(one.policy, *estimate_text(strength)) for one, strength in known]
    write_text("\nstrengths: odds of finishing ahead are one strength to the other")
    write_text(format_table(("policy", "strength", "interval"), rows, "lrr"))
    _show_fit(found)


def _show_fit(found: Tournament) -> None:
    worst, misfits = found.worst, found.misfits
    if worst is None or worst.residual is None:
        return
    if not misfits:
        write_text(f"fit: no pair differs from its strengths beyond doubt; {_misfit_text(worst)} at most")
        return
    write_text(f"fit: {len(misfits)} of {len(found.pairs)} pairs differ from what their strengths say")
    ranked = sorted(misfits, key=lambda pair: -abs(pair.residual.estimate) if pair.residual else 0.0)
    for pair in ranked[:_MOST_NAMED]:
        write_text(f"  {_misfit_text(pair)}")


def _misfit_text(pair: Pair) -> str:
    """Return how far a pair lies from what its strengths say."""
    assert pair.residual is not None
    assert pair.expected is not None
    gain, interval = gain_text(pair.residual)
    seen = f"{pair.first} ahead of {pair.second} {100 * pair.share.estimate:.4g} %"
    return f"{seen}, expected {100 * pair.expected:.4g} %: {gain} pp ({interval})"
