"""How etcd is reached: endpoints, certificates."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["Connection", "authority_file", "etcd_connection"]


def authority_file() -> str:
    """Where daemons and clients look for the certificate of the authority."""
    return os.environ.get("CCP_CA_FILE") or "/opt/ccp/etc/tls/ca.pem"


class Connection(NamedTuple):
    endpoints: list[str]
    ca_certificate: str | None = None
    """PEM texts."""
    certificate: str | None = None
    key: str | None = None
    verify: bool = True


def etcd_connection(variables: Mapping[str, Any], pod_address: str | None) -> Connection:
    """From `etcd` and `security.tls` of the configuration; CCP_ETCD_ENDPOINTS wins."""
    etcd = _mapping(variables.get("etcd"))
    tls = _mapping(etcd.get("tls"))
    security = _mapping(_mapping(variables.get("security")).get("tls"))
    return Connection(
        endpoints=_endpoints(variables, etcd, pod_address),
        ca_certificate=_text(tls.get("ca_cert")) or _text(security.get("ca_cert")),
        certificate=_text(tls.get("client_cert")),
        key=_text(tls.get("client_key")),
        verify=tls.get("verify", True) is not False,
    )


def _endpoints(variables: Mapping[str, Any], etcd: Mapping[str, Any], pod_address: str | None) -> list[str]:
    listed = os.environ.get("CCP_ETCD_ENDPOINTS") or etcd.get("endpoints") or ()
    words = listed.replace(",", " ").split() if isinstance(listed, str) else [str(one) for one in listed]
    if words:
        return [word.rstrip("/") for word in words]
    port = etcd.get("client_port", 2379)
    number = port.get("cont", 2379) if isinstance(port, dict) else port
    is_secure = bool(_mapping(etcd.get("tls")).get("enabled"))
    if variables.get("service_name") == "etcd":
        return _beside(number, pod_address, is_secure=is_secure)
    scheme = "https" if is_secure else "http"
    return [f"{scheme}://etcd.{variables.get('namespace')}.svc.{variables.get('cluster_domain')}:{number}"]


def _beside(number: Any, pod_address: str | None, *, is_secure: bool) -> list[str]:
    """In the pod of etcd itself: before it is ready its Service leads nowhere.

    With TLS it also listens in plain text, on the loopback address only; without, on the address of its pod only.
    """
    endpoints = [f"http://127.0.0.1:{number}"]
    if pod_address is not None:
        endpoints.append(f"{'https' if is_secure else 'http'}://{pod_address}:{number}")
    return endpoints


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
