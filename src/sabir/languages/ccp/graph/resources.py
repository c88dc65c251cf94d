"""Desired resources of a deployment: its Kubernetes objects, in the order they can become ready.

An object is applied, then awaited. Containers wait for each other themselves, so a workload is applied
once its dependencies exist. Where services wait for containers of each other, waiting is left to the
containers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from msgspec.structs import replace

from sabir.graph import Graph, Sensitive, Value
from sabir.graph.address import Address
from sabir.graph.secrets import Secrets
from sabir.languages.ccp.evaluate.render import KubernetesObject, object_stream
from sabir.languages.ccp.graph.origins import secrets_of
from sabir.languages.ccp.model.deployment import ResolvedDeployment
from sabir.languages.ccp.model.units import Unit, find_cycles
from sabir.resources.resource import DesiredResources, Resource
from sabir.resources.target import Target

_KIND: Final = "kubernetes"
_TARGET: Final = "kubernetes"
_NAMING: Final = "name the cluster in the configuration (ccp.yaml): kubernetes: {context: NAME}"
_WORKLOADS: Final = frozenset({"Deployment", "StatefulSet", "DaemonSet"})
_RUNS_AGAIN: Final = "runs again, because its command, image or files changed"


def object_id(kind: str, name: str) -> str:
    """Return the id of an object in the graph and in the state."""
    return f"{kind}/{name}"


def build_desired_objects(resolved: ResolvedDeployment, graph: Graph) -> DesiredResources:
    """Return every object as a resource, with addresses and origins of the graph."""
    order = _Order(resolved)
    secrets = secrets_of(resolved.deployment)
    target = cluster_target(resolved)
    resources = tuple(
        replace(_build_resource(one, order, graph, secrets), target=target) for one in object_stream(resolved)
    )
    return DesiredResources(
        resources=resources, targets=tuple(_list_targets(resolved)), naming_targets=_NAMING
    )


def cluster_target(resolved: ResolvedDeployment) -> str | None:
    """Return the target that the configuration names, or None for that of the environment."""
    return next((target.name for target in _list_targets(resolved)), None)


def _list_targets(resolved: ResolvedDeployment) -> Iterator[Target]:
    section = resolved.deployment.configuration.section("kubernetes")
    settings: dict[str, Value] = {
        name: section[name]
        for name in ("kubeconfig", "context", "wait_seconds", "force")
        if section.get(name)
    }
    if settings.keys() & {"kubeconfig", "context"}:
        place = resolved.deployment.configuration.place("kubernetes")
        yield Target(name=_TARGET, driver=_KIND, settings=settings, place=place)


def _build_resource(one: KubernetesObject, order: _Order, graph: Graph, secrets: Secrets) -> Resource:
    id_ = object_id(one.kind, one.name)
    instance = graph.get(id_)
    desired: dict[str, Value] = {"manifest": secrets.mark_sensitive(sensitive_manifest(one.data))}
    if one.kind in _WORKLOADS:  # an earlier tool may have given it another selector, which cannot be changed
        desired["replace"] = True
    if order.waits_for_others(id_):
        desired["wait"] = False
    return Resource(
        address=Address(id_),
        kind=_KIND,
        desired=desired,
        requires=tuple(map(Address, order.before(one, id_))),
        origin=None if instance is None else instance.origin,
        when_changed=_RUNS_AGAIN if one.kind == "Job" else None,
        links=_object_links(one, graph),
    )


def _object_links(one: KubernetesObject, graph: Graph) -> tuple[str, ...]:
    """Return the links of the object that exposes the service: the Ingress, else the Service."""
    service = graph.get(one.definition.service.name) if one.definition is not None else None
    links = None if service is None else service.attributes.get("links")
    if one.kind not in ("Service", "Ingress") or not isinstance(links, list):
        return ()
    scheme = "https:" if one.kind == "Ingress" else "http:"
    return tuple(str(link) for link in links if str(link).startswith(scheme))


def sensitive_manifest(data: Mapping[str, Any]) -> dict[str, Value]:
    """Return a manifest with the values of a Secret marked as sensitive."""
    if data["kind"] != "Secret" or "data" not in data:
        return cast(dict[str, Value], dict(data))
    return {**data, "data": {key: Sensitive(value) for key, value in data["data"].items()}}


class _Order:
    """The order of objects: the namespace, what pods mount, what they wait for."""

    def __init__(self, resolved: ResolvedDeployment) -> None:
        self._resolved = resolved
        self._namespace: str | None = None
        self._shared: list[str] = []
        self._of_service: dict[str, list[str]] = {}
        units: dict[str, list[Unit]] = {}
        for unit in resolved.units.all.values():
            units.setdefault(self._owner(unit), []).append(unit)
        self._waits = {owner: self._waits_of(owner, members) for owner, members in units.items()}
        cycles = find_cycles(self._waits)
        self._cycles = {member: cycle for cycle in cycles for member in cycle}

    def waits_for_others(self, id_: str) -> bool:
        """Return whether an object waits for a workload that waits for it in turn."""
        return id_ in self._cycles

    def _owner(self, unit: Unit) -> str:
        if unit.command is not None:
            return object_id("Job", f"{unit.service}-{unit.name}")
        return object_id(unit.definition.service.kind.value, unit.service)

    def _waits_of(self, owner: str, members: Sequence[Unit]) -> tuple[str, ...]:
        """Return the workloads and Jobs whose units these units need."""
        units, topology = self._resolved.units, self._resolved.topology
        needed = (units.all[id_] for unit in members for id_ in units.needs[unit.id])
        owners = (self._owner(unit) for unit in needed if topology is None or topology.has(unit.service))
        return tuple(dict.fromkeys(other for other in owners if other != owner))

    def before(self, one: KubernetesObject, id_: str) -> list[str]:
        """Return what must exist before an object. Call it once for each, in creation order."""
        if one.kind == "Namespace":
            self._namespace = id_
            return []
        first = [] if self._namespace is None else [self._namespace]
        if id_ in self._waits:
            waits = [other for other in self._waits[id_] if other not in self._cycles.get(id_, ())]
            service = one.definition.service.name if one.definition is not None else ""
            return [*dict.fromkeys([*first, *self._shared, *self._of_service.get(service, ()), *waits])]
        if one.definition is None:
            self._shared.append(id_)
        else:
            self._of_service.setdefault(one.definition.service.name, []).append(id_)
        return first
