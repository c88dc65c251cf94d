"""The model: types with what they inherit, values, copies, requirements, hosts."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.languages.tosca.evaluate.observations import convert_value
from sabir.languages.tosca.model import TopologyModel
from sabir.languages.tosca.model.values import holds_expression
from sabir.languages.tosca.syntax.documents import load_topology
from sabir.languages.tosca.syntax.files import PackageFiles
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.source.packages import MemoryPackage

HEAD = "tosca_definitions_version: tosca_simple_yaml_1_3\n"


def _model(text: str) -> TopologyModel:
    topology = load_topology(PackageFiles(MemoryPackage({"t.yaml": HEAD + text})), "t.yaml").topology
    assert topology is not None
    return TopologyModel(topology)


def _codes(model: TopologyModel) -> list[str]:
    return [finding.code for finding in model.findings]


TYPES = """\
data_types:
  Port: {derived_from: integer, constraints: [{in_range: [1, 100]}]}
  Name: {derived_from: string}
  Address: {properties: {host: {type: string}, port: {type: Port, default: 80}}}
  Tree: {properties: {left: {type: Tree, required: false}, size: {type: integer, required: false}}}
node_types:
  Base:
    derived_from: tosca.nodes.Root
    properties: {size: {type: integer, default: 1}, name: {type: string}}
    requirements: [{uses: {capability: tosca.capabilities.Node, occurrences: [0, 1]}}]
  Derived:
    derived_from: Base
    properties: {size: {default: 5}, extra: {type: boolean, required: false}}
    requirements: [{uses: {node: Base}}]
  Round: {derived_from: Again}
  Again: {derived_from: Round}
"""


class TestTypes:
    def test_a_type_has_what_its_ancestors_give_it(self) -> None:
        flat = _model(TYPES).types.find(TypeKind.NODE, "Derived")
        assert flat is not None
        assert flat.names[:2] == ("Derived", "Base")
        assert flat.names[-1] == "tosca.nodes.Root"
        assert {"size", "name", "extra"} <= set(flat.properties)
        assert "dependency" in flat.requirements

    def test_a_refined_property_keeps_its_type(self) -> None:
        flat = _model(TYPES).types.find(TypeKind.NODE, "Derived")
        assert flat is not None
        size = flat.properties["size"]
        assert size.schema is not None
        assert size.default is not None
        assert (size.schema.name, size.default.data) == ("integer", 5)

    def test_a_refined_requirement_keeps_what_it_does_not_say_again(self) -> None:
        flat = _model(TYPES).types.find(TypeKind.NODE, "Derived")
        assert flat is not None
        uses = flat.requirements["uses"]
        assert (uses.node, uses.capability) == ("Base", "tosca.capabilities.Node")

    def test_going_round_ends(self) -> None:
        types = _model(TYPES).types
        assert types.find(TypeKind.NODE, "Round") is not None
        assert [definition.name for definition in types.cycles] == ["Round"]

    @pytest.mark.parametrize(
        ("name", "ancestor", "expected"),
        [
            ("Derived", "Base", True),
            ("Base", "Derived", False),
            ("Base", "Base", True),
            ("Base", "Root", True),
            ("Unknown", "Base", False),
        ],
    )
    def test_is_a(self, name: str, ancestor: str, expected: bool) -> None:
        assert _model(TYPES).types.is_a(TypeKind.NODE, name, ancestor) is expected


VALUES = TYPES + "topology_template:\n  inputs:\n    i: {type: %s}\n"


@pytest.mark.parametrize(
    ("type_", "value", "codes"),
    [
        ("string", "text", []),
        ("string", 1.5, []),
        ("string", True, ["TOSCA:E012"]),
        ("string", ["a"], ["TOSCA:E012"]),
        ("integer", 1, []),
        ("integer", True, ["TOSCA:E012"]),
        ("integer", "{{ 1 }}", []),
        ("integer", {"get_input": "x"}, []),
        ("float", 1, []),
        ("boolean", "yes", ["TOSCA:E012"]),
        ("range", [1, "UNBOUNDED"], []),
        ("range", [2, 1], ["TOSCA:E012"]),
        ("version", "first", ["TOSCA:E012"]),
        ("scalar-unit.size", "1 GB", []),
        ("scalar-unit.size", "1 GHz", ["TOSCA:E012"]),
        ("list, entry_schema: integer", [1, "x", {"get_input": "y"}], ["TOSCA:E012"]),
        ("list", {"a": 1}, ["TOSCA:E012"]),
        ("map, entry_schema: integer", {"a": 1, "b": "x"}, ["TOSCA:E012"]),
        ("map, key_schema: {type: string, constraints: [{max_length: 1}]}", {"ab": 1}, ["TOSCA:E013"]),
        ("Port", 80, []),
        ("Port", 101, ["TOSCA:E013"]),
        ("Port", "x", ["TOSCA:E012"]),
        ("Address", {"host": "h"}, []),
        ("Address", {"port": 1}, ["TOSCA:E011"]),
        ("Address", {"host": "h", "prt": 1}, ["TOSCA:E010"]),
        ("Address", {"host": "h", "port": 101}, ["TOSCA:E013"]),
        ("Address", "h", ["TOSCA:E012"]),
        ("Tree", {"left": {"left": {"size": "x"}}}, ["TOSCA:E012"]),
        ("Unheard.of", 1, []),
    ],
)
def test_values(type_: str, value: Any, codes: list[str]) -> None:
    model = _model(VALUES % type_)
    misfits = model.values.misfits(model.topology.inputs["i"], value)
    assert [misfit.rule.code for misfit in misfits] == codes


def test_a_misfit_says_which_part_is_wrong() -> None:
    model = _model(VALUES % "list, entry_schema: Address")
    (misfit,) = model.values.misfits(model.topology.inputs["i"], [{"host": "a"}, {"host": "b", "port": 0}])
    assert misfit.path == (1, "port")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("{{ x }}", True),
        ("text", False),
        ({"get_input": "x"}, True),
        ({"eval": "x", "vars": {}}, True),
        ({"$concat": []}, True),
        ({"get_secret": "x"}, True),
        ({"a": {"get_input": "x"}}, False),
        ({}, False),
        (3, False),
    ],
)
def test_holds_expression(value: Any, expected: bool) -> None:
    assert holds_expression(value) is expected


@pytest.mark.parametrize(
    ("type_", "value", "text", "expected"),
    [
        ("string", 1.1, "1.10", "1.10"),
        ("string", 1.1, None, "1.1"),
        ("Name", 5, "5", "5"),
        ("version", 1.2, "1.20", "1.20"),
        ("float", 1, "1", 1.0),
        ("integer", 1, "1", 1),
        ("string", True, "true", True),
        ("Address", {"host": "h"}, None, {"host": "h", "port": 80}),
        ("Address", {"get_input": "x"}, None, {"get_input": "x"}),
        ("list, entry_schema: string", [1, "a"], None, ["1", "a"]),
        ("map, entry_schema: Address", {"k": {"host": "h"}}, None, {"k": {"host": "h", "port": 80}}),
    ],
)
def test_a_value_as_its_type_has_it(type_: str, value: Any, text: str | None, expected: Any) -> None:
    model = _model(VALUES % type_)
    schema = model.topology.inputs["i"].schema
    assert schema is not None
    result = convert_value(value, schema, model.types, text)
    assert (result, type(result)) == (expected, type(expected))


COPIES = """\
topology_template:
  node_templates:
    a: {type: tosca.nodes.Root, attributes: {x: 1, y: 1}}
    b: {copy: a, attributes: {y: 2}}
    c: {copy: b}
    d: {copy: nobody}
    e: {type: tosca.nodes.Root, copy: e}
