"""What is known about the terminal: colour, and where results and prose go."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from typing import IO, Final, Literal

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


_SPELLING: Final = {
    ord(sign): spelling
    for sign, spelling in {
        "→": "->", "←": "<-", "…": "...", "·": "*", "×": "x", "–": "-", "—": "-",
        "“": '"', "”": '"', "‘": "'", "’": "'", "≤": "<=", "≥": ">=",
    }.items()
}  # fmt: skip


def is_ascii(stream: IO[str] | None = None) -> bool:
    """Whether only ASCII may be shown: the stream takes no more, or the locale is C. Python itself writes UTF-8 in that
    locale, but the terminal of who sets it does not show it."""
    encoding: str = getattr(stream or sys.stdout, "encoding", None) or "utf-8"
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG")
    return not encoding.lower().startswith("utf") or locale in ("C", "POSIX")


def ascii_text(text: str) -> str:
    """The text with the signs of our own prose in ASCII."""
    return text.translate(_SPELLING)


def write_text(text: str, *, painted: bool = True) -> None:
    """A piece of the result, to stdout. Programs get it as it is; for a terminal what would steer it is written out."""
    _write_stream(sys.stdout, _escape_controls(text, painted=painted) if sys.stdout.isatty() else text)


def write_bytes(pieces: Iterable[bytes]) -> None:
    """A result in the bytes of its format, to stdout; for a terminal as `write` has it."""
    if sys.stdout.isatty():
        write_text(b"".join(pieces).decode("utf-8", "replace"), painted=False)
        return
    sys.stdout.buffer.writelines(pieces)
    sys.stdout.buffer.flush()


def print_status(text: str, *, quiet: bool = False, painted: bool = False) -> None:
    """A line of prose for people; it goes to stderr, so that stdout holds the result alone.

    It may quote anybody's words: only what is `painted` may hold colours, and nothing may steer the terminal.
    """
    if not quiet:
        text = _escape_controls(text, painted=painted)
        # Where both go to one file or pipe, what was written before comes first. An error is raised again at the exit.
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        _write_stream(sys.stderr, (ascii_text(text) if is_ascii(sys.stderr) else text) + "\n")


def ask(prompt: str, *, is_secret: bool = False) -> str | None:
    """Print a prompt on stderr and return the line typed after it, or None at the end of input.

    An interrupt raises KeyboardInterrupt, whoever handles signals otherwise. In both cases the cursor is on a new line.
    Stop a live display before this call: it hides the cursor and draws over the prompt.
    """
    text = _escape_controls(prompt, painted=False)
    text = ascii_text(text) if is_ascii(sys.stderr) else text
    try:
        with _raised_interrupts():
            line = _read_hidden(text) if is_secret else _read(text)
    except KeyboardInterrupt:
        _write_stream(sys.stderr, "\n")
        raise
    if not line:
        _write_stream(sys.stderr, "\n")
        return None
    return line.removesuffix("\n")


def _read(prompt: str) -> str:
    _write_stream(sys.stderr, prompt)
    sys.stderr.flush()
    return sys.stdin.readline()


def _read_hidden(prompt: str) -> str:
    import getpass

    try:
        return getpass.getpass(prompt, sys.stderr) + "\n"  # it hides the input first, then shows the prompt
    except EOFError:
        return ""


@contextmanager
def _raised_interrupts() -> Generator[None]:
    """Let SIGINT and SIGTERM raise KeyboardInterrupt: a handler that only takes note would leave the prompt waiting."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    handlers = [signal.signal(number, signal.default_int_handler) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, handlers, strict=True):
            signal.signal(number, handler)


def _escape_controls(text: str, *, painted: bool) -> str:
    if text.replace("\n", "").isprintable():
        return text
    from sabir.checks.formatters.palette import escape_control_lines  # a short line does not wait for it

    return escape_control_lines(text, painted=painted)


def clear_screen() -> None:
    """An empty screen, when somebody looks at one."""
    if sys.stdout.isatty():
        sys.stdout.write("\x1b[H\x1b[2J")


def _write_stream(stream: IO[str], text: str) -> None:
    try:
        stream.write(text)
    except UnicodeEncodeError:
        # Half a surrogate pair out of somebody's file, or a terminal without UTF-8: better a `?` than nothing.
        encoding: str = getattr(stream, "encoding", None) or "utf-8"
        stream.write(ascii_text(text).encode(encoding, "replace").decode(encoding))
