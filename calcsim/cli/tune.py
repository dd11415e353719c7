"""``calcsim tune``: weights found by playing, and what they are worth on fresh deals."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from calcsim.cli.ask import LevelOption
from calcsim.cli.common import (
    DEFAULT_PLAYERS,
    DEFAULT_POLICY,
    DEFAULT_RULES,
    DEFAULT_SEED,
    DEFAULT_THREADS,
    JsonOption,
    PlayersOption,
    RulesOption,
    SeedOption,
    SetOption,
    ThreadsOption,
    parse_whole,
    say,
    write_json,
    write_text,
)
from calcsim.cli.compiling import announce
from calcsim.cli.progress import LINE_SECONDS
from calcsim.cli.tables import format_table
from calcsim.errors import UsageError, nearest
from calcsim.rules import load_rules
from calcsim.stats.intervals import LEVEL, Estimate, parse_level
from calcsim.stats.text import estimate_text, percent

if TYPE_CHECKING:
    from calcsim.experiments.evolution import Generation
    from calcsim.experiments.league import Measure
    from calcsim.experiments.tune import Check, Outcome, Tuning

DEFAULT_START: Final = "sensible"
OBJECTIVE_NAMES: Final = ("win", "score")

STATE_SUFFIX: Final = ".state.json"


def tune(
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Where the weights go: a TOML file for --policy.")
    ],
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    players: PlayersOption = DEFAULT_PLAYERS,
    league: Annotated[
        str,
        typer.Option(
            "--league",
            metavar="NAME,...",
            help="Rivals: each candidate sits, in each seat, among copies of each of them.",
        ),
    ] = DEFAULT_POLICY,
    start: Annotated[
        str, typer.Option("--start", metavar="NAME", help="Player whose weights are begun with.")
    ] = DEFAULT_START,
    objective: Annotated[
        str,
        typer.Option("--objective", metavar="WHAT", help="win (share of games won) or score (points)."),
    ] = "win",
    generations: Annotated[
        str, typer.Option("--generations", metavar="N", help="Rounds of candidates.")
    ] = "60",
    population: Annotated[
        str, typer.Option("--population", metavar="N", help="Candidates in each round.")
    ] = "12",
    deals: Annotated[
        str,
        typer.Option(
            "--deals",
            metavar="N",
            help="Deals for each candidate and rival at first; up to 8 times as many as they draw together.",
        ),
    ] = "200",
    sigma: Annotated[
        float,
        typer.Option(
            "--sigma",
            metavar="X",
            help="How far the first candidates lie from the start's largest weight of 1.",
        ),
    ] = 0.3,
    recruit: Annotated[
        str,
        typer.Option(
            "--recruit",
            metavar="N",
            help="After each N rounds, what has been found joins the league (the last two stay); 0: never.",
        ),
    ] = "0",
    check: Annotated[
        str, typer.Option("--check", metavar="N", help="Deals that the outcome is checked on, all new.")
    ] = "20k",
    level: LevelOption = str(LEVEL),
    seed: SeedOption = DEFAULT_SEED,
    threads: ThreadsOption = DEFAULT_THREADS,
    as_json: JsonOption = False,
) -> None:
    """Find the weights of a player by playing (CMA-ES), and check them on deals that no tuning plays.

    Example: calcsim tune --rules advanced --players 4 --league greedy,sensible --out mine.toml

    Then play it: calcsim run --policy mine.toml. All candidates of a round play the same deals, the next
    round plays new ones. A tuning that was stopped goes on where it was by the same command; with more
    --generations one that was finished goes on, too.
    """
    if objective not in OBJECTIVE_NAMES:
        raise UsageError(
            f"--objective {objective!r}: must be win or score{nearest(objective, OBJECTIVE_NAMES)}"
        )
    if out.suffix != ".toml":
        raise UsageError(f"--out {str(out)!r}: must end in .toml, as --policy takes it")
    if not 0.001 <= sigma <= 10:
        raise UsageError(f"--sigma {sigma:g}: must be a number from 0.001 to 10")
    rivals = tuple(dict.fromkeys(name.strip() for name in league.split(",")))
    rule_set = load_rules(rules, changes or ())
    rule_set.validate_players(players)
    first_deals = parse_whole(deals, "--deals", 1, 10**6)
    confidence = parse_level(level)
    numbers = {
        "generations": parse_whole(generations, "--generations", 1, 100_000),
        "population": parse_whole(population, "--population", 4, 1000),
        "recruit": parse_whole(recruit, "--recruit", 0, 100_000),
    }
    check_deals = parse_whole(check, "--check", 100, 10**9)
    announce([*rivals, start])
    from calcsim.experiments.evolution import MORE_DEALS, Search
    from calcsim.experiments.league import Measure
    from calcsim.experiments.tune import Tuning, write_weights
    from calcsim.experiments.tune import tune as run

    search = Search(deals=first_deals, most_deals=MORE_DEALS * first_deals, sigma=sigma, seed=seed, **numbers)
    measure = Measure("win" if objective == "win" else "score", rule_set, players)
    tuning = Tuning(measure, rivals, start, search, check_deals, confidence)
    progress = _Progress(search.generations, measure, len(rivals))
    outcome = run(tuning, out.with_suffix(STATE_SUFFIX), threads=threads, report=progress)
    write_weights(out, tuning, outcome)
    if as_json:
        write_json(_record(tuning, outcome, out))
    else:
        _show(tuning, outcome, out)


class _Progress:
    """Says on stderr, now and then, how far a tuning has come."""

    def __init__(self, generations: int, measure: Measure, rivals: int) -> None:
        self._generations = generations
        self._measure = measure
        self._rivals = rivals
        self._best: float | None = None
        self._begin = self._last = time.monotonic()
        self._before: int | None = None

    def __call__(self, generation: Generation) -> None:
        """Take note of a generation."""
        # The middle was not chosen by the deals it played: only the best of all rounds is a little lucky.
        value = sum(generation.against[: self._rivals]) / self._rivals
        self._best = value if self._best is None else max(self._best, value)
        now = time.monotonic()
        if self._before is None:
            self._before = generation.number - 1
        if now - self._last >= LINE_SECONDS or generation.number == self._generations:
            self._last = now
            say(self.line(generation, value, now))

    def line(self, generation: Generation, value: float, now: float) -> str:
        """Return how things stand in one line."""
        done = generation.number - (self._before or 0)
        left = (now - self._begin) / done * (self._generations - generation.number)
        text = _number(value, self._measure)
        best = _number(self._best or 0.0, self._measure)
        fair = "" if self._measure.fair is None else f" (fair share {percent(round(self._measure.fair, 3))})"
        return (
            f"round {generation.number} of {self._generations}: {text} against the league{fair}, best so far "
            f"{best}; {generation.deals} deals each, sigma {generation.sigma:.2f}, about {left:.0f} s left"
        )


def _number(value: float, measure: Measure) -> str:
    return f"{100 * value:.1f} %" if measure.objective == "win" else f"{value:.2f}"


def _texts(estimate: Estimate, tuning: Tuning) -> tuple[str, str]:
    """Return an estimate and its interval: shares in percent."""
    if tuning.measure.objective == "score":
        return estimate_text(estimate)
    from calcsim.experiments.tune import scaled

    return estimate_text(scaled(estimate, 100))


def _show(tuning: Tuning, outcome: Outcome, out: Path) -> None:
    measure = tuning.measure
    unit = " %" if measure.objective == "win" else ""
    what = "wins" if measure.objective == "win" else "points"
    header = ("among copies of", f"{what}{unit}", "interval", f"start{unit}", "gain", "interval of the gain")
    rows = []
    for check in outcome.checks:
        value, before, gain = (_texts(e, tuning) for e in (check.value, check.before, check.gain))
        rows.append((check.rival, *value, before[0], *gain))
    write_text(format_table(header, rows, "lrrrrr"))
    write_text("")
    write_text(
        f"{measure.rules.label} ({measure.rules.fingerprint}), {measure.players} players: "
        f"{len(outcome.generations)} rounds, {outcome.games:,} games, seed {tuning.search.seed}; checked on "
        f"{tuning.check_deals:,} deals that no tuning plays, intervals at {percent(tuning.level)}"
    )
    if measure.fair is not None:
        write_text(f"equal players win {100 * measure.fair:.3g} % each")
    write_text(
        f"the best candidate seen got {_number(outcome.promised, measure)} on the deals that it was chosen "
        "by: luck that is not in the table"
    )
    write_text(f"weights: {out}; play them: calcsim run --policy {out}")


def _record(tuning: Tuning, outcome: Outcome, out: Path) -> dict[str, Any]:
    measure = tuning.measure

    def against(check: Check) -> dict[str, Any]:
        return {
            "rival": check.rival,
            "value": check.value._asdict(),
            "before": check.before._asdict(),
            "gain": check.gain._asdict(),
        }

    return {
        "file": str(out),
        "weights": outcome.weights,
        "rules": measure.rules.label,
        "fingerprint": measure.rules.fingerprint,
        "players": measure.players,
        "objective": measure.objective,
        "fair": measure.fair,
        "league": list(tuning.league),
        "start": tuning.start,
        "seed": tuning.search.seed,
        "games": outcome.games,
        "generations": [generation.as_dict() for generation in outcome.generations],
        "promised": outcome.promised,
        "check_deals": tuning.check_deals,
        "level": tuning.level,
        "held_out": [against(check) for check in outcome.checks],
    }
