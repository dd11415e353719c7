"""`RuleSet`: one way of playing the game, checked when it is made."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Final

from calcsim.errors import UsageError
from calcsim.rules.fields import FIELDS, PRESET_NAMES, field
from calcsim.version import RULES_VERSION

MOST_CARDS_DEALT: Final = 51
"""Cards that hands and start piles may take together (rulebook, section 9)."""

MIN_PLAYERS: Final = 2

_FINGERPRINT_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One way of playing the game; `calcsim.rules.FIELDS` says what each field means and may be.

    Rule sets with equal fields are equal, whatever preset they derive from.

    Attributes
    ----------
    name
        The preset that the rule set derives from; `differences` are told against it.

    Raises
    ------
    UsageError
        When made: for a value of the wrong type or out of range, and for fields that make no sense together.

    Examples
    --------
    >>> from calcsim.rules import preset
    >>> preset("advanced").replace(handoff="none").label
    'advanced handoff=none'
    """

    name: str = dataclasses.field(compare=False)
    max_players: int
    hand_size: int
    jokers: int
    start_piles: int
    growth: bool
    finish_multiply: bool
    joker_special: bool
    joker_finish: bool
    streak_penalty: int
    set_penalty: int
    streak_scope: str
    ring_from: str
    star_halving: bool
    handoff: str
    push_min_hand: int
    push_face_limit: int
    shield_min_hand: int
    shield_max_target: int
    ko: bool
    end: str
    scoring: str
    bonuses: bool
    turn_limit: int
    place_points: tuple[int, ...]

    def __post_init__(self) -> None:
        if isinstance(self.place_points, list):
            object.__setattr__(self, "place_points", tuple(self.place_points))
        for name, entry in FIELDS.items():
            entry.check(getattr(self, name))
        if self.growth and self.start_piles == 1:
            raise UsageError(
                "growth=on with start_piles=1: growth needs two piles at the start; "
                "set growth=off, or start_piles to 2, 3 or 4 (R5.1)"
            )
        if self.bonuses and self.scoring != "places":
            raise UsageError(
                f"bonuses=on with scoring={self.scoring}: bonuses go with scoring=places only; "
                "set bonuses=off, or scoring=places (R9.6)"
            )

    def replace(self, **changes: Any) -> RuleSet:
        """Return this rule set with some fields changed.

        Raises
        ------
        UsageError
            For an unknown field, a value out of range, or fields that make no sense together.
        """
        for name in changes:
            field(name)
        return dataclasses.replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, in the order of `FIELDS`, as JSON values (`place_points` is a list)."""
        values = {name: getattr(self, name) for name in FIELDS}
        values["place_points"] = list(self.place_points)
        return values

    def differences(self) -> dict[str, Any]:
        """Return the fields that differ from the preset `name`, as JSON values."""
        column = PRESET_NAMES.index(self.name)
        return {
            name: value
            for name, value in self.as_dict().items()
            if getattr(self, name) != FIELDS[name].presets[column]
        }

    @property
    def label(self) -> str:
        """The preset, and the fields that differ from it as ``--set`` would take them."""
        return " ".join((self.name, *self.changes))

    @property
    def changes(self) -> tuple[str, ...]:
        """The fields that differ from the preset, each as ``--set`` takes it."""
        return tuple(f"{name}={FIELDS[name].format(value)}" for name, value in self.differences().items())

    @property
    def fingerprint(self) -> str:
        """Twelve hex digits that change exactly when a field or the rules' version does."""
        # Imported here: a third of this module's import time, and most commands end before they need it.
        import hashlib
        import json

        text = json.dumps({"rules_version": RULES_VERSION, **self.as_dict()}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:_FINGERPRINT_DIGITS]

    def validate_players(self, players: int) -> None:
        """Refuse a number of players that these rules cannot seat.

        Raises
        ------
        UsageError
            For fewer than 2, more than `max_players`, or so many that the cards run out when dealing.
        """
        if not isinstance(players, int) or isinstance(players, bool) or players < MIN_PLAYERS:
            raise UsageError(f"players={players!r}: at least {MIN_PLAYERS} have to play (R2.1)")
        if players > self.max_players:
            highest = FIELDS["max_players"].high
            remedy = (
                f"set max_players={players}" if players <= highest else f"{highest} is the most it can be"
            )
            raise UsageError(
                f"players={players}: max_players={self.max_players} in rules {self.label!r}; {remedy} (R2.1)"
            )
        dealt = players * self.hand_size + self.start_piles
        if dealt > MOST_CARDS_DEALT:
            most = (MOST_CARDS_DEALT - self.start_piles) // players
            raise UsageError(
                f"hand_size={self.hand_size}: {players} players and start_piles={self.start_piles} take "
                f"{dealt} cards, and at most {MOST_CARDS_DEALT} can be dealt; "
                f"hand_size can be 1 to {most} here (R2.1)"
            )
