"""What the runner reads: the workflow, the variables, and its timeouts."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from .etcd import EtcdConnection, etcd_connection
from .network import interface_address
from .templates import RunnerTemplates
from .variables import PodInfo, container_variables

__all__ = ["Patience", "RunnerSettings", "SetupError", "read_settings"]


class SetupError(Exception):
    """Raised if something the container should have is missing or invalid."""


class Patience(NamedTuple):
    """Timeouts in seconds. All can be set under `runner` in the configuration."""

    dependency_timeout: float = 1800.0
    poll_interval: float = 2.0
    daemon_grace: float = 5.0
    status_ttl: int = 30
    etcd_timeout: float = 5.0
    etcd_retry: float = 60.0
    command_timeout: float = 0.0
    stop_grace: float = 20.0


class RunnerSettings(NamedTuple):
    name: str
    """The container or single command."""
    unit: str
    """SERVICE/NAME, as others wait for it."""
    workflow: dict[str, Any]
    variables: dict[str, Any]
    mapping: dict[str, str]
    patience: Patience
    connection: EtcdConnection
    etc: str
    namespace: str
    node: str
    pod: str
    pod_address: str | None

    @property
    def options(self) -> dict[str, Any]:
        """The section `runner` of the configuration."""
        section = self.variables.get("runner")
        return section if isinstance(section, dict) else {}

    def templates(self) -> RunnerTemplates:
        strict = self.options.get("undefined") == "strict"
        return RunnerTemplates(self.variables, self.mapping, folder=self.etc, strict=strict)


def read_settings(name: str, etc: str | None = None) -> RunnerSettings:
    etc = etc or os.environ.get("CCP_ETC") or "/etc/ccp"
    workflow = _read_json(etc, "role", name).get("workflow")
    if not isinstance(workflow, dict) or "name" not in workflow:
        raise SetupError(f"{os.path.join(etc, 'role', name)}.json holds no workflow")
    service_config = _read_json(etc, "service-config", "service-config", optional=True)
    meta = _read_json(etc, "meta", "meta", optional=True)
    node = os.environ.get("CCP_NODE_NAME") or os.uname().nodename
    pod = PodInfo(
        node=node,
        name=os.environ.get("CCP_POD_NAME") or node,
        service=meta.get("service-name") or str(workflow["name"]).partition("/")[0],
        role=name,
        host_network=bool(meta.get("host-net")),
        memory_limit=os.environ.get("MEMORY_LIMIT") or "0",
        cpu_limit=os.environ.get("CPU_LIMIT") or "0",
    )
    layers = [
        _read_json(etc, "globals", "globals"),
        _read_json(etc, "global-secrets", "global-secrets", optional=True),
        service_config.get("configs") or {},
    ]
    nodes = _read_json(etc, "nodes-config", "nodes-config", optional=True)
    address = os.environ.get("CCP_POD_IP") or None
    variables = container_variables(
        layers, nodes, pod, lambda interface: interface_address(interface, pod, address)
    )
    return RunnerSettings(
        name=name,
        unit=str(workflow["name"]),
        workflow=workflow,
        variables=variables,
        mapping=service_config.get("mapping") or {},
        patience=_read_patience(variables.get("runner")),
        connection=etcd_connection(variables, address),
        etc=etc,
        namespace=str(variables.get("namespace") or "ccp"),
        node=node,
        pod=pod.name,
        pod_address=address,
    )


def _read_json(etc: str, folder: str, name: str, *, optional: bool = False) -> dict[str, Any]:
    path = os.path.join(etc, folder, name + ".json")
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except FileNotFoundError:
        if optional:
            return {}
        raise SetupError(f"{path} is missing: was the ConfigMap mounted?") from None
    except (OSError, ValueError) as error:
        raise SetupError(f"{path} cannot be read: {error}") from error
    if not isinstance(data, dict):
        raise SetupError(f"{path} must hold a JSON object")
    return data


def _read_patience(section: Any) -> Patience:
    numbers = {
        key: type(getattr(Patience(), key))(value)
        for key, value in (section if isinstance(section, dict) else {}).items()
        if key in Patience._fields and isinstance(value, (int, float))
    }
    return Patience(**numbers)
