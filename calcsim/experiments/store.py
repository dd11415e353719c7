"""Results kept on disk by what they are results of, in chunks of deals, so that nothing is played twice.

Everything that can change a result is part of its key. So whatever lies under a key is right, however it came
there: a run that was killed goes on where it was, two runs can share a store, and a changed rule has a key of
its own. Files are the same bytes whenever the same is written, and appear whole or not at all.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import time
import uuid
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from calcsim.policies import identity
from calcsim.version import ENGINE_VERSION, METRICS_VERSION, RULES_VERSION

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calcsim.rules import RuleSet

CHUNK: Final = 20_000
"""Deals in a chunk: five of the engine's blocks (it must be whole ones), about a tenth of a second."""

STORE_VARIABLE: Final = "CALCSIM_STORE"
DEFAULT_STORE: Final = ".calcsim"

_LAYOUT: Final = 1
"""Raised whenever the same arrays would be written in another way."""

_KEY_DIGITS: Final = 24
_DATE: Final = (1980, 1, 1, 0, 0, 0)
_SUFFIX: Final = ".npz"
_UNFINISHED: Final = ".part"
_STALE_S: Final = 3600.0
"""Age at which an unfinished file belongs to no run any more."""

_DAMAGE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    IndexError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)
"""Whatever reading a spoilt archive may end in."""

Arrays = dict[str, "NDArray[Any]"]


class Kept(NamedTuple):
    """What lies under a key for a range of deals."""

    arrays: Arrays
    digest: str
    """SHA-256 of names, types, shapes and numbers, whatever the file around them."""


def default_root() -> Path:
    """Return the folder of the store unless one is named: ``$CALCSIM_STORE``, else ``.calcsim``."""
    return Path(os.environ.get(STORE_VARIABLE) or DEFAULT_STORE)


def chunk_ranges(deals: int) -> list[tuple[int, int]]:
    """Return the ranges ``first`` to ``stop - 1`` that deals are kept in; the last may be shorter.

    Examples
    --------
    >>> chunk_ranges(50_000)
    [(0, 20000), (20000, 40000), (40000, 50000)]
    """
    return [(first, min(first + CHUNK, deals)) for first in range(0, deals, CHUNK)]


def cell_identity(
    rules: RuleSet, players: int, policies: Sequence[str], *, seed: int, kind: str = "counted", **more: Any
) -> dict[str, Any]:
    """Return everything that can change what is kept of a cell, as JSON values.

    Parameters
    ----------
    rules, players, policies, seed
        What is played; one policy for each seat.
    kind
        What sort of result it is.
    more
        What else that sort depends on: the metrics that are kept, the number of replays.

    Raises
    ------
    UsageError
        If there is no such policy.
    """
    return {
        "kind": kind,
        "rules": rules.as_dict(),
        "fingerprint": rules.fingerprint,
        "players": players,
        "line_up": [identity(name) for name in policies],
        "seed": seed,
        "versions": {
            "rules": RULES_VERSION,
            "engine": ENGINE_VERSION,
            "metrics": METRICS_VERSION,
            "store": _LAYOUT,
        },
        **more,
    }


def key_of(identity: Mapping[str, Any]) -> str:
    """Return the key of an identity: 24 hex digits that change exactly when it does."""
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_KEY_DIGITS]


def joint_digest(digests: Sequence[str]) -> str:
    """Return one checksum for the chunks of a cell, in order."""
    return hashlib.sha256("".join(digests).encode()).hexdigest()


class Store:
    """A folder of results, ``cells/KEY/FIRST-STOP.npz`` with a readable ``cells/KEY/cell.json``.

    Parameters
    ----------
    root
        The folder; made when the first result is written.
    note
        Called with a line about a damaged file that will be made again.
    """

    def __init__(self, root: Path | str, note: Callable[[str], None] | None = None) -> None:
        self.root = Path(root)
        self._note = note

    def folder(self, key: str) -> Path:
        """Return the folder of a key."""
        return self.root / "cells" / key

    def path(self, key: str, first: int, stop: int) -> Path:
        """Return the file of deals `first` to ``stop - 1``."""
        return self.folder(key) / f"{first}-{stop}{_SUFFIX}"

    def has(self, key: str, first: int, stop: int) -> bool:
        """Return whether there is a file for exactly these deals, sound or not."""
        return self.path(key, first, stop).is_file()

    def read(self, key: str, first: int, stop: int) -> Kept | None:
        """Return what is kept of exactly these deals; None if it is not there, or damaged."""
        path = self.path(key, first, stop)
        try:
            data = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            return _unpack(data)
        except _DAMAGE as error:
            if self._note is not None:
                self._note(f"{path} is damaged ({' '.join(str(error).split())}) and made again")
            return None

    def write(
        self, key: str, first: int, stop: int, arrays: Mapping[str, NDArray[Any]], identity: Mapping[str, Any]
    ) -> Kept:
        """Keep arrays for deals `first` to ``stop - 1``, in place of shorter ranges from the same deal.

        Parameters
        ----------
        key, identity
            What they are results of; `key` is `key_of` of the identity.
        arrays
            By name. Of 64-bit integers in two dimensions, each row takes the bits that it needs.

        Returns
        -------
        kept
            As `read` will return it.
        """
        folder = self.folder(key)
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _put_once(self.root / ".gitignore", b"*\n")
            readable = json.dumps(identity, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
            _put_once(folder / "cell.json", readable.encode())
        data, digest = _pack(arrays)
        replace_file(self.path(key, first, stop), data)
        for path in list(folder.iterdir()):
            if _is_left_over(path, first, stop):
                with suppress(FileNotFoundError):
                    path.unlink()
        return Kept(dict(arrays), digest)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: whoever reads `path` sees what was there before, or all of `data`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}{_UNFINISHED}")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _put_once(path: Path, data: bytes) -> None:
    if not path.exists():
        replace_file(path, data)


