"""`sabir render`: write what other tools read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

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
    "render",
    examples=[
        ("sabir render component/ --to kubernetes", "all objects on stdout"),
        ("sabir render component/ --to kubernetes -o out/", "one file per object, and a kustomization"),
        ("sabir render component/ --to start-order", "what starts after what"),
        ("sabir render component/ --to kubernetes --namespace test --image web=registry.local/web:1.2", ""),
    ],
)
@path_argument
@language_option
@option(
    "--to",
    metavar="NAME",
    help="What to write: kubernetes, objectmodel … An unknown name lists those there are.",
)
@render_output_option("one file for each thing")
@option("--namespace", metavar="NAME", help="The namespace of Kubernetes objects.")
@option(
    "--image",
    "images",
    multiple=True,
    metavar="NAME=IMAGE",
    help="This whole image for the one called NAME in the description; may be repeated.",
)
@option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="A further option of the renderer; may be repeated.",
)
@quiet_option
@evaluation_options
def command(
    *,
    path: Path,
    language: str | None,
    to: str | None,
    output: str | None,
    namespace: str | None,
    images: tuple[str, ...],
    options: tuple[str, ...],
    quiet: bool,
    evaluation: EvaluationRequest,
) -> int:
    """Write PATH in the form of another tool.

    Findings go to stderr; with an error nothing is written.
    """
    from sabir.cli.output import is_directory, write_rendered
    from sabir.languages.language import RenderRequest
    from sabir.operations.render import RenderPathRequest

    request = RenderPathRequest(
        path=path,
        to=to,
        language=language,
        directory=is_directory(output),
        evaluation=evaluation,
        render=RenderRequest(
            namespace=namespace,
            options={**_parse_pairs(options, "--option"), **_parse_pairs(images, "--image", prefix="image.")},
        ),
    )
    return write_rendered(request, output, quiet=quiet)


def _parse_pairs(words: tuple[str, ...], option_name: str, prefix: str = "") -> dict[str, str]:
    values: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name or not value:
            click.get_current_context().fail(f"{option_name} {word!r}: write it as NAME=VALUE")
        values[prefix + name] = value
    return values
