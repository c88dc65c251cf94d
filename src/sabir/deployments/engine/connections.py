"""Connections to targets, opened at their first use and closed together.

Secrets are replaced here, between the engine and the driver. Above this module there are only references, so
a secret can neither be recorded nor displayed. Below it the driver sees plain values.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Final, Self, cast

from msgspec.structs import replace

from sabir.deployments.secrets import provider_of, settings_of
from sabir.deployments.targets import PlacedResource
from sabir.diagnostics.reasons import error_text
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import DeployError
from sabir.graph.values import Sensitive, Value
from sabir.resources.driver import Connection, Driver, DriverContext
from sabir.resources.effects import Effects
from sabir.resources.outcome import FieldChange, Observation, Outcome, ResourceReading
from sabir.resources.resource import Resource
from sabir.resources.secrets import ComposedSecrets, composed_message, find_secret_names, reveal_references
from sabir.resources.step import Task
from sabir.resources.target import Target


class SecretReader:
    """Reads each secret once per deployment, at its first use, and keeps it in memory only."""

    def __init__(self, context: DriverContext) -> None:
        self._context = context
        self._sources = {source.name: source for source in context.secrets}
        self._composed = ComposedSecrets(self._sources)
        self._read: dict[str, str] = {}
        self._lock = asyncio.Lock()

    async def reveal_values(self, values: Mapping[str, Value]) -> Mapping[str, Value]:
        """Return the values with each reference replaced by its secret.

        Raises `DeployError` if a secret cannot be read, or if a string was computed from a reference and
        would be wrong.
        """
        composed = self._composed.find(dict(values))
        if composed is not None:
            raise DeployError(composed_message(composed))
        names = find_secret_names(dict(values))
        if not names:
            return values
        # One reader at a time: concurrent steps with the same secret must not ask its provider twice.
        async with self._lock:
            for name in sorted(names - self._read.keys()):
                self._read[name] = await self._secret(name)
        return cast("Mapping[str, Value]", reveal_references(dict(values), self._read))

    async def _secret(self, name: str) -> str:
        source = self._sources.get(name)
        if source is None:
            hint = did_you_mean(name, self._sources) or "say where it comes from: secrets of sabir.yaml"
            raise DeployError(f"there is no secret {name!r}: {hint}")
        provider = provider_of(source)
        try:
            return await provider.read(settings_of(source, provider), self._context)
        except DeployError as error:
            raise DeployError(f"secret {name!r}: {error}") from error
        except Exception as error:  # whatever a provider raises ends the step, not the deployment
            raise DeployError(f"secret {name!r}: {type(error).__name__}: {error_text(error)}") from error


class RevealingConnection:
    """A connection that passes resources and tasks to its driver with their secrets filled in."""

    def __init__(self, connection: Connection, driver: Driver, secrets: SecretReader) -> None:
        self._connection = connection
        self._driver = driver
        self._secrets = secrets

    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:
        """Read a resource, and compare it here if it has secrets: only here are reference and value both
        known."""
        desired = await self._secrets.reveal_values(resource.desired)
        if desired is resource.desired:
            return await self._connection.read(resource, target_id)
        revealed = replace(resource, desired=desired)
        reading = await self._connection.read(revealed, target_id)
        if not reading.exists:
            return reading
        changes = tuple(_hide_change(change, resource) for change in self._driver.diff(revealed, reading))
        return replace(reading, changes=changes)

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        return _drop_secret_fields(await self._connection.apply(await self._reveal_task(task), effects), task)

    async def delete(self, task: Task, effects: Effects) -> Outcome:
        return _drop_secret_fields(
            await self._connection.delete(await self._reveal_task(task), effects), task
        )

    async def observe(self, task: Task) -> Observation:
        return await self._connection.observe(await self._reveal_task(task))

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:
        return _drop_secret_fields(
            await self._connection.call(await self._reveal_task(task), operation, effects), task
        )

    async def _reveal_task(self, task: Task) -> Task:
        desired = await self._secrets.reveal_values(task.resource.desired)
        recorded = None if task.recorded is None else await self._secrets.reveal_values(task.recorded)
        arguments = await self._secrets.reveal_values(task.arguments)
        if desired is task.resource.desired and recorded is task.recorded and arguments is task.arguments:
            return task
        return replace(
            task, resource=replace(task.resource, desired=desired), recorded=recorded, arguments=arguments
        )


def _hide_change(change: FieldChange, resource: Resource) -> FieldChange:
    """Return a change of a field with a secret, with the old value marked and the reference as the new one."""
    if not find_secret_names(resource.desired.get(change.field)):
        return change
    before = None if change.before is None else Sensitive(change.before)
    return replace(change, before=before, after=resource.desired[change.field])


def _drop_secret_fields(outcome: Outcome, task: Task) -> Outcome:
    """Return the outcome without the fields that hold a secret: what the target reports for them is not
    stored."""
    if outcome.fields is None:
        return outcome
    desired = task.resource.desired
    kept = {name: value for name, value in outcome.fields.items() if not find_secret_names(desired.get(name))}
    return outcome if len(kept) == len(outcome.fields) else replace(outcome, fields=kept)


_OPENING: Final = 20
"""How many connections may be opening at once. With hundreds at a time each would delay the others until they
time out.
"""


class Connections:
    """One connection for each pair of driver and target, for the time of an `async with`."""

    def __init__(self, context: DriverContext) -> None:
        self.context = context
        self._secrets = SecretReader(context)
        self._stack = AsyncExitStack()
        self._opened: dict[tuple[str, str], Connection] = {}
        self._locks: dict[tuple[str, str], asyncio.Lock] = {}
        self._opening = asyncio.Semaphore(_OPENING)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def of(self, placed: PlacedResource) -> Connection:
        """Return the connection for a placed resource; see `open`."""
        return await self.open(placed.driver, placed.target)

    async def open(self, driver: Driver, target: Target) -> Connection:
        """Return the connection to a target, opened at the first call. Raises what the driver raises."""
        key = driver.name, target.name
        connection = self._opened.get(key)
        if connection is not None:
            return connection
        # Two steps may need the target first; the second waits and then finds the connection.
        async with self._locks.setdefault(key, asyncio.Lock()):
            connection = self._opened.get(key)
            if connection is None:
                settings = await self._secrets.reveal_values(target.settings)
                filled = target if settings is target.settings else replace(target, settings=settings)
                async with self._opening:
                    opened = await self._stack.enter_async_context(driver.connect(filled, self.context))
                connection = self._opened[key] = RevealingConnection(opened, driver, self._secrets)
        return connection
