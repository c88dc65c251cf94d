"""The order that reading gives: operations come behind those that give what they read, as far as none waits for itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.graph.address import Address
from sabir.languages.language import EvaluationRequest
from sabir.languages.tosca.graph.read_order import ReadDependencies, order_by_reads
from sabir.operations.evaluation import evaluate_path
from sabir.resources.resource import DesiredResources, Resource

_TYPES = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.Root
    properties: {reads: {type: string, required: false}}
    attributes: {url: {type: string}}
    interfaces:
      Standard:
        operations:
          create: {implementation: a.sh, inputs: {x: {type: string, default: {get_property: [SELF, reads]}}}}
          configure: {implementation: a.sh, outputs: {url: [SELF, url], more: [SELF, more]}}
topology_template:
  node_templates:
"""


def _wanted(tmp_path: Path, nodes: str) -> DesiredResources:
    (tmp_path / "service.yaml").write_text(_TYPES + nodes)
    (tmp_path / "a.sh").write_text("")
    evaluation = evaluate_path(tmp_path / "service.yaml", EvaluationRequest()).evaluation
    assert not evaluation.findings
    return evaluation.wanted()


def _requires(wanted: DesiredResources) -> dict[str, list[str]]:
    names = {
        resource.address: str(resource.address).replace(".interfaces.Standard.", "/")
        for resource in wanted.resources
    }
    return {names[each.address]: [names[other] for other in each.requires] for each in wanted.resources}


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        pytest.param(
            "    a: {type: App, properties: {reads: {get_attribute: [b, url]}}}\n    b: {type: App}\n",
            ["b/configure"],
            id="an attribute",
        ),
        pytest.param(
            "    a: {type: App, properties: {reads: {concat: [x, {get_property: [c, reads]}]}}}\n"
            "    b: {type: App}\n    c: {type: App, properties: {reads: {get_attribute: [b, url]}}}\n",
            ["b/configure"],
            id="through a property of a third",
        ),
        pytest.param(
            "    a: {type: App, properties: {reads: {get_operation_output: [b, Standard, configure, more]}}}\n    b: {type: App}\n",
            ["b/configure"],
            id="an output",
        ),
        pytest.param(
            "    a: {type: App, properties: {reads: {get_attribute: [b, url]}}, requirements: [{dependency: b}]}\n    b: {type: App}\n",
            ["b/configure"],
            id="a requirement says it already",
        ),
        pytest.param(
            "    a: {type: App, properties: {reads: {get_property: [b, reads]}}}\n    b: {type: App, properties: {reads: x}}\n",
            [],
            id="a property orders nothing",
        ),
    ],
)
def test_who_reads_comes_behind_who_gives(tmp_path: Path, nodes: str, expected: list[str]) -> None:
    wanted = _wanted(tmp_path, nodes)
    requires = _requires(wanted)
    assert requires["a/create"] == expected
    names = [*requires]
    assert all(
        names.index(other) < names.index(name) for name, others in requires.items() for other in others
    )
    assert not wanted.findings


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param(
            "    a: {type: App, properties: {reads: {get_attribute: [SELF, url]}}}\n",
            id="a later one of its own node",
        ),
        pytest.param(
            "    a: {type: App, properties: {reads: {get_attribute: [b, url]}}}\n"
            "    b: {type: App, properties: {reads: {get_attribute: [a, url]}}}\n",
            id="one another",
        ),
        pytest.param(
            "    a: {type: App, properties: {reads: {get_attribute: [b, url]}}}\n"
            "    b: {type: App, requirements: [{dependency: a}]}\n",
            id="who requires it",
        ),
    ],
)
def test_a_circle_orders_nothing_and_is_told(tmp_path: Path, nodes: str) -> None:
    wanted = _wanted(tmp_path, nodes)
    assert _requires(wanted)["a/create"] == []
    assert wanted.findings
    assert {finding.code for finding in wanted.findings} == {"TOSCA:W091"}
    assert wanted.findings[0].message.startswith("a/Standard.create reads what is given")


_COUNT = 7
_PAIRS = st.lists(st.tuples(st.integers(0, _COUNT - 1), st.integers(0, _COUNT - 1)), max_size=14)


@given(required=_PAIRS, gives=_PAIRS, read=_PAIRS)
def test_what_is_read_comes_first_unless_that_would_be_a_circle(
    required: list[tuple[int, int]], gives: list[tuple[int, int]], read: list[tuple[int, int]]
) -> None:
    addresses = [Address(f"n{number}") for number in range(_COUNT)]
    resources = {
        address: Resource(
            address=address,
            kind="command",
            requires=tuple({addresses[low]: None for low, high in required if low < high == number}),
        )
        for number, address in enumerate(addresses)
    }
    by_attribute: dict[str, list[Address]] = {}
    for number, attribute in gives:
        by_attribute.setdefault(f"v{attribute}|a", []).append(addresses[number])
    reads = [(f"v{attribute}|a", addresses[reader]) for attribute, reader in read]
    ordered, circles = order_by_reads(resources, ReadDependencies(by_attribute, reads))
    before: dict[Address, set[Address]] = {}
    for address, resource in ordered.items():  # each stands behind what it requires, or this fails
        before[address] = {*resource.requires}.union(*(before[other] for other in resource.requires))
        assert {*resources[address].requires} <= {*resource.requires}
    told = {circle.reader for circle in circles}
    for name, reader in reads:
        for giver in by_attribute.get(name, ()):
            assert giver in before[reader] or giver == reader or reader in told
