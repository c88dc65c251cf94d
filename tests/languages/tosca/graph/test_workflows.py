"""Groups, policies, workflows, mappings and operations of relationships are instances of the graph, and can be asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sabir.graph.graph import Graph, Instance
from sabir.graph.values import Unknown
from sabir.languages.language import EvaluationRequest
from sabir.operations.evaluation import evaluate_path
from sabir.operations.impact import ImpactRequest, impact_path
from sabir.operations.query import QueryRequest, query_path

TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
policy_types:
  Scale:
    derived_from: tosca.policies.Scaling
    properties: {most: {type: integer, default: 3}}
    triggers:
      inherited: {event: idle, action: [{inline: backup}]}
group_types:
  Zone: {derived_from: tosca.groups.Root, properties: {zone: {type: string}}}
node_types:
  App:
    derived_from: tosca.nodes.SoftwareComponent
    properties: {level: {type: integer}}
    attributes: {load: {type: integer}}
    artifacts: {maker: {type: tosca.artifacts.Implementation.Bash, file: make.sh}}
    interfaces:
      Standard: {operations: {create: {implementation: maker}}}
      Seen:
        type: tosca.interfaces.Root
        notifications: {busy: {outputs: {load: [SELF, load]}}}
topology_template:
  inputs: {area: {type: string, default: north}}
  node_templates:
    vm: {type: tosca.nodes.Compute}
    app:
      type: App
      properties: {level: 4}
      requirements:
        - host:
            node: vm
            relationship:
              type: tosca.relationships.HostedOn
              interfaces: {Configure: {operations: {add_source: {implementation: {primary: link.sh, operation_host: TARGET}}}}}
  groups:
    all: {type: Zone, members: [vm, app], properties: {zone: {get_input: area}}}
    outer: {type: tosca.groups.Root, members: [all]}
  policies:
    - scale:
        type: Scale
        targets: [outer]
        triggers:
          grow:
            event: busy
            condition: [{load: {greater_than: 50}}]
            action: [{call_operation: {operation: Standard.create, inputs: {size: {get_property: [app, level]}}}}]
  workflows:
    backup:
      inputs: {to: {type: string}, depth: {type: integer, default: 2}}
      steps:
        dump:
          target: app
          activities: [{call_operation: {operation: Standard.create, inputs: {to: {get_input: to}, depth: {get_input: depth}}}}]
          on_success: [mark]
        mark: {target: all, activities: [{set_state: started}]}
  substitution_mappings:
    node_type: App
    capabilities: {feature: [app, feature]}
"""


@pytest.fixture
def template(tmp_path: Path) -> Path:
    for name in ("make.sh", "link.sh"):
        (tmp_path / name).write_text("true\n", encoding="utf-8")
    path = tmp_path / "service.yaml"
    path.write_text(TEMPLATE, encoding="utf-8")
    return path


@pytest.fixture
def graph(template: Path) -> Graph:
    evaluation = evaluate_path(template, EvaluationRequest()).evaluation
    assert not evaluation.findings
    return evaluation.graph


def _said(instance: Instance) -> tuple[str, str | None, dict[str, object], dict[str, tuple[str, ...]]]:
    return instance.type, instance.owner, dict(instance.attributes), dict(instance.relations)


@pytest.mark.parametrize(
    ("id_", "said"),
    [
        ("groups.all", ("Zone", None, {"zone": "north"}, {"members": ("vm", "app")})),
        ("groups.outer", ("tosca.groups.Root", None, {}, {"members": ("groups.all",)})),
        ("policies.scale", ("Scale", None, {"most": 3}, {"targets": ("groups.outer",)})),
        (
            "policies.scale.inherited",
            (
                "tosca.Trigger",
                "policies.scale",
                {"event": "idle", "activities": [{"inline": "backup"}]},
                {"target": ("vm", "app"), "calls": ("workflows.backup",)},
            ),
        ),
        (
            "policies.scale.grow",
            (
                "tosca.Trigger",
                "policies.scale",
                {
                    "event": "busy",
                    "condition": [{"load": {"greater_than": 50}}],
                    "activities": [{"call_operation": "Standard.create", "inputs": {"size": 4}}],
                },
                {"target": ("vm", "app"), "calls": ("app.interfaces.Standard.create",)},
            ),
        ),
        (
            "workflows.backup.steps.mark",
            (
                "tosca.Step",
                "workflows.backup",
                {"activities": [{"set_state": "started"}]},
                {"target": ("vm", "app")},
            ),
        ),
        (
            "app.interfaces.Standard.create",
            (
                "tosca.interfaces.node.lifecycle.Standard",
                "app",
                {"implementation": "make.sh"},
                {"artifact": ("app.artifacts.maker",)},
            ),
        ),
        (
            "app.interfaces.Seen.busy",
            ("tosca.interfaces.Root", "app", {"outputs": {"load": ["SELF", "load"]}}, {}),
        ),
        (
            "app.requirements.host.interfaces.Configure.add_source[vm]",
            (
                "tosca.interfaces.relationship.Configure",
                "app",
                {"implementation": "link.sh", "operation_host": "TARGET"},
                {},
            ),
        ),
        (
            "substitution_mappings",
            ("App", None, {"capabilities": {"feature": ["app", "feature"]}}, {"capabilities_of": ("app",)}),
        ),
    ],
)
def test_instance(graph: Graph, id_: str, said: object) -> None:
    assert _said(graph[id_]) == said


def test_inputs_of_a_workflow_are_known_as_far_as_they_have_defaults(graph: Graph) -> None:
    inputs = graph["workflows.backup"].attributes["inputs"]
    assert isinstance(inputs, dict)
    assert isinstance(inputs["to"], Unknown)
    dump = graph["workflows.backup.steps.dump"]
    activities: Any = dump.attributes["activities"]
    assert activities[0]["inputs"]["depth"] == 2
    assert isinstance(activities[0]["inputs"]["to"], Unknown)
    assert dump.relations["on_success"] == ("workflows.backup.steps.mark",)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("::all::members::.name", ["vm", "app"]),
        ("::scale::targets::.name", ["outer"]),
        ("::*::.operations::implementation", ["make.sh", "link.sh"]),
        ("::scale::.operations::event", ["idle", "busy"]),
        ("::backup::.operations::.name", ["backup.dump", "backup.mark"]),
    ],
)
def test_query(template: Path, query: str, answer: list[object]) -> None:
    assert list(query_path(QueryRequest(path=template, expression=query)).values) == answer


def test_a_property_leads_to_what_a_trigger_passes_in(template: Path) -> None:
    line = TEMPLATE.splitlines().index("      properties: {level: 4}") + 1
    affected = impact_path(ImpactRequest(path=template, line=f"service.yaml:{line}")).affected
    assert {(effect.instance, effect.attribute) for effect in affected} == {
        ("app", "level"),
        ("policies.scale.grow", "activities"),
    }


def test_names_that_are_ids_of_parts_of_others(tmp_path: Path) -> None:
    path = tmp_path / "service.yaml"
    path.write_text(
        "tosca_definitions_version: tosca_simple_yaml_1_3\n"
        "topology_template:\n"
        "  node_templates:\n"
        "    a: {type: tosca.nodes.Compute}\n"
        "    a.capabilities.host: {type: tosca.nodes.Root}\n",
        encoding="utf-8",
    )
    graph = evaluate_path(path, EvaluationRequest()).evaluation.graph
    assert graph["a.capabilities.host#2"].type == "tosca.nodes.Root"
