"""Whether an object does what it was made for, and what it waits for when it does not.

Pods of a workload: why they are not ready, in the words of containers, probes and the scheduler; and what they wrote.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, Final
from urllib.parse import quote

from msgspec import Struct

from sabir.deployments.drivers.kubernetes.api import KubernetesApi, KubernetesApiError
from sabir.deployments.drivers.kubernetes.shapes import Workload
from sabir.deployments.drivers.responses import describe_mismatch


class Readiness(Enum):
    READY = "ready"
    WAITING = "waiting"
    FAILED = "failed"


class ReadinessReport(Struct, frozen=True):
    state: Readiness
    message: str | None = None
    """What it waits for, or why it failed."""


_READY: Final = ReadinessReport(Readiness.READY)


def readiness(manifest: Mapping[str, Any]) -> ReadinessReport:
    """How far the object is, by its status; kinds that have nothing to wait for are ready at once."""
    judge = _CHECKS.get((_api_group(manifest), str(manifest.get("kind"))))
    return _READY if judge is None else judge(manifest)


def _api_group(manifest: Mapping[str, Any]) -> str:
    return str(manifest.get("apiVersion", "")).rpartition("/")[0]


def _check_deployment(manifest: Mapping[str, Any]) -> ReadinessReport:
    spec, status = _spec_and_status(manifest)
    failed = _find_condition(status, "Progressing", "False") or _find_condition(
        status, "ReplicaFailure", "True"
    )
    if failed is not None:
        return ReadinessReport(Readiness.FAILED, failed)
    wanted = spec.get("replicas", 1)
    if status.get("replicas", 0) > status.get("updatedReplicas", 0):
        gone = status["replicas"] - status.get("updatedReplicas", 0)
        return _report_waiting(manifest, f"{gone} old pods are still there")
    return _check_pod_counts(
        manifest, status.get("updatedReplicas", 0), status.get("availableReplicas", 0), wanted
    )


def _check_stateful_set(manifest: Mapping[str, Any]) -> ReadinessReport:
    spec, status = _spec_and_status(manifest)
    updated = status.get("updatedReplicas", 0)
    if status.get("currentRevision") == status.get("updateRevision"):
        updated = status.get("currentReplicas", status.get("replicas", 0))
    return _check_pod_counts(manifest, updated, status.get("readyReplicas", 0), spec.get("replicas", 1))


def _check_daemon_set(manifest: Mapping[str, Any]) -> ReadinessReport:
    _, status = _spec_and_status(manifest)
    wanted = status.get("desiredNumberScheduled", 0)
    return _check_pod_counts(
        manifest, status.get("updatedNumberScheduled", 0), status.get("numberAvailable", 0), wanted
    )


def _check_pod_counts(
    manifest: Mapping[str, Any], updated: int, available: int, wanted: int
) -> ReadinessReport:
    generation = manifest.get("metadata", {}).get("generation", 0)
    if manifest.get("status", {}).get("observedGeneration", 0) < generation:
        return _report_waiting(manifest, "its controller has not seen the change yet")
    if min(updated, available) < wanted:
        return _report_waiting(manifest, f"{min(updated, available)} of {wanted} pods are ready")
    return _READY


def _check_job(manifest: Mapping[str, Any]) -> ReadinessReport:
    spec, status = _spec_and_status(manifest)
    failed = _find_condition(status, "Failed", "True")
    if failed is not None:
        return ReadinessReport(Readiness.FAILED, failed)
    if _find_condition(status, "Complete", "True") is not None:
        return _READY
    return _report_waiting(
        manifest, f"{status.get('succeeded', 0)} of {spec.get('completions') or 1} pods have ended"
    )


def _check_pod(manifest: Mapping[str, Any]) -> ReadinessReport:
    _, status = _spec_and_status(manifest)
    phase = status.get("phase")
    if phase == "Failed":
        return ReadinessReport(Readiness.FAILED, status.get("message") or "its containers failed")
    if phase == "Succeeded" or _find_condition(status, "Ready", "True") is not None:
        return _READY
    return _report_waiting(manifest, f"it is {phase or 'not seen yet'}")


def _check_namespace(manifest: Mapping[str, Any]) -> ReadinessReport:
    phase = manifest.get("status", {}).get("phase")
    return _READY if phase == "Active" else _report_waiting(manifest, f"it is {phase or 'not active yet'}")


def _check_definition(manifest: Mapping[str, Any]) -> ReadinessReport:
    _, status = _spec_and_status(manifest)
    refused = _find_condition(status, "NamesAccepted", "False")
    if refused is not None:
        return ReadinessReport(Readiness.FAILED, refused)
    established = _find_condition(status, "Established", "True")
    return _READY if established is not None else _report_waiting(manifest, "its kind is not served yet")


def _spec_and_status(manifest: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    return manifest.get("spec") or {}, manifest.get("status") or {}


def _report_waiting(manifest: Mapping[str, Any], reason: str) -> ReadinessReport:
    name = manifest.get("metadata", {}).get("name")
    return ReadinessReport(Readiness.WAITING, f"{manifest.get('kind')} {name}: {reason}")


def _find_condition(status: Mapping[str, Any], kind: str, value: str) -> str | None:
    """What a condition that has this value says; None when there is none."""
    for condition in status.get("conditions") or ():
        if condition.get("type") == kind and condition.get("status") == value:
            return str(condition.get("message") or condition.get("reason") or kind)
    return None


_CHECKS: Final[Mapping[tuple[str, str], Callable[[Mapping[str, Any]], ReadinessReport]]] = {
    ("apps", "Deployment"): _check_deployment,
    ("apps", "StatefulSet"): _check_stateful_set,
    ("apps", "DaemonSet"): _check_daemon_set,
    ("batch", "Job"): _check_job,
    ("", "Pod"): _check_pod,
    ("", "Namespace"): _check_namespace,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _check_definition,
}


_MOST: Final = 3
_ASKED: Final = 5
"""Pods whose events are asked for: the others of a workload mostly say the same."""
_LINES: Final = "200"
_LOG_BYTES: Final = 1 << 18
_LOGS: Final = 100
_EVENTS: Final = 100
_LONGEST: Final = 400


async def pods_of(api: KubernetesApi, workload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pods that a workload selects; none when they cannot be asked for."""
    if describe_mismatch(workload, Workload) is not None:  # an object of another kind may have any shape
        return []
    labels = ((workload.get("spec") or {}).get("selector") or {}).get("matchLabels")
    if not labels:
        return []
    selector = ",".join(f"{key}={value}" for key, value in labels.items())
    try:
        return await api.items(f"{_namespace_path(api, workload)}/pods", "Pod", labelSelector=selector)
    except KubernetesApiError:
        return []


