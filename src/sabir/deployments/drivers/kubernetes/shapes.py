"""What objects of a cluster look like, as far as they are read: an answer of another shape is refused, not stumbled over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

__all__ = ["KindList", "Listed", "LiveObject", "SchemaDocument", "Workload", "shape_of"]


class Metadata(Struct, frozen=True):
    name: str
    namespace: str | None = None
    uid: str | None = None
    resourceVersion: str | None = None  # noqa: N815  as the API calls it
    generation: int = 0
    annotations: dict[str, str] | None = None
    finalizers: list[str] | None = None
    managedFields: list[dict[str, Any]] | None = None  # noqa: N815


class LiveObject(Struct, frozen=True):
    """An object of any kind."""

    metadata: Metadata
    apiVersion: str = ""  # noqa: N815
    kind: str = ""


class Condition(Struct, frozen=True):
    type: str = ""
    status: str = ""
    message: str | None = None
    reason: str | None = None


class Selector(Struct, frozen=True):
    matchLabels: dict[str, str] | None = None  # noqa: N815


class WorkloadSpec(Struct, frozen=True):
    replicas: int = 1
    completions: int | None = None
    selector: Selector | None = None


class WorkloadStatus(Struct, frozen=True):
    """Everything that readiness is judged by, of all kinds that are waited for."""

    conditions: list[Condition] | None = None
    phase: str | None = None
    message: str | None = None
    observedGeneration: int = 0  # noqa: N815
    replicas: int = 0
    updatedReplicas: int = 0  # noqa: N815
    availableReplicas: int = 0  # noqa: N815
    readyReplicas: int = 0  # noqa: N815
    currentReplicas: int = 0  # noqa: N815
    desiredNumberScheduled: int = 0  # noqa: N815
    updatedNumberScheduled: int = 0  # noqa: N815
    numberAvailable: int = 0  # noqa: N815
    succeeded: int = 0


class Workload(LiveObject, frozen=True):
    spec: WorkloadSpec | None = None
    status: WorkloadStatus | None = None


class JudgedStatus(LiveObject, frozen=True):
    """A kind that is waited for and has no pods of its own."""

    status: WorkloadStatus | None = None


class State(Struct, frozen=True):
    reason: str | None = None
    message: str | None = None
    exitCode: int = 0  # noqa: N815


class States(Struct, frozen=True):
    waiting: State | None = None
    terminated: State | None = None


class Container(Struct, frozen=True):
    name: str
    state: States | None = None
    lastState: States | None = None  # noqa: N815


class PodStatus(WorkloadStatus, frozen=True):
    containerStatuses: list[Container] | None = None  # noqa: N815
    initContainerStatuses: list[Container] | None = None  # noqa: N815


class Pod(LiveObject, frozen=True):
    status: PodStatus | None = None


class Ingress(Struct, frozen=True):
    ip: str | None = None
    hostname: str | None = None


class LoadBalancer(Struct, frozen=True):
    ingress: list[Ingress] | None = None


class ServiceStatus(Struct, frozen=True):
    loadBalancer: LoadBalancer | None = None  # noqa: N815


class Port(Struct, frozen=True):
    nodePort: int = 0  # noqa: N815


class ServiceSpec(Struct, frozen=True):
    clusterIP: str | None = None  # noqa: N815
    ports: list[Port] | None = None


class Service(LiveObject, frozen=True):
    spec: ServiceSpec | None = None
    status: ServiceStatus | None = None


class SecretObject(LiveObject, frozen=True):
    data: dict[str, str] | None = None


class Event(Struct, frozen=True):
    reason: str | None = None
    message: str | None = None


_SHAPES: Final[Mapping[tuple[str, str], type[Struct]]] = {
    **{("apps", kind): Workload for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")},
    ("batch", "Job"): Workload,
    ("", "Event"): Event,
    ("", "Namespace"): JudgedStatus,
    ("", "Pod"): Pod,
    ("", "Secret"): SecretObject,
    ("", "Service"): Service,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): JudgedStatus,
}


def shape_of(version: str, kind: str) -> type[Struct]:
    """Of a kind by its `apiVersion`. Kinds of others may have whatever status they like."""
    return _SHAPES.get((version.rpartition("/")[0], kind), LiveObject)


class Listed(Struct, frozen=True):
    items: list[dict[str, Any]]


class ServedKind(Struct, frozen=True):
    kind: str
    name: str
    namespaced: bool


class KindList(Struct, frozen=True):
    resources: list[ServedKind] = []


class DescribedKind(Struct, frozen=True):
    group: str
    version: str
    kind: str


class Definition(Struct, frozen=True, rename={"kinds": "x-kubernetes-group-version-kind"}):
    kinds: list[DescribedKind] = []


class SchemaDocument(Struct, frozen=True):
    definitions: dict[str, Definition] = {}
