"""Requirements that a template leaves out, and values as their types have them, as Unfurl 1.2 does both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sabir.expressions.query import QueryResource, evaluate
from sabir.languages.tosca.evaluate import Request
from sabir.languages.tosca.graph.evaluation import instantiate_topology
from sabir.languages.tosca.syntax.documents import load_file

HEAD = """\
tosca_definitions_version: tosca_simple_yaml_1_3
data_types:
  demo.Size: {{properties: {{w: {{type: integer}}, unit: {{type: string, default: cm}}}}}}
capability_types:
  demo.End: {{derived_from: tosca.capabilities.Endpoint}}
  demo.Fine: {{derived_from: demo.End}}
node_types:
  demo.Client:
    derived_from: tosca.nodes.Root
    requirements: [{{uses: {requirement}}}]
  demo.Server: {{derived_from: tosca.nodes.Root, capabilities: {{end: {{type: demo.Fine}}}}}}
  demo.Other: {{derived_from: tosca.nodes.Root, properties: {{p: {{type: {type}, required: false}}}}}}
topology_template:
  node_templates:
    n: {{type: demo.Client}}
"""


def _root(
    path: Path, nodes: str, *, requirement: str = "{capability: demo.End}", type_: str = "string"
) -> QueryResource:
    file = path / "service.yaml"
    file.write_text(HEAD.format(requirement=requirement, type=type_) + nodes, encoding="utf-8")
    return instantiate_topology(load_file(file), Request()).root


SERVER, SECOND, OTHER = (
    "    s: {type: demo.Server}\n",
    "    t: {type: demo.Server}\n",
    "    o: {type: demo.Other}\n",
)
VM = "    vm: {type: tosca.nodes.Compute}\n"

MATCHED: list[tuple[str, str, str | None]] = [
    ("{capability: demo.End}", OTHER + SERVER, "s"),
    ("{capability: demo.End}", SECOND + SERVER, "t"),
    ("{capability: demo.End, node: demo.Server}", OTHER + SERVER, "s"),
    ("{capability: demo.End, occurrences: [1, UNBOUNDED]}", SERVER + SECOND, "s"),
    ("{capability: tosca.capabilities.Node, node: demo.Other}", SERVER + OTHER, "o"),
    ("{capability: demo.End, node: demo.Other}", SERVER + OTHER, None),
    ("{capability: demo.End, occurrences: [0, 1]}", SERVER, None),
    ("{capability: demo.End}", OTHER, None),
    ("{capability: tosca.capabilities.Node, node: demo.Client}", SERVER, None),
]


@pytest.mark.parametrize(("requirement", "nodes", "target"), MATCHED)
def test_left_out(requirement: str, nodes: str, target: str | None, tmp_path: Path) -> None:
    root = _root(tmp_path, nodes, requirement=requirement)
    assert evaluate(".targets::uses::.name", root.all()["n"]).value == target


def test_a_host_that_is_left_out_is_the_parent(tmp_path: Path) -> None:
    hosting = "{capability: tosca.capabilities.Compute, relationship: tosca.relationships.HostedOn}"
    root = _root(tmp_path, VM, requirement=hosting)
    assert evaluate(".parents::.name", root.all()["n"]).values == ["root", "vm"]


def test_hosts_that_nobody_wrote_do_not_go_round(tmp_path: Path) -> None:
    hosting = (
        "{capability: tosca.capabilities.Node, node: demo.Client, relationship: tosca.relationships.HostedOn}"
    )
    root = _root(tmp_path, "    m: {type: demo.Client}\n", requirement=hosting)
    assert evaluate("::n::.parents::.name", root).values == ["root", "m"]
    assert evaluate("::m::.parents::.name", root).values == ["root"]


VALUES: list[tuple[str, str, Any]] = [
    ("string", "5", "5"),
    ("string", "1.10", "1.10"),
    ("version", "1.0", "1.0"),
    ("float", "2", 2.0),
    ("integer", "2", 2),
    ("demo.Size", "{w: 1}", {"w": 1, "unit": "cm"}),
    ("list, entry_schema: {type: demo.Size}", "[{w: 1}, {w: 2, unit: m}]", [{"w": 1, "unit": "cm"}, {"w": 2, "unit": "m"}]),
    ("map, entry_schema: {type: demo.Size}", "{k: {w: 1}}", {"k": {"w": 1, "unit": "cm"}}),
    ("list, entry_schema: {type: string}", "[1]", ["1"]),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "written", "expected"), VALUES)
def test_values_as_their_types_have_them(type_: str, written: str, expected: Any, tmp_path: Path) -> None:
    nodes = f"    o: {{type: demo.Other, properties: {{p: {written}}}}}\n"
    found = evaluate("::o::p", _root(tmp_path, nodes, type_=type_)).values
    assert found == [expected]
    assert type(found[0]) is type(expected)