async def collect_pod_problems(api: KubernetesApi, workload: Mapping[str, Any]) -> tuple[str, ...]:
    """What the pods of a workload complain about, a few of them; nothing when they cannot be asked."""
    pods = await pods_of(api, workload)
    waiting = [pod for pod in pods if not _is_ready(pod)][:_ASKED]
    events = await asyncio.gather(*(_list_events(api, pod) for pod in waiting))
    troubles = dict.fromkeys(
        trouble
        for pod, of_pod in zip(waiting, events, strict=True)
        for trouble in (*_find_pod_problems(pod), *_describe_events(pod, of_pod))
    )
    return tuple(troubles)[:_MOST]


async def pod_logs(api: KubernetesApi, workload: Mapping[str, Any]) -> list[str]:
    """The last lines that the pods of a workload wrote; where no node answers there are none."""
    lines: list[str] = []
    for pod in (await pods_of(api, workload))[:_LOGS]:
        path = f"{_namespace_path(api, workload)}/pods/{quote(pod['metadata']['name'], safe='')}/log"
        try:
            log = await api.text(path, tailLines=_LINES, limitBytes=str(_LOG_BYTES))
            lines += log[:_LOG_BYTES].splitlines()
        except KubernetesApiError:
            continue
    return lines


def _namespace_path(api: KubernetesApi, workload: Mapping[str, Any]) -> str:
    return f"/api/v1/namespaces/{quote(workload['metadata'].get('namespace') or api.namespace, safe='')}"


def _is_ready(pod: Mapping[str, Any]) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(
        condition.get("type") == "Ready" and condition.get("status") == "True" for condition in conditions
    )


async def _list_events(api: KubernetesApi, pod: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What others reported of a pod, the newest first: probes that fail are told nowhere else."""
    selector = f"involvedObject.uid={pod['metadata'].get('uid')},type=Warning"
    try:
        events = await api.items(f"{_namespace_path(api, pod)}/events", "Event", fieldSelector=selector)
    except KubernetesApiError:
        return []
    return sorted(events, key=_event_time, reverse=True)[:_EVENTS]


def _event_time(event: Mapping[str, Any]) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or "")


def _describe_events(pod: Mapping[str, Any], events: list[dict[str, Any]]) -> Iterator[str]:
    """The newest event of each reason; the scheduler's is a condition already."""
    reasons = dict.fromkeys(str(event.get("reason")) for event in events)
    for reason in reasons:
        message = next(str(event.get("message") or "") for event in events if event.get("reason") == reason)
        if reason != "FailedScheduling" and message.strip():
            yield f"pod {pod['metadata']['name']}: {_shorten_message(message)}"


def _shorten_message(message: str) -> str:
    """The first words say what failed, the last line why."""
    first, *rest = [line.strip() for line in message.strip().splitlines() if line.strip()]
    text = f"{first} … {rest[-1]}" if rest else first
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def is_failing(pod: Mapping[str, Any]) -> bool:
    """Whether a container of it ended badly, or cannot be started: waiting alone does not mend that."""
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return any(any(True for _ in _find_container_problems("", container)) for container in statuses)


def _find_pod_problems(pod: Mapping[str, Any]) -> Iterator[str]:
    status = pod.get("status") or {}
    name = pod["metadata"]["name"]
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            yield f"pod {name} has no node: {condition.get('message')}"
    for container in (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())):
        yield from _find_container_problems(name, container)


def _find_container_problems(pod: str, container: Mapping[str, Any]) -> Iterator[str]:
    waiting = (container.get("state") or {}).get("waiting") or {}
    if waiting.get("reason") not in (None, "ContainerCreating", "PodInitializing"):
        detail = f": {waiting['message']}" if waiting.get("message") else ""
        yield f"container {container['name']} of pod {pod}: {waiting['reason']}{detail}"
    for state in ("state", "lastState"):
        ended = (container.get(state) or {}).get("terminated") or {}
        if ended.get("exitCode"):
            reason = str(ended.get("message") or "").strip() or ended.get("reason") or "no reason given"
            yield f"container {container['name']} of pod {pod} ended with status {ended['exitCode']}: {_shorten_message(reason)}"
            return
