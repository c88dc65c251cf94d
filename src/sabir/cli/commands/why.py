"""`sabir why`: where a value came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sabir.cli.options import EVALUATION, LANGUAGE, PATH_ARGUMENT, QUIET, evaluation_request, format_option
from sabir.cli.terminal import write
from sabir.cli.words import Command, argument
from sabir.dataclasses import replace

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


def _why(
    *, path: Path, subject: str, language: str | None, format_: str, quiet: bool, **evaluation: Any
) -> int:
    from sabir.cli.findings import show_findings
    from sabir.cli.progress import progress
    from sabir.cli.views.why import VIEWS
    from sabir.diagnostics.finding import Severity
    from sabir.operations.why import WhyRequest, why_path

    request = evaluation_request(**evaluation)
    with progress(quiet=quiet) as report:
        explanation = why_path(
            WhyRequest(
                path=path, subject=subject, language=language, evaluation=replace(request, on_progress=report)
            )
        )
    show_findings(explanation.findings, path, quiet=quiet)
    for piece in VIEWS[format_](explanation):
        write(piece)
    return int(any(finding.severity is Severity.ERROR for finding in explanation.findings))


command: Final = Command(
    path="sabir why",
    about="""
    Say where an instance, one of its attributes, or an output (outputs.NAME) came from.

    The instance is given by its name or its id. Each step names its place and manner and shows the line of source;
    below it stands what it rests on.
    """,
    examples=(
        ("sabir why model/ web-1.url", "the chain behind a value"),
        ("sabir why model/ outputs.address --format mermaid", "as a picture"),
    ),
    arguments=(PATH_ARGUMENT, argument("subject", "INSTANCE[.ATTRIBUTE]")),
    options=(
        LANGUAGE,
        format_option("text", "json", "mermaid", help="How the chain is written."),
        QUIET,
        *EVALUATION,
    ),
    run=_why,
)
