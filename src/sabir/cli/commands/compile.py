"""`sabir compile`: evaluate to the graph."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from sabir.cli.options import EVALUATION, LANGUAGE, PATH_ARGUMENT, QUIET, evaluation_request, format_option
from sabir.cli.words import PATH, Command, flag, option
from sabir.dataclasses import replace

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


def _compile(
    *,
    path: Path,
    language: str | None,
    format_: str,
    output: Path | None,
    origins: bool,
    reveal: bool,
    partial: bool,
    quiet: bool,
    **evaluation: Any,
) -> int:
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
    return int(compiled.failed)


command: Final = Command(
    path="sabir compile",
    about="""
    Evaluate PATH to its instance graph.

    PATH is a package, a model, a template, or a graph that was saved as JSON. Findings go to stderr; with an error
    nothing is written, unless --partial.
    """,
    examples=(
        ("sabir compile model/", "the graph as JSON, form sabir.graph/1"),
        ("sabir compile model/ --format svg -o model.svg", "a picture"),
        ("sabir compile model/ --format html -o model.html", "a page to walk about in, for any browser"),
        ("sabir compile model/ -o graph.json", "keep the graph …"),
        (
            "sabir compile graph.json --format text --origins",
            "… and read it later, with the place of each value",
        ),
    ),
    arguments=(PATH_ARGUMENT,),
    options=(
        LANGUAGE,
        format_option(
            "json", "yaml", "text", "dot", "mermaid", "svg", "html", help="How the graph is written."
        ),
        option("-o", "--output", kind=PATH, metavar="FILE", help="Write to FILE, whole or not at all."),
        flag("--origins", help="With --format text: say where each value came from."),
        flag("--reveal", help="With json and yaml: write sensitive values, too."),
        flag("--partial", help="Write the graph as far as it came, even when there are errors."),
        QUIET,
        *EVALUATION,
    ),
    run=_compile,
)
