"""House rules, checked on the source; each check is also seen to fail on a planted violation.

A check takes a file's path within the project and its text, and returns what it finds wrong.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from calcsim.rules import book

ROOT = Path(__file__).resolve().parent.parent
MOST_LINES = 500
HEAVY = {"numpy", "numba", "llvmlite", "pandas", "scipy", "matplotlib"}

LIGHT = (
    "calcsim/__init__.py",
    "calcsim/cards.py",
    "calcsim/errors.py",
    "calcsim/version.py",
    "calcsim/cli/",
    "calcsim/rules/",
    "calcsim/notation/position.py",
    "calcsim/notation/reading.py",
    "calcsim/notation/render",
    "calcsim/notation/tracefile.py",
    "calcsim/engine/__init__.py",
    "calcsim/engine/columns.py",
    "calcsim/policies/__init__.py",
)
"""Whatever the commands import before they know that there is something to compute."""

Check = Callable[[str, str], list[str]]


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def within(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(node: ast.AST) -> list[str]:
    """Modules that an import statement names."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or "."]
    return []


def at_module_level(tree: ast.Module) -> Iterator[ast.AST]:
    """Nodes that run when the module is imported."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            todo += node.orelse
            continue
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            todo += ast.iter_child_nodes(node)


def called(node: ast.AST) -> str:
    """Last word of what a call calls, empty for other nodes."""
    if not isinstance(node, ast.Call):
        return ""
    return ast.unparse(node.func).rpartition(".")[2]


def no_heavy_import(path: str, text: str) -> list[str]:
    """Modules behind ``--help`` import nothing heavy."""
    if not path.startswith(LIGHT):
        return []
    found = [name for node in at_module_level(ast.parse(text)) for name in imported(node)]
    return [f"imports {name}" for name in found if name.partition(".")[0] in HEAVY]


def one_door_to_numba(path: str, text: str) -> list[str]:
    """Only `_jit` takes numba's decorators, so that caching and flags are the same everywhere."""
    if path == "calcsim/engine/_jit.py":
        return []
    doors = {"jit", "njit", "vectorize", "guvectorize", "cfunc", "stencil", "jitclass", "generated_jit"}
    wrong = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "numba":
            wrong += [f"imports {alias.name}" for alias in node.names if alias.name in doors]
        if (
            isinstance(node, ast.Attribute)
            and node.attr in doors
            and ast.unparse(node.value).startswith("numba")
        ):
            wrong.append(f"uses {ast.unparse(node)}")
    return wrong


def no_output(path: str, text: str) -> list[str]:
    """Only the commands print or exit."""
    if path.startswith("calcsim/cli/") or path == "calcsim/__main__.py":
        return []
    nodes = list(ast.walk(ast.parse(text)))
    wrong = [f"calls {called(node)}" for node in nodes if called(node) in ("print", "exit", "_exit", "input")]
    exits = [node for node in nodes if isinstance(node, ast.Name) and node.id == "SystemExit"]
    return wrong + ["names SystemExit" for _ in exits]


def not_too_long(path: str, text: str) -> list[str]:
    """A file can be read in one sitting."""
    lines = text.count("\n")
    return [f"{lines} lines"] if lines > MOST_LINES else []


def cites_clauses_that_exist(path: str, text: str) -> list[str]:
    """``R4.6`` is clause 4.6 of the rulebook."""
    cited = re.findall(r"\bR(\d+\.\d+)", text)
    return [f"cites R{number}" for number in cited if number not in book.clauses()]


def unsigned_in_rng_alone(path: str, text: str) -> list[str]:
    """Unsigned integers mixed with plain ones mean other things compiled than not: `rng` alone makes them."""
    if path == "calcsim/engine/rng.py":
        return []
    tree = ast.parse(text)
    return [
        f"calls {called(node)}" for node in ast.walk(tree) if re.fullmatch(r"uint(8|16|32|64)", called(node))
    ]


OF_PLAYERS = ("features", "score", "weigh", "search")
"""Kernels of players, who weigh one thing against another."""


def integers_in_kernels(path: str, text: str) -> list[str]:
    """Kernels of the rules compute with integers: no fraction, no true division."""
    if Path(path).stem in OF_PLAYERS:
        return []
    wrong = []
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        decorators = {ast.unparse(node).partition("(")[0] for node in function.decorator_list}
        if not decorators & {"kernel", "entry"}:
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Constant) and isinstance(node.value, float):
                wrong.append(f"{function.name} holds {node.value!r}")
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                wrong.append(f"{function.name} divides: {ast.unparse(node)}")
    return wrong


