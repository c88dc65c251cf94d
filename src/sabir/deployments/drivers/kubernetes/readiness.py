"""Whether an object does what it was made for, and what it waits for when it does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final

from msgspec import Struct

__all__ = ["Progress", "Readiness", "readiness"]


class Readiness(Enum):
    READY = "ready"
    WAITING = "waiting"
    FAILED = "failed"


class Progress(Struct, frozen=True):
    state: Readiness
    message: str | None = None
    """What it waits for, or why it failed."""


_READY: Final = Progress(Readiness.READY)


def readiness(manifest: Mapping[str, Any]) -> Progress:
    """How far the object is, by its status; kinds that have nothing to wait for are ready at once."""
    judge = _JUDGES.get((_group(manifest), str(manifest.get("kind"))))
    return _READY if judge is None else judge(manifest)


def _group(manifest: Mapping[str, Any]) -> str:
    return str(manifest.get("apiVersion", "")).rpartition("/")[0]


def _deployment(manifest: Mapping[str, Any]) -> Progress:
    spec, status = _parts(manifest)
    failed = _condition(status, "Progressing", "False") or _condition(status, "ReplicaFailure", "True")
    if failed is not None:
        return Progress(Readiness.FAILED, failed)
    wanted = spec.get("replicas", 1)
    if status.get("replicas", 0) > status.get("updatedReplicas", 0):
        gone = status["replicas"] - status.get("updatedReplicas", 0)
        return _waiting(manifest, f"{gone} old pods are still there")
    return _counted(manifest, status.get("updatedReplicas", 0), status.get("availableReplicas", 0), wanted)


def _stateful_set(manifest: Mapping[str, Any]) -> Progress:
    spec, status = _parts(manifest)
    updated = status.get("updatedReplicas", 0)
    if status.get("currentRevision") == status.get("updateRevision"):
        updated = status.get("currentReplicas", status.get("replicas", 0))
    return _counted(manifest, updated, status.get("readyReplicas", 0), spec.get("replicas", 1))


def _daemon_set(manifest: Mapping[str, Any]) -> Progress:
    _, status = _parts(manifest)
    wanted = status.get("desiredNumberScheduled", 0)
    return _counted(
        manifest, status.get("updatedNumberScheduled", 0), status.get("numberAvailable", 0), wanted
    )


def _counted(manifest: Mapping[str, Any], updated: int, available: int, wanted: int) -> Progress:
    generation = manifest.get("metadata", {}).get("generation", 0)
    if manifest.get("status", {}).get("observedGeneration", 0) < generation:
        return _waiting(manifest, "its controller has not seen the change yet")
    if min(updated, available) < wanted:
        return _waiting(manifest, f"{min(updated, available)} of {wanted} pods are ready")
    return _READY


def _job(manifest: Mapping[str, Any]) -> Progress:
    spec, status = _parts(manifest)
    failed = _condition(status, "Failed", "True")
    if failed is not None:
        return Progress(Readiness.FAILED, failed)
    if _condition(status, "Complete", "True") is not None:
        return _READY
    return _waiting(
        manifest, f"{status.get('succeeded', 0)} of {spec.get('completions') or 1} pods have ended"
    )


def _pod(manifest: Mapping[str, Any]) -> Progress:
    _, status = _parts(manifest)
    phase = status.get("phase")
    if phase == "Failed":
        return Progress(Readiness.FAILED, status.get("message") or "its containers failed")
    if phase == "Succeeded" or _condition(status, "Ready", "True") is not None:
        return _READY
    return _waiting(manifest, f"it is {phase or 'not seen yet'}")


def _namespace(manifest: Mapping[str, Any]) -> Progress:
    phase = manifest.get("status", {}).get("phase")
    return _READY if phase == "Active" else _waiting(manifest, f"it is {phase or 'not active yet'}")


def _definition(manifest: Mapping[str, Any]) -> Progress:
    _, status = _parts(manifest)
    refused = _condition(status, "NamesAccepted", "False")
    if refused is not None:
        return Progress(Readiness.FAILED, refused)
    established = _condition(status, "Established", "True")
    return _READY if established is not None else _waiting(manifest, "its kind is not served yet")


def _parts(manifest: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    return manifest.get("spec") or {}, manifest.get("status") or {}


def _waiting(manifest: Mapping[str, Any], reason: str) -> Progress:
    name = manifest.get("metadata", {}).get("name")
    return Progress(Readiness.WAITING, f"{manifest.get('kind')} {name}: {reason}")


def _condition(status: Mapping[str, Any], kind: str, value: str) -> str | None:
    """What a condition that has this value says; None when there is none."""
    for condition in status.get("conditions") or ():
        if condition.get("type") == kind and condition.get("status") == value:
            return str(condition.get("message") or condition.get("reason") or kind)
    return None


_JUDGES: Final[Mapping[tuple[str, str], Callable[[Mapping[str, Any]], Progress]]] = {
    ("apps", "Deployment"): _deployment,
    ("apps", "StatefulSet"): _stateful_set,
    ("apps", "DaemonSet"): _daemon_set,
    ("batch", "Job"): _job,
    ("", "Pod"): _pod,
    ("", "Namespace"): _namespace,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _definition,
}
