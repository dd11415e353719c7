"""``calcsim study``: questions kept as files, played, reported, and played again to the same numbers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from calcsim.cli.common import (
    DEFAULT_THREADS,
    JsonOption,
    ThreadsOption,
    parse_whole,
    say,
    write_json,
    write_text,
)
from calcsim.cli.compiling import announce
from calcsim.cli.progress import Progress
from calcsim.cli.tables import format_table
from calcsim.errors import CalcsimError, UsageError, nearest

if TYPE_CHECKING:
    from calcsim.experiments.forecast import Forecast
    from calcsim.experiments.plan import Study
    from calcsim.experiments.strategies.design import StrategyStudy

app = typer.Typer(
    help="Studies of rules and of strategies, kept as files: write, check, list, run, report and verify.",
    rich_markup_mode=None,
)

FOLDER: Final = Path("experiments")
"""Where studies are looked for by name, and new ones written."""

RESULTS: Final = Path("reports")

EXIT_FAULTY: Final = UsageError.exit_status
EXIT_DIFFERENT: Final = CalcsimError.exit_status

StudiesArgument = Annotated[
    list[str], typer.Argument(metavar="STUDY...", help=f"A file, or the name of one in {FOLDER}.")
]
OutOption = Annotated[
    Path, typer.Option("--out", metavar="DIR", help="Folder of the results, one in it for each study.")
]
StoreOption = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Folder in which deals played are kept.  [default: $CALCSIM_STORE, else .calcsim]",
    ),
]


@app.command("new", short_help="Write a study to begin with.")
def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME|FILE", help=f"Its name, for {FOLDER}/NAME.toml, or a file.")
    ],
    kind: Annotated[
        str,
        typer.Option("--kind", metavar="KIND", help="rules, tournament, metagame, restricted or skill."),
    ] = "rules",
) -> None:
    """Write a study to begin with: it can be played as it is, and explains each of its keys."""
    from calcsim.experiments.strategies.template import template_of

    path = _path_of_new(name)
    title = path.stem.replace("-", " ").replace("_", " ")
    text = template_of(kind, title[:1].upper() + title[1:], path.as_posix())
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{str(path)!r} exists already, and is left as it is; give another name") from None
    write_text(str(path))
    say(f"now: calcsim study check {path}")


@app.command("check", short_help="Find all faults, and say how long a run takes.")
def check(
    studies: StudiesArgument,
    threads: ThreadsOption = DEFAULT_THREADS,
    quick: Annotated[
        bool, typer.Option("--quick", help="Play no games to estimate the time a run takes.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check studies whole, and say how many games they are and about how long they take.

    Every fault is one line on stderr. The time is that of games played just now, a third of a second for
    each number of players and line-up.
    """
    loaded, n_faults = _load_all(studies)
    records = []
    for study in loaded:
        record = _record(study)
        if not quick:
            record |= _times(study, threads)
        records.append(record)
        if not as_json:
            write_text("\n".join(_lines(record, threads)))
    if as_json:
        write_json(records)
    if n_faults:
        say(f"{n_faults} fault{'' if n_faults == 1 else 's'}; nothing has been played")
        raise typer.Exit(EXIT_FAULTY)


@app.command("list", short_help="List the studies of a folder.")
def list_studies(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the studies.")] = FOLDER,
    out: OutOption = RESULTS,
    as_json: JsonOption = False,
) -> None:
    """List the studies of a folder: what they ask, how much is played, and whether there are results."""
    from calcsim.experiments.loading import StudyError, load_study

    if not folder.is_dir():
        raise UsageError(
            f"there is no folder {str(folder)!r} ('calcsim study new NAME' writes a first study)"
        )
    records: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.toml")):
        try:
            study = load_study(path)
        except StudyError as error:
            n = len(error.lines)
            faults = f"{n} fault{'' if n == 1 else 's'}"
            records.append(
                {"name": path.stem, "question": "", "cells": None, "deals": None, "results": faults}
            )
            continue
        record = _record(study)
        kept = {key: record[key] for key in ("name", "question", "cells", "deals")}
        records.append(kept | {"results": _state(study, out)})
    if as_json:
        write_json(records)
        return
    if not records:
        write_text(f"no studies in {folder}")
        return
    rows = [
        (
            record["name"],
            record["question"],
            *("" if record[key] is None else f"{record[key]:,}" for key in ("cells", "deals")),
            record["results"],
        )
        for record in records
    ]
    write_text(format_table(("name", "question", "cells", "deals", "results"), rows, "llrrl"))


