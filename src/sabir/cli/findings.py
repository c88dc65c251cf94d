"""Findings of an evaluation on stderr, where they do not mix with the result."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from sabir.check.formatters.palette import Palette
from sabir.check.formatters.text import finding_lines
from sabir.check.report import PackageReport
from sabir.cli.terminal import say, wants_color
from sabir.diagnostics.finding import Finding, Severity

__all__ = ["show_findings"]


def show_findings(findings: Iterable[Finding], path: Path | None = None, *, quiet: bool = False) -> None:
    """All findings as `sabir check` shows them, or only errors when `quiet`."""
    palette = Palette(on=wants_color(stream=sys.stderr))
    package = PackageReport(path="" if path is None else str(path))
    for finding in sorted(findings, key=lambda one: one.sort_key):
        if not quiet or finding.severity is Severity.ERROR:
            say("\n".join(finding_lines(finding, package, palette)))
