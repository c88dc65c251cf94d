"""The files that a check is asked about."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from sabir.checks.selection import FileSelection
from sabir.diagnostics.rules import Rule

RULE = Rule(code="TOY:E001", title="a toy", why="because")


@pytest.mark.parametrize(
    ("files", "selected"),
    [
        (None, ["a.yaml", "b.yaml"]),
        ([], []),
        (["b.yaml"], ["b.yaml"]),
        (iter(["a.yaml", "b.yaml", "c.yaml"]), ["a.yaml", "b.yaml"]),
    ],
)
def test_names_and_findings_of_selected_files(files: Iterable[str] | None, selected: list[str]) -> None:
    selection = FileSelection.of(files)
    names = ["a.yaml", "b.yaml"]
    assert [name for name in names if name in selection] == selected
    findings = [RULE.about_file(name, "wrong") for name in names]
    assert [finding.filename for finding in selection.only(findings)] == selected
