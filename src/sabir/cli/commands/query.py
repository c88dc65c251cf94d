"""`sabir query`: ask the graph of any language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sabir.cli.declare import flag, option, sabir_command
from sabir.cli.deploying import state_options
from sabir.cli.options import (
    evaluation_options,
    format_option,
    language_option,
    path_and,
    quiet_option,
)
from sabir.cli.parameter_types import parse_pairs
from sabir.cli.terminal import print_status, write_text
from sabir.errors import UsageError
from sabir.text import format_json

if TYPE_CHECKING:
    from pathlib import Path

    from sabir.cli.deploying import StateResolver
    from sabir.languages.language import EvaluationRequest
    from sabir.operations.why import Explanation


@sabir_command(
    "query",
    examples=[
        ("sabir query model/ '::*::[.type=$t]::path' --var t=std::File", "the paths of all files"),
        ("sabir query model/ '::web-1::port'", "one attribute"),
        ("sabir query model/ port --at web-1", "the same, from the instance"),
        ("""sabir query model/ '{eval: "::*::.name", foreach: "{{ item | upper }}"}'""", ""),
    ],
)
@path_and("expression", "EXPRESSION")
@language_option
@option(
    "--at",
    "places",
    multiple=True,
    metavar="INSTANCE|N",
    help="Start from this instance (name or id) instead of the root; a number asks about deployment N.",
)
@option(
    "--var",
    "variables",
    multiple=True,
    metavar="NAME=VALUE",
    help="A variable; VALUE is read as YAML.",
)
@format_option("text", "json", "yaml", help="How the matches are written: one a line, or as a list.")
@flag("--why", help="Say on stderr where the matches came from, step by step.")
@flag("--trace", help="Say on stderr what each segment selects.")
@flag("--reveal", help="Show sensitive values, too.")
@quiet_option
@state_options
@evaluation_options
def command(
    *,
    path: Path,
    expression: str,
    language: str | None,
    places: tuple[str, ...],
    variables: tuple[str, ...],
    format_: str,
    why: bool,
    trace: bool,
    reveal: bool,
    quiet: bool,
    remembered: StateResolver,
    evaluation: EvaluationRequest,
) -> int:
    """Evaluate an Unfurl EXPRESSION over the graph of PATH.

    EXPRESSION is a path, or a map in YAML's flow form. Exit status 1 when it fails or matches nothing.
    """
    from sabir.cli.output import show_findings
    from sabir.cli.spinner import track_progress
    from sabir.operations.query import QueryRequest, query_path

    number, instance = _parse_locations(places)
    with (
        track_progress(evaluation, quiet=quiet) as request,
        remembered(path, request, language, number) as known,
    ):
        answer = query_path(
            QueryRequest(
                path=known.path,
                expression=expression,
                at=instance,
                variables=parse_pairs(variables, "--var"),
                language=known.language,
                evaluation=known.evaluation,
                reveal=reveal,
                trace=trace,
                why=why,
            )
        )
    show_findings(answer.findings, path, quiet=quiet)
    for line in answer.trace:
        print_status(line)
    if not answer.failed or answer.values:
        _print_values(list(answer.values), format_)
    if answer.chains:
        _print_explanations(answer.chains)
    if answer.sensitive and not quiet:
        print_status("some values are sensitive and hidden; --reveal shows them")
    if not answer.values and answer.nothing and not quiet:
        print_status(f"no match: {answer.nothing}")
    return int(answer.failed or not answer.values)


def _parse_locations(words: Sequence[str]) -> tuple[int | None, str | None]:
    """The number of a deployment and the name of an instance, as far as they are given."""
    numbers = [word for word in words if word.isdigit()]
    instances = [word for word in words if not word.isdigit()]
    if len(numbers) > 1 or len(instances) > 1:
        raise UsageError("--at takes one instance, and one number of a deployment")
    return int(numbers[0]) if numbers else None, instances[0] if instances else None


def _print_explanations(chains: Sequence[Explanation]) -> None:
    from sabir.cli.views.why import text_view

    for chain in chains:
        print_status("".join(text_view(chain)).removesuffix("\n"))


def _print_values(values: list[Any], format_: str) -> None:
    if format_ == "json":
        write_text(format_json(values, indent=2) + "\n")
    elif format_ == "yaml":
        from sabir.source.yaml.write import yaml_text

        write_text(yaml_text(values, width=80))
    else:
        for value in values:
            text = value if isinstance(value, str) else format_json(value)
            write_text(text + "\n", painted=False)
