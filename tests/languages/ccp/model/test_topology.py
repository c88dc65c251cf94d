"""Patterns of node names to roles, roles to services."""

from __future__ import annotations

from textwrap import dedent

import pytest

from sabir.languages.ccp.model.topology import ServiceTopology, node_configs, read_topology
from sabir.languages.ccp.syntax.configuration import Configuration, read_configuration
from sabir.text import Source


def _configuration(text: str) -> Configuration:
    configuration, faults = read_configuration([Source("ccp.yaml", dedent(text))])
    assert faults == []
    return configuration


CASES = {
    "none": ("roles: {r: [web]}", None),
    "names": (
        "nodes: {n1: {roles: [r]}, n2: {roles: [r, s]}}\nroles: {r: [web], s: [web, db]}",
        ServiceTopology(services={"web": ("n1", "n2"), "db": ("n2",)}),
    ),
    "patterns without a cluster": (
        "nodes: {'n[1-3]': {roles: [r]}}\nroles: {r: [web]}",
        ServiceTopology(services={"web": None}),
    ),
    "patterns in a cluster": (
        "nodes: {'n[1-3]': {roles: [r]}}\nroles: {r: [web]}\nkubernetes: {cluster_nodes: [n1, n3, m]}",
        ServiceTopology(services={"web": ("n1", "n3")}),
    ),
    "the beginning of a name": (
        "nodes: {n: {roles: [r]}}\nroles: {r: [web]}\nkubernetes: {cluster_nodes: [n1, m]}",
        ServiceTopology(services={"web": ("n1",)}),
    ),
    "a pattern that matches nothing": (
        "nodes: {x: {roles: [r]}}\nroles: {r: [web]}\nkubernetes: {cluster_nodes: [n1]}",
        ServiceTopology(services={}, unused_roles=("r",), unmatched=("x",)),
    ),
    "a role that no node has": (
        "nodes: {n1: {roles: [r]}}\nroles: {r: [web], s: [db]}",
        ServiceTopology(services={"web": ("n1",)}, unused_roles=("s",)),
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=[*CASES])
def test_topology(text: str, expected: ServiceTopology | None) -> None:
    topology = read_topology(_configuration(text))
    if expected is None or topology is None:
        assert topology is expected
        return
    assert topology.services == expected.services
    assert topology.unused_roles == expected.unused_roles
    assert topology.unmatched == expected.unmatched
    assert all(topology.has(service) for service in expected.services)


def test_variables_of_nodes() -> None:
    text = "nodes: {n1: {roles: [r], configs: {a: 1}}, n2: {roles: [r]}, n3: {configs: {}}}"
    assert node_configs(_configuration(text)) == {"n1": {"a": 1}}
