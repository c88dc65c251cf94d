"""Executors: where steps are carried out. Intent, look-up, locks and order stay above, so that none can weaken them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from sabir.deployments.engine.connections import Connections
from sabir.deployments.engine.perform import perform
from sabir.deployments.targets import Placed
from sabir.resources.effects import Effects
from sabir.resources.outcome import Outcome
from sabir.resources.step import Task

__all__ = ["Executor", "Job", "LocalExecutor"]


class Job(Struct, frozen=True, eq=False):
    key: str
    placed: Placed
    task: Task


Report = Callable[[str, Outcome | None], None]
"""Told of a job that ended, with its outcome; None when it was stopped in the middle. Called in the event loop."""


class Executor(Protocol):
    def submit(self, job: Job, effects: Effects, report: Report) -> None:
        """Begin a job; it is reported once."""
        ...

    def cancel(self, key: str) -> None:
        """Stop a job, now."""
        ...

    def labels(self) -> frozenset[str]:
        """What its workers offer: sites, networks. A step that asks for another is refused when it is planned."""
        ...

    async def close(self) -> None: ...


class LocalExecutor:
    """Tasks of this event loop."""

    def __init__(self, connections: Connections) -> None:
        self.connections = connections
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def submit(self, job: Job, effects: Effects, report: Report) -> None:
        self._tasks[job.key] = asyncio.create_task(self._run(job, effects, report))

    async def _run(self, job: Job, effects: Effects, report: Report) -> None:
        outcome: Outcome | None = None
        try:
            outcome = await perform(job.placed, job.task, effects, self.connections)
        except asyncio.CancelledError:
            pass  # told as such
        finally:
            del self._tasks[job.key]
            report(job.key, outcome)

    def cancel(self, key: str) -> None:
        task = self._tasks.get(key)
        if task is not None:
            task.cancel()

    def labels(self) -> frozenset[str]:
        return frozenset()

    async def close(self) -> None:
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
