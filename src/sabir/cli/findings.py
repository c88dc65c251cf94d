"""Findings of an evaluation on stderr, where they do not mix with the result."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from sabir.diagnostics.finding import Finding, Severity

__all__ = ["show_findings"]


def show_findings(findings: Iterable[Finding], path: Path | None = None, *, quiet: bool = False) -> None:
    """All findings as `sabir check` shows them, or only errors when `quiet`."""
    shown = [finding for finding in findings if not quiet or finding.severity is Severity.ERROR]
    if not shown:
        return
    from sabir.checks.formatters.palette import Palette
    from sabir.checks.formatters.text import finding_lines
    from sabir.checks.report import PackageReport
    from sabir.checks.secrecy import without_secrets
    from sabir.cli.terminal import say, wants_color

    palette = Palette(on=wants_color(stream=sys.stderr))
    package = PackageReport(path="" if path is None else str(path), single_file=_is_single_file(path))
    for finding in sorted(without_secrets(shown), key=lambda finding: finding.sort_key):
        say("\n".join(finding_lines(finding, package, palette)), painted=True)


def _is_single_file(path: Path | None) -> bool:
    """Whether a path names one file that is no archive, so that findings are in it and not below it."""
    if path is None or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(2) != b"PK"
