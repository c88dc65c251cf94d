"""`sabir impact`: what depends on a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sabir.cli.options import evaluation_options, evaluation_request, language_option, path_argument
from sabir.dataclasses import replace

__all__ = ["command"]


@click.command("impact")
@path_argument
@click.argument("line", metavar="FILE:LINE")
@language_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How it is written.",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress and no warnings.")
@evaluation_options
def command(
    path: Path, line: str, *, language: str | None, format_: str, quiet: bool, **evaluation: Any
) -> None:
    """Say what depends on a line: instances, their attributes, rendered objects and outputs.

    The same chains that `sabir why` prints, read backwards. FILE is named from PATH, as `why` shows it.

    \b
    sabir impact model/ main.cf:12
    """
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
        click.echo(piece, nl=False)
