"""`+include` in ensembles, as projects of Unfurl have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.expressions.query import evaluate
from sabir.graph.values import Sensitive
from sabir.languages.language import EvaluationRequest
from sabir.languages.tosca import LANGUAGE
from sabir.languages.tosca.evaluate import Request
from sabir.languages.tosca.graph.evaluation import instantiate_topology
from sabir.languages.tosca.syntax.documents import LoadedTopology
from sabir.languages.tosca.syntax.ensembles import load_ensemble
from sabir.languages.tosca.syntax.files import DiskFiles
from sabir.operations.check import check_paths
from sabir.source.packages import load_package

HEAD = "apiVersion: unfurl/v1alpha1\nkind: Ensemble\n"
TEMPLATE = """\
apiVersion: unfurl/v1alpha1
kind: Ensemble
spec:
  inputs: {size: 4, zone: north}
  service_template:
    +include: service-template.yaml
    topology_template:
      node_templates:
        db: {type: tosca.nodes.Root, metadata: {from: template}}
"""
SERVICE = """\
tosca_definitions_version: tosca_simple_unfurl_1_0_0
node_types:
  demo.Web: {derived_from: tosca.nodes.Root, properties: {port: {type: integer, default: 80}, size: {type: integer, default: {get_input: size}}}}
topology_template:
  inputs: {size: {type: integer}, zone: {type: string}}
  node_templates:
    web: {type: demo.Web}
    db: {type: demo.Web}
  outputs:
    port: {value: {get_property: [web, port]}}
"""


def _loaded(folder: Path, ensemble: str, **files: str) -> LoadedTopology:
    written = {"ensemble-template": TEMPLATE, "service-template": SERVICE, **files}
    for name, text in written.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    (folder / "ensemble").mkdir()
    (folder / "ensemble" / "ensemble.yaml").write_text(ensemble, encoding="utf-8")
    source = DiskFiles(folder / "ensemble", folder)
    file = source.read("ensemble.yaml")
    assert file is not None
    return load_ensemble(source, file)


def test_a_project_as_unfurl_makes_it(tmp_path: Path) -> None:
    ensemble = HEAD + "+include: ../ensemble-template.yaml\nspec: {inputs: {size: 7}}\n" + (
        "status: {instances: {web: {template: web, attributes: {port: 8080}}}}\n"
    )  # fmt: skip
    loaded = _loaded(tmp_path, ensemble)
    assert [finding.message for finding in loaded.findings] == []
    assert loaded.inputs == {"size": 7, "zone": "north"}
    assert set(loaded.recorded) == {"web"}
    root = instantiate_topology(loaded, Request(inputs=loaded.inputs)).root
    assert evaluate("::*::.name", root).values == ["root", "db", "web"]
    assert (
        evaluate("::db::.type", root).value == "tosca.nodes.Root"
    )  # what is written in the including file counts
    assert evaluate("::web::size", root).value == 7
    assert evaluate(".root::outputs::port", root).value == 80


@pytest.mark.parametrize(
    ("ensemble", "words"),
    [
        (HEAD + "+include: ../nowhere.yaml\nspec: {service_template: {}}\n", "nowhere.yaml"),
        (HEAD + "+include: ../../beyond.yaml\nspec: {service_template: {}}\n", "beyond.yaml"),
        (HEAD + "spec: {+include: ../loop.yaml, service_template: {}}\n", "leads back"),
        (HEAD + "spec: {service_template: {metadata: {a: {+include: x.yaml}}}}\n", "not followed"),
        (HEAD + "spec: {+%: x, service_template: {}}\n", "not followed"),
    ],
    ids=["missing", "outside", "round", "inside", "other"],
)  # fmt: skip
def test_what_is_not_followed_is_said(ensemble: str, words: str, tmp_path: Path) -> None:
    loaded = _loaded(tmp_path, ensemble, loop="+include: loop.yaml\n")
    assert [finding.code for finding in loaded.findings] == ["TOSCA:W031"]
    assert words in loaded.findings[0].message


def test_an_optional_include_may_be_missing(tmp_path: Path) -> None:
    loaded = _loaded(tmp_path, HEAD + "+?include: nowhere.yaml\nspec: {service_template: {}}\n")
    assert loaded.findings == ()


PROJECT = """\
apiVersion: unfurl/v1alpha1
kind: Project
+?include-local: local/unfurl.yaml
+?include-missing: nowhere.yaml
environments:
  defaults:
    locals: {rate: 5, zone: {eval: .name}}
    secrets: {key: hush}
