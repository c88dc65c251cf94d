"""The variables of templates in a container: layers of configuration, and what a pod knows of itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

__all__ = ["PodInfo", "container_variables", "merge_mappings"]


class PodInfo(NamedTuple):
    """What a pod knows of itself."""

    node: str
    name: str
    service: str
    role: str
    """The container or single command."""
    host_network: bool = False
    memory_limit: str = "0"
    """In bytes."""
    cpu_limit: str = "0"


def merge_mappings(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return a new mapping in which `over` takes precedence and nested mappings are merged."""
    merged = dict(base)
    for key, value in over.items():
        before = merged.get(key)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            value = merge_mappings(before, value)
        merged[key] = value
    return merged


def container_variables(
    layers: Iterable[Mapping[str, Any]],
    node_configs: Mapping[str, Mapping[str, Any]],
    pod: PodInfo,
    address_of: Callable[[str], str],
) -> dict[str, Any]:
    """Return the layers in order, then the configuration of matching node patterns, then the pod's.

    `address_of` returns the address of a network interface.
    """
    variables: dict[str, Any] = {}
    for layer in layers:
        variables = merge_mappings(variables, layer)
    for pattern, configs in sorted(node_configs.items()):
        if re.match(pattern, pod.node):
            variables = merge_mappings(variables, configs)
    variables.update(
        node_name=pod.node,
        pod_name=pod.name,
        role_name=pod.role,
        service_name=pod.service,
        memory_limit=pod.memory_limit,
        cpu_limit=pod.cpu_limit,
        network_topology=_network_topology(variables, pod, address_of),
    )
    return variables


def _network_topology(
    variables: Mapping[str, Any], pod: PodInfo, address_of: Callable[[str], str]
) -> dict[str, dict[str, str]]:
    """Return the interfaces: one for a pod with its own network, else those of the configuration."""
    names = {"private": "eth0", "public": "eth0"}
    if pod.host_network:
        names = {name: str(variables.get(name + "_interface") or "eth0") for name in names}
    return {name: {"iface": interface, "address": address_of(interface)} for name, interface in names.items()}
