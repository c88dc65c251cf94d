"""What a long evaluation is doing, on stderr and only for somebody who watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

if TYPE_CHECKING:
    from sabir.languages.language import EvaluationRequest

__all__ = ["progress", "watched"]

_PATIENCE: Final = 0.5
_INTERVAL: Final = 0.1


@contextmanager
def progress(*, quiet: bool = False) -> Generator[Callable[[str], None] | None]:
    """A function to report steps to, or None when nobody watches. Nothing is shown of work that is quick."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    line = _Line()
    try:
        yield line.show
    finally:
        line.clear()


@contextmanager
def watched(request: EvaluationRequest, *, quiet: bool) -> Generator[EvaluationRequest]:
    """The request, reporting its progress as long as the work takes."""
    with progress(quiet=quiet) as report:
        yield replace(request, on_progress=report)


class _Line:
    def __init__(self) -> None:
        self._next = time.monotonic() + _PATIENCE
        self._shown = False

    def show(self, text: str) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        import shutil  # most work is done before anybody gets impatient

        self._next = now + _INTERVAL
        self._shown = True
        width = shutil.get_terminal_size().columns - 1
        printable = "".join(char if char.isprintable() else " " for char in text)
        sys.stderr.write("\r\x1b[K" + printable[:width])
        sys.stderr.flush()

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
