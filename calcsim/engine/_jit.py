"""The only door to numba: one decorator, three bit counts, and where compiled code is kept.

Numba's cache sees an edit of the decorated function's own file alone, so a change elsewhere would leave old
rules running. The cache therefore lies in a folder named after a hash of every source of the engine, set
before anything is compiled; `CALCSIM_CACHE_DIR` or `NUMBA_CACHE_DIR` say where that folder lies.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numba
from numba import config, types
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])


class State(Protocol):
    """The state of a game (`layout`): an int64 array, or in kernels the `memory` of one."""

    def __getitem__(self, index: int, /) -> int:
        """Return a number."""

    def __setitem__(self, index: int, value: int, /) -> None:
        """Change a number."""


_KEPT_CACHES = 4
"""Caches of other versions that are left alone; older ones are removed."""

_ROOM = 8 << 20
"""Bytes that a cache may take: a disk too full for them is no place for it."""

_STALE_S = 7 * 24 * 3600.0
"""A cache of another version that was used within this many seconds is never removed."""


def source_hash() -> str:
    """Return a short hash of the engine's sources, numba's version and the flags that change its code."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    flags = (config.BOUNDSCHECK, config.OPT, config.CPU_NAME, config.CPU_FEATURES)
    digest.update(repr((numba.__version__, sys.version_info[:2], flags)).encode())
    return digest.hexdigest()[:16]


def _holds_code(folder: Path, door: str = "*") -> bool:
    """Return whether numba has kept a door's compiled code in a folder, or any."""
    return any(folder.rglob(f"{door}-*.nbi"))


def _usable(folder: Path) -> bool:
    """Create `folder` and try to write there; another user's folder does not count."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _chosen_root() and hasattr(os, "getuid"):
            # In a place open to all, another user's folder could hold another user's code.
            if {folder.stat().st_uid, folder.parent.stat().st_uid} != {os.getuid()}:
                return False
        with tempfile.TemporaryFile(dir=folder) as file:
            if not _holds_code(folder):
                file.write(bytes(_ROOM))
            return True
    except OSError:
        return False


def _chosen_root() -> str | None:
    """Return the place that the environment names."""
    return os.environ.get("CALCSIM_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")


def _roots() -> list[Path]:
    """Places where a cache may lie, the best first."""
    chosen = _chosen_root()
    if chosen:
        return [Path(chosen)]
    import platformdirs

    user = str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    roots = [Path(tempfile.gettempdir()) / f"calcsim-{user}"]
    with contextlib.suppress(RuntimeError, KeyError):  # no HOME and no entry for the user
        roots.insert(0, Path(platformdirs.user_cache_dir("calcsim")))
    return roots


def _remove_old(root: Path, keep: Path) -> None:
    """Remove caches of sources that are no longer there, but a few and the recent ones."""
    with contextlib.suppress(OSError):
        others = [p for p in root.iterdir() if p.is_dir() and p != keep and len(p.name) == 16]
        others.sort(key=lambda p: p.stat().st_mtime, reverse=True)
        for path in others[_KEPT_CACHES:]:
            if time.time() - path.stat().st_mtime > _STALE_S:
                shutil.rmtree(path, ignore_errors=True)


def _choose_cache() -> Path | None:
    """Point numba's cache at a folder of this version; None if nothing can be written anywhere."""
    name = source_hash()
    for root in _roots():
        folder = root / name
        if _usable(folder):
            config.CACHE_DIR = str(folder)
            with contextlib.suppress(OSError):
                os.utime(folder)
            _remove_old(root, folder)
            return folder
    return None


CACHE = _choose_cache()
"""Folder of the compiled code, or None where none can be kept."""

warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

VIEW = types.Array(types.int64, 1, "C")
LEGAL = types.Array(types.int64, 1, "C")
PARAMS = types.Array(types.float64, 1, "C")
RNG = types.Array(types.uint64, 1, "C")
POLICY_SIGNATURE = types.int64(VIEW, LEGAL, types.int64, PARAMS, RNG)
SCORER_SIGNATURE = types.float64(VIEW, types.int64, PARAMS)
POLICY = types.FunctionType(POLICY_SIGNATURE)
"""A player's function as the engine takes it: by pointer, so that a new one does not recompile the engine."""


def is_cold(door: str) -> bool:
    """Return whether a door, such as ``game.play_games``, still has to be compiled here."""
    return CACHE is None or not _holds_code(CACHE, door)


def kernel(function: F) -> F:
    """Compile a function that only compiled code calls: no way in from Python, which saves a third."""
    compiled: F = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    return compiled


def inlined(function: F) -> F:
    """Compile a kernel into those that call it: for few, called so often that the call itself counts."""
    compiled: F = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)(
        function
    )
    return compiled


def door(function: F) -> F:
    """Compile a kernel that Python calls: kept on disk, and without the interpreter's lock."""
    compiled: F = numba.njit(cache=CACHE is not None, nogil=True)(function)
    return compiled


if config.DISABLE_JIT or config.BOUNDSCHECK:

    def memory(array: Any) -> Any:
        """Return the array itself, so that every index is checked."""
        return array

    if not config.DISABLE_JIT:
        memory = numba.njit(memory)
else:

    def _memory(typingctx: Any, array: Any) -> Any:
        """Return a pointer to an array's numbers.

        It goes into kernels as one argument where an array goes as seven, and is indexed without the test
        whether an index counts from the end.
        """

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return context.make_array(array)(context, builder, args[0]).data

        return types.CPointer(array.dtype)(array), codegen

    memory = intrinsic(_memory)


def entry(signature: Any) -> Callable[[F], F]:
    """Compile a door of a declared signature: one that takes policies is found again on disk only so."""

    def wrap(function: F) -> F:
        compiled: F = numba.njit(signature, cache=CACHE is not None, nogil=True)(function)
        return compiled

    return wrap


def policy_kernel(function: F, signature: Any = POLICY_SIGNATURE) -> F:
    """Compile a player's function to one signature, at once; a wrong index raises."""
    compiled: F = numba.njit(signature, nogil=True, boundscheck=True)(function)
    return compiled


def player_kernel(function: F) -> F:
    """Compile a function for players to call, when it is first called; a wrong index raises."""
    compiled: F = numba.njit(nogil=True, boundscheck=True, no_cfunc_wrapper=True)(function)
    return compiled


def _bits(name: str, extra: bool) -> Any:
    """Build an intrinsic over one int64 from LLVM's function of that name."""

    def build(typingctx: Any, x: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if name == "ctpop":
                return builder.ctpop(args[0])
            return getattr(builder, name)(args[0], context.get_constant(types.boolean, extra))

        return types.int64(types.int64), codegen

    return intrinsic(build)


if config.DISABLE_JIT:

    def popcount(x: int) -> int:
        """Return the number of ones of `x`, 0 or more."""
        return int(x).bit_count()

    def lowest_bit(x: int) -> int:
        """Return the position of the lowest one of `x`, above 0."""
        return (int(x) & -int(x)).bit_length() - 1

    def leading_zeros(x: int) -> int:
        """Return the zeros above the highest one of `x` in 64 bits."""
        return 64 - int(x).bit_length()
else:
    popcount = _bits("ctpop", False)
    lowest_bit = _bits("cttz", True)
    leading_zeros = _bits("ctlz", True)
