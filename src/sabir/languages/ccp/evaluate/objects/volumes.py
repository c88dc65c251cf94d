"""Volumes and mounts of pods: built-in ones, those of definitions, and secrets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sabir.languages.ccp.evaluate.objects.configuration import RUNNER
from sabir.languages.ccp.evaluate.objects.content import ARCHIVE
from sabir.languages.ccp.evaluate.objects.settings import ObjectSettings
from sabir.languages.ccp.syntax.nodes import Command, Container, Definition, Secret

ETC: Final = "/etc/ccp"
_RUNNER_FOLDER: Final = "/opt/ccp/runner"
PROGRAM: Final = f"{_RUNNER_FOLDER}/{ARCHIVE}"
PYTHON_FOLDER: Final = "/opt/ccp/python"
"""Where an interpreter is brought to; what is in the image lies in `/ccp-python`."""

Data = dict[str, Any]


def container_secrets(definition: Definition, container: Container) -> list[Secret]:
    return _find_secrets(definition, container.local_commands)


def job_secrets(definition: Definition, container: Container, command: Command) -> list[Secret]:
    """Return the secrets that a Job mounts, including those of its container."""
    return _find_secrets(definition, (*container.local_commands, command))


def _find_secrets(definition: Definition, commands: Iterable[Command]) -> list[Secret]:
    names = dict.fromkeys(reference.name for command in commands for reference in command.secrets)
    return [definition.secrets[name] for name in names]


def build_mounts(
    settings: ObjectSettings, definition: Definition, container: Container, secrets: Sequence[Secret]
) -> list[Data]:
    etc, runner, python = own_volume_names(definition)
    if _uses_etc(definition, container, secrets):
        folders = [
            {"name": etc, "mountPath": f"{ETC}/{name}", "subPath": name, "readOnly": True}
            for name in _list_directories(settings, definition)
        ]
    else:
        folders = [{"name": etc, "mountPath": ETC, "readOnly": True}]
    own = [*folders, {"name": runner, "mountPath": _RUNNER_FOLDER, "readOnly": True}]
    if settings.python_image is not None:
        own.append({"name": python, "mountPath": PYTHON_FOLDER, "readOnly": True})
    volumes = [
        {"name": volume.name, "mountPath": volume.mount_path, "readOnly": volume.read_only}
        for volume in container.volumes
    ]
    # A secret is read, never written, through its mount.
    mounted = [{"name": secret.name, "mountPath": secret.mount_path, "readOnly": True} for secret in secrets]
    return [*own, *volumes, *mounted]


def _uses_etc(definition: Definition, container: Container, secrets: Sequence[Secret]) -> bool:
    """Return whether the service writes under /etc/ccp, which must stay writable then."""
    paths = [file.destination for file in definition.files.values()]
    paths += [volume.mount_path for volume in container.volumes]
    paths += [secret.mount_path for secret in secrets]
    return any(path.startswith(f"{ETC}/") for path in paths)


def _list_directories(settings: ObjectSettings, definition: Definition) -> list[str]:
    """Return the directories under /etc/ccp that the runner reads."""
    paths = (
        item["path"]
        for source in _list_volume_sources(settings, definition, ("",))
        for named in source.values()
        for item in named["items"]
    )
    return list(dict.fromkeys(path.partition("/")[0] for path in paths))


def pod_volumes(
    settings: ObjectSettings,
    definition: Definition,
    containers: Sequence[Container],
    units: Sequence[str],
    secrets: Iterable[Secret],
) -> list[Data]:
    """Return the volumes of a pod, each once: built-in, of the definition, secrets."""
    volumes: dict[str, Data] = {}
    for container in containers:
        for volume in container.volumes:
            source: Data = (
                {"emptyDir": {}} if volume.host_path is None else {"hostPath": {"path": volume.host_path}}
            )
            volumes.setdefault(volume.name, {"name": volume.name, **source})
    for secret in secrets:
        source = {"secretName": secret.secret_name}
        if secret.default_mode is not None:
            source["defaultMode"] = secret.default_mode
        if secret.items:
            source["items"] = [dict(item) for item in secret.items]
        volumes.setdefault(secret.name, {"name": secret.name, "secret": source})
    etc, runner, python = own_volume_names(definition)
    own: list[Data] = [
        {"name": etc, "projected": {"sources": _list_volume_sources(settings, definition, units)}},
        {"name": runner, "configMap": {"name": RUNNER}},
    ]
    if settings.python_image is not None:
        own.append({"name": python, "emptyDir": {}})
    return [*own, *volumes.values()]


def init_containers(settings: ObjectSettings, definition: Definition) -> Data:
    """Return the containers that run first: one provides the interpreter, if configured."""
    if settings.python_image is None:
        return {}
    name = own_volume_names(definition)[2]
    bring = {
        "name": name,
        "image": settings.python_image,
        **settings.pull_policy(),
        "command": ["/bin/sh", "-c", f"cp -a /ccp-python/. {PYTHON_FOLDER}/"],
        "volumeMounts": [{"name": name, "mountPath": PYTHON_FOLDER}],
    }
    return {"initContainers": [bring]}


def own_volume_names(definition: Definition) -> tuple[str, str, str]:
    """Return `ccp-etc`, `ccp-runner` and `ccp-python`, numbered if a user's volume has that name."""
    taken = {volume.name for container in definition.service.containers for volume in container.volumes}
    taken |= set(definition.secrets)
    return (
        _pick_free_name("ccp-etc", taken),
        _pick_free_name("ccp-runner", taken),
        _pick_free_name("ccp-python", taken),
    )


def _pick_free_name(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def _list_volume_sources(
    settings: ObjectSettings, definition: Definition, units: Sequence[str]
) -> list[Data]:
    """Return everything the runner reads, in the layout of fuel-ccp under /etc/ccp."""
    service = definition.service.name
    sources = [
        _volume_source("configMap", "globals", [("globals", "globals/globals.json")]),
        _volume_source(
            "secret", "global-secrets", [("global-secrets", "global-secrets/global-secrets.json")]
        ),
        _volume_source("configMap", "nodes-config", [("nodes-config", "nodes-config/nodes-config.json")]),
        _volume_source("configMap", f"{service}-meta", [("meta", "meta/meta.json")]),
        _volume_source("configMap", f"{service}-role", [(name, f"role/{name}.json") for name in units]),
    ]
    if definition.files:
        files = [(name, f"files/{name}") for name in definition.files]
        sources.append(_volume_source("configMap", f"{service}-files", files))
    if definition.configs or definition.mapping:
        own = [("service-config", "service-config/service-config.json")]
        sources.append(_volume_source("configMap", f"{service}-service-config", own))
    if settings.exports:
        sources.append(
            _volume_source(
                "configMap", "exports", [(name, f"exports/{name}") for name in sorted(settings.exports)]
            )
        )
    return sources


def _volume_source(kind: str, name: str, items: list[tuple[str, str]]) -> Data:
    return {kind: {"name": name, "items": [{"key": key, "path": path} for key, path in items]}}
