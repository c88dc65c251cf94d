"""A deployment while it runs: live on a terminal, lines in a pipe, JSON for machines.

Steps on a terminal: what runs and for how long, what waits for what, how much is done.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

from sabir.checks.formatters.palette import escape_control
from sabir.cli.terminal import print_status, write_text
from sabir.deployments.engine.results import ProgressEvent
from sabir.deployments.plan.steps import Plan, PlannedStep
from sabir.resources.step import Action
from sabir.text import format_json

if TYPE_CHECKING:
    from rich.text import Text


_SIGNS = {"done": "✓", "non_compliant": "≠", "failed": "✗", "unknown": "?", "cancelled": "-", "retry": "↻"}


class Watcher(Protocol):
    def pause(self) -> None:
        """Draw nothing until `expect` is called: the terminal is needed for a question."""
        ...

    def expect(self, plan: Plan) -> None:
        """A plan is about to be done."""
        ...

    def show(self, progress: ProgressEvent) -> None: ...

    def tell(self, line: str) -> None: ...


@contextmanager
def open_watcher(format_: str, *, quiet: bool) -> Generator[Watcher]:
    """Who shows a deployment, for as long as it runs."""
    if format_ == "json":
        yield _Json()
    elif quiet:
        yield _Quiet()
    elif sys.stderr.isatty():
        with _open_live_view() as live:
            yield live
    else:
        yield _Lines()


class _Quiet:
    def pause(self) -> None:
        pass

    def expect(self, plan: Plan) -> None:
        pass

    def show(self, progress: ProgressEvent) -> None:
        if progress.state in ("failed", "unknown", "non_compliant"):
            print_status(_progress_line(progress))

    def tell(self, line: str) -> None:
        print_status(line)


class _Lines:
    def pause(self) -> None:
        pass

    def expect(self, plan: Plan) -> None:
        pass

    def show(self, progress: ProgressEvent) -> None:
        if progress.state == "note":
            print_status(f"  {escape_control(progress.message or '')}")
        elif progress.state != "running":
            print_status(_progress_line(progress))
            if progress.state == "failed":
                for line in progress.log[-20:]:
                    print_status(f"      {escape_control(line)}")

    def tell(self, line: str) -> None:
        print_status(line)


class _Json:
    def pause(self) -> None:
        pass

    def expect(self, plan: Plan) -> None:
        event = {
            "event": "plan",
            "steps": len(plan.steps),
            "later": len(plan.later),
            "waiting": len(plan.waiting),
        }
        write_text(format_json(event) + "\n")

    def show(self, progress: ProgressEvent) -> None:
        told: dict[str, Any] = {
            "event": progress.state,
            "step": progress.key,
            "address": progress.address,
            "kind": progress.kind,
            "action": None if progress.action is None else progress.action.value,
        }
        if progress.message:
            told["message"] = progress.message
        if progress.state in ("done", "non_compliant"):
            told["changed"] = progress.changed
        if progress.seconds is not None:
            told["seconds"] = round(progress.seconds, 3)
        if progress.log:
            told["log"] = list(progress.log)
        write_text(format_json(told) + "\n")
        sys.stdout.flush()

    def tell(self, line: str) -> None:
        write_text(format_json({"event": "notice", "message": line}) + "\n")


def _progress_line(progress: ProgressEvent) -> str:
    sign = _SIGNS.get(progress.state, " ")
    verb = "" if progress.action is None else f"{progress.action.value} "
    seconds = "" if progress.seconds is None else f" ({progress.seconds:.1f} s)"
    message = f": {progress.message}" if progress.message else _describe_check(progress)
    return escape_control(f"{sign} {verb}{progress.address} {progress.state}{seconds}{message}")


def _describe_check(progress: ProgressEvent) -> str:
    """What looking at it again came to."""
    if progress.state != "done" or progress.action is not Action.CHECK:
        return ""
    return ": put right" if progress.changed else ": as it should be"


@contextmanager
def _open_live_view() -> Generator[Watcher]:
    """What has ended scrolls by; below it stand what runs, with the time it takes, and what waits for what."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True, highlight=False)
    steps = LiveSteps()

    class Shown:
        def __init__(self) -> None:
            self._live: Live | None = None

        def pause(self) -> None:
            if self._live is not None:
                self._live.stop()
                self._live = None

        def expect(self, plan: Plan) -> None:
            steps.expect(plan)
            if self._live is None:  # a display that was stopped is not started again: it keeps its old height
                self._live = Live(
                    console=console, refresh_per_second=8, transient=True, get_renderable=steps.text
                )
                self._live.start()

        def show(self, progress: ProgressEvent) -> None:
            if steps.note(progress):
                style = {
                    "failed": "bold red",
                    "unknown": "bold yellow",
                    "non_compliant": "yellow",
                    "done": "green",
                }
                console.print(Text(_progress_line(progress), style=style.get(progress.state, "dim")))

        def tell(self, line: str) -> None:
            console.print(Text(line, style="yellow"))

    shown = Shown()
    try:
        yield shown
    finally:
        shown.pause()


_MOST: Final = 8
_ENDED: Final = frozenset({"done", "non_compliant", "failed", "unknown", "cancelled"})


class LiveSteps:
    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._steps: dict[str, PlannedStep] = {}
        self._running: dict[str, tuple[ProgressEvent, float]] = {}
        self._ended: set[str] = set()

    def expect(self, plan: Plan) -> None:
        self._steps.update((step.key, step) for step in plan.steps)

    def note(self, progress: ProgressEvent) -> bool:
        """Whether it is worth a line that stays."""
        key = progress.key or ""
        if progress.state == "running":
            self._running[key] = progress, self._clock()
            return False
        if progress.state != "note":
            self._running.pop(key, None)
        if progress.state in _ENDED:
            self._ended.add(key)
        return True

    def text(self) -> Text:
        from rich.text import Text

        return Text("\n".join(self.lines()), style="dim")

    def lines(self) -> Iterator[str]:
        if not self._steps and not self._running:
            return
        now = self._clock()
        for progress, begun in [*self._running.values()][:_MOST]:
            verb = "" if progress.action is None else f"{progress.action.value} "
            yield escape_control(f"  … {verb}{progress.address}  {now - begun:.0f} s")
        if len(self._running) > _MOST:
            yield f"  … and {len(self._running) - _MOST} more"
        yield from self._list_waiting()
        total = len(self._steps.keys() | self._ended | self._running.keys())
        yield f"{len(self._ended)} of {total} ended, {len(self._running)} running"

    def _list_waiting(self) -> Iterator[str]:
        """The first of those that wait, each with what it waits for."""
        shown = 0
        for key, step in self._steps.items():
            if shown == _MOST // 2:
                return
            if key in self._ended or key in self._running:
                continue
            missing = [other for other in step.requires if other in self._steps and other not in self._ended]
            if missing:
                shown += 1
                yield escape_control(f"    {step.address} waits for {', '.join(missing[:3])}")
