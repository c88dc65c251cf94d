"""The Job of a single command: of a service, of an action, of a step of an upgrade."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from sabir.languages.ccp.evaluate.objects.access import pod_account
from sabir.languages.ccp.evaluate.objects.content import CONTENT
from sabir.languages.ccp.evaluate.objects.pods import (
    job_container_spec,
    job_program,
    node_affinity,
    pod_network,
)
from sabir.languages.ccp.evaluate.objects.settings import Settings, labels
from sabir.languages.ccp.evaluate.objects.volumes import init_containers, job_secrets, pod_volumes
from sabir.languages.ccp.model.units import Unit
from sabir.languages.ccp.syntax.nodes import Definition

__all__ = ["job", "jobs"]

_RETRIES: Final = 20
"""Kubernetes waits longer from attempt to attempt, six minutes at most: about an hour and a half."""

Data = dict[str, Any]


def jobs(settings: Settings, definition: Definition) -> Iterator[Data]:
    service = definition.service.name
    for container in definition.service.containers:
        for command in container.single_commands:
            unit = settings.units.all[f"{service}/{command.name}"]
            yield job(settings, unit, name=f"{service}-{command.name}", hosts=settings.hosts(service))


def job(
    settings: Settings,
    unit: Unit,
    *,
    name: str,
    hosts: tuple[str, ...] | None = None,
    restarts: bool = True,
    extra_labels: Mapping[str, str] | None = None,
) -> Data:
    """Named after its command, however often that changes: the annotation tells whether it is the same.

    `restarts`: a command that fails is tried again.
    """
    template = {
        # Without `app`: the Service would send requests to the Job's pod.
        "metadata": {"labels": {"ccp": "true", "ccp-component": unit.definition.component}},
        "spec": _job_pod(settings, unit, hosts, restarts=restarts),
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": settings.metadata(name, partial(_metadata, settings, unit, extra_labels or {})),
        "spec": {"backoffLimit": _RETRIES if restarts else 0, "template": template},
    }


def _metadata(settings: Settings, unit: Unit, extra_labels: Mapping[str, str]) -> Data:
    assert unit.command is not None
    digest = settings.contents.of_job(unit, job_program(settings, unit.container, unit.command))
    return {"labels": {**labels(unit.definition), **extra_labels}, "annotations": {CONTENT: digest}}


def _job_pod(settings: Settings, unit: Unit, hosts: tuple[str, ...] | None, *, restarts: bool) -> Data:
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
