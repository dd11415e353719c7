"""The entry point: runs a command and turns whatever ends it into one line and an exit status."""

from __future__ import annotations

import errno
import gc
import io
import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from calcsim.errors import CalcsimError, nearest

TRACEBACK_OPTION = "--traceback"
TRACEBACK_VARIABLE = "CALCSIM_TRACEBACK"

EXIT_OK = 0
EXIT_FAILURE = 1
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141
"""What a shell reports of a program that SIGPIPE ended, as it does most others."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the command in `args` (default: the process's own) and return its exit status.

    Data goes to stdout; an error is one line on stderr. ``--traceback`` anywhere before a ``--``, or the
    environment variable ``CALCSIM_TRACEBACK=1``, shows the traceback as well.
    """
    words = list(sys.argv[1:] if args is None else args)
    wants_traceback = os.environ.get(TRACEBACK_VARIABLE, "") not in ("", "0")
    options = words[: words.index("--")] if "--" in words else words
    if TRACEBACK_OPTION in options:
        wants_traceback = True
        words = [word for word in options if word != TRACEBACK_OPTION] + words[len(options) :]
    _ensure_streams()
    try:
        status = _run(words)
        # Here and not in the interpreter's own shutdown, which would complain in its own words.
        sys.stdout.flush()
    except BaseException as error:  # an interrupt, too, ends in one line
        status = _report(error, wants_traceback)
    _finish(sys.stdout)
    _finish(sys.stderr)
    # Spares the interpreter a last search for garbage among all that the compiler left: a tenth of a second.
    gc.freeze()
    return status


def _run(words: list[str]) -> int:
    # Inside the caller's `try`, so that an interrupt while the commands are imported ends well, too.
    import typer

    from calcsim.cli.app import app

    command = typer.main.get_command(app)
    try:
        with command.make_context("calcsim", words) as context:
            command.invoke(context)
    except typer.Exit as leave:
        return leave.exit_code
    except typer.TyperException as error:
        raise _CommandLineError(_sentence(error), error.exit_code) from error
    return EXIT_OK


class _CommandLineError(CalcsimError):
    """A command line that could not be parsed."""

    def __init__(self, message: str, exit_status: int) -> None:
        super().__init__(message)
        self.exit_status = exit_status


def _sentence(error: Exception) -> str:
    """Return a parser's error in our words: one line, with the nearest option, and where help is."""
    context: Any = getattr(error, "ctx", None)
    text = str(getattr(error, "format_message", error.__str__)()).strip().rstrip(".")
    message = text[:1].lower() + text[1:]
    if context is not None:
        if hasattr(error, "possibilities"):  # only an unknown option has them; ours are nearer
            known = [
                word for param in context.command.params for word in (*param.opts, *param.secondary_opts)
            ]
            option = str(getattr(error, "option_name", ""))
            message = f"unknown option {option!r}{nearest(option, (word for word in known if len(word) > 2))}"
        commands = getattr(context.command, "commands", None)
        if commands and message == "missing command":
            message += f": must be one of {', '.join(commands)}"
        message += f" (see '{context.command_path} --help')"
    return message


def _report(error: BaseException, wants_traceback: bool) -> int:
    """Print what ended the command, if anything needs saying, and return the exit status."""
    if isinstance(error, SystemExit):
        if error.code is None:
            return EXIT_OK
        return error.code if isinstance(error.code, int) else EXIT_FAILURE
    if isinstance(error, BrokenPipeError):
        return EXIT_BROKEN_PIPE
    if wants_traceback:
        import traceback

        _print_error("".join(traceback.format_exception(error)).rstrip("\n"))
    if isinstance(error, KeyboardInterrupt):
        _print_error("calcsim: interrupted")
        return EXIT_INTERRUPTED
    status = EXIT_FAILURE
    if isinstance(error, CalcsimError):
        message = str(error)
        status = error.exit_status
    elif isinstance(error, OSError):
        message = _os_message(error)
    elif isinstance(error, MemoryError):
        message = "out of memory"
    else:
        message = f"unexpected {type(error).__name__}: {error}"
        if not wants_traceback:
            message += f"; run again with {TRACEBACK_OPTION} to see where"
    _print_error("calcsim: error: " + " ".join(message.splitlines()))
    return status


def _os_message(error: OSError) -> str:
    reason = (error.strerror or str(error) or type(error).__name__).lower()
    if error.filename is not None:
        return f"{error.filename!r}: {reason}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"cannot write: {reason}"
    return reason


def _print_error(text: str) -> None:
    # Where even stderr is closed or full, the exit status has to do.
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        _discard(sys.stderr)


def _ensure_streams() -> None:
    """Make stdout and stderr fit to print on, whatever they are."""
    # A closed one is None; to print on None means stdout, so that errors would end up among the data.
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (as long as the process)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (as long as the process)
    # A terminal or pipe that lacks a character shows '?' rather than ending the command.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _finish(stream: TextIO) -> None:
    """Flush `stream`, or give up what it still holds."""
    try:
        stream.flush()
    except (OSError, ValueError):
        _discard(stream)


def _discard(stream: TextIO) -> None:
    """Let what `stream` still holds go nowhere, so that the interpreter's last flush cannot fail."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        return
