"""The comparison of package checks."""

from __future__ import annotations

from typing import Any

from tests.conformance.runner.case import Case, Verdict
from tests.conformance.runner.matching import unpaired
from tests.conformance.runner.packages import Adapter, PackageCase, PackageOutcome, Reported
from tests.conformance.runner.packages_bounded import run_bounded
from tests.conformance.runner.packages_input import prepared_input

__all__ = ["compare", "judge"]


def judge(case: Case, adapter: Adapter) -> Verdict:
    assert isinstance(case, PackageCase)
    if case.max_seconds is None:
        with prepared_input(case) as target:
            outcome = adapter(case, target)
        bounds: list[str] = []
    else:
        bounded = run_bounded(case)
        outcome, bounds = bounded.outcome, list(bounded.problems)
    expected = {"expect": list(case.expect), "exit": case.exit}
    return Verdict(differences=(*bounds, *compare(case, outcome)), expected=expected, actual=outcome)


def compare(case: PackageCase, outcome: PackageOutcome) -> list[str]:
    missing, extra = unpaired(case.expect, outcome.findings, _fits)
    found = [f"missing: {_shown_expected(entry)}" for entry in missing]
    found += [f"not expected: {_shown(finding)}" for finding in extra]
    if outcome.exit != case.exit:
        found.append(f"exit: {case.exit} expected, {outcome.exit} found")
    return found


def _fits(entry: dict[str, Any], finding: Reported) -> bool:
    same = (entry["code"], entry["severity"], entry["file"]) == (finding.code, finding.severity, finding.file)
    lines = entry.get("line")
    if not same or lines is None:
        return same
    return finding.line in (lines if isinstance(lines, list) else [lines])


def _shown_expected(entry: dict[str, Any]) -> str:
    line = f" line {entry['line']}" if "line" in entry else ""
    return f"{entry['code']} ({entry['severity']}) in {entry['file']}{line}"


def _shown(finding: Reported) -> str:
    line = f" line {finding.line}" if finding.line is not None else ""
    return f"{finding.code} ({finding.severity}) in {finding.file}{line}"
