"""The law of `--set`, in all four languages: asking what if gives the graph that the edited file gives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from sabir.diagnostics.finding import Severity
from sabir.graph.diff import compare_graphs
from sabir.languages.language import EvaluationRequest
from sabir.operations.diff import DiffRequest, diff_paths
from sabir.operations.evaluation import evaluate_path

TOSCA = {
    "service.yaml": """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.Root
    properties:
      port: {type: integer, default: 37}
      label: {type: string, required: false}
      url: {type: string, default: {concat: ["d-", {get_property: [SELF, port]}]}}
      sizes: {type: list, entry_schema: integer, default: [1, 2]}
    attributes:
      seen: {type: string, default: {get_property: [SELF, label]}}
topology_template:
  node_templates:
    x:
      type: App
      properties:
        port: 37
        label: first
    y:
      type: App
      properties:
        label: {concat: ["u-", {get_property: [x, port]}]}
        port: {get_attribute: [x, port]}
        url: {eval: {concat: ["e-", "::x::port", "::x::label"]}}
      requirements:
        - dependency: x
    z:
      copy: x
      properties:
        url: "{{ '::x::url' | eval }}"
  outputs:
    joined: {value: {join: [[{get_property: [x, label]}, {token: [{get_property: [y, label]}, "-", 1]}], "/"]}}
    first: {value: {get_property: [x, sizes, 0]}}
    seen: {value: {get_attribute: [z, seen]}}
""",
}

INMANTA = {
    "main.cf": """\
entity Host:
    string name
    int cpus = 2
    int doubled
    string text
end
index Host(name)
implementation host for Host:
    self.doubled = self.cpus * 2
    self.text = "{{ self.name }} has {{ self.cpus }}"
end
implement Host using host
Host(name="a", cpus=4)
Host(name="b")
""",
}

CCP = {
    "service/shop.yaml": """\
dsl_version: 0.4.0
service:
  name: shop
  kind: Deployment
  ports:
    - 8080
  containers:
    - name: web
      image: shop-web
      daemon:
        command: /usr/bin/shop
""",
}

MURANOPL = {
    "manifest.yaml": """\
Format: 1.0
Type: Application
FullName: com.example.App
Name: App
Description: An application
Author: us
Tags: [a]
Classes: {com.example.App: App.yaml, com.example.Part: Part.yaml}
""",
    "Classes/App.yaml": """\
Namespaces: {=: com.example, std: io.murano}
Name: App
Extends: std:Object
Properties:
  title: {Contract: $.string().notNull()}
  part: {Contract: $.class(Part).notNull()}
  text: {Contract: $.string(), Usage: Out}
Methods:
  .init:
    Body:
      - $.text: $.title + ':' + str($.part.size * 2)
""",
    "Classes/Part.yaml": """\
Namespaces: {=: com.example, std: io.murano}
Name: Part
Extends: std:Object
Properties:
  size: {Contract: $.int().notNull(), Default: 3}
""",
    "model.yaml": """\
"?": {id: app, type: com.example.App, name: app}
title: hello
part:
  "?": {id: part, type: com.example.Part, name: part}
  size: 5
""",
}

CASES: list[tuple[str, Mapping[str, str], str, object, str, str]] = [
    ("tosca", TOSCA, "x.port", 38, "port: 37\n        label", "port: 38\n        label"),
    ("tosca", TOSCA, "x.label", "other", "label: first", "label: other"),
    ("tosca", TOSCA, "x.label", 7, "label: first", "label: 7"),
    ("tosca", TOSCA, "x.url", "http://u", "label: first", "label: first\n        url: 'http://u'"),
    ("tosca", TOSCA, "x.sizes", [5], "label: first", "label: first\n        sizes: [5]"),
    (
        "tosca",
        TOSCA,
        "y.label",
        "v-plain",
        'label: {concat: ["u-", {get_property: [x, port]}]}',
        "label: v-plain",
    ),
    ("tosca", TOSCA, "y.port", 3, "port: {get_attribute: [x, port]}", "port: 3"),
    (
        "tosca",
        TOSCA,
        "z.port",
        40,
        "copy: x\n      properties:",
        "copy: x\n      properties:\n        port: 40",
    ),
    (
        "tosca",
        TOSCA,
        "x.seen",
        "now",
        "label: first\n",
        "label: first\n      attributes:\n        seen: now\n",
    ),
    ("inmanta", INMANTA, "a.cpus", 8, "cpus=4", "cpus=8"),
    ("inmanta", INMANTA, "b.cpus", 6, 'name="b"', 'name="b", cpus=6'),
    ("ccp", CCP, "shop.kind", "DaemonSet", "kind: Deployment", "kind: DaemonSet"),
    ("ccp", CCP, "shop/web.image", "other", "image: shop-web", "image: other"),
    ("muranopl", MURANOPL, "app.title", "bye", "title: hello", "title: bye"),
    ("muranopl", MURANOPL, "part.size", 7, "size: 5", "size: 7"),
]


def _write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("language", "files", "subject", "value", "old", "new"),
    CASES,
    ids=[f"{language}:{subject}={value}" for language, _, subject, value, _, _ in CASES],
)
def test_set_equals_editing_the_file(
    language: str, files: Mapping[str, str], subject: str, value: object, old: str, new: str, tmp_path: Path
) -> None:
    (edited,) = (name for name, text in files.items() if old in text)
    written = _write(tmp_path / "written" / "shop", files)
    changed = _write(tmp_path / "changed" / "shop", {**files, edited: files[edited].replace(old, new, 1)})

    asked = diff_paths(
        DiffRequest(
            before=written,
            language=language,
            evaluation=EvaluationRequest(model=_model(written), overrides={subject: value}),  # type: ignore[dict-item]  # plain data
        )
    )
    after = evaluate_path(changed, EvaluationRequest(model=_model(changed)), language=language).evaluation

    assert asked.diff, "the value that is set changes something"
    assert not [
        finding for finding in (*asked.findings, *after.findings) if finding.severity is Severity.ERROR
    ]
    assert not compare_graphs(asked.after, after.graph)


def _model(folder: Path) -> Path | None:
    path = folder / "model.yaml"
    return path if path.exists() else None


def test_a_value_that_does_not_fit_is_an_error_as_in_the_file(tmp_path: Path) -> None:
    written = _write(tmp_path, TOSCA)
    evaluation = evaluate_path(written, EvaluationRequest(overrides={"x.port": "many"})).evaluation
    assert [(finding.code, finding.message) for finding in evaluation.findings][:1] == [
        ("TOSCA:E012", "'port': 'many' is not a whole number")
    ]
