"""Parts that refer to each other, in every pair of languages, with inputs of every type."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from sabir.diagnostics.finding import Severity
from sabir.expressions.query import evaluate as query
from sabir.expressions.query import resources_of
from sabir.graph import Graph
from sabir.languages.language import Evaluation
from tests.scenarios.parts import PARTS, environment, evaluate

PAIRS = list(itertools.product(PARTS, repeat=2))
NAMES = ["-".join(pair) for pair in PAIRS]


def reference(part: str, language: str, value: str) -> str:
    return f'{{eval: "{PARTS[language].query(part, value)}"}}'


def errors(evaluation: Evaluation) -> list[str]:
    return [one.message for one in evaluation.findings if one.severity is Severity.ERROR]


def asked(graph: Graph, part: str, language: str, value: str) -> object:
    return query(PARTS[language].query(part, value), resources_of(graph)).value


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=NAMES)
def test_a_number_goes_round(one: str, other: str, tmp_path: Path) -> None:
    """`b` gives a number that nothing was needed for to `a`, and gets it back from there."""
    files = environment(
        {
            "a": (one, {"number": reference("b", other, "fixed")}),
            "b": (other, {"number": reference("a", one, "number")}),
        }
    )
    evaluation = evaluate(tmp_path, files)
    assert errors(evaluation) == []
    fixed = asked(evaluation.graph, "b", other, "fixed")
    assert isinstance(fixed, int)
    assert asked(evaluation.graph, "a", one, "number") == fixed
    assert asked(evaluation.graph, "b", other, "number") == fixed


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=NAMES)
def test_a_list_and_a_text_go_opposite_ways(one: str, other: str, tmp_path: Path) -> None:
    files = environment(
        {
            "a": (one, {"items": f"[{reference('b', other, 'text')}, z]"}),
            "b": (other, {"text": reference("a", one, "text"), "items": "[x, y]"}),
        }
    )
    evaluation = evaluate(tmp_path, files)
    assert errors(evaluation) == []
    items = asked(evaluation.graph, "a", one, "items")
    assert items in (["text", "z"], "text z")


@pytest.mark.parametrize("kind", ["number", "text", "items"])
@pytest.mark.parametrize(("one", "other"), PAIRS, ids=NAMES)
def test_a_value_that_waits_for_itself(one: str, other: str, kind: str, tmp_path: Path) -> None:
    if kind == "items" and "ccp" in (one, other):
        kind = "text"  # a list comes out of a CCP definition as text
    files = environment(
        {
            "a": (one, {kind: reference("b", other, kind)}),
            "b": (other, {kind: reference("a", one, kind)}),
        }
    )
    (finding,) = [one for one in evaluate(tmp_path, files).findings if one.severity is Severity.ERROR]
    assert finding.code == "ENV:E007"
    lines = [number for number, text in enumerate(files["sabir.yaml"].splitlines(), 1) if "eval" in text]
    assert [finding.location.line, *(one.place.location.line for one in finding.related)] == lines


def test_a_list_of_numbers_and_a_map(tmp_path: Path) -> None:
    """Types that a first guess does not fit."""
    template = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  test.Thing:
    derived_from: tosca.nodes.Root
    properties:
      sizes: {type: list, entry_schema: integer}
      labels: {type: map, entry_schema: string}
      address: {type: string, constraints: [{pattern: '[0-9.]+'}]}
      port: {type: integer, constraints: [{greater_than: 1024}]}
      fixed: {type: string, default: ok}
topology_template:
  inputs:
    sizes: {type: list, entry_schema: integer}
    labels: {type: map, entry_schema: string}
    address: {type: string, constraints: [{pattern: '[0-9.]+'}]}
    port: {type: integer, constraints: [{greater_than: 1024}]}
  node_templates:
    thing:
      type: test.Thing
      properties:
        sizes: {get_input: sizes}
        labels: {get_input: labels}
        address: {get_input: address}
        port: {get_input: port}
"""
    model = """\
entity Thing:
    string name
    string seen
    int[] sizes
    dict labels
    string address
    int port
end
index Thing(name)
implement Thing using std::none
seen = "none"
Thing(name="thing", seen=seen, sizes=[1, 2], labels={"seen": seen}, address="10.0.0.1", port=2000)
"""
    text = "parts:\n  a:\n    path: a.yaml\n    inputs:\n"
    for name in ("sizes", "labels", "address", "port"):
        text += f"      {name}: {{eval: '::b::thing::{name}'}}\n"
    text += "  b:\n    path: b\n    language: inmanta\n    inputs: {seen: {eval: '::a::thing::fixed'}}\n"
    evaluation = evaluate(tmp_path, {"sabir.yaml": text, "a.yaml": template, "b/main.cf": model})
    assert errors(evaluation) == []
    values = dict(evaluation.graph["a/thing"].attributes)
    assert values["sizes"] == [1, 2]
    assert values["labels"] == {"seen": "ok"}
    assert (values["address"], values["port"]) == ("10.0.0.1", 2000)


def test_an_error_of_a_part_in_a_circle_is_reported_as_it_is(tmp_path: Path) -> None:
    files = environment(
        {
            "a": ("inmanta", {"number": reference("b", "tosca", "fixed")}),
            "b": ("tosca", {"number": reference("a", "inmanta", "number")}),
        }
    )
    files["a/main.cf"] = files["a/main.cf"].replace("fixed=8020", "fixde=8020")
    findings = evaluate(tmp_path, files).findings
    assert [(one.code, one.location.file) for one in findings] != []
    assert {one.location.file for one in findings} == {"a/main.cf"}


def test_only_the_circle_is_named_not_what_waits_for_it(tmp_path: Path) -> None:
    files = environment(
        {
            "a": (
                "tosca",
                {"text": reference("b", "tosca", "text"), "number": reference("b", "tosca", "number")},
            ),
            "b": ("tosca", {"text": reference("a", "tosca", "text"), "number": "5"}),
        }
    )
    (finding,) = [one for one in evaluate(tmp_path, files).findings if one.severity is Severity.ERROR]
    assert finding.message == "these values wait for each other: a.inputs.text, b.inputs.text"
