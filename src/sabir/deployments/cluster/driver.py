"""A driver whose connections are at a worker: the same kinds, settings and differences, and calls that go to the cluster."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sabir.deployments.cluster.scheduler import ResponseMissingError, WorkerCluster
from sabir.deployments.targets import WrappingDriver
from sabir.errors import DeployError, UnreachableError
from sabir.resources.driver import Connection, Driver, DriverContext
from sabir.resources.effects import Effects
from sabir.resources.outcome import Observation, Outcome, OutcomeStatus, ResourceReading
from sabir.resources.resource import Resource
from sabir.resources.step import Task
from sabir.resources.target import Target

if TYPE_CHECKING:
    from sabir.deployments.cluster.worker import WorkerResponse


class ClusterWorkers:
    """The workers of one scheduler, as the targets of an environment see them."""

    def __init__(self, cluster: WorkerCluster) -> None:
        self._cluster = cluster

    @staticmethod
    def at(url: str) -> ClusterWorkers:
        return ClusterWorkers(WorkerCluster(url))

    def labels(self) -> frozenset[str]:
        return self._cluster.labels()

    def serve(self, labels: tuple[str, ...]) -> bool:
        return self._cluster.serves(labels)

    def driver_at(self, driver: Driver, target: Target) -> Driver:
        """This machine stays this machine, unless a label says whose it is."""
        stays = target.driver == "local" and not target.labels
        return driver if stays else WorkerDriver(driver, self._cluster)


class WorkerDriver(WrappingDriver):
    """Connections go to a worker."""

    def __init__(self, driver: Driver, cluster: WorkerCluster) -> None:
        super().__init__(driver)
        self._cluster = cluster

    def connect(self, target: Target, context: DriverContext) -> AbstractAsyncContextManager[Connection]:
        return _yield_connection(WorkerConnection(self._cluster, target, context))


@asynccontextmanager
async def _yield_connection(connection: WorkerConnection) -> AsyncGenerator[Connection]:
    yield connection


class WorkerConnection:
    """Each call goes to whichever worker has the labels of the target, and room."""

    def __init__(self, cluster: WorkerCluster, target: Target, context: DriverContext) -> None:
        self._cluster, self._target, self._context = cluster, replace(target, place=None), context

    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:
        reading: ResourceReading = (
            await self._send_call("read", resource=_strip_provenance(resource), target_id=target_id)
        ).value
        return reading

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        return await self._request_change("apply", task, effects)

    async def delete(self, task: Task, effects: Effects) -> Outcome:
        return await self._request_change("delete", task, effects)

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:
        return await self._request_change("call", task, effects, operation=operation)

    async def observe(self, task: Task) -> Observation:
        observation: Observation = (await self._send_call("observe", task=_strip_task_provenance(task))).value
        return observation

    async def _request_change(
        self, verb: str, task: Task, effects: Effects, operation: str | None = None
    ) -> Outcome:
        try:
            answer = await self._send_call(verb, task=_strip_task_provenance(task), operation=operation)
        except ResponseMissingError as error:  # the engine looks for it
            return Outcome(status=OutcomeStatus.UNKNOWN, message=str(error))
        except DeployError as error:
            passing = isinstance(error, UnreachableError)
            return Outcome(status=OutcomeStatus.FAILED, changed=False, message=str(error), passing=passing)
        for line in answer.notes:
            effects.note(line)
        outcome: Outcome = answer.value
        return outcome

    async def _send_call(
        self,
        verb: str,
        *,
        task: Task | None = None,
        resource: Resource | None = None,
        target_id: str | None = None,
        operation: str | None = None,
    ) -> WorkerResponse:
        from sabir.deployments.cluster.worker import WorkerCall

        return await self._cluster.run_call(
            WorkerCall(
                id=uuid.uuid4().hex,
                verb=verb,
                target=self._target,
                environment=self._context.environment,
                trust=self._context.session.trust,
                task=task,
                resource=resource,
                target_id=target_id,
                operation=operation,
            )
        )


def _strip_provenance(resource: Resource) -> Resource:
    """Without what a worker has no use for: where values came from, and how they are computed."""
    return replace(resource, late=None, origin=None, origins={})


def _strip_task_provenance(task: Task) -> Task:
    return replace(task, resource=_strip_provenance(task.resource))
