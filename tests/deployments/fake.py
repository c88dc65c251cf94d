"""A world for tests: a driver over a folder whose effects can be counted, and that can fail, hang and lie."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from sabir.graph.address import Address
from sabir.graph.values import Value, reveal_value
from sabir.resources.driver import Connection, DriverContext, Kind
from sabir.resources.effects import Effects
from sabir.resources.fields import Field, FieldType
from sabir.resources.outcome import (
    CompletionStatus,
    FieldChange,
    Observation,
    Outcome,
    OutcomeStatus,
    ResourceReading,
)
from sabir.resources.resource import Resource
from sabir.resources.step import Task
from sabir.resources.target import Target

__all__ = ["World", "WorldDriver", "resource"]


class World:
    """What is there, what was done in which order, and how it misbehaves."""

    def __init__(self) -> None:
        self.things: dict[str, Mapping[str, Value]] = {}
        self.log: list[tuple[str, str]] = []
        """`(action, address)` for each effect, when it ended."""
        self.begun: list[str] = []
        self.operations: dict[str, Outcome] = {}
        self.fails: dict[str, list[Outcome]] = {}
        """Outcomes by address that come before the real one."""
        self.hangs: set[str] = set()
        self.raises: set[str] = set()
        self.blind = False
        """Nothing can be observed."""
        self.lies: set[str] = set()
        """What is observed of these is the contrary of the truth."""
        self.on_effect: Callable[[Task], None] = lambda _: None
        """Told of each effect just before it takes place."""
        self.running = 0
        self.most = 0
        self.programs: dict[str, Callable[[Effects], Awaitable[Outcome]]] = {}


class WorldDriver:
    name = "world"

    def __init__(self, world: World) -> None:
        self.world = world

    @property
    def kinds(self) -> Mapping[str, Kind]:
        fields = {
            "value": Field(about="anything", type=FieldType.ANY),
            "place": Field(about="where", replaces=True),
            "secret": Field(about="hidden", sensitive=True),
        }
        return {
            "thing": Kind(about="a thing", fields=fields, contained=True),
            "safe": Kind(about="a thing that may be done twice", fields=fields, idempotent=True),
            "job": Kind(about="something that runs", fields=fields, runs=True),
            "program": Kind(about="a program of effects", fields=fields, runs=True),
        }

    def settings(self) -> Mapping[str, Field]:
        return {}

    def diff(self, resource: Resource, reading: ResourceReading) -> Sequence[FieldChange]:
        return [
            FieldChange(field=name, before=reading.fields.get(name), after=value)
            for name, value in resource.desired.items()
            if reveal_value(reading.fields.get(name)) != reveal_value(value)
        ]

    def connect(self, target: Target, context: DriverContext) -> AbstractAsyncContextManager[Connection]:
        return self._connected()

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Connection]:
        yield WorldConnection(self.world)


class WorldConnection:
    def __init__(self, world: World) -> None:
        self.world = world

    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:
        thing = self.world.things.get(str(resource.address))
        return ResourceReading(exists=thing is not None, fields=thing or {})

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        address = str(task.resource.address)
        if task.resource.kind == "program":
            return await self.world.programs[address](effects)
        return await self._effect(task, lambda: self.world.things.__setitem__(address, task.resource.desired))

    async def delete(self, task: Task, effects: Effects) -> Outcome:
        address = str(task.resource.address)
        return await self._effect(task, lambda: self.world.things.pop(address, None))

    async def _effect(self, task: Task, change: Any) -> Outcome:
        world, address = self.world, str(task.resource.address)
        world.begun.append(address)
        world.running += 1
        world.most = max(world.most, world.running)
        try:
            await asyncio.sleep(0)
            if world.fails.get(address):
                return world.fails[address].pop(0)
            if address in world.hangs:
                await asyncio.sleep(3600)
            world.on_effect(task)
            change()
            outcome = Outcome(results={"out": f"of {address}"})
            world.operations[task.operation_id] = outcome
            world.log.append((task.action.value, address))
            if address in world.raises:
                raise RuntimeError("the line broke")
            return outcome
        finally:
            world.running -= 1

    async def observe(self, task: Task) -> Observation:
        if self.world.blind:
            return Observation(sighting=CompletionStatus.CANNOT_TELL, look_at="the world")
        if task.resource.kind == "program":
            return Observation(sighting=CompletionStatus.NOT_DONE)
        outcome = self.world.operations.get(task.operation_id)
        if str(task.resource.address) in self.world.lies:
            outcome = Outcome() if outcome is None else None
        return Observation(
            sighting=CompletionStatus.NOT_DONE if outcome is None else CompletionStatus.DONE, outcome=outcome
        )

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:
        return Outcome(status=OutcomeStatus.FAILED, message="it has no operations")


def resource(name: str, *requires: str, kind: str = "thing", **others: Any) -> Resource:
    """A resource of the world."""
    desired = others.pop("desired", {"value": others.pop("value", name)})
    return Resource(
        address=Address(name),
        kind=kind,
        desired=desired,
        requires=tuple(Address(other) for other in requires),
        **others,
    )
