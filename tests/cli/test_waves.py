"""Values that come back: what rests on them is evaluated and done in the same deployment, in every language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sabir.cli.main import main

TRUST = ("--trust", "scripts")
ONE = """
name: demo
targets:
  m: {driver: local, root: world}
parts:
  one:
    language: resources
    model:
      resources:
        port: {kind: command, target: m, results: [number], fields: {run: 'echo number=80 > $SABIR_OUTPUTS'}}
        url: {kind: file, target: m, fields: {path: url, content: {eval: {concat: ["x:", {eval: '::port::number'}]}}}}
        after: {kind: file, target: m, requires: [url], fields: {path: after, content: a}}
  two:
    language: resources
    inputs: {port: {eval: '::one::port::number'}}
    model:
      resources:
        copy: {kind: file, target: m, fields: {path: copy, content: {get_input: port}}}
        text: {kind: file, target: m, fields: {path: text, content: "p {{ '::one::port::number' | eval }} q"}}
"""
CHAIN = """
name: demo
targets:
  m: {driver: local, root: world}
parts:
  a:
    language: resources
    model:
      resources:
        first: {kind: command, target: m, results: [n], fields: {run: 'echo n=1 > $SABIR_OUTPUTS'}}
  b:
    path: b.yaml
    inputs: {n: {eval: {concat: ["7", {eval: '::a::first::n'}]}}}
  c:
    language: resources
    model:
      resources:
        last: {kind: file, target: m, fields: {path: last, content: {eval: '::b::node::size'}}}
"""
TOSCA = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Sized: {derived_from: tosca.nodes.Root, properties: {size: {type: string, constraints: [{pattern: '[0-9]+'}]}}}
topology_template:
  inputs: {n: {type: string}}
  node_templates:
    node: {type: Sized, properties: {size: {get_input: n}}}
"""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SABIR_KEY", raising=False)
    (tmp_path / "world").mkdir()
    return tmp_path / "world"


def texts(world: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in world.iterdir() if file.is_file()}


def test_one_deployment_does_what_could_not_be_foreseen(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("sabir.yaml").write_text(ONE)
    assert main(["plan", ".", *TRUST]) == 3
    shown = capsys.readouterr().out
    assert "one/url cannot be foreseen yet: content is not known yet: it rests on one/port.number" in shown
    assert "one/after cannot be foreseen yet: it requires one/url" in shown
    assert "3 not foreseeable yet" in shown
    assert main(["plan", ".", "--format", "json", *TRUST]) == 3
    assert [each["address"] for each in json.loads(capsys.readouterr().out)["later"]] == [
        "one/url",
        "two/text",
        "one/after",
    ]
    assert main(["deploy", ".", "--yes", *TRUST]) == 0
    assert texts(world) == {"url": "x:80", "after": "a", "copy": "80", "text": "p 80 q"}
    assert main(["plan", ".", *TRUST]) == 0
    capsys.readouterr()
    assert main(["history", ".", "--format", "json"]) == 0
    assert [each["counts"] for each in json.loads(capsys.readouterr().out)["deployments"]] == [{"done": 5}]


def test_through_a_part_of_another_language(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("sabir.yaml").write_text(CHAIN)
    Path("b.yaml").write_text(TOSCA)
    assert main(["plan", ".", *TRUST]) == 3
    assert "foreseen yet" in capsys.readouterr().out
    assert main(["deploy", ".", "--yes", *TRUST]) == 0
    assert texts(world) == {"last": "71"}
    assert main(["plan", ".", *TRUST]) == 0


def test_a_plan_in_a_file_brings_its_waves(world: Path) -> None:
    Path("sabir.yaml").write_text(ONE)
    assert main(["plan", ".", "-o", "kept.plan", *TRUST]) == 3
    assert main(["deploy", ".", "kept.plan", *TRUST]) == 0
    assert "url" in texts(world)


def test_what_never_comes_back_is_said(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("sabir.yaml").write_text(ONE.replace("number=80", "other=80"))
    assert main(["deploy", ".", "--yes", *TRUST]) == 1
    error = capsys.readouterr().err
    assert "the value of content is still not known" in error
    assert texts(world) == {}
    assert main(["deploy", ".", "--yes", *TRUST]) == 1


def test_nothing_is_deleted_while_a_part_waits(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("sabir.yaml").write_text(CHAIN)
    Path("b.yaml").write_text(TOSCA)
    assert main(["deploy", ".", "--yes", *TRUST]) == 0
    assert main(["facts", ".", "a/first", "--expire"]) == 0
    capsys.readouterr()
    assert main(["plan", ".", *TRUST]) == 3
    assert "delete" not in capsys.readouterr().out
    assert main(["deploy", ".", "--yes", *TRUST]) == 0
    assert texts(world) == {"last": "71"}
