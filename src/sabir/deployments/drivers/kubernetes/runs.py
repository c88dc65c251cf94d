"""Objects that are run: applied and waited for each time they are asked for, a Job among them made anew.

The id of the operation stands on a Job, so that one that was begun is waited for and not begun again. What a command wrote comes
back as the log of the step.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from sabir.deployments.drivers.kubernetes.api import KubernetesApiError, ObjectPath
from sabir.deployments.drivers.kubernetes.compare import OPERATION
from sabir.deployments.drivers.kubernetes.connection import (
    ClusterConnection,
    ObjectNotReadyError,
    ObjectRefusedError,
    failure_outcome,
)
from sabir.deployments.drivers.kubernetes.objects import DesiredObject
from sabir.deployments.drivers.kubernetes.ownership import read_annotation
from sabir.deployments.drivers.kubernetes.readiness import pod_logs, pods_of
from sabir.errors import DeployError
from sabir.graph.secrets import Secrets, secret_texts
from sabir.graph.values import Value, reveal_value
from sabir.resources.effects import Effects
from sabir.resources.outcome import CompletionStatus, Observation, Outcome, OutcomeStatus
from sabir.resources.resource import Resource
from sabir.resources.step import Task

RUN: Final = "kubernetes-run"
NODES: Final = "kubernetes-nodes"
_PAUSE: Final = 0.5


class ClusterRunConnection(ClusterConnection):
    """A cluster that also runs objects."""

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        if task.resource.kind == NODES:
            return await self._nodes()
        if task.resource.kind != RUN:
            return await super().apply(task, effects)
        outcome, wanted = Outcome(), list[DesiredObject]()
        try:
            wanted += [(await self.prepare_object(resource))[0] for resource in _split_objects(task.resource)]
            # All are there before one is waited for: they may wait for each other.
            begun = [await self._start_object(each, task, effects) for each in wanted]
            for each, (place, live) in zip(wanted, begun, strict=True):
                await self._wait_for_pods(each, await self.ready(place, live, task, effects), task)
        except KubernetesApiError as failure:
            outcome = failure_outcome(failure)
        except ObjectNotReadyError as error:
            outcome = Outcome(status=OutcomeStatus.FAILED, message=str(error))
        return replace(outcome, log=await self._log(task, wanted))

    async def delete(self, task: Task, effects: Effects) -> Outcome:
        """What was run is not undone."""
        return (
            Outcome(changed=False)
            if task.resource.kind in (RUN, NODES)
            else await super().delete(task, effects)
        )

    async def observe(self, task: Task) -> Observation:
        """Running again goes on with the Job that carries the id of the operation, so that is always safe."""
        if task.resource.kind in (RUN, NODES):
            return Observation(sighting=CompletionStatus.NOT_DONE)
        return await super().observe(task)

    async def _nodes(self) -> Outcome:
        try:
            nodes = await self.api.items("/api/v1/nodes", "Node")
        except KubernetesApiError as failure:
            return failure_outcome(failure)
        names = sorted(str(node["metadata"]["name"]) for node in nodes)
        return Outcome(results={"nodes": [*names]})

    async def _start_object(
        self, wanted: DesiredObject, task: Task, effects: Effects
    ) -> tuple[ObjectPath, dict[str, Any]]:
        """The object as it is once it was applied, with its place."""
        place = await self.api.find_path(wanted.manifest)
        subject = f"{place.kind}/{place.name}"
        before = await self.api.find(place) if wanted.is_job else None
        if before is not None:
            refusal = self.settings.ownership.find_refusal(before, task, subject)
            if refusal is not None:
                raise ObjectRefusedError(refusal)
            if read_annotation(before, OPERATION) == task.operation_id:
                return place, before
            effects.note(f"deleting Job {before['metadata']['name']} of an earlier run")
            await self.delete_and_wait(place, before)
        return place, (await self.own(place, wanted, task, subject)).live

    async def _wait_for_pods(self, wanted: DesiredObject, live: Mapping[str, Any], task: Task) -> None:
        """A workload without pods counts as ready while its last ones still end; here they must be gone."""
        deadline = asyncio.get_running_loop().time() + (task.timeout or self.settings.wait_seconds)
        while _is_stopped(wanted) and (pods := await pods_of(self.api, live)):
            if asyncio.get_running_loop().time() > deadline:
                names = ", ".join(pod["metadata"]["name"] for pod in pods[:3])
                raise ObjectNotReadyError(
                    f"{live['kind']} {live['metadata']['name']}: pods do not end: {names}"
                )
            await asyncio.sleep(_PAUSE)

    async def _log(self, task: Task, wanted: list[DesiredObject]) -> tuple[str, ...]:
        """What its Jobs wrote, also one that failed, without secrets."""
        secrets = Secrets(secret_texts(task.resource.desired.get("objects")) or ())
        try:
            jobs = [await self.live(each) for each in wanted if each.is_job]
        except KubernetesApiError:
            return ()
        lines = [line for live in jobs if live is not None for line in await pod_logs(self.api, live)]
        return tuple(map(secrets.redact, lines))


def _split_objects(resource: Resource) -> tuple[Resource, ...]:
    """Each object as a resource of its own."""
    objects = reveal_value(resource.desired.get("objects"))
    if not isinstance(objects, list | tuple) or not objects:
        raise DeployError(f"{resource.address}: `objects` must be a list of objects")
    return tuple(replace(resource, desired=_manifest_fields(manifest)) for manifest in objects)


def _manifest_fields(manifest: Value) -> dict[str, Value]:
    return {"manifest": manifest}


def _is_stopped(wanted: DesiredObject) -> bool:
    spec = wanted.manifest.get("spec") or {}
    if wanted.manifest["kind"] == "DaemonSet":
        return "sabir/stopped" in (spec["template"]["spec"].get("nodeSelector") or {})
    return spec.get("replicas") == 0 and "selector" in spec
