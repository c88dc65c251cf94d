"""Connections to targets: opened when the first step needs them, closed together."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Final, Self

from msgspec.structs import replace

from sabir.deployments.engine.revealing import RevealingConnection, SecretReader
from sabir.deployments.targets import Placed
from sabir.resources.driver import Connection, Driver, DriverContext
from sabir.resources.target import Target

__all__ = ["Connections"]


_OPENING: Final = 20
"""So many are opened at once: hundreds that begin together would keep each other waiting until they are given up."""


class Connections:
    """One connection for each driver and target."""

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

    async def of(self, placed: Placed) -> Connection:
        return await self.open(placed.driver, placed.target)

    async def open(self, driver: Driver, target: Target) -> Connection:
        key = driver.name, target.name
        connection = self._opened.get(key)
        if connection is not None:
            return connection
        async with self._locks.setdefault(key, asyncio.Lock()):
            connection = self._opened.get(key)
            if connection is None:
                settings = await self._secrets.revealed(target.settings)
                filled = target if settings is target.settings else replace(target, settings=settings)
                async with self._opening:
                    opened = await self._stack.enter_async_context(driver.connect(filled, self.context))
                connection = self._opened[key] = RevealingConnection(opened, driver, self._secrets)
        return connection
