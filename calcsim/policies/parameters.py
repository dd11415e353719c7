"""Whether a policy reads the parameters it declares: as far as its source tells."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

_PARAMS_FROM_THE_END = {5: 2, 3: 1}
"""Where `params` stands among the arguments, from the last, by their number."""


def misused(function: Callable[..., Any], declared: Sequence[str]) -> list[str]:
    """Return what is wrong with a function's use of its parameters, a line each.

    Where the source does not tell, as when all parameters are passed on, nothing is.

    Parameters
    ----------
    function
        A policy in plain Python.
    declared
        Names of its parameters, in their order.
    """
    read = _read(function)
    if read is None:
        return []
    wrong = [
        f"declares {name}, but never reads params[{i}]" for i, name in enumerate(declared) if i not in read
    ]
    beyond = sorted(i for i in read if i >= len(declared))
    if beyond:
        wrong.append(f"reads params[{beyond[0]}], but declares {len(declared) or 'none'}: it is always 0")
    return wrong


def _read(function: Callable[..., Any]) -> set[int] | None:
    """Return which parameters are read; None where that cannot be told."""
    arguments = list(inspect.signature(function).parameters)
    name = arguments[-_PARAMS_FROM_THE_END[len(arguments)]]
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError):
        return None
    indexed = {
        id(node.value): node.slice
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == name
    }
    read = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == name:
            index = _number(indexed.get(id(node)), function.__globals__)
            if index is None:
                return None
            read.add(index)
    return read


def _number(node: ast.expr | None, names: dict[str, Any]) -> int | None:
    """Return the index that an expression is, if it is a number or a name of one."""
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(node, ast.Name):
        value = names.get(node.id)
    return value if isinstance(value, int) else None
