"""What is known about the terminal: colour, and where results and prose go."""

from __future__ import annotations

import os
import sys
from typing import IO, Literal

__all__ = ["ColorChoice", "clear", "say", "wants_color", "write"]

ColorChoice = Literal["auto", "always", "never"]


def wants_color(choice: ColorChoice = "auto", stream: IO[str] | None = None) -> bool:
    """Whether to paint: on a terminal that is not dumb. NO_COLOR (https://no-color.org) forbids it, FORCE_COLOR asks for it
    anywhere; what is said on the command line wins over both."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def write(text: str) -> None:
    """A piece of the result, to stdout."""
    _put(sys.stdout, text)


def say(text: str, *, quiet: bool = False) -> None:
    """A line of prose for people; it goes to stderr, so that stdout holds the result alone."""
    if not quiet:
        _put(sys.stderr, text + "\n")


def clear() -> None:
    """An empty screen, when somebody looks at one."""
    if sys.stdout.isatty():
        sys.stdout.write("\x1b[H\x1b[2J")


def _put(stream: IO[str], text: str) -> None:
    try:
        stream.write(text)
    except UnicodeEncodeError:
        # Half a surrogate pair out of somebody's file, or a terminal without UTF-8: better a `?` than nothing.
        encoding: str = getattr(stream, "encoding", None) or "utf-8"
        stream.write(text.encode(encoding, "replace").decode(encoding))
