"""``calcsim duel``: is one policy better than another, on as few deals as that takes."""

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
    write_csv,
    write_json,
    write_text,
)
from calcsim.cli.compiling import announce
from calcsim.cli.progress import Progress
from calcsim.cli.tables import format_table
from calcsim.errors import UsageError
from calcsim.stats.intervals import LEVEL, Estimate, parse_level
from calcsim.stats.points import MINUS, gain_text, share_of_all, signed
from calcsim.stats.text import estimate_text, percent

if TYPE_CHECKING:
    from calcsim.experiments.duel import Duel, Fresh

DEFAULT_BOUNDS: Final = "0,0.01"
DEFAULT_MOST: Final = "100k"


def duel(
    first: Annotated[str, typer.Argument(metavar="A", help="A policy.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    players: PlayersOption = DEFAULT_PLAYERS,
    bounds: Annotated[
        str,
        typer.Option(
            "--bounds",
            metavar="LOW,HIGH",
            help="The two advantages of A that are told apart, as shares of the games.",
        ),
    ] = DEFAULT_BOUNDS,
    alpha: Annotated[
        str, typer.Option("--alpha", metavar="P", help="Risk of deciding for HIGH where LOW is true.")
    ] = "0.05",
    beta: Annotated[
        str, typer.Option("--beta", metavar="P", help="Risk of deciding for LOW where HIGH is true.")
    ] = "0.05",
    most: Annotated[
        str, typer.Option("--max-deals", metavar="N", help="Deals after which the test gives up.")
    ] = DEFAULT_MOST,
    fresh: Annotated[
        str | None,
        typer.Option(
            "--fresh-deals",
            metavar="N",
            help="Deals of the estimate afterwards, 0 for none.  "
            "[default: as many as the test took, 1,000 at least]",
        ),
    ] = None,
    level: LevelOption = str(LEVEL),
    seed: SeedOption = DEFAULT_SEED,
    threads: ThreadsOption = DEFAULT_THREADS,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """Test whether A is better than B, stop when that is clear, and estimate by how much on fresh deals.

    Example: calcsim duel greedy random --players 2

    A's advantage is half the difference between what A wins alone among copies of B and what B wins alone
    among copies of A, at each seat in turn: 0 for equals. The test (GSPRT) decides between the two bounds, or
    says "undecided". What a stopped test saw is biased: the estimate comes from deals it has not seen.
    """
    style = output_format(as_json, as_csv)
    from calcsim.experiments import duel as play
    from calcsim.rules import load_rules
    from calcsim.stats.sprt import Bounds

    told = Bounds(*parse_bounds(bounds), _risk(alpha, "--alpha"), _risk(beta, "--beta"))
    n_most = parse_whole(most, "--max-deals", play.LOOK, 10**9)
    n_fresh = None if fresh is None else parse_fresh(fresh)
    confidence = parse_level(level)
    table = load_rules(rules, changes or ())
    table.validate_players(players)
    play.check_pair(first, second)
    announce((first, second))
    per_deal = play.games_per_deal(players)
    with Progress((n_most + (n_most if n_fresh is None else n_fresh)) * per_deal, "at most") as progress:
        found = play.duel(
            first,
            second,
            table,
            players=players,
            bounds=told,
            most=n_most,
            fresh=n_fresh,
            level=confidence,
            seed=seed,
            threads=threads,
            progress=progress,
        )
    if style == "json":
        write_json(_object(found))
    elif style == "csv":
        write_csv(_records(found))
    else:
        _show(found)


def parse_bounds(text: str) -> tuple[float, float]:
    """Return two advantages written as ``0,0.01``.

    Raises
    ------
    UsageError
        If they are not two numbers from -1 to 1.

    Examples
    --------
    >>> parse_bounds("-0.01, 1%")
    (-0.01, 0.01)
    """
    parts = [part.strip() for part in text.split(",")]
    try:
        low, high = (float(part.removesuffix("%")) / (100 if part.endswith("%") else 1) for part in parts)
        if -1 <= low <= 1 and -1 <= high <= 1:
            return low, high
    except ValueError:
        pass
    raise UsageError(f"--bounds {text!r}: must be two shares of the games, as 0,0.01 or 0%,1%")


def parse_fresh(text: str) -> int:
    """Return a number of fresh deals: 0, or enough to say something.

    Raises
    ------
    UsageError
        If it is neither.
    """
    n = parse_whole(text, "--fresh-deals", 0, 10**9)
    if 0 < n < 100:
        raise UsageError(f"--fresh-deals {text!r}: give 100 or more, or 0 for none")
    return n


def _risk(text: str, option: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 0.5:
        raise UsageError(f"{option} {text!r}: must lie between 0 and 0.5, as 0.05")
    return value


def _numbers(fresh: Fresh) -> dict[str, Estimate]:
    return {
        "advantage": fresh.advantage,
        "win.first_alone": fresh.alone[0],
        "win.second_alone": fresh.alone[1],
        "score": fresh.score,
        "ahead": fresh.ahead,
    }


def _object(found: Duel) -> dict[str, Any]:
    from calcsim.version import ENGINE_VERSION, RULES_VERSION, __version__

    bounds, fresh = found.bounds, found.fresh
    return {
        "rules": found.rules.label,
        "fingerprint": found.rules.fingerprint,
        "players": found.players,
        "policies": list(found.policies),
        "seed": found.seed,
        "level": found.level,
        "versions": {"calcsim": __version__, "rules": RULES_VERSION, "engine": ENGINE_VERSION},
        "test": {
            "bounds": [bounds.low, bounds.high],
            "alpha": bounds.alpha,
            "beta": bounds.beta,
            "decision": found.decision,
            "ratio": found.ratio,
            "stops_at": [bounds.reject, bounds.accept],
            "deals": found.deals,
            "games": found.games,
            "max_deals": found.most,
            "biased_mean": found.mean,
            "more_deals": found.more,
            "usual_deals": list(found.usual),
        },
        "fresh": None
        if fresh is None
        else {
            "first_deal": found.most,
            "deals": fresh.deals,
            "games": fresh.games,
            **_numbers(fresh),
            "deals_to_tell": fresh.to_tell,
        },
    }


def _records(found: Duel) -> Iterator[dict[str, Any]]:
    shared = {
        "first": found.policies[0],
        "second": found.policies[1],
        "decision": found.decision,
        "test_deals": found.deals,
        "low_bound": found.bounds.low,
        "high_bound": found.bounds.high,
    }
    numbers: dict[str, Estimate] = {} if found.fresh is None else _numbers(found.fresh)
    for name, estimate in (numbers or {"": Estimate(0.0, None, None, None)}).items():
        yield shared | {
            "number": name,
            "estimate": estimate.estimate if name else None,
            "error": estimate.error,
            "low": estimate.low,
            "high": estimate.high,
            "level": found.level,
            "deals": 0 if found.fresh is None else found.fresh.deals,
            "rules": found.rules.label,
            "fingerprint": found.rules.fingerprint,
            "players": found.players,
            "seed": found.seed,
        }


def _points(share: float) -> str:
    return f"{signed(100 * share, 2)} pp"


def _show(found: Duel) -> None:
    first, second = found.policies
    bounds = found.bounds
    write_text(
        f"{found.rules.label} ({found.rules.fingerprint}), {found.players} players: {first} against {second}"
        f", seed {found.seed}"
    )
    write_text(
        f"test: is {first}'s advantage {_points(bounds.low)} (or less), or {_points(bounds.high)} (or more)? "
        f"risks {percent(bounds.alpha)} and {percent(bounds.beta)}"
    )
    played = f"after {found.deals:,} deals, {found.games:,} games"
    ends = f"ratio {found.ratio:+.2f}, stops at {bounds.reject:+.2f} and {bounds.accept:+.2f}"
    if found.decision == "undecided":
        write_text(f"undecided {played} ({ends}): --max-deals {found.most:,} is reached")
        if found.more is not None:
            from calcsim.report.prose import count, round_up

            write_text(
                f"about {count(round_up(found.more))} more deals would decide, if it goes on like this"
            )
    else:
        near, far = (bounds.high, bounds.low) if found.decision == "high" else (bounds.low, bounds.high)
        write_text(f"decided {played}: closer to {_points(near)} than to {_points(far)} ({ends})")
    if found.fresh is not None:
        _show_fresh(found, found.fresh)


def _show_fresh(found: Duel, fresh: Fresh) -> None:
    first, second = found.policies
    write_text(
        f"\nfresh deals {found.most:,} to {found.most + fresh.deals - 1:,}, {fresh.games:,} games; "
        f"intervals at {percent(found.level)}"
    )
    gain, interval = gain_text(fresh.advantage)
    rows = [(f"advantage of {first}", f"{gain} pp", interval)]
    if found.players > 2:
        rows.append((f"{first} alone wins", *share_of_all(fresh.alone[0])))
        rows.append((f"{second} alone wins", *share_of_all(fresh.alone[1])))
    else:
        rows.append((f"{first} wins", *share_of_all(fresh.alone[0])))
    rows.append((f"{first} finishes ahead", *share_of_all(fresh.ahead)))
    low = " (low wins)" if found.rules.scoring == "rank-points" else ""
    gain, interval = (text.replace("-", MINUS) for text in estimate_text(fresh.score))
    rows.append((f"score of {first}, less {second}'s{low}", gain, interval))
    write_text(format_table(("", "", "interval"), rows, "lrr"))
    if fresh.to_tell.high < float("inf"):
        write_text(
            f"deals until the better one is ahead with 95 %: {fresh.to_tell.deals:,.0f} "
            f"({fresh.to_tell.low:,.0f} to {fresh.to_tell.high:,.0f})"
        )
    else:
        write_text("these deals do not tell which one is better")
