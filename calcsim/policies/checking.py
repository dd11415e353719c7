"""Whether a policy is sound: asked at thousands of positions, with what is wrong in plain words."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from calcsim.engine import columns, driver
from calcsim.engine import layout as at
from calcsim.engine import view as seen
from calcsim.engine._jit import State, door, memory
from calcsim.engine.table import apply_action, list_legal
from calcsim.errors import PolicyError, UsageError
from calcsim.policies import Policy, resolve, with_a_list
from calcsim.policies.naming import split_name
from calcsim.policies.parameters import misused
from calcsim.policies.positions import MOST_MOVES, Stream, deal, hidden_dealt_anew, settings
from calcsim.rules import PRESETS, RuleSet

CHECKS: Final = {
    "legal": "every answer is one of the legal actions",
    "errors": "nothing is raised",
    "steady": "the same question, asked again, has the same answer",
    "bounds": "what lies beyond the piles and cards that are there is not read",
    "blind": "other hidden cards change no answer",
    "hands off": "what it is shown is left as it is",
    "whole": "answers are whole numbers",
    "parameters": "every parameter is read, and no other",
    "games": "a game goes the same whatever games came before it",
}
"""What is checked, and what is so where nothing is wrong."""

DEFAULT_POSITIONS: Final = 5_000
PATIENCE_S: Final = 20.0
"""A policy that takes longer for one answer is held to never give one."""

_PAD: Final = 256
_EACH_KEPT: Final = 40
_SPEED_S: Final = 0.4
_RULES: Final = "advanced"
_PLAYERS: Final = 4

_UNDEFINED: Final = (slice(seen.V_TOP, seen.V_DONE), slice(seen.V_CARDS, seen.SIZE_VIEW))
"""Parts of a view that mean something only as far as there are piles, gaps and cards."""


@dataclass
class Finding:
    """Something wrong.

    Attributes
    ----------
    check
        One of `CHECKS`.
    text
        What is wrong, at the first position where it is.
    times
        At how many positions.
    where
        The rules and players of the first, and the turn.
    position
        That position, as ``calcsim legal`` takes it; None if it has to do with none.
    """

    check: str
    text: str
    times: int = 1
    where: str = ""
    position: dict[str, Any] | None = None


@dataclass
class Report:
    """What a check found.

    Attributes
    ----------
    name
        The policy.
    positions
        At how many positions it was asked.
    n_rules
        Of how many rule sets, presets and others.
    chance
        Share of the positions where it drew random numbers.
    findings
        What is wrong.
    decisions_per_second
        How fast it plays on one thread, None if it does not.
    """

    name: str
    positions: int = 0
    n_rules: int = 0
    chance: float = 0.0
    findings: list[Finding] = field(default_factory=list)
    decisions_per_second: float | None = None

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    def add(self, check: str, text: str, where: str = "", position: dict[str, Any] | None = None) -> None:
        """Add something wrong, or count it once more."""
        for known in self.findings:
            if known.check == check:
                known.times += 1
                return
        self.findings.append(Finding(check, text, 1, where, position))


def check(
    name: str,
    *,
    positions: int = DEFAULT_POSITIONS,
    seed: int = 0,
    patience: float = PATIENCE_S,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Ask a policy at many positions and say what is wrong with it.

    Parameters
    ----------
    name
        Of the policy, with its options.
    positions
        At how many positions.
    seed
        Of the positions.
    patience
        Seconds that one answer may take.
    progress
        Called with the number of positions done.

    Raises
    ------
    UsageError
        If there is no such policy, or it is one of the two that the engine itself plays.
    """
    policy = with_a_list(resolve(name, PRESETS[_RULES], _PLAYERS))
    if policy.function is None:
        raise UsageError(f"policy {name!r}: is a yardstick of the rules (R11), with no function to check")
    report = Report(name)
    if policy.kind == "plugged":
        _read_source(name, policy, report)
    exam = _Exam(name, report, positions, seed)
    thread = threading.Thread(target=exam.run, name="calcsim-check", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
        if progress is not None:
            progress(report.positions)
        if exam.asked_at and time.monotonic() - exam.asked_at > patience:
            report.add("legal", f"gives no answer within {patience:g} seconds", *exam.place())
            return report
    if exam.failure is not None:
        raise exam.failure
    if any(finding.check == "steady" for finding in report.findings):
        # Whose answers change anyhow, they change here, too.
        report.findings = [f for f in report.findings if f.check not in ("bounds", "blind")]
    # Who changes what is legal could play a game that never ends.
    if not {finding.check for finding in report.findings} & {"legal", "errors", "hands off"}:
        _play(name, report)
    order = list(CHECKS)
    report.findings.sort(key=lambda finding: order.index(finding.check))
    return report


@door
def observe(array: State, view: NDArray[np.int64]) -> None:
    """Write what the seat to move may see, see `view.observe`."""
    seen.observe(memory(array), view)


@dataclass(frozen=True)
class _Answer:
    """What a policy did when it was asked."""

    index: int
    error: str = ""
    drew: bool = False
    wrote: str = ""


class _Asker:
    """Asks one policy, each time with memory of its own around what it is shown."""

    def __init__(self, policy: Policy) -> None:
        self._function = policy.function
        self._thinks = policy.kind != "plugged"
        self._params = np.zeros(driver.PARAMS)
        self._params[: len(policy.params)] = policy.params

    def ask(self, state: NDArray[np.int64], legal: NDArray[np.int64], key: int, junk: int) -> _Answer:
        """Ask at a position; `junk` fills what means nothing, and what lies around."""
        shown = self._state(state) if self._thinks else self._view(state, junk)
        actions = np.full(len(legal) + 2 * _PAD, junk, dtype=np.int64)[_PAD : _PAD + len(legal)]
        actions[:] = legal
        params = self._params.copy()
        rng = np.array([key], dtype=np.uint64)
        before = shown.copy()
        try:
            index = self._function(shown, actions, len(legal), params, rng)
        except Exception as error:
            said = str(error).strip().splitlines()
            return _Answer(-1, f"raises {type(error).__name__}{': ' + said[0] if said else ''}")
        wrote = ""
        if not np.array_equal(actions, legal):
            wrote = "the list of legal actions"
        elif not np.array_equal(params, self._params):
            wrote = "its parameters"
        elif self._thinks and not _same_game(before, shown):
            wrote = "the state of the game"
        elif not self._thinks and not np.array_equal(before, shown):
            wrote = "its view"
        return _Answer(int(index), "", int(rng[0]) != key, wrote)

    def _view(self, state: NDArray[np.int64], junk: int) -> NDArray[np.int64]:
        around = np.full(seen.SIZE_VIEW + 2 * _PAD, junk, dtype=np.int64)
        view = around[_PAD : _PAD + seen.SIZE_VIEW]
        view[:] = 0
        for part in _UNDEFINED:
            view[part] = junk
        observe(state, view)
        return view

    def _state(self, state: NDArray[np.int64]) -> NDArray[np.int64]:
        return state.copy()


def _same_game(one: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    """Return whether two states are the same but for working memory."""
    parts = (slice(0, at.CARDS), slice(at.TAPE, at.PARTS))
    return all(np.array_equal(one[part], other[part]) for part in parts)


class _Exam:
    """The questions, asked in a thread of their own so that a policy that never answers can be left."""

    def __init__(self, name: str, report: Report, positions: int, seed: int) -> None:
        self._name = name
        self._report = report
        self._stream = Stream(seed)
        self._settings = settings(self._stream)
        self._wanted = positions
        self._kept: list[tuple[_Asker, NDArray[np.int64], NDArray[np.int64], int, int]] = []
        self._table: Any = None
        self._legal = np.empty(at.MAX_CANDIDATES, dtype=np.int64)
        self._drew = 0
        self.failure: BaseException | None = None
        self.asked_at = 0.0
        report.n_rules = len({rules.label for rules, _ in self._settings})

    def run(self) -> None:
        """Ask at all positions."""
        try:
            # Compiled here, so that the time of an answer is the policy's own.
            observe(np.zeros(at.SIZE_STATE, dtype=np.int64), np.zeros(seen.SIZE_VIEW, dtype=np.int64))
            for i, (rules, players) in enumerate(self._settings):
                left = self._wanted - self._report.positions
                self._ask_setting(rules, players, -(-left // (len(self._settings) - i)))
            for asker, state, legal, key, index in self._kept:
                if asker.ask(state, legal, key, 0).index != index:
                    self._report.add("steady", "answers otherwise when asked again after other questions")
        except BaseException as error:
            self.failure = error
        finally:
            self.asked_at = 0.0
        self._report.chance = self._drew / max(self._report.positions, 1)

    def place(self) -> tuple[str, dict[str, Any]]:
        """Return where the question is asked, in words and as a position."""
        rules: RuleSet = self._table.rules
        turn = int(self._table.state[at.TURNS]) + 1
        return f"{rules.label}, {self._table.players} players, turn {turn}", self._table.position()

    def _ask_setting(self, rules: RuleSet, players: int, n: int) -> None:
        asker = _Asker(with_a_list(resolve(self._name, rules, players)))
        while n > 0:
            self._table = deal(rules, players, self._stream)
            state = self._table.state
            moves = 0
            while n > 0 and moves < MOST_MOVES and not self._table.over:
                n_legal = list_legal(state, self._legal)
                legal = self._legal[:n_legal]
                index = self._question(asker, state, legal)
                # Positions come both of its own play and of anybody's.
                if index is None or self._stream.below(3) == 0:
                    index = self._stream.below(n_legal)
                apply_action(state, int(legal[index]))
                n -= 1
                moves += 1

    def _question(self, asker: _Asker, state: Any, legal: Any) -> int | None:
        """Ask at one position in every way; return the answer if there is one."""
        report = self._report
        report.positions += 1
        key = self._stream.bits()

        def wrong(check: str, text: str) -> None:
            report.add(check, text, *self.place())

        def ask(state: Any, junk: int = 0) -> _Answer:
            self.asked_at = time.monotonic()
            answer = asker.ask(state, legal, key, junk)
            self.asked_at = 0.0
            return answer

        first = ask(state)
        if first.error:
            wrong("errors", first.error)
            return None
        if not 0 <= first.index < len(legal):
            wrong("legal", f"answers {first.index} where n is {len(legal)}: must be from 0 to n - 1")
            return None
        self._drew += first.drew
        if first.wrote:
            wrong("hands off", f"changes {first.wrote}")
        again = ask(state)
        filled = ask(state, junk=987_654_321)
        if again.index != first.index or again.drew != first.drew:
            wrong("steady", f"answers {first.index}, then {again.index}, with the same random stream")
        elif filled.index != first.index:
            wrong("bounds", "reads what means nothing: piles, gaps or cards that are not there, or beyond")
        elif ask(hidden_dealt_anew(state, self._stream)).index != first.index:
            wrong("blind", "answers otherwise when only hidden cards differ: sees what it may not (R10.2)")
        if report.positions % _EACH_KEPT == 0:
            self._kept.append((asker, state.copy(), legal.copy(), key, first.index))
        return first.index


def _read_source(name: str, policy: Policy, report: Report) -> None:
    """Check what the compiler and the source tell of a user's policy."""
    from calcsim.policies.plugin import find, plain, returns_fraction

    if returns_fraction(policy.function):
        report.add("whole", "returns a fraction, which is cut to a whole number: return an index")
    function, mark = find(split_name(name))
    for text in misused(plain(function), [option.name for option in mark.options]):
        report.add("parameters", text)


def _play(name: str, report: Report) -> None:
    """Play whole games on the engine: the same alone as after others, and how fast."""
    cell = driver.prepare(PRESETS[_RULES], _PLAYERS, [name])
    try:
        after_others = _games(cell, 0, 30)[:, 20:]
        alone = _games(cell, 20, 10)
        if not np.array_equal(after_others, alone):
            report.add("games", "plays a game otherwise after other games than alone: remembers something")
        report.decisions_per_second = _speed(cell)
    except PolicyError as error:
        report.add("games", str(error))


def _games(cell: driver.Cell, first: int, games: int) -> NDArray[np.int32]:
    blocks = driver.blocks(cell, seed=1, first=first, games=games, threads=1, map=lambda _, out: out.copy())
    return np.concatenate(list(blocks), axis=1)


def _speed(cell: driver.Cell) -> float:
    """Return decisions a second on one thread: more and more games until they take long enough."""
    rows = [columns.game(f"decisions_{moment}") for moment in ("free", "after_draw", "penalty")]

    def decisions(_: int, out: NDArray[np.int32]) -> int:
        return int(out[rows].sum())

    games = 20
    while True:
        began = time.perf_counter()
        n = sum(driver.blocks(cell, seed=1, games=games, threads=1, map=decisions))
        took = time.perf_counter() - began
        if took >= _SPEED_S / 2:
            return n / took
        games = int(games * min(50.0, max(2.0, _SPEED_S / took)))
