"""How far a long run has come, on stderr: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final

QUIET_SECONDS: Final = 1.5
"""Runs shorter than this show nothing."""

LINE_SECONDS: Final = 10.0
"""Time between two lines where there is no terminal."""


class Progress:
    """Context manager that shows how many games are done, how fast, and how long the rest will take.

    The object itself is the callback: call it with the number of games done so far.

    Parameters
    ----------
    total
        Games to be played; where a run may stop earlier, the most it can play.
    what
        What is being done, a few words.
    clock
        Seconds, for the tests.
    """

    def __init__(
        self, total: int, what: str = "playing", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.total = total
        self.what = what
        self._clock = clock
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        """Start the clock; nothing is shown yet."""
        self._begin = self._last_line = self._clock()
        # Speed is taken from the first call on: what comes before is compilation.
        self._first: tuple[float, int] | None = None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int) -> None:
        """Show that `done` games are done."""
        now = self._clock()
        if self._first is None:
            self._first = (now, done)
        if now - self._begin < QUIET_SECONDS:
            return
        if sys.stderr.isatty():
            self._update_bar(done, now)
        elif now - self._last_line >= LINE_SECONDS:
            self._last_line = now
            print(f"calcsim: {self.line(done, now)}", file=sys.stderr, flush=True)

    def line(self, done: int, now: float) -> str:
        """Return how things stand in one line."""
        share = f"{self.what}: {done:,} of {self.total:,} games"
        speed = self.speed(done, now)
        if not speed:
            return share
        return f"{share}, {speed:,.0f} games/s, {_duration((self.total - done) / speed)} left"

    def speed(self, done: int, now: float) -> float:
        """Return games per second since the first call, 0 while unknown."""
        if self._first is None:
            return 0.0
        then, before = self._first
        return (done - before) / (now - then) if now > then else 0.0

    def _update_bar(self, done: int, now: float) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                BarColumn(bar_width=20),
                TextColumn("{task.fields[line]}", markup=False),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task("", total=self.total, line="")
            self._bar.start()
        self._bar.update(self._task, completed=done, line=self.line(done, now))


def _duration(seconds: float) -> str:
    """Return a time as text.

    Examples
    --------
    >>> _duration(75.2)
    '1 min 15 s'
    """
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    if whole >= 60:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole} s"
