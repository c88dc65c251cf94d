"""To look at resources where they are: a target that is away is tried once, and hides only what is on it."""

from __future__ import annotations

import asyncio

from msgspec import Struct

from sabir.deployments.engine.connections import Connections
from sabir.deployments.targets import Placed
from sabir.diagnostics.reasons import said_by
from sabir.errors import DeployError, UnreachableError
from sabir.resources.driver import Connection, Driver, DriverContext
from sabir.resources.outcome import Reading
from sabir.resources.target import Target

__all__ = ["Looker", "Unseen", "why_unseen"]


class Unseen(Struct, frozen=True):
    """A resource that could not be looked at."""

    reason: str
    is_reached: bool = True
    """Whether its target was."""


class Looker(Connections):
    """Connections for who only looks. Who acts tries again after a while; here everything on a target shares the one attempt."""

    def __init__(self, context: DriverContext) -> None:
        super().__init__(context)
        self._attempts: dict[tuple[str, str], asyncio.Future[Connection]] = {}

    async def open(self, driver: Driver, target: Target) -> Connection:
        attempts = self._attempts
        key = driver.name, target.name
        if key not in attempts:
            attempts[key] = asyncio.ensure_future(super().open(driver, target))
        return await asyncio.shield(attempts[key])

    async def look(self, placed: Placed, recorded_id: str | None) -> Reading | Unseen:
        try:
            connection = await self.of(placed)
        except Exception as error:  # noqa: BLE001  whatever a driver raises is told of its target
            return Unseen(why_unseen(error), is_reached=False)
        try:
            return await connection.read(placed.resource, recorded_id)
        except Exception as error:  # noqa: BLE001  and of its resource
            return Unseen(why_unseen(error), is_reached=not isinstance(error, UnreachableError))


def why_unseen(error: Exception) -> str:
    return str(error) if isinstance(error, DeployError) else f"{type(error).__name__}: {said_by(error)}"
