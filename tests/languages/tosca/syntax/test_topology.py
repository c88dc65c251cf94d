"""What Unfurl reads and the standard does not know: the section `types`, needs of interfaces, ensembles of nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.languages.tosca.syntax.topology import names_in, with_kinds
from sabir.operations.check import check_paths
from sabir.source.yaml import compose
from sabir.source.yaml.nodes import YamlMapping, YamlNode, text_of
from sabir.text import Source

HEAD = "apiVersion: unfurl/v1alpha1\nkind: Ensemble\n"
TYPES = """\
spec:
  service_template:
    types:
      Small: {derived_from: App}
      App:
        derived_from: tosca.nodes.Root
        properties: {size: {type: Size}}
        interfaces:
          Standard:
            requirements: [tosca.relationships.ConnectsTo]
            configure: echo configured
      Size: {derived_from: integer}
      Uses: {derived_from: tosca.relationships.DependsOn}
    topology_template:
      node_templates:
        a: {type: App, properties: {size: 1}}
        b: {type: Small, properties: {size: 2}, requirements: [{dependency: {node: a, relationship: Uses}}]}
"""


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (TYPES, []),
        (TYPES.replace("size: 2", "size: two"), ["TOSCA:E012"]),
        (TYPES.replace("type: Small", "type: Smal"), ["TOSCA:E006"]),
        ("spec: {}\n", []),
        ("", []),
        ("spec: {service_tempate: {}}\n", ["TOSCA:E030"]),
    ],
)
def test_ensembles_are_checked_as_unfurl_reads_them(text: str, codes: list[str], tmp_path: Path) -> None:
    path = tmp_path / "ensemble.yaml"
    path.write_text(HEAD + text, encoding="utf-8")
    findings = check_paths([path]).report.findings()
    assert [finding.code for _, finding in findings] == codes


def _fields(text: str) -> dict[str, YamlNode]:
    root = compose(Source("t.yaml", text)).documents[0]
    assert isinstance(root, YamlMapping)
    return {text_of(entry.key) or "": entry.value for entry in root.entries}


def test_types_go_to_the_sections_of_their_kinds_through_all_documents() -> None:
    first = _fields(
        "node_types: {A: {derived_from: tosca.nodes.Root}}\n"
        "capability_types: [{C: {}}]\n"
        "types: {B: {derived_from: A}, D: {derived_from: C}, X: {derived_from: Y}, Y: {derived_from: X}, E: {}}\n"
    )
    second = _fields("types: {F: {derived_from: D}, G: {derived_from: scalar-unit.size}}\n")
    moved = with_kinds([first, second])
    assert [
        {section: [*names_in(node)] for section, node in fields.items() if section != "types"}
        for fields in moved
    ] == [
        {"node_types": ["A", "B", "X", "Y", "E"], "capability_types": ["C", "D"]},
        {"capability_types": ["F"], "data_types": ["G"]},
    ]
