"""Instances, and where their values came from."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.expressions.query.values import MISSING, InstanceStatus, NodeState
from sabir.graph.origin import How
from sabir.graph.values import Unknown
from sabir.languages.tosca.evaluate import Ensemble, LiveValues, Request
from sabir.languages.tosca.graph.evaluation import instantiate_topology
from sabir.languages.tosca.graph.origins import ToscaOrigins
from sabir.languages.tosca.syntax.documents import load_topology
from sabir.languages.tosca.syntax.files import PackageFiles
from sabir.source.packages import MemoryPackage

TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
data_types:
  Size: {properties: {w: {type: integer}, unit: {type: string, default: cm}}}
node_types:
  Base:
    derived_from: tosca.nodes.Root
    properties: {port: {type: integer, default: 80}, size: {type: Size, required: false}}
    attributes: {ip: {type: string}}
  App: {derived_from: Base, requirements: [{uses: {capability: tosca.capabilities.Node, occurrences: [0, 9]}}]}
topology_template:
  inputs: {zone: {type: string, default: north}}
  node_templates:
    vm: {type: tosca.nodes.Compute, capabilities: {host: {properties: {num_cpus: 2}}}}
    a:
      type: App
      properties: {size: {w: 3}}
      requirements: [{uses: b}, {uses: vm}]
    b: {type: App, properties: {port: {get_property: [vm, host, num_cpus]}}}
    s: {type: tosca.nodes.SoftwareComponent, requirements: [{host: vm}]}
  outputs: {where: {value: {get_input: zone}}}
"""


def _ensemble(**request: Any) -> Ensemble:
    loaded = load_topology(PackageFiles(MemoryPackage({"t.yaml": TEMPLATE})), "t.yaml")
    return instantiate_topology(loaded, Request(**request))


@pytest.mark.parametrize(
    ("node", "key", "value"),
    [
        ("a", "port", 80),
        ("a", "size", {"w": 3, "unit": "cm"}),
        ("b", "port", 2),
        ("b", "size", MISSING),
        ("a", "ip", Unknown(of="a|ip", why="it is known once the node runs")),
        ("a", "tosca_name", "a"),
        ("a", "nothing", MISSING),
    ],
)
def test_values(node: str, key: str, value: Any) -> None:
    assert _ensemble().nodes[node].get(key) == value


def test_hosts_are_parents() -> None:
    ensemble = _ensemble()
    assert ensemble.nodes["s"].parent is ensemble.nodes["vm"]
    assert ensemble.nodes["a"].parent is ensemble.root
    assert [child.name for child in ensemble.nodes["vm"].children] == ["s"]
    assert [child.name for child in ensemble.root.children] == ["vm", "a", "b"]


def test_what_is_running_wins_over_the_description() -> None:
    live = {"a": LiveValues(attributes={"port": 81}, status=InstanceStatus.error, state=NodeState.stopped)}
    node = _ensemble(live=live).nodes["a"]
    assert (node.get("port"), node.get_planned("port")) == (81, 80)
    assert (node.status, node.state) == (InstanceStatus.error, NodeState.stopped)
    assert node.get("state") == "stopped"


def test_relationships_lead_to_capabilities() -> None:
    nodes = _ensemble().nodes
    first, second = nodes["a"].requirements
    assert (first.target, second.target) == (nodes["b"], nodes["vm"])
    assert first.target_capability is nodes["b"].capability("feature")
    assert first in nodes["b"].capabilities[0].relationships
    assert [first.id[-3:], second.id[-3:]] == ["::0", "::1"]
    (host,) = nodes["s"].requirements
    assert host.id.endswith("::.requirements::[.name=host]")


@pytest.mark.parametrize(
    ("node", "key", "how", "notes"),
    [
        ("a", "port", How.DEFAULT, {"type App", "App derives from Base"}),
        ("a", "size", How.LITERAL, {"Size.unit", "type Size"}),
        ("b", "port", How.EXPRESSION, set()),
    ],
)
def test_origins(node: str, key: str, how: How, notes: set[str]) -> None:
    ensemble = _ensemble()
    origin = ToscaOrigins(ensemble, full=True).of_value(ensemble.nodes[node], key)
    assert origin is not None
    assert origin.how is how
    assert {getattr(source, "note", None) for source in origin.sources} == notes


def test_the_origin_of_what_is_running() -> None:
    live = {"a": LiveValues(attributes={"port": 81, "ip": "x"})}
    ensemble = _ensemble(live=live, overridden={"a": {"port"}})
    origins = ToscaOrigins(ensemble, full=True)
    asked, recorded = (origins.of_value(ensemble.nodes["a"], key) for key in ("port", "ip"))
    assert asked is not None
    assert recorded is not None
    assert (asked.how, recorded.how) == (How.OVERRIDE, How.ASSIGNMENT)
