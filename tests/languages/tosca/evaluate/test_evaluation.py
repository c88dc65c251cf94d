"""Templates with several instances, nodes that are selected, nodes that a topology stands for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sabir.graph.graph import Graph
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.languages.tosca import LANGUAGE
from sabir.operations.check import check_paths
from sabir.operations.evaluation import evaluate_path
from sabir.source.packages import MemoryPackage

_FIRST = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.SoftwareComponent
    properties: {there: {type: string, default: {get_property: [SELF, host, tag]}}}
  Server: {derived_from: tosca.nodes.Compute, properties: {tag: {type: string, default: none}}}
  Proxy:
    derived_from: tosca.nodes.Root
    requirements: [{to: {capability: tosca.capabilities.Node, occurrences: [0, UNBOUNDED]}}]
topology_template:
"""
_SECOND = """\
tosca_definitions_version: tosca_2_0
capability_types: {Use: {properties: {places: {type: integer, required: false}}}}
relationship_types: {Uses: {properties: {number: {type: integer, required: false}}}}
node_types:
  Right:
    properties: {index: {type: integer, default: $node_index}}
    capabilities: {use: {type: Use}}
  Left:
    requirements: [{uses: {capability: Use, relationship: Uses, count_range: [0, UNBOUNDED]}}]
service_template:
  node_templates:
"""


def _evaluate(text: str, inputs: Mapping[str, Any] | None = None) -> Evaluation:
    request = EvaluationRequest(inputs=inputs or {})
    return LANGUAGE.evaluate(MemoryPackage({"t.yaml": text}), request)


def _graph(text: str, inputs: Mapping[str, Any] | None = None) -> Graph:
    evaluation = _evaluate(text, inputs)
    assert not evaluation.findings
    return evaluation.graph


def _led(graph: Graph, relation: str) -> dict[str, list[str]]:
    by_id = {instance.id: instance.name for instance in graph}
    return {
        instance.name: [by_id[target] for target in instance.relations[relation]]
        for instance in graph
        if relation in instance.relations
    }


SCALED = (
    _FIRST
    + """\
  inputs: {number: {type: integer}}
  node_templates:
    server:
      type: Server
      capabilities: {scalable: {properties: {min_instances: 1, max_instances: 3, default_instances: {get_input: number}}}}
    app: {type: App, requirements: [{host: server}]}
    web: {type: tosca.nodes.WebServer, requirements: [{host: server}]}
    front: {type: tosca.nodes.WebApplication, requirements: [{host: web}]}
    proxy: {type: Proxy, requirements: [{to: server}]}
  outputs: {tags: {value: {get_property: [server, tag]}}}
"""
)


def test_a_guest_is_on_each_instance_of_its_host_and_others_lead_to_all() -> None:
    graph = _graph(SCALED, {"number": 2})
    assert _led(graph, "host") == {
        "app_0": ["server_0"],
        "app_1": ["server_1"],
        "web_0": ["server_0"],
        "web_1": ["server_1"],
        "front_0": ["web_0"],
        "front_1": ["web_1"],
    }
    assert _led(graph, "to") == {"proxy": ["server_0", "server_1"]}
    assert graph.outputs["tags"] == ["none", "none"]


def test_the_first_instance_keeps_its_address_whether_there_are_others_or_not() -> None:
    ids = {number: {instance.id for instance in _graph(SCALED, {"number": number})} for number in (1, 2, 3)}
    assert ids[1] < ids[2] < ids[3]
    assert {"server", "server_1", "app", "app_1"} <= ids[2]


@pytest.mark.parametrize(("number", "words"), [(4, "more than 3"), (0, "at least 1")])
def test_a_number_of_instances_out_of_bounds_is_an_error(number: int, words: str) -> None:
    (finding,) = _evaluate(SCALED, {"number": number}).findings
    assert finding.code == "TOSCA:E047"
    assert words in finding.message


