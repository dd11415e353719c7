"""Studies from TOML files: read whole, and refused with all their faults at once."""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from calcsim.errors import UsageError, nearest
from calcsim.experiments.design import build_design
from calcsim.experiments.places import find_line, key_lines
from calcsim.experiments.plan import (
    DEFAULT_DEALS,
    OUTCOMES,
    Choice,
    Design,
    Factor,
    Fault,
    Group,
    Luck,
    Main,
    PlanError,
    Precision,
    Study,
    Variant,
    split_policy,
)
from calcsim.experiments.reading import components, known_metrics
from calcsim.experiments.schema import FREE, MainTable, StudyFile, read_form
from calcsim.experiments.strategies.design import RULES_KIND, StrategyStudy
from calcsim.rules import FIELDS, rules_from_mapping

_METRICS: Final = frozenset({"margins", "metrics", "explore"})
"""Keys that name metrics."""

_DEPENDENT: Final = frozenset({"baseline", "main", "precision"})
"""Keys whose values are names that other keys make."""

_SHOWN: Final = 6
"""Names shown where one of many is meant."""


class StudyError(UsageError):
    """All that is wrong with a study file.

    Attributes
    ----------
    lines
        One line for each fault: the file, the line where it can be found, the place, what is wrong.
    """

    def __init__(self, lines: list[str]) -> None:
        self.lines = tuple(lines)
        more = len(lines) - 1
        super().__init__(lines[0] + (f" (and {more} more; 'calcsim study check' lists them)" if more else ""))


def load_study(path: str | Path) -> Study | StrategyStudy:
    """Return the study in a TOML file, checked whole: of rules, or of the kind of strategies that it names.

    Parameters
    ----------
    path
        The file. Paths of rules and policies in it start in its folder.

    Raises
    ------
    StudyError
        With all its faults, if there are any.
    UsageError
        If the file cannot be read.
    """
    path = Path(path)
    text = _read(path)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError([_syntax_line(path, str(error))]) from None
    if values.get("kind", RULES_KIND) != RULES_KIND:
        from calcsim.experiments.strategies.reading import read_study

        study, faults = read_study(path, values)
        if study is None:
            raise StudyError(_lines(path, text, faults))
        return study
    values.pop("kind", None)
    file, faults = read_form(values)
    faults += _faults_of_texts(file)
    faulty = {fault.place[0] for fault in faults}
    design, further = _design(file, values, path.parent)
    main, of_main = (None, []) if design is None else _main(file.main, design)
    further += of_main + _faults_of_answer(file.answer, None if faulty else design)
    # What was left out because of its form, and what is told by what was, is no fault of another kind.
    ignored = {key for key in faulty if key not in FREE} | (_DEPENDENT if faulty else set())
    faults += [
        fault
        for fault in further
        if fault.place[0] not in ignored and not (fault.place == ("margins",) and faulty & _METRICS)
    ]
    if faults or design is None or main is None:
        raise StudyError(_lines(path, text, faults))
    return Study(
        path=path,
        name=path.stem,
        title=file.title.strip(),
        question=file.question.strip(),
        background=one_line(file.background),
        design=design,
        answer={key: one_line(sentence) for key, sentence in file.answer.items()},
        notes=tuple(one_line(note) for note in file.notes),
        main=main,
    )


def study_from_dict(values: Mapping[str, Any], folder: Path | None = None) -> Study | StrategyStudy:
    """Return the study that `Study.as_dict`, or that of a study of strategies, describes.

    Parameters
    ----------
    values
        As in a manifest.
    folder
        Where paths of policies' files start; unless given, in the folder of the study's file.

    Raises
    ------
    UsageError
        If `values` are something else.
    """
    try:
        if "kind" in values:
            from calcsim.experiments.strategies.reading import study_from_dict as of_strategies

            return of_strategies(values, folder)
        return _study_from_dict(values, folder)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(
            f"no effective study as a manifest holds it: {type(error).__name__} {error}"
        ) from None


