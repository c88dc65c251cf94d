"""Baselines: known findings that are excluded, so that a run reports only new ones.

A finding is identified by its code, its file and the text of its line, not by the line number. So findings stay known when code
above them is added or removed.
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
from sabir.source.packages.limits import PackageReadError
from sabir.text import format_json

BASELINE_FORMAT: Final = "sabir.baseline/1"
_DIGITS: Final = re.compile(r"\d+")


def finding_fingerprint(finding: Finding, file: str | None = None) -> str:
    """Return a digest of the parts of a finding that survive changes elsewhere in its file."""
    # A finding about a whole file has no line, so its message has to distinguish it; line numbers in it must not count.
    if finding.whole_file:
        content = _DIGITS.sub("#", finding.message)
    else:
        source = finding.place.source
        content = source.line_text(source.line_column(finding.place.span.start)[0]).strip()
    text = "\0".join((finding.code, file or finding.filename, content))
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def baseline_text(report: Report) -> str:
    """Return the report's findings as the contents of a baseline file."""
    by_key: dict[str, dict[str, Any]] = {}
    for package, finding in report.findings():
        file = package.display_path(finding.filename)
        key = finding_fingerprint(finding, file)
        entry = by_key.setdefault(key, {"file": file, "code": finding.code, "fingerprint": key, "count": 0})
        entry["count"] += 1
    entries = sorted(by_key.values(), key=lambda entry: (entry["file"], entry["code"], entry["fingerprint"]))
    return format_json({"format": BASELINE_FORMAT, "findings": entries}, indent=1) + "\n"


def read_baseline(path: Path) -> Mapping[str, int]:
    """Read how many findings of each fingerprint are known.

    Raises `UsageError` if the file is not a baseline.
    """
    try:
        data = json.loads(read_named_file(path))
    except PackageReadError as error:
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
    """Return the report without the findings of the baseline.

    Each package counts the excluded ones.

    An entry with count 2 excludes two findings, so a third one on an equal line is still reported.
    """
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
