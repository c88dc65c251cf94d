"""What long work is doing, on stderr and only for somebody who watches: a bar by rich, or a line that turns.

The bar is drawn by a thread of its own, so that work in one piece (an evaluation) need not report anything to show that it
goes on; what it does report becomes the words and the length of the bar.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Protocol

from msgspec.structs import replace

if TYPE_CHECKING:
    from sabir.languages.language import EvaluationRequest


_PATIENCE: Final = 1.0
"""Seconds of work before anything is shown of it."""


class ProgressReport(Protocol):
    def __call__(self, text: str, done: int | None = None, total: int | None = None, /) -> None: ...


@contextmanager
def show_progress(*, quiet: bool = False, text: str = "working") -> Generator[ProgressReport | None]:
    """A function to report steps to, or None when nobody watches. Nothing is shown of work that is quick."""
    if quiet or not sys.stderr.isatty() or find_spec("rich") is None:
        yield None
        return
    bar = _Bar(text)
    bar.start()
    try:
        yield bar.report
    finally:
        bar.stop()


@contextmanager
def track_progress(
    request: EvaluationRequest, *, quiet: bool, text: str = "evaluating"
) -> Generator[EvaluationRequest]:
    """The request, reporting its progress as long as the work takes."""
    with show_progress(quiet=quiet, text=text) as report:
        yield replace(request, on_progress=report)


class _Bar(threading.Thread):
    """Waits, and draws when the work is not done by then."""

    def __init__(self, text: str) -> None:
        super().__init__(daemon=True)
        self._text = text
        self._done: int | None = None
        self._total: int | None = None
        self._ended = threading.Event()

    def report(self, text: str, done: int | None = None, total: int | None = None, /) -> None:
        self._text, self._done, self._total = text, done, total

    def stop(self) -> None:
        self._ended.set()
        self.join()

    def run(self) -> None:
        if self._ended.wait(_PATIENCE):
            return
        # Most work is done before anybody gets impatient, so rich is imported here.
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
        )

        bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn() if self._total else TextColumn(""),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        task = bar.add_task(self._text, total=self._total)
        with bar:
            while not self._ended.wait(0.1):
                shown = "".join(char if char.isprintable() else " " for char in self._text)
                bar.update(task, description=escape(shown), completed=self._done or 0, total=self._total)
