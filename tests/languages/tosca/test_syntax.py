"""Reading: dialects, the grammar of 2.0, imports, ensembles."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.checks import Application
from sabir.languages.tosca import LANGUAGE
from sabir.languages.tosca.syntax.dialects import DIALECTS, dialect_of
from sabir.languages.tosca.syntax.documents import LoadedTopology, load_topology
from sabir.languages.tosca.syntax.ensembles import load_ensemble
from sabir.languages.tosca.syntax.files import PackageFiles
from sabir.languages.tosca.syntax.nodes import UNBOUNDED
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.languages.tosca.syntax.tosca2 import normalize_document
from sabir.source.packages import MemoryPackage
from sabir.source.yaml import YamlMapping, compose, plain_data
from sabir.text import Source

HEAD = "tosca_definitions_version: tosca_simple_yaml_1_3\n"


def _load(**files: str) -> LoadedTopology:
    return load_topology(
        PackageFiles(MemoryPackage({f"{name}.yaml": text for name, text in files.items()})), "t.yaml"
    )


def _codes(loaded: LoadedTopology) -> list[str]:
    return [finding.code for finding in loaded.findings]


@pytest.mark.parametrize(
    ("version", "grammar", "profiles"),
    [
        ("tosca_simple_yaml_1_0", 1, ("simple",)),
        ("tosca_simple_yaml_1_0_0_wd03", 1, ("simple",)),
        ("tosca_simple_yaml_1_3", 1, ("simple",)),
        ("tosca_simple_profile_for_nfv_1_0_0", 1, ("simple", "nfv")),
        ("tosca_simple_unfurl_1_0_0", 1, ("simple", "unfurl")),
        ("unfurl/v1.0.0", 1, ("simple", "unfurl")),
        ("http://docs.oasis-open.org/tosca/ns/simple/yaml/1.3", 1, ("simple",)),
        ("tosca_2_0", 2, ()),
    ],
)
def test_dialects(version: str, grammar: int, profiles: tuple[str, ...]) -> None:
    dialect = dialect_of(version)
    assert dialect is not None
    assert (dialect.name, dialect.grammar, dialect.profiles) == (version, grammar, profiles)


@pytest.mark.parametrize("version", ["", "tosca_simple_yaml_1_4", "tosca_2_1", "xtosca_2_0", "tosca_2_0x"])
def test_no_dialect(version: str) -> None:
    assert dialect_of(version) is None


def test_every_dialect_that_is_offered_is_read() -> None:
    assert all(map(dialect_of, DIALECTS))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("service_template: {a: 1}", {"topology_template": {"a": 1}}),
        ("a: {$get_input: x}", {"a": {"get_input": "x"}}),
        ("a: {$custom: x}", {"a": {"$custom": "x"}}),
        ("a: {$$get_input: x}", {"a": {"q": {"$get_input": "x"}}}),
        ("a: $$text", {"a": "$text"}),
        ("a: $text", {"a": {"$text": []}}),
        ("a: [$value, $5, $HOME/bin]", {"a": ["$value", "$5", "$HOME/bin"]}),
        ("a: $node_index", {"a": {"$node_index": []}}),
        ("a: [0o17, yes, 1:30, 010]", {"a": [15, "yes", "1:30", 10]}),
        ("a: [1e3, 1_000, 0b11, 0x10b]", {"a": [1000.0, "1_000", "0b11", 267]}),
        ("a: [{$concat: [x, $$y]}]", {"a": [{"$concat": ["x", "$y"]}]}),
        ("p: {validation: {$in_range: [$value, [1, 4]]}}", {"p": {"validation": {"in_range": [1, 4]}}}),
        ("p: {validation: {$length: [other, 4]}}", {"p": {"validation": {"$length": ["other", 4]}}}),
    ],
)
def test_the_grammar_of_2_0_in_the_words_of_1_3(text: str, expected: Any) -> None:
    (document,) = compose(Source("f", text)).documents
    assert isinstance(document, YamlMapping)
    result = plain_data(normalize_document(document))
    assert result == expected


TYPES = HEAD + "node_types: {N: {derived_from: tosca.nodes.Root}}\n"


@pytest.mark.parametrize(
    ("imports", "names"),
    [
        ("[o.yaml]", ["N"]),
        ("o.yaml", ["N"]),
        ("[{file: o.yaml}]", ["N"]),
        ("[{url: o.yaml}]", ["N"]),
        ("[{some_name: o.yaml}]", ["N"]),
        ("[{some_name: {file: o.yaml}}]", ["N"]),
        ("[{file: o.yaml, namespace_prefix: p}]", ["N", "p:N", "p.N"]),
        ("[o.yaml, o.yaml]", ["N"]),
        ("[{file: o.yaml, repository: here}]", ["N"]),
    ],
)
def test_forms_of_imports(imports: str, names: list[str]) -> None:
    loaded = _load(t=f"{HEAD}repositories: {{here: 'file:.'}}\nimports: {imports}\n", o=TYPES)
    assert _codes(loaded) == []
    assert loaded.topology is not None
    assert loaded.topology.complete
    assert list(loaded.topology.types[TypeKind.NODE]) == names


@pytest.mark.parametrize(
    ("imports", "codes"),
    [
        ("[gone.yaml]", ["TOSCA:E004"]),
        ("[{file: o.yaml, repository: nowhere}]", ["TOSCA:E004"]),
        ("['https://example.com/t.yaml']", ["TOSCA:W040"]),
        ("[[o.yaml]]", ["TOSCA:E002"]),
        ("[{profile: unheard.of}]", ["TOSCA:E004"]),
        ("[../o.yaml]", ["TOSCA:E004"]),
    ],
)
def test_imports_that_fail(imports: str, codes: list[str]) -> None:
    loaded = _load(t=f"{HEAD}imports: {imports}\n", o=TYPES)
    assert _codes(loaded) == codes
    assert loaded.topology is not None
    assert loaded.topology.complete == (codes == ["TOSCA:E002"])


def test_files_that_import_one_another_are_read_once() -> None:
    loaded = _load(t=f"{HEAD}imports: [o.yaml]\n", o=f"{TYPES}imports: [t.yaml]\n")
    assert _codes(loaded) == []
    assert sorted(loaded.files) == ["o.yaml", "t.yaml"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("[0, 1]", (0, 1)), ("[1, UNBOUNDED]", (1, UNBOUNDED)), ("2", (2, 2)), ("[x]", (0, UNBOUNDED))],
)
def test_occurrences(text: str, expected: tuple[int, int]) -> None:
    loaded = _load(t=f"{HEAD}node_types: {{N: {{requirements: [{{r: {{occurrences: {text}}}}}]}}}}\n")
    assert loaded.topology is not None
    (requirement,) = loaded.topology.types[TypeKind.NODE]["N"].requirements
    assert requirement.occurrences == expected
    assert _codes(loaded) == (["TOSCA:E002"] if text == "[x]" else [])


ENSEMBLE = """\
apiVersion: unfurl/v1.0.0
kind: Ensemble
spec:
  inputs: {zone: north}
  service_template:
    topology_template: {node_templates: {a: {type: tosca.nodes.Root}}}
