"""Builds a `Design` from what a command line or a study says, and finds all that is wrong with it at once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from calcsim.defaults import DEFAULT_PLAYERS, DEFAULT_POLICY, DEFAULT_RULES, DEFAULT_SEED
from calcsim.errors import UsageError, nearest
from calcsim.experiments.plan import (
    DEFAULT_DEALS,
    DEFAULT_FLOW_DEALS,
    DEFAULT_LEVEL,
    DEFAULT_MATCH_GAMES,
    PLAYERS,
    POLICY,
    RULES,
    Choice,
    Design,
    Factor,
    Fault,
    Group,
    Luck,
    PlanCell,
    PlanError,
    Precision,
    Variant,
    split_policy,
)
from calcsim.experiments.reading import (
    Vary,
    factors,
    field_value,
    known_metrics,
    nearest_metric,
    read_choice,
    read_players,
    read_policy,
    varied_field,
)
from calcsim.rules import FIELDS, PRESETS, RuleSet, load_rules

MOST_VARIANTS: Final = 512
"""More are a slip of the keyboard: their covariances alone would fill memory."""

MOST_DEALS: Final = 10**10
LEAST_DEALS: Final = 100
"""Fewer say nothing about how deals differ."""

LARGEST_SEED: Final = 2**63 - 1

Place: TypeAlias = tuple[str | int, ...]
Changes: TypeAlias = Sequence[str] | Mapping[str, Any]


def build_design(
    rules: str = DEFAULT_RULES,
    changes: Changes = (),
    *,
    vary: Vary = (),
    variants: Sequence[Mapping[str, Any]] = (),
    players: Sequence[int] | None = None,
    policies: Sequence[str] | None = None,
    metrics: Sequence[str | Choice] = (),
    baseline: str | None = None,
    seed: int = DEFAULT_SEED,
    deals: int = DEFAULT_DEALS,
    precision: Precision | None = None,
    level: float = DEFAULT_LEVEL,
    flow_deals: int = DEFAULT_FLOW_DEALS,
    luck: Luck | None = None,
    match_games: int = DEFAULT_MATCH_GAMES,
    folder: Path | None = None,
) -> Design:
    """Return a design of which every cell can be played.

    Parameters
    ----------
    rules
        A preset's name or the path of a TOML file.
    changes
        Fields set in all variants: texts as ``--set`` takes them, or values by name.
    vary
        Factors, crossed: texts like ``"handoff=shield,none"`` (``;`` between values that hold commas), or
        lists of values by name. A name is a field of the rules, ``rules``, ``players`` or ``policy``. The
        first of the values is the baseline's unless `baseline` names another variant.
    variants
        Instead of `vary`, variants one by one: ``{"name": ..., "set": {...}, "rules": ..., "players": ...,
        "policy": ...}``, of which all but the name may be missing.
    players
        Numbers of players, each held fixed in a group; None for the default, or where the variants say so.
    policies
        Policies of the groups: a name for all seats, or names with commas, one for each.
    metrics
        Names (with the margin that the metric has by default), ``"name=margin"``, or choices. All names are
        primary.
    baseline
        Name of the variant that the others are compared with; the first unless given.
    seed, deals, precision, level, flow_deals, luck, match_games
        As in `Design`; `deals` does not count where there is a `precision`.
    folder
        Where the paths of files of rules and policies start; the current folder unless given.

    Raises
    ------
    PlanError
        With all that is wrong.

    Examples
    --------
    >>> design = build_design(vary=["handoff=shield,none", "ko=on,off"], metrics=["turns=1"])
    >>> [variant.name for variant in design.variants][:2]
    ['handoff=shield, ko=on', 'handoff=shield, ko=off']
    """
    folder = folder or Path()
    draft = _Draft(rules, folder)
    draft.read_changes(changes)
    if vary and variants:
        draft.fault(("variants",), "vary and variants: factors are crossed or variants are listed, not both")
    elif variants:
        draft.list_variants(variants)
    else:
        draft.cross(factors(vary))
    groups = draft.groups(players, policies)
    choices = tuple(sorted(draft.choices(metrics), key=lambda choice: not choice.primary))
    draft.check_numbers(seed, deals, level, flow_deals, luck or Luck(), match_games)
    if precision is not None:
        draft.check_precision(precision, choices)
        deals = precision.most
    design = Design(
        variants=tuple(draft.variants),
        groups=groups,
        baseline=draft.baseline(baseline),
        factors=tuple(draft.factors),
        choices=choices,
        seed=seed,
        deals=deals,
        precision=precision,
        level=level,
        flow_deals=flow_deals,
        luck=luck or Luck(),
        match_games=match_games,
        folder=folder,
    )
    if not draft.faults:
        draft.check_cells(design.cells())
        draft.check_metrics(design)
    if draft.faults:
        raise PlanError(draft.faults)
    return design


class _Draft:
    """A design in the making, with what is wrong with it so far."""

    def __init__(self, rules: str, folder: Path) -> None:
        self.faults: list[Fault] = []
        self.variants: list[Variant] = []
        self.factors: list[Factor] = []
        self._source = rules
        self._folder = folder
        self._changes: dict[str, Any] = {}
        self._is_known = self.attempt(("rules",), lambda: self._load(rules, {})) is not None

    def fault(self, place: Place, message: str) -> None:
        """Note something wrong."""
        self.faults.append(Fault(place, message))

    def attempt(self, place: Place, make: Any) -> Any:
        """Return what `make` returns, or None and note what it refuses."""
        try:
            return make()
        except UsageError as error:
            self.fault(place, str(error))
            return None

    def read_changes(self, changes: Changes) -> None:
        """Read the fields that are set in all variants."""
        if isinstance(changes, Mapping):
            self._changes = self._read_values(("set",), changes)
            return
        for i, text in enumerate(changes):
            name, equals, value = text.partition("=")
            name = name.strip()
            if not equals:
                self.fault(("set", i), f"no value in {text!r}: write FIELD=VALUE")
                continue
            read = self._read_values(("set",), {name: value})
            for key, entry in read.items():
                if self._changes.setdefault(key, entry) != entry:
                    self.fault(("set", key), f"{key} is set twice, to different values; set it once")

    def _read_values(self, place: Place, values: Mapping[str, Any]) -> dict[str, Any]:
        read = {}
        for name, value in values.items():
            found = self.attempt((*place, name), lambda name=name, value=value: field_value(name, value))
            if found is not None:
                read[name] = found
        return read

    def _load(self, source: str, changes: Mapping[str, Any]) -> RuleSet:
        path = source if source in PRESETS or not source.endswith(".toml") else str(self._folder / source)
        return load_rules(path).replace(**changes)

    def cross(self, given: Sequence[tuple[str, Sequence[Any]]]) -> None:
        """Make the variants that are all combinations of the values of factors."""
        before = len(self.faults)
        for name, values in given:
            texts = self._read_factor(name, values)
            self.factors.append(Factor(name, texts))
        for name, n in _counts(factor.name for factor in self.factors).items():
            if n > 1:
                self.fault(("vary", name), f"{name} is varied twice; give all its values at once")
        if len(self.faults) > before:
            return
        n_variants = math.prod(len(factor.values) for factor in self.factors)
        if n_variants > MOST_VARIANTS:
            self.fault(("vary",), f"{n_variants:,} combinations: at most {MOST_VARIANTS} can be compared")
            return
        for levels in itertools.product(*(factor.values for factor in self.factors)):
            self._add_combination(levels)

    def _read_factor(self, name: str, values: Sequence[Any]) -> tuple[str, ...]:
        place: Place = ("vary", name)
        if name in self._changes:
            self.fault(place, f"{name} is set and varied; do one of them")
        if name not in (RULES, PLAYERS, POLICY) and self.attempt(place, lambda: varied_field(name)) is None:
            return ()
        if len(values) < 2:
            self.fault(place, f"{name} has {_many(len(values), 'value')}: give two or more, or set it")
        texts = []
        for i, value in enumerate(values):
            text = self.attempt((*place, i), lambda value=value: self._level_text(name, value))
            if text in texts:
                self.fault((*place, i), f"{name}={text} is there twice; give each value once")
            if text is not None:
                texts.append(text)
        return tuple(texts)

    def _level_text(self, name: str, value: Any) -> str:
        if name == RULES:
            self._load(str(value), {})
            return str(value)
        if name == PLAYERS:
            return str(read_players(value))
        if name == POLICY:
            return read_policy(value, self._folder)
        return FIELDS[name].format(field_value(name, value))

    def _add_combination(self, levels: Sequence[str]) -> None:
        chosen = {factor.name: level for factor, level in zip(self.factors, levels, strict=True)}
        name = ", ".join(f"{factor}={level}" for factor, level in chosen.items())
        source = chosen.pop(RULES, self._source)
        players = chosen.pop(PLAYERS, None)
        policy = chosen.pop(POLICY, None)
        changes = self._changes | {key: FIELDS[key].parse(level) for key, level in chosen.items()}
        try:
            rules = self._load(source, changes)
        except UsageError as error:
            # Where nothing is varied, it is the settings that do not go together.
            place, start = (("vary",), f"combination {name!r}: ") if name else (("set",), "")
            if source != self._source or self._is_known:
                self.fault(place, f"{start}{error}")
            return
        self.variants.append(
            Variant(
                name or rules.label,
                rules,
                tuple(levels),
                None if players is None else int(players),
                None if policy is None else split_policy(policy),
            )
        )

    def list_variants(self, given: Sequence[Mapping[str, Any]]) -> None:
        """Take the variants that are listed one by one."""
        seen: dict[tuple[Any, ...], str] = {}
        for i, entry in enumerate(given):
            place: Place = ("variants", i)
            n_faults = len(self.faults)
            name = str(entry["name"]).strip()
            if not name:
                self.fault((*place, "name"), "name is empty: say in a few words what is different")
            if name in {variant.name for variant in self.variants}:
                self.fault((*place, "name"), f"two variants are called {name!r}; give each its own name")
            changes = self._changes | self._read_values((*place, "set"), entry.get("set") or {})
            source = entry.get("rules") or self._source
            try:
                rules = self._load(source, changes)
            except UsageError as error:
                if source != self._source or self._is_known:
                    self.fault((*place, "set" if entry.get("set") else "name"), f"variant {name!r}: {error}")
                continue
            players, policy = entry.get("players"), entry.get("policy")
            if players is not None:
                players = self.attempt((*place, "players"), lambda n=players: read_players(n))
            if policy is not None:
                policy = self.attempt((*place, "policy"), lambda text=policy: read_policy(text, self._folder))
            policies = None if policy is None else split_policy(policy)
            same = seen.setdefault((rules, players, policies), name)
            if same != name and len(self.faults) == n_faults:
                self.fault(place, f"variant {name!r} is the same as {same!r}")
            self.variants.append(Variant(name, rules, (), players, policies))

    def groups(self, players: Sequence[int] | None, policies: Sequence[str] | None) -> tuple[Group, ...]:
        """Return what is held fixed, and give variants what they lack."""
        numbers = self._held(PLAYERS, "players", players, DEFAULT_PLAYERS, read_players)
        texts = self._held(
            POLICY, "policies", policies, DEFAULT_POLICY, lambda value: read_policy(value, self._folder)
        )
        return tuple(Group(n, text) for n in numbers for text in texts)

    def _held(self, factor: str, key: str, given: Sequence[Any] | None, default: Any, read: Any) -> list[Any]:
        """Return the values of `players` or `policies` that groups have; None where the variants do."""
        values = []
        for i, value in enumerate([default] if given is None else given):
            found = self.attempt((key, i), lambda value=value: read(value))
            if found is not None and found in values:
                self.fault((key, i), f"{value} is there twice; give each once")
            elif found is not None:
                values.append(found)
        if given is not None and not given:
            self.fault((key,), f"{key} is empty: give one or more")
        if any(entry.name == factor for entry in self.factors):
            if given is not None:
                self.fault((key,), f"{factor} is varied, so {key} cannot be held fixed; leave it out")
            return [None]
        attribute = "players" if factor == PLAYERS else "policies"
        lacking = [variant for variant in self.variants if getattr(variant, attribute) is None]
        if len(lacking) == len(self.variants):
            return values
        if given is not None and len(values) > 1:
            self.fault(
                (key,), f"variants say {factor}, so {key} can be one value only, for those that do not"
            )
        if values:
            self._fill(attribute, values[0] if factor == PLAYERS else split_policy(values[0]))
        return [None]

    def _fill(self, attribute: str, value: Any) -> None:
        import dataclasses

        self.variants = [
            variant
            if getattr(variant, attribute) is not None
            else dataclasses.replace(variant, **{attribute: value})
            for variant in self.variants
        ]

    def choices(self, given: Sequence[str | Choice]) -> list[Choice]:
        """Return what is reported; the names are checked when players and policies are known."""
        known = known_metrics(FIELDS["max_players"].high)
        found: list[Choice] = []
        for entry in given:
            choice = entry if isinstance(entry, Choice) else self._read_choice(entry, known)
            if choice is None:
                continue
            place = _metric_place(choice)
            if choice.metric not in known:
                self.fault(
                    place,
                    f"unknown metric {choice.metric!r}{nearest_metric(choice.metric, known)} "
                    "(see 'calcsim metrics')",
                )
            elif choice.metric in {other.metric for other in found}:
                self.fault(place, f"{choice.metric} is there twice; name each metric once")
            elif choice.margin is not None and not 0 < choice.margin < math.inf:
                self.fault(place, f"margin {choice.margin:g} of {choice.metric}: must be above 0")
            else:
                found.append(choice)
        if not given:
            self.fault(("margins",), "no metric: name one or more (see 'calcsim metrics')")
        return found

    def _read_choice(self, text: str, known: Mapping[str, float | None]) -> Choice | None:
        choice: Choice | None = self.attempt(
            ("margins", text.partition("=")[0].strip()), lambda: read_choice(text, known)
        )
        return choice

    def _read_policy(self, value: Any) -> str:
        return read_policy(value, self._folder)

    def check_precision(self, precision: Precision, choices: Sequence[Choice]) -> None:
        """Check when to stop."""
        names = [choice.metric for choice in choices]
        if precision.metric not in names:
            hint = nearest(precision.metric, names)
            self.fault(("precision", "metric"), f"{precision.metric!r} is none of the metrics chosen{hint}")
        if not 0 < precision.half_width < math.inf:
            self.fault(("precision", "half_width"), f"half_width={precision.half_width:g}: must be above 0")
        self._check_range(("precision", "most"), precision.most, LEAST_DEALS, MOST_DEALS)

    def check_numbers(
        self, seed: int, deals: int, level: float, flow_deals: int, luck: Luck, match_games: int
    ) -> None:
        """Check the numbers that stand alone."""
        self._check_range(("seed",), seed, 0, LARGEST_SEED)
        self._check_range(("deals",), deals, LEAST_DEALS, MOST_DEALS)
        self._check_range(("flow", "deals"), flow_deals, LEAST_DEALS, MOST_DEALS)
        self._check_range(("luck", "deals"), luck.deals, LEAST_DEALS, MOST_DEALS)
        self._check_range(("luck", "replays"), luck.replays, 2, MOST_DEALS)
        self._check_range(("match_games",), match_games, 1, 1_000)
        if not 0.5 <= level < 1:
            self.fault(("level",), f"level={level:g}: must be from 0.5 to below 1, as 0.95")

    def _check_range(self, place: Place, value: int, low: int, high: int) -> None:
        if not low <= value <= high:
            self.fault(place, f"{place[-1]}={value}: must be a whole number from {low:,} to {high:,}")

    def baseline(self, name: str | None) -> int:
        """Return the index of the baseline."""
        names = [variant.name for variant in self.variants]
        if name is None or name in names:
            return 0 if name is None else names.index(name)
        if not self.faults:
            self.fault(("baseline",), f"no variant is called {name!r}{_known(name, names)}")
        return 0

    def check_cells(self, cells: Sequence[PlanCell]) -> None:
        """Check that rules seat the players and line-ups fit, each thing once."""
        told: set[tuple[Any, ...]] = set()
        for cell in cells:
            where = "" if len(cells) == 1 else f"{_cell_name(cell)}: "
            key = (cell.variant.players, cell.group.players)
            seats = len(cell.line_up)
            try:
                cell.rules.validate_players(cell.players)
            except UsageError as error:
                if key not in told:
                    told.add(key)
                    self.fault(self._seat_place(cell, PLAYERS), f"{where}{error}")
                continue
            policies = ",".join(cell.policies)
            if seats != cell.players and (key, policies) not in told:
                told.add((key, policies))
                self.fault(
                    self._seat_place(cell, POLICY),
                    f"{where}{policies!r} names {seats} seats, and there are {cell.players} players: "
                    "give one name for all seats, or one for each",
                )

    def _seat_place(self, cell: PlanCell, what: str) -> Place:
        """Return where the players or the policy of a cell are said."""
        own = cell.variant.players if what == PLAYERS else cell.variant.policies
        if own is None:
            return (what,) if what == PLAYERS else ("policies",)
        return (
            ("vary", what) if cell.variant.levels else ("variants", self.variants.index(cell.variant), what)
        )

    def check_metrics(self, design: Design) -> None:
        """Check that each metric exists in every cell."""
        for players in sorted({cell.players for cell in design.cells()}):
            known = known_metrics(players)
            for choice in design.choices:
                if choice.metric not in known:
                    self.fault(_metric_place(choice), f"{choice.metric} does not exist where {players} play")


def _metric_place(choice: Choice) -> Place:
    return ("margins" if choice.primary else "explore", choice.metric)


def _cell_name(cell: PlanCell) -> str:
    held = "" if cell.group.label == "all" else f" with {cell.group.label}"
    return f"{cell.variant.name!r}{held}"


def _known(name: str, names: Sequence[str]) -> str:
    hint = nearest(name, names)
    return hint or f"; known: {', '.join(repr(known) for known in names[:8])}"


def _counts(names: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return found


def _many(n: int, what: str) -> str:
    return f"{'no' if n == 0 else n} {what}{'' if n == 1 else 's'}"
