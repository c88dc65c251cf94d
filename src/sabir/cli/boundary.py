"""The error boundary of the command line: what went wrong, as one line on stderr and an exit status."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from sabir.cli.terminal import say, write
from sabir.errors import FindingError, SabirError, WrongWords

if TYPE_CHECKING:
    from sabir.cli.words.complete import Proposals

__all__ = ["FOUND", "INTERRUPTED", "UNUSABLE", "explain_failure", "guarded", "start"]

FOUND: Final = 1
UNUSABLE: Final = 2
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
"""What a shell reports for a program that a closed pipe ended; `sabir … | head` is no failure worth a message."""


def start(
    args: Sequence[str] | None,
    run: Callable[[Sequence[str]], int],
    propose: Callable[[Sequence[str], str], Proposals],
) -> int:
    """A command as the shell calls it: to do something, or to complete the words that are being typed."""
    words = [*(sys.argv[1:] if args is None else args)]
    shell = os.environ.get("_SABIR_COMPLETE")
    return guarded(lambda: _complete(shell, words, propose) if shell else run(words))


def _complete(shell: str, words: Sequence[str], propose: Callable[[Sequence[str], str], Proposals]) -> int:
    from sabir.cli.words.shells import answer

    write(answer(shell, words, propose))
    return 0


def guarded(work: Callable[[], int]) -> int:
    """The exit status of a command; never lets an exception out."""
    # Most of a short run is loading modules; collecting among them finds nothing and costs a tenth of it.
    gc.set_threshold(100_000)
    # At its end the interpreter looks for garbage in all that is left, another tenth; the process ends anyway.
    atexit.register(gc.freeze)
    try:
        status = work()
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  the boundary turns everything into a line
        return explain_failure(error)
    return status


def explain_failure(error: BaseException) -> int:
    """Say what ended the command and answer with its exit status."""
    match error:
        case WrongWords():
            return _refuse(str(error), error.command)
        case FindingError():
            return _show_findings(error)
        case SabirError():
            return _refuse(str(error), "sabir")
        case KeyboardInterrupt():
            say("sabir: stopped")
            return INTERRUPTED
        case BrokenPipeError():
            # The interpreter flushes stdout once more at exit; it must not find the closed pipe again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return BROKEN_PIPE
        case OSError():
            return _refuse(_os_message(error), "sabir")
        case _:
            return _apologise(error)


def _refuse(message: str, command: str) -> int:
    say(f"{command}: {' '.join(message.split())}")
    return UNUSABLE


def _os_message(error: OSError) -> str:
    what = error.strerror or str(error)
    return f"{error.filename}: {what}" if error.filename else what


def _show_findings(error: FindingError) -> int:
    from sabir.check.formatters.palette import Palette
    from sabir.check.formatters.text import finding_lines
    from sabir.cli.terminal import wants_color

    palette = Palette(on=wants_color(stream=sys.stderr))
    for finding in error.findings:
        for line in finding_lines(finding, palette=palette):
            say(line)
    return FOUND


def _apologise(error: BaseException) -> int:
    if os.environ.get("SABIR_DEBUG"):
        import traceback

        traceback.print_exception(error)
    say(
        f"sabir: sorry, this is a fault of sabir and not of what you wrote: {type(error).__name__}: {error}\n"
        "    Please report it with the command you gave; SABIR_DEBUG=1 shows where it happened."
    )
    return FOUND
