"""Slips on the command line itself, in a process of this one: what a user would type first."""

from __future__ import annotations

import contextlib
import io
import json
import os
from pathlib import Path
from typing import Any

from sabir.cli.main import main
from tests.conformance.runner.mistakes import MistakeCase, MistakeOutcome, Said

__all__ = ["run"]


def run(case: MistakeCase, project: Path) -> MistakeOutcome:
    if case.command == "check":
        return _checked(project)
    words = [case.command, str(project)]
    words += ["--model", str(project.parent / case.model)] if case.command == "run" else ["-o", os.devnull]
    status, _, said = _called(words)
    return MistakeOutcome(exit=status, findings=tuple(_printed(said, project)))


def _checked(project: Path) -> MistakeOutcome:
    status, report, _ = _called(["check", "--format", "json", str(project)])
    return MistakeOutcome(exit=status, findings=tuple(map(_said, json.loads(report)["findings"])))


def _called(words: list[str]) -> tuple[int, str, str]:
    # Some commands write bytes: a text stream with a buffer below it, as a terminal has.
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(words)
    out.seek(0)
    return status, out.read(), err.getvalue()


def _said(finding: dict[str, Any]) -> Said:
    fix = finding["fix"] or {}
    return Said(
        code=finding["code"],
        severity=finding["severity"],
        file=Path(os.path.normpath(finding["path"])),
        line=finding["line"],
        text=f"{finding['code']} {finding['message']} {finding['hint'] or ''} {json.dumps(fix)}",
    )


def _printed(text: str, project: Path) -> list[Said]:
    """Findings as they stand on a terminal: a line `FILE[:LINE:COLUMN]: CODE message`, then more lines set in."""
    findings: list[Said] = []
    for block in _blocks(text):
        place, _, message = block.partition(": ")
        code = message.split(" ", 1)[0]
        if code[-4:-3] not in ("E", "W") or not code[-3:].isdigit():
            continue
        file, line, _ = (*place.rsplit(":", 2), "", "")[:3] if place.count(":") >= 2 else (place, "", "")
        path = Path(os.path.normpath(project.parent / file))
        severity = "warning" if code[-4] == "W" else "error"
        findings.append(
            Said(code=code, severity=severity, file=path, line=int(line or 0) or None, text=block)
        )
    return findings


def _blocks(text: str) -> list[str]:
    blocks: list[str] = []
    for line in text.splitlines():
        if line.startswith(" ") and blocks:
            blocks[-1] += "\n" + line
        else:
            blocks.append(line)
    return blocks
