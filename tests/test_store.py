"""The store: keys, whole files or none, the same bytes, damage found, two runs at once."""

from __future__ import annotations

import json
import os
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calcsim import policies
from calcsim.engine import columns
from calcsim.errors import UsageError
from calcsim.experiments import comparing
from calcsim.experiments import store as module
from calcsim.experiments.store import (
    Store,
    cell_identity,
    chunk_ranges,
    default_root,
    joint_digest,
    key_of,
    replace_file,
)
from calcsim.rules import preset

KEY = "0123456789abcdef01234567"
IDENTITY = {"kind": "counted", "seed": 7}


def arrays(columns: int = 30) -> dict[str, Any]:
    steps = np.arange(columns, dtype=np.int64)
    return {
        "values": np.array([steps % 5, -steps * 200, steps * 100_000, steps + 98, steps << 40]),
        "small": np.array([[1, 2], [3, 4]], dtype=np.int32),
        "marks": steps.astype(np.uint32) * np.uint32(2654435761),
        "sums": np.array([2**62, -3], dtype=np.int64),
        "course": np.linspace(0, 1, columns),
    }


def assert_same(got: dict[str, Any], expected: dict[str, Any]) -> None:
    assert list(got) == list(expected)
    for name, array in expected.items():
        assert got[name].dtype == array.dtype, name
        np.testing.assert_array_equal(got[name], array)


def identity(**changes: Any) -> dict[str, Any]:
    given = {"rules": preset("advanced"), "players": 2, "policies": ["greedy"] * 2, "seed": 1}
    given |= {"metrics": ["turns"]} | changes
    return cell_identity(
        given.pop("rules"), given.pop("players"), given.pop("policies"), seed=given.pop("seed"), **given
    )


def test_arrays_come_back_as_they_were(tmp_path: Path):
    store = Store(tmp_path)
    written = store.write(KEY, 0, 30, arrays(), IDENTITY)
    read = store.read(KEY, 0, 30)
    assert read is not None
    assert_same(read.arrays, arrays())
    assert_same(written.arrays, arrays())
    assert read.digest == written.digest


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_arrays_without_columns_come_back(tmp_path: Path, rows: int):
    store = Store(tmp_path)
    empty = {"values": np.zeros((rows, 0), dtype=np.int64), "marks": np.zeros(0, dtype=np.uint32)}
    store.write(KEY, 0, 1, empty, IDENTITY)
    read = store.read(KEY, 0, 1)
    assert read is not None
    assert_same(read.arrays, empty)


@pytest.mark.parametrize("limit", [2, 2**7, 2**8, 2**15, 2**31, 2**62])
def test_rows_at_the_edge_of_a_width_come_back(tmp_path: Path, limit: int):
    rows = [[0, limit - 1, 3], [7, limit, 0], [-limit, 0, 1], [-limit - 1, limit, 0], [limit] * 3]
    edge = {"values": np.array(rows, dtype=np.int64)}
    store = Store(tmp_path)
    store.write(KEY, 0, 3, edge, IDENTITY)
    read = store.read(KEY, 0, 3)
    assert read is not None
    assert_same(read.arrays, edge)