"""


def test_copies() -> None:
    model = _model(COPIES)
    assert {name: template.type for name, template in model.nodes.items()} == {
        "a": "tosca.nodes.Root",
        "b": "tosca.nodes.Root",
        "c": "tosca.nodes.Root",
        "d": "",
        "e": "tosca.nodes.Root",
    }
    values = {key: written.data for key, written in model.nodes["c"].attributes.items()}
    assert values == {"x": 1, "y": 2}
    assert _codes(model) == ["TOSCA:E029", "TOSCA:E029"]


LINKS = """\
capability_types:
  End: {derived_from: tosca.capabilities.Endpoint}
node_types:
  Client:
    derived_from: tosca.nodes.Root
    requirements: [{uses: {capability: End, occurrences: [0, 1]}}]
  Server: {derived_from: tosca.nodes.Root, capabilities: {first: {type: End}, uses: {type: End}}}
topology_template:
  relationship_templates: {wire: {type: tosca.relationships.ConnectsTo}}
  node_templates:
    s: {type: Server}
    t: {type: Server}
    o: {type: tosca.nodes.Root}
    c: {type: Client, requirements: [{uses: %s}]}
"""


@pytest.mark.parametrize(
    ("requirement", "target", "capability", "codes"),
    [
        ("t", "t", "uses", []),
        ("{node: Server}", "s", "uses", []),
        ("{node: t, capability: first}", "t", "first", []),
        ("{}", "s", "uses", []),
        ("{capability: End}", "s", "uses", []),
        ("o", "o", None, ["TOSCA:E018"]),
        ("nobody", None, None, ["TOSCA:E017"]),
        ("{node: t, relationship: wires}", "t", "uses", ["TOSCA:E034"]),
    ],
)
def test_requirements(requirement: str, target: str | None, capability: str | None, codes: list[str]) -> None:
    model = _model(LINKS % requirement)
    (link,) = (link for link in model.links["c"] if link.name == "uses")
    assert (link.target, link.capability, link.automatic) == (target, capability, False)
    assert _codes(model) == codes


@pytest.mark.parametrize(
    ("relationship", "name", "type_"),
    [
        ("wire", "wire", "tosca.relationships.ConnectsTo"),
        ("tosca.relationships.DependsOn", None, "tosca.relationships.DependsOn"),
        ("{type: tosca.relationships.AttachesTo}", "requirement", "tosca.relationships.AttachesTo"),
    ],
)
def test_relationships(relationship: str, name: str | None, type_: str) -> None:
    model = _model(LINKS % f"{{node: t, relationship: {relationship}}}")
    (link,) = (link for link in model.links["c"] if link.name == "uses")
    assert link.relationship_type == type_
    assert (link.relationship is None) == (name is None)
    if link.relationship is not None and name == "wire":
        assert link.relationship.name == "wire"


HOSTS = "topology_template:\n  node_templates:\n"


@pytest.mark.parametrize(
    ("nodes", "hosts", "codes"),
    [
        (
            "    vm: {type: Compute}\n    web: {type: WebServer, requirements: [{host: vm}]}\n",
            {"web": "vm"},
            [],
        ),
        ("    web: {type: WebServer}\n    app: {type: WebApplication}\n", {"app": "web"}, []),
        (
            "    a: {type: DBMS, requirements: [{host: b}]}\n    b: {type: DBMS, requirements: [{host: a}]}\n",
            {"b": "a"},
            ["TOSCA:E020"],
        ),
        ("    a: {type: Compute}\n", {}, []),
    ],
)
def test_hosts(nodes: str, hosts: dict[str, str], codes: list[str]) -> None:
    model = _model(HOSTS + nodes)
    assert model.hosts == hosts
    assert _codes(model) == codes
