"""`sabir diff`: two graphs compared by meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.cli.declare import argument, flag, option, sabir_command
from sabir.cli.deploying import state_options
from sabir.cli.options import evaluation_options, format_option, language_option, quiet_option
from sabir.cli.parameter_types import PATH, Number

if TYPE_CHECKING:
    from pathlib import Path

    from sabir.cli.deploying import StateResolver
    from sabir.languages.language import EvaluationRequest
    from sabir.operations.diff import DiffResult


@sabir_command(
    "diff",
    examples=[
        ("sabir diff old/ new/", "two versions"),
        ("sabir diff git:main shop/", "a revision of the repository, and what is there now"),
        ("sabir diff git:v1:shop git:v2:shop --format markdown", "two revisions, as a comment of a review"),
        ("sabir diff shop/ --set network/lan.cidr=10.9.0.0/16", "what a value would change"),
        ("sabir diff shop/ --at 3 --at 5", "what two deployments were asked for"),
        ("sabir compile shop/ -o last.json", "keep a graph …"),
        ("sabir diff last.json shop/ --exit-code", "… and see what changed since"),
    ],
)
@argument("before", type=PATH)
@argument("after", type=PATH, required=False)
@language_option
@format_option("text", "json", "markdown", help="How it is written.")
@flag("--exit-code", help="Leave with status 1 when there is a difference.")
@quiet_option
@option(
    "--at",
    "numbers",
    multiple=True,
    metavar="N",
    type=Number(int, least=1),
    section="State",
    help="PATH as deployment N was asked for it; twice: two deployments, once: that one and what is there now.",
)
@state_options
@evaluation_options
def command(
    *,
    before: Path,
    after: Path | None,
    language: str | None,
    format_: str,
    exit_code: bool,
    quiet: bool,
    numbers: tuple[int, ...],
    remembered: StateResolver,
    evaluation: EvaluationRequest,
) -> int:
    """Compare two graphs by what they mean: instances, values, relations and outputs.

    BEFORE and AFTER are packages, environments, saved graphs, or revisions of a git repository: git:REV is the other path
    as it was in that revision, git:REV:PATH another one. With BEFORE alone, it is compared with itself under --set, or, when
    it is a revision, with what is there now. Order and places do not count.
    """
    from sabir.cli.output import show_findings
    from sabir.cli.prose import print_view
    from sabir.cli.spinner import track_progress
    from sabir.cli.views.diff import VIEWS
    from sabir.diagnostics.finding import Severity
    from sabir.operations.diff import DiffRequest, diff_paths

    with track_progress(evaluation, quiet=quiet) as request:
        if numbers:
            difference = _compare_deployments(before, after, numbers, remembered, request, language)
        else:
            difference = diff_paths(
                DiffRequest(before=before, after=after, language=language, evaluation=request)
            )
    show_findings(difference.findings, quiet=quiet)
    if any(finding.severity is Severity.ERROR for finding in difference.findings):
        return 1
    print_view(VIEWS, format_, difference)
    return int(exit_code and bool(difference.diff))


def _compare_deployments(
    path: Path,
    other: Path | None,
    numbers: tuple[int, ...],
    remembered: StateResolver,
    evaluation: EvaluationRequest,
    language: str | None,
) -> DiffResult:
    """Two deployments of one path, or one of them and what is there now."""
    from msgspec.structs import replace

    from sabir.errors import UsageError
    from sabir.graph.observations import Sightings
    from sabir.operations.diff import compare_evaluated
    from sabir.operations.evaluation import evaluate_path

    if other is not None or len(numbers) > 2:
        raise UsageError("with --at there is one PATH, and one number or two")
    sides = []
    for number in (*numbers, None)[:2]:
        with remembered(path, evaluation, language, number) as known:
            # How things fare now is no difference in what was asked for.
            request = replace(known.evaluation, sightings=Sightings())
            sides.append(evaluate_path(known.path, request, language=known.language).evaluation)
    return compare_evaluated(*sides)
