"""JUnit XML, which every build server shows: a suite for each package, a failed case for each finding."""

from __future__ import annotations

import re
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from sabir.checks.formatters.formatter import BaseFormatter
from sabir.checks.formatters.text import finding_lines
from sabir.checks.report import PackageReport, Report
from sabir.diagnostics.finding import Finding

__all__ = ["JunitFormatter"]

# What XML 1.0 cannot hold at all, not even escaped.
_UNWRITABLE: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class JunitFormatter(BaseFormatter):
    def format(self, report: Report) -> str:
        packages = [*report.packages]
        if report.general:
            packages.insert(0, PackageReport(path="<plug-ins>", findings=report.general))
        count = sum(max(1, len(package.findings)) for package in packages)
        failures = sum(len(package.findings) for package in packages)
        suites = "".join(_suite(package) for package in packages)
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n'
            f'<testsuites name="sabir" tests="{count}" failures="{failures}" errors="0">\n{suites}</testsuites>\n'
        )


def _suite(package: PackageReport) -> str:
    name = _attribute(package.path or "<memory>")
    if not package.findings:
        return (
            f'  <testsuite name={name} tests="1" failures="0" errors="0">\n'
            f'    <testcase classname="sabir.checks" name={name}/>\n  </testsuite>\n'
        )
    count = len(package.findings)
    cases = "".join(_case(finding, package) for finding in package.findings)
    return f'  <testsuite name={name} tests="{count}" failures="{count}" errors="0">\n{cases}  </testsuite>\n'


def _case(finding: Finding, package: PackageReport) -> str:
    location = finding.location
    file = package.shown_file(location.file)
    title = (
        f"{file}:{location.line}:{location.column} {finding.code}"
        if location.line
        else f"{file} {finding.code}"
    )
    body = "\n".join(finding_lines(finding, package))
    line = f' line="{location.line}"' if location.line else ""
    return (
        f'    <testcase classname="sabir.checks" name={_attribute(title)} file={_attribute(file)}{line}>\n'
        f"      <failure type={_attribute(finding.severity.value)} message={_attribute(finding.message)}>"
        f"{escape(_writable(body))}</failure>\n    </testcase>\n"
    )


def _attribute(text: str) -> str:
    return quoteattr(_writable(text))


def _writable(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", text)