def _study_from_dict(values: Mapping[str, Any], folder: Path | None) -> Study:
    path = Path(values["file"])
    precision = values["precision"]
    design = Design(
        variants=tuple(
            Variant(
                entry["name"],
                rules_from_mapping({"preset": entry["preset"], **entry["rules"]}),
                tuple(entry["levels"]),
                entry["players"],
                None if entry["policies"] is None else tuple(entry["policies"]),
            )
            for entry in values["variants"]
        ),
        groups=tuple(Group(entry["players"], entry["policy"]) for entry in values["groups"]),
        baseline=values["baseline"],
        factors=tuple(Factor(entry["name"], tuple(entry["values"])) for entry in values["factors"]),
        choices=tuple(
            Choice(entry["metric"], entry["margin"], entry["primary"]) for entry in values["choices"]
        ),
        seed=values["seed"],
        deals=values["deals"],
        precision=None if precision is None else Precision(**precision),
        level=values["level"],
        flow_deals=values["flow_deals"],
        luck=Luck(**values["luck"]),
        match_games=values["match_games"],
        folder=path.parent if folder is None else folder,
    )
    main = values["main"]
    return Study(
        path=path,
        name=values["name"],
        title=values["title"],
        question=values["question"],
        background=values["background"],
        design=design,
        answer=dict(values["answer"]),
        notes=tuple(values["notes"]),
        main=Main(main["metric"], main["variant"], Group(**main["group"])),
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read the study {str(path)!r}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"cannot read the study {str(path)!r}: not text in UTF-8") from None


def _syntax_line(path: Path, message: str) -> str:
    found = re.search(r" \(at line (\d+), column \d+\)$", message)
    if found is None:
        return f"{path}: no TOML: {message}"
    return f"{path}: line {found.group(1)}: no TOML: {message[: found.start()]}"


def _lines(path: Path, text: str, faults: Sequence[Fault]) -> list[str]:
    """Return a line for each fault, in the order of the file."""
    places = key_lines(text)
    numbered = [(find_line(places, fault.place), fault) for fault in dict.fromkeys(faults)]
    numbered.sort(key=lambda entry: entry[0] or 0)
    return [
        f"{path}: {'' if number is None else f'line {number}: '}{fault.where}: {fault.message}"
        for number, fault in numbered
    ]


def one_line(text: str) -> str:
    """Return a text without its line breaks."""
    return " ".join(text.split())


def _faults_of_texts(file: StudyFile) -> list[Fault]:
    return [
        Fault((key,), f"{key} is empty; the report needs it")
        for key in ("title", "question", "background")
        if not getattr(file, key).strip()
    ]


def _design(file: StudyFile, values: Mapping[str, Any], folder: Path) -> tuple[Design | None, list[Fault]]:
    """Return the design, if there is nothing wrong with it, and what is."""
    faults = []
    if file.deals is None and file.precision is None:
        faults.append(Fault(("deals",), "say how many deals are played, or give a precision"))
    if file.deals is not None and file.precision is not None:
        faults.append(Fault(("deals",), "deals and precision: give one of them; 'most' caps a precision"))
    margins = known_metrics(FIELDS["max_players"].high)
    choices = [Choice(name, margin, True) for name, margin in file.margins.items()]
    choices += [Choice(name, margins.get(name), True) for name in file.metrics]
    choices += [Choice(name, None, False) for name in file.explore]
    precision = file.precision
    try:
        design = build_design(
            file.rules,
            file.set,
            vary=file.vary,
            variants=[variant.model_dump(exclude_none=True) for variant in file.variants],
            players=file.players,
            policies=file.policies,
            metrics=choices,
            baseline=file.baseline,
            seed=file.seed,
            deals=DEFAULT_DEALS if file.deals is None else file.deals,
            precision=None
            if precision is None
            else Precision(precision.metric, precision.half_width, precision.most),
            level=file.level,
            flow_deals=file.flow.deals,
            luck=Luck(file.luck.deals, file.luck.replays),
            match_games=file.match_games,
            folder=folder,
        )
    except PlanError as error:
        return None, [*faults, *(_placed(fault, values, file) for fault in error.faults)]
    return design, faults


