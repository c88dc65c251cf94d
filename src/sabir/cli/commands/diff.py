"""`sabir diff`: two graphs compared by meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sabir.cli.options import EVALUATION, LANGUAGE, QUIET, evaluation_request, format_option
from sabir.cli.terminal import write
from sabir.cli.words import PATH, Command, argument, flag
from sabir.dataclasses import replace

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


def _diff(
    *,
    before: Path,
    after: Path | None,
    language: str | None,
    format_: str,
    exit_code: bool,
    quiet: bool,
    **evaluation: Any,
) -> int:
    from sabir.cli.findings import show_findings
    from sabir.cli.progress import progress
    from sabir.cli.views.diff import VIEWS
    from sabir.diagnostics.finding import Severity
    from sabir.operations.diff import DiffRequest, diff_paths

    request = evaluation_request(**evaluation)
    with progress(quiet=quiet) as report:
        difference = diff_paths(
            DiffRequest(
                before=before, after=after, language=language, evaluation=replace(request, on_progress=report)
            )
        )
    show_findings(difference.findings, quiet=quiet)
    if any(finding.severity is Severity.ERROR for finding in difference.findings):
        return 1
    for piece in VIEWS[format_](difference):
        write(piece)
    return int(exit_code and bool(difference.diff))


command: Final = Command(
    path="sabir diff",
    about="""
    Compare two graphs by what they mean: instances, values, relations and outputs.

    BEFORE and AFTER are packages, environments or saved graphs. With BEFORE alone, it is compared with itself under
    --set. Order and places do not count.
    """,
    examples=(
        ("sabir diff old/ new/", "two versions"),
        ("sabir diff shop/ --set network/lan.cidr=10.9.0.0/16", "what a value would change"),
        ("sabir compile shop/ -o last.json", "keep a graph …"),
        ("sabir diff last.json shop/ --exit-code", "… and see what changed since"),
    ),
    arguments=(argument("before", kind=PATH), argument("after", kind=PATH, required=False)),
    options=(
        LANGUAGE,
        format_option("text", "json", help="How it is written."),
        flag("--exit-code", help="Leave with status 1 when there is a difference."),
        QUIET,
        *EVALUATION,
    ),
    run=_diff,
)
