"""Why pods of a workload are not ready: the reasons that containers and the scheduler give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sabir.deployments.drivers.kubernetes.api import Api, ApiFailure

__all__ = ["pod_troubles"]

_MOST: Final = 3


async def pod_troubles(api: Api, workload: Mapping[str, Any]) -> tuple[str, ...]:
    """What the pods of a workload complain about, a few of them; nothing when they cannot be asked."""
    labels = ((workload.get("spec") or {}).get("selector") or {}).get("matchLabels")
    if not labels:
        return ()
    selector = ",".join(f"{key}={value}" for key, value in labels.items())
    namespace = workload["metadata"].get("namespace", api.namespace)
    try:
        pods = await api.get(f"/api/v1/namespaces/{namespace}/pods", labelSelector=selector)
    except ApiFailure:
        return ()
    troubles = dict.fromkeys(trouble for pod in pods.get("items", ()) for trouble in _troubles(pod))
    return tuple(troubles)[:_MOST]


def _troubles(pod: Mapping[str, Any]) -> Iterator[str]:
    status = pod.get("status") or {}
    name = pod["metadata"]["name"]
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            yield f"pod {name} has no node: {condition.get('message')}"
    for container in (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())):
        waiting = (container.get("state") or {}).get("waiting") or {}
        if waiting.get("reason") not in (None, "ContainerCreating", "PodInitializing"):
            detail = f": {waiting['message']}" if waiting.get("message") else ""
            yield f"container {container['name']} of pod {name}: {waiting['reason']}{detail}"
