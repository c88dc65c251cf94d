"""`sabir diff`: two graphs compared by meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.cli.declare import argument, flag, sabir_command
from sabir.cli.kinds import PATH
from sabir.cli.options import evaluation_options, format_option, language_option, quiet_option

if TYPE_CHECKING:
    from pathlib import Path

    from sabir.languages.language import EvaluationRequest

__all__ = ["command"]


@sabir_command(
    "diff",
    examples=[
        ("sabir diff old/ new/", "two versions"),
        ("sabir diff git:main shop/", "a revision of the repository, and what is there now"),
        ("sabir diff git:v1:shop git:v2:shop --format markdown", "two revisions, as a comment of a review"),
        ("sabir diff shop/ --set network/lan.cidr=10.9.0.0/16", "what a value would change"),
        ("sabir compile shop/ -o last.json", "keep a graph …"),
        ("sabir diff last.json shop/ --exit-code", "… and see what changed since"),
    ],
)
@argument("before", type=PATH)
@argument("after", type=PATH, required=False)
@language_option
@format_option("text", "json", "markdown", help="How it is written.")
@flag("--exit-code", help="Leave with status 1 when there is a difference.")
@quiet_option
@evaluation_options
def command(
    *,
    before: Path,
    after: Path | None,
    language: str | None,
    format_: str,
    exit_code: bool,
    quiet: bool,
    evaluation: EvaluationRequest,
) -> int:
    """Compare two graphs by what they mean: instances, values, relations and outputs.

    BEFORE and AFTER are packages, environments, saved graphs, or revisions of a git repository: git:REV is the other path
    as it was in that revision, git:REV:PATH another one. With BEFORE alone, it is compared with itself under --set, or, when
    it is a revision, with what is there now. Order and places do not count.
    """
    from sabir.cli.findings import show_findings
    from sabir.cli.progress import watched
    from sabir.cli.prose import show
    from sabir.cli.views.diff import VIEWS
    from sabir.diagnostics.finding import Severity
    from sabir.operations.diff import DiffRequest, diff_paths

    with watched(evaluation, quiet=quiet) as request:
        difference = diff_paths(
            DiffRequest(before=before, after=after, language=language, evaluation=request)
        )
    show_findings(difference.findings, quiet=quiet)
    if any(finding.severity is Severity.ERROR for finding in difference.findings):
        return 1
    show(VIEWS, format_, difference)
    return int(exit_code and bool(difference.diff))
