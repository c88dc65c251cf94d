"""Traversal of the steps of a workflow.

Steps without predecessors start first. A step with several predecessors waits for all of them. A failed step
continues with `on_failure`; without that, no further step starts and the workflow fails.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from sabir.languages.tosca.syntax.nodes import Workflow

RunStep = Callable[[str], Coroutine[Any, Any, str | None]]
"""Runs a step by name; returns the message of its failure, or None."""


class Walk:
    """One traversal of one workflow."""

    def __init__(self, workflow: Workflow, run: RunStep) -> None:
        self._workflow = workflow
        self._run = run
        self._successes, self._failures = _step_order(workflow)
        self._behind: dict[str, list[str]] = {name: [] for name in workflow.steps}
        self._unsettled: dict[str, int] = {}
        """By step: the number of predecessors that have neither ended nor been skipped."""
        for name in workflow.steps:
            before = {*self._successes[name], *self._failures[name]}
            self._unsettled[name] = len(before)
            for other in before:
                self._behind[other].append(name)
        self._ended: dict[str, str | None] = {}
        """By step that ran: the message of its failure, or None."""
        self._ready = deque(name for name, count in self._unsettled.items() if not count)
        self.failure: str | None = None
        self.handled: list[str] = []
        """Failures that other steps handle."""

    async def walk(self) -> None:
        """Run the steps until none is ready or running; steps that are not reached are skipped."""
        running: dict[asyncio.Task[str | None], str] = {}
        while self._ready or running:
            while self._ready:
                name = self._ready.popleft()
                if self.failure is None and self._fires(name):
                    running[asyncio.create_task(self._run(name))] = name
                else:
                    self._settle(name)
            if running:
                await self._one_ends(running)

    async def _one_ends(self, running: dict[asyncio.Task[str | None], str]) -> None:
        done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            name = running.pop(task)
            failure = self._ended[name] = task.result()
            if failure is not None:
                words = f"step {name!r} of workflow {self._workflow.name!r}: {failure}"
                if self._workflow.steps[name].on_failure:
                    self.handled.append(words)
                else:
                    self.failure = self.failure or words
            self._settle(name)

    def _settle(self, name: str) -> None:
        for other in self._behind[name]:
            self._unsettled[other] -= 1
            if not self._unsettled[other]:
                self._ready.append(other)

    def _fires(self, name: str) -> bool:
        """Return whether a step runs.

        It does if one of its `on_failure` predecessors failed, or if all of its `on_success` predecessors
        succeeded.
        """
        successes, failures = self._successes[name], self._failures[name]
        if any(self._ended.get(other) is not None for other in failures):
            return True
        if not successes:
            return not failures
        return all(other in self._ended and self._ended[other] is None for other in successes)


def _step_order(workflow: Workflow) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return, by step, the predecessors on success and the predecessors on failure."""
    successes: dict[str, list[str]] = {name: [] for name in workflow.steps}
    failures: dict[str, list[str]] = {name: [] for name in workflow.steps}
    for name, step in workflow.steps.items():
        for other, _ in step.on_success:
            successes[other].append(name)
        for other, _ in step.on_failure:
            failures[other].append(name)
    return successes, failures
