"""The driver of this machine: all of it, or what lies below a root folder."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Final

from sabir.deploy.drivers.kinds import MACHINE_KINDS
from sabir.deploy.drivers.translation import differences, failed, observation, outcome, reading, task_data
from sabir.deploy.hands import work
from sabir.deploy.hands.place import HandError, Place
from sabir.errors import DeployError
from sabir.graph.values import reveal, reveal_all
from sabir.resources.driver import Connection, DriverContext, Kind
from sabir.resources.effects import Effects
from sabir.resources.fields import Field
from sabir.resources.outcome import Change, Observation, Outcome, Reading
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task
from sabir.resources.target import Target

__all__ = ["DRIVER", "LocalDriver"]


class LocalDriver:
    name: Final = "local"

    @property
    def kinds(self) -> Mapping[str, Kind]:
        return MACHINE_KINDS

    def settings(self) -> Mapping[str, Field]:
        return {
            "root": Field(
                about="the folder that everything is kept below; / for the whole machine", required=True
            )
        }

    def diff(self, resource: Resource, reading: Reading) -> Sequence[Change]:
        return differences(resource, reading)

    def connect(self, target: Target, context: DriverContext) -> AbstractAsyncContextManager[Connection]:
        return _connected(target, context)


@asynccontextmanager
async def _connected(target: Target, context: DriverContext) -> AsyncGenerator[Connection]:
    root = context.folder / str(reveal(target.settings["root"]))
    if target.contained:
        root.mkdir(parents=True, exist_ok=True)
    elif not root.is_dir():
        raise DeployError(f"target {target.name!r}: there is no folder {str(root)!r}")
    # Below the root itself where that is a folder of ours; a machine as a whole is not littered.
    marks: Path = (context.state_folder if str(root) == "/" else root / ".sabir") / "operations"
    connection = LocalConnection(Place(str(root), str(marks.absolute())))
    try:
        yield connection
    finally:
        connection.stop()


class LocalConnection:
    def __init__(self, place: Place) -> None:
        self.place = place
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Let go of commands that still run; they leave their marks."""
        self._stopped.set()

    async def read(self, resource: Resource, target_id: str | None) -> Reading:  # noqa: ARG002  files have no other name
        fields = reveal_all(dict(resource.desired))
        try:
            answer = await asyncio.to_thread(work.read, resource.kind, fields, self.place)
        except HandError as error:
            raise DeployError(str(error)) from error
        return reading(answer, resource)

    async def apply(self, task: Task, effects: Effects) -> Outcome:  # noqa: ARG002  nothing here is a program
        return await self._done(work.apply, task)

    async def delete(self, task: Task, effects: Effects) -> Outcome:  # noqa: ARG002  as above
        return await self._done(work.delete, task)

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:  # noqa: ARG002  as above
        if task.resource.kind == "process":
            stopped = await self._done(work.delete, task)
            return stopped if stopped.failed else await self._done(work.apply, task)
        return await self._done(lambda kind, data, place: work.call(kind, data, place, operation), task)

    async def _done(
        self, doing: Callable[[str, dict[str, Any], Place], dict[str, Any]], task: Task
    ) -> Outcome:
        data = task_data(task, self._stopped.is_set)
        if task.action is Action.RUN and task.resource.kind == "process":
            await asyncio.to_thread(work.delete, task.resource.kind, data, self.place)
        try:
            answer = await asyncio.to_thread(doing, task.resource.kind, data, self.place)
        except HandError as error:
            return failed(str(error), task, passing=error.passing)
        return outcome(answer, task)

    async def observe(self, task: Task) -> Observation:
        try:
            answer = await asyncio.to_thread(work.observe, task.resource.kind, task_data(task), self.place)
        except HandError as error:
            raise DeployError(str(error)) from error
        return observation(answer, task)


DRIVER: Final = LocalDriver()
