"""Pods of a workload: why they are not ready, in the words of containers, probes and the scheduler; and what they wrote."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from sabir.deployments.drivers.answers import misfit_of
from sabir.deployments.drivers.kubernetes.api import Api, ApiFailure
from sabir.deployments.drivers.kubernetes.shapes import Workload

__all__ = ["is_failing", "pod_logs", "pod_troubles", "pods_of"]

_MOST: Final = 3
_ASKED: Final = 5
"""Pods whose events are asked for: the others of a workload mostly say the same."""
_LINES: Final = "200"
_LOG_BYTES: Final = 1 << 18
_LOGS: Final = 100
_EVENTS: Final = 100
_LONGEST: Final = 400


async def pods_of(api: Api, workload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pods that a workload selects; none when they cannot be asked for."""
    if misfit_of(workload, Workload) is not None:  # an object of another kind may have any shape
        return []
    labels = ((workload.get("spec") or {}).get("selector") or {}).get("matchLabels")
    if not labels:
        return []
    selector = ",".join(f"{key}={value}" for key, value in labels.items())
    try:
        return await api.items(f"{_namespace_path(api, workload)}/pods", "Pod", labelSelector=selector)
    except ApiFailure:
        return []


async def pod_troubles(api: Api, workload: Mapping[str, Any]) -> tuple[str, ...]:
    """What the pods of a workload complain about, a few of them; nothing when they cannot be asked."""
    pods = await pods_of(api, workload)
    waiting = [pod for pod in pods if not _is_ready(pod)][:_ASKED]
    events = await asyncio.gather(*(_events(api, pod) for pod in waiting))
    troubles = dict.fromkeys(
        trouble
        for pod, of_pod in zip(waiting, events, strict=True)
        for trouble in (*_troubles(pod), *_complaints(pod, of_pod))
    )
    return tuple(troubles)[:_MOST]


async def pod_logs(api: Api, workload: Mapping[str, Any]) -> list[str]:
    """The last lines that the pods of a workload wrote; where no node answers there are none."""
    lines: list[str] = []
    for pod in (await pods_of(api, workload))[:_LOGS]:
        path = f"{_namespace_path(api, workload)}/pods/{quote(pod['metadata']['name'], safe='')}/log"
        try:
            log = await api.text(path, tailLines=_LINES, limitBytes=str(_LOG_BYTES))
            lines += log[:_LOG_BYTES].splitlines()
        except ApiFailure:
            continue
    return lines


def _namespace_path(api: Api, workload: Mapping[str, Any]) -> str:
    return f"/api/v1/namespaces/{quote(workload['metadata'].get('namespace') or api.namespace, safe='')}"


def _is_ready(pod: Mapping[str, Any]) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(
        condition.get("type") == "Ready" and condition.get("status") == "True" for condition in conditions
    )


async def _events(api: Api, pod: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What others reported of a pod, the newest first: probes that fail are told nowhere else."""
    selector = f"involvedObject.uid={pod['metadata'].get('uid')},type=Warning"
    try:
        events = await api.items(f"{_namespace_path(api, pod)}/events", "Event", fieldSelector=selector)
    except ApiFailure:
        return []
    return sorted(events, key=_moment, reverse=True)[:_EVENTS]


def _moment(event: Mapping[str, Any]) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or "")


def _complaints(pod: Mapping[str, Any], events: list[dict[str, Any]]) -> Iterator[str]:
    """The newest event of each reason; the scheduler's is a condition already."""
    reasons = dict.fromkeys(str(event.get("reason")) for event in events)
    for reason in reasons:
        message = next(str(event.get("message") or "") for event in events if event.get("reason") == reason)
        if reason != "FailedScheduling" and message.strip():
            yield f"pod {pod['metadata']['name']}: {_short(message)}"


def _short(message: str) -> str:
    """The first words say what failed, the last line why."""
    first, *rest = [line.strip() for line in message.strip().splitlines() if line.strip()]
    text = f"{first} … {rest[-1]}" if rest else first
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def is_failing(pod: Mapping[str, Any]) -> bool:
    """Whether a container of it ended badly, or cannot be started: waiting alone does not mend that."""
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return any(any(True for _ in _container_troubles("", container)) for container in statuses)


def _troubles(pod: Mapping[str, Any]) -> Iterator[str]:
    status = pod.get("status") or {}
    name = pod["metadata"]["name"]
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            yield f"pod {name} has no node: {condition.get('message')}"
    for container in (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())):
        yield from _container_troubles(name, container)


def _container_troubles(pod: str, container: Mapping[str, Any]) -> Iterator[str]:
    waiting = (container.get("state") or {}).get("waiting") or {}
    if waiting.get("reason") not in (None, "ContainerCreating", "PodInitializing"):
        detail = f": {waiting['message']}" if waiting.get("message") else ""
        yield f"container {container['name']} of pod {pod}: {waiting['reason']}{detail}"
    for state in ("state", "lastState"):
        ended = (container.get(state) or {}).get("terminated") or {}
        if ended.get("exitCode"):
            reason = str(ended.get("message") or "").strip() or ended.get("reason") or "no reason given"
            yield f"container {container['name']} of pod {pod} ended with status {ended['exitCode']}: {_short(reason)}"
            return
