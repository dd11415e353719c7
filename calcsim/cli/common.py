"""What the commands share: options, line-ups, and the ways out (JSON, CSV, notes on stderr)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, Final, Literal

import typer

from calcsim.defaults import DEFAULT_GAMES as DEFAULT_GAMES
from calcsim.defaults import DEFAULT_PLAYERS as DEFAULT_PLAYERS
from calcsim.defaults import DEFAULT_POLICY as DEFAULT_POLICY
from calcsim.defaults import DEFAULT_RULES as DEFAULT_RULES
from calcsim.defaults import DEFAULT_SEED as DEFAULT_SEED
from calcsim.errors import UsageError
from calcsim.policies import check_name
from calcsim.policies import line_up as seat_policies
from calcsim.rules import RuleSet

DEFAULT_THREADS: Final = 0

MOST_GAMES: Final = 10**12
MOST_THREADS: Final = 1024
LARGEST_SEED: Final = 2**63 - 1

_MULTIPLES: Final = {"k": 1_000, "M": 1_000_000, "G": 1_000_000_000}


def parse_whole(text: str, name: str, low: int, high: int) -> int:
    """Return the whole number written as `text`: ``250000``, ``250_000``, ``250k``, ``2.5e5`` or ``0.25M``.

    Parameters
    ----------
    text
        What was given.
    name
        The option it was given to, for the message.
    low, high
        Least and greatest value allowed.

    Raises
    ------
    UsageError
        If it is no whole number, or not from `low` to `high`.

    Examples
    --------
    >>> parse_whole("2.5M", "--games", 1, 10**9)
    2500000
    """
    digits = text.strip()
    multiple = _MULTIPLES.get(digits[-1:], 1)
    if multiple > 1:
        digits = digits[:-1]
    try:
        # Compared as a decimal first: 1e999999999 is quickly read, but not quickly made an int.
        value = Decimal(digits) * multiple
        if low <= value <= high and value == int(value):
            return int(value)
    except ArithmeticError:  # no number at all, or one beyond even decimals
        pass
    raise UsageError(f"{name} {text!r}: must be a whole number from {low:,} to {high:,}")


def _whole_parser(name: str, low: int, high: int) -> Callable[[str], int]:
    def parse(text: str | int) -> int:
        return parse_whole(str(text), name, low, high)

    return parse


def _parse_player_count(text: str | int) -> int:
    # A number that is too high or too low is for the rules to refuse: they know why.
    try:
        return parse_whole(str(text), "--players", -999, 999)
    except UsageError:
        raise UsageError(f"--players {str(text)!r}: must be a whole number from 2 to 6") from None


def parse_players(text: str) -> list[int]:
    """Return the numbers of players in a list like ``2,3,4`` or ``2-6``, without repetitions.

    Whether rules can seat them is left to `RuleSet.validate_players`.

    Raises
    ------
    UsageError
        If a part is neither a number nor a range.

    Examples
    --------
    >>> parse_players("2-4,6")
    [2, 3, 4, 6]
    """
    players: list[int] = []
    for part in text.split(","):
        first, dash, last = (word.strip() for word in part.partition("-"))
        ends = [first, last] if dash else [first]
        # Three digits at most: enough to name a number that is too high, too few for an endless range.
        if not all(end.isdecimal() and len(end) <= 3 for end in ends) or int(ends[0]) > int(ends[-1]):
            raise UsageError(f"--players {text!r}: must be a number, a list like 2,3,4 or a range like 2-6")
        players += range(int(ends[0]), int(ends[-1]) + 1)
    return list(dict.fromkeys(players))


RulesOption = Annotated[
    str, typer.Option("--rules", metavar="PRESET|FILE", help="calc, calc-revised, advanced, or a TOML file.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="Change a field of the rules; repeatable."),
]
PlayersOption = Annotated[
    int,
    typer.Option("--players", metavar="N", parser=_parse_player_count, help="Number of players."),
]
PlayersListOption = Annotated[
    str, typer.Option("--players", metavar="N,...", help="Numbers of players: 4, or 2,3,4, or 2-6.")
]
PolicyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        metavar="NAME",
        help=f"Policy of all seats, or repeated, one for each.  [default: {DEFAULT_POLICY}]",
    ),
]
GamesOption = Annotated[
    int,
    typer.Option(
        "--games",
        metavar="N",
        parser=_whole_parser("--games", 1, MOST_GAMES),
        help="Number of games; 250k, 1M and 2e6 work, too.",
    ),
]
SeedOption = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="N",
        parser=_whole_parser("--seed", 0, LARGEST_SEED),
        help="Seed: the same seed plays the same games.",
    ),
]
ThreadsOption = Annotated[
    int,
    typer.Option(
        "--threads",
        metavar="N",
        parser=_whole_parser("--threads", 0, MOST_THREADS),
        help="Threads; 0 is one for each core. Results do not depend on it.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
CsvOption = Annotated[bool, typer.Option("--csv", help="Print CSV.")]

Format = Literal["table", "json", "csv"]


def output_format(as_json: bool, as_csv: bool) -> Format:
    """Return the one format asked for.

    Raises
    ------
    UsageError
        If both were.
    """
    if as_json and as_csv:
        raise UsageError("--json and --csv: only one of them can be printed")
    return "json" if as_json else "csv" if as_csv else "table"


def line_up(policies: Sequence[str] | None, players: int) -> tuple[str, ...]:
    """Return the policy of each seat, from one for all or one each.

    Parameters
    ----------
    policies
        As given with ``--policy``; none at all is `DEFAULT_POLICY` for everybody.
    players
        Number of seats.

    Raises
    ------
    UsageError
        If there is neither one nor one for each seat, or no such policy.

    Examples
    --------
    >>> line_up(["random"], 3)
    ('random', 'random', 'random')
    """
    given = tuple(policies or (DEFAULT_POLICY,))
    for name in given:
        check_name(name)
    return seat_policies(given, players)


def policies_label(policies: Sequence[str]) -> str:
    """Return the policies as text: one name if all are the same, else all, by seat.

    Examples
    --------
    >>> policies_label(["random", "greedy"])
    'random/greedy'
    """
    return policies[0] if len(set(policies)) == 1 else "/".join(policies)


def provenance_line(rules: RuleSet, players: int, policies: Sequence[str], games: int, seed: int) -> str:
    """Return the line that says where a result comes from.

    Returns
    -------
    line
        Such as ``advanced (a1b2c3d4e5f6), 4 players, greedy, 1,000,000 games, seed 20260101``.
    """
    return (
        f"{rules.label} ({rules.fingerprint}), {players} players, {policies_label(policies)}, "
        f"{games:,} game{'' if games == 1 else 's'}, seed {seed}"
    )


def say(text: str) -> None:
    """Print a note for the person at the keyboard, on stderr."""
    print(f"calcsim: {text}", file=sys.stderr, flush=True)


def write_text(text: str) -> None:
    """Print `text` and a newline on stdout."""
    print(text)


def write_json(value: object) -> None:
    """Print `value` on stdout as one line of JSON; numbers that are not finite become null.

    NumPy's numbers and arrays count as the numbers and lists they hold.
    """
    import json

    print(json.dumps(_as_json(value), ensure_ascii=False, allow_nan=False))


def write_csv(rows: Iterable[Mapping[str, object]]) -> None:
    """Print `rows` on stdout as CSV, with the keys of the first row as header; None is an empty cell."""
    import csv

    writer = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(sys.stdout, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)


def _as_json(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _as_json(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(entry) for entry in value]
    # Neither infinity nor NaN is JSON; x - x is 0 for every other float.
    if isinstance(value, float) and value - value != 0:
        return None
    return value
