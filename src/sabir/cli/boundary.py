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

from sabir.cli.terminal import print_status, write_text
from sabir.errors import DeployError, FindingError, Overrun, SabirError, UsageError
from sabir.interpreter import deepen_stack

if TYPE_CHECKING:
    from sabir.diagnostics.finding import Finding


_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class ExitCode(IntEnum):
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


def run_command(command: click.Command, name: str, args: Sequence[str] | None) -> int:
    """A command as the shell calls it: to do something, or to complete the words that are being typed."""
    words = [*(sys.argv[1:] if args is None else args)]
    shell = os.environ.get("_SABIR_COMPLETE")
    return run_guarded(
        lambda: (
            _write_completions(command, name, shell, words) if shell else invoke_command(command, name, words)
        )
    )


def invoke_command(command: click.Command, name: str, words: list[str]) -> int:
    """Read the words and do what they ask for."""
    # Not `command.main`, which has its own ideas of an interrupt and of a closed pipe.
    try:
        with command.make_context(name, words) as ctx:
            return command.invoke(ctx) or ExitCode.FINE
    except Exit as ended:  # --help, --version
        return ended.exit_code


def _write_completions(command: click.Command, name: str, shell: str, words: Sequence[str]) -> int:
    from sabir.cli.completion import complete_words

    write_text(complete_words(command, name, shell, words))
    return ExitCode.FINE


def run_guarded(work: Callable[[], int]) -> int:
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


def explain_failure(error: BaseException) -> ExitCode:
    """Say what ended the command and answer with its exit status."""
    match error:
        case NoArgsIsHelpError():
            print_status(error.format_message())
            return ExitCode.UNUSABLE
        case click.UsageError():
            return _report_usage_error(error)
        case FindingError():
            return _show_findings(error.findings)
        case DeployError():
            _report_unusable(str(error), "sabir")
            return ExitCode.FOUND
        case Overrun():
            return _show_findings([error.finding])
        case UsageError():
            return _report_unusable(str(error), "sabir", error.hint)
        case SabirError():
            return _report_unusable(str(error), "sabir")
        case KeyboardInterrupt() | click.Abort():
            print_status("sabir: stopped")
            return ExitCode.INTERRUPTED
        case BrokenPipeError():
            # The interpreter flushes stdout once more at exit; it must not find the closed pipe again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return ExitCode.BROKEN_PIPE
        case OSError():
            return _report_unusable(_os_message(error), "sabir")
        case ModuleNotFoundError():
            return _missing_library(error)
        case _:
            return _report_internal_error(error)


def _report_usage_error(error: click.UsageError) -> ExitCode:
    from sabir.cli.refusals import usage_message

    return _report_unusable(usage_message(error), "sabir" if error.ctx is None else error.ctx.command_path)


def _report_unusable(message: str, command: str, hint: str | None = None) -> ExitCode:
    print_status(f"{command}: {' '.join(message.split())}")
    if hint is not None:
        print_status(f"  help: {hint}")
    return ExitCode.UNUSABLE


def _missing_library(error: ModuleNotFoundError) -> ExitCode:
    from sabir.extras import explain_missing

    explained = explain_missing(error)
    return _report_internal_error(error) if explained is None else _report_unusable(str(explained), "sabir")


def _os_message(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.filename:
        return f"{error.filename}: {reason}"
    return f"the output cannot be written: {reason}" if error.errno in _FULL else reason


def _show_findings(findings: Sequence[Finding]) -> ExitCode:
    from sabir.cli.output import show_findings

    show_findings(findings)
    return ExitCode.FOUND


def _report_internal_error(error: BaseException) -> ExitCode:
    """Its kind and where it happened; what it says itself may hold a secret, so that is shown to who asks for it."""
    if os.environ.get("SABIR_DEBUG"):
        import traceback

        traceback.print_exception(error)
    print_status(
        f"sabir: sorry, this is a fault of sabir and not of what you wrote: {type(error).__name__}{_error_location(error)}\n"
        "    Please report it with the command you gave; SABIR_DEBUG=1 shows all of it, values of yours among it."
    )
    return ExitCode.FAULT


def _error_location(error: BaseException) -> str:
    """The innermost place of sabir that the error came through."""
    place, trace = "", error.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.startswith("sabir."):
            place = f" in {module}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return place
