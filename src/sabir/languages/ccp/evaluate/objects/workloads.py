"""Deployment, DaemonSet, StatefulSet."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from sabir.languages.ccp.evaluate.objects.access import pod_account
from sabir.languages.ccp.evaluate.objects.pods import container_spec, node_affinity, pod_network
from sabir.languages.ccp.evaluate.objects.settings import Settings, labels, named_after
from sabir.languages.ccp.evaluate.objects.volumes import container_secrets, init_containers, pod_volumes
from sabir.languages.ccp.syntax.nodes import Definition, Service, WorkloadKind

__all__ = ["workloads"]

Data = dict[str, Any]


def workloads(settings: Settings, definition: Definition) -> Iterator[Data]:
    """Each service has one."""
    service = definition.service
    metadata: Data = {"labels": labels(definition)}
    if service.pod_annotations:
        metadata["annotations"] = dict(service.pod_annotations)
    spec: Data = {"selector": {"matchLabels": {"app": service.name}}}
    if service.kind is not WorkloadKind.DAEMON_SET:
        spec = {"replicas": settings.configuration.section("replicas").get(service.name, 1), **spec}
    if service.kind is WorkloadKind.STATEFUL_SET:
        spec["serviceName"] = service.name
    spec.update(_strategy(service))
    spec["template"] = {"metadata": metadata, "spec": _pod(settings, definition)}
    yield {
        "apiVersion": "apps/v1",
        "kind": service.kind.value,
        "metadata": settings.metadata(service.name, partial(named_after, definition)),
        "spec": spec,
    }


def _strategy(service: Service) -> Data:
    """S-64: Kubernetes has other strategies for the other kinds."""
    if service.kind is WorkloadKind.STATEFUL_SET:
        return {"updateStrategy": {"type": "RollingUpdate"}}
    if service.kind is WorkloadKind.DAEMON_SET:
        unavailable = "100%" if service.recreate else "50%"
        return {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": unavailable}}}
    if service.recreate:
        return {"strategy": {"type": "Recreate"}}
    # A pod that excludes others from its host leaves no room for a new one beside it.
    crowded = service.host_network or service.anti_affinity is not None
    limits: Data = (
        {"maxSurge": 0, "maxUnavailable": "50%"} if crowded else {"maxSurge": 1, "maxUnavailable": 0}
    )
    return {"strategy": {"type": "RollingUpdate", "rollingUpdate": limits}}


def _pod(settings: Settings, definition: Definition) -> Data:
    service = definition.service
    affinity = {**node_affinity(settings.hosts(service.name)), **_anti_affinity(settings, service)}
    secrets = [
        secret for container in service.containers for secret in container_secrets(definition, container)
    ]
    pod: Data = {
        **pod_network(service),
        **pod_account(settings, definition),
        **init_containers(settings, definition),
        "restartPolicy": "Always",
        "containers": [container_spec(settings, definition, container) for container in service.containers],
        "volumes": pod_volumes(
            settings,
            definition,
            service.containers,
            [container.name for container in service.containers],
            secrets,
        ),
        **settings.pull_secrets(),
    }
    if affinity:
        pod["affinity"] = affinity
    return pod


def _anti_affinity(settings: Settings, service: Service) -> Data:
    scope = service.anti_affinity
    if scope is None and service.host_network and service.kind is not WorkloadKind.DAEMON_SET:
        scope = "global"
    if scope is None:
        return {}
    term: Data = {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {"matchLabels": {"app": service.name}},
    }
    # An empty selector takes every namespace (S-71); no selector and no names would take the own one.
    if scope == "local":
        term["namespaces"] = [settings.namespace]
    else:
        term["namespaceSelector"] = {}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
