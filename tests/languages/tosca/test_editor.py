"""Symbols, references and completion of TOSCA files in editors."""

from __future__ import annotations

import pytest

from sabir.languages.tosca.editor import candidates, completion_keys, file_names, libraries
from sabir.languages.tosca.library import PROFILES
from sabir.source.packages import MemoryPackage, PackageFile

HEAD = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
TEXT = HEAD + "topology_template:\n  node_templates:\n    vm:\n      type: tosca.nodes.Compute\n"


def _open(text: str) -> tuple[MemoryPackage, PackageFile]:
    package = MemoryPackage({"t.yaml": text})
    file = package.get_file("t.yaml")
    assert file is not None
    return package, file


def test_libraries_contain_the_bundled_types() -> None:
    package, _ = _open(TEXT)
    (library,) = libraries(package)
    assert sorted(library.list()) == sorted(f"{profile}.yaml" for profile in PROFILES)
    simple = library.get_file("simple.yaml")
    assert simple is not None
    assert "tosca.nodes.Compute" in simple.source.text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("      type: ", ("type ",)),
        ("      properties: {size: {get_input: ", ("input ",)),
        ("      properties: {size: {get_property: [SELF, ", ("member ",)),
        ("      properties: {size: ", ()),
    ],
)
def test_completion_keys(line: str, expected: tuple[str, ...]) -> None:
    text = HEAD + "topology_template:\n  node_templates:\n    vm:\n" + line
    _, file = _open(text)
    assert tuple(completion_keys(file, len(text))) == expected


def test_symbols_and_mentions() -> None:
    package, file = _open(TEXT)
    names = file_names(package, file)
    assert any("vm" in str(symbol) for symbol in names.symbols)
    assert any("Compute" in str(mention) for mention in names.mentions)


def test_candidates_are_functions_after_a_brace() -> None:
    text = TEXT + "      properties: {size: {"
    package, file = _open(text)
    assert "get_input" in str(candidates(package, file, len(text)))
