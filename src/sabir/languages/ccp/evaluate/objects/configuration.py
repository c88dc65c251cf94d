"""ConfigMaps, Secrets and workflows: what the runner reads.

A workflow describes as data what the runner does in a container or a Job.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from sabir.languages.ccp.evaluate.objects.content import ARCHIVE, runner_data
from sabir.languages.ccp.evaluate.objects.settings import REGISTRY_SECRET, ObjectSettings
from sabir.languages.ccp.model.topology import node_configs
from sabir.languages.ccp.model.units import Unit, Units
from sabir.languages.ccp.syntax.nodes import Command, Definition, Service


def build_workflow(units: Units, unit: Unit) -> dict[str, Any]:
    """Return the workflow of a unit, in the form of the rendering contract."""
    body: dict[str, Any] = {
        "name": unit.id,
        "dependencies": [str(dependency) for dependency in units.dependencies(unit)],
    }
    if unit.command is not None:
        body["job"] = _command_data(unit.command)
    else:
        container = unit.container
        body["pre"] = [_local_command_data(units, unit, one) for one in container.pre if not one.single]
        body["daemon"] = _command_data(container.daemon)
        body["post"] = [_local_command_data(units, unit, one) for one in container.post if not one.single]
        if container.readiness is not None:
            body["readiness"] = container.readiness.written
    body["files"] = [
        {"name": file.name, "path": file.destination, "perm": file.perm, "user": file.user}
        for file in (unit.definition.files[name] for name in unit.files)
    ]
    return {"workflow": body}


def _command_data(command: Command) -> dict[str, Any]:
    body = {"command": command.command}
    if command.user is not None:
        body["user"] = command.user
    return body


def _local_command_data(units: Units, unit: Unit, command: Command) -> dict[str, Any]:
    body = _command_data(command)
    if command.name is not None:
        body["name"] = command.name
    dependencies = units.resolve_all(unit.definition, command.dependencies)
    if dependencies:
        body["dependencies"] = [str(dependency) for dependency in dependencies]
    return body


RUNNER: Final = "ccp-runner"

Data = dict[str, Any]


def to_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _common_metadata() -> Data:
    return {"labels": {"ccp": "true"}}


def config_map(settings: ObjectSettings, name: str, data: dict[str, str]) -> Data:
    body: Data = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": settings.metadata(name, _common_metadata),
    }
    if data:
        body["data"] = data
    return body


def build_secret(
    settings: ObjectSettings, name: str, texts: Callable[[], Mapping[str, str] | None], kind: str = "Opaque"
) -> Data:
    body: Data = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": settings.metadata(name, _common_metadata),
        "type": kind,
    }
    data = settings.part("data", texts)
    if data is not None:
        body["data"] = {key: base64.b64encode(text.encode()).decode() for key, text in data.items()}
    return body


def deployment_objects(settings: ObjectSettings) -> Iterator[Data]:
    """Return the objects that a deployment has once, before its services."""
    configuration = settings.configuration
    yield _build_namespace(settings)
    if settings.has_credentials:
        login = partial(_registry_login, settings)
        yield build_secret(settings, REGISTRY_SECRET, login, "kubernetes.io/dockerconfigjson")
    globals_ = {**configuration.configs, "namespace": settings.namespace}
    yield config_map(settings, "globals", {"globals": to_json(globals_)})
    yield build_secret(
        settings, "global-secrets", lambda: {"global-secrets": to_json(configuration.secret_configs)}
    )
    yield config_map(settings, "nodes-config", {"nodes-config": to_json(node_configs(configuration))})
    yield {**config_map(settings, RUNNER, {}), "binaryData": {ARCHIVE: runner_data()}}
    if settings.exports:
        yield config_map(settings, "exports", settings.export_texts())


def _build_namespace(settings: ObjectSettings) -> Data:
    metadata = settings.part("metadata", partial(_namespace_metadata, settings))
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def _namespace_metadata(settings: ObjectSettings) -> Data:
    """Return the metadata of the namespace.

    Clusters with pod security need labels if a deployment uses privileged pods.
    """
    names = {"ccp": "true"}
    if any(_is_privileged(definition.service) for definition in settings.deployment.definitions):
        names |= {f"pod-security.kubernetes.io/{mode}": "privileged" for mode in ("enforce", "audit", "warn")}
    return {"name": settings.namespace, "labels": names}


def _is_privileged(service: Service) -> bool:
    shares = service.host_network or service.host_pid or service.host_ipc
    return shares or any(
        container.privileged or any(volume.host_path is not None for volume in container.volumes)
        for container in service.containers
    )


def _registry_login(settings: ObjectSettings) -> dict[str, str]:
    registry = settings.configuration.section("registry")
    username, password = str(registry.get("username")), str(registry.get("password") or "")
    login = base64.b64encode(f"{username}:{password}".encode()).decode()
    address = registry.get("address") or "https://index.docker.io/v1/"
    auths = {address: {"username": username, "password": password, "auth": login}}
    return {".dockerconfigjson": to_json({"auths": auths})}


def service_objects(
    settings: ObjectSettings, definition: Definition, units: Iterable[Unit]
) -> Iterator[Data]:
    """Return the ConfigMaps of one service, with the workflows of these units."""
    service = definition.service
    contents = {name: settings.text(definition, name) for name in definition.files}
    yield config_map(settings, f"{service.name}-files", contents)
    meta = {"service-name": service.name, "host-net": service.host_network}
    yield config_map(settings, f"{service.name}-meta", {"meta": to_json(meta)})
    workflows = {unit.name: to_json(build_workflow(settings.units, unit)) for unit in units}
    yield config_map(settings, f"{service.name}-role", workflows)
    if definition.configs or definition.mapping:
        own = {"configs": definition.configs, "mapping": definition.mapping}
        yield config_map(settings, f"{service.name}-service-config", {"service-config": to_json(own)})


def service_secrets(settings: ObjectSettings, definition: Definition) -> Iterator[Data]:
    for described in definition.secrets.values():
        yield build_secret(
            settings, described.secret_name, partial(getattr, described, "data"), described.type
        )
