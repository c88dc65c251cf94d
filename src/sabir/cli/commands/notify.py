"""`sabir notify`: tell an environment of an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.cli.declare import flag, sabir_command
from sabir.cli.deploying import argument_option, execution_options, project_options
from sabir.cli.options import path_and
from sabir.cli.parameter_types import parse_values

if TYPE_CHECKING:
    from sabir.cli.deploying import ExecutionFlags
    from sabir.operations.deployment.environment import EnvironmentRequest


@sabir_command(
    "notify",
    examples=[
        ("sabir notify shop/ disk-full --arg host=web-1", "what policies say is done then"),
        ("sabir call shop/ --list", "which events something waits for"),
    ],
)
@path_and("event", "EVENT")
@argument_option
@flag("--anew", help="Begin from the start, although the same event was being handled and cut off.")
@execution_options
@project_options
def command(
    *, environment: EnvironmentRequest, event: str, args: tuple[str, ...], anew: bool, words: ExecutionFlags
) -> int:
    """Tell an environment of an event: every operation that waits for it is called, as one journalled run.

    Each operation gets those arguments that it takes. Exit status as of `sabir deploy`; 0 when nothing waits for the event.
    """
    from sabir.cli.execution import run_plan
    from sabir.operations.deployment.call import CallRequest, notify_path

    arguments = parse_values(args, "--arg")
    return run_plan(
        environment.path,
        words,
        lambda doing: notify_path(
            CallRequest(environment=environment, name=event, arguments=arguments, doing=doing, anew=anew)
        ),
    )