def _is_left_over(path: Path, first: int, stop: int) -> bool:
    """Return whether a file is a shorter range from the same deal, or what a killed run was writing."""
    if path.suffix == _UNFINISHED:
        with suppress(FileNotFoundError):
            return time.time() - path.stat().st_mtime > _STALE_S
        return False
    begin, _, end = path.stem.partition("-")
    return path.suffix == _SUFFIX and begin == str(first) and end.isdecimal() and int(end) < stop


def _pack(arrays: Mapping[str, NDArray[Any]]) -> tuple[bytes, str]:
    """Return the bytes of an archive that `numpy.load` reads, and the digest of what is in it."""
    buffer = io.BytesIO()
    digest = hashlib.sha256()
    # Not compressed: leaving out the bits that are never set takes less time, and as little room.
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, array in _members(arrays):
            _add(digest, name, array)
            member = io.BytesIO()
            np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", _DATE)
            entry.create_system = 3  # else it would say on which system it was written
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, member.getbuffer())
        archive.comment = digest.hexdigest().encode()
    return buffer.getvalue(), digest.hexdigest()


def _unpack(data: bytes) -> Kept:
    """Return what `_pack` packed.

    Raises
    ------
    ValueError
        Or another of `_DAMAGE`, if it is not as it was packed.
    """
    members: Arrays = {}
    digest = hashlib.sha256()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            name = entry.filename.removesuffix(".npy")
            # Read to the end before anything is made of it: only then is its checksum known to hold.
            array = np.lib.format.read_array(io.BytesIO(archive.read(entry)), allow_pickle=False)
            _add(digest, name, array)
            members[name] = array
        if archive.comment.decode("ascii") != digest.hexdigest():
            raise ValueError("its checksum does not fit")
    return Kept(_arrays(members), digest.hexdigest())


def _add(digest: Any, name: str, array: NDArray[Any]) -> None:
    digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
    digest.update(array.tobytes())


def _members(arrays: Mapping[str, NDArray[Any]]) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the arrays as they are stored: little-endian, those with rows as `_Planes`."""
    for name, array in arrays.items():
        if array.ndim == 2 and array.dtype == np.int64:
            for part, member in _Planes.of(array)._asdict().items():
                yield f"{name}/{part}", member
        else:
            yield name, np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


def _arrays(members: Arrays) -> Arrays:
    """Return the arrays as they were before `_members`."""
    arrays: Arrays = {}
    for name, array in members.items():
        stem, slash, _ = name.partition("/")
        if not slash:
            arrays[name] = array
        elif stem not in arrays:
            arrays[stem] = _Planes(*(members[f"{stem}/{part}"] for part in _Planes._fields)).array()
    return arrays


class _Planes(NamedTuple):
    """An array of 64-bit integers, of each row only the bits that it needs.

    Less its lowest number, a row is written as so many planes: all lowest bits, then all next ones, and so
    on, eight to a byte as `numpy.packbits` has them.
    """

    shape: NDArray[np.int64]
    low: NDArray[np.int64]
    """The lowest number of each row."""
    bits: NDArray[np.int8]
    """How many planes each row has."""
    planes: NDArray[np.uint8]
    """Of all rows, one after the other."""

    @classmethod
    def of(cls, array: NDArray[np.int64]) -> _Planes:
        """Take an array apart."""
        rows, columns = array.shape
        low = array.min(axis=1) if columns else np.zeros(rows, dtype=np.int64)
        bits = np.zeros(rows, dtype=np.int8)
        planes = []
        for row in range(rows):
            above = (array[row] - low[row]).view(np.uint64)  # right even where it wraps around
            bits[row] = int(above.max()).bit_length() if columns else 0
            above = above.astype(_narrowest(bits[row]))
            planes += [np.packbits((above >> bit & 1).astype(np.bool_)) for bit in range(bits[row])]
        width = (columns + 7) // 8
        packed = np.array(planes, dtype=np.uint8).reshape(len(planes), width)
        return cls(np.array([rows, columns], dtype="<i8"), low.astype("<i8"), bits, packed)

    def array(self) -> NDArray[np.int64]:
        """Put it together again."""
        rows, columns = self.shape
        found = np.empty((rows, columns), dtype=np.int64)
        end = 0
        for row in range(rows):
            begin, end = end, end + int(self.bits[row])
            above = np.zeros(columns, dtype=_narrowest(self.bits[row]))
            for bit, plane in enumerate(self.planes[begin:end]):
                above |= np.unpackbits(plane, count=columns).astype(above.dtype) << bit
            found[row] = above.astype(np.uint64).view(np.int64) + self.low[row]
        return found


def _narrowest(bits: int) -> np.dtype[Any]:
    """Return the smallest unsigned integer of so many bits."""
    return np.dtype(f"u{next(size for size in (1, 2, 4, 8) if bits <= 8 * size)}")