"""


def test_values_of_the_project_and_of_the_ensemble(tmp_path: Path) -> None:
    (tmp_path / "unfurl.yaml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "local").mkdir()
    own = "environments: {defaults: {locals: {rate: 1, mine: here}}}\n"
    (tmp_path / "local" / "unfurl.yaml").write_text(own, encoding="utf-8")
    ensemble = (
        HEAD
        + """\
environment: {locals: {color: red}, secrets: {key: louder}}
spec:
  service_template:
    topology_template:
      node_templates: {n: {type: tosca.nodes.Root}}
      outputs:
        all: {value: [{eval: {local: rate}}, {eval: {local: mine}}, {eval: {local: color}}]}
        key: {value: {eval: {secret: key}}}
"""
    )
    (tmp_path / "ensemble.yaml").write_text(ensemble, encoding="utf-8")
    package = load_package(tmp_path / "ensemble.yaml")
    evaluation = LANGUAGE.evaluate(package, EvaluationRequest())
    assert [finding.message for finding in evaluation.findings] == []
    assert evaluation.graph.outputs["all"] == [5, "here", "red"]
    assert evaluation.graph.outputs["key"] == Sensitive("louder")


def _project(folder: Path, **files: str) -> list[str]:
    for name, text in files.items():
        (folder / f"{name.replace('__', '.')}").write_text(text, encoding="utf-8")
    findings = (finding for _, finding in check_paths([folder]).report.findings())
    return [f"{finding.code} {finding.message}" for finding in findings]


TEMPLATE_OF = HEAD + "spec:\n  service_template:\n    topology_template:\n      node_templates:\n"


def test_a_section_is_included(tmp_path: Path) -> None:
    nodes = "b: {type: tosca.nodes.Root}\na: {type: tosca.nodes.Compute}\n"
    loaded = _loaded(
        tmp_path,
        TEMPLATE_OF + "        +include: ../nodes.yaml\n        a: {type: tosca.nodes.Root}\n",
        nodes=nodes,
    )
    assert loaded.findings == ()
    assert loaded.topology is not None
    types = {name: template.type for name, template in loaded.topology.node_templates.items()}
    assert types == {"a": "tosca.nodes.Root", "b": "tosca.nodes.Root"}
    place = loaded.topology.node_templates["b"].place
    assert (place.source.name, place.location.line) == ("../nodes.yaml", 1)


def test_a_part_of_the_document_is_merged(tmp_path: Path) -> None:
    ensemble = (
        TEMPLATE_OF
        + "        a: {+/parts/web: null, properties: {own: 1}}\n        b: {+/no/where: null, type: tosca.nodes.Root}\n"
        + "parts:\n  web: {type: tosca.nodes.Root, properties: {own: 2, other: 3}, +/parts/web: null}\n"
    )
    loaded = _loaded(tmp_path, ensemble)
    assert "'+/no/where' is not followed" in " ".join(finding.message for finding in loaded.findings)
    assert loaded.topology is not None
    node = loaded.topology.node_templates["a"]
    assert (node.type, {name: value.data for name, value in node.properties.items()}) == (
        "tosca.nodes.Root",
        {"own": 1, "other": 3},
    )


def test_a_fragment_is_imported_and_python_is_one_finding(tmp_path: Path) -> None:
    types = HEAD + "spec: {service_template: {node_types: {X: {derived_from: tosca.nodes.Root}}}}\n"
    ensemble = HEAD + (
        "spec:\n  service_template:\n    imports: [%s]\n"
        "    topology_template:\n      node_templates: {a: {type: X}}\n"
        "      workflows: {w: {steps: {s: {target: X, activities: [{set_state: started}]}}}}\n"
    )
    fragment = "{file: 'types.yaml#/spec/service_template'}"
    assert _project(tmp_path, ensemble__yaml=ensemble % fragment, types__yaml=types) == []
    wrong = "{file: 'types.yaml#/spec/nowhere'}"
    assert _project(tmp_path, ensemble__yaml=ensemble % wrong) == [
        "TOSCA:E004 'types.yaml' has no '#/spec/nowhere'"
    ]
    python = ensemble % "types.py"
    assert _project(tmp_path, ensemble__yaml=python, types__py="import tosca\nclass X: ...\n") == [
        "TOSCA:W069 'types.py' is written in Python, and is not read"
    ]


def test_pointers_end(tmp_path: Path) -> None:
    levels = "".join(
        f"  l{n}: {{a: {{+/parts/l{n - 1}: null}}, b: {{+/parts/l{n - 1}: null}}}}\n" for n in range(1, 40)
    )
    loaded = _loaded(
        tmp_path, TEMPLATE_OF + "        a: {type: tosca.nodes.Root}\nparts:\n  l0: {x: 1}\n" + levels
    )
    assert loaded.topology is not None
