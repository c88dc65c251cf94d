"""Pods: containers, their volumes and mounts, probes and environment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sabir.languages.ccp.evaluate.objects.configuration import RUNNER, RUNNER_FILES
from sabir.languages.ccp.evaluate.objects.settings import Settings
from sabir.languages.ccp.syntax.nodes import Command, Container, Definition, HttpProbe, Probe, Secret, Service

__all__ = ["container_spec", "job_container_spec", "node_affinity", "pod_network", "pod_volumes"]

ETC: Final = "/etc/ccp"
_PROGRAM: Final = f"{ETC}/runner/ccp_runner"
_PYTHON: Final = "python3"
_READINESS_TIMEOUT: Final = 10
_READINESS_PERIOD: Final = 10
_LIVENESS_TIMEOUT: Final = 1
_LIVENESS_DELAY: Final = 10

Data = dict[str, Any]


def runner_command(action: str, name: str) -> list[str]:
    return [_PYTHON, _PROGRAM, action, name]


def container_spec(settings: Settings, definition: Definition, container: Container) -> Data:
    spec: Data = {
        "name": container.name,
        "image": settings.image(container.image),
        "command": runner_command("provision", container.name),
        "env": environment(container),
        "readinessProbe": readiness_probe(container),
    }
    if container.liveness is not None:
        spec["livenessProbe"] = liveness_probe(container.liveness)
    if container.lifecycle is not None:
        spec["lifecycle"] = dict(container.lifecycle)
    spec["securityContext"] = {"privileged": container.privileged}
    spec["volumeMounts"] = mounts(definition, container, container_secrets(definition, container))
    return spec


def job_container_spec(
    settings: Settings, definition: Definition, container: Container, command: Command
) -> Data:
    """A Job's container has the image, environment and volumes of the container its command belongs to."""
    return {
        "name": command.name,
        "image": settings.image(command.image or container.image),
        "command": runner_command("provision", command.name or ""),
        "env": environment(container),
        "securityContext": {"privileged": container.privileged},
        "volumeMounts": mounts(definition, container, job_secrets(definition, container, command)),
    }


def environment(container: Container) -> list[Data]:
    own = (("CCP_NODE_NAME", "spec.nodeName"), ("CCP_POD_NAME", "metadata.name"))
    fields = [{"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in own]
    return [*fields, *(dict(variable) for variable in container.env)]


def readiness_probe(container: Container) -> Data:
    """The runner runs the check and, when it is well, writes the status (S-65)."""
    probe: Data = {
        "exec": {"command": runner_command("status", container.name)},
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


def container_secrets(definition: Definition, container: Container) -> list[Secret]:
    return _secrets(definition, container.local_commands)


def job_secrets(definition: Definition, container: Container, command: Command) -> list[Secret]:
    """Jobs mount the secrets of their container too."""
    return _secrets(definition, (*container.local_commands, command))


def _secrets(definition: Definition, commands: Iterable[Command]) -> list[Secret]:
    names = dict.fromkeys(reference.name for command in commands for reference in command.secrets)
    return [definition.secrets[name] for name in names]


def mounts(definition: Definition, container: Container, secrets: Iterable[Secret]) -> list[Data]:
    own = {"name": config_volume_name(definition), "mountPath": ETC, "readOnly": True}
    volumes = [
        {"name": volume.name, "mountPath": volume.mount_path, "readOnly": volume.read_only}
        for volume in container.volumes
    ]
    # A secret is read, never written, through its mount.
    mounted = [{"name": one.name, "mountPath": one.mount_path, "readOnly": True} for one in secrets]
    return [own, *volumes, *mounted]


def pod_volumes(
    settings: Settings, definition: Definition, containers: Iterable[Container], secrets: Iterable[Secret]
) -> list[Data]:
    """The volumes of a pod, each once: the framework's, the user's, the secrets."""
    volumes: dict[str, Data] = {}
    for container in containers:
        for volume in container.volumes:
            source: Data = (
                {"emptyDir": {}} if volume.host_path is None else {"hostPath": {"path": volume.host_path}}
            )
            volumes.setdefault(volume.name, {"name": volume.name, **source})
    for one in secrets:
        source = {"secretName": one.secret_name}
        if one.default_mode is not None:
            source["defaultMode"] = one.default_mode
        if one.items:
            source["items"] = [dict(item) for item in one.items]
        volumes.setdefault(one.name, {"name": one.name, "secret": source})
    return [_config_volume(settings, definition), *volumes.values()]


def config_volume_name(definition: Definition) -> str:
    """`ccp-etc`, or with a number when a volume of the user's is called so."""
    taken = {volume.name for one in definition.service.containers for volume in one.volumes} | set(
        definition.secrets
    )
    name, number = "ccp-etc", 1
    while name in taken:
        number += 1
        name = f"ccp-etc-{number}"
    return name


def _config_volume(settings: Settings, definition: Definition) -> Data:
    """One volume with everything the runner reads, below /etc/ccp as the existing tool lays it out."""
    service = definition.service.name
    sources = [
        _source("configMap", "globals", [("globals", "globals/globals.json")]),
        _source("secret", "global-secrets", [("global-secrets", "global-secrets/global-secrets.json")]),
        _source("configMap", "nodes-config", [("nodes-config", "nodes-config/nodes-config.json")]),
        _source("configMap", f"{service}-meta", [("meta", "meta/meta.json")]),
        _source(
            "configMap", f"{service}-role", [(name, f"role/{name}.json") for name in _unit_names(definition)]
        ),
        _source("configMap", RUNNER, [(name, f"runner/ccp_runner/{name}") for name in RUNNER_FILES]),
    ]
    if definition.files:
        files = [(name, f"files/{name}") for name in definition.files]
        sources.append(_source("configMap", f"{service}-files", files))
    if definition.configs or definition.mapping:
        own = [("service-config", "service-config/service-config.json")]
        sources.append(_source("configMap", f"{service}-service-config", own))
    exports = sorted({name for one in settings.deployment.components for name in one.exports})
    if exports:
        sources.append(_source("configMap", "exports", [(name, f"exports/{name}") for name in exports]))
    return {"name": config_volume_name(definition), "projected": {"sources": sources}}


def _unit_names(definition: Definition) -> list[str]:
    return [
        name
        for container in definition.service.containers
        for name in (container.name, *(command.name or "" for command in container.single_commands))
    ]


def _source(kind: str, name: str, items: list[tuple[str, str]]) -> Data:
    return {kind: {"name": name, "items": [{"key": key, "path": path} for key, path in items]}}


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
