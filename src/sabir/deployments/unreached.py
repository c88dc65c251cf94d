"""A driver for a target that this machine does not reach: it plans, and connects to nothing."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from sabir.deployments.wrapping import WrappingDriver
from sabir.errors import DeployError
from sabir.resources.driver import Connection, DriverContext
from sabir.resources.target import Target

__all__ = ["UnreachedDriver", "needs_workers"]


def needs_workers(target: Target) -> str:
    return f"with the labels {', '.join(target.labels)} it needs workers: say where they are with --executor"


class UnreachedDriver(WrappingDriver):
    """Stands for the driver of a target with labels when there are no workers: the machine here is another one."""

    def connect(self, target: Target, context: DriverContext) -> AbstractAsyncContextManager[Connection]:  # noqa: ARG002  nothing is opened
        return _refused(target)


@asynccontextmanager
async def _refused(target: Target) -> AsyncGenerator[Connection]:
    raise DeployError(f"target {target.name!r}: {needs_workers(target)}")
    yield  # never: it is a generator all the same
