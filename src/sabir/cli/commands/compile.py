"""`sabir compile`: evaluate to the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.cli.declare import flag, option, sabir_command
from sabir.cli.deploying import at_option, state_options
from sabir.cli.options import evaluation_options, format_option, language_option, path_argument, quiet_option
from sabir.cli.parameter_types import PATH
from sabir.cli.terminal import write_bytes, write_text

if TYPE_CHECKING:
    from pathlib import Path

    from sabir.cli.deploying import StateResolver
    from sabir.languages.language import EvaluationRequest
    from sabir.operations.compile import CompileResult


@sabir_command(
    "compile",
    examples=[
        ("sabir compile model/", "the graph as JSON, form sabir.graph/1"),
        ("sabir compile model/ --format svg -o model.svg", "a picture"),
        ("sabir compile model/ --format html -o model.html", "a page to walk about in, for any browser"),
        ("sabir compile model/ -o graph.json", "keep the graph …"),
        (
            "sabir compile graph.json --format text --origins",
            "… and read it later, with the place of each value",
        ),
    ],
)
@path_argument
@language_option
@format_option("json", "yaml", "text", "dot", "mermaid", "svg", "html", help="How the graph is written.")
@option("-o", "--output", type=PATH, metavar="FILE", help="Write to FILE, whole or not at all.")
@flag("--origins", help="With --format text: say where each value came from.")
@flag("--reveal", help="With json and yaml: write sensitive values, too.")
@flag("--all", "everything", help="With text and pictures: show what libraries made for themselves, too.")
@flag("--partial", help="Write the graph as far as it came, even when there are errors.")
@quiet_option
@at_option
@state_options
@evaluation_options
def command(
    *,
    path: Path,
    language: str | None,
    format_: str,
    output: Path | None,
    origins: bool,
    reveal: bool,
    everything: bool,
    partial: bool,
    quiet: bool,
    at: int | None,
    remembered: StateResolver,
    evaluation: EvaluationRequest,
) -> int:
    """Evaluate PATH to its instance graph.

    PATH is a package, a model, a template, or a graph that was saved as JSON. Findings go to stderr; with an error
    nothing is written, unless --partial.
    """
    from sabir.cli.output import show_findings
    from sabir.cli.spinner import show_progress, track_progress
    from sabir.operations.compile import CompileRequest, GraphView, compile_path
    from sabir.operations.files import write_atomically

    with track_progress(evaluation, quiet=quiet) as request, remembered(path, request, language, at) as known:
        compiled = compile_path(
            CompileRequest(
                path=known.path,
                language=known.language,
                evaluation=known.evaluation,
                view=GraphView(format=format_, origins=origins, reveal=reveal, everything=everything),
            )
        )
    show_findings(compiled.findings, path, quiet=quiet)
    if not compiled.failed or partial:
        if output is not None:
            with show_progress(quiet=quiet, text="writing"):
                write_atomically(output, compiled.pieces(), private=reveal)
        elif format_ == "text":
            _show_text(compiled)
        else:
            write_bytes(compiled.pieces())
    return int(compiled.failed)


def _show_text(compiled: CompileResult) -> None:
    from sabir.cli.prose import terminal_prose
    from sabir.graph.views.text import text_view

    prose = terminal_prose()
    for line in text_view(compiled.shown, origins=compiled.view.origins, paint=prose.paint):
        write_text(prose.format_line(line))
