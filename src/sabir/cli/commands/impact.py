"""`sabir impact`: what depends on a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sabir.cli.options import EVALUATION, LANGUAGE, PATH_ARGUMENT, QUIET, evaluation_request, format_option
from sabir.cli.terminal import write
from sabir.cli.words import Command, argument
from sabir.dataclasses import replace

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


def _impact(
    *, path: Path, line: str, language: str | None, format_: str, quiet: bool, **evaluation: Any
) -> None:
    from sabir.cli.findings import show_findings
    from sabir.cli.progress import progress
    from sabir.cli.views.impact import VIEWS
    from sabir.operations.impact import ImpactRequest, impact_path

    request = evaluation_request(**evaluation)
    with progress(quiet=quiet) as report:
        impact = impact_path(
            ImpactRequest(
                path=path, line=line, language=language, evaluation=replace(request, on_progress=report)
            )
        )
    show_findings(impact.findings, quiet=quiet)
    for piece in VIEWS[format_](impact):
        write(piece)


command: Final = Command(
    path="sabir impact",
    about="""
    Say what depends on a line: instances, their attributes, rendered objects and outputs.

    The same chains that `sabir why` prints, read backwards. FILE is named from PATH, as `why` shows it.
    """,
    examples=(("sabir impact model/ main.cf:12", ""),),
    arguments=(PATH_ARGUMENT, argument("line", "FILE:LINE")),
    options=(LANGUAGE, format_option("text", "json", help="How it is written."), QUIET, *EVALUATION),
    run=_impact,
)
