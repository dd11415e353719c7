"""Policies in a user's own Python file, named ``FILE.py:FUNCTION``."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from numba.core.errors import NumbaError
from numba.extending import is_jitted

from calcsim.engine._jit import POLICY_SIGNATURE, SCORER_SIGNATURE, policy_kernel
from calcsim.engine.rng import below
from calcsim.errors import CalcsimError, UsageError, nearest
from calcsim.policies.authoring import Mark, mark_of
from calcsim.policies.naming import PolicyName, read_options

ARGUMENTS: Final = {"policy": "(view, legal, n, params, rng)", "scorer": "(view, action, params)"}

_modules: dict[tuple[str, str], ModuleType] = {}
_compiled: dict[tuple[str, str, str], Any] = {}
"""What was run and compiled in this process, by file, its bytes and function: many cells share a player."""


def load(split: PolicyName) -> tuple[Any, list[float]]:
    """Return the compiled function of ``FILE.py:FUNCTION``, and the values of its parameters.

    Raises
    ------
    UsageError
        If the file cannot be read or run, the function is not in it, or it does not compile as a policy.
    """
    function, mark = find(split)
    values = read_options(split, mark.options)
    name = split.base.rpartition(":")[2]
    key = (*_key(split), name)
    if key not in _compiled:
        _compiled[key] = compiled(split.text, function, mark)
    return _compiled[key], values


def find(split: PolicyName) -> tuple[Any, Mark]:
    """Run the file of ``FILE.py:FUNCTION`` and return its function, not compiled, and what is said about it.

    Raises
    ------
    UsageError
        If the file cannot be read or run, or the function is not in it.
    """
    file, _, function_name = split.base.rpartition(":")
    module = _run(split.text, file, _key(split))
    function = getattr(module, function_name, None)
    if function is None:
        here = {key: value for key, value in vars(module).items() if not key.startswith("_")}
        own = [k for k, v in here.items() if getattr(v, "__module__", "") == module.__name__]
        raise UsageError(
            f"policy {split.text!r}: {file!r} has no {function_name!r}{nearest(function_name, own)}"
        )
    return function, mark_of(function) or Mark("policy")


def plain(function: Any) -> Any:
    """Return the Python function behind one that may be compiled."""
    return function.py_func if is_jitted(function) else function


def _key(split: PolicyName) -> tuple[str, str]:
    path = Path(split.base.rpartition(":")[0])
    try:
        return str(path.resolve()), hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UsageError(f"policy {split.text!r}: {str(path)!r} cannot be read: {error.strerror}") from error


def _run(name: str, file: str, key: tuple[str, str]) -> ModuleType:
    if key in _modules:
        return _modules[key]
    path = Path(file)
    spec = importlib.util.spec_from_file_location(f"calcsim_policy_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"policy {name!r}: {file!r} is no Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except NumbaError as error:
        raise UsageError(f"policy {name!r}: does not compile: {first_line(error)}") from error
    except CalcsimError as error:
        raise UsageError(f"policy {name!r}: {file!r}: {error}") from error
    except Exception as error:
        raise UsageError(
            f"policy {name!r}: {type(error).__name__} while {file!r} was run: {error}"
        ) from error
    _modules[key] = module
    return module


def compiled(name: str, function: Any, mark: Mark) -> Any:
    """Return a function as a compiled policy.

    Raises
    ------
    UsageError
        If it takes other arguments or does not compile.
    """
    python = plain(function)
    takes = ARGUMENTS[mark.form]
    if not inspect.isfunction(python):
        raise UsageError(f"policy {name!r}: must be a function {takes}")
    n_arguments = len(inspect.signature(python).parameters)
    if n_arguments != takes.count(",") + 1:
        other = " (what rates one action is marked @scorer)" if n_arguments == 3 else ""
        raise UsageError(f"policy {name!r}: must take {takes}{other}")
    try:
        if mark.form == "scorer":
            scores = policy_kernel(python, SCORER_SIGNATURE)
            _must_return(name, scores, SCORER_SIGNATURE, "score")
            return policy_kernel(_best_of(scores))
        done = policy_kernel(python)
    except NumbaError as error:
        raise UsageError(f"policy {name!r}: does not compile: {first_line(error)}") from error
    _must_return(name, done, POLICY_SIGNATURE, "index")
    return done


def _must_return(name: str, done: Any, signature: Any, what: str) -> None:
    # A function that can only raise compiles to one that returns nothing.
    if done.overloads[signature.args].signature.return_type != signature.return_type:
        raise UsageError(f"policy {name!r}: returns no {what}, whatever it is asked")


def _best_of(scores: Any) -> Any:
    """Return the policy that does the action of the highest score, by lot among equal ones."""

    def best(view: Any, legal: Any, n: int, params: Any, rng: Any) -> int:
        chosen = 0
        ties = 0
        highest = 0.0
        for i in range(n):
            score = scores(view, legal[i], params)
            if score != score:
                raise ValueError("the score of an action is not a number (nan)")
            if ties == 0 or score > highest:
                chosen = i
                highest = score
                ties = 1
            elif score == highest:
                ties += 1
                if below(rng, ties) == 0:
                    chosen = i
        return chosen

    return best


def returns_fraction(function: Any) -> bool:
    """Return whether a compiled policy's answer is cut to a whole number."""
    from numba.core import ir, types

    annotation = function.overloads[POLICY_SIGNATURE.args].type_annotation
    casts = [
        annotation.typemap.get(statement.value.value.name)
        for block in annotation.blocks.values()
        for statement in block.body
        if isinstance(statement, ir.Assign)
        and isinstance(statement.value, ir.Expr)
        and statement.value.op == "cast"
    ]
    return any(isinstance(kind, types.Float) for kind in casts)


def first_line(error: Exception) -> str:
    """Return the line of a compiler's message that says what is wrong, with the line of the file."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("Failed in", "During:", "-"))]
    place = next((line for line in lines if line.startswith("File ")), "")
    return " ".join(dict.fromkeys([*telling[:1], place])).strip() or type(error).__name__
