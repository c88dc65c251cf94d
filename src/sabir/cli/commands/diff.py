"""`sabir diff`: two graphs compared by meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sabir.cli.options import evaluation_options, evaluation_request, language_option
from sabir.dataclasses import replace

__all__ = ["command"]


@click.command("diff")
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", required=False, type=click.Path(path_type=Path))
@language_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How it is written.",
)
@click.option("--exit-code", is_flag=True, help="Leave with status 1 when there is a difference.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no warnings.")
@evaluation_options
@click.pass_context
def command(
    context: click.Context,
    /,
    before: Path,
    after: Path | None,
    *,
    language: str | None,
    format_: str,
    exit_code: bool,
    quiet: bool,
    **evaluation: Any,
) -> None:
    """Compare two graphs by what they mean: instances, values, relations and outputs.

    BEFORE and AFTER are packages, environments or saved graphs. With BEFORE alone, it is compared with itself under
    --set. Order and places do not count.

    \b
    sabir diff old/ new/
    sabir diff shop/ --set network/lan.cidr=10.9.0.0/16
    sabir compile shop/ -o last.json; …; sabir diff last.json shop/ --exit-code
    """
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
        context.exit(1)
    for piece in VIEWS[format_](difference):
        click.echo(piece, nl=False)
    if exit_code and difference.diff:
        context.exit(1)
