"""`sabir check --rules`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.cli.main import main

POLICY = """\
rules:
  - code: SHOP:E001
    message: "{name} has the address {ip}"
    for: "::*::[.type=host]"
    condition: url
    hint: give it a url
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY)
    return file


def test_rules_are_findings_like_others(
    model: Path, policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(model), "--rules", str(policy)]) == 1
    shown = capsys.readouterr().out
    assert "main.toy:1:1: SHOP:E001 db has the address 10.0.0.2" in shown
    assert "give it a url" in shown
    assert main(["check", str(model), "--rules", str(policy), "--ignore", "SHOP:E001"]) == 0


def test_a_missing_policy_file(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(model), "--rules", "gone.yaml"]) == 2
    assert "the rules 'gone.yaml' cannot be read" in capsys.readouterr().err
