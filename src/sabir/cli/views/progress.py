"""A deployment while it runs: live on a terminal, lines in a pipe, JSON for machines."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Protocol

from sabir.checks.formatters.palette import harmless
from sabir.cli.terminal import say, write
from sabir.deployments.engine.results import Progress
from sabir.deployments.plan.steps import Plan
from sabir.resources.step import Action
from sabir.text import format_json

__all__ = ["Watcher", "watcher"]

_SIGNS = {"done": "✓", "non_compliant": "≠", "failed": "✗", "unknown": "?", "cancelled": "-", "retry": "↻"}


class Watcher(Protocol):
    def pause(self) -> None:
        """Draw nothing until `expect` is called: the terminal is needed for a question."""
        ...

    def expect(self, plan: Plan) -> None:
        """A plan is about to be done."""
        ...

    def show(self, progress: Progress) -> None: ...

    def tell(self, line: str) -> None: ...


@contextmanager
def watcher(format_: str, *, quiet: bool) -> Generator[Watcher]:
    """Who shows a deployment, for as long as it runs."""
    if format_ == "json":
        yield _Json()
    elif quiet:
        yield _Quiet()
    elif sys.stderr.isatty():
        with _live() as live:
            yield live
    else:
        yield _Lines()


class _Quiet:
    def pause(self) -> None:
        pass

    def expect(self, plan: Plan) -> None:
        pass

    def show(self, progress: Progress) -> None:
        if progress.state in ("failed", "unknown", "non_compliant"):
            say(_line(progress))

    def tell(self, line: str) -> None:
        say(line)


class _Lines:
    def pause(self) -> None:
        pass

    def expect(self, plan: Plan) -> None:
        pass

    def show(self, progress: Progress) -> None:
        if progress.state == "note":
            say(f"  {harmless(progress.message or '')}")
        elif progress.state != "running":
            say(_line(progress))
            if progress.state == "failed":
                for line in progress.log[-20:]:
                    say(f"      {harmless(line)}")

    def tell(self, line: str) -> None:
        say(line)


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
        write(format_json(event) + "\n")

    def show(self, progress: Progress) -> None:
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
        write(format_json(told) + "\n")
        sys.stdout.flush()

    def tell(self, line: str) -> None:
        write(format_json({"event": "notice", "message": line}) + "\n")


def _line(progress: Progress) -> str:
    sign = _SIGNS.get(progress.state, " ")
    verb = "" if progress.action is None else f"{progress.action.value} "
    seconds = "" if progress.seconds is None else f" ({progress.seconds:.1f} s)"
    message = f": {progress.message}" if progress.message else _judged(progress)
    return harmless(f"{sign} {verb}{progress.address} {progress.state}{seconds}{message}")


def _judged(progress: Progress) -> str:
    """What looking at it again came to."""
    if progress.state != "done" or progress.action is not Action.CHECK:
        return ""
    return ": put right" if progress.changed else ": as it should be"


@contextmanager
def _live() -> Generator[Watcher]:
    """What has ended scrolls by; below it stand what runs, with the time it takes, and what waits for what."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from sabir.cli.views.live import LiveSteps

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

        def show(self, progress: Progress) -> None:
            if steps.note(progress):
                style = {
                    "failed": "bold red",
                    "unknown": "bold yellow",
                    "non_compliant": "yellow",
                    "done": "green",
                }
                console.print(Text(_line(progress), style=style.get(progress.state, "dim")))

        def tell(self, line: str) -> None:
            console.print(Text(line, style="yellow"))

    shown = Shown()
    try:
        yield shown
    finally:
        shown.pause()
