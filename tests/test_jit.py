"""Where compiled code is kept, and that working memory has room for the largest hands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calcsim.engine import _jit, driver, legality
from calcsim.engine import layout as at
from calcsim.engine._jit import door, leading_zeros, lowest_bit, memory, popcount
from calcsim.engine.deal import clear
from calcsim.engine.params import pack_rules
from calcsim.notation.table import legal_actions
from calcsim.rules import load_rules

FIELD = {"shape": "line", "order": [0], "piles": [["7"]]}
PACKAGE = Path(__file__).parent.parent / "calcsim"
TELL = "from calcsim.engine._jit import CACHE, source_hash; print(source_hash(), CACHE)"


@door
def bits(x: int) -> Any:
    return popcount(x), lowest_bit(x), leading_zeros(x)


@door
def plays_of(array: Any) -> Any:
    state = memory(array)
    return legality.list_plays(state)


@door
def parts_of(array: Any, naturals: int, limit: int) -> Any:
    state = memory(array)
    every_sum = (2 << limit) - 1
    return legality.list_parts(state, naturals, legality.numbers_in(naturals), limit, every_sum)


@door
def cleared(array: Any, players: int) -> None:
    clear(memory(array), players)


@door
def numbers_in(naturals: int) -> Any:
    return legality.numbers_in(naturals)


@given(st.lists(st.integers(0, 4), min_size=13, max_size=13))
def test_numbers_of_a_packed_hand(held: list[int]) -> None:
    packed = sum(n << 4 * i for i, n in enumerate(held))
    assert numbers_in(packed) == sum(2 << i for i, n in enumerate(held) if n)


@given(st.integers(1, 2**63 - 1))
def test_bit_counts(x: int) -> None:
    assert bits(x) == (x.bit_count(), (x & -x).bit_length() - 1, 64 - x.bit_length())


def told(package_root: Path, **surroundings: str) -> tuple[str, str]:
    """The hash and the cache of a package elsewhere."""
    kept = {key: value for key, value in os.environ.items() if "CACHE" not in key}
    run = subprocess.run(
        [sys.executable, "-c", TELL],
        env=kept | {"PYTHONPATH": str(package_root)} | surroundings,
        cwd=package_root,
        capture_output=True,
        text=True,
        check=True,
    )
    name, _, folder = run.stdout.strip().partition(" ")
    return name, folder


def test_an_edit_of_any_source_moves_the_cache(tmp_path: Path) -> None:
    """Numba does not see that a function called from another file has changed: the folder's name does."""
    shutil.copytree(PACKAGE, tmp_path / "calcsim")
    place = str(tmp_path / "cache")
    before = told(tmp_path, CALCSIM_CACHE_DIR=place)
    assert before[1] == str(tmp_path / "cache" / before[0])
    assert told(tmp_path, CALCSIM_CACHE_DIR=place) == before
    assert told(tmp_path, NUMBA_CACHE_DIR=place) == before
    source = tmp_path / "calcsim" / "engine" / "field.py"
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("RUN + pile] = 1", "RUN + pile] = 2"), encoding="utf-8")
    assert told(tmp_path, CALCSIM_CACHE_DIR=place)[0] != before[0]
    source.write_text(text, encoding="utf-8")
    assert told(tmp_path, CALCSIM_CACHE_DIR=place) == before
    assert told(tmp_path, CALCSIM_CACHE_DIR=place, NUMBA_BOUNDSCHECK="1")[0] != before[0]


def test_each_door_is_cold_until_it_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Having compiled what lists legal actions does not make the first game quick."""
    monkeypatch.setattr(_jit, "CACHE", tmp_path)
    assert _jit.is_cold("game.play_games")
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "table.list_legal-38.py311.nbi").write_bytes(b"")
    assert not _jit.is_cold("table.list_legal")
    assert _jit.is_cold("game.play_games")


def test_the_names_of_the_doors_are_those_that_numba_keeps() -> None:
    driver.prepare(load_rules("calc"), 2, ["greedy"])  # imports, and so compiles, the engine
    assert not _jit.is_cold("game.play_games")
    legal_actions({"rules": "calc", "field": FIELD, "hand": ["2"], "others": [{"seat": 1, "size": 1}]})
    assert not _jit.is_cold("table.list_legal")


def test_where_nothing_can_be_kept_there_is_no_cache(tmp_path: Path) -> None:
    """A file in the place of a folder stands for a disk that cannot be written to."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    root = PACKAGE.parent
    assert told(root, CALCSIM_CACHE_DIR=str(tmp_path / "file"))[1] == "None"
    _, folder = told(root, XDG_CACHE_HOME=str(tmp_path / "file"), HOME=str(tmp_path), TMPDIR=str(tmp_path))
    assert str(tmp_path) in folder


def full_state(jokers: int) -> Any:
    """A state in which one player holds the whole deck, and each number lies on top of some pile."""
    state = np.zeros(at.SIZE_STATE, dtype=np.int64)
    state[: at.SIZE_RULES] = pack_rules(load_rules("advanced", ["joker_finish=on"]))
    cleared(state, 2)
    state[at.HAND] = sum(4 << 4 * (card - 1) for card in range(1, 14)) + (jokers << 52)
    state[at.SIZE] = 52 + jokers
    state[at.TOPS] = sum(1 << number for number in range(1, 14))
    for pile in range(13):
        state[at.TOP + pile] = pile + 1
        state[at.N_TOPS + pile + 1] = 1
    state[at.N_PILES] = 13
    for gap in range(12):
        state[at.GAP + gap] = gap | (gap + 1) << 8
    state[at.N_GAPS] = 12
    state[at.LAST_END] = 12
    return state


def test_working_memory_holds_what_a_whole_deck_allows() -> None:
    state = full_state(2)
    whole = int(state[at.HAND]) & ~(15 << 52)
    assert parts_of(state, whole, 13) == (299, 298)
    assert at.MAX_PARTS > 299
    # Longer than the engine's, so that one candidate too many is seen and does no harm.
    n, total = plays_of(np.concatenate([state, np.zeros(100_000, dtype=np.int64)]))
    assert (n, total) == (8_566, 23_943)
    # At most 41 more piles, each with a gap more: three numbers, natural or joker; and U of two jokers.
    assert n + 41 * 6 + 4 < at.MAX_CANDIDATES


@pytest.mark.parametrize("limit", range(14))
def test_R4_2_sets_of_natural_cards_are_all_sums(limit: int) -> None:
    """The number of partitions into parts of at most 13, none more than four times."""
    ways = [1] + [0] * 13
    for number in range(1, 14):
        ways = [sum(ways[total - number * k] for k in range(5) if total >= number * k) for total in range(14)]
    state = full_state(0)
    n = sum(ways[: limit + 1])  # the empty set is none of the plays
    assert parts_of(state, int(state[at.HAND]), limit) == (n, n - 1)
