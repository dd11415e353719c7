"""Policies in a user's own Python file, named ``FILE.py:FUNCTION``."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path
from typing import Any

from numba.core.errors import NumbaError
from numba.extending import is_jitted

from calcsim.engine._jit import POLICY_SIGNATURE, policy_kernel
from calcsim.errors import UsageError, nearest
from calcsim.policies.naming import PolicyName, read_options

_ARGUMENTS = 5


def load(split: PolicyName) -> tuple[Any, list[float]]:
    """Return the compiled function of ``FILE.py:FUNCTION``, and the values of its options.

    Raises
    ------
    UsageError
        If the file cannot be read or run, the function is not in it, or it does not compile as a policy.
    """
    name = split.text
    file, _, function_name = split.base.rpartition(":")
    path = Path(file)
    spec = importlib.util.spec_from_file_location(f"calcsim_policy_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"policy {name!r}: {file!r} is no Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except NumbaError as error:
        raise UsageError(f"policy {name!r}: does not compile: {first_line(error)}") from error
    except Exception as error:
        raise UsageError(
            f"policy {name!r}: {type(error).__name__} while {file!r} was run: {error}"
        ) from error
    function = getattr(module, function_name, None)
    if function is None:
        own = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise UsageError(f"policy {name!r}: {file!r} has no {function_name!r}{nearest(function_name, own)}")
    return compiled(name, function), read_options(split, ())


def compiled(name: str, function: Any) -> Any:
    """Return a function as a compiled policy.

    Raises
    ------
    UsageError
        If it takes other arguments or does not compile.
    """
    plain = function.py_func if is_jitted(function) else function
    if not inspect.isfunction(plain):
        raise UsageError(f"policy {name!r}: must be a function (view, legal, n, params, rng)")
    if len(inspect.signature(plain).parameters) != _ARGUMENTS:
        raise UsageError(f"policy {name!r}: must take (view, legal, n, params, rng)")
    try:
        done: Any = function if is_jitted(function) else policy_kernel(plain)
    except NumbaError as error:
        raise UsageError(f"policy {name!r}: does not compile: {first_line(error)}") from error
    overload = done.overloads.get(POLICY_SIGNATURE.args)
    if overload is None:
        raise UsageError(
            f"policy {name!r}: is compiled to another signature; mark it with calcsim.policy alone"
        )
    if overload.signature.return_type != POLICY_SIGNATURE.return_type:
        raise UsageError(f"policy {name!r}: returns no index, whatever it is asked")
    return done


def first_line(error: Exception) -> str:
    """Return the line of a compiler's message that says what is wrong, with the line of the file."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("Failed in", "During:", "-"))]
    place = next((line for line in lines if line.startswith("File ")), "")
    return " ".join(dict.fromkeys([*telling[:1], place])).strip() or type(error).__name__
