"""Studies of strategies from TOML: read whole, with all their faults."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, ValidationError

from calcsim.defaults import DEFAULT_PLAYERS, DEFAULT_RULES, DEFAULT_SEED
from calcsim.errors import UsageError, nearest
from calcsim.experiments.loading import one_line, problems_of_sentence
from calcsim.experiments.plan import DEFAULT_LEVEL, Fault
from calcsim.experiments.reading import read_policy
from calcsim.experiments.schema import MUST_BE, Table, as_list
from calcsim.experiments.strategies.design import (
    KINDS,
    RULES_KIND,
    Place,
    StrategyDesign,
    StrategyStudy,
)
from calcsim.experiments.strategies.kinds import entrants, faults_of_tables
from calcsim.rules import PRESETS, RuleSet, load_rules, rules_from_mapping
from calcsim.rules.fields import field

_LEVELS: Final = (0.5, 0.999_999)
_MARGINS: Final = (0.0001, 0.5)
_MOST_DEALS: Final = 10**7

Texts = Annotated[list[str], BeforeValidator(as_list)]
Numbers = Annotated[list[int], BeforeValidator(as_list)]


class TableOf(Table):
    """One or more of the tables that are listed."""

    rules: str = DEFAULT_RULES
    set: dict[str, Any] = Field(default={})
    players: Numbers = Field(default=[DEFAULT_PLAYERS])
    deals: int | None = None


class MainTable(Table):
    """Which table the first sentence of the report is about."""

    rules: str | None = None
    players: int | None = None
    policy: str | None = None


class StrategyFile(Table):
    """A whole file; `calcsim.experiments.strategies.template` explains each key."""

    kind: str
    title: str
    question: str
    background: str
    policies: Texts
    deals: int
    rules: Texts = Field(default=[DEFAULT_RULES])
    set: dict[str, Any] = Field(default={})
    players: Numbers = Field(default=[DEFAULT_PLAYERS])
    tables: list[TableOf] = Field(default=[])
    seed: int = DEFAULT_SEED
    level: float = DEFAULT_LEVEL
    margin: float | None = None
    hero: str | None = None
    forbid: Texts = Field(default=[])
    main: MainTable = MainTable()
    answer: dict[str, str] = Field(default={})
    notes: list[str] = Field(default=[])


def read_study(path: Path, values: Mapping[str, Any]) -> tuple[StrategyStudy | None, list[Fault]]:
    """Return the study of strategies in a file, if there is nothing wrong with it, and what is.

    Parameters
    ----------
    path
        The file. Paths of rules and policies in it start in its folder.
    values
        The file as TOML.
    """
    kind = values["kind"]
    if kind not in KINDS:
        known = [*KINDS, RULES_KIND]
        hint = nearest(str(kind), known)
        return None, [Fault(("kind",), f"unknown kind {kind!r}{hint} (known: {', '.join(known)})")]
    try:
        file = StrategyFile.model_validate(dict(values))
    except ValidationError as error:
        return None, [_fault(detail, kind) for detail in error.errors(include_url=False)]
    return _Reader(path, file, values).study()


def study_from_dict(values: Mapping[str, Any], folder: Path | None) -> StrategyStudy:
    """Return the study that `StrategyStudy.as_dict` describes; policies' files start at `folder`."""
    path = Path(values["file"])
    places = tuple(
        Place(
            rules_from_mapping({"preset": entry["preset"], **entry["rules"]}),
            entry["players"],
            entry["deals"],
        )
        for entry in values["tables"]
    )
    design = StrategyDesign(
        kind=values["kind"],
        places=places,
        policies=tuple(values["policies"]),
        deals=values["deals"],
        seed=values["seed"],
        hero=values["hero"],
        forbid=tuple(values["forbid"]),
        level=values["level"],
        margin=values["margin"],
        folder=path.parent if folder is None else folder,
    )
    return StrategyStudy(
        path=path,
        name=values["name"],
        title=values["title"],
        question=values["question"],
        background=values["background"],
        design=design,
        answer=dict(values["answer"]),
        notes=tuple(values["notes"]),
        main=values["main"],
        main_policy=values["main_policy"],
    )