def test_the_same_arrays_are_the_same_bytes(tmp_path: Path):
    for name in ("a", "b"):
        Store(tmp_path / name).write(KEY, 0, 30, arrays(), IDENTITY)
    first, second = (Store(tmp_path / name).path(KEY, 0, 30) for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


def test_numpy_reads_the_files(tmp_path: Path):
    store = Store(tmp_path)
    store.write(KEY, 0, 30, arrays(), IDENTITY)
    with np.load(store.path(KEY, 0, 30)) as loaded:
        np.testing.assert_array_equal(loaded["marks"], arrays()["marks"])
        assert loaded["values/bits"].tolist() == [3, 13, 22, 5, 45]
        assert loaded["values/planes"].shape == (88, 4)


def test_small_numbers_take_little_room(tmp_path: Path):
    store = Store(tmp_path)
    steps = np.arange(40 * 5_000, dtype=np.int64).reshape(40, 5_000)
    store.write(KEY, 0, 5_000, {"values": steps * 7919 % 16}, IDENTITY)
    assert store.path(KEY, 0, 5_000).stat().st_size < 0.55 * steps.size


def test_the_digest_changes_with_a_number_a_name_and_a_type(tmp_path: Path):
    store = Store(tmp_path)
    base = {"a": np.arange(4)}
    changed = [{"a": np.arange(4)[::-1]}, {"b": np.arange(4)}, {"a": np.arange(4.0)}]
    digests = [store.write(KEY, 0, 4, given, IDENTITY).digest for given in [base, *changed]]
    assert len(set(digests)) == 4


def test_only_exactly_the_same_deals_are_found(tmp_path: Path):
    store = Store(tmp_path)
    assert store.read(KEY, 0, 30) is None
    store.write(KEY, 0, 30, arrays(), IDENTITY)
    assert store.has(KEY, 0, 30)
    assert not store.has(KEY, 0, 40)
    assert store.read(KEY, 0, 40) is None
    assert store.read(KEY, 30, 60) is None


def test_a_longer_range_replaces_the_shorter_and_nothing_else(tmp_path: Path):
    store = Store(tmp_path)
    for first, stop in [(0, 40), (40, 50), (40, 45), (140, 150), (4, 5), (40, 60), (40, 42)]:
        store.write(KEY, first, stop, arrays(), IDENTITY)
    kept = {path.name for path in store.folder(KEY).glob("*.npz")}
    assert kept == {"0-40.npz", "4-5.npz", "140-150.npz", "40-60.npz", "40-42.npz"}


def test_whole_files_alone_are_left(tmp_path: Path):
    store = Store(tmp_path)
    store.write(KEY, 0, 30, arrays(), IDENTITY)
    assert {path.name for path in store.folder(KEY).iterdir()} == {"0-30.npz", "cell.json"}
    assert json.loads((store.folder(KEY) / "cell.json").read_text("utf-8")) == IDENTITY


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "file"
    replace_file(path, b"before")

    def full(descriptor: int) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(module.os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        replace_file(path, b"after")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"before"


def test_what_a_killed_run_left_is_taken_away_in_time(tmp_path: Path):
    store = Store(tmp_path)
    store.write(KEY, 0, 30, arrays(), IDENTITY)
    old, young = (store.folder(KEY) / f".0-30.npz.{word}.part" for word in ("old", "young"))
    old.write_bytes(b"half")
    young.write_bytes(b"half")
    then = time.time() - 7_200
    os.utime(old, (then, then))
    store.write(KEY, 30, 60, arrays(), IDENTITY)
    assert not old.exists()
    assert young.exists()


def test_the_store_keeps_itself_out_of_version_control(tmp_path: Path):
    Store(tmp_path / "kept").write(KEY, 0, 30, arrays(), IDENTITY)
    assert (tmp_path / "kept" / ".gitignore").read_text("utf-8") == "*\n"


def test_any_damage_is_found_or_harmless(tmp_path: Path):
    said: list[str] = []
    store = Store(tmp_path, said.append)
    written = store.write(KEY, 0, 3, arrays(3), IDENTITY)
    path = store.path(KEY, 0, 3)
    sound = path.read_bytes()
    found = 0
    for at in range(0, len(sound), 2):
        flipped = sound[at] ^ (0x01, 0x80, 0xFF)[at // 2 % 3]
        path.write_bytes(sound[:at] + bytes([flipped]) + sound[at + 1 :])
        read = store.read(KEY, 0, 3)
        if read is None:
            found += 1
        else:
            assert_same(read.arrays, arrays(3))
            assert read.digest == written.digest
    assert found == len(said) > len(sound) / 4
    assert str(path) in said[0]
    assert all("\n" not in line for line in said)


@pytest.mark.parametrize("keep", [0, 1, 100, -1])
def test_a_file_cut_short_is_damaged(tmp_path: Path, keep: int):
    store = Store(tmp_path)
    store.write(KEY, 0, 30, arrays(), IDENTITY)
    path = store.path(KEY, 0, 30)
    path.write_bytes(path.read_bytes()[:keep])
    assert store.read(KEY, 0, 30) is None


def test_another_sound_archive_is_damage(tmp_path: Path):
    store = Store(tmp_path)
    store.write(KEY, 0, 30, arrays(), IDENTITY)
    with zipfile.ZipFile(store.path(KEY, 0, 30), "w") as archive:
        archive.writestr("marks.npy", b"\x93NUMPY")
    assert store.read(KEY, 0, 30) is None


def test_many_writers_of_one_chunk_do_no_harm(tmp_path: Path):
    store = Store(tmp_path)
    data = arrays(4_000)

    def write_and_read(turn: int) -> bool:
        store.write(KEY, 0, 4_000, data, IDENTITY)
        read = store.read(KEY, 0, 4_000)
        return read is not None and np.array_equal(read.arrays["values"], data["values"])

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(write_and_read, range(40)))
    assert {path.name for path in store.folder(KEY).iterdir()} == {"0-4000.npz", "cell.json"}


def test_chunks_cover_the_deals_once():
    assert chunk_ranges(0) == []
    assert chunk_ranges(1) == [(0, 1)]
    assert chunk_ranges(module.CHUNK) == [(0, module.CHUNK)]
    assert chunk_ranges(2 * module.CHUNK + 5)[1:] == [
        (module.CHUNK, 2 * module.CHUNK),
        (2 * module.CHUNK, 2 * module.CHUNK + 5),
    ]


def test_chunks_are_whole_blocks():
    assert module.CHUNK % columns.BLOCK == 0
    assert comparing.ROUND % module.CHUNK == 0


def test_raised_deals_keep_all_chunks_but_the_last():
    assert set(chunk_ranges(90_000)[:-1]) < set(chunk_ranges(1_000_000))


CHANGES: list[dict[str, Any]] = [
    {"rules": preset("calc")},
    {"rules": preset("advanced").replace(jokers=1)},
    {"players": 3, "policies": ["greedy"] * 3},
    {"policies": ["greedy", "random"]},
    {"policies": ["random", "greedy"]},
    {"seed": 2},
    {"kind": "flow"},
    {"metrics": ["turns", "ring"]},
    {"replays": 50},
]


def test_a_key_changes_with_everything_that_changes_the_games():
    keys = [key_of(identity()), *(key_of(identity(**change)) for change in CHANGES)]
    assert len(set(keys)) == len(keys)
    assert all(len(key) == 24 and int(key, 16) >= 0 for key in keys)


@pytest.mark.parametrize("version", ["RULES_VERSION", "ENGINE_VERSION", "METRICS_VERSION"])
def test_a_key_changes_with_a_version(monkeypatch: pytest.MonkeyPatch, version: str):
    before = key_of(identity())
    monkeypatch.setattr(module, version, 99)
    assert key_of(identity()) != before


def test_a_key_does_not_change_with_the_name_of_the_preset():
    renamed = preset("calc").replace(**preset("advanced").as_dict())
    assert renamed.name == "calc"
    assert key_of(identity(rules=renamed)) == key_of(identity())


def test_a_players_file_counts_by_what_is_in_it(tmp_path: Path):
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("def f(view, legal, n, params, rng):\n    return 0\n", "utf-8")
    a, b = f"{tmp_path}/a.py:f", f"{tmp_path}/b.py:f"
    assert policies.identity(a) == policies.identity(b)
    assert policies.identity(a) != policies.identity(f"{tmp_path}/a.py:g")
    before = policies.identity(a)
    (tmp_path / "a.py").write_text("def f(view, legal, n, params, rng):\n    return n - 1\n", "utf-8")
    assert policies.identity(a) != before
    assert policies.identity("greedy") == "greedy"


def test_an_unknown_policy_has_no_identity():
    with pytest.raises(UsageError, match="did you mean 'greedy'"):
        policies.identity("greddy")


def test_the_environment_names_the_store(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("CALCSIM_STORE", raising=False)
    assert default_root() == Path(".calcsim")
    monkeypatch.setenv("CALCSIM_STORE", "/elsewhere/kept")
    assert default_root() == Path("/elsewhere/kept")


def test_a_joint_digest_depends_on_the_order():
    assert joint_digest(["a", "b"]) != joint_digest(["b", "a"])
    assert len(joint_digest([])) == 64
