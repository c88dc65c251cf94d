"""The baseline: findings that are known and left for later, so that a run shows only what is new.

A finding is known again by its code, its file and the text of its line, not by the line's number: moving code around does not
bring old findings back.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from sabir.checks.report import PackageReport, Report
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.reasons import explain_error
from sabir.errors import UsageError
from sabir.source.packages.file_access import read_named_file
from sabir.source.packages.limits import ReadProblem
from sabir.text import format_json

BASELINE_FORMAT: Final = "sabir.baseline/1"
_DIGITS: Final = re.compile(r"\d+")


def finding_fingerprint(finding: Finding, file: str | None = None) -> str:
    """What stays the same of a finding while the file around it changes."""
    # Messages may name line numbers; only where there is no line to go by are they needed to tell findings apart.
    if finding.whole_file:
        content = _DIGITS.sub("#", finding.message)
    else:
        source = finding.place.source
        content = source.line_text(source.line_column(finding.place.span.start)[0]).strip()
    text = "\0".join((finding.code, file or finding.filename, content))
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def baseline_text(report: Report) -> str:
    """The report's findings as the content of a baseline file."""
    by_key: dict[str, dict[str, Any]] = {}
    for package, finding in report.findings():
        file = package.display_path(finding.filename)
        key = finding_fingerprint(finding, file)
        entry = by_key.setdefault(key, {"file": file, "code": finding.code, "fingerprint": key, "count": 0})
        entry["count"] += 1
    entries = sorted(by_key.values(), key=lambda entry: (entry["file"], entry["code"], entry["fingerprint"]))
    return format_json({"format": BASELINE_FORMAT, "findings": entries}, indent=1) + "\n"


def read_baseline(path: Path) -> Mapping[str, int]:
    """How often each fingerprint is known; `UsageError` when the file is none."""
    try:
        data = json.loads(read_named_file(path))
    except ReadProblem as error:
        if not path.exists():
            raise UsageError(f"no baseline {str(path)!r}: --update-baseline makes it") from error
        raise UsageError(f"the baseline {str(path)!r} {error}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"baseline {str(path)!r} is no JSON: {explain_error(error)}") from error
    entries = data.get("findings") if isinstance(data, dict) else None
    if not isinstance(entries, list) or data.get("format") != BASELINE_FORMAT:
        raise UsageError(f"{str(path)!r} is no baseline of the form {BASELINE_FORMAT}")
    try:
        return {str(entry["fingerprint"]): int(entry["count"]) for entry in entries}
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"baseline {str(path)!r} has an entry without fingerprint and count") from error


def exclude_baseline(report: Report, known: Mapping[str, int]) -> Report:
    """The report without what the baseline knows; each package says how much that was."""
    left = Counter(known)
    packages = tuple(_exclude_known(package, left) for package in report.packages)
    return replace(report, packages=packages)


def _exclude_known(package: PackageReport, left: Counter[str]) -> PackageReport:
    kept: list[Finding] = []
    for finding in package.findings:
        key = finding_fingerprint(finding, package.display_path(finding.filename))
        if left[key] > 0:
            left[key] -= 1
        else:
            kept.append(finding)
    return replace(package, findings=tuple(kept), baselined=len(package.findings) - len(kept))
