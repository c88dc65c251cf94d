"""Execution of single steps: the `Executor` protocol, and how one task is performed.

Intents, recovery, locks and order belong to the layers above, so no executor can weaken them.

A driver that returns has reported the outcome. If it raises, runs out of time or reports that it does not
know, the step is looked up by its operation id at once. Done is a success and not done a failure. If the
lookup cannot tell, the outcome is unknown, unless the kind is idempotent and a repetition is harmless.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.engine.connections import Connections
from sabir.deployments.plan.compare import drop_ignored_changes
from sabir.deployments.targets import PlacedResource
from sabir.diagnostics.reasons import error_text
from sabir.errors import DeployError, SabirError, UnreachableError
from sabir.resources.driver import Connection, Kind
from sabir.resources.effects import DivergedError, Effects
from sabir.resources.outcome import (
    CompletionStatus,
    Observation,
    Outcome,
    OutcomeStatus,
    describe_differences,
)
from sabir.resources.step import Action, Task

_GRACE: Final = 30.0


class UnknownEffectError(SabirError):
    """The outcome of an effect is unknown, so its program cannot continue."""


async def perform_task(
    placed: PlacedResource, task: Task, effects: Effects, connections: Connections
) -> Outcome:
    """Perform a task and return its outcome; only a cancellation is raised."""
    try:
        connection = await connections.of(placed)
    except DeployError as error:
        return build_failure(str(error), passing=isinstance(error, UnreachableError))
    except Exception as error:  # noqa: BLE001  whatever a driver raises ends its step, not the deployment
        return build_failure(_describe_error(error), passing=True)
    if task.resource.report_only and task.action is not Action.DELETE and not placed.kind.reports:
        return await _compare(placed, task, connection)
    if _may_overwrite(placed, task):
        taken = await _refuse_occupied(placed, task, connection)
        if taken is not None:
            return taken
    try:
        async with asyncio.timeout(_step_timeout(placed.kind, task)):
            if task.operation is not None:
                outcome = await connection.call(task, task.operation, effects)
            elif task.action is Action.DELETE:
                outcome = await connection.delete(task, effects)
            else:
                outcome = await connection.apply(task, effects)
    except TimeoutError:
        return await _look_up_outcome(
            placed,
            task,
            connections,
            f"it took longer than {task.timeout:g} seconds" if task.timeout else "timeout",
        )
    except DivergedError as error:
        return build_failure(str(error))
    except UnknownEffectError as error:
        return Outcome(status=OutcomeStatus.UNKNOWN, message=str(error))
    except Exception as error:  # noqa: BLE001  as above
        return await _look_up_outcome(placed, task, connections, _describe_error(error))
    if outcome.status is OutcomeStatus.UNKNOWN:
        return await _look_up_outcome(
            placed, task, connections, outcome.message or "the driver could not tell"
        )
    return outcome


async def _compare(placed: PlacedResource, task: Task, connection: Connection) -> Outcome:
    """Compare a resource that only reports with its desired state.

    It is not recorded, so it is never deleted either.
    """
    if placed.kind.runs:
        return Outcome(changed=False, untouched=True, message="it only reports, so it is not run")
    try:
        async with asyncio.timeout(task.timeout):
            reading = await connection.read(task.resource, task.id)
        changes = drop_ignored_changes(placed.driver.diff(task.resource, reading), task.resource.lifecycle)
    except Exception as error:  # noqa: BLE001  whatever a driver raises ends its step, not the deployment
        return Outcome(
            status=OutcomeStatus.FAILED, changed=False, untouched=True, message=_describe_error(error)
        )
    if reading.exists and not changes:
        return Outcome(changed=False, untouched=True)
    message = describe_differences([change.field for change in changes] if reading.exists else [])
    return Outcome(status=OutcomeStatus.NON_COMPLIANT, changed=False, untouched=True, message=message)


def _may_overwrite(placed: PlacedResource, task: Task) -> bool:
    """Tell whether creating a resource could destroy something that sabir did not create.

    A record, an earlier attempt or an interrupted step are evidence that what exists may be ours.
    """
    return (
        placed.kind.overwrites
        and task.action is Action.CREATE
        and task.recorded is None
        and task.attempt == 1
        and not task.begun_before
    )


async def _refuse_occupied(placed: PlacedResource, task: Task, connection: Connection) -> Outcome | None:
    """Return a refusal if something else exists in place of the resource; None if nothing or exactly the
    resource does."""
    try:
        reading = await connection.read(task.resource, None)
        differs = reading.exists and bool(placed.driver.diff(task.resource, reading))
    except Exception as error:  # noqa: BLE001  whatever a driver raises ends its step, not the deployment
        return Outcome(
            status=OutcomeStatus.FAILED, changed=False, untouched=True, message=_describe_error(error)
        )
    if not differs:
        return None
    address = task.resource.address
    message = (
        f"something else is there already, which sabir did not make: `sabir adopt PATH {address}` takes it over "
        "and shows the differences"
    )
    return Outcome(status=OutcomeStatus.FAILED, changed=False, untouched=True, message=message)


def _step_timeout(kind: Kind, task: Task) -> float | None:
    """Return the timeout in seconds. A kind that stops its own work gets time to do so and report it."""
    if task.timeout is None:
        return None
    return task.timeout + _GRACE if kind.stops else task.timeout


async def _look_up_outcome(placed: PlacedResource, task: Task, connections: Connections, why: str) -> Outcome:
    return settle_outcome(await observe_task(placed, task, connections), placed.kind, why)


def settle_outcome(observation: Observation, kind: Kind, why: str) -> Outcome:
    """Return the outcome of a step that ended without one, from what a lookup found. `why` is the original
    problem."""
    match observation.sighting:
        case CompletionStatus.DONE:
            return observation.outcome or Outcome()
        case CompletionStatus.NOT_DONE:
            # Not done can still mean that the target assigned an id: the next attempt needs it to find what was
            # begun.
            found = observation.outcome
            return replace(build_failure(why, passing=True), id=None if found is None else found.id)
        case CompletionStatus.CANNOT_TELL if kind.idempotent:
            return build_failure(why, passing=True)
        case CompletionStatus.CANNOT_TELL:
            look = f": look at {observation.look_at}" if observation.look_at else ""
            return Outcome(
                status=OutcomeStatus.UNKNOWN,
                message=f"{why}, and it cannot be told whether it was done{look}",
            )


async def observe_task(placed: PlacedResource, task: Task, connections: Connections) -> Observation:
    """Look up a task by its operation id. A failing lookup is an observation, too: it cannot tell."""
    try:
        connection = await connections.of(placed)
        return await connection.observe(task)
    except Exception as error:  # noqa: BLE001  as above
        return Observation(
            sighting=CompletionStatus.CANNOT_TELL, look_at=f"{task.resource.kind} ({_describe_error(error)})"
        )


def build_failure(message: str, *, passing: bool = False) -> Outcome:
    """Return the outcome of a failure; `passing` if another attempt may succeed."""
    return Outcome(status=OutcomeStatus.FAILED, changed=False, message=message, passing=passing)


def _describe_error(error: BaseException) -> str:
    if isinstance(error, DeployError):
        return str(error)
    return " ".join(f"{type(error).__name__}: {error_text(error)}".split())


class StepJob(Struct, frozen=True, eq=False):
    """A step for an executor: its key, where its resource is placed, and what to do."""

    key: str
    placed: PlacedResource
    task: Task


Report = Callable[[str, Outcome | None], None]
"""Called in the event loop when a job ended, with its outcome; None if it was stopped in the middle."""


class Executor(Protocol):
    """Where steps run: in this process or on workers."""

    def submit(self, job: StepJob, effects: Effects, report: Report) -> None:
        """Start a job; it is reported exactly once."""
        ...

    def cancel(self, key: str) -> None:
        """Stop a job now; it is still reported. An unknown key is ignored."""
        ...

    def labels(self) -> frozenset[str]:
        """Return the labels that its workers offer (sites, networks).

        A step that asks for another one is refused when it is planned.
        """
        ...

    async def close(self) -> None:
        """Stop all jobs and wait until they have been reported."""
        ...


class LocalExecutor:
    """An executor that runs each job as a task of this event loop."""

    def __init__(self, connections: Connections) -> None:
        self.connections = connections
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def submit(self, job: StepJob, effects: Effects, report: Report) -> None:
        self._tasks[job.key] = asyncio.create_task(self._run(job, effects, report))

    async def _run(self, job: StepJob, effects: Effects, report: Report) -> None:
        outcome: Outcome | None = None
        try:
            outcome = await perform_task(job.placed, job.task, effects, self.connections)
        except asyncio.CancelledError:
            pass  # reported as None
        finally:
            del self._tasks[job.key]
            report(job.key, outcome)

    def cancel(self, key: str) -> None:
        task = self._tasks.get(key)
        if task is not None:
            task.cancel()

    def labels(self) -> frozenset[str]:
        return frozenset()

    async def close(self) -> None:
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
