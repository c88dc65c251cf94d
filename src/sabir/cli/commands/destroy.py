"""`sabir destroy`: take away what was deployed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.cli.declare import sabir_command
from sabir.cli.deploying import allow_delete_option, execution_options, only_option, project_options
from sabir.cli.options import path_argument

if TYPE_CHECKING:
    from sabir.cli.deploying import ExecutionFlags
    from sabir.operations.deployment.environment import EnvironmentRequest


@sabir_command(
    "destroy",
    examples=[
        ("sabir destroy shop/", "show what would go, ask for the name, do it"),
        ("sabir destroy shop/ --yes --allow-delete all", "without asking"),
    ],
)
@path_argument
@allow_delete_option
@only_option
@execution_options
@project_options
def command(
    *, environment: EnvironmentRequest, allow_delete: str | None, only: tuple[str, ...], words: ExecutionFlags
) -> int:
    """Take away everything that is recorded, in the reverse of the order it came in.

    What must not be destroyed (prevent_destroy) refuses the whole. Exit status as of `sabir deploy`.
    """
    from sabir.cli.execution import parse_allow_delete, run_plan
    from sabir.operations.deployment.deploy import DeployRequest, deploy_path

    return run_plan(
        environment.path,
        words,
        lambda doing: deploy_path(
            DeployRequest(
                environment=environment,
                doing=doing,
                only=only,
                destroy=True,
                allow_delete=parse_allow_delete(allow_delete),
            )
        ),
    )