@app.command("run", short_help="Play studies and write their numbers.")
def run(
    studies: StudiesArgument,
    deals: Annotated[
        str | None, typer.Option("--deals", metavar="N", help="Deals, in place of what the studies say.")
    ] = None,
    out: OutOption = RESULTS,
    store: StoreOption = None,
    threads: ThreadsOption = DEFAULT_THREADS,
) -> None:
    """Play what studies ask for, and write the tables and the manifest.json of each.

    Deals that were played before are not played again; an interrupted run goes on where it was.
    """
    from calcsim.experiments.design import LEAST_DEALS, MOST_DEALS

    most = None if deals is None else parse_whole(deals, "--deals", LEAST_DEALS, MOST_DEALS)
    for study in _load_or_exit(studies):
        announce(_policies(study))
        from calcsim.experiments.run import run_study, total_games
        from calcsim.experiments.store import default_root

        design = study.design if most is None else study.design.with_deals(most)
        try:
            with Progress(total_games(design), study.name) as progress:
                run_study(
                    study,
                    root=store or default_root(),
                    out=out,
                    threads=threads,
                    deals=most,
                    progress=progress,
                    note=say,
                )
        except KeyboardInterrupt:
            say(f"what was played is kept; go on with: {_resuming(study, most, out, store, threads)}")
            raise
        write_text(str(out / study.name))
        say(f"now: calcsim study report {study.path}")


@app.command("report", short_help="Write the reports of studies that were run.")
def report(
    studies: StudiesArgument,
    out: OutOption = RESULTS,
    store: StoreOption = None,
) -> None:
    """Write the report of studies that were run, as Markdown and as one HTML file."""
    import warnings

    for study in _load_or_exit(studies):
        from calcsim.experiments.results import load

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            results = load(study.path, out=out, root=store)
        for warning in caught:
            say(str(warning.message))
        for path in results.write_report():
            write_text(str(path))


@app.command("verify", short_help="Play again and compare every byte.")
def verify(
    results: Annotated[
        list[str],
        typer.Argument(
            metavar="STUDY|DIR|MANIFEST...", help="A study that was run, its results, or the manifest."
        ),
    ],
    out: OutOption = RESULTS,
    threads: ThreadsOption = DEFAULT_THREADS,
) -> None:
    """Play studies again from their manifests, and say whether every byte is the same.

    The exit status is 1 if anything differs.
    """
    different = False
    for text in results:
        path = Path(text) if Path(text).exists() else _path_of(text)
        from calcsim.experiments import manifest
        from calcsim.experiments.loading import study_from_dict
        from calcsim.experiments.results import place_of
        from calcsim.experiments.run import total_games
        from calcsim.experiments.verify import verify as verify_results

        folder, _ = place_of(path, out)
        played = study_from_dict(manifest.read(folder)["study"])
        announce(_policies(played))
        with Progress(total_games(played.design), text) as progress:
            faults = verify_results(path, threads=threads, progress=progress, out=out)
        write_text(f"{text}: {'not the same' if faults else 'the same, byte for byte'}")
        for line in faults:
            write_text(f"  {line}")
        different = different or bool(faults)
    if different:
        raise typer.Exit(EXIT_DIFFERENT)


def _path_of_new(name: str) -> Path:
    if name.endswith(".toml"):
        return Path(name)
    if not name.replace("-", "").replace("_", "").isalnum():
        raise UsageError(
            f"study {name!r}: give a name of letters, digits, - and _, or a file that ends in .toml"
        )
    return FOLDER / f"{name}.toml"


def _path_of(text: str) -> Path:
    """Return the file of a study given as a path or by its name.

    Raises
    ------
    UsageError
        If there is none, with the nearest name.
    """
    if text.endswith(".toml") or Path(text).is_file():
        if not Path(text).is_file():
            hint = nearest(text, map(str, Path(text).parent.glob("*.toml")))
            raise UsageError(f"there is no study {text!r}{hint} ('calcsim study new' writes one)")
        return Path(text)
    path = FOLDER / f"{text}.toml"
    if not path.is_file():
        hint = nearest(text, (known.stem for known in FOLDER.glob("*.toml")))
        raise UsageError(f"there is no study {text!r}: neither a file, nor {str(path)!r}{hint}")
    return path


def _load_all(texts: Sequence[str]) -> tuple[list[Study | StrategyStudy], int]:
    """Return the studies that can be played, print what is wrong with others, and return how much that is."""
    from calcsim.experiments.loading import StudyError, load_study

    found = []
    n_faults = 0
    for text in dict.fromkeys(texts):
        try:
            found.append(load_study(_path_of(text)))
        except StudyError as error:
            n_faults += len(error.lines)
            for line in error.lines:
                print(f"calcsim: error: {line}", file=sys.stderr)
    return found, n_faults


def _load_or_exit(texts: Sequence[str]) -> list[Study | StrategyStudy]:
    studies, n_faults = _load_all(texts)
    if n_faults:
        raise typer.Exit(EXIT_FAULTY)
    return studies


def _policies(study: Study | StrategyStudy) -> list[str]:
    return list(dict.fromkeys(name for cell in study.design.cells() for name in cell.line_up))


