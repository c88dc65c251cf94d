"""`sabir call`: run an operation on what is deployed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sabir.cli.declare import flag, sabir_command, usage_line
from sabir.cli.deploying import argument_option, execution_options, project_options
from sabir.cli.options import path_and
from sabir.cli.parameter_types import parse_values
from sabir.cli.terminal import write_text
from sabir.text import format_json

if TYPE_CHECKING:
    from sabir.cli.deploying import ExecutionFlags
    from sabir.operations.deployment.callables import CallableOperation
    from sabir.operations.deployment.environment import EnvironmentRequest


@sabir_command(
    "call",
    examples=[
        ("sabir call shop/ --list", "what can be called"),
        ("sabir call shop/ web.restart", "show what is run, ask, do it"),
        ("sabir call shop/ db.backup --arg to=/srv/copy --yes", "with an argument, without asking"),
    ],
)
@path_and("operation", "INSTANCE.OPERATION", optional=True)
@argument_option
@flag("--list", "list_", help="List what can be called, with the arguments.")
@flag("--anew", help="Begin from the start, although the same call was cut off.")
@execution_options
@project_options
def command(
    *,
    environment: EnvironmentRequest,
    operation: str | None,
    args: tuple[str, ...],
    list_: bool,
    anew: bool,
    words: ExecutionFlags,
) -> int:
    """Run a method, operation, workflow or action on what is deployed, journalled like every step.

    A call that was cut off is gone on with when the same is called again. What it gives back is printed, and is known to
    expressions from then on. Exit status as of `sabir deploy`.
    """
    from sabir.cli.execution import run_plan
    from sabir.operations.deployment.call import CallRequest, call_path

    if list_:
        return _list_operations(environment, words)
    if operation is None:
        ctx = click.get_current_context()
        ctx.fail(f"INSTANCE.OPERATION is missing: {usage_line(ctx)}; --list shows what there is")
    arguments = parse_values(args, "--arg")
    return run_plan(
        environment.path,
        words,
        lambda doing: call_path(
            CallRequest(environment=environment, name=operation, arguments=arguments, doing=doing, anew=anew)
        ),
    )


def _list_operations(environment: EnvironmentRequest, words: ExecutionFlags) -> int:
    from sabir.cli.boundary import ExitCode
    from sabir.cli.output import show_findings
    from sabir.diagnostics.finding import Severity
    from sabir.operations.deployment.call import list_operations

    prepared, offers = list_operations(environment)
    # To list is not to run: leave is asked for when something is called.
    findings = prepared.without_leave_findings
    show_findings(findings, environment.path, quiet=words.quiet)
    if words.format_ == "json":
        document = {
            "format": "sabir.operations/1",
            "operations": [_operation_data(offer) for offer in offers],
        }
        write_text(format_json(document, indent=2) + "\n")
    else:
        for offer in offers:
            write_text(_operation_line(offer))
    failed = any(finding.severity is Severity.ERROR for finding in findings)
    return ExitCode.FOUND if failed else ExitCode.FINE


def _operation_line(offer: CallableOperation) -> str:
    from sabir.checks.formatters.palette import escape_control
    from sabir.cli.views.plan import format_value
    from sabir.graph.values import Unknown

    arguments = [
        name if isinstance(value, Unknown) else f"{name}={format_value(value)}"
        for name, value in offer.arguments.items()
    ]
    events = f"  on {', '.join(offer.events)}" if offer.events else ""
    about = f"  {offer.about}" if offer.about else ""
    return escape_control(f"{offer.words}({', '.join(arguments)}){events}{about}") + "\n"


def _operation_data(offer: CallableOperation) -> dict[str, Any]:
    from sabir.graph.json.values import encode_value
    from sabir.graph.values import Unknown

    return {
        "instance": offer.address,
        "operation": offer.name,
        "about": offer.about,
        "events": list(offer.events),
        "arguments": {
            name: {"required": True} if isinstance(value, Unknown) else {"default": encode_value(value)}
            for name, value in offer.arguments.items()
        },
        "schema": offer.schema(),
    }
