"""Environments: order found from references, values in both directions, circles reported with every place."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from sabir.environment import ENVIRONMENT
from sabir.environment.merge import PartPlaces, move_part
from sabir.graph import AttributeRead, EdgeKind, Graph, How, Instance
from sabir.graph.edges import edge_kinds
from sabir.languages.language import Evaluation, EvaluationRequest, RenderRequest
from sabir.operations.why import explain_subject, find_subject
from sabir.source.packages import load_package
from tests.environment.conftest import Evaluate, Write

PARTS = {
    "net": "    path: net\n",
    "db": "    path: db\n    inputs:\n      subnet: {eval: '::net::lan::cidr'}\n",
    "web": "    path: web\n    inputs:\n      host: {eval: '::db::server::address'}\n      name: {eval: '::net::lan::name'}\n",
}
FILES = {
    "net/main.lines": "lan.cidr = 10.0.0.0/24\nlan.name = blue\n",
    "db/main.lines": "server.address = host-in-{subnet}\n",
    "web/main.lines": "\nsite.url = http://{host}/{name}\n",
}


def environment(order: tuple[str, ...] = ("net", "db", "web"), tail: str = "") -> dict[str, str]:
    parts = "".join(f"  {name}:\n{PARTS[name]}" for name in order)
    return {**FILES, "sabir.yaml": f"sabir: 1\nparts:\n{parts}{tail}"}


def value(graph: Graph, instance: str, attribute: str) -> object:
    return graph[instance].attributes[attribute]


@pytest.mark.parametrize("order", list(itertools.permutations(PARTS)), ids="-".join)
def test_the_order_of_parts_does_not_matter(order: tuple[str, ...], evaluate: Evaluate) -> None:
    evaluation = evaluate(environment(order))
    assert evaluation.findings == ()
    assert value(evaluation.graph, "web/site", "url") == "http://host-in-10.0.0.0/24/blue"


def test_parts_own_their_instances(evaluate: Evaluate) -> None:
    graph = evaluate(environment()).graph
    assert [one.id for one in graph.roots] == ["net", "db", "web"]
    assert [one.id for one in graph.list_parts("net")] == ["net/lan"]
    assert graph["web/site"].origin is not None
    assert str(graph["web/site"].origin.location) == "web/main.lines:2:1"


def test_a_part_uses_what_it_is_given(evaluate: Evaluate) -> None:
    graph = evaluate(environment()).graph
    assert graph["web"].kinds.of_relation("uses") is EdgeKind.USES
    assert graph["net"].kinds is graph["net/lan"].kinds


@pytest.mark.parametrize(
    ("name", "moved"),
    [
        ("main.cf", "net/main.cf"),
        ("<std>/main.cf", "<std>/main.cf"),
        ("/srv/shop/model.yaml", "model.yaml"),
        ("/srv/modules/a.cf", "/srv/modules/a.cf"),
    ],
)
def test_files_of_a_part_are_named_from_the_environment(name: str, moved: str) -> None:
    assert PartPlaces("net/", folder=Path("/srv/shop")).file(name) == moved


def test_kinds_of_edges_move_with_their_instances() -> None:
    kinds = edge_kinds(EdgeKind.HOSTED_ON, (("host", EdgeKind.HOSTED_ON),))
    graph = Graph([Instance(id="app", type="T", language="toy", name="app", owner="vm", kinds=kinds)])
    (moved,) = move_part("web", Evaluation(graph=graph), PartPlaces("web"), {}).instances
    assert (moved.id, moved.owner) == ("web/app", "web/vm")
    assert moved.kinds is kinds


def test_outputs(evaluate: Evaluate) -> None:
    tail = "outputs:\n  url: {eval: '::web::site::url'}\n  fixed: [1, {eval: '::net::lan::name'}]\n"
    graph = evaluate(environment(tail=tail)).graph
    assert graph.outputs == {"url": "http://host-in-10.0.0.0/24/blue", "fixed": [1, "blue"]}
    assert graph.output_origins["url"].sources == (AttributeRead("web/site", "url"),)


def test_a_chain_crosses_parts(evaluate: Evaluate) -> None:
    graph = evaluate(environment()).graph
    steps = explain_subject(graph, find_subject(graph, "site.url")).steps
    assert [(str(step.location).rpartition(":")[0], step.origin and step.origin.how) for step in steps] == [
        ("web/main.lines:2", How.EXPRESSION),
        ("sabir.yaml:12", How.REFERENCE),
        ("db/main.lines:1", How.EXPRESSION),
        ("sabir.yaml:8", How.REFERENCE),
        ("net/main.lines:1", How.EXPRESSION),
        ("sabir.yaml:13", How.REFERENCE),
        ("net/main.lines:2", How.EXPRESSION),
    ]


BOTH_WAYS = {
    "sabir.yaml": """\
parts:
  a:
    path: a
    inputs: {x: {eval: '::b::two::fixed'}}
  b:
    path: b
    inputs: {y: {eval: '::a::one::derived'}}
