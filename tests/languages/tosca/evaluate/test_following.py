"""Instances that outlive changes of what was observed: they give what instances made anew give, and compute only what changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.live import AssignedValue
from sabir.expressions.query.session import EnsembleProject
from sabir.languages.tosca.evaluate import Request
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.observations import InstanceObservations, LiveObservations
from sabir.languages.tosca.graph.evaluation import instantiate_topology
from sabir.languages.tosca.graph.origins import plain_value
from sabir.languages.tosca.syntax.documents import load_file
from sabir.resources.observations import ObservedValues

_HEAD = """\
tosca_definitions_version: tosca_simple_yaml_1_3
capability_types:
  Port: {derived_from: tosca.capabilities.Root, attributes: {number: {type: string}}}
node_types:
  N:
    derived_from: tosca.nodes.Root
    properties: {p: {type: any, required: false}, q: {type: any, required: false}}
    attributes: {a: {type: any}, b: {type: any}}
    capabilities: {port: {type: Port}}
    interfaces: {Standard: {operations: {create: {implementation: x.sh, outputs: {out: [SELF, b]}}}}}
topology_template:
  inputs: {given: {type: any, default: {get_attribute: [n0, a]}}}
  node_templates:
"""
_NODES = 4
_FORMS = (
    "{get_property: [nX, p]}",
    "{get_property: [nX, q]}",
    "{get_attribute: [nX, a]}",
    "{get_attribute: [nX, b]}",
    "{concat: [{get_attribute: [nX, a]}, {get_property: [nY, p]}]}",
    "{get_operation_output: [nX, Standard, create, out]}",
    "{get_attribute: [nX, port, number]}",
    "{get_input: given}",
    '{eval: "::nX::p"}',
    '{eval: "::nX::.all::nY::a"}',
    '{eval: "::nX::p::item"}',
    "{item: {get_attribute: [nX, a]}, other: {get_property: [nY, p]}}",
    "[{get_attribute: [nX, a]}, {get_property: [nY, q]}]",
    "{eval: [$v, {item: $v}], vars: {v: {get_attribute: [nX, b]}}}",
    "\"{{ '::nX::a' | eval }}-{{ '::nY::p' | eval }}\"",
    '{eval: {if: "::nX::a", then: "::nY::p", else: "::nY::b"}}',
    "{eval: {file: note.txt}, select: contents}",
    "word",
)
_ATTRIBUTES = ("a", "b", "p", "free")
_CHANGES = st.tuples(
    st.integers(0, _NODES - 1),
    st.sampled_from((*_ATTRIBUTES, "port")),
    st.sampled_from(("one", "two", "", 3, None, ["x"], {"item": "y"}, "gone")),
)
_VALUES = st.tuples(st.sampled_from(_FORMS), st.integers(0, _NODES - 1), st.integers(0, _NODES - 1)).map(
    lambda chosen: chosen[0].replace("nX", f"n{chosen[1]}").replace("nY", f"n{chosen[2]}")
)
_TEMPLATES = st.lists(st.tuples(_VALUES, _VALUES, _VALUES), min_size=_NODES, max_size=_NODES)


def _ensemble(folder: Path, nodes: list[tuple[str, str, str]]) -> Ensemble:
    lines = [
        f"    n{number}: {{type: N, properties: {{p: {p}, q: {q}}}, attributes: {{b: {b}}}}}\n"
        for number, (p, q, b) in enumerate(nodes)
    ]
    (folder / "main.yaml").write_text(_HEAD + "".join(lines))
    (folder / "note.txt").write_text("first")
    return instantiate_topology(
        load_file(folder / "main.yaml"), Request(project=EnsembleProject(directory=folder))
    )


def _address(number: int, attribute: str) -> str:
    return f"n{number}.capabilities.port|number" if attribute == "port" else f"n{number}|{attribute}"


def _plain(read: Callable[[str], Any], key: str) -> Any:
    try:
        return plain_value(read(key))
    except (QueryError, RecursionError) as error:  # a map may hold itself
        return type(error)


def _everything(ensemble: Ensemble) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for node in ensemble.nodes.values():
        values[f"{node.name} keys"] = sorted(node.keys())
        values |= {f"{node.name} {key}": _plain(node.get, key) for key in ("p", "q", "a", "b", "free")}
        values[f"{node.name} planned"] = _plain(node.get_planned, "p")
    return values


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(nodes=_TEMPLATES, changes=st.lists(st.one_of(_CHANGES, st.none()), max_size=8))
def test_what_follows_equals_what_is_made_anew(
    tmp_path: Path, nodes: list[tuple[str, str, str]], changes: list[tuple[int, str, Any] | None]
) -> None:
    ensemble = _ensemble(tmp_path, nodes)
    following = LiveObservations()
    live = ensemble.with_observed(following)
    values = ObservedValues()
    for number, change in enumerate(changes):
        if change is None:  # the world changes, and nobody says so
            (tmp_path / "note.txt").write_text(f"text {number}")
        elif change[2] == "gone":
            values.forget(_address(*change[:2]))
        else:
            values.note(_address(*change[:2]), change[2])
        following.follow(values)
        assert _everything(live) == _everything(ensemble.with_observed(InstanceObservations(dict(values))))


def test_values_of_another_mapping_are_compared_with_those_before(tmp_path: Path) -> None:
    ensemble = _ensemble(tmp_path, [("{get_attribute: [n1, a]}", "x", "x")] * 2)
    following = LiveObservations()
    node = ensemble.with_observed(following).nodes["n0"]
    for values, expected in (
        ({"n1|a": "one"}, "one"),
        ({"n1|a": "two"}, "two"),
        ({"n1|a": "three"}, "three"),
    ):
        following.follow(values)
        assert node.get("p") == expected
        following.follow(ObservedValues(values))
        assert node.get("p") == expected


def test_only_what_rests_on_a_change_is_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chain, whose values are asked for one after the other while each node gives one more attribute."""
    count = 60
    chain = [
        (f"{{concat: [{{get_property: [n{number - 1}, p]}}, {{get_attribute: [n{number}, a]}}]}}", "x", "x")
        for number in range(1, count)
    ]
    ensemble = _ensemble(tmp_path, [("x", "x", "x"), *chain])
    following = LiveObservations()
    live = ensemble.with_observed(following)
    values = ObservedValues()
    computed: list[None] = []
    value = AssignedValue.value

    def counted(assigned: AssignedValue, resource: Any) -> Any:
        computed.append(None)
        return value(assigned, resource)

    monkeypatch.setattr(AssignedValue, "value", counted)
    for number in range(count):
        following.follow(values)
        live.nodes[f"n{number}"].get("p")
        values.note(f"n{number}|a", "y")
    assert len(computed) < 6 * count
