"""The judgement of slips: what counts as caught."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conformance.runner.case import MalformedCase
from tests.conformance.runner.loading import CaseFileError
from tests.conformance.runner.mistakes import MistakeCase, MistakeOutcome, Said, edited_project, load
from tests.conformance.runner.mistakes_compare import caught, sound

SLIP: dict[str, Any] = {
    "id": 1,
    "language": "inmanta",
    "title": "a slip",
    "file": "main.cf",
    "old": "import net",
    "new": "import nte",
    "command": "check",
    "line": 1,
    "near": "net",
}


def slip_case(folder: Path, **changes: Any) -> Any:
    project = folder / "projects" / "inmanta"
    project.mkdir(parents=True)
    (project / "main.cf").write_text("import net\nx = 1\n")
    (folder / "mistakes.yaml").write_text(yaml.safe_dump([{**SLIP, **changes}]))
    correct, slip = load(folder)
    assert correct.id == "inmanta-correct"
    return slip


def said(
    project: Path, *, line: int | None = 1, severity: str = "error", text: str = "did you mean net?"
) -> Said:
    return Said(code="INM:E002", severity=severity, file=project / "main.cf", line=line, text=text)


@pytest.mark.parametrize(
    ("changes", "status", "findings", "words"),
    [
        ({}, 1, [{}], None),
        ({}, 0, [{}], "exit 0"),
        ({}, 1, [{"line": 2}], None),
        ({}, 1, [{"line": 3}], "no error at"),
        ({}, 1, [{"line": None}], "no error at"),
        ({}, 1, [{"severity": "warning"}], "no error at"),
        ({}, 1, [{"text": "something else"}], "near name"),
        ({}, 1, [{}, {"line": 5}, {"line": 6}], "cascade"),
        ({"line": [7, 9], "near": "net"}, 1, [{"line": 8}], None),
        ({"line": None}, 1, [{"line": None}], None),
        ({"severity": "warning"}, 0, [{"severity": "warning"}], None),
        ({"severity": "warning"}, 2, [{"severity": "warning"}], "exit 2"),
    ],
)
def test_caught(
    tmp_path: Path, changes: dict[str, Any], status: int, findings: list[dict[str, Any]], words: str | None
) -> None:
    case = slip_case(tmp_path, **changes)
    assert isinstance(case, MistakeCase)
    outcome = MistakeOutcome(exit=status, findings=tuple(said(tmp_path, **finding) for finding in findings))
    differences = caught(case, tmp_path, outcome)
    assert (differences == []) is (words is None), differences
    assert words is None or any(words in difference for difference in differences)


def test_a_correct_project_is_said_nothing_of(tmp_path: Path) -> None:
    note = Said(code="MAN:W074", severity="warning", file=None, line=None, text="no logo")
    assert sound(MistakeOutcome(exit=0, findings=(note,))) == []
    assert len(sound(MistakeOutcome(exit=1, findings=(said(tmp_path),)))) == 2


def test_the_edit_is_made_in_a_copy(tmp_path: Path) -> None:
    case = slip_case(tmp_path)
    with edited_project(case) as project:
        assert (project / "main.cf").read_text() == "import nte\nx = 1\n"
    assert (tmp_path / "projects/inmanta/main.cf").read_text() == "import net\nx = 1\n"


def test_an_edit_that_fits_nowhere_is_a_fault_of_the_case(tmp_path: Path) -> None:
    with (
        pytest.raises(CaseFileError, match="does not stand in"),
        edited_project(slip_case(tmp_path, old="import no")),
    ):
        pass


@pytest.mark.parametrize("changes", [{"extra": 1}, {"command": "compile"}, {"language": "cobol"}])
def test_malformed(tmp_path: Path, changes: dict[str, Any]) -> None:
    assert isinstance(slip_case(tmp_path, **changes), MalformedCase)
