"""A driver for a target that this machine does not reach: it plans, and connects to nothing."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from sabir.errors import DeployError
from sabir.resources.driver import Connection, Driver, DriverContext, Kind
from sabir.resources.fields import Field
from sabir.resources.outcome import Change, Reading
from sabir.resources.resource import Resource
from sabir.resources.target import Target

__all__ = ["UnreachedDriver", "needs_workers"]


def needs_workers(target: Target) -> str:
    return f"with the labels {', '.join(target.labels)} it needs workers: say where they are with --executor"


class UnreachedDriver:
    """Stands for the driver of a target with labels when there are no workers: the machine here is another one."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    @property
    def name(self) -> str:
        return self._driver.name

    @property
    def kinds(self) -> Mapping[str, Kind]:
        return self._driver.kinds

    def settings(self) -> Mapping[str, Field]:
        return self._driver.settings()

    def diff(self, resource: Resource, reading: Reading) -> Sequence[Change]:
        return self._driver.diff(resource, reading)

    def connect(self, target: Target, context: DriverContext) -> AbstractAsyncContextManager[Connection]:  # noqa: ARG002  nothing is opened
        return _refused(target)


@asynccontextmanager
async def _refused(target: Target) -> AsyncGenerator[Connection]:
    raise DeployError(f"target {target.name!r}: {needs_workers(target)}")
    yield  # never: it is a generator all the same
