"""One cluster at work: read, apply, delete, observe.

Objects are applied by the server under a field manager, so that what others own stays theirs. What a plan shows comes from the
server, too: an apply that is only tried (`dryRun`) answers with the object as it would be, defaults filled in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.drivers.kubernetes.api import KubernetesApi, KubernetesApiError, ObjectPath
from sabir.deployments.drivers.kubernetes.compare import OPERATION, changes_between, redact_manifest
from sabir.deployments.drivers.kubernetes.objects import (
    CONTENT,
    CREATED,
    DesiredObject,
    build_desired_object,
    claim_managed_fields,
    convert_created,
)
from sabir.deployments.drivers.kubernetes.ownership import (
    EXISTING,
    Ownership,
    list_titles,
    other_environment,
    read_annotation,
)
from sabir.deployments.drivers.kubernetes.readiness import (
    Readiness,
    ReadinessReport,
    collect_pod_problems,
    is_failing,
    pods_of,
    readiness,
)
from sabir.errors import DeployError, SabirError
from sabir.graph.values import Value
from sabir.resources.effects import Effects
from sabir.resources.outcome import (
    CompletionStatus,
    FieldChange,
    Health,
    Observation,
    Outcome,
    OutcomeStatus,
    ResourceReading,
)
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task

RESTARTED: Final = "kubectl.kubernetes.io/restartedAt"
_OWNERS: Final = frozenset(["CronJob", "DaemonSet", "Deployment", "Job", "ReplicaSet", "StatefulSet"])
"""Kinds whose pods go before they do. Nothing waits behind other objects, and their collector may be slow to come."""
_FIXED: Final = ("immutable", "are forbidden", "may not change", "may not be changed", "cannot change")
"""How servers say that a field cannot be changed: of selectors, StatefulSets, addresses of Services, roles of a binding."""
_ATTEMPTS: Final = 3
"""How often an object is read again that was created, replaced or deleted by others meanwhile."""
_NO_VERSION: Final = "1"
"""A resource version that no object has: an apply with it creates an object, and is a conflict when there is one."""
_VERSION_REFUSED: Final = "resourceVersion should not be set on objects to be created"
"""What servers before 1.23 say of Services then, which they create otherwise."""
_SOON: Final = 0.2
_SELDOM: Final = 3.0


class ClusterSettings(Struct, frozen=True, kw_only=True):
    ownership: Ownership
    force: bool
    wait_seconds: float


class ClusterConnection:
    def __init__(self, api: KubernetesApi, settings: ClusterSettings, version: str) -> None:
        self.api, self.settings, self.version = api, settings, version

    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:
        wanted, left_out = await self.prepare_object(resource)
        message = _describe_omitted(left_out, self.version)
        try:
            place = await self.api.find_path(wanted.manifest)
        except KubernetesApiError as failure:
            if failure.reason == "KindNotServed":  # its definition may come with an earlier step
                return ResourceReading(exists=False, message=f"{failure.message} yet")
            raise DeployError(f"{resource.address}: {failure.message}") from failure
        try:
            live = await self.api.find(place)
            if live is None:
                return ResourceReading(exists=False, message=message, warning=message)
            # A namespace that existed before is used as it is.
            is_used = wanted.is_namespace and target_id is not None and target_id.startswith(EXISTING)
            changes = () if is_used else await self._foreseen(place, wanted, live)
            health, complaint = await self._health(live)
        except KubernetesApiError as failure:
            raise DeployError(f"{resource.address}: {failure.message}") from failure
        return ResourceReading(
            exists=True,
            id=live["metadata"].get("uid"),
            fields={"manifest": _select_fields(redact_manifest(live, wanted.sensitive), wanted.manifest)},
            results=_object_results(live),
            changes=changes,
            health=health,
            message=complaint or message,
            warning=message,
            belongs_to=other_environment(live, self.settings.ownership.environment),
        )

    async def _health(self, live: Mapping[str, Any]) -> tuple[Health, str | None]:
        """Whether it does what it is for, and what keeps it from that."""
        progress = readiness(live)
        if progress.state is Readiness.READY:
            return Health.OK, None
        pods = await pods_of(self.api, live)
        fails = progress.state is Readiness.FAILED or any(map(is_failing, pods))
        return Health.FAILING if fails else Health.WAITING, await self._why(live, progress)

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        known_id: str | None = None
        try:
            wanted, left_out = await self.prepare_object(task.resource)
            place = await self.api.find_path(wanted.manifest)
            applied = await self.own(place, wanted, task, str(task.resource.address))
            live, known_id = applied.live, applied.id
            if wanted.wait:
                live = await self.ready(place, live, task, effects)
        except KubernetesApiError as failure:
            return replace(failure_outcome(failure), id=known_id)
        except ObjectNotReadyError as error:
            return Outcome(status=OutcomeStatus.FAILED, message=str(error), id=known_id)
        message = _describe_omitted(left_out, self.version)
        return Outcome(
            changed=applied.changed,
            id=known_id,
            results=_object_results(live),
            message=applied.message,
            log=() if message is None else (message,),
        )

    async def own(self, place: ObjectPath, wanted: DesiredObject, task: Task, subject: str) -> Applied:
        """Create or update an object that belongs to this environment, or is absent; `Refused` when it belongs to others."""
        attempts = _ATTEMPTS
        while True:
            attempts -= 1
            before = await self.api.find(place)
            refusal = None
            if before is not None:
                refusal = self.settings.ownership.find_refusal(before, task, subject)
            if before is not None and refusal is not None:
                if not wanted.is_namespace:
                    raise ObjectRefusedError(refusal)
                name = before["metadata"]["name"]
                return Applied(
                    live=before,
                    id=f"{EXISTING}{before['metadata'].get('uid')}",
                    changed=False,
                    message=f"namespace {name!r} already exists: it is used, and not changed or deleted",
                )
            try:
                live = await self.apply_object(place, wanted, task.operation_id, before)
            except KubernetesApiError as failure:
                if not (failure.is_outdated and attempts):
                    raise
                continue
            changed = before is None or bool(changes_between(before, live, wanted.sensitive))
            return Applied(live=live, id=live["metadata"].get("uid"), changed=changed)

    async def delete(self, task: Task, effects: Effects) -> Outcome:
        try:
            wanted, _ = await self.prepare_object(task.resource)
            place = await self.api.find_path(wanted.manifest)
            live = await self.api.find(place)
            if live is None:
                return Outcome(changed=False)
            if wanted.is_namespace:
                kept = await self._find_kept(live, task)
                if kept is not None:
                    return kept
            else:
                refusal = self.settings.ownership.find_refusal(live, task, str(task.resource.address))
                if refusal is not None:
                    raise ObjectRefusedError(refusal)
            effects.note(f"deleting {live['kind']} {live['metadata']['name']}")
            await self.delete_and_wait(place, live)
        except KubernetesApiError as failure:
            if failure.is_missing:  # gone already, perhaps with its kind
                return Outcome(changed=False)
            return failure_outcome(failure)
        except ObjectNotReadyError as error:
            return Outcome(status=OutcomeStatus.FAILED, message=str(error))
        return Outcome()

    async def _find_kept(self, live: Mapping[str, Any], task: Task) -> Outcome | None:
        """What is said of a namespace that is not deleted; None: this environment created it, and nothing else is in it."""
        name = live["metadata"]["name"]
        if not self.settings.ownership.has_created(live, task.id):
            owner = other_environment(live, self.settings.ownership.environment)
            reason = "sabir did not create it" if owner is None else f"it belongs to environment {owner!r}"
            return Outcome(changed=False, message=f"namespace {name!r} is kept: {reason}")
        deadline, pause = _loop_time() + self.settings.wait_seconds, _SOON
        while True:
            try:
                found = self.settings.ownership.sort_contents(await self.api.contents(name))
            except KubernetesApiError as failure:
                reason = f"its contents could not be read: {failure.message}"
                return _kept(name, reason, passing=failure.passing)
            if found.foreign:
                others = list_titles(found.foreign)
                return _kept(name, f"it contains objects that this environment did not create: {others}")
            if found.recorded:
                others = list_titles(found.recorded)
                return _kept(name, f"it contains objects that are still recorded: {others}", passing=True)
            if not found.leaving:
                return None
            if _loop_time() > deadline:
                others = list_titles(found.leaving)
                return _kept(name, f"it contains objects that are not gone yet: {others}")
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _SELDOM)

    async def observe(self, task: Task) -> Observation:
        """Applying and deleting may be repeated, so a step counts as done only when nothing is left to wait for."""
        try:
            wanted, _ = await self.prepare_object(task.resource)
            live = await self.live(wanted)
        except KubernetesApiError as failure:
            return Observation(sighting=CompletionStatus.CANNOT_TELL, look_at=failure.message)
        if task.action is Action.DELETE:
            return Observation(
                sighting=CompletionStatus.DONE if live is None else CompletionStatus.NOT_DONE,
                outcome=Outcome(),
            )
        if live is None or not self._is_marked(live, task):
            return Observation(sighting=CompletionStatus.NOT_DONE)
        uid = live["metadata"].get("uid")
        if wanted.wait and readiness(live).state is not Readiness.READY:
            return Observation(sighting=CompletionStatus.NOT_DONE, outcome=Outcome(id=uid))
        return Observation(
            sighting=CompletionStatus.DONE, outcome=Outcome(id=uid, results=_object_results(live))
        )

    def _is_marked(self, live: Mapping[str, Any], task: Task) -> bool:
        """Whether the operation wrote the object, and no other environment has taken it since."""
        other = other_environment(live, self.settings.ownership.environment)
        return other is None and read_annotation(live, OPERATION) == task.operation_id

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:
        """`restart`: the pods of a workload are made anew, one after the other."""
        if operation != "restart":
            return Outcome(status=OutcomeStatus.FAILED, message=f"there is no operation {operation!r}")
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        patch = {"spec": {"template": {"metadata": {"annotations": {RESTARTED: moment}}}}}
        try:
            wanted, _ = await self.prepare_object(task.resource)
            place = await self.api.find_path(wanted.manifest)
            before = await self.api.get(place)
            refusal = self.settings.ownership.find_refusal(before, task, str(task.resource.address))
            if refusal is not None:
                raise ObjectRefusedError(refusal)
            same = {**patch, "metadata": {"uid": before["metadata"].get("uid")}}
            live = await self.api.merge(place, same, fieldManager="sabir-restart")
            live = await self.ready(place, live, task, effects)
        except KubernetesApiError as failure:
            return failure_outcome(failure)
        except ObjectNotReadyError as error:
            return Outcome(status=OutcomeStatus.FAILED, message=str(error))
        return Outcome(results=_object_results(live))

    async def prepare_object(self, resource: Resource) -> tuple[DesiredObject, tuple[str, ...]]:
        """The object as this server can take it, and what it does not know of it."""
        environment = self.settings.ownership.environment
        wanted = build_desired_object(resource, environment, force=self.settings.force)
        schemas = await self.api.schemas()
        manifest, left_out = schemas.without_unknown(wanted.manifest)
        return replace(wanted, manifest=manifest), left_out

    async def live(self, wanted: DesiredObject) -> dict[str, Any] | None:
        """The object as it is; None also when the cluster does not even serve its kind."""
        try:
            return await self.api.find(await self.api.find_path(wanted.manifest))
        except KubernetesApiError as failure:
            if failure.is_missing:
                return None
            raise

    async def _foreseen(
        self, place: ObjectPath, wanted: DesiredObject, live: Mapping[str, Any]
    ) -> tuple[FieldChange, ...]:
        if wanted.is_job:
            before, after = read_annotation(live, CONTENT), wanted.content
            return () if before == after else (FieldChange(field="content", before=before, after=after),)
        try:
            # The id of the last operation stays on the object until the next: without it, it would seem to go.
            wanted = wanted.with_creation(read_annotation(live, CREATED))
            manifest = wanted.with_operation(read_annotation(live, OPERATION))
            tried = await self.api.apply(place, manifest, dryRun="All", **self._manager(force=True))
        except KubernetesApiError as failure:
            if failure.status != 422:
                raise
            # It cannot be changed so; what would differ can still be shown from what is wanted.
            return changes_between(_select_fields(live, wanted.manifest), wanted.manifest, wanted.sensitive)
        return changes_between(live, tried, wanted.sensitive)

    async def apply_object(
        self, place: ObjectPath, wanted: DesiredObject, operation_id: str, before: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """The object as it is once it was applied. It is applied to `before` or, where that is None, only when there is still none."""
        created = operation_id if before is None else read_annotation(before, CREATED)
        manifest = wanted.with_creation(created).with_operation(operation_id)
        if (
            wanted.force and before is not None and not wanted.is_namespace
        ):  # its managers show who created it
            await self._take_over(place, before)
        if wanted.is_job and before is not None and read_annotation(before, CONTENT) != wanted.content:
            await self.delete_and_wait(place, before)
            before = None
        try:
            return await self._apply_to(place, manifest, before, force=wanted.force)
        except KubernetesApiError as failure:
            may_replace = wanted.replace and not wanted.is_namespace  # it would take everything in it along
            if not (may_replace and failure.status == 422 and _cannot_change(failure)):
                raise
        if before is not None:
            await self.delete_and_wait(place, before)
        return await self._apply_to(place, manifest, None, force=wanted.force)

    async def _apply_to(
        self, place: ObjectPath, manifest: Mapping[str, Any], before: Mapping[str, Any] | None, *, force: bool
    ) -> dict[str, Any]:
        """Apply to the object that was read, or create one; a conflict when another one is there by now."""
        manager = self._manager(force=force)
        if before is None:
            try:
                return await self.api.apply(
                    place, _with_metadata(manifest, resourceVersion=_NO_VERSION), **manager
                )
            except KubernetesApiError as failure:
                if failure.status != 500 or _VERSION_REFUSED not in failure.message:
                    raise
            before = await self.api.create(place, manifest, **self._manager(force=False))
        before = await self._convert_created(place, before)
        same = _with_metadata(manifest, uid=before["metadata"].get("uid"))
        return await self.api.apply(place, same, **manager)

    async def _convert_created(self, place: ObjectPath, before: Mapping[str, Any]) -> Mapping[str, Any]:
        """Let our manager own by apply what it has created otherwise: an apply takes nothing else away."""
        metadata = before["metadata"]
        managed = convert_created(metadata.get("managedFields") or (), self.settings.ownership.field_manager)
        if managed is None:
            return before
        patch = {
            "managedFields": managed,
            "uid": metadata.get("uid"),
            "resourceVersion": metadata.get("resourceVersion"),
        }
        return await self.api.merge(place, {"metadata": patch})

    async def _take_over(self, place: ObjectPath, before: Mapping[str, Any]) -> None:
        """Own what an earlier tool set: what is not wanted of it goes with the apply, a label of a selector for one."""
        metadata = before["metadata"]
        managed = claim_managed_fields(
            metadata.get("managedFields") or (), self.settings.ownership.field_manager
        )
        if managed is not None:
            patch = {"managedFields": managed, "resourceVersion": metadata.get("resourceVersion")}
            await self.api.merge(place, {"metadata": patch})

    async def delete_and_wait(self, place: ObjectPath, live: Mapping[str, Any]) -> None:
        """Delete just this object, its dependents first, and wait until it is gone."""
        uid = live["metadata"].get("uid")
        await self.api.delete(
            place,
            {
                "apiVersion": "v1",
                "kind": "DeleteOptions",
                "propagationPolicy": "Foreground" if live.get("kind") in _OWNERS else "Background",
                "preconditions": {"uid": uid},
            },
        )
        deadline = _loop_time() + self.settings.wait_seconds
        pause = _SOON
        while (left := await self.api.find(place)) is not None and left["metadata"].get("uid") == uid:
            if _loop_time() > deadline:
                held = ", ".join(left["metadata"].get("finalizers") or ()) or "what it owns"
                raise ObjectNotReadyError(
                    f"{left['kind']} {left['metadata']['name']} is still there: it waits for {held}"
                )
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _SELDOM)

    async def ready(
        self, place: ObjectPath, live: dict[str, Any], task: Task, effects: Effects
    ) -> dict[str, Any]:
        """The object once it does what it is for."""
        deadline = _loop_time() + (task.timeout or self.settings.wait_seconds)
        pause, told = _SOON, set[str]()
        while (progress := readiness(live)).state is Readiness.WAITING:
            if progress.message is not None and progress.message not in told:
                told.add(progress.message)
                effects.note(f"waiting for {progress.message}")
            if _loop_time() > deadline:
                raise ObjectNotReadyError(await self._why(live, progress))
            if pause == _SELDOM:  # it takes long: those who wait want to know why
                await self._tell_troubles(live, told, effects)
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _SELDOM)
            live = await self.api.get(place)
        if progress.state is Readiness.FAILED:
            raise ObjectNotReadyError(await self._why(live, progress))
        return live

    async def _tell_troubles(self, live: Mapping[str, Any], told: set[str], effects: Effects) -> None:
        """Each complaint of its pods once."""
        for trouble in await collect_pod_problems(self.api, live):
            if trouble not in told:
                told.add(trouble)
                effects.note(trouble)

    async def _why(self, live: Mapping[str, Any], progress: ReadinessReport) -> str:
        troubles = await collect_pod_problems(self.api, live)
        return "; ".join([progress.message or "it is not ready", *troubles])

    def _manager(self, *, force: bool) -> dict[str, str]:
        manager = {"fieldManager": self.settings.ownership.field_manager}
        return {**manager, "force": "true"} if force else manager


class Applied(Struct, frozen=True, kw_only=True):
    """An object after it was created, updated, or found and used."""

    live: dict[str, Any]
    id: str | None
    changed: bool
    message: str | None = None


class ObjectRefusedError(KubernetesApiError):
    """An object that belongs to others; nothing was done."""

    def __init__(self, message: str) -> None:
        super().__init__(message, status=409)


class ObjectNotReadyError(SabirError):
    """An object that did not come to do what it is for, or did not go away, in time."""


def _with_metadata(manifest: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    return {**manifest, "metadata": {**manifest["metadata"], **fields}}


def _loop_time() -> float:
    return asyncio.get_running_loop().time()


def _cannot_change(failure: KubernetesApiError) -> bool:
    """Whether the object is refused because it is there already and fixed in this: one that is wrong would be refused anew."""
    return any(words in failure.message for words in _FIXED)


def _select_fields(live: Any, wanted: Any) -> Any:
    """What the live object has of the fields that are wanted: not what the server fills in."""
    if isinstance(live, Mapping) and isinstance(wanted, Mapping):
        return {key: _select_fields(live[key], value) for key, value in wanted.items() if key in live}
    if isinstance(live, list) and isinstance(wanted, list) and len(live) == len(wanted):
        return [_select_fields(*pair) for pair in zip(live, wanted, strict=True)]
    return live


def _object_results(live: Mapping[str, Any]) -> dict[str, Value]:
    """What others may want to know of an object that is there."""
    results: dict[str, Value] = {"uid": live["metadata"].get("uid")}
    if live.get("kind") == "Service":
        spec, status = live.get("spec") or {}, live.get("status") or {}
        results["cluster_ip"] = spec.get("clusterIP")
        ingress = ((status.get("loadBalancer") or {}).get("ingress") or [{}])[0]
        results["address"] = ingress.get("ip") or ingress.get("hostname") or spec.get("clusterIP")
        results["node_ports"] = [port["nodePort"] for port in spec.get("ports") or () if "nodePort" in port]
    return results


def _describe_omitted(paths: tuple[str, ...], version: str) -> str | None:
    if not paths:
        return None
    return f"left out, because the cluster ({version}) does not know it: {', '.join(paths)}"


def _kept(name: str, reason: str, *, passing: bool = False) -> Outcome:
    """A namespace that should have been deleted, and was not."""
    message = f"namespace {name!r} was not deleted: {reason}"
    return Outcome(status=OutcomeStatus.FAILED, changed=False, message=message, passing=passing)


def failure_outcome(failure: KubernetesApiError) -> Outcome:
    message = failure.message
    if isinstance(failure, ObjectRefusedError):
        return Outcome(status=OutcomeStatus.FAILED, changed=False, untouched=True, message=message)
    if failure.status == 409 and failure.causes:
        message = f"others own fields of it ({'; '.join(failure.causes)}); `force: true` takes them over"
    elif failure.status == 422:
        message += "; where it cannot be changed in place, `replace: true` deletes it and makes it anew"
    return Outcome(status=OutcomeStatus.FAILED, message=message, passing=failure.passing)