@pytest.mark.parametrize(
    ("nodes", "led"),
    [
        pytest.param(
            "    right: {type: Right, count: 2}\n    left: {type: Left, requirements: [{uses: right}]}\n",
            {"left": ["right_0"]},
            id="without a count one",
        ),
        pytest.param(
            "    right: {type: Right, count: 2}\n"
            "    left: {type: Left, count: 2, requirements: [{uses: {node: right, count: 2}}]}\n",
            {"left_0": ["right_0", "right_1"], "left_1": ["right_0", "right_1"]},
            id="full mesh",
        ),
        pytest.param(
            "    right: {type: Right, count: 2}\n"
            "    left: {type: Left, count: 2, requirements: [{uses: [right, $node_index]}]}\n",
            {"left_0": ["right_0"], "left_1": ["right_1"]},
            id="matched pairs",
        ),
        pytest.param(
            "    right: {type: Right, count: 2}\n"
            "    left: {type: Left, count: 3, requirements: [{uses: {node: [right, {$remainder: [$node_index, 2]}]}}]}\n",
            {"left_0": ["right_0"], "left_1": ["right_1"], "left_2": ["right_0"]},
            id="mismatched pairs",
        ),
        pytest.param(
            "    right: {type: Right, count: 2, capabilities: {use: {properties: {places: 2}}}}\n"
            "    left: {type: Left, count: 4, requirements: [{uses: {node: right, allocation: {places: 1}}}]}\n",
            {"left_0": ["right_0"], "left_1": ["right_1"], "left_2": ["right_0"], "left_3": ["right_1"]},
            id="as far as there is room",
        ),
    ],
)
def test_requirements_of_the_second_version_lead_to_as_many_as_they_count(
    nodes: str, led: dict[str, list[str]]
) -> None:
    assert _led(_graph(_SECOND + nodes), "uses") == led


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param(
            "    right: {type: Right, count: 2}\n    left: {type: Left, requirements: [{uses: [right, 2]}]}\n",
            id="an index that is not there",
        ),
        pytest.param(
            "    right: {type: Right, count: 2}\n    left: {type: Left, requirements: [{uses: {node: right, count: 3}}]}\n",
            id="more than there are",
        ),
        pytest.param(
            "    right: {type: Right, count: 2, capabilities: {use: {properties: {places: 1}}}}\n"
            "    left: {type: Left, count: 3, requirements: [{uses: {node: right, allocation: {places: 1}}}]}\n",
            id="no room left",
        ),
        pytest.param(
            "    right: {type: Right, count: 2}\n    right_1: {type: Right}\n", id="a name that is taken"
        ),
    ],
)
def test_what_cannot_be_led_anywhere_is_an_error(nodes: str) -> None:
    assert {finding.code for finding in _evaluate(_SECOND + nodes).findings} == {"TOSCA:E048"}


@pytest.mark.parametrize("count", ["-1", "2.5", "{$concat: [a, b]}"])
def test_a_count_is_a_whole_number(count: str) -> None:
    findings = _evaluate(_SECOND + f"    right: {{type: Right, count: {count}}}\n").findings
    assert {finding.code for finding in findings} & {"TOSCA:E047", "TOSCA:E002"}


PATHS = (
    _SECOND
    + """\
    right: {type: Right, count: 3, capabilities: {use: {properties: {places: 5}}}}
    left: {type: Left, requirements: [{uses: {node: right, count: 2, relationship: {properties: {number: $relationship_index}}}}]}
  outputs:
"""
)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("[right, index]", 0),
        ("[right, 2, index]", 2),
        ("[right, ALL, index]", [0, 1, 2]),
        ("[left, RELATIONSHIP, uses, TARGET, index]", 0),
        ("[left, RELATIONSHIP, uses, 1, TARGET, index]", 1),
        ("[left, RELATIONSHIP, uses, ALL, TARGET, index]", [0, 1]),
        ("[left, RELATIONSHIP, uses, ALL, number]", [0, 1]),
        ("[left, RELATIONSHIP, uses, 0, CAPABILITY, places]", 5),
        ("[right, 1, CAPABILITY, use, RELATIONSHIP, 0, number]", 1),
        ("[right, 1, CAPABILITY, use, RELATIONSHIP, SOURCE, RELATIONSHIP, uses, ALL, TARGET, index]", [0, 1]),
    ],
)
def test_paths_lead_through_relationships_and_capabilities(path: str, value: Any) -> None:
    assert _graph(PATHS + f"    seen: {{value: {{$get_property: {path}}}}}\n").outputs["seen"] == value


