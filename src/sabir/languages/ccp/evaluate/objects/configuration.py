"""ConfigMaps and Secrets: what the runner reads."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from sabir.languages.ccp.evaluate.objects.program import ARCHIVE, runner_data
from sabir.languages.ccp.evaluate.objects.settings import REGISTRY_SECRET, Settings
from sabir.languages.ccp.evaluate.workflow import workflow
from sabir.languages.ccp.model.topology import node_configs
from sabir.languages.ccp.model.units import Unit
from sabir.languages.ccp.syntax.nodes import Definition, Service

__all__ = ["RUNNER", "deployment_objects", "service_objects", "service_secrets", "to_json"]

RUNNER: Final = "ccp-runner"

Data = dict[str, Any]


def to_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def config_map(settings: Settings, name: str, data: dict[str, str]) -> Data:
    body: Data = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": settings.metadata(name, {"labels": {"ccp": "true"}}),
    }
    if data:
        body["data"] = data
    return body


def secret(settings: Settings, name: str, data: dict[str, str] | None, kind: str = "Opaque") -> Data:
    body: Data = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": settings.metadata(name, {"labels": {"ccp": "true"}}),
        "type": kind,
    }
    if data is not None:
        body["data"] = {key: base64.b64encode(text.encode()).decode() for key, text in data.items()}
    return body


def deployment_objects(settings: Settings) -> Iterator[Data]:
    """What the deployment has once, before its services."""
    configuration = settings.configuration
    yield _namespace(settings)
    if settings.has_credentials:
        yield _registry_secret(settings)
    globals_ = {**configuration.configs, "namespace": settings.namespace}
    yield config_map(settings, "globals", {"globals": to_json(globals_)})
    secrets = {"global-secrets": to_json(configuration.secret_configs)}
    yield secret(settings, "global-secrets", secrets)
    yield config_map(settings, "nodes-config", {"nodes-config": to_json(node_configs(configuration))})
    yield {**config_map(settings, RUNNER, {}), "binaryData": {ARCHIVE: runner_data()}}
    if settings.exports:
        yield config_map(settings, "exports", dict(settings.exports))


def _namespace(settings: Settings) -> Data:
    """Clusters that keep pods from their hosts must be told when a deployment asks for that."""
    names = {"ccp": "true"}
    if any(_is_privileged(definition.service) for definition in settings.deployment.definitions):
        names |= {f"pod-security.kubernetes.io/{mode}": "privileged" for mode in ("enforce", "audit", "warn")}
    metadata = {"name": settings.namespace, "labels": names}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def _is_privileged(service: Service) -> bool:
    shares = service.host_network or service.host_pid or service.host_ipc
    return shares or any(
        container.privileged or any(volume.host_path is not None for volume in container.volumes)
        for container in service.containers
    )


def _registry_secret(settings: Settings) -> Data:
    registry = settings.configuration.section("registry")
    username, password = str(registry.get("username")), str(registry.get("password") or "")
    login = base64.b64encode(f"{username}:{password}".encode()).decode()
    address = registry.get("address") or "https://index.docker.io/v1/"
    auths = {address: {"username": username, "password": password, "auth": login}}
    text = to_json({"auths": auths})
    return secret(settings, REGISTRY_SECRET, {".dockerconfigjson": text}, "kubernetes.io/dockerconfigjson")


def service_objects(settings: Settings, definition: Definition, units: Iterable[Unit]) -> Iterator[Data]:
    """The ConfigMaps of one service, with the workflows of these units."""
    service = definition.service
    contents: dict[str, str] = {}
    for name in definition.files:
        content = settings.deployment.content(definition, name)
        contents[name] = content.source.text if content is not None else ""
    yield config_map(settings, f"{service.name}-files", contents)
    meta = {"service-name": service.name, "host-net": service.host_network}
    yield config_map(settings, f"{service.name}-meta", {"meta": to_json(meta)})
    workflows = {unit.id.partition("/")[2]: to_json(workflow(settings.units, unit)) for unit in units}
    yield config_map(settings, f"{service.name}-role", workflows)
    if definition.configs or definition.mapping:
        own = {"configs": definition.configs, "mapping": definition.mapping}
        yield config_map(settings, f"{service.name}-service-config", {"service-config": to_json(own)})


def service_secrets(settings: Settings, definition: Definition) -> Iterator[Data]:
    for one in definition.secrets.values():
        yield secret(settings, one.secret_name, dict(one.data) if one.data is not None else None, one.type)
