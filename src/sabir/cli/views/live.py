"""Steps on a terminal: what runs and for how long, what waits for what, how much is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, Final

from sabir.checks.formatters.palette import harmless
from sabir.deployments.engine.results import Progress
from sabir.deployments.plan.steps import Plan, PlannedStep

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["LiveSteps"]

_MOST: Final = 8
_ENDED: Final = frozenset({"done", "non_compliant", "failed", "unknown", "cancelled"})


class LiveSteps:
    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._steps: dict[str, PlannedStep] = {}
        self._running: dict[str, tuple[Progress, float]] = {}
        self._ended: set[str] = set()

    def expect(self, plan: Plan) -> None:
        self._steps.update((step.key, step) for step in plan.steps)

    def note(self, progress: Progress) -> bool:
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
            yield harmless(f"  … {verb}{progress.address}  {now - begun:.0f} s")
        if len(self._running) > _MOST:
            yield f"  … and {len(self._running) - _MOST} more"
        yield from self._waiting()
        total = len(self._steps.keys() | self._ended | self._running.keys())
        yield f"{len(self._ended)} of {total} ended, {len(self._running)} running"

    def _waiting(self) -> Iterator[str]:
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
                yield harmless(f"    {step.address} waits for {', '.join(missing[:3])}")
