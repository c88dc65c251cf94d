"""Documents of 2.0 held against the grammar."""

from __future__ import annotations

import pytest

from sabir.languages.tosca.syntax.grammar import grammar
from tests.languages.tosca.second import findings, said

NODE = "node_types: {N: {}}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("node_types:\n", "node_types has nothing under it"),
        ("node_types: []\n", "node_types must be a map, not a list"),
        ("node_types: {'': {}}\n", "a node type needs a name"),
        ("node_types: {N: [a]}\n", "node type 'N' must be a map, not a list"),
        ("node_types: {N: {description: [a]}}\n", "description of node type 'N' must be text, not a list"),
        ("node_types: {N: {metadata: x}}\n", "metadata of node type 'N' must be a map of metadata, not 'x'"),
        ("node_types: {N: {version: 1..0.a}}\n", "version of node type 'N' must be a version, as 1.2.3, not '1..0.a'"),
        ("metadata: {template_name: 5}\n", "'template_name' of metadata must be text, not '5'"),
        ("imports: types.yaml\n", "imports must be a list, not 'types.yaml'"),
        ("repositories: {r: {description: x}}\n", "repository 'r' has no 'url'"),
        ("functions: {f: {description: x}}\n", "function 'f' has no 'signatures'"),
        ("dsl_definitions: {a: 1}\n", "'a' in dsl_definitions has no anchor, so nothing can repeat it"),
        (NODE + "service_template:\n  groups: [{g: {type: G}}]\n", "groups of service_template must be a map, not a list"),
        (NODE + "service_template:\n  policies: {p: {type: P}}\n", "policies of service_template must be a list, not a map"),
        (
            NODE + "service_template: {workflows: {w: {steps: {s: {target: a}}}}}\n",
            "step 's' has no 'activities'",
        ),
    ],
)  # fmt: skip
def test_wrong_shapes(text: str, message: str) -> None:
    assert ("TOSCA:E002", message) in said(text)


@pytest.mark.parametrize(
    "text",
    [
        "metadata: {template_name: {en: a}, template_version: 1.0, more: [1, null]}\n",
        "dsl_definitions: {a: &a 1, b: &b {c: 1}}\n",
        "repositories: {r: https://example.com/r}\n",
        "node_types: {N: {}}\n",
        "artifact_types: {A: {file_ext: [sh], version: 1.0}}\n",
    ],
)
def test_right_shapes(text: str) -> None:
    assert said(text) == []


def test_keys_of_ones_own_are_an_error_with_the_near_name() -> None:
    (finding,) = findings("node_types: {N: {propertys: {}}}\n")
    assert (finding.code, finding.hint) == ("TOSCA:E036", "did you mean 'properties'?")


def test_the_grammar_names_only_entities_that_it_has() -> None:
    named = {field.entity for entity in grammar().values() for field in entity.fields.values()}
    assert named - {None} <= grammar().keys()
