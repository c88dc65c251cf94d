"""`sabir why`: where a value came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sabir.cli.options import evaluation_options, evaluation_request, language_option, path_argument
from sabir.dataclasses import replace

__all__ = ["command"]


@click.command("why")
@path_argument
@click.argument("subject", metavar="INSTANCE[.ATTRIBUTE]")
@language_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "mermaid"]),
    default="text",
    show_default=True,
    help="How the chain is written.",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress and no warnings.")
@evaluation_options
@click.pass_context
def command(
    context: click.Context,
    /,
    path: Path,
    subject: str,
    *,
    language: str | None,
    format_: str,
    quiet: bool,
    **evaluation: Any,
) -> None:
    """Say where an instance, one of its attributes, or an output (outputs.NAME) came from.

    The instance is given by its name or its id. Each step names its place and manner and shows the line of source;
    below it stands what it rests on.

    \b
    sabir why model/ web-1.url
    sabir why model/ outputs.address --format mermaid
    """
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
        click.echo(piece.encode("utf-8", "replace"), nl=False)
    if any(finding.severity is Severity.ERROR for finding in explanation.findings):
        context.exit(1)
