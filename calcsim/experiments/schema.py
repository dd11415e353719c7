"""What a study file may hold, and what is wrong with the form of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from calcsim.defaults import DEFAULT_RULES, DEFAULT_SEED
from calcsim.errors import nearest
from calcsim.experiments.plan import DEFAULT_FLOW_DEALS, DEFAULT_LEVEL, DEFAULT_MATCH_GAMES, Fault, Luck


def as_list(value: Any) -> Any:
    """Return a list, of one item where it was none."""
    return value if isinstance(value, list) else [value]


def flat(value: Any) -> Any:
    """Return a table with dots in its keys in place of tables within, which an unquoted ``a.b`` makes."""
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    for key, entry in value.items():
        inner = flat(entry)
        if isinstance(inner, dict):
            found |= {f"{key}.{name}": number for name, number in inner.items()}
        else:
            found[key] = inner
    return found


class Table(BaseModel):
    """Keys with values of their types, and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PrecisionTable(Table):
    """When to stop."""

    metric: str
    half_width: float
    most: int


class VariantTable(Table):
    """One of the variants that are listed."""

    name: str
    set: dict[str, Any] = {}
    rules: str | None = None
    players: int | None = None
    policy: str | None = None


class MainTable(Table):
    """What the first sentence of the report is about."""

    metric: str | None = None
    variant: str | None = None
    players: int | None = None
    policy: str | None = None


class FlowTable(Table):
    """How much is replayed for the course of games."""

    deals: int = DEFAULT_FLOW_DEALS


class LuckTable(Table):
    """How much is replayed for the luck of the deal."""

    deals: int = Luck().deals
    replays: int = Luck().replays


class StudyFile(Table):
    """A whole file; `calcsim.experiments.template` explains each key."""

    title: str
    question: str
    background: str
    rules: str = DEFAULT_RULES
    set: dict[str, Any] = {}
    players: Annotated[list[int] | None, BeforeValidator(as_list)] = None
    policies: Annotated[list[str] | None, BeforeValidator(as_list)] = None
    deals: int | None = None
    precision: PrecisionTable | None = None
    seed: int = DEFAULT_SEED
    level: float = DEFAULT_LEVEL
    baseline: str | None = None
    vary: dict[str, list[Any]] = {}
    variants: list[VariantTable] = []
    metrics: list[str] = []
    margins: Annotated[dict[str, float], BeforeValidator(flat)] = {}
    explore: list[str] = []
    main: MainTable = MainTable()
    answer: dict[str, str] = {}
    notes: list[str] = []
    flow: FlowTable = FlowTable()
    luck: LuckTable = LuckTable()
    match_games: int = DEFAULT_MATCH_GAMES


_TABLES: Final[Mapping[str, type[Table]]] = {
    "": StudyFile,
    "precision": PrecisionTable,
    "variants": VariantTable,
    "main": MainTable,
    "flow": FlowTable,
    "luck": LuckTable,
}

FREE: Final = ("answer", "margins")
"""Tables with any keys, in which one of the file's own is out of place."""

_REQUIRED: Final = ("title", "question", "background")

MUST_BE: Final = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "string_type": 'a text in quotes, as "..."',
    "list_type": "a list, as [...]",
    "dict_type": "a table",
    "model_type": "a table",
}
"""What pydantic's kinds of error ask for, in the words of a TOML file."""


def read_form(values: Mapping[str, Any]) -> tuple[StudyFile, list[Fault]]:
    """Return what can be read of a file, and what is wrong with its form.

    Parameters
    ----------
    values
        The file as TOML.

    Returns
    -------
    file
        Without the keys that are faulty (in the tables of `FREE`, only those of the table), and with defaults
        in their place.
    faults
        Keys unknown or missing, and values of a wrong type.
    """
    try:
        return StudyFile.model_validate(dict(values)), []
    except ValidationError as error:
        faults = [_fault(detail, values) for detail in error.errors(include_url=False)]
    sound = {
        key: dict(flat(value)) if key in FREE and isinstance(value, dict) else value
        for key, value in values.items()
    }
    for fault in faults:
        key = str(fault.place[0])
        if key in FREE and len(fault.place) > 1:
            sound[key].pop(fault.place[1], None)
        else:
            sound.pop(key, None)
    sound |= {key: "?" for key in _REQUIRED if key not in sound}
    return StudyFile.model_validate(sound), faults


def _fault(detail: Any, values: Mapping[str, Any]) -> Fault:
    place: tuple[str | int, ...] = tuple(detail["loc"])
    key = str(place[-1])
    kind = detail["type"]
    table = str(place[0]) if len(place) > 1 else ""
    if table and key in StudyFile.model_fields and (kind == "extra_forbidden" or table in FREE):
        return Fault(place, f"{key} belongs at the top of the file, above the first [table]")
    if kind == "extra_forbidden":
        known = _TABLES[table].model_fields
        return Fault(place, f"unknown key{nearest(key, known) or '; known: ' + ', '.join(known)}")
    if kind == "missing":
        return Fault(place, "is missing")
    must_be = MUST_BE.get(kind)
    said = f"must be {must_be}" if must_be else str(detail["msg"]).lower()
    return Fault(place, f"{key}={detail['input']!r}: {said}")
