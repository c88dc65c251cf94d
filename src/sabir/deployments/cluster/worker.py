"""What runs on a worker: one call of a driver, over a connection that the worker keeps for the next ones.

A scheduler gives a call to another worker when the first one is gone, also when it may have been carried out. So a call that
changes something is claimed first, at the scheduler; whoever finds it claimed does nothing and says so.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from time import monotonic
from typing import Any, Final

from distributed import Worker, get_worker
from distributed.diagnostics.plugin import WorkerPlugin
from msgspec import Struct

from sabir.deployments.targets import Targets
from sabir.errors import DeployError, UnreachableError
from sabir.graph.address import digest_text
from sabir.resources.driver import Connection, DriverContext
from sabir.resources.effects import Effect, Effects
from sabir.resources.outcome import Outcome
from sabir.resources.resource import Resource
from sabir.resources.step import Task
from sabir.resources.target import Target
from sabir.session import Session, Trust

CLAIMS: Final = "sabir-calls"
KEEPER: Final = "sabir-connections"
_IDLE_SECONDS: Final = 600.0


class WorkerCall(Struct, frozen=True, kw_only=True, eq=False):
    """One call of a connection. It holds secrets: it goes to a worker and nowhere else."""

    id: str
    verb: str
    target: Target
    environment: str
    trust: Trust
    task: Task | None = None
    resource: Resource | None = None
    target_id: str | None = None
    operation: str | None = None

    @property
    def changes(self) -> bool:
        return self.verb in ("apply", "delete", "call")


class WorkerResponse(Struct, frozen=True, kw_only=True, eq=False):
    value: Any = None
    notes: tuple[str, ...] = ()
    refusal: str | None = None
    """Why the driver could not do it, in its words."""
    is_unreachable: bool = False
    was_claimed: bool = False
    """Another worker had begun it; nobody knows how far it came."""


class _CachedConnection(Struct):
    connection: Connection
    stack: AsyncExitStack
    used: float


class ConnectionKeeper(WorkerPlugin):
    """The connections of one worker: opened when the first call needs them, closed when nobody needed them for a while."""

    name = KEEPER

    def setup(self, worker: Worker) -> None:  # noqa: ARG002  as dask calls it
        self._kept: dict[str, _CachedConnection] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def connection(self, call: WorkerCall) -> Connection:
        await self._close_idle()
        target = call.target
        key = digest_text(
            call.environment, target.name, target.driver, repr(_plain_settings(target)), size=16
        )
        async with self._locks.setdefault(key, asyncio.Lock()):
            kept = self._kept.get(key)
            if kept is None:
                kept = self._kept[key] = await self._open_connection(call)
        kept.used = monotonic()
        return kept.connection

    async def _open_connection(self, call: WorkerCall) -> _CachedConnection:
        driver = Targets((call.target,)).driver(call.target.driver)
        stack = AsyncExitStack()
        connection = await stack.enter_async_context(driver.connect(call.target, _build_context(call)))
        return _CachedConnection(connection, stack, monotonic())

    async def _close_idle(self) -> None:
        for key, kept in [*self._kept.items()]:
            if monotonic() - kept.used > _IDLE_SECONDS:
                del self._kept[key]
                await kept.stack.aclose()


def _plain_settings(target: Target) -> Any:
    from sabir.graph.values import reveal_all

    return sorted(reveal_all(dict(target.settings)).items())


def _build_context(call: WorkerCall) -> DriverContext:
    """Paths in the settings of a target are paths of the worker; what a driver keeps there outlives the worker."""
    import os

    state = Path.home() / ".local" / "state" / "sabir" / call.environment
    session = Session(trust=call.trust, environment=dict(os.environ))
    return DriverContext(session=session, folder=Path.cwd(), state_folder=state, environment=call.environment)


class _Notes:
    """Effects at a worker: lines for people are sent along with the answer; programs stay where the journal is."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    async def perform(self, effect: Effect) -> Outcome:
        raise DeployError(f"{effect.kind}: a worker carries out single calls, no programs")

    def branch(self, name: str) -> Effects:  # noqa: ARG002  as above
        return self

    def note(self, line: str) -> None:
        self.lines.append(line)


async def run_call(call: WorkerCall) -> WorkerResponse:
    worker: Any = get_worker()  # dask is not typed throughout
    if call.changes:
        claim = [CLAIMS, call.id]
        if await worker.scheduler.get_metadata(keys=claim, default=None):
            return WorkerResponse(was_claimed=True)
        await worker.scheduler.set_metadata(keys=claim, value=worker.address)
    notes = _Notes()
    try:
        keeper: Any = worker.plugins[KEEPER]
        connection: Connection = await keeper.connection(call)
        value = await _run_verb(connection, call, notes)
    except DeployError as error:
        unreachable = isinstance(error, UnreachableError)
        return WorkerResponse(refusal=str(error), is_unreachable=unreachable, notes=tuple(notes.lines))
    return WorkerResponse(value=value, notes=tuple(notes.lines))


async def _run_verb(connection: Connection, call: WorkerCall, effects: Effects) -> Any:
    if call.verb == "read":
        assert call.resource is not None
        return await connection.read(call.resource, call.target_id)
    assert call.task is not None
    match call.verb:
        case "apply":
            return await connection.apply(call.task, effects)
        case "delete":
            return await connection.delete(call.task, effects)
        case "call":
            return await connection.call(call.task, call.operation or "", effects)
        case _:
            return await connection.observe(call.task)
