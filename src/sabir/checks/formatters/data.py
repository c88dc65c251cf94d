"""The report as plain data, format `sabir.report/1`, written as JSON or YAML.

Lines and columns start at 1, and columns count characters. A finding about a whole file has neither.
"""

from __future__ import annotations

from typing import Any, Final

from sabir import __version__
from sabir.checks.formatters.formatter import BaseFormatter
from sabir.checks.report import PackageReport, Report
from sabir.diagnostics.finding import Finding, Fix
from sabir.text import Place, format_json

REPORT_FORMAT: Final = "sabir.report/1"


def report_data(report: Report, *, statistics: bool = False) -> dict[str, Any]:
    """Return the complete report. All keys are always present; unknown values are null."""
    data: dict[str, Any] = {
        "format": REPORT_FORMAT,
        "tool": {"name": "sabir", "version": __version__},
        "summary": {
            "errors": report.errors,
            "warnings": report.warnings,
            "suppressed": report.suppressed,
            "baselined": report.baselined,
            "fixable": report.fixable(unsafe=True),
        },
        "findings": [finding_data(finding, package) for package, finding in report.findings()],
        "packages": [
            {
                "path": package.path,
                "language": package.language,
                "findings": len(package.findings),
                "suppressed": package.suppressed,
                "baselined": package.baselined,
                "not_evaluated": package.not_evaluated,
            }
            for package in report.packages
        ],
    }
    if statistics:
        data["statistics"] = dict(report.statistics())
    return data


def finding_data(finding: Finding, package: PackageReport | None = None) -> dict[str, Any]:
    """Return one finding with all its attributes (spec 001, "Exceptions").

    Fixes that contain secrets are omitted.
    """
    owner = package or PackageReport(path="")
    line, column, end_line, end_column = _finding_range(finding)
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "message": finding.message,
        "package": owner.path or None,
        "file": finding.filename,
        "path": owner.display_path(finding.filename),
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "source": finding.source,
        "hint": finding.hint,
        "related": [{**_place_data(note.place), "message": note.message} for note in finding.related],
        "frames": [
            {"name": frame.name, **(_place_data(frame.place) if frame.place else {})}
            for frame in finding.frames
        ],
        "fix": None if finding.fix is None or finding.fix.holds_secret else _fix_data(finding.fix),
    }


def _finding_range(finding: Finding) -> tuple[int | None, int | None, int | None, int | None]:
    if finding.whole_file:
        return None, None, None, None
    span, source = finding.place.span, finding.place.source
    return *source.line_column(span.start), *source.line_column(max(span.start, span.end))


def _place_data(place: Place) -> dict[str, Any]:
    location = place.location
    return {"file": location.file, "line": location.line, "column": location.column}


def _fix_data(fix: Fix) -> dict[str, Any]:
    return {
        "title": fix.title,
        "safe": fix.safe,
        "edits": [
            {
                **_place_data(edit.place),
                "end_line": (end := edit.place.source.line_column(edit.place.span.end))[0],
                "end_column": end[1],
                "text": edit.text,
            }
            for edit in fix.edits
        ],
    }


class JsonFormatter(BaseFormatter):
    """`sabir.report/1` as JSON."""

    def format(self, report: Report) -> str:

        data = report_data(report, statistics=self.options.statistics)
        return format_json(data, indent=2) + "\n"


class YamlFormatter(BaseFormatter):
    """`sabir.report/1` as YAML."""

    def format(self, report: Report) -> str:
        from sabir.source.yaml.write import yaml_text

        return yaml_text(report_data(report, statistics=self.options.statistics))
