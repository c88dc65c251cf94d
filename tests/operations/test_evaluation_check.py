"""`check` reports what only an evaluation can tell, and says when it did not evaluate."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.checks.options import CheckOptions
from sabir.checks.report import PackageReport
from sabir.diagnostics.finding import Severity
from sabir.operations.check import check_paths
from sabir.session import Session, Trust
from tests.support.files import write_files

TOSCA = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
INMANTA = "entity Host:\n    string name\nend\nimplement Host using std::none\n"
PLUGIN = "from inmanta.plugins import plugin\n\n@plugin\ndef half(number: 'int') -> 'int':\n    return number // 2\n"
WITH_PLUGIN = {
    "main.cf": "import net\nx = net::half(4)\n",
    "libs/net/module.yml": "name: net\nversion: 1.0\n",
    "libs/net/model/_init.cf": "",
    "libs/net/plugins/__init__.py": PLUGIN,
}


def checked(folder: Path, files: dict[str, str], **options: object) -> PackageReport:
    write_files(folder, files)
    result = check_paths([folder], CheckOptions(**options))  # type: ignore[arg-type]  # a table of them
    (package,) = result.report.packages
    return package


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("Host()", id="an attribute that is never set"),
        pytest.param("a = b\nb = a", id="values that wait for each other"),
        pytest.param("Host(nme='a')", id="what the checker says is not said twice"),
    ],
)
def test_errors_of_the_evaluation(tmp_path: Path, statement: str) -> None:
    findings = checked(tmp_path, {"main.cf": f"{INMANTA}{statement}\n"}).findings
    assert [finding.severity.value for finding in findings] == ["error"]


def test_without_leave_the_summary_says_what_was_not_evaluated(tmp_path: Path) -> None:
    report = checked(tmp_path, WITH_PLUGIN)
    assert report.findings == ()
    assert report.not_evaluated is not None
    assert "net::half" in report.not_evaluated


def test_a_missing_input_is_no_defect_of_the_template(tmp_path: Path) -> None:
    template = {"t.yaml": TOSCA + "topology_template:\n  inputs: {zone: {type: string}}\n"}
    report = checked(tmp_path, template)
    assert not [finding for finding in report.findings if finding.severity is Severity.ERROR]
    assert report.not_evaluated is not None
    assert "zone" in report.not_evaluated


def test_inputs_are_taken_from_the_options(tmp_path: Path) -> None:
    template = {"t.yaml": TOSCA + "topology_template:\n  inputs: {zone: {type: string}}\n"}
    report = checked(tmp_path, template, inputs={"zone": "a"})
    assert report.not_evaluated is None


def test_single_validators_are_asked_alone(tmp_path: Path) -> None:
    assert checked(tmp_path, {"main.cf": INMANTA + "Host()\n"}, scope=("inm",)).findings == ()


def test_processes_evaluate_as_well(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_files(tmp_path / name, {"main.cf": INMANTA + "Host()\n"})
    result = check_paths([tmp_path / "a", tmp_path / "b"], CheckOptions(), jobs=2)
    assert result.report.errors == 2


def test_comments_suppress_findings_of_the_evaluation(tmp_path: Path) -> None:
    text = "entity Host:\n    string name\nend\nimplement Host using std::none\nHost()\n"
    (finding,) = checked(tmp_path, {"main.cf": text}).findings
    lines = text.splitlines()
    lines[finding.location.line - 1] += f"  # sabir: ignore[{finding.code}] set elsewhere"
    report = checked(tmp_path, {"main.cf": "\n".join(lines) + "\n"})
    assert (report.findings, report.suppressed) == ((), 1)


def test_trusted_plugins_run(tmp_path: Path) -> None:
    session = Session(trust=Trust(python=True))
    assert checked(tmp_path, WITH_PLUGIN, session=session).not_evaluated is None


def test_resources_that_stand_in_the_environment_are_checked(tmp_path: Path) -> None:
    """They have no file of their own that a validator could look for."""
    text = "parts:\n  files:\n    language: resources\n    model:\n      resources:\n        a: {kind: file, fields: {path: a, content: b}}\n"
    (tmp_path / "sabir.yaml").write_text(text)
    assert [*check_paths([tmp_path]).report.findings()] == []
