"""Commands run within the test's own process."""

from __future__ import annotations

import csv
import gc
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from calcsim.cli import main as entry


@dataclass(frozen=True)
class Ending:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert (self.status, self.out.count("\n")) == (0, 1), self.err
        return json.loads(self.out)

    @property
    def csv(self) -> list[dict[str, str]]:
        assert self.status == 0, self.err
        return list(csv.DictReader(io.StringIO(self.out)))

    @property
    def text(self) -> str:
        assert self.status == 0, self.err
        return self.out

    @property
    def refusal(self) -> str:
        """The one line of a command that was refused."""
        assert (self.status, self.out, self.err.count("\n")) == (2, "", 1)
        return self.err.rstrip("\n")


Command = Callable[..., Ending]


def command_of(capsys: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs a command of so many words."""

    def run(*words: str) -> Ending:
        status = entry.main(words)
        gc.unfreeze()  # `main` freezes what it leaves, as a process about to end may
        return Ending(status, *capsys.readouterr())

    return run
