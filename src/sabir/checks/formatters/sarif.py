"""SARIF 2.1.0, the exchange format that code scanning services and editors read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from sabir import __version__
from sabir.checks.baseline import finding_fingerprint
from sabir.checks.formatters.formatter import BaseFormatter
from sabir.checks.report import PackageReport, Report
from sabir.diagnostics.finding import Edit, Finding, Fix, Severity
from sabir.diagnostics.page import page_url, plain_explanation
from sabir.diagnostics.rules import Rule
from sabir.text import Place, Span, format_json

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning"}


class SarifFormatter(BaseFormatter):
    """A SARIF log with one run: the rules that were found, and a result for each finding.

    Columns count Unicode code points. Results have fingerprints, so that services recognize a finding after its line has moved.
    """

    def format(self, report: Report) -> str:
        codes = sorted({finding.code for _, finding in report.findings()})
        rules = report.rules()
        indexes = {code: index for index, code in enumerate(codes)}
        run = {
            "tool": {
                "driver": {
                    "name": "sabir",
                    "version": __version__,
                    "semanticVersion": __version__,
                    "informationUri": "https://sabir.readthedocs.io/",
                    "rules": [_rule_data(code, rules.get(code)) for code in codes],
                }
            },
            "columnKind": "unicodeCodePoints",
            "results": [
                _result_data(finding, package, indexes[finding.code])
                for package, finding in report.findings()
            ],
        }
        log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
        return format_json(log, indent=2) + "\n"


def _rule_data(name: str, code: Rule | None) -> dict[str, Any]:
    level = "warning" if name.rpartition(":")[2].startswith("W") else "error"
    rule: dict[str, Any] = {"id": name, "defaultConfiguration": {"level": level}}
    if code is not None:
        rule["shortDescription"] = {"text": code.title}
        rule["fullDescription"] = {"text": code.why}
        rule["help"] = {"text": plain_explanation(code)}
        rule["helpUri"] = page_url(code.code)
    return rule


def _result_data(finding: Finding, package: PackageReport, index: int) -> dict[str, Any]:
    message = finding.message if finding.hint is None else f"{finding.message} ({finding.hint})"
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": message},
        "partialFingerprints": {"sabir/v1": finding_fingerprint(finding)},
    }
    if not finding.filename.startswith("<"):  # a finding without a file has no URI
        where = _physical_location(finding.place, package, whole_file=finding.whole_file)
        result["locations"] = [{"physicalLocation": where}]
    if finding.related:
        result["relatedLocations"] = [
            {"physicalLocation": _physical_location(note.place, package), "message": {"text": note.message}}
            for note in finding.related
        ]
    if finding.frames:
        result["stacks"] = [
            {"frames": [_frame_data(frame.name, frame.place, package) for frame in finding.frames]}
        ]
    if finding.fix is not None and not finding.fix.holds_secret:
        result["fixes"] = [_fix_data(finding.fix, package)]
    return result


def _physical_location(place: Place, package: PackageReport, *, whole_file: bool = False) -> dict[str, Any]:
    where: dict[str, Any] = {"artifactLocation": _artifact_location(place.source.name, package)}
    if not whole_file:
        where["region"] = _region_data(place)
    return where


def _artifact_location(file: str, package: PackageReport) -> Mapping[str, str]:
    path = Path(package.display_path(file))
    return {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix())}


def _region_data(place: Place) -> dict[str, Any]:
    source, span = place.source, place.span
    line, column = source.line_column(span.start)
    end_line, end_column = source.line_column(max(span.start, span.end))
    region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    return {
        **region,
        "snippet": {"text": source.display_text(Span(span.start, min(span.end, span.start + 400)))},
    }


def _frame_data(name: str, place: Place | None, package: PackageReport) -> dict[str, Any]:
    location: dict[str, Any] = {"message": {"text": name}}
    if place is not None:
        location["physicalLocation"] = _physical_location(place, package)
    return {"location": location}


def _fix_data(fix: Fix, package: PackageReport) -> dict[str, Any]:
    by_file: dict[str, list[Edit]] = {}
    for edit in fix.edits:
        by_file.setdefault(edit.place.source.name, []).append(edit)
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {
                "artifactLocation": _artifact_location(file, package),
                "replacements": [_replacement_data(edit) for edit in edits],
            }
            for file, edits in by_file.items()
        ],
    }


def _replacement_data(edit: Edit) -> dict[str, Any]:
    region = _region_data(edit.place)
    region.pop("snippet")
    return {"deletedRegion": region, "insertedContent": {"text": edit.text}}