def _fault(detail: Any, kind: str) -> Fault:
    place: tuple[str | int, ...] = tuple(detail["loc"])
    sort = detail["type"]
    if sort == "extra_forbidden":
        table: Any = {"tables": TableOf, "main": MainTable}.get(str(place[0]), StrategyFile)
        known = list(table.model_fields)
        hint = nearest(str(place[-1]), known) or f"; known: {', '.join(known)}"
        return Fault(place, f"unknown key{hint}; a study of kind {kind!r} compares no rules")
    if sort == "missing":
        return Fault(place, "is missing")
    must_be = MUST_BE.get(sort)
    said = f"must be {must_be}" if must_be else str(detail["msg"]).lower()
    return Fault(place, f"{place[-1]}={detail['input']!r}: {said}")


class _Reader:
    """Makes a study of a file whose form is sound, and notes what is wrong with it."""

    def __init__(self, path: Path, file: StrategyFile, values: Mapping[str, Any]) -> None:
        self.path = path
        self.file = file
        self.values = values
        self.kind = KINDS[file.kind]
        self.faults: list[Fault] = []

    def study(self) -> tuple[StrategyStudy | None, list[Fault]]:
        file = self.file
        for key in ("title", "question", "background"):
            if not getattr(file, key).strip():
                self._fault((key,), f"{key} is empty; the report needs it")
        self._own_keys()
        self._numbers()
        places = self._places()
        policies = self._policies()
        forbid = self._forbid()
        if self.faults:
            return None, self.faults
        design = StrategyDesign(
            kind=file.kind,
            places=tuple(place for place, _ in places),
            policies=policies,
            deals=file.deals,
            seed=file.seed,
            hero=file.hero,
            forbid=forbid,
            level=file.level,
            margin=self.kind.margin if file.margin is None else file.margin,
            folder=self.path.parent,
        )
        self.faults += faults_of_tables(design)
        main = self._main(design, [written for _, written in places])
        self._answer(design)
        if self.faults:
            return None, self.faults
        study = StrategyStudy(
            path=self.path,
            name=self.path.stem,
            title=file.title.strip(),
            question=file.question.strip(),
            background=one_line(file.background),
            design=design,
            answer={key: one_line(sentence) for key, sentence in file.answer.items()},
            notes=tuple(one_line(note) for note in file.notes),
            main=main,
            main_policy=(file.main.policy or policies[0]) if file.kind == "restricted" else None,
        )
        return study, []

    def _fault(self, place: tuple[str | int, ...], message: str) -> None:
        self.faults.append(Fault(place, message))

    def _item(self, key: str, index: int) -> tuple[str | int, ...]:
        """Return the place of an item of what may be a list or one alone."""
        return (key, index) if isinstance(self.values.get(key), list) else (key,)

    def _own_keys(self) -> None:
        kind = self.file.kind
        for other, entry in KINDS.items():
            for key in entry.own:
                if key in self.values and other != kind:
                    self._fault((key,), f"belongs to studies of kind {other!r}, and this is one of {kind!r}")
        if self.kind.margin is None and self.file.margin is not None:
            self._fault(("margin",), f"a study of kind {kind!r} has none: its intervals decide")
        if self.file.tables:
            for key in ("rules", "players", "set"):
                if key in self.values:
                    self._fault((key,), f"{key} and [[tables]]: give one of them")

    def _numbers(self) -> None:
        file, fewest = self.file, self.kind.fewest
        given: list[tuple[tuple[str | int, ...], int | None]] = [(("deals",), file.deals)]
        given += [(("tables", i, "deals"), table.deals) for i, table in enumerate(file.tables)]
        for place, deals in given:
            if deals is not None and not fewest <= deals <= _MOST_DEALS:
                span = f"from {fewest:,} to {_MOST_DEALS:,}"
                self._fault(place, f"deals={deals}: must be a whole number {span}")
            elif deals is not None and len(place) > 1 and file.kind not in ("tournament", "metagame"):
                self._fault(place, f"tables of kind {file.kind!r} share a figure, and so play as many deals")
        if not 0 <= file.seed < 2**63:
            self._fault(("seed",), f"seed={file.seed}: must be a whole number from 0 to {2**63 - 1}")
        for key, (low, high) in (("level", _LEVELS), ("margin", _MARGINS)):
            value = getattr(file, key)
            if value is not None and not low <= value <= high:
                self._fault((key,), f"{key}={value}: must be a number from {low:g} to {high:g}")

    def _rules(self, source: str, changes: Mapping[str, Any], place: tuple[str | int, ...]) -> RuleSet | None:
        path = source if source in PRESETS or not source.endswith(".toml") else self.path.parent / source
        try:
            rules = load_rules(str(path))
        except UsageError as error:
            self._fault(place, str(error))
            return None
        where = (*place[:-1], "set") if place[0] == "tables" else ("set",)
        read = {}
        for name, value in changes.items():
            try:
                entry = field(name)
                read[name] = entry.parse(value) if isinstance(value, str) else value
            except UsageError as error:
                self._fault((*where, name), str(error))
                return None
        try:
            return rules.replace(**read)
        except UsageError as error:
            self._fault(where, str(error))
            return None

    def _places(self) -> list[tuple[Place, str]]:
        """Return the tables, each with its rules as they are written."""
        file = self.file
        found = []
        if file.tables:
            for i, table in enumerate(file.tables):
                rules = self._rules(table.rules, table.set, ("tables", i, "rules"))
                if rules is not None:
                    found += [(Place(rules, players, table.deals), table.rules) for players in table.players]
        else:
            for i, source in enumerate(file.rules):
                rules = self._rules(source, file.set, self._item("rules", i))
                if rules is not None:
                    found += [(Place(rules, players), source) for players in file.players]
        if not found and not self.faults:
            self._fault(("players",), "no table is played; give at least one of rules and of players")
        where = ("tables",) if file.tables else ("rules",)
        seen = [place.label for place, _ in found]
        for label in dict.fromkeys(label for label in seen if seen.count(label) > 1):
            self._fault(where, f"{label} is played twice; give each table once")
        return found

    def _policies(self) -> tuple[str, ...]:
        file = self.file
        named = [(self._item("policies", i), name) for i, name in enumerate(file.policies)]
        if file.hero is not None:
            named.append((("hero",), file.hero))
        before = len(self.faults)
        for place, name in named:
            try:
                if "," in name:
                    raise UsageError(f"policy {name!r}: one name, as the study seats it in line-ups itself")
                read_policy(name, self.path.parent)
            except UsageError as error:
                self._fault(place, str(error))
        if len(self.faults) > before:
            return ()
        try:
            return self._entrants()
        except UsageError as error:
            self._fault(("policies",), str(error))
            return ()

    def _entrants(self) -> tuple[str, ...]:
        from calcsim.experiments.plan import at_folder

        written = {at_folder(name, self.path.parent): name for name in self.file.policies}
        hero = self.file.hero
        if hero is not None:
            written[at_folder(hero, self.path.parent)] = hero
        if len(written) < len(set(self.file.policies)):
            raise UsageError("a policy is given twice; give each policy once")
        ready = [at_folder(name, self.path.parent) for name in self.file.policies]
        found = entrants(self.file.kind, ready, None if hero is None else at_folder(hero, self.path.parent))
        return tuple(written[name] for name in found)

    def _forbid(self) -> tuple[str, ...]:
        from calcsim.experiments.restricted import check_parts

        if self.file.kind != "restricted":
            return ()
        try:
            return check_parts(self.file.forbid)
        except UsageError as error:
            self._fault(("forbid",), str(error))
            return ()

    def _main(self, design: StrategyDesign, written: list[str]) -> int:
        """Return which table the first sentence is about."""
        main = self.file.main
        found = [
            i
            for i, place in enumerate(design.places)
            if main.rules in (None, written[i], place.rules.label) and main.players in (None, place.players)
        ]
        if not found:
            labels = ", ".join(place.label for place in design.places)
            self._fault(("main",), f"no such table is played; there are: {labels}")
        if main.policy is not None and self.file.kind != "restricted":
            self._fault(("main", "policy"), "only restricted play asks about one policy")
        elif main.policy is not None and main.policy not in design.policies:
            hint = nearest(main.policy, design.policies)
            self._fault(("main", "policy"), f"{main.policy!r} does not play{hint}")
        return found[0] if found else 0

    def _answer(self, design: StrategyDesign) -> None:
        outcomes = design.outcomes
        for key, sentence in self.file.answer.items():
            if key not in outcomes:
                hint = nearest(key, outcomes)
                message = f"unknown outcome {key!r}{hint} (known: {', '.join(outcomes)})"
                self._fault(("answer", key), message)
                continue
            for problem in problems_of_sentence(sentence, outcomes[key]):
                self._fault(("answer", key), problem)
