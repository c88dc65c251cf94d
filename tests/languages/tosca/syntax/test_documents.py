"""Broken templates: what is lost is no more than the entry that is broken, and the rest is read."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.languages.tosca import LANGUAGE
from sabir.languages.tosca.syntax.documents import LoadedTopology, load_topology
from sabir.languages.tosca.syntax.files import PackageFiles
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.source.packages import MemoryPackage
from sabir.source.yaml import plain_data
from sabir.source.yaml.recovery import compose_readable
from sabir.text import Source

HEAD = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
NODES = HEAD + "topology_template:\n  node_templates:\n    a: {type: A}\n%s\n    z: {type: Z}\n"
DOCUMENT = "a: 1\nn:\n  x: {type: A}\n%s\n  z: {type: C}\no: 2\n"


def _load(text: str) -> LoadedTopology:
    return load_topology(PackageFiles(MemoryPackage({"t.yaml": text})), "t.yaml")


@pytest.mark.parametrize(
    ("entry", "kept"),
    [
        ("    b: {type: B", ["a", "z"]),
        ("    b: [x, y", ["a", "z"]),
        ("    b: 'x", ["a", "z"]),
        ("    b", ["a", "z"]),
        ("    b: : x\n      type: B", ["a", "z"]),
        ("    b: *nothing", ["a", "z"]),
        ("    b: !foreign {type: B}", ["a", "z"]),
        ("\tb: {type: B}", ["a", "z"]),
        ("   b: {type: B}", ["a", "z"]),
        ("    b:\n      type: B\n        more: 1", ["a", "b", "z"]),
        ("    b:\n      type: B\n      properties: {x: [1}", ["a", "b", "z"]),
    ],
)
def test_text_that_is_no_yaml(entry: str, kept: list[str]) -> None:
    loaded = _load(NODES % entry)
    assert loaded.broken
    assert [finding.code for finding in loaded.findings] == ["E002"]
    assert loaded.topology is not None
    assert list(loaded.topology.node_templates) == kept


@pytest.mark.parametrize(
    ("entry", "codes", "kept"),
    [
        ("    b: {properties: {p: 1}}", ["TOSCA:E002"], ["a", "b", "z"]),
        ("    b: [x]", ["TOSCA:E002", "TOSCA:E002"], ["a", "b", "z"]),
        ("    b: {type: [B]}", ["TOSCA:E002", "TOSCA:E002"], ["a", "b", "z"]),
        ("    b: {type: B, properties: [x]}", ["TOSCA:E002"], ["a", "b", "z"]),
        ("    b: {type: B, requirements: [x, {host: a}]}", ["TOSCA:E002"], ["a", "b", "z"]),
        ("    b: {type: B, propertys: {}}", ["TOSCA:E036"], ["a", "b", "z"]),
        ("    ? {x: y}\n    : {type: B}", ["TOSCA:E002"], ["a", "z"]),
    ],
)
def test_entries_of_the_wrong_shape(entry: str, codes: list[str], kept: list[str]) -> None:
    loaded = _load(NODES % entry)
    assert not loaded.broken
    assert [finding.code for finding in loaded.findings] == codes
    assert loaded.topology is not None
    assert list(loaded.topology.node_templates) == kept


def test_a_broken_part_leaves_the_other_parts_of_a_template() -> None:
    loaded = _load(NODES % "    b: {type: B, properties: [x], requirements: [x, {host: a}]}")
    assert loaded.topology is not None
    template = loaded.topology.node_templates["b"]
    assert template.type == "B"
    assert template.properties == {}
    assert [requirement.node for requirement in template.requirements] == ["a"]


def test_sections_do_not_lose_one_another() -> None:
    loaded = _load(
        HEAD + "node_types: {A: {derived_from: [x, y], attributes: 5}, B: 3}\n"
        "topology_template:\n  inputs: [1]\n  groups: {g: {type: G}}\n  outputs: {o: {value: 1}}\n"
    )
    assert loaded.topology is not None
    assert list(loaded.topology.types[TypeKind.NODE]) == ["A", "B"]
    assert list(loaded.topology.groups) == ["g"]
    assert list(loaded.topology.outputs) == ["o"]


@pytest.mark.parametrize("version", ["tosca_simple_yaml_9_9", "[a]"])
def test_an_unknown_dialect_is_read_as_far_as_it_goes(version: str) -> None:
    loaded = _load(
        f"tosca_definitions_version: {version}\ntopology_template: {{node_templates: {{a: {{}}}}}}\n"
    )
    assert loaded.broken
    assert [finding.code for finding in loaded.findings] == ["TOSCA:E001"]
    assert loaded.topology is not None
    assert list(loaded.topology.node_templates) == ["a"]


def test_nothing_is_concluded_from_what_remains() -> None:
    package = MemoryPackage({"t.yaml": NODES % "    b: {type: B"})
    (validator,) = LANGUAGE.validators()
    assert [finding.code for finding in validator(package).run()] == ["E002"]


@pytest.mark.parametrize(
    "entry",
    [
        "  y: {type: B",
        '  y: "abc',
        "  y: a: b",
        "  y: @x",
        "  {",
        "  y: [a,\n    b",
        "  - y",
        " y: 1",
        "\ty: 1",
        "  y:\n    - [a\n    - b",
    ],
)
def test_the_rest_of_a_text_keeps_its_place(entry: str) -> None:
    source = Source("f", DOCUMENT % entry)
    stream = compose_readable(source)
    assert stream is not None
    (document,) = stream.documents
    assert document is not None
    data: Any = plain_data(document)
    assert (data["a"], data["o"]) == (1, 2)
    assert data["n"]["x"] == {"type": "A"}
    assert data["n"]["z"] == {"type": "C"}
    assert len(stream.source.text) == len(source.text)


def test_what_is_hostile_is_not_read_again() -> None:
    assert compose_readable(Source("f", "a: &a [*a]\n")) is None
    assert compose_readable(Source("f", "[" * 300)) is None
