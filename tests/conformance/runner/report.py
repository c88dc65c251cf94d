"""Outcomes for people (a failing case with what was expected and what came) and for machines."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from pprint import pformat
from typing import Any

from tests.conformance.runner.case import Case, Verdict

__all__ = ["as_json", "failure_text"]

_LONGEST = 4000


def failure_text(case: Case, verdict: Verdict) -> str:
    """A block that says which case failed, where it stands, what differs, and both sides in full."""
    lines = [f"FAILED {case.name}  ({_shown_file(case.file)})"]
    if case.why:
        lines.append(f"  why: {case.why}")
    lines += [_indented(f"- {difference}", "  ") for difference in verdict.differences]
    if verdict.expected is not None:
        lines.append("  expected:")
        lines.append(_indented(_shown(verdict.expected), "    "))
    if verdict.actual is not None:
        lines.append("  actual:")
        lines.append(_indented(_shown(verdict.actual), "    "))
    return "\n".join(lines)


def as_json(outcomes: list[tuple[Case, Verdict]]) -> str:
    cases = [
        {
            "id": case.name,
            "file": _shown_file(case.file),
            "rows": list(case.rows),
            "passed": verdict.passed,
            "differences": list(verdict.differences),
        }
        for case, verdict in outcomes
    ]
    passed = sum(verdict.passed for _, verdict in outcomes)
    return json.dumps({"passed": passed, "failed": len(outcomes) - passed, "cases": cases}, indent=1) + "\n"


def _shown_file(file: Path) -> str:
    try:
        return file.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(file)


def _shown(value: Any) -> str:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        said = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        text = "\n".join(_line(name, inner) for name, inner in said.items() if not _says_nothing(name, inner))
    elif isinstance(value, dict):
        text = "\n".join(_line(str(name), inner) for name, inner in value.items())
    else:
        text = pformat(value, width=110, sort_dicts=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} … ({len(text)} characters)"


def _line(name: str, value: Any) -> str:
    return f"{name}: {pformat(value, width=110, sort_dicts=False)}"


def _says_nothing(name: str, value: Any) -> bool:
    """An empty part of an outcome. A result that is null does say something."""
    return (name == "error" and value is None) or (isinstance(value, tuple | dict) and not value)


def _indented(text: str, by: str) -> str:
    return "\n".join(by + line for line in text.splitlines())
