"""`sabir compile`: evaluate to the graph."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from sabir.cli.options import evaluation_options, evaluation_request, language_option, path_argument
from sabir.dataclasses import replace

__all__ = ["command"]


@click.command("compile")
@path_argument
@language_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["json", "yaml", "text", "dot", "mermaid", "svg", "html"]),
    default="json",
    show_default=True,
    help="How the graph is written.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write to FILE, whole or not at all.",
)
@click.option("--origins", is_flag=True, help="With --format text: say where each value came from.")
@click.option("--reveal", is_flag=True, help="With json and yaml: write sensitive values, too.")
@click.option(
    "--partial", is_flag=True, help="Write the graph as far as it came, even when there are errors."
)
@click.option("-q", "--quiet", is_flag=True, help="No progress and no warnings.")
@evaluation_options
@click.pass_context
def command(
    context: click.Context,
    /,
    path: Path,
    *,
    language: str | None,
    format_: str,
    output: Path | None,
    origins: bool,
    reveal: bool,
    partial: bool,
    quiet: bool,
    **evaluation: Any,
) -> None:
    """Evaluate PATH to its instance graph.

    PATH is a package, a model, a template, or a graph that was saved as JSON. Findings go to stderr; with an error
    nothing is written, unless --partial.

    \b
    sabir compile model/                          the graph as JSON, form sabir.graph/1
    sabir compile model/ --format svg -o model.svg
    sabir compile model/ --format html -o model.html        a page to walk about in, for any browser
    sabir compile model/ -o graph.json && sabir compile graph.json --format text --origins
    """
    from sabir.cli.findings import show_findings
    from sabir.cli.progress import progress
    from sabir.operations.compile import CompileRequest, GraphView, compile_path
    from sabir.operations.files import write_atomically

    request = evaluation_request(**evaluation)
    with progress(quiet=quiet) as report:
        compiled = compile_path(
            CompileRequest(
                path=path,
                language=language,
                evaluation=replace(request, on_progress=report),
                view=GraphView(format=format_, origins=origins, reveal=reveal),
            )
        )
    show_findings(compiled.findings, path, quiet=quiet)
    if not compiled.failed or partial:
        if output is not None:
            write_atomically(output, compiled.pieces())
        else:
            sys.stdout.buffer.writelines(compiled.pieces())
            sys.stdout.buffer.flush()
    if compiled.failed:
        context.exit(1)