SELECTED = (
    _FIRST
    + """\
  inputs: {least: {type: string, default: 4 GB}}
  node_templates:
    small: {type: Server, properties: {tag: small}, capabilities: {host: {properties: {mem_size: 1 GB}}}}
    big: {type: Server, properties: {tag: big}, capabilities: {host: {properties: {mem_size: {get_input: least}}}}}
    chosen:
      type: Server
      directives: [select]
      node_filter: {capabilities: [{host: {properties: [{mem_size: {greater_or_equal: 2 GB}}]}}]}
    app: {type: App, requirements: [{host: chosen}]}
  groups: {all: {type: tosca.groups.Root, members: [chosen]}}
  outputs: {tag: {value: {get_property: [chosen, tag]}}}
"""
)


def test_a_selected_node_is_the_one_that_fits() -> None:
    graph = _graph(SELECTED)
    assert "chosen" not in {instance.name for instance in graph}
    assert _led(graph, "host") == {"app": ["big"]}
    assert graph.outputs["tag"] == "big"
    assert graph["app"].attributes["there"] == "big"


def test_a_node_that_nothing_fits_stays_in_the_description() -> None:
    graph = _graph(SELECTED, {"least": "1 GB"})
    assert _led(graph, "host") == {"app": ["chosen"]}


def test_a_filter_of_a_requirement_is_tried_on_computed_values() -> None:
    text = SELECTED.replace(
        "[{host: chosen}]",
        "[{host: {node: Server, node_filter: {capabilities: [{host: {properties: [{mem_size: {greater_or_equal: 2 GB}}]}}]}}}]",
    )
    assert _led(_graph(text), "host") == {"app": ["big"]}


def test_a_condition_of_the_second_version_is_asked_of_the_relationship() -> None:
    graph = _graph(
        _SECOND
        + "    few: {type: Right, capabilities: {use: {properties: {places: 1}}}}\n"
        + "    many: {type: Right, capabilities: {use: {properties: {places: 9}}}}\n"
        + "    left:\n      type: Left\n      requirements:\n        - uses:\n            node: Right\n"
        + "            node_filter: {$greater_than: [{$get_property: [SELF, CAPABILITY, places]}, 3]}\n"
    )
    assert _led(graph, "uses") == {"left": ["many"]}


@pytest.mark.parametrize(
    ("clause", "holds"),
    [
        ("{$in_range: [3, [1, 4]]}", True),
        ("{$in_range: [5, [1, 4]]}", False),
        ("{$in_range: [5, [1, UNBOUNDED]]}", True),
        ("{$in_range: [2 GB, [512 MB, 4 GB]]}", True),
        ("{$greater_than: [1 GB, 900 MB]}", True),
        ("{$less_than: [90 s, 1 m]}", False),
        ("{$equal: [{$available_allocation: [right, CAPABILITY, use, places]}, 2]}", True),
    ],
)
def test_functions_of_the_second_version(clause: str, *, holds: bool) -> None:
    text = (
        _SECOND
        + "    right: {type: Right, capabilities: {use: {properties: {places: 5}}}}\n"
        + "    left: {type: Left, requirements: [{uses: {node: right, allocation: {places: 3}}}]}\n"
        + f"  outputs: {{o: {{value: {clause}}}}}\n"
    )
    assert _graph(text).outputs["o"] is holds


_TYPES = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Database:
    derived_from: tosca.nodes.Root
    properties: {name: {type: string}, size: {type: integer, default: 3}}
    attributes: {addr: {type: string}}
    capabilities: {endpoint: {type: tosca.capabilities.Endpoint}}
    requirements: [{host: {capability: tosca.capabilities.Compute, relationship: tosca.relationships.HostedOn, occurrences: [0, 1]}}]
  Dbms:
    derived_from: tosca.nodes.SoftwareComponent
    properties: {name: {type: string}, on: {type: string, default: {get_property: [HOST, tag]}}}
    attributes: {addr: {type: string, default: {concat: [addr-of-, {get_property: [SELF, name]}]}}}
    capabilities: {endpoint: {type: tosca.capabilities.Endpoint}}
  Server: {derived_from: tosca.nodes.Compute, properties: {tag: {type: string, default: metal}}}
  Web:
    derived_from: tosca.nodes.Root
    requirements: [{db: {capability: tosca.capabilities.Endpoint, node: Database, relationship: tosca.relationships.ConnectsTo}}]
    properties: {port: {type: integer, default: {get_property: [SELF, db, port]}}}
"""
_INNER = """\
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [types.yaml]
topology_template:
  inputs: {name: {type: string}, number: {type: integer, default: 1}}
  substitution_mappings:
    node_type: Database
    properties: {name: [name], size: [number]}
    attributes: {addr: [dbms, addr]}
    capabilities: {endpoint: [dbms, endpoint]}
    requirements: {host: [dbms, host]}
  node_templates:
    dbms:
      type: Dbms
      properties: {name: {get_input: name}}
      capabilities: {endpoint: {properties: {port: 5432}}}
