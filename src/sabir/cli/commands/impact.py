"""`sabir impact`: what depends on a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.cli.declare import argument, sabir_command
from sabir.cli.options import evaluation_options, format_option, language_option, path_argument, quiet_option
from sabir.cli.terminal import write

if TYPE_CHECKING:
    from pathlib import Path

    from sabir.languages.language import EvaluationRequest

__all__ = ["command"]


@sabir_command(
    "impact",
    examples=[
        ("sabir impact model/ main.cf:12", "what would change with this line"),
    ],
)
@path_argument
@argument("line", metavar="FILE:LINE")
@language_option
@format_option("text", "json", help="How it is written.")
@quiet_option
@evaluation_options
def command(
    *, path: Path, line: str, language: str | None, format_: str, quiet: bool, evaluation: EvaluationRequest
) -> int:
    """Say what depends on a line: instances, their attributes, rendered objects and outputs.

    The same chains that `sabir why` prints, read backwards. FILE is named from PATH, as `why` shows it.
    """
    from sabir.cli.findings import show_findings
    from sabir.cli.progress import watched
    from sabir.cli.views.impact import VIEWS
    from sabir.operations.impact import ImpactRequest, impact_path

    with watched(evaluation, quiet=quiet) as request:
        impact = impact_path(ImpactRequest(path=path, line=line, language=language, evaluation=request))
    show_findings(impact.findings, quiet=quiet)
    for piece in VIEWS[format_](impact):
        write(piece)
    return 0
