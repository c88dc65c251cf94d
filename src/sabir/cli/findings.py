"""Findings of an evaluation on stderr, where they do not mix with the result."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from sabir.diagnostics.finding import Finding, Severity

__all__ = ["show_findings"]


def show_findings(findings: Iterable[Finding], path: Path | None = None, *, quiet: bool = False) -> None:
    """All findings as `sabir check` shows them, or only errors when `quiet`."""
    shown = [one for one in findings if not quiet or one.severity is Severity.ERROR]
    if not shown:
        return
    from sabir.check.formatters.palette import Palette
    from sabir.check.formatters.text import finding_lines
    from sabir.check.report import PackageReport
    from sabir.cli.terminal import say, wants_color

    palette = Palette(on=wants_color(stream=sys.stderr))
    package = PackageReport(path="" if path is None else str(path))
    for finding in sorted(shown, key=lambda one: one.sort_key):
        say("\n".join(finding_lines(finding, package, palette)))
