"""`sabir export`: write what would be deployed, for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sabir.cli.declare import option, sabir_command
from sabir.cli.options import (
    evaluation_options,
    language_option,
    path_argument,
    quiet_option,
    render_output_option,
)

if TYPE_CHECKING:
    from sabir.languages.language import EvaluationRequest


@sabir_command(
    "export",
    examples=[
        ("sabir export project/ -o resources.json", "what `inmanta export -j` writes"),
        ("sabir export project/ -o out/", "also the files that it uploads, and its resource sets"),
        (
            "sabir export project/ --function diagram --trust python",
            "run an export function of the model, too",
        ),
    ],
)
@path_argument
@language_option
@render_output_option("everything that belongs to it")
@option("--function", metavar="NAME", help="Run this export function of the model as well.")
@quiet_option
@evaluation_options
def command(
    *,
    path: Path,
    language: str | None,
    output: str | None,
    function: str | None,
    quiet: bool,
    evaluation: EvaluationRequest,
) -> int:
    """Write what PATH would have deployed, in the form that tools of its language read.

    Nothing is deployed, and the state is not looked at. With an error nothing is written.
    """
    from sabir.cli.output import is_directory, write_rendered
    from sabir.languages.language import RenderRequest
    from sabir.operations.render import RenderPathRequest

    request = RenderPathRequest(
        path=path,
        language=language,
        directory=is_directory(output),
        evaluation=evaluation,
        render=RenderRequest(options={} if function is None else {"function": function}),
    )
    return write_rendered(request, output, quiet=quiet)
