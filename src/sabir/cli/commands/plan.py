"""`sabir plan`: the steps that a deployment would take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.cli.declare import flag, option, sabir_command
from sabir.cli.deploying import at_option, only_option, project_options
from sabir.cli.options import format_option, path_argument, quiet_option
from sabir.cli.parameter_types import PATH
from sabir.cli.terminal import print_status, wants_color, write_bytes, write_text

if TYPE_CHECKING:
    from pathlib import Path

    from sabir.operations.deployment.environment import EnvironmentRequest
    from sabir.operations.deployment.plan import PlanResult


@sabir_command(
    "plan",
    examples=[
        ("sabir plan shop/", "what a deployment would do"),
        ("sabir plan shop/ -o shop.plan", "keep the plan …"),
        ("sabir deploy shop/ shop.plan", "… and do exactly that, or nothing"),
        ("sabir plan shop/ -o shop.plan --sign plan.key", "… signed, for `sabir deploy --verify plan.pub`"),
        (
            "sabir plan git:main:shop --format markdown",
            "what main would do to what is deployed, for a review",
        ),
        ("sabir plan shop/ --refresh", "look at the world, too"),
        ("sabir plan shop/ --format html -o plan.html", "a page to look at it in a browser"),
    ],
)
@path_argument
@option(
    "-o", "--output", type=PATH, metavar="FILE", help="Keep the plan in a file, for `sabir deploy PATH FILE`."
)
@option("--sign", type=PATH, metavar="KEY", help="With --output: sign it with this private key (Ed25519).")
@flag("--refresh", help="Compare with the world, not only with what is recorded.")
@flag("--destroy", help="Plan to take everything away.")
@only_option
@at_option
@format_option(
    "text", "json", "markdown", "html", help="How it is written; html: a page with the graph and the steps."
)
@quiet_option
@project_options
def command(
    *,
    environment: EnvironmentRequest,
    output: Path | None,
    sign: Path | None,
    refresh: bool,
    destroy: bool,
    only: tuple[str, ...],
    at: int | None,
    format_: str,
    quiet: bool,
) -> int:
    """Show every step that a deployment would take, and why: + create, ~ update, -/+ replace, - delete, > run.

    PATH may be a revision of a git repository: git:REV, or git:REV:PATH. It is compared with the state that is here now.

    Nothing is changed and nothing is written. Exit status 0 when there is nothing to do, 3 when there is.
    """
    from sabir.checks.formatters.palette import Palette
    from sabir.cli.boundary import ExitCode
    from sabir.cli.output import show_findings
    from sabir.cli.views.plan import VIEWS
    from sabir.errors import UsageError
    from sabir.operations.deployment.plan import PlanPathRequest, plan_path
    from sabir.operations.deployment.plan_file import plan_text
    from sabir.operations.files import write_atomically

    if sign is not None and (output is None or format_ == "html"):
        raise UsageError("--sign is for a plan that is kept for `sabir deploy`: say where with --output")
    request = PlanPathRequest(environment=environment, only=only, refresh=refresh, destroy=destroy, at=at)
    planned = plan_path(request)
    show_findings(planned.findings, environment.path, quiet=quiet)
    if planned.plan is None:
        return ExitCode.FOUND
    if planned.open_steps and not quiet:
        print_status(
            f"a deployment was cut off with {planned.open_steps} steps begun: "
            "what became of them is found out before anything else is done"
        )
    for address, reason in planned.lost if not quiet else ():
        print_status(f"cannot go back: {address}: {reason}")
    if format_ == "html":
        _write_page(planned, environment, output)
    elif output is not None:
        write_atomically(output, plan_text(planned.plan, sign).encode(), private=True)
    palette = Palette(on=format_ == "text" and wants_color())
    for piece in VIEWS[format_](planned.plan, palette) if format_ != "html" else ():
        write_text(piece)
    if planned.refused:
        return ExitCode.FOUND
    return ExitCode.TO_DO if planned.plan.is_open or planned.open_steps else ExitCode.FINE


def _write_page(planned: PlanResult, environment: EnvironmentRequest, output: Path | None) -> None:

    from msgspec.structs import replace

    from sabir.cli.views.plan import plan_page
    from sabir.graph.graph import Graph
    from sabir.operations.deployment.environment import environment_name
    from sabir.operations.files import write_atomically

    assert planned.plan is not None
    # Whatever it is called in the state, people know it by the name that it gives itself.
    title = environment_name(replace(environment, environment=None))
    pieces = plan_page(planned.plan, planned.graph or Graph(()), planned.findings, title)
    if output is not None:
        write_atomically(output, pieces)
    else:
        write_bytes(pieces)