def _placed(fault: Fault, values: Mapping[str, Any], file: StudyFile) -> Fault:
    """Return a design's fault with its place in the file."""
    place = fault.place
    key = place[0]
    if len(place) == 2 and key in _METRICS:
        name = str(place[1])
        if name in StudyFile.model_fields:
            return Fault(place, f"{name} belongs at the top of the file, above the first [table]")
        if key == "explore":
            place = ("explore", file.explore.index(name))
        elif name in file.metrics:
            place = ("metrics", file.metrics.index(name))
    elif key in ("players", "policies") and not isinstance(values.get(str(key)), list):
        place = place[:1]
    return Fault(place, fault.message)


def _main(given: MainTable, design: Design) -> tuple[Main | None, list[Fault]]:
    """Return what the first sentence is about, defaults filled in, and what is wrong with it."""
    faults = []
    policy = None if given.policy is None else ",".join(split_policy(given.policy))
    groups = [
        group
        for group in design.groups
        if given.players in (None, group.players) and policy in (None, group.policy)
    ]
    if not groups:
        key = "players" if policy in (None, *(group.policy for group in design.groups)) else "policy"
        labels = [repr(group.label) for group in design.groups]
        faults.append(Fault(("main", key), f"no such group is played; there are {_some(labels)}"))
    names = [variant.name for variant in design.variants]
    baseline = names[design.baseline]
    others = [name for name in names if name != baseline] or names
    variant = others[0] if given.variant is None else given.variant
    if variant not in others:
        problem = f"{variant!r} is the baseline" if variant in names else f"no variant is called {variant!r}"
        hint = nearest(variant, others) or f"; there are {_some([repr(name) for name in others])}"
        faults.append(Fault(("main", "variant"), problem + hint))
    group = groups[0] if groups else design.groups[0]
    cell = next(cell for cell in design.cells() if cell.group == group)
    parts = [
        name for choice in design.choices for name in components(choice.metric, cell.players, cell.policies)
    ]
    metric = parts[0] if given.metric is None else given.metric
    if metric not in parts:
        one = metric.replace("*", "seat0") if "by_place" not in metric else metric.replace("*", "1")
        hint = f"one number is wanted, as {one!r}" if one in parts and one != metric else ""
        hint = hint or f"none of the metrics chosen{nearest(metric, parts)}"
        faults.append(Fault(("main", "metric"), f"{metric!r}: {hint}"))
    return (None if faults else Main(metric, variant, group)), faults


def _faults_of_answer(answer: Mapping[str, str], design: Design | None) -> list[Fault]:
    faults = []
    for key, sentence in answer.items():
        place = ("answer", key)
        if key not in OUTCOMES:
            hint = nearest(key, OUTCOMES)
            faults.append(Fault(place, f"unknown outcome {key!r}{hint} (known: {', '.join(OUTCOMES)})"))
            continue
        if design is not None and (key == "estimate") != (len(design.variants) == 1):
            why = "only one variant is played" if len(design.variants) == 1 else "variants are compared"
            wanted = "estimate" if len(design.variants) == 1 else "more, less, no matter and undecided"
            faults.append(Fault(place, f"{why}, so the outcomes are: {wanted}"))
        faults += [Fault(place, problem) for problem in problems_of_sentence(sentence, OUTCOMES[key])]
    return faults


def problems_of_sentence(sentence: str, known: Sequence[str]) -> list[str]:
    """Return what is wrong with a sentence in which the names in `known` may stand in braces."""
    try:
        fields = list(string.Formatter().parse(sentence))
    except ValueError as error:
        return [f"braces do not match: {error}; a brace itself is written twice"]
    problems = []
    for _, name, form, conversion in fields:
        if name is None:
            continue
        if name not in known:
            problems.append(f"unknown {{{name}}}{nearest(name, known)} (known: {', '.join(known)})")
        elif form or conversion:
            problems.append(f"{{{name}}} is filled in as a text; leave out what follows the name")
    return problems if sentence.strip() else ["the sentence is empty"]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (" ..." if len(names) > _SHOWN else "")
