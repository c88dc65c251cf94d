"""Connections: one for each target, and not all of them opened at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from sabir.deployments.engine.connections import Connections
from sabir.resources.driver import DriverContext
from sabir.resources.target import Target


class CountingDriver:
    """Counts the connections that are being opened."""

    name = "counting"

    def __init__(self) -> None:
        self.opening = self.most = self.opened = self.closed = 0

    @asynccontextmanager
    async def connect(self, _target: Target, _context: DriverContext) -> AsyncGenerator[object]:
        self.opening += 1
        self.most = max(self.most, self.opening)
        await asyncio.sleep(0.001)
        self.opening -= 1
        self.opened += 1
        yield object()
        self.closed += 1


def test_many_targets_are_opened_a_few_at_a_time() -> None:
    driver: Any = CountingDriver()
    targets = [Target(name=f"t{number}", driver="counting") for number in range(300)]

    async def open_all() -> None:
        async with Connections(DriverContext()) as connections:
            await asyncio.gather(*(connections.open(driver, target) for target in [*targets, *targets]))

    asyncio.run(open_all())
    assert driver.opened == driver.closed == 300
    assert 1 < driver.most <= 20