""",
    "a/main.lines": "one.derived = a({x})\n",
    "b/main.lines": "two.fixed = f\ntwo.last = b({y})\n",
}


def test_values_may_go_both_ways(evaluate: Evaluate) -> None:
    evaluation = evaluate(BOTH_WAYS)
    assert evaluation.findings == ()
    assert value(evaluation.graph, "b/two", "last") == "b(a(f))"


def test_a_part_may_refer_to_itself(evaluate: Evaluate) -> None:
    files = {
        "sabir.yaml": "parts:\n  a:\n    path: a\n    inputs: {x: {eval: '::a::one::fixed'}}\n",
        "a/main.lines": "one.fixed = f\none.more = {x}!\n",
    }
    assert value(evaluate(files).graph, "a/one", "more") == "f!"


def test_values_that_wait_for_each_other(evaluate: Evaluate) -> None:
    files = {**BOTH_WAYS, "b/main.lines": "two.fixed = b({y})\n"}
    (finding,) = evaluate(files).findings
    assert finding.code == "ENV:E007"
    assert "a.inputs.x, b.inputs.y" in finding.message
    places = [finding.location.line, *(one.place.location.line for one in finding.related)]
    assert places == [4, 7]


REFUSED = {
    "nothing": ("'::net::lan::cdir'", "ENV:E006", "did you mean 'cidr'?"),
    "no-such-part": ("'::nte::lan::cidr'", "ENV:E006", "did you mean 'net'?"),
    "instance": ("'::net::lan'", "ENV:E006", "add the attribute that is meant: …::NAME"),
    "syntax": ("'::net::[x'", "EXPR:E001", None),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_reference_that_gives_no_value(name: str, evaluate: Evaluate) -> None:
    expression, code, hint = REFUSED[name]
    files = environment(("net",), f"outputs:\n  it: {{eval: {expression}}}\n")
    (finding,) = evaluate(files).findings
    assert finding.code == code
    assert finding.location.file == "sabir.yaml"
    assert finding.location.line == 6
    if hint:
        assert finding.hint == hint


def test_a_broken_part_is_reported_once(evaluate: Evaluate) -> None:
    files = {**environment(), "net/main.lines": "broken\n"}
    (finding,) = evaluate(files).findings
    assert (finding.code, str(finding.location)) == ("LIN:E001", "net/main.lines:1:1")


def test_a_missing_part_is_reported_once(evaluate: Evaluate) -> None:
    files = environment()
    del files["net/main.lines"]
    (finding,) = evaluate(files).findings
    assert finding.code == "ENV:E004"


MALFORMED = {
    "empty": ("", "ENV:E001"),
    "list": ("- a\n", "ENV:E001"),
    "no-parts": ("name: x\n", "ENV:E001"),
    "version": ("sabir: 7\nparts: {net: {path: net}}\n", "ENV:E001"),
    "outputs": ("parts: {net: {path: net}}\noutputs: x\n", "ENV:E001"),
    "part-name": ("parts: {'a b': {path: net}}\n", "ENV:E002"),
    "part-text": ("parts: {a: net}\n", "ENV:E002"),
    "no-path": ("parts: {a: {}}\n", "ENV:E002"),
    "inputs": ("parts: {a: {path: net, inputs: []}}\n", "ENV:E002"),
    "key": ("parts: {a: {path: net, langauge: lines}}\n", "ENV:E003"),
    "top-key": ("partz: {}\nparts: {a: {path: net}}\n", "ENV:E003"),
    "language": ("parts: {a: {path: net, language: linse}}\n", "ENV:E005"),
    "yaml": ("parts: [\n", "E002"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed(name: str, evaluate: Evaluate) -> None:
    text, code = MALFORMED[name]
    assert [one.code for one in evaluate({**FILES, "sabir.yaml": text}).findings] == [code]


def test_check_reports_all_parts_together(write: Write) -> None:
    (validator,) = ENVIRONMENT.validators()
    folder = write({**environment(), "sabir.yaml": "partz: {}\nparts: {net: {path: net}}\n"})
    assert [one.code for one in validator(load_package(folder)).run()] == ["ENV:E003"]


def test_render_writes_each_part_below_its_name(write: Write) -> None:
    renderer = ENVIRONMENT.renderers()["lines"]
    rendering = renderer(load_package(write(environment())), EvaluationRequest(), RenderRequest())
    assert [*rendering.files] == ["net/lan.txt", "db/server.txt", "web/site.txt"]
    assert "host-in-10.0.0.0/24" in rendering.files["db/server.txt"]


def test_what_crosses_parts_is_an_edge(evaluate: Evaluate) -> None:
    graph = evaluate(environment()).graph
    assert graph["web"].relations["uses"] == ("db/server", "net/lan")
    assert graph["web"].requires == ("db", "net")
    assert "uses" not in graph["net"].relations


@pytest.mark.parametrize("path", ["'::*::cidr'", "'::lan::cidr'"])
def test_a_path_that_names_no_part_looks_into_all_others(path: str, evaluate: Evaluate) -> None:
    text = f"parts:\n  db:\n    path: db\n    inputs: {{subnet: {{eval: {path}}}}}\n  net:\n    path: net\n"
    evaluation = evaluate({**FILES, "sabir.yaml": text})
    assert evaluation.findings == ()
    assert value(evaluation.graph, "db/server", "address") == "host-in-10.0.0.0/24"


def test_a_guess_that_hides_what_a_value_rests_on(evaluate: Evaluate) -> None:
    """`{x:known}` is the same for both guesses: the last check finds the value that is right."""
    files = {
        **BOTH_WAYS,
        "a/main.lines": "one.derived = {x:length}\n",
        "b/main.lines": "two.fixed = f\ntwo.last = b({y})\n",
    }
    evaluation = evaluate(files)
    assert evaluation.findings == ()
    assert value(evaluation.graph, "b/two", "last") == "b(short)"


def test_a_part_that_cannot_use_what_it_is_given(evaluate: Evaluate) -> None:
    files = {**environment(), "db/main.lines": "refuse subnet\n"}
    (finding,) = evaluate(files).findings
    assert (finding.code, str(finding.location)) == ("ENV:E009", "sabir.yaml:8:7")
    assert finding.message == "part 'db' cannot use what it is given: there is no input 'subnet'"
