"""The error boundary of the command line: what went wrong, as one line on stderr and an exit status."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import IntEnum
from typing import TYPE_CHECKING, Final

import click
from click.exceptions import Exit, NoArgsIsHelpError

from sabir.cli.terminal import say, write
from sabir.errors import DeployError, FindingError, Overrun, SabirError, UsageError
from sabir.interpreter import deepen_stack

if TYPE_CHECKING:
    from sabir.diagnostics.finding import Finding


_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class Status(IntEnum):
    """How a command ends."""

    FINE = 0
    FOUND = 1
    """Errors in what the user wrote; with `--strict` any finding."""
    UNUSABLE = 2
    """Wrong usage, or input that cannot be taken at all."""
    TO_DO = 3
    """A plan with steps, or drift."""
    FAULT = 70
    """An error in sabir itself."""
    INTERRUPTED = 130
    BROKEN_PIPE = 141
    """What a shell reports for a program that a closed pipe ended; `sabir … | head` is no failure worth a message."""


def start(command: click.Command, name: str, args: Sequence[str] | None) -> int:
    """A command as the shell calls it: to do something, or to complete the words that are being typed."""
    words = [*(sys.argv[1:] if args is None else args)]
    shell = os.environ.get("_SABIR_COMPLETE")
    return guarded(lambda: _complete(command, name, shell, words) if shell else call(command, name, words))


def call(command: click.Command, name: str, words: list[str]) -> int:
    """Read the words and do what they ask for."""
    # Not `command.main`, which has its own ideas of an interrupt and of a closed pipe.
    try:
        with command.make_context(name, words) as ctx:
            return command.invoke(ctx) or Status.FINE
    except Exit as ended:  # --help, --version
        return ended.exit_code


def _complete(command: click.Command, name: str, shell: str, words: Sequence[str]) -> int:
    from sabir.cli.completion import answer

    write(answer(command, name, shell, words))
    return Status.FINE


def guarded(work: Callable[[], int]) -> int:
    """The exit status of a command; never lets an exception out."""
    deepen_stack()
    # At its end the interpreter looks for garbage in all that is left, another tenth; the process ends anyway.
    atexit.register(gc.freeze)
    _end_like_an_interrupt()
    try:
        status = work()
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt, Overrun) as error:  # noqa: BLE001  the boundary turns everything into a line
        return explain_failure(error)
    return status


def _end_like_an_interrupt() -> None:
    """Whoever asks the process to end gets what Ctrl-C gets: nothing half-written stays behind."""
    with suppress(ValueError):  # not the main thread: the process is somebody else's
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def explain_failure(error: BaseException) -> Status:
    """Say what ended the command and answer with its exit status."""
    match error:
        case NoArgsIsHelpError():
            say(error.format_message())
            return Status.UNUSABLE
        case click.UsageError():
            return _refuse_words(error)
        case FindingError():
            return _show_findings(error.findings)
        case DeployError():
            _refuse(str(error), "sabir")
            return Status.FOUND
        case Overrun():
            return _show_findings([error.finding])
        case UsageError():
            return _refuse(str(error), "sabir", error.hint)
        case SabirError():
            return _refuse(str(error), "sabir")
        case KeyboardInterrupt() | click.Abort():
            say("sabir: stopped")
            return Status.INTERRUPTED
        case BrokenPipeError():
            # The interpreter flushes stdout once more at exit; it must not find the closed pipe again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return Status.BROKEN_PIPE
        case OSError():
            return _refuse(_os_message(error), "sabir")
        case ModuleNotFoundError():
            return _missing_library(error)
        case _:
            return _apologise(error)


def _refuse_words(error: click.UsageError) -> Status:
    from sabir.cli.refusals import refusal

    return _refuse(refusal(error), "sabir" if error.ctx is None else error.ctx.command_path)


def _refuse(message: str, command: str, hint: str | None = None) -> Status:
    say(f"{command}: {' '.join(message.split())}")
    if hint is not None:
        say(f"  help: {hint}")
    return Status.UNUSABLE


def _missing_library(error: ModuleNotFoundError) -> Status:
    from sabir.extras import explain_missing

    explained = explain_missing(error)
    return _apologise(error) if explained is None else _refuse(str(explained), "sabir")


def _os_message(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.filename:
        return f"{error.filename}: {reason}"
    return f"the output cannot be written: {reason}" if error.errno in _FULL else reason


def _show_findings(findings: Sequence[Finding]) -> Status:
    from sabir.cli.output import show_findings

    show_findings(findings)
    return Status.FOUND


def _apologise(error: BaseException) -> Status:
    """Its kind and where it happened; what it says itself may hold a secret, so that is shown to who asks for it."""
    if os.environ.get("SABIR_DEBUG"):
        import traceback

        traceback.print_exception(error)
    say(
        f"sabir: sorry, this is a fault of sabir and not of what you wrote: {type(error).__name__}{_where(error)}\n"
        "    Please report it with the command you gave; SABIR_DEBUG=1 shows all of it, values of yours among it."
    )
    return Status.FAULT


def _where(error: BaseException) -> str:
    """The innermost place of sabir that the error came through."""
    place, trace = "", error.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.startswith("sabir."):
            place = f" in {module}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return place
