"""Operations in the graph: their scripts can be asked for, and values lead to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.graph.edges import EdgeKind
from sabir.languages.language import EvaluationRequest
from sabir.operations.evaluation import evaluate_path
from sabir.operations.impact import ImpactRequest, impact_path
from sabir.operations.query import QueryRequest, query_path
from sabir.operations.why import WhyRequest, why_path

TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.Root
    properties: {port: {type: integer}}
    attributes: {url: {type: string}}
    interfaces:
      Standard:
        inputs: {mode: fast}
        operations:
          create:
            implementation: {primary: create.sh, dependencies: [lib.sh], timeout: 5}
            inputs: {at: {get_property: [SELF, port]}, ip: {get_attribute: [SELF, url]}}
            outputs: {url: [SELF, url]}
          stop: {}
topology_template:
  node_templates:
    app:
      type: App
      properties: {port: 80}
      interfaces: {Standard: {operations: {start: start.sh}}}
"""


@pytest.fixture
def template(tmp_path: Path) -> Path:
    for name in ("create.sh", "lib.sh", "start.sh"):
        (tmp_path / name).write_text("true\n", encoding="utf-8")
    path = tmp_path / "service.yaml"
    path.write_text(TEMPLATE, encoding="utf-8")
    return path


def test_what_is_carried_out_is_an_instance(template: Path) -> None:
    graph = evaluate_path(template, EvaluationRequest()).evaluation.graph
    create = graph["app.interfaces.Standard.create"]
    assert (create.type, create.owner, create.kinds.owner) == (
        "tosca.interfaces.node.lifecycle.Standard",
        "app",
        EdgeKind.OPERATION_OF,
    )
    attributes = dict(create.attributes)
    inputs = attributes.pop("inputs")
    assert attributes == {
        "implementation": "create.sh",
        "dependencies": ["lib.sh"],
        "timeout": 5,
        "outputs": {"url": ["SELF", "url"]},
    }
    assert isinstance(inputs, dict)
    assert (inputs["mode"], inputs["at"], repr(inputs["ip"])) == ("fast", 80, "UNKNOWN(app|url)")
    assert graph["app.interfaces.Standard.start"].attributes["implementation"] == "start.sh"
    assert "app.interfaces.Standard.stop" not in graph


def test_scripts_can_be_asked_for(template: Path) -> None:
    answer = query_path(QueryRequest(path=template, expression="::app::.operations::implementation"))
    assert sorted(answer.values) == ["create.sh", "start.sh"]


def test_a_property_feeds_an_operation(template: Path) -> None:
    affected = impact_path(ImpactRequest(path=template, line="service.yaml:18")).affected
    assert ("app.interfaces.Standard.create", "inputs") in {(one.instance, one.attribute) for one in affected}
    steps = why_path(WhyRequest(path=template, subject="app.interfaces.Standard.create.inputs")).steps
    assert 18 in {step.location.line for step in steps if step.location is not None}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{default: x}", "x"),
        ("{value: {get_input: zone}, description: where}", "north"),
        ("{default: x, other: y}", {"default": "x", "other": "y"}),
        ("{a: b}", {"a": "b"}),
    ],
)
def test_an_input_in_a_type_may_leave_its_type_out(tmp_path: Path, written: str, expected: object) -> None:
    (tmp_path / "run.sh").write_text("")
    (tmp_path / "main.yaml").write_text(
        "tosca_definitions_version: tosca_simple_yaml_1_3\n"
        "node_types:\n  N:\n    derived_from: tosca.nodes.Root\n"
        f"    interfaces: {{Standard: {{operations: {{create: {{implementation: run.sh, inputs: {{i: {written}}}}}}}}}}}\n"
        "topology_template:\n  inputs: {zone: {type: string, default: north}}\n"
        "  node_templates: {n: {type: N}}\n"
    )
    graph = evaluate_path(tmp_path / "main.yaml", EvaluationRequest()).evaluation.graph
    assert graph["n.interfaces.Standard.create"].attributes["inputs"] == {"i": expected}
