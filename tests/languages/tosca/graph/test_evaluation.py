"""One answer from outside and from inside: the tree that `sabir query` walks, against the live instances of the template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Final

import pytest

from sabir.expressions.query import Artifact, QueryError, QueryResource, QuerySession, evaluate
from sabir.expressions.query.resource import SPECIAL_KEYS, InstanceTemplate
from sabir.graph.values import Sensitive, Unknown
from sabir.languages.language import EvaluationRequest
from sabir.languages.tosca.evaluate import Request
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.instances import RootInstance
from sabir.languages.tosca.graph.build import build_graph
from sabir.languages.tosca.graph.evaluation import build_query_tree, instantiate_topology
from sabir.languages.tosca.syntax.documents import load_file
from sabir.operations.query import QueryRequest, query_path
from tests.conformance.adapters import eval as eval_adapter
from tests.conformance.runner import suites
from tests.conformance.runner.eval import EvalCase
from tests.conformance.runner.eval_place import prepared_ensemble
from tests.languages.tosca.evaluate.test_ensemble import TEMPLATE as SHOP

_ROOT: Final = Path(__file__).resolve().parents[4]
_TEMPLATES: Final = sorted(
    path
    for folder in ("examples", "tests/conformance/deploy-tosca")
    for path in (_ROOT / folder).rglob("*.yaml")
    if "topology_template" in (text := path.read_text("utf-8")) and text.startswith("tosca_definitions")
)
_MORE_FROM_OUTSIDE: Final = frozenset({".status", ".operations", ".template", ".all"})
"""Answered with more from outside: what was deployed, what can be called, instances by id."""
_BELOW: Final = frozenset({".children", ".instances", ".descendents", ".descendants"})
"""From outside also what stands in the place of a node is below it."""
_INPUTS: Final = {"size": 7, "servers": 2}


def _asked(ensemble: Ensemble) -> QueryResource:
    built = build_graph(ensemble)
    return build_query_tree(ensemble, built, built.graph, QuerySession(work=ensemble.session.work))


@pytest.mark.parametrize(
    "case",
    [case for case in suites.load("eval") if isinstance(case, EvalCase) and case.tosca is not None],
    ids=lambda case: case.id,
)
def test_the_cases_have_one_answer(case: EvalCase, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes: list[str] = []
    inside = eval_adapter.tosca_root

    def outside(case: EvalCase, folder: Path) -> QueryResource:
        root = inside(case, folder)
        assert isinstance(root, RootInstance)
        return _asked(root.ensemble)

    for root in (inside, outside):
        monkeypatch.setattr(eval_adapter, "tosca_root", root)
        with prepared_ensemble(case.files, case.env) as folder:
            outcomes.append(repr(eval_adapter.run(case, folder)).replace(str(folder.parent), "…"))
    assert outcomes[0] == outcomes[1]


def _ensemble(path: Path) -> Ensemble:
    loaded = load_file(path)
    assert loaded.topology is not None
    needed = [name for name, definition in loaded.topology.inputs.items() if definition.default is None]
    return instantiate_topology(loaded, Request(inputs={name: _INPUTS.get(name, "7") for name in needed}))


@pytest.mark.parametrize("path", _TEMPLATES, ids=lambda path: str(path.relative_to(_ROOT)))
def test_templates_have_one_answer(path: Path) -> None:
    _compare(_ensemble(path))


def test_capabilities_and_relationships_have_one_answer(tmp_path: Path) -> None:
    file = tmp_path / "service.yaml"
    file.write_text(SHOP, encoding="utf-8")
    _compare(_ensemble(file))


def _compare(ensemble: Ensemble) -> None:
    outside = _asked(ensemble)
    left_out = _MORE_FROM_OUTSIDE | _BELOW if ensemble.inner else _MORE_FROM_OUTSIDE
    for here, there in _pairs(ensemble.root, outside):
        for key in (*(SPECIAL_KEYS.keys() - left_out), *here.keys()):
            assert _answer(key, here) == _answer(key, there), (here, key)
    assert evaluate(".::outputs", ensemble.root).values == evaluate(".::outputs", outside).values


def _pairs(inside: QueryResource, outside: QueryResource) -> Iterator[tuple[QueryResource, QueryResource]]:
    for name, node in inside.all().items():
        if node is inside:
            continue
        twin = outside.all()[name]
        yield node, twin
        yield from zip(node.capabilities, twin.capabilities, strict=True)
        yield from zip(node.requirements, twin.requirements, strict=True)


def _answer(key: str, resource: QueryResource) -> Any:
    try:
        return [_plain(value) for value in evaluate(key, resource).values]
    except QueryError:
        return [None]  # from outside it was reported before, and is unknown


def _plain(value: Any) -> Any:
    match value:
        case Unknown():
            return None
        case InstanceTemplate():
            return ("template", value.name)
        case QueryResource():
            return (value.kind, value.tosca_id)
        case Artifact():
            return ("artifact", value.location)
        case Sensitive():
            return ("sensitive", _plain(value.value))
        case Enum():
            return value.name
        case Mapping():
            return {key: _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return value


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("{eval: {get_nodes_of_type: tosca.nodes.Root}, select: .name}", ["subnet", "mysql"]),
        ("{get_input: address}", ["10.0.0.5"]),
        (".root::inputs::address", ["10.0.0.5"]),
        ("::mysql::.tosca_id", ["::mysql"]),
        ("::mysql::.status", ["absent"]),
        ("::mysql::subnet::.name", ["subnet"]),
    ],
)
def test_query_knows_what_only_the_template_says(expression: str, values: list[Any]) -> None:
    template = _ROOT / "examples" / "shop" / "database" / "service-template.yaml"
    evaluation = EvaluationRequest(inputs={"subnet": "10.0.0.0/24", "address": "10.0.0.5"})
    answer = query_path(QueryRequest(path=template, expression=expression, evaluation=evaluation))
    assert (answer.values, answer.findings) == (tuple(values), ())


def test_a_value_that_fails_is_unknown_and_the_others_are_there(tmp_path: Path) -> None:
    file = tmp_path / "service.yaml"
    nodes = "{a: {type: T, properties: {size: {get_property: [SELF, size]}}}, b: {type: T, properties: {size: 2}}}"
    file.write_text(
        "tosca_definitions_version: tosca_simple_yaml_1_3\n"
        "node_types: {T: {derived_from: tosca.nodes.Root, properties: {size: {type: integer}}}}\n"
        f"topology_template: {{node_templates: {nodes}}}\n"
    )
    for expression in ("::*::size", "{eval: {get_nodes_of_type: T}, select: size}"):
        answer = query_path(QueryRequest(path=file, expression=expression))
        assert answer.values == (None, 2)
        assert [finding.code for finding in answer.findings] == ["EXPR:E019"]
