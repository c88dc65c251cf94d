"""`sabir impact`: what depends on a line, or what a change means."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sabir.cli.declare import argument, option, sabir_command, usage_line
from sabir.cli.options import evaluation_options, format_option, language_option, quiet_option
from sabir.cli.parameter_types import PATH_TEXT

if TYPE_CHECKING:
    from sabir.languages.language import EvaluationRequest


def _location_arguments(function: Callable[..., int]) -> Callable[..., int]:
    """`[PATH] FILE:LINE`, or with --since a PATH alone; the function gets `path` and `line`."""

    @functools.wraps(function)
    def with_place(*, words: tuple[str, ...], since: str | None, **others: Any) -> int:
        ctx = click.get_current_context()
        most = 2 if since is None else 1
        if len(words) > most:
            ctx.fail(f"{words[most]!r} is a word too many: {usage_line(ctx)}")
        if since is None and not words:
            ctx.fail(f"FILE:LINE is missing: {usage_line(ctx)}")
        has_path = len(words) == most
        path = Path(words[0]) if has_path else Path(".")
        return function(path=path, line=words[-1] if since is None else None, since=since, **others)

    return with_place


@sabir_command(
    "impact",
    examples=[
        ("sabir impact main.cf:12", "what would change with this line of the model in this folder"),
        ("sabir impact model/ main.cf:12", "of another model"),
        ("sabir impact --since main", "what everything in this repository means now that it did not in main"),
        ("sabir impact --since main --format markdown", "the same as a comment of a review"),
    ],
)
@argument("words", metavar="[PATH] [FILE:LINE]", type=PATH_TEXT, nargs=-1)
@option("--since", metavar="REV", help="Compare every package and environment in PATH with this revision.")
@option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="With --since: leave out what has this name, or this path from PATH; may be repeated.",
)
@language_option
@format_option("text", "json", "markdown", help="How it is written; markdown with --since only.")
@quiet_option
@_location_arguments
@evaluation_options
def command(
    *,
    path: Path,
    line: str | None,
    since: str | None,
    exclude: tuple[str, ...],
    language: str | None,
    format_: str,
    quiet: bool,
    evaluation: EvaluationRequest,
) -> int:
    """Say what depends on a line: instances, their attributes, rendered objects and outputs.

    The same chains that `sabir why` prints, read backwards. FILE is named from PATH, as `why` shows it. With --since the
    question is what the change since a revision means: instances, values and relations before and after.
    """
    if since is not None:
        return _review_changes(
            path, since, exclude=exclude, language=language, form=format_, quiet=quiet, request=evaluation
        )
    if format_ == "markdown":
        click.get_current_context().fail("--format markdown is for --since")

    from sabir.cli.output import show_findings
    from sabir.cli.prose import print_view
    from sabir.cli.spinner import track_progress
    from sabir.cli.views.impact import VIEWS
    from sabir.errors import FindingError
    from sabir.operations.impact import ImpactRequest, impact_path

    try:
        with track_progress(evaluation, quiet=quiet) as request:
            impact = impact_path(
                ImpactRequest(path=path, line=line or "", language=language, evaluation=request)
            )
    except FindingError as error:
        show_findings(error.findings, path, quiet=quiet)
        return 1
    show_findings(impact.findings, path, quiet=quiet)
    print_view(VIEWS, format_, impact)
    return 0


def _review_changes(
    path: Path,
    since: str,
    *,
    exclude: tuple[str, ...],
    language: str | None,
    form: str,
    quiet: bool,
    request: EvaluationRequest,
) -> int:
    from sabir.cli.output import show_findings
    from sabir.cli.prose import print_view
    from sabir.cli.spinner import show_progress
    from sabir.cli.views.impact import REVIEW_VIEWS
    from sabir.operations.review import ReviewRequest, review_path

    with show_progress(quiet=quiet, text="comparing") as report:
        review = review_path(
            ReviewRequest(
                path=path,
                since=since,
                exclude=exclude,
                language=language,
                evaluation=request,
                on_done=report,
            )
        )
    for package in review.packages:
        if package.failed:
            show_findings(package.difference.findings, path / package.path, quiet=True)
    print_view(REVIEW_VIEWS, form, review)
    return int(any(package.failed for package in review.packages))