def _record(study: Study | StrategyStudy) -> dict[str, Any]:
    from calcsim.experiments.plan import Study as StudyOfRules

    if not isinstance(study, StudyOfRules):
        return _record_of_strategies(study)
    design = study.design
    return {
        "name": study.name,
        "file": str(study.path),
        "question": study.question,
        "variants": len(design.variants),
        "groups": len(design.groups),
        "cells": len(design.cells()),
        "deals": design.deals,
        "games": design.deals * design.games_per_deal(),
        "may_stop_earlier": design.precision is not None,
    }


def _record_of_strategies(study: StrategyStudy) -> dict[str, Any]:
    from calcsim.experiments.strategies.kinds import total_games

    design = study.design
    return {
        "name": study.name,
        "file": str(study.path),
        "question": study.question,
        "kind": design.kind,
        "policies": len(design.policies),
        "cells": len(design.places),
        "deals": max(cell.deals for cell in design.cells()),
        "least_deals": min(cell.deals for cell in design.cells()),
        "games": total_games(design),
        "may_stop_earlier": False,
    }


def _times(study: Study | StrategyStudy, threads: int) -> dict[str, Any]:
    announce(_policies(study))
    from calcsim.experiments.plan import Study as StudyOfRules

    if not isinstance(study, StudyOfRules):
        from calcsim.experiments.strategies import kinds

        return {"seconds": round(kinds.seconds(study.design, threads), 1)}
    from calcsim.experiments.forecast import forecast

    expected: Forecast = forecast(study.design, threads=threads)
    return {
        "seconds": round(expected.seconds, 1),
        "course_games": expected.course_games,
        "course_seconds": round(expected.course_seconds, 1),
        "luck_games": expected.luck_games,
        "luck_seconds": round(expected.luck_seconds, 1),
    }


def _lines(record: dict[str, Any], threads: int) -> list[str]:
    most = "at most " if record["may_stop_earlier"] else ""
    if "kind" in record:
        policies = "1 policy" if record["policies"] == 1 else f"{record['policies']} policies"
        what = f"{_many(record['cells'], 'cell')} ({record['kind']} of {policies})"
    else:
        variants, groups = _many(record["variants"], "variant"), _many(record["groups"], "group")
        what = f"{record['cells']:,} cells ({variants} in {groups})"
    deals = f"{record['deals']:,}"
    if record.get("least_deals", record["deals"]) < record["deals"]:
        deals = f"{record['least_deals']:,} to {deals}"
    lines = [
        f"{record['file']}: can be played",
        f"  {record['question']}",
        f"  {what}, {most}{deals} deals, {most}{record['games']:,} games",
    ]
    if record.get("course_games"):
        lines.append(
            f"  {record['course_games']:,} games again for their course, about "
            f"{_rough(record['course_seconds'])}"
        )
    if record.get("luck_games"):
        lines.append(
            f"  {record['luck_games']:,} games for the luck of the deal, about "
            f"{_rough(record['luck_seconds'])}"
        )
    if "seconds" in record:
        seconds = sum(record.get(key, 0.0) for key in ("seconds", "course_seconds", "luck_seconds"))
        on = f"{_many(threads, 'thread')}" if threads else "all cores"
        lines.append(
            f"  {most}about {_rough(seconds)} on {on}, by the speed of games played just now, "
            "less what is kept of earlier runs"
        )
    return lines


def _state(study: Study | StrategyStudy, out: Path) -> str:
    """Return whether there are results, and of this very study: its texts do not count."""
    import json

    from calcsim.experiments.loading import study_from_dict

    path = out / study.name / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        deals = int(manifest["deals"])
        kept = study_from_dict(manifest["study"], folder=study.design.folder).design
    except FileNotFoundError:
        return "none"
    except (OSError, ValueError, KeyError, TypeError, UsageError):
        return "unreadable"
    wanted = study.design
    if kept.run_as(wanted) != wanted:
        return "of another version"
    return "there" if deals >= wanted.deals or kept == wanted else f"of {deals:,} deals"


def _resuming(
    study: Study | StrategyStudy, deals: int | None, out: Path, store: Path | None, threads: int
) -> str:
    """Return the command that takes up an interrupted run."""
    import shlex

    words = ["calcsim", "study", "run", str(study.path)]
    if deals is not None:
        words += ["--deals", str(deals)]
    if out != RESULTS:
        words += ["--out", str(out)]
    if store is not None:
        words += ["--store", str(store)]
    if threads != DEFAULT_THREADS:
        words += ["--threads", str(threads)]
    return shlex.join(words)


def _rough(seconds: float) -> str:
    """Return a time as text, in no more digits than are known.

    Examples
    --------
    >>> _rough(4.7), _rough(130), _rough(9000)
    ('5 s', '2 min', '2.5 h')
    """
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