"""
_OUTER = """\
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [types.yaml, inner.yaml]
topology_template:
  node_templates:
    vm: {type: Server}
    db: {type: Database, directives: [substitute], properties: {name: shop}, requirements: [{host: vm}]}
    web: {type: Web, requirements: [{db: db}]}
  outputs: {addr: {value: {get_attribute: [db, addr]}}}
"""


def _substituted(outer: str = _OUTER, inner: str = _INNER) -> Evaluation:
    package = MemoryPackage({"service.yaml": outer, "types.yaml": _TYPES, "inner.yaml": inner})
    return LANGUAGE.evaluate(package, EvaluationRequest(full_provenance=True))


def test_a_topology_stands_in_the_place_of_a_node() -> None:
    evaluation = _substituted()
    assert not evaluation.findings
    graph = evaluation.graph
    inner = graph["db.nodes.dbms"]
    assert inner.attributes["name"] == "shop"
    assert inner.attributes["on"] == "metal"
    assert inner.owner == "vm"
    assert inner.relations["host"] == ("vm",)
    assert graph["db"].attributes["addr"] == "addr-of-shop"
    assert graph.outputs["addr"] == "addr-of-shop"
    assert graph["web"].attributes["port"] == 5432


def test_a_topology_that_nobody_imports_is_found_beside_the_template() -> None:
    evaluation = _substituted(_OUTER.replace(", inner.yaml", ""))
    assert "db.nodes.dbms" in {instance.id for instance in evaluation.graph}


@pytest.mark.parametrize(("least", "stands"), [(3, True), (4, False)])
def test_a_filter_of_the_substitution_is_asked_of_the_node(least: int, *, stands: bool) -> None:
    inner = _INNER.replace(
        "    node_type: Database\n",
        f"    node_type: Database\n    substitution_filter: {{properties: [{{size: {{greater_or_equal: {least}}}}}]}}\n",
    )
    graph = _substituted(inner=inner).graph
    assert ("db.nodes.dbms" in {instance.id for instance in graph}) is stands


def test_a_topology_that_leads_to_itself_ends() -> None:
    inner = _INNER + "    again: {type: Database, directives: [substitute], properties: {name: again}}\n"
    ids = {instance.id for instance in _substituted(inner=inner).graph}
    assert "db.nodes.again" in ids
    assert "db.nodes.again.nodes.again" not in ids


def test_what_is_wrong_with_a_topology_for_substitution_is_checked_with_the_template(tmp_path: Path) -> None:
    for name, text in {
        "service.yaml": _OUTER,
        "types.yaml": _TYPES,
        "inner.yaml": _INNER.replace("[dbms, addr]", "[dbms, adr]"),
    }.items():
        (tmp_path / name).write_text(text)
    report = check_paths([tmp_path / "service.yaml"]).report
    assert [finding.code for package in report.packages for finding in package.findings] == ["TOSCA:E024"]


def test_operations_of_the_topology_come_between_what_the_node_needs_and_what_needs_the_node(
    tmp_path: Path,
) -> None:
    interfaces = "interfaces: {Standard: {operations: {create: a.sh}}}"
    types = _TYPES.replace("  Dbms:\n", f"  Dbms:\n    {interfaces}\n").replace(
        "  Web:\n", f"  Web:\n    {interfaces}\n"
    )
    types = types.replace(
        "{derived_from: tosca.nodes.Compute,", "{derived_from: tosca.nodes.Compute, " + interfaces + ","
    )
    for name, text in {"service.yaml": _OUTER, "types.yaml": types, "inner.yaml": _INNER, "a.sh": ""}.items():
        (tmp_path / name).write_text(text)
    wanted = evaluate_path(tmp_path / "service.yaml", EvaluationRequest()).evaluation.wanted()
    requires = {str(resource.address): [*map(str, resource.requires)] for resource in wanted.resources}
    assert requires == {
        "vm.interfaces.Standard.create": [],
        "db.nodes.dbms.interfaces.Standard.create": ["vm.interfaces.Standard.create"],
        "web.interfaces.Standard.create": [
            "vm.interfaces.Standard.create",
            "db.nodes.dbms.interfaces.Standard.create",
        ],
    }
