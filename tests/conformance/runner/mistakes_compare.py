"""When a slip counts as caught: status, place, no cascade, the near name."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from tests.conformance.runner.case import Case, Verdict
from tests.conformance.runner.mistakes import Adapter, MistakeCase, MistakeOutcome, Said, edited_project

__all__ = ["caught", "judge", "sound"]

_MOST_ERRORS = 2
_NOTES = ("PKG:W", "MAN:W")
"""Notes about the files around the code, such as a missing logo."""


def judge(case: Case, adapter: Adapter) -> Verdict:
    assert isinstance(case, MistakeCase)
    with edited_project(case) as project:
        if case.edits:
            outcome = adapter(case, project)
            differences = caught(case, project, outcome)
        else:
            checked = adapter(replace(case, command="check"), project)
            outcome = adapter(case, project)
            differences = [*sound(checked), *sound(outcome)]
    return Verdict(differences=tuple(differences), expected=dict(case.raw), actual=outcome)


def sound(outcome: MistakeOutcome) -> list[str]:
    """What is wrong with the outcome of a correct project."""
    differences = [
        f"said of a correct project: {finding.text}" for finding in outcome.findings if not _is_note(finding)
    ]
    if outcome.exit != 0:
        differences.append(f"exit {outcome.exit} for a correct project")
    return differences


def caught(case: MistakeCase, project: Path, outcome: MistakeOutcome) -> list[str]:
    errors = [finding for finding in outcome.findings if finding.severity == "error"]
    looked_at = [finding for finding in outcome.findings if finding.severity == case.severity]
    differences: list[str] = []
    if case.severity == "error" and outcome.exit != 1:
        differences.append(f"exit {outcome.exit}, not 1")
    if case.severity == "warning" and outcome.exit not in (0, 1):
        differences.append(f"exit {outcome.exit}, neither 0 nor 1")
    if len(errors) > _MOST_ERRORS:
        differences.append(f"{len(errors)} errors: a cascade")
    there = [finding for finding in looked_at if _is_there(case, project, finding)]
    if not there:
        differences.append(f"no {case.severity} at {case.slip}:{case.lines}")
    elif case.near is not None and not any(case.near in finding.text for finding in there):
        differences.append(f"the near name {case.near!r} is not said")
    return differences


def _is_there(case: MistakeCase, project: Path, finding: Said) -> bool:
    if finding.file is None:
        return False
    if case.lines is None:
        return finding.file.is_relative_to(project)
    slip = Path(os.path.normpath(project / (case.slip or "")))
    near_enough = finding.line is not None and any(abs(finding.line - line) <= 1 for line in case.lines)
    return finding.file == slip and near_enough


def _is_note(finding: Said) -> bool:
    return finding.severity == "warning" and finding.code.startswith(_NOTES)
