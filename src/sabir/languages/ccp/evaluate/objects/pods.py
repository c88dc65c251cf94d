"""Pods: containers, their volumes and mounts, probes and environment."""

from __future__ import annotations

from typing import Any, Final

from sabir.languages.ccp.evaluate.objects.settings import ObjectSettings
from sabir.languages.ccp.evaluate.objects.volumes import (
    PROGRAM,
    PYTHON_FOLDER,
    build_mounts,
    container_secrets,
    job_secrets,
)
from sabir.languages.ccp.syntax.nodes import Command, Container, Definition, HttpProbe, Probe, Service

_PYTHON: Final = "python3"
_READINESS_TIMEOUT: Final = 10
_READINESS_PERIOD: Final = 10
_LIVENESS_TIMEOUT: Final = 1
_LIVENESS_DELAY: Final = 10

_POD_FIELDS: Final = (
    ("CCP_NODE_NAME", "spec.nodeName"),
    ("CCP_POD_NAME", "metadata.name"),
    ("CCP_POD_IP", "status.podIP"),
)
# Without a limit of its own a container has that of its node.
_LIMITS: Final = (("MEMORY_LIMIT", "limits.memory"), ("CPU_LIMIT", "limits.cpu"))

Data = dict[str, Any]


def runner_command(settings: ObjectSettings, action: str, name: str) -> list[str]:
    python = _PYTHON if settings.python_image is None else f"{PYTHON_FOLDER}/bin/{_PYTHON}"
    return [python, PROGRAM, action, name]


def container_spec(settings: ObjectSettings, definition: Definition, container: Container) -> Data:
    unit = settings.units.all[f"{definition.service.name}/{container.name}"]
    spec: Data = {
        "name": container.name,
        "image": settings.image(container.image),
        **settings.pull_policy(),
        "command": runner_command(settings, "provision", container.name),
        "env": [
            *container_environment(container),
            {"name": "CCP_CONTENT", "value": settings.contents.of_container(unit)},
        ],
        "readinessProbe": readiness_probe(settings, container),
    }
    if container.liveness is not None:
        spec["livenessProbe"] = liveness_probe(container.liveness)
    if container.lifecycle is not None:
        spec["lifecycle"] = dict(container.lifecycle)
    spec["securityContext"] = {"privileged": container.privileged}
    spec["volumeMounts"] = build_mounts(
        settings, definition, container, container_secrets(definition, container)
    )
    return spec


def job_container_spec(
    settings: ObjectSettings, definition: Definition, container: Container, command: Command
) -> Data:
    """Return the container of a Job.

    It has the image, environment and volumes of the container its command belongs to.
    """
    program = job_program(settings, container, command)
    return {
        "name": command.name,
        "image": program["image"],
        **settings.pull_policy(),
        "command": runner_command(settings, "provision", command.name or ""),
        "env": container_environment(container),
        "securityContext": program["securityContext"],
        "volumeMounts": build_mounts(
            settings, definition, container, job_secrets(definition, container, command)
        ),
    }


def job_program(settings: ObjectSettings, container: Container, command: Command) -> Data:
    """Return what a Job runs, in which image and with which security context."""
    return {
        "image": settings.image(command.image or container.image),
        "securityContext": {"privileged": container.privileged},
    }


def container_environment(container: Container) -> list[Data]:
    """Return what the runner needs to know of its pod, then the variables of the definition."""
    fields = [{"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in _POD_FIELDS]
    limits = [
        {"name": name, "valueFrom": {"resourceFieldRef": {"resource": resource}}}
        for name, resource in _LIMITS
    ]
    written = {variable.get("name") for variable in container.env}
    own = [variable for variable in (*fields, *limits) if variable["name"] not in written]
    return [*own, *(dict(variable) for variable in container.env)]


def readiness_probe(settings: ObjectSettings, container: Container) -> Data:
    """Return the probe: the runner runs the check and, on success, writes the status (S-65)."""
    probe: Data = {
        "exec": {"command": runner_command(settings, "status", container.name)},
        "timeoutSeconds": _READINESS_TIMEOUT,
        "periodSeconds": _READINESS_PERIOD,
    }
    readiness = container.readiness
    if readiness is not None and readiness.timeout is not None:
        probe["timeoutSeconds"] = _READINESS_TIMEOUT + readiness.timeout
    if readiness is not None and readiness.initial_delay is not None:
        probe["initialDelaySeconds"] = readiness.initial_delay
    return probe


def liveness_probe(probe: Probe) -> Data:
    action: Data
    if isinstance(probe.action, HttpProbe):
        http = probe.action
        action = {"httpGet": {"path": http.path, "port": http.port, "scheme": http.scheme}}
    else:
        action = {"exec": {"command": ["/bin/sh", "-c", probe.action]}}
    return {
        **action,
        "timeoutSeconds": _LIVENESS_TIMEOUT if probe.timeout is None else probe.timeout,
        "initialDelaySeconds": _LIVENESS_DELAY if probe.initial_delay is None else probe.initial_delay,
    }


def pod_network(service: Service) -> Data:
    network: Data = {"hostNetwork": service.host_network, "hostPID": service.host_pid}
    if service.host_ipc:
        network["hostIPC"] = True
    if service.host_network:
        network["dnsPolicy"] = "ClusterFirstWithHostNet"
    return network


def node_affinity(hosts: tuple[str, ...] | None) -> Data:
    if not hosts:
        return {}
    expression = {"key": "kubernetes.io/hostname", "operator": "In", "values": list(hosts)}
    terms = [{"matchExpressions": [expression]}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