def own_randomness(path: str, text: str) -> list[str]:
    """The package draws from its own generator alone: other ones depend on threads and versions."""
    tree = ast.parse(text)
    names = [name for node in ast.walk(tree) for name in imported(node)]
    wrong = [f"imports {name}" for name in names if name in ("random", "secrets", "numpy.random")]
    attributes = [
        node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "random"
    ]
    return wrong + [f"uses {ast.unparse(node)}" for node in attributes]


def nothing_left_undone(path: str, text: str) -> list[str]:
    """No notes to be done later, no tests that are passed over."""
    words = ("TO" + "DO", "FIX" + "ME", "mark.sk" + "ip", "pytest.sk" + "ip(", "mark.xf" + "ail")
    return [f"says {word}" for word in words if word in text]


OF_THE_PACKAGE: list[Check] = [
    no_heavy_import,
    one_door_to_numba,
    no_output,
    cites_clauses_that_exist,
    unsigned_in_rng_alone,
    integers_in_kernels,
    own_randomness,
]
OF_ALL_CODE: list[Check] = [not_too_long, nothing_left_undone]

PLANTED: list[tuple[Check, str, str]] = [
    (no_heavy_import, "calcsim/cli/ask.py", "import pandas as pd\n"),
    (no_heavy_import, "calcsim/rules/fields.py", "class A:\n    from numba.core import types\n"),
    (
        no_heavy_import,
        "calcsim/__init__.py",
        "try:\n    from scipy import stats\nexcept ImportError:\n    pass\n",
    ),
    (one_door_to_numba, "calcsim/engine/deal.py", "from numba import njit\n"),
    (one_door_to_numba, "calcsim/engine/deal.py", "import numba\n\n\n@numba.jit\ndef f():\n    pass\n"),
    (one_door_to_numba, "calcsim/policies/greedy.py", "def f():\n    from numba import cfunc\n"),
    (no_output, "calcsim/engine/driver.py", "def f():\n    print(1)\n"),
    (no_output, "calcsim/stats/metrics.py", "import sys\n\nsys.exit(1)\n"),
    (no_output, "calcsim/stats/metrics.py", "raise SystemExit(2)\n"),
    (not_too_long, "calcsim/engine/game.py", "x = 1\n" * (MOST_LINES + 1)),
    (cites_clauses_that_exist, "calcsim/engine/game.py", '"""Stalls (R9.7)."""\n'),
    (cites_clauses_that_exist, "calcsim/engine/game.py", "x = 1  # R12.1\n"),
    (unsigned_in_rng_alone, "calcsim/engine/game.py", "import numpy as np\n\nx = np.uint64(3)\n"),
    (integers_in_kernels, "calcsim/engine/game.py", "@kernel\ndef f(x):\n    return x / 2\n"),
    (integers_in_kernels, "calcsim/engine/game.py", "@entry(SIGNATURE)\ndef f(x):\n    return x * 0.5\n"),
    (own_randomness, "calcsim/engine/deal.py", "import random\n"),
    (own_randomness, "calcsim/engine/deal.py", "import numpy as np\n\nx = np.random.rand()\n"),
    (nothing_left_undone, "calcsim/engine/deal.py", "x = 1  # TO" + "DO: 2\n"),
    (nothing_left_undone, "tests/test_deal.py", "@pytest.mark.sk" + "ip\ndef test_x(): ...\n"),
]

INNOCENT: list[tuple[Check, str, str]] = [
    (no_heavy_import, "calcsim/cli/ask.py", "def ask():\n    import pandas as pd\n"),
    (no_heavy_import, "calcsim/cli/ask.py", "if TYPE_CHECKING:\n    import numpy as np\n"),
    (no_heavy_import, "calcsim/engine/driver.py", "import numpy as np\n"),
    (one_door_to_numba, "calcsim/engine/_jit.py", "import numba\n\nkernel = numba.njit\n"),
    (one_door_to_numba, "calcsim/engine/game.py", "from numba import types\n"),
    (no_output, "calcsim/cli/ask.py", "print(1)\n"),
    (not_too_long, "calcsim/engine/game.py", "x = 1\n" * MOST_LINES),
    (cites_clauses_that_exist, "calcsim/engine/game.py", '"""Stalls (R9.3); see R4.10, R4.1."""\n'),
    (unsigned_in_rng_alone, "calcsim/engine/rng.py", "x = np.uint64(3)\n"),
    (unsigned_in_rng_alone, "calcsim/engine/game.py", "x = np.zeros(3, dtype=np.uint64)\n"),
    (integers_in_kernels, "calcsim/engine/game.py", "@kernel\ndef f(x):\n    return x // 2\n"),
    (own_randomness, "calcsim/policies/__init__.py", 'NAMES = ("random", "greedy")\n'),
]


