"""The kinds of error calcsim raises, each with the exit status its command ends with."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class CalcsimError(Exception):
    """Something went wrong that one line can explain; the commands print that line alone."""

    exit_status = 1


class UsageError(CalcsimError):
    """A name, value, file or combination that the user has to mend."""

    exit_status = 2


class PolicyError(CalcsimError):
    """A policy broke the rules of the game or failed while deciding."""

    exit_status = 3

    log: Any = None
    """What the engine logged of the game before, where it was logged."""


def nearest(name: str, names: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the closest of `names`, or ``""`` if none is close.

    Examples
    --------
    >>> nearest("sheild", ["shield", "push"])
    "; did you mean 'shield'?"
    """
    close = difflib.get_close_matches(name, list(names), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""
