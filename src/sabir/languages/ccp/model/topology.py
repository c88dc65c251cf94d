"""The topology: patterns of node names to roles, roles to services."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from sabir.expressions.patterns import compile_pattern, matches_start
from sabir.languages.ccp.syntax.configuration import Configuration
from sabir.lazy import lazy_pattern

_literal_pattern: Final = lazy_pattern(r"[-a-z0-9]+(\\?\.[-a-z0-9]+)*")


class ServiceTopology(Struct, frozen=True, kw_only=True, eq=False):
    """Services with their nodes. `hosts` of a service is None if the cluster's nodes are not known."""

    services: Mapping[str, tuple[str, ...] | None]
    unused_roles: tuple[str, ...] = ()
    """Roles that no node has."""
    unmatched: tuple[str, ...] = ()
    """Patterns that match no node."""

    def has(self, service: str) -> bool:
        return service in self.services


def read_topology(configuration: Configuration) -> ServiceTopology | None:
    """Return the topology, or None without one: everything may run anywhere then."""
    nodes, roles = configuration.section("nodes"), configuration.section("roles")
    if not nodes or not roles:
        return None
    cluster = configuration.cluster_nodes
    if cluster is None and all(_literal_pattern().fullmatch(pattern) for pattern in nodes):
        cluster = tuple(pattern.replace("\\", "") for pattern in nodes)
    matches = {pattern: _match_nodes(pattern, cluster) for pattern in sorted(nodes)}
    hosts_of_role: dict[str, set[str] | None] = {}
    for pattern, matched in matches.items():
        for role in _list_roles(nodes[pattern]):
            if matched is None:
                hosts_of_role[role] = None
            else:
                hosts = hosts_of_role.setdefault(role, set())
                if hosts is not None:
                    hosts |= set(matched)
    services: dict[str, set[str] | None] = {}
    for role in sorted(roles):
        if role not in hosts_of_role:
            continue
        for service in roles[role]:
            hosts, known_hosts = hosts_of_role[role], services.get(service, set())
            services[service] = None if hosts is None or known_hosts is None else known_hosts | hosts
    return ServiceTopology(
        services={
            name: None if hosts is None else tuple(sorted(hosts))
            for name, hosts in services.items()
            if hosts is None or hosts
        },
        # None are nodes that are not known, which is not the same as no nodes.
        unused_roles=tuple(role for role in sorted(roles) if hosts_of_role.get(role, set()) == set()),
        unmatched=tuple(pattern for pattern, matched in matches.items() if matched == ()),
    )


def _list_roles(node: Any) -> list[str]:
    roles = node.get("roles") if isinstance(node, dict) else None
    return roles if isinstance(roles, list) else []


def _match_nodes(pattern: str, cluster: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if cluster is None:
        return None
    matcher = compile_pattern(pattern)
    return tuple(node for node in cluster if matches_start(matcher, node))


def node_configs(configuration: Configuration) -> dict[str, Any]:
    """Return the variables of nodes by node pattern."""
    return {
        pattern: node["configs"]
        for pattern, node in configuration.section("nodes").items()
        if isinstance(node, dict) and node.get("configs")
    }
