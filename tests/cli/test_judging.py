"""Rules of the environment over graph and plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.cli.main import main

ENVIRONMENT = """
name: demo
rules: policy.yaml
parts:
  files:
    language: resources
    model:
      resources:
        etc: {kind: directory, fields: {path: etc}}
        motd: {kind: file, fields: {path: etc/motd, content: hello, mode: "0644"}, requires: [etc]}
"""
POLICY = """
rules:
- code: SHOP:E001
  message: "{address} would be deleted"
  for: "::*::[.type=sabir.Step]::[action=delete]"
  condition: nothing
- code: SHOP:W002
  message: "{address}: {before::mode} becomes {after::mode}"
  for: "::*::[.type=sabir.Step]::[action=update]"
  condition: nothing
- code: SHOP:E003
  message: "{name} says bye"
  for: "::files::motd::[content=bye]"
  condition: nothing
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sabir.yaml").write_text(ENVIRONMENT)
    Path("policy.yaml").write_text(POLICY)
    assert main(["deploy", ".", "--yes", "--quiet"]) == 0


def change(before: str, after: str) -> None:
    file = Path("sabir.yaml")
    file.write_text(file.read_text().replace(before, after))


def test_a_broken_rule_over_the_plan_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    change(
        '        motd: {kind: file, fields: {path: etc/motd, content: hello, mode: "0644"}, requires: [etc]}\n',
        "",
    )
    for words in (["plan", "."], ["deploy", ".", "--yes", "--allow-delete", "all"]):
        assert main(words) == 1
        assert "SHOP:E001 files/motd would be deleted" in capsys.readouterr().err
    assert Path(".sabir/world/etc/motd").exists()
    assert main(["destroy", ".", "--yes", "--allow-delete", "all"]) == 1


def test_a_broken_rule_over_the_graph_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    change("content: hello", "content: bye")
    assert main(["deploy", ".", "--yes"]) == 1
    assert "SHOP:E003 motd says bye" in capsys.readouterr().err


def test_a_warning_is_said_and_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    change('"0644"', '"0600"')
    assert main(["deploy", ".", "--yes"]) == 0
    assert "SHOP:W002 files/motd: 0644 becomes 0600" in capsys.readouterr().err
