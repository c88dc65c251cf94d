"""Rules of the TOSCA 2.0 specification, a small template each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sabir.diagnostics.finding import Severity
from sabir.operations.check import check_package
from sabir.source.packages import MemoryPackage

VERSION = "tosca_definitions_version: tosca_2_0\n"
TEXT = (Path(__file__).parent / "rules_2_0.txt").read_text(encoding="utf-8")
CASES = re.findall(r"(?ms)^### ([+-]) ([^\n]*)\n(.*?)(?=^### |\Z)", TEXT)


def _with_version(name: str, text: str) -> str:
    has_version = "tosca_definitions_version" in text or not name.endswith(".yaml")
    return text if has_version else VERSION + text


@pytest.mark.parametrize(
    ("is_good", "text"), [pytest.param(sign == "+", text, id=title) for sign, title, text in CASES]
)
def test_rule(is_good: bool, text: str) -> None:
    main, *others = re.split(r"(?m)^=== (\S+)\n", text)
    files = {"t.yaml": main, **dict(zip(others[::2], others[1::2], strict=True))}
    package = MemoryPackage({name: _with_version(name, body) for name, body in files.items()})
    findings = (finding for _, finding in check_package(package).findings())
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    assert bool(errors) is not is_good, errors
