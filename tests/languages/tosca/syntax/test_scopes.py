"""Namespaces of 2.0: what a name means is decided by the file it stands in."""

from __future__ import annotations

import pytest

from sabir.languages.tosca.syntax.scopes import TypeKind, TypeScope
from tests.languages.tosca.second import said


def _scope(*names: str) -> TypeScope:
    scope = TypeScope()
    if names:
        scope.names[TypeKind.NODE] = {name: name for name in names}
    return scope


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("A", "A"),
        ("my:B", "B"),
        ("my:k8s:Pod", "Pod"),
        ("k8s:Pod", None),
        ("B", None),
        ("my:C", "C"),
        ("my.B", "B"),
        ("my:Gone", None),
    ],
)
def test_names_are_found_through_prefixes(name: str, expected: str | None) -> None:
    main, types, cluster, common = _scope("A"), _scope("B"), _scope("Pod"), _scope("C")
    main.imports.append(("my", types))
    types.imports += [("k8s", cluster), ("", common), ("", types)]
    assert main.find(TypeKind.NODE, name) == expected


def test_a_file_that_defines_nothing_stands_for_what_is_elsewhere() -> None:
    main = _scope("A")
    main.imports.append(("k8s", _scope()))
    assert main.leads_to_nothing("k8s:Pod")
    assert not main.leads_to_nothing("A")
    assert not main.leads_to_nothing("other:A")


def test_a_prefix_belongs_to_the_file_that_imports() -> None:
    files = {
        "a": "imports: [{url: b.yaml, namespace: p}]\nnode_types: {N: {derived_from: 'p:N', properties: {x: {type: string}}}}\n",
        "b": "node_types: {N: {properties: {y: {type: string}}}}\n",
    }
    main = (
        "imports: [{url: a.yaml, namespace: p}]\n"
        "node_types: {N: {derived_from: 'p:N'}}\n"
        "service_template: {node_templates: {n: {type: N, properties: {x: a, y: b}}}}\n"
    )
    assert said(main, **files) == []


@pytest.mark.parametrize("wanted", ["io.kubernetes:1.30", "io.kubernetes"])
def test_a_profile_is_the_file_that_says_so(wanted: str) -> None:
    files = {
        "k": "profile: io.kubernetes:1.30\nnode_types: {Pod: {}}\n",
        "o": "profile: io.kubernetes:1.29\nnode_types: {Old: {}}\n",
    }
    main = f"imports: [{{profile: '{wanted}', namespace: k8s}}]\nnode_types: {{Super: {{derived_from: 'k8s:Pod'}}}}\n"
    assert said(main, **files) == []


def test_a_repository_is_defined_once_in_a_namespace() -> None:
    assert said("imports: [o.yaml]\nrepositories: {r: {url: a}}\n", o="repositories: {r: {url: b}}\n") == [
        ("TOSCA:E035", "repository 'r' is also defined in t.yaml:3")
    ]