def label(value: object) -> str:
    return getattr(value, "__name__", "")


@pytest.mark.parametrize("check", OF_THE_PACKAGE, ids=label)
def test_the_package_keeps_the_house_rules(check: Check):
    wrong = {within(path): check(within(path), path.read_text("utf-8")) for path in sources("calcsim")}
    assert {path: found for path, found in wrong.items() if found} == {}


@pytest.mark.parametrize("check", OF_ALL_CODE, ids=label)
def test_all_code_keeps_the_house_rules(check: Check):
    folders = sources("calcsim", "tests", "experiments")
    wrong = {within(path): check(within(path), path.read_text("utf-8")) for path in folders}
    assert {path: found for path, found in wrong.items() if found} == {}


@pytest.mark.parametrize(("check", "path", "text"), PLANTED, ids=label)
def test_checks_find_what_is_planted(check: Check, path: str, text: str):
    assert check(path, text)


@pytest.mark.parametrize(("check", "path", "text"), INNOCENT, ids=label)
def test_checks_let_the_innocent_pass(check: Check, path: str, text: str):
    assert check(path, text) == []


def test_every_check_has_been_seen_to_fail():
    assert {check for check, _, _ in PLANTED} == {*OF_THE_PACKAGE, *OF_ALL_CODE}


def clauses_without_a_test(names: list[str]) -> list[str]:
    """Clauses of the rulebook that no test is named after."""
    named = {f"{found[1]}.{found[2]}" for name in names if (found := re.match(r"test_R(\d+)_(\d+)_\w", name))}
    return [number for number in book.clauses() if number not in named]


def names_of_tests(texts: list[str]) -> list[str]:
    trees = [ast.parse(text) for text in texts]
    return [node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def test_every_clause_has_a_test():
    texts = [path.read_text("utf-8") for path in sources("tests/rules")]
    assert clauses_without_a_test(names_of_tests(texts)) == []


def test_tests_are_named_after_clauses_that_exist():
    texts = [path.read_text("utf-8") for path in sources("tests/rules")]
    found = [re.match(r"test_R(\d+)_(\d+)_", name) for name in names_of_tests(texts)]
    assert {f"{match[1]}.{match[2]}" for match in found if match} <= set(book.clauses())


def test_a_clause_without_a_test_is_found():
    names = [f"test_R{number.replace('.', '_')}_holds" for number in book.clauses() if number != "6.6"]
    assert clauses_without_a_test(names) == ["6.6"]
    assert clauses_without_a_test([*names, "test_R6_6_avoiding"]) == []


def light_modules() -> list[str]:
    paths = [within(path) for path in sources("calcsim") if within(path).startswith(LIGHT)]
    return [path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in paths]


def heavy_modules_behind(statement: str) -> set[str]:
    """Heavy packages that a fresh interpreter has loaded after `statement`."""
    code = f"import sys\n{statement}\nprint(*sys.modules, file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return HEAVY & {name.partition(".")[0] for name in run.stderr.split()}


def test_light_modules_load_nothing_heavy():
    assert heavy_modules_behind(f"import {', '.join(light_modules())}") == set()


@pytest.mark.parametrize(
    "words", [["--help"], ["run", "--help"], ["rules", "show", "calc"], ["ask", "--gmes", "1"]]
)
def test_help_and_usage_errors_load_nothing_heavy(words: list[str]):
    statement = f"from calcsim.cli.main import main\nassert main({words!r}) in (0, 2)"
    assert heavy_modules_behind(statement) == set()


def test_heavy_modules_are_seen():
    assert "numpy" in heavy_modules_behind("import numpy.random")


WITH_EXAMPLES = [path for path in sources("calcsim") if ">>> " in path.read_text("utf-8")]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=within)
def test_examples_in_docstrings_hold(path: Path):
    name = within(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried > 0
    assert failed == 0
