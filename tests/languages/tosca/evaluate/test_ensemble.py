"""Queries over a topology, compared with what Unfurl 1.2 answers: capabilities, relationships, the functions of TOSCA."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sabir.expressions.query import InstanceStatus, NodeState, QueryError, QueryResource, evaluate
from sabir.expressions.query.errors import NOT_FOUND
from sabir.languages.tosca.evaluate import LiveValues, Request
from sabir.languages.tosca.graph.evaluation import instantiate_topology
from sabir.languages.tosca.syntax.documents import load_file

TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
capability_types:
  demo.Store:
    derived_from: tosca.capabilities.Endpoint
    properties:
      engine: {type: string, default: pg}
    attributes:
      lag: {type: integer, default: 5}
node_types:
  demo.Service:
    derived_from: tosca.nodes.Root
    properties:
      port: {type: integer, default: 8080}
      title: {type: string, required: false}
      mirrors: {type: list, default: [m0, m1], entry_schema: {type: string}}
      only: {type: list, default: [one], entry_schema: {type: string}}
    attributes:
      url: {type: string, required: false}
    requirements:
      - host: {node: tosca.nodes.Compute, capability: tosca.capabilities.Compute, relationship: tosca.relationships.HostedOn, occurrences: [0, 1]}
      - db: {node: demo.Database, capability: demo.Store, relationship: tosca.relationships.ConnectsTo, occurrences: [0, UNBOUNDED]}
  demo.Database:
    derived_from: demo.Service
    capabilities:
      store: {type: demo.Store}
      log: {type: tosca.capabilities.Node}
topology_template:
  node_templates:
    vm1: {type: tosca.nodes.Compute, capabilities: {os: {properties: {type: linux}}, host: {properties: {num_cpus: 4}}}}
    vm2: {type: tosca.nodes.Compute, capabilities: {host: {properties: {num_cpus: 2}}}}
    db1: {type: demo.Database, properties: {port: 5432, title: orders}, requirements: [{host: vm2}]}
    db2: {type: demo.Database}
    web: {type: demo.Service, requirements: [{host: vm1}, {db: db1}]}
    both: {type: demo.Service, requirements: [{db: db1}, {db: db2}]}
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> QueryResource:
    path: Path = tmp_path_factory.mktemp("shop") / "service.yaml"
    path.write_text(TEMPLATE, encoding="utf-8")
    live = {
        "vm2": LiveValues(
            attributes={"private_address": "10.0.0.2"}, status=InstanceStatus.ok, state=NodeState.started
        )
    }
    return instantiate_topology(load_file(path), Request(live=live)).root


def _at(root: QueryResource, where: str) -> QueryResource:
    node, _, part = where.partition("/")
    found = root.all()[node]
    return (
        next(one for one in (*found.capabilities, *found.requirements) if one.name == part) if part else found
    )


ANSWERS: list[tuple[str, Any, list[Any]]] = [
    # Capabilities: those of the template, then those of the type, then those of the types above.
    ("vm1", ".capabilities::.name", ["os", "host", "binding", "scalable", "endpoint", "feature"]),
    ("vm2", ".capabilities::.name", ["host", "binding", "os", "scalable", "endpoint", "feature"]),
    ("db1", ".capabilities::.name", ["store", "log", "feature"]),
    ("db1/store", ".status", [InstanceStatus.ok]),
    # A relationship is found below the capability it leads to.
    ("web/db", ".ancestors::.name", ["db", "store", "db1", "vm2", "root"]),
    ("web/db", "..::.name", ["store"]),
    ("web/db", "engine", ["pg"]),
    ("web/db", "title", ["orders"]),
    ("web/host", "num_cpus", [4]),
    ("web/db", ".source::.name", ["web"]),
    ("web/db", ".status", [InstanceStatus.ok]),
    ("web/db", {"get_attribute": ["HOST", "port"]}, [5432]),
    ("web/db", {"get_attribute": ["HOST", "private_address"]}, ["10.0.0.2"]),
    ("db1/store", {"get_attribute": ["HOST", "port"]}, [5432]),
    # An id leads to one relationship, also where two have one name.
    ("web", ".requirements::.tosca_id", ["::web::.requirements::[.name=host]", "::web::.requirements::[.name=db]"]),
    ("both", ".requirements::.tosca_id", ["::both::.requirements::0", "::both::.requirements::1"]),
    ("both", "::both::.requirements::1::.target::.name", ["db2"]),
    # The items of a list are the matches; a list of one stays a list.
    ("web", {"get_property": ["SELF", "mirrors"]}, ["m0", "m1"]),
    ("web", {"get_attribute": ["SELF", "mirrors"]}, ["m0", "m1"]),
    ("web", {"get_property": ["SELF", "only"]}, [["one"]]),
    ("web", {"get_attribute": ["SELF", "db", "mirrors"]}, [["m0", "m1"]]),
    # A declared property without a value is null.
    ("web", {"get_property": ["SELF", "title"]}, []),
    ("web", {"get_property": ["SELF", "host", "mem_size"]}, []),
    ("web", {"get_property": ["SELF", "db", "engine"]}, ["pg"]),
    ("web", {"get_attribute": ["db1", "store", "lag"]}, [5]),
]  # fmt: skip


@pytest.mark.parametrize(("where", "expression", "expected"), ANSWERS, ids=lambda value: str(value))
def test_answers(root: QueryResource, where: str, expression: Any, expected: list[Any]) -> None:
    assert evaluate(expression, _at(root, where)).values == expected


@pytest.mark.parametrize(
    "path", [["SELF", "url"], ["db1", "store", "lag"], ["HOST", "private_address"]], ids=str
)
def test_an_attribute_is_no_property(root: QueryResource, path: list[str]) -> None:
    with pytest.raises(QueryError) as failed:
        evaluate({"get_property": path}, _at(root, "web"))
    assert failed.value.rule is NOT_FOUND
    assert "get_attribute" in str(failed.value.finding.hint)


LISTS = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Sized:
    derived_from: tosca.nodes.Root
    properties:
      sizes: {type: list, entry_schema: {type: integer}, required: false}
      named: {type: map, entry_schema: {type: integer}, required: false}
topology_template:
  node_templates:
    one: {type: Sized, properties: {sizes: [2, {eval: ".::sizes::0"}, {get_property: [SELF, sizes, 1]}]}}
    two: {type: Sized, properties: {sizes: [{eval: ".::sizes::1"}, {eval: ".::sizes::0"}]}}
    six: {type: Sized, properties: {named: {a: {eval: ".::named::b"}, b: {eval: ".::named::a"}}}}
"""


