"""`sabir query`: ask the graph of any language."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sabir.cli.options import evaluation_options, evaluation_request, language_option, pairs, path_argument
from sabir.dataclasses import replace

if TYPE_CHECKING:
    from sabir.operations.why import Explanation

__all__ = ["command"]


@click.command("query")
@path_argument
@click.argument("expression", metavar="EXPRESSION")
@language_option
@click.option("--at", metavar="INSTANCE", help="Start from this instance (name or id) instead of the root.")
@click.option(
    "--var", "variables", multiple=True, metavar="NAME=VALUE", help="A variable; VALUE is read as YAML."
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "yaml"]),
    default="text",
    show_default=True,
    help="How the matches are written: one a line, or as a list.",
)
@click.option("--why", is_flag=True, help="Say on stderr where the matches came from, step by step.")
@click.option("--trace", is_flag=True, help="Say on stderr what each segment selects.")
@click.option("--reveal", is_flag=True, help="Show sensitive values, too.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no warnings.")
@evaluation_options
@click.pass_context
def command(
    context: click.Context,
    /,
    path: Path,
    expression: str,
    *,
    language: str | None,
    at: str | None,
    variables: tuple[str, ...],
    format_: str,
    why: bool,
    trace: bool,
    reveal: bool,
    quiet: bool,
    **evaluation: Any,
) -> None:
    """Evaluate an Unfurl EXPRESSION over the graph of PATH.

    EXPRESSION is a path, or a map in YAML's flow form. Exit status 1 when it fails or matches nothing.

    \b
    sabir query model/ '::*::[.type=$t]::path' --var t=std::File     the paths of all files
    sabir query model/ '::web-1::port'                    one attribute
    sabir query model/ port --at web-1                    the same, from the instance
    sabir query model/ '{eval: "::*::.name", foreach: "{{ item | upper }}"}'
    """
    from sabir.cli.findings import show_findings
    from sabir.cli.progress import progress
    from sabir.operations.query import QueryRequest, query_path

    request = evaluation_request(**evaluation)
    with progress(quiet=quiet) as report:
        answer = query_path(
            QueryRequest(
                path=path,
                expression=expression,
                at=at,
                variables=pairs(variables, "--var"),
                language=language,
                evaluation=replace(request, on_progress=report),
                reveal=reveal,
                trace=trace,
                why=why,
            )
        )
    show_findings(answer.findings, path, quiet=quiet)
    for line in answer.trace:
        click.echo(line, err=True)
    if not answer.failed or answer.values:
        _write(list(answer.values), format_)
    if answer.chains:
        _explain(answer.chains)
    if answer.sensitive and not quiet:
        click.echo("some values are sensitive and hidden; --reveal shows them", err=True)
    if not answer.values and answer.nothing and not quiet:
        click.echo(f"no match: {answer.nothing}", err=True)
    if answer.failed or not answer.values:
        context.exit(1)


def _explain(chains: Sequence[Explanation]) -> None:
    from sabir.cli.views.why import text_view

    for chain in chains:
        for piece in text_view(chain):
            click.echo(piece.encode("utf-8", "replace"), nl=False, err=True)


def _write(values: list[Any], format_: str) -> None:
    if format_ == "json":
        click.echo(json.dumps(values, indent=2, ensure_ascii=False))
    elif format_ == "yaml":
        import yaml

        click.echo(yaml.safe_dump(values, sort_keys=False, allow_unicode=True), nl=False)
    else:
        for value in values:
            click.echo(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
