"""`sabir query`: what it prints and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sabir.cli.main import main

TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    vm: {type: tosca.nodes.Compute}
    db:
      type: tosca.nodes.DBMS
      properties: {port: 5432}
      requirements: [{host: vm}]
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "t.yaml").write_text(TEMPLATE)
    return str(tmp_path / "t.yaml")


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["::*::.name"], "root\nvm\ndb\n"),
        (["port", "--at", "db"], "5432\n"),
        (["..::.name", "--at", "db"], "vm\n"),
        (["::*::[port=$p]::.name", "--var", "p=5432"], "db\n"),
        (["{eval: '::db', select: port}"], "5432\n"),
        (["::db", "--format", "yaml"], "- db\n"),
        (["::db::.requirements::.target::.name"], "vm\n"),
    ],
)
def test_answers(words: list[str], shown: str, path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", path, *words]) == 0
    assert capsys.readouterr().out == shown


def test_json(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", path, "::*::port", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == [5432]


def test_places_and_traces_go_to_stderr(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", path, "::db", "--why", "--trace"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "db\n"
    assert "t.yaml:5:5" in shown.err
    assert "path '::db'" in shown.err


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["::db::[port"], 1, "never closed"),
        (["::db::.nmae"], 1, "did you mean '.name'?"),
        (["::nothing"], 1, ""),
        (["port", "--at", "bd"], 2, "did you mean 'db'?"),
        (["{eval: "], 2, "cannot be read as YAML"),
        (["{eval: {python: os.getcwd}}"], 1, "--trust python"),
    ],
)
def test_failures(
    words: list[str], status: int, message: str, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["query", path, *words]) == status
    shown = capsys.readouterr()
    assert message in shown.err
    assert "Traceback" not in shown.err


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("::dbb::port", "no match: there is no 'dbb': did you mean 'db'?\n"),
        ("::db::prot", "no match: '::db' has no 'prot': did you mean 'port'?\n"),
        ("::db[port=1]::port", "no match: there is 'db', but the filters let nothing through\n"),
        ("{eval: '::vn'}", "no match: there is no 'vn': did you mean 'vm'?\n"),
        ("::*::[port=1]", ""),
    ],
)
def test_no_match_names_what_is_missing(
    expression: str, said: str, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["query", path, expression]) == 1
    assert capsys.readouterr().err == said
    assert main(["query", path, expression, "--quiet"]) == 1
    assert capsys.readouterr().err == ""
