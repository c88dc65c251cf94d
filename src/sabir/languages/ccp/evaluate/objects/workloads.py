"""Workloads: Deployment, DaemonSet, StatefulSet, and the Jobs of single commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from sabir.languages.ccp.evaluate.objects.content import CONTENT
from sabir.languages.ccp.evaluate.objects.networking import pod_account
from sabir.languages.ccp.evaluate.objects.pods import (
    container_spec,
    job_container_spec,
    job_program,
    node_affinity,
    pod_network,
)
from sabir.languages.ccp.evaluate.objects.settings import ObjectSettings, default_metadata, service_labels
from sabir.languages.ccp.evaluate.objects.volumes import (
    container_secrets,
    init_containers,
    job_secrets,
    pod_volumes,
)
from sabir.languages.ccp.model.units import Unit
from sabir.languages.ccp.syntax.nodes import Definition, Service, WorkloadKind

Data = dict[str, Any]


def build_workloads(settings: ObjectSettings, definition: Definition) -> Iterator[Data]:
    """Return the workload of a service."""
    service = definition.service
    metadata: Data = {"labels": service_labels(definition)}
    if service.pod_annotations:
        metadata["annotations"] = dict(service.pod_annotations)
    spec: Data = {"selector": {"matchLabels": {"app": service.name}}}
    if service.kind is not WorkloadKind.DAEMON_SET:
        spec = {"replicas": settings.configuration.section("replicas").get(service.name, 1), **spec}
    if service.kind is WorkloadKind.STATEFUL_SET:
        spec["serviceName"] = service.name
    spec.update(_update_strategy(service))
    spec["template"] = {"metadata": metadata, "spec": _pod_spec(settings, definition)}
    yield {
        "apiVersion": "apps/v1",
        "kind": service.kind.value,
        "metadata": settings.metadata(service.name, partial(default_metadata, definition)),
        "spec": spec,
    }


def _update_strategy(service: Service) -> Data:
    """Return the update strategy (S-64), which Kubernetes defines differently for each kind."""
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


def _pod_spec(settings: ObjectSettings, definition: Definition) -> Data:
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


def _anti_affinity(settings: ObjectSettings, service: Service) -> Data:
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


_RETRIES: Final = 20
"""Kubernetes waits longer from attempt to attempt, six minutes at most: about an hour and a half."""


def build_jobs(settings: ObjectSettings, definition: Definition) -> Iterator[Data]:
    service = definition.service.name
    for container in definition.service.containers:
        for command in container.single_commands:
            unit = settings.units.all[f"{service}/{command.name}"]
            yield build_job(settings, unit, name=f"{service}-{command.name}", hosts=settings.hosts(service))


def build_job(
    settings: ObjectSettings,
    unit: Unit,
    *,
    name: str,
    hosts: tuple[str, ...] | None = None,
    restarts: bool = True,
    extra_labels: Mapping[str, str] | None = None,
) -> Data:
    """Return the Job of a command.

    The name does not depend on the content; an annotation tells whether it changed. With `restarts` a
    command that fails is tried again.
    """
    template = {
        # Without `app`: the Service would send requests to the Job's pod.
        "metadata": {"labels": {"ccp": "true", "ccp-component": unit.definition.component}},
        "spec": _job_pod(settings, unit, hosts, restarts=restarts),
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": settings.metadata(name, partial(_job_metadata, settings, unit, extra_labels or {})),
        "spec": {"backoffLimit": _RETRIES if restarts else 0, "template": template},
    }


def _job_metadata(settings: ObjectSettings, unit: Unit, extra_labels: Mapping[str, str]) -> Data:
    assert unit.command is not None
    digest = settings.contents.of_job(unit, job_program(settings, unit.container, unit.command))
    return {"labels": {**service_labels(unit.definition), **extra_labels}, "annotations": {CONTENT: digest}}


def _job_pod(settings: ObjectSettings, unit: Unit, hosts: tuple[str, ...] | None, *, restarts: bool) -> Data:
    definition, container, command = unit.definition, unit.container, unit.command
    assert command is not None
    secrets = job_secrets(definition, container, command)
    pod: Data = {
        **pod_network(definition.service),
        **pod_account(settings, definition),
        **init_containers(settings, definition),
        "restartPolicy": "OnFailure" if restarts else "Never",
        "containers": [job_container_spec(settings, definition, container, command)],
        "volumes": pod_volumes(settings, definition, [container], [unit.name], secrets),
        **settings.pull_secrets(),
    }
    affinity = node_affinity(hosts)
    if affinity:
        pod["affinity"] = affinity
    return pod