def test_items_may_read_one_another_but_not_in_a_circle(tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    path.write_text(LISTS, encoding="utf-8")
    nodes = instantiate_topology(load_file(path), Request()).root.all()
    assert evaluate(".::sizes", nodes["one"]).value == [2, 2, 2]
    for name, key, words in (("two", "sizes", "item 0 of a list"), ("six", "named", "'a' in a map")):
        with pytest.raises(QueryError, match=f"{words} of '{name}' needs its own value") as failure:
            evaluate(f".::{key}", nodes[name])
        assert failure.value.rule.code == "EXPR:E019"
        assert failure.value.finding.location.line == 11 + (name == "six")


FLOW = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    one: {type: tosca.nodes.WebApplication, properties: {context_root: "1, ::x"}}
    two: {type: tosca.nodes.WebApplication, properties: {context_root: {eval: ::one::context_root}}}
    six: {type: tosca.nodes.WebApplication, properties: {context_root: {eval: {or: [::none::x, ::two::.name]}}}}
"""


def test_paths_in_flow_style_need_no_quotes(tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    path.write_text(FLOW, encoding="utf-8")
    loaded = load_file(path)
    nodes = instantiate_topology(loaded, Request()).root.all()
    values = [evaluate(".::context_root", nodes[name]).value for name in ("one", "two", "six")]
    assert (list(loaded.findings), values) == ([], ["1, ::x", "1, ::x", "two"])


def test_what_else_is_wrong_is_told_of_the_text_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    path.write_text(FLOW + "    bad: {eval: ::one::[x]}\n", encoding="utf-8")
    (finding,) = load_file(path).findings
    assert (finding.location.line, finding.hint) == (5, "put quotes around it")
