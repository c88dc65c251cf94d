"""A deployment while it runs: live on a terminal, lines in a pipe, JSON for machines."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Protocol

from sabir.checks.formatters.palette import harmless
from sabir.cli.terminal import say, write
from sabir.deployments.engine.run import Progress

__all__ = ["Watcher", "watcher"]

_SIGNS = {"done": "✓", "failed": "✗", "unknown": "?", "cancelled": "-", "retry": "↻"}


class Watcher(Protocol):
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
    def show(self, progress: Progress) -> None:
        if progress.state in ("failed", "unknown"):
            say(_line(progress))

    def tell(self, line: str) -> None:
        say(line)


class _Lines:
    def show(self, progress: Progress) -> None:
        if progress.state != "running":
            say(_line(progress))
            if progress.state == "failed":
                for line in progress.log[-20:]:
                    say(f"      {harmless(line)}")

    def tell(self, line: str) -> None:
        say(line)


class _Json:
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
        if progress.state == "done":
            told["changed"] = progress.changed
        if progress.seconds is not None:
            told["seconds"] = round(progress.seconds, 3)
        if progress.log:
            told["log"] = list(progress.log)
        write(json.dumps(told, ensure_ascii=False) + "\n")
        sys.stdout.flush()

    def tell(self, line: str) -> None:
        write(json.dumps({"event": "notice", "message": line}, ensure_ascii=False) + "\n")


def _line(progress: Progress) -> str:
    sign = _SIGNS.get(progress.state, " ")
    verb = "" if progress.action is None else f"{progress.action.value} "
    seconds = "" if progress.seconds is None else f" ({progress.seconds:.1f} s)"
    message = f": {progress.message}" if progress.message else ""
    return harmless(f"{sign} {verb}{progress.address} {progress.state}{seconds}{message}")


@contextmanager
def _live() -> Generator[Watcher]:
    """What runs now below what has ended, on a terminal."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True, highlight=False)
    with Live(console=console, refresh_per_second=8, transient=True) as live:

        class Shown:
            def __init__(self) -> None:
                self.running: dict[str, Progress] = {}
                self.ended = 0

            def show(self, progress: Progress) -> None:
                key = progress.key or ""
                if progress.state == "running":
                    self.running[key] = progress
                else:
                    self.running.pop(key, None)
                    self.ended += 1
                    style = {"failed": "bold red", "unknown": "bold yellow", "done": "green"}.get(
                        progress.state, "dim"
                    )
                    console.print(Text(_line(progress), style=style))
                names = ", ".join(harmless(each.address or "") for each in [*self.running.values()][:4])
                more = f" and {len(self.running) - 4} more" if len(self.running) > 4 else ""
                live.update(Text(f"… {self.ended} ended; running: {names}{more}", style="dim"))

            def tell(self, line: str) -> None:
                console.print(Text(line, style="yellow"))

        yield Shown()
