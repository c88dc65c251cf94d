"""`sabir model`: an object model from the forms or contracts of a package."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from sabir.cli.declare import flag, option, sabir_command
from sabir.cli.options import evaluation_request, package_options, path_argument
from sabir.cli.parameter_types import PATH, parse_pairs
from sabir.cli.terminal import ask, print_status, write_text
from sabir.text import format_json

if TYPE_CHECKING:
    from pathlib import Path

    from sabir.languages.language import ModelQuestion


@sabir_command(
    "model",
    examples=[
        (
            "sabir model shop/ --set appConfiguration.name=corner",
            "a model with the values that the forms propose",
        ),
        ("sabir model shop/ --form", "the forms with their fields, as JSON"),
        ("sabir model shop/ --class org.example.Shop --schema", "the JSON Schema of models of a class"),
        ("sabir model shop/ --schema --method restock", "the JSON Schema of the arguments of a method"),
    ],
)
@path_argument
@option(
    "--set",
    "values",
    multiple=True,
    metavar="FIELD=VALUE",
    help="The value of a field, `form.field` or `field`; without forms, of a property. VALUE is read as YAML.",
)
@flag("--form", "forms", help="Show the forms instead of filling them.")
@flag("--schema", help="Print the JSON Schema of the class instead.")
@option("--method", metavar="NAME", help="With --schema: that of the arguments of this public method.")
@option("--class", "cls", metavar="NAME", help="Make the model of this class, from its contracts.")
@option(
    "--cloud",
    type=PATH,
    metavar="FILE",
    help="What flavors, images, networks … there are to choose from (YAML).",
)
@flag("--no-ask", help="Never ask for what was not given, not even on a terminal.")
@package_options
def command(
    *,
    path: Path,
    values: tuple[str, ...],
    forms: bool,
    schema: bool,
    method: str | None,
    cls: str | None,
    cloud: Path | None,
    no_ask: bool,
    search_path: tuple[Path, ...],
    limits: tuple[tuple[str, str], ...],
) -> int:
    """Make an object model: from UI/ui.yaml as the dashboard would, or from the contracts of a class.

    Fields that are not given have the value that the form proposes. What a form refuses is said for each field, and the command
    ends with status 1.
    """
    from sabir.cli.output import show_findings
    from sabir.operations.limits import enforce_limits
    from sabir.operations.model import ModelRequest, model_of_path

    asks = not (no_ask or forms or schema or method) and sys.stdin.isatty() and sys.stderr.isatty()
    request = ModelRequest(
        path=path,
        values=parse_pairs(values, "--set"),
        cloud=cloud,
        cls=cls,
        forms=forms,
        schema=schema or method is not None,
        method=method,
        ask=_prompt_user if asks else None,
        evaluation=evaluation_request(search_path=search_path, paths=[path], limits=limits),
    )
    with enforce_limits(request.evaluation.session.limits, path.name):
        model = model_of_path(request)
    show_findings(model.findings, path, quiet=False)
    for error in model.errors:
        print_status(f"sabir: {error}")
    if model.failed:
        return 1
    write_text(format_json(model.document, indent=2, default=str) + "\n")
    return 0


def _prompt_user(question: ModelQuestion) -> Any:
    """A line from the terminal; an empty one takes what is proposed."""
    if question.refused is not None:
        print_status(f"sabir: {question.name}: {question.refused}")
    answer = ask(f"{question.name}: {question.text}: ", is_secret=question.is_secret)
    if answer is None:
        raise click.Abort
    return answer or None
