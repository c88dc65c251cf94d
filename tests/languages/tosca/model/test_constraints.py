"""Constraints, by operator, and node filters."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.languages.tosca.model.constraints import CONSTRAINTS, TESTS, constraint_holds
from sabir.languages.tosca.model.filters import matches_filter
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.syntax.documents import load_topology
from sabir.languages.tosca.syntax.files import PackageFiles
from sabir.languages.tosca.syntax.nodes import DocumentOrigin, SourceValue
from sabir.source.packages import MemoryPackage
from sabir.source.yaml import compose
from sabir.text import Source


@pytest.mark.parametrize(
    ("name", "argument", "value", "kind", "expected"),
    [
        ("equal", 3, 3, "integer", True),
        ("equal", "1 KB", "1000 B", "scalar-unit.size", True),
        ("equal", "1.0", "1", "version", False),
        ("greater_than", 3, 3, "integer", False),
        ("greater_or_equal", 3, 3, "integer", True),
        ("greater_or_equal", "1 GB", "999 MB", "scalar-unit.size", False),
        ("greater_or_equal", "0.9", "0.10", "version", True),
        ("less_than", 5, 4, "integer", True),
        ("less_or_equal", 5, 6, "integer", False),
        ("in_range", [1, 4], 4, "integer", True),
        ("in_range", [1, 4], 5, "integer", False),
        ("in_range", [1, "UNBOUNDED"], 5000, "integer", True),
        ("in_range", ["UNBOUNDED", 4], -7, "integer", True),
        ("in_range", [1, 10], [2, 11], "range", False),
        ("in_range", [1, 10], [2, "unbounded"], "range", True),
        ("in_range", ["1 MB", "1 GB"], "20 MB", "scalar-unit.size", True),
        ("in_range", ["1 MB", "1 GB"], 20, "scalar-unit.size", False),
        ("valid_values", ["a", "b"], "b", "string", True),
        ("valid_values", ["1 GB"], "1000 MB", "scalar-unit.size", True),
        ("valid_values", "a", "b", "string", True),
        ("length", 3, "abc", "string", True),
        ("length", 3, 1234, "integer", False),
        ("min_length", 2, [1], "list", False),
        ("max_length", 2, {"a": 1}, "map", True),
        ("pattern", "[a-z]+", "abc", "string", True),
        ("pattern", "[a-z]+", "abc1", "string", False),
        ("pattern", "(a+)+", "b", "string", False),
        ("pattern", "((x)|y|z)*+", "xyz", "string", True),
        ("matches", "a|b", "b", "string", True),
    ],
)
def test_operator(name: str, argument: Any, value: Any, kind: str, expected: bool) -> None:
    assert TESTS[name](value, argument, kind) is expected


@pytest.mark.parametrize(
    ("name", "argument", "value", "expected"),
    [
        ("greater_or_equal", "1 GB", "2048 MB", True),
        ("greater_or_equal", "1 GB", "2 MB", False),
        ("greater_than", 3, "text", False),
        ("in_range", [1], 1, False),
        ("pattern", "(", "x", False),
        ("has_key", "x", {}, True),
    ],
)
def test_a_constraint_beside_a_value(name: str, argument: Any, value: Any, expected: bool) -> None:
    """The kind of scalar is told from the value; what cannot be compared does not hold, what has no test does."""
    assert constraint_holds(name, argument, value) is expected


def test_operators_without_a_test_are_accepted() -> None:
    assert set(TESTS) < CONSTRAINTS


TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  A:
    derived_from: tosca.nodes.Root
    properties: {size: {type: integer, default: 4}, zone: {type: string, required: false}}
    capabilities: {end: {type: tosca.capabilities.Endpoint}}
topology_template:
  node_templates:
    a: {type: A, properties: {zone: {get_input: z}}, capabilities: {end: {properties: {port: 80}}}}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", True),
        ("text", True),
        ("{properties: [{size: {greater_than: 3}}]}", True),
        ("{properties: {size: {greater_than: 4}}}", False),
        ("{properties: [{size: 4}]}", True),
        ("{properties: [{size: [{in_range: [1, 9]}, {valid_values: [5]}]}]}", False),
        ("{properties: [{zone: {equal: north}}]}", True),
        ("{properties: [{colour: red}]}", False),
        ("{capabilities: [{end: {properties: [{port: {equal: 80}}]}}]}", True),
        ("{capabilities: [{end: {properties: [{port: {equal: 81}}]}}]}", False),
        ("{capabilities: [{tosca.capabilities.Endpoint: {properties: [{port: 80}]}}]}", True),
        ("{capabilities: [{other: {}}]}", False),
    ],
)
def test_node_filter(text: str, expected: bool) -> None:
    topology = load_topology(PackageFiles(MemoryPackage({"t.yaml": TEMPLATE})), "t.yaml").topology
    assert topology is not None
    model = TopologyModel(topology)
    source = Source("filter", text)
    (node,) = compose(source).documents
    assert node is not None
    written = SourceValue(node, DocumentOrigin(source, None))
    assert matches_filter(written, model.nodes["a"], model.flat["a"]) is expected
