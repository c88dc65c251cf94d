"""Findings of an evaluation on stderr, where they do not mix with the result.

Renders and writes what came of it: the end of every command that writes for other tools.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from sabir.cli.terminal import write_bytes
from sabir.diagnostics.finding import Finding, Severity

if TYPE_CHECKING:
    from sabir.operations.render import RenderPathRequest


def show_findings(findings: Iterable[Finding], path: Path | None = None, *, quiet: bool = False) -> None:
    """All findings as `sabir check` shows them, or only errors when `quiet`."""
    shown = [finding for finding in findings if not quiet or finding.severity is Severity.ERROR]
    if not shown:
        return
    from sabir.checks.formatters.palette import Palette
    from sabir.checks.formatters.text import finding_lines
    from sabir.checks.report import PackageReport
    from sabir.checks.secrecy import without_secrets
    from sabir.cli.terminal import print_status, wants_color

    palette = Palette(on=wants_color(stream=sys.stderr))
    package = PackageReport(path="" if path is None else str(path), single_file=_is_single_file(path))
    for finding in sorted(without_secrets(shown), key=lambda finding: finding.sort_key):
        print_status("\n".join(finding_lines(finding, package, palette)), painted=True)


def _is_single_file(path: Path | None) -> bool:
    """Whether a path names one file that is no archive, so that findings are in it and not below it."""
    if path is None or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(2) != b"PK"


def is_directory(output: str | None) -> bool:
    """Whether `-o` names a folder, for one file each."""
    return output is not None and (output.endswith("/") or Path(output).is_dir())


def write_rendered(request: RenderPathRequest, output: str | None, *, quiet: bool) -> int:
    """To stdout, a file or a folder; findings go to stderr, and with an error nothing is written."""
    from msgspec.structs import replace

    from sabir.cli.spinner import track_progress
    from sabir.operations.files import write_atomically
    from sabir.operations.render import render_path, write_rendering

    with track_progress(request.evaluation, quiet=quiet) as evaluation:
        rendered = render_path(replace(request, evaluation=evaluation))
    show_findings(rendered.findings, quiet=quiet)
    if rendered.failed:
        return 1
    if output is None:
        write_bytes(rendered.single())
    elif request.directory:
        write_rendering(rendered, Path(output))
    else:
        write_atomically(Path(output), rendered.single(), private=rendered.is_private)
    return 0
