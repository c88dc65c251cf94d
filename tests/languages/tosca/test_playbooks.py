"""Playbooks that fail: people are shown the task and its words."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sabir.cli.main import main

TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    box: {type: tosca.nodes.Root, interfaces: {Standard: {operations: {create: play.yaml}}}}
"""
PLAY = """\
- hosts: all
  gather_facts: false
  tasks:
    - {name: this does not matter, command: 'false', ignore_errors: true}
    - {name: look at the sky, fail: {msg: it rains}}
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not Path(sys.executable).with_name("ansible-playbook").exists(), reason="ansible-core is not installed"
)
def test_the_task_that_failed_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "service.yaml").write_text(TEMPLATE, encoding="utf-8")
    (tmp_path / "play.yaml").write_text(PLAY, encoding="utf-8")
    assert main(["deploy", str(tmp_path / "service.yaml"), "--here", "--trust", "scripts", "--yes"]) == 1
    said = "".join(capsys.readouterr())
    assert "it ended with status 2: look at the sky: it rains" in said
    assert "this does not matter" not in said
