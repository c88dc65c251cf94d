"""`sabir render`: write what other tools read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from sabir.cli.options import EVALUATION, LANGUAGE, PATH_ARGUMENT, QUIET, evaluation_request
from sabir.cli.words import PATH_TEXT, Command, option
from sabir.dataclasses import replace
from sabir.errors import WrongWords

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


def _render(
    *,
    path: Path,
    language: str | None,
    to: str | None,
    output: str | None,
    namespace: str | None,
    images: tuple[str, ...],
    options: tuple[str, ...],
    quiet: bool,
    **evaluation: Any,
) -> int:
    from pathlib import Path

    from sabir.cli.findings import show_findings
    from sabir.cli.progress import progress
    from sabir.languages.language import RenderRequest
    from sabir.operations.files import write_atomically
    from sabir.operations.render import RenderPathRequest, render_path, write_rendering

    request = evaluation_request(**evaluation)
    directory = output is not None and (output.endswith("/") or Path(output).is_dir())
    with progress(quiet=quiet) as report:
        rendered = render_path(
            RenderPathRequest(
                path=path,
                to=to,
                language=language,
                directory=directory,
                evaluation=replace(request, on_progress=report),
                render=RenderRequest(
                    namespace=namespace,
                    options={**_words(options, "--option"), **_words(images, "--image", prefix="image.")},
                ),
            )
        )
    show_findings(rendered.findings, quiet=quiet)
    if rendered.failed:
        return 1
    if output is None:
        sys.stdout.buffer.writelines(rendered.single())
        sys.stdout.buffer.flush()
    elif directory:
        write_rendering(rendered, Path(output))
    else:
        write_atomically(Path(output), rendered.single())
    return 0


def _words(words: tuple[str, ...], name_of: str, prefix: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name or not value:
            raise WrongWords("sabir render", f"{name_of} {word!r}: write it as NAME=VALUE")
        found[prefix + name] = value
    return found


command: Final = Command(
    path="sabir render",
    about="""
    Write PATH in the form of another tool.

    Findings go to stderr; with an error nothing is written.
    """,
    examples=(
        ("sabir render component/ --to kubernetes", "all objects on stdout"),
        ("sabir render component/ --to kubernetes -o out/", "one file per object, and a kustomization"),
        ("sabir render component/ --to start-order", "what starts after what"),
        ("sabir render component/ --to kubernetes --namespace test --image web=registry.local/web:1.2", ""),
    ),
    arguments=(PATH_ARGUMENT,),
    options=(
        LANGUAGE,
        option(
            "--to",
            metavar="NAME",
            help="What to write: kubernetes, objectmodel … An unknown name lists those there are.",
        ),
        option(
            "-o",
            "--output",
            kind=PATH_TEXT,
            metavar="FILE|DIR/",
            help="Write to FILE, or one file for each thing to the directory DIR (ends in / or exists). Default: stdout.",
        ),
        option("--namespace", metavar="NAME", help="The namespace of Kubernetes objects."),
        option(
            "--image",
            into="images",
            many=True,
            metavar="NAME=IMAGE",
            help="This whole image for the one called NAME in the description; may be repeated.",
        ),
        option(
            "--option",
            into="options",
            many=True,
            metavar="KEY=VALUE",
            help="A further option of the renderer; may be repeated.",
        ),
        QUIET,
        *EVALUATION,
    ),
    run=_render,
)