environment: {locals: {l: 1}, secrets: {s: 2}}
status:
  instances:
    a1:
      template: file:a
      readyState: {effective: ok, state: started}
      attributes: {ip: 10.0.0.1, .internal: x}
      instances: {b: {status: error}, c: 5, d: {readyState: strange}}
"""


def test_an_ensemble_says_what_is_running() -> None:
    package = MemoryPackage({"ensemble.yaml": ENSEMBLE})
    file = package.get_file("ensemble.yaml")
    assert file is not None
    loaded = load_ensemble(PackageFiles(package), file)
    assert _codes(loaded) == []
    assert loaded.inputs == {"zone": "north"}
    assert (loaded.values.locals, loaded.values.secrets) == ({"l": 1}, {"s": 2})
    assert {name: (entry.status, entry.state) for name, entry in loaded.recorded.items()} == {
        "a": ("ok", "started"),
        "b": ("error", None),
        "d": (None, None),
    }
    assert loaded.recorded["a"].attributes == {"ip": "10.0.0.1"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("service_template: {node_templates: {}}\n", "missing required key 'tosca_definitions_version'"),
        ("tosca_definition_version: tosca_2_0\n", "there is no key 'tosca_definition_version'"),
        ("- tosca_definitions_version: tosca_2_0\n", "not a TOSCA document: it is no map"),
    ],
)  # fmt: skip
def test_a_file_that_says_no_version(text: str, message: str) -> None:
    package = MemoryPackage({"t.yaml": text}, single_file=True)
    assert [finding.message for finding in Application().run(package, LANGUAGE.validators())] == [message]
    assert LANGUAGE.recognises(package)


OPEN = """\
tosca_definitions_version: tosca_simple_unfurl_1_0_0
data_types: {D: {metadata: {additionalProperties: true}, properties: {a: {type: string}}}}
node_types:
  A: {derived_from: tosca.nodes.Root, %s properties: {d: {type: D, required: false}}}
topology_template:
  node_templates:
    a: {type: A, %s properties: {more: 3, d: {a: x, b: y}}}
"""
OPENING = "metadata: {additionalProperties: true},"


@pytest.mark.parametrize(
    ("of_type", "of_template", "codes"),
    [("", "", ["TOSCA:E010"]), (OPENING, "", []), ("", OPENING, [])],
)
def test_properties_that_are_not_declared(of_type: str, of_template: str, codes: list[str]) -> None:
    package = MemoryPackage({"t.yaml": OPEN % (of_type, of_template)})
    found = Application().run(package, LANGUAGE.validators())
    assert [finding.code for finding in found] == codes
