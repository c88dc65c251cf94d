"""`sabir why`: where a value came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.cli.declare import sabir_command
from sabir.cli.deploying import at_option, state_options
from sabir.cli.options import evaluation_options, format_option, language_option, path_and, quiet_option

if TYPE_CHECKING:
    from pathlib import Path

    from sabir.cli.deploying import StateResolver
    from sabir.languages.language import EvaluationRequest


@sabir_command(
    "why",
    examples=[
        ("sabir why model/ web-1.url", "the chain behind a value"),
        ("sabir why model/ outputs.address --format mermaid", "as a picture"),
        ("sabir why shop/ web.url --at 3", "as it was in deployment 3"),
    ],
)
@path_and("subject", "INSTANCE[.ATTRIBUTE]")
@language_option
@format_option("text", "json", "mermaid", help="How the chain is written.")
@quiet_option
@at_option
@state_options
@evaluation_options
def command(
    *,
    path: Path,
    subject: str,
    language: str | None,
    format_: str,
    quiet: bool,
    at: int | None,
    remembered: StateResolver,
    evaluation: EvaluationRequest,
) -> int:
    """Say where an instance, one of its attributes, or an output (outputs.NAME) came from.

    The instance is given by its name or its id. Each step names its place and manner and shows the line of source;
    below it stands what it rests on.
    """
    from sabir.cli.output import show_findings
    from sabir.cli.prose import print_view
    from sabir.cli.spinner import track_progress
    from sabir.cli.views.why import VIEWS
    from sabir.diagnostics.finding import Severity
    from sabir.errors import FindingError
    from sabir.operations.why import WhyRequest, why_path

    try:
        with (
            track_progress(evaluation, quiet=quiet) as request,
            remembered(path, request, language, at) as known,
        ):
            explanation = why_path(
                WhyRequest(
                    path=known.path, subject=subject, language=known.language, evaluation=known.evaluation
                )
            )
    except FindingError as error:
        show_findings(error.findings, path, quiet=quiet)
        return 1
    show_findings(explanation.findings, path, quiet=quiet)
    print_view(VIEWS, format_, explanation)
    return int(any(finding.severity is Severity.ERROR for finding in explanation.findings))
