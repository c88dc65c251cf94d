"""What the runner reads: the workflow, the variables, and how patient to be."""

from __future__ import annotations

import json
import os
import re
from typing import Any, NamedTuple

__all__ = ["Patience", "Settings", "SetupError", "read_settings"]


class SetupError(Exception):
    """Something the container should have been given is missing or broken."""


class Patience(NamedTuple):
    """Seconds. All can be set under `runner` in the configuration."""

    dependency_timeout: float = 1800.0
    poll_interval: float = 2.0
    daemon_grace: float = 5.0
    status_ttl: int = 30
    etcd_timeout: float = 5.0
    etcd_retry: float = 60.0
    command_timeout: float = 0.0
    stop_grace: float = 20.0


class Settings(NamedTuple):
    name: str
    """The container or single command."""
    unit: str
    """SERVICE/NAME, as others wait for it."""
    workflow: dict[str, Any]
    variables: dict[str, Any]
    mapping: dict[str, str]
    patience: Patience
    endpoints: list[str]
    etc: str
    namespace: str
    node: str
    pod: str
    ca_certificate: str | None


def read_settings(name: str, etc: str | None = None) -> Settings:
    etc = etc or os.environ.get("CCP_ETC") or "/etc/ccp"
    workflow = _read(etc, "role", name).get("workflow")
    if not isinstance(workflow, dict) or "name" not in workflow:
        raise SetupError(f"{os.path.join(etc, 'role', name)}.json holds no workflow")
    own = _read(etc, "service-config", "service-config", optional=True)
    node = os.environ.get("CCP_NODE_NAME") or os.uname().nodename
    variables = merge(
        _read(etc, "globals", "globals"), _read(etc, "global-secrets", "global-secrets", optional=True)
    )
    variables = merge(variables, own.get("configs") or {})
    for pattern, configs in sorted(_read(etc, "nodes-config", "nodes-config", optional=True).items()):
        if re.match(pattern, node):
            variables = merge(variables, configs)
    meta = _read(etc, "meta", "meta", optional=True)
    variables["node_name"] = node
    variables["pod_name"] = os.environ.get("CCP_POD_NAME") or node
    variables["role_name"] = name
    variables["service_name"] = meta.get("service-name") or str(workflow["name"]).partition("/")[0]
    variables["host_net"] = bool(meta.get("host-net"))
    return Settings(
        name=name,
        unit=str(workflow["name"]),
        workflow=workflow,
        variables=variables,
        mapping=own.get("mapping") or {},
        patience=_patience(variables.get("runner")),
        endpoints=_endpoints(variables),
        etc=etc,
        namespace=str(variables.get("namespace") or "ccp"),
        node=node,
        pod=str(variables["pod_name"]),
        ca_certificate=_ca_certificate(variables),
    )


def merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        known = merged.get(key)
        merged[key] = merge(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged


def _read(etc: str, folder: str, name: str, *, optional: bool = False) -> dict[str, Any]:
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


def _patience(section: Any) -> Patience:
    known = {
        key: type(getattr(Patience(), key))(value)
        for key, value in (section or {}).items()
        if key in Patience._fields and isinstance(value, (int, float))
    }
    return Patience(**known)


def _endpoints(variables: dict[str, Any]) -> list[str]:
    """CCP_ETCD_ENDPOINTS, else `etcd.endpoints`, else the Service `etcd` of the namespace."""
    given = os.environ.get("CCP_ETCD_ENDPOINTS")
    if given:
        return [word.rstrip("/") for word in given.replace(",", " ").split()]
    section = variables.get("etcd")
    etcd = section if isinstance(section, dict) else {}
    if isinstance(etcd.get("endpoints"), list):
        return [str(endpoint).rstrip("/") for endpoint in etcd["endpoints"]]
    port = etcd.get("client_port", 2379)
    number = port.get("cont", 2379) if isinstance(port, dict) else port
    # Before etcd itself is ready its Service leads nowhere.
    host = (
        "127.0.0.1"
        if variables.get("service_name") == "etcd"
        else f"etcd.{variables.get('namespace')}.svc.{variables.get('cluster_domain')}"
    )
    scheme = "https" if (etcd.get("tls") or {}).get("enabled") else "http"
    return [f"{scheme}://{host}:{number}"]


def _ca_certificate(variables: dict[str, Any]) -> str | None:
    security = variables.get("security")
    tls = security.get("tls") if isinstance(security, dict) else None
    certificate = tls.get("ca_cert") if isinstance(tls, dict) else None
    return certificate if isinstance(certificate, str) else None
