"""Report formats of CI services: GitHub annotations, GitLab code quality, JUnit XML."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from sabir.checks.baseline import finding_fingerprint
from sabir.checks.formatters.formatter import BaseFormatter
from sabir.checks.formatters.palette import escape_control_lines
from sabir.checks.formatters.text import finding_lines
from sabir.checks.report import PackageReport, Report
from sabir.diagnostics.finding import Finding, Severity
from sabir.text import format_json


class GithubFormatter(BaseFormatter):
    """Workflow commands, which GitHub shows as annotations at the lines of a change."""

    def format(self, report: Report) -> str:
        return "".join(_format_annotation(finding, package) + "\n" for package, finding in report.findings())


def _format_annotation(finding: Finding, package: PackageReport) -> str:
    location = finding.location
    file = package.display_path(location.file)
    properties = {"title": f"sabir {finding.code}"}
    if not file.startswith("<"):
        properties["file"] = file
    if location.line:
        properties |= {"line": str(location.line), "col": str(location.column)}
    written = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
    place = f"{file}:{location.line}:{location.column}" if location.line else file
    text = f"{place}: {finding.code} {finding.message}" + (f" ({finding.hint})" if finding.hint else "")
    return f"::{finding.severity.value} {written}::{_escape_message(text)}"


def _escape_message(text: str) -> str:
    lines = escape_control_lines(text.replace("%", "%25").replace("\r", "%0D"))
    return lines.replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_message(text).replace(":", "%3A").replace(",", "%2C")


class GitlabFormatter(BaseFormatter):
    """The JSON list that GitLab reads as a code quality report, in the format of Code Climate."""

    def format(self, report: Report) -> str:
        seen: dict[str, int] = {}
        issues = [_issue_data(finding, package, seen) for package, finding in report.findings()]
        return format_json(issues, indent=2) + "\n"


def _issue_data(finding: Finding, package: PackageReport, seen: dict[str, int]) -> dict[str, Any]:
    location = finding.location
    path = PurePath(package.display_path(location.file)).as_posix()
    # GitLab drops issues with equal fingerprints, so the second of two equal lines gets a number added.
    key = finding_fingerprint(finding, path)
    seen[key] = seen.get(key, 0) + 1
    return {
        "type": "issue",
        "check_name": finding.code,
        "description": finding.message if finding.hint is None else f"{finding.message} ({finding.hint})",
        "categories": ["Bug Risk" if finding.severity is Severity.ERROR else "Style"],
        "severity": "major" if finding.severity is Severity.ERROR else "minor",
        "fingerprint": key if seen[key] == 1 else f"{key}{seen[key]}",
        "location": {
            "path": path,
            "positions": {
                "begin": {"line": max(1, location.line), "column": max(1, location.column)},
            },
            "lines": {"begin": max(1, location.line)},
        },
    }


# Characters that XML 1.0 cannot contain, not even escaped.
_UNWRITABLE: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class JunitFormatter(BaseFormatter):
    """JUnit XML, which build servers show.

    Each package is a suite, each finding a failed test case. A package without findings is one passed case, so that it is listed.
    """

    def format(self, report: Report) -> str:
        packages = [*report.packages]
        if report.general:
            packages.insert(0, PackageReport(path="<plug-ins>", findings=report.general))
        count = sum(max(1, len(package.findings)) for package in packages)
        failures = sum(len(package.findings) for package in packages)
        suites = "".join(_format_suite(package) for package in packages)
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n'
            f'<testsuites name="sabir" tests="{count}" failures="{failures}" errors="0">\n{suites}</testsuites>\n'
        )


def _format_suite(package: PackageReport) -> str:
    name = _quote_attribute(package.path or "<memory>")
    if not package.findings:
        return (
            f'  <testsuite name={name} tests="1" failures="0" errors="0">\n'
            f'    <testcase classname="sabir.checks" name={name}/>\n  </testsuite>\n'
        )
    count = len(package.findings)
    cases = "".join(_format_case(finding, package) for finding in package.findings)
    return f'  <testsuite name={name} tests="{count}" failures="{count}" errors="0">\n{cases}  </testsuite>\n'


def _format_case(finding: Finding, package: PackageReport) -> str:
    location = finding.location
    file = package.display_path(location.file)
    title = (
        f"{file}:{location.line}:{location.column} {finding.code}"
        if location.line
        else f"{file} {finding.code}"
    )
    body = "\n".join(finding_lines(finding, package))
    line = f' line="{location.line}"' if location.line else ""
    return (
        f'    <testcase classname="sabir.checks" name={_quote_attribute(title)} file={_quote_attribute(file)}{line}>\n'
        f"      <failure type={_quote_attribute(finding.severity.value)} message={_quote_attribute(finding.message)}>"
        f"{escape(_replace_unwritable(body))}</failure>\n    </testcase>\n"
    )


def _quote_attribute(text: str) -> str:
    return quoteattr(_replace_unwritable(text))


def _replace_unwritable(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", text)
