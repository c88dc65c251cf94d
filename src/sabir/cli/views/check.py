"""What a check found, in a line for each package and one for all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.checks.report import PackageReport, Report
from sabir.diagnostics.finding import Severity

__all__ = ["package_lines", "summary"]

_MOST_PACKAGES: Final = 30


def package_lines(report: Report) -> Iterator[str]:
    """A line for each package; of many only those with findings."""
    packages = report.packages
    if len(packages) > _MOST_PACKAGES:
        packages = tuple(package for package in packages if package.findings)
    rows = [(package.path, package.language or "", _counts(package)) for package in packages]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    for path, language, counts in rows:
        yield f"{path:<{widths[0]}}  {language:<{widths[1]}}  {counts}"
    if len(packages) < len(report.packages):
        yield f"nothing found in {len(report.packages) - len(packages)} further packages"


def _counts(package: PackageReport) -> str:
    counts = (
        (sum(finding.severity is severity for finding in package.findings), severity.value)
        for severity in (Severity.ERROR, Severity.WARNING)
    )
    return ", ".join(_counted(count, name) for count, name in counts if count) or "fine"


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"


def summary(report: Report) -> str:
    counts = [
        _counted(count, name)
        for count, name in ((report.errors, "error"), (report.warnings, "warning"))
        if count
    ]
    total = " and ".join(counts) or "nothing found"
    notes = [f"{total} in {_counted(len(report.packages), 'package')}"]
    notes += [f"not evaluated: {reason}" for reason in report.not_evaluated]
    if report.suppressed:
        notes.append(f"{report.suppressed} suppressed by comments")
    if report.baselined:
        notes.append(f"{report.baselined} hidden by the baseline")
    safe, all_ = report.fixable(), report.fixable(unsafe=True)
    if safe:
        notes.append(f"{safe} can be fixed with --fix")
    if all_ > safe:
        notes.append(f"{all_ - safe} {'more ' if safe else 'can be fixed '}with --fix --unsafe-fixes")
    return "; ".join(notes)
