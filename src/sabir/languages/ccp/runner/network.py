"""Addresses of network interfaces, and `address()` for templates in definitions and containers."""

from __future__ import annotations

import fcntl
import socket
import struct
from collections.abc import Callable, Mapping
from typing import Any

from .variables import PodInfo

_SIOCGIFADDR = 0x8915


def interface_address(interface: str, pod: PodInfo, pod_address: str | None) -> str:
    """Return the address of an interface.

    A pod with its own network has one address, whatever its interface is called. A missing interface
    has the address of the pod, or the loopback address if that is unknown.
    """
    if pod_address is not None and not pod.host_network:
        return pod_address
    return _query_interface(interface) or pod_address or "127.0.0.1"


def _query_interface(interface: str) -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            packed = fcntl.ioctl(probe.fileno(), _SIOCGIFADDR, struct.pack("256s", interface.encode()[:15]))
        except OSError:
            return None
    return socket.inet_ntoa(packed[20:24])


def address_function(variables: Mapping[str, Any], mapping: Mapping[str, str]) -> Callable[..., str]:
    """Return `address(SERVICE, port=None, external=False, with_scheme=False)` over these variables.

    `mapping` replaces service names by those of instances.
    """

    def address(
        service: str,
        port: Any = None,
        external: bool = False,  # noqa: FBT001, FBT002  # the users' templates call it so
        with_scheme: bool = False,  # noqa: FBT001, FBT002
    ) -> str:
        service = mapping.get(str(service), str(service))
        scheme = "https" if _has_tls(variables, service) else "http"
        place = None
        if external:
            if not port:
                raise ValueError(f"address({service!r}, external=True) needs a port")
            place, secure = _external_address(variables, port)
            scheme = "https" if secure else scheme
        if place is None:
            place = _cluster_address(variables, service, port)
        return f"{scheme}://{place}" if with_scheme else place

    return address


def _cluster_address(variables: Mapping[str, Any], service: str, port: Any) -> str:
    name = f"{service}.{variables['namespace']}.svc.{variables['cluster_domain']}"
    number = port.get("cont") if isinstance(port, dict) else port
    return f"{name}:{number}" if number else name


def _external_address(variables: Mapping[str, Any], port: Any) -> tuple[str | None, bool]:
    if not isinstance(port, dict):
        return None, False
    ingress = _as_mapping(variables.get("ingress"))
    if ingress.get("enabled") and port.get("ingress"):
        return f"{port['ingress']}.{ingress.get('domain')}:{ingress.get('port')}", True
    if port.get("node"):
        return f"{variables.get('k8s_external_ip')}:{port['node']}", False
    return None, False


def _has_tls(variables: Mapping[str, Any], service: str) -> bool:
    section = _as_mapping(variables.get(service.split("-")[0]))
    return bool(_as_mapping(section.get("tls")).get("enabled"))


def _as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def url_host(url: str) -> str:
    """Return the host of a URL, with its port."""
    return str(url).partition("://")[2].partition("/")[0]


def url_hostname(url: str) -> str:
    """Return the host of a URL or of `host:port`, without the port."""
    text = str(url)
    rest = text.partition("://")[2] or text
    return rest.partition("/")[0].rpartition("@")[2].partition(":")[0]
