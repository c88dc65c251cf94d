"""What objects of a cluster look like, as far as they are read: an answer of another shape is refused, not stumbled over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct, field


class OwnerReference(Struct, frozen=True, rename="camel"):
    uid: str | None = None


class ManagedFields(Struct, frozen=True, rename="camel"):
    manager: str | None = None
    operation: str | None = None
    time: str | None = None


class Metadata(Struct, frozen=True, rename="camel"):
    name: str
    namespace: str | None = None
    uid: str | None = None
    resource_version: str | None = None
    generation: int = 0
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    owner_references: list[OwnerReference] | None = None
    finalizers: list[str] | None = None
    managed_fields: list[ManagedFields] | None = None


class LiveObject(Struct, frozen=True, rename="camel"):
    """An object of any kind."""

    metadata: Metadata
    api_version: str = ""
    kind: str = ""


class Condition(Struct, frozen=True, rename="camel"):
    type: str = ""
    status: str = ""
    message: str | None = None
    reason: str | None = None


class Selector(Struct, frozen=True, rename="camel"):
    match_labels: dict[str, str] | None = None


class WorkloadSpec(Struct, frozen=True, rename="camel"):
    replicas: int = 1
    completions: int | None = None
    selector: Selector | None = None


class WorkloadStatus(Struct, frozen=True, rename="camel"):
    """Everything that readiness is judged by, of all kinds that are waited for."""

    conditions: list[Condition] | None = None
    phase: str | None = None
    message: str | None = None
    observed_generation: int = 0
    replicas: int = 0
    updated_replicas: int = 0
    available_replicas: int = 0
    ready_replicas: int = 0
    current_replicas: int = 0
    desired_number_scheduled: int = 0
    updated_number_scheduled: int = 0
    number_available: int = 0
    succeeded: int = 0


class Workload(LiveObject, frozen=True, rename="camel"):
    spec: WorkloadSpec | None = None
    status: WorkloadStatus | None = None


class StatusObject(LiveObject, frozen=True, rename="camel"):
    """A kind that is waited for and has no pods of its own."""

    status: WorkloadStatus | None = None


class State(Struct, frozen=True, rename="camel"):
    reason: str | None = None
    message: str | None = None
    exit_code: int = 0


class States(Struct, frozen=True, rename="camel"):
    waiting: State | None = None
    terminated: State | None = None


class ContainerShape(Struct, frozen=True, rename="camel"):
    name: str
    state: States | None = None
    last_state: States | None = None


class PodStatus(WorkloadStatus, frozen=True):
    container_statuses: list[ContainerShape] | None = None
    init_container_statuses: list[ContainerShape] | None = None


class PodShape(LiveObject, frozen=True, rename="camel"):
    status: PodStatus | None = None


class Ingress(Struct, frozen=True, rename="camel"):
    ip: str | None = None
    hostname: str | None = None


class LoadBalancer(Struct, frozen=True, rename="camel"):
    ingress: list[Ingress] | None = None


class ServiceStatus(Struct, frozen=True, rename="camel"):
    load_balancer: LoadBalancer | None = None


class PortShape(Struct, frozen=True, rename="camel"):
    node_port: int = 0


class ServiceSpec(Struct, frozen=True, rename="camel"):
    cluster_ip: str | None = field(default=None, name="clusterIP")
    ports: list[PortShape] | None = None


class ServiceShape(LiveObject, frozen=True, rename="camel"):
    spec: ServiceSpec | None = None
    status: ServiceStatus | None = None


class SecretObject(LiveObject, frozen=True, rename="camel"):
    data: dict[str, str] | None = None


class EventShape(Struct, frozen=True, rename="camel"):
    reason: str | None = None
    message: str | None = None


_SHAPES: Final[Mapping[tuple[str, str], type[Struct]]] = {
    **{("apps", kind): Workload for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")},
    ("batch", "Job"): Workload,
    ("", "Event"): EventShape,
    ("", "Namespace"): StatusObject,
    ("", "Pod"): PodShape,
    ("", "Secret"): SecretObject,
    ("", "Service"): ServiceShape,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): StatusObject,
}


def shape_of(version: str, kind: str) -> type[Struct]:
    """Of a kind by its `apiVersion`. Kinds of others may have whatever status they like."""
    return _SHAPES.get((version.rpartition("/")[0], kind), LiveObject)


class ObjectListShape(Struct, frozen=True, rename="camel"):
    items: list[dict[str, Any]]


class ListedMetadata(Struct, frozen=True, rename="camel"):
    items: list[LiveObject] | None
    """None: there is no object."""


class ServedKind(Struct, frozen=True, rename="camel"):
    kind: str
    name: str
    namespaced: bool
    verbs: list[str] = []


class KindList(Struct, frozen=True, rename="camel"):
    resources: list[ServedKind] = []


class GroupVersion(Struct, frozen=True, rename="camel"):
    group_version: str


class Group(Struct, frozen=True, rename="camel"):
    versions: list[GroupVersion] = []
    preferred_version: GroupVersion | None = None


class GroupList(Struct, frozen=True, rename="camel"):
    groups: list[Group] = []


class DescribedKind(Struct, frozen=True, rename="camel"):
    group: str
    version: str
    kind: str


class DefinitionShape(Struct, frozen=True, rename={"kinds": "x-kubernetes-group-version-kind"}):
    kinds: list[DescribedKind] = []


class SchemaDocument(Struct, frozen=True, rename="camel"):
    definitions: dict[str, DefinitionShape] = {}
