"""The error boundary of the command line: what went wrong, as one line on stderr and an exit status."""

from __future__ import annotations

import os
import sys
from typing import Final

import click

from sabir.errors import FindingError, SabirError

__all__ = ["FOUND", "INTERRUPTED", "UNUSABLE", "explain_failure"]

FOUND: Final = 1
UNUSABLE: Final = 2
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
"""What a shell reports for a program that a closed pipe ended; `sabir … | head` is no failure worth a message."""


def explain_failure(error: BaseException) -> int:
    """Say what ended the command and answer with its exit status."""
    match error:
        case click.exceptions.NoArgsIsHelpError():
            click.echo(error.format_message(), err=True)
            return UNUSABLE
        case click.ClickException():
            return _refuse(error.format_message(), _command_name(error))
        case FindingError():
            return _show_findings(error)
        case SabirError():
            return _refuse(str(error), "sabir")
        case KeyboardInterrupt() | click.Abort():
            click.echo("sabir: stopped", err=True)
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
    click.echo(f"{command}: {' '.join(message.split())}", err=True)
    return UNUSABLE


def _command_name(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    return context.command_path if context else "sabir"


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
            click.echo(line, err=True)
    return FOUND


def _apologise(error: BaseException) -> int:
    if os.environ.get("SABIR_DEBUG"):
        import traceback

        traceback.print_exception(error)
    click.echo(
        f"sabir: sorry, this is a fault of sabir and not of what you wrote: {type(error).__name__}: {error}\n"
        "    Please report it with the command you gave; SABIR_DEBUG=1 shows where it happened.",
        err=True,
    )
    return FOUND
