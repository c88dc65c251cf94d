"""`sabir deploy`: bring the world to what is described."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.cli.declare import argument, flag, option, sabir_command
from sabir.cli.deploying import (
    allow_delete_option,
    at_option,
    execution_options,
    only_option,
    project_options,
)
from sabir.cli.options import path_argument
from sabir.cli.parameter_types import PATH

if TYPE_CHECKING:
    from pathlib import Path

    from sabir.cli.deploying import ExecutionFlags
    from sabir.operations.deployment.environment import EnvironmentRequest


@sabir_command(
    "deploy",
    examples=[
        ("sabir deploy shop/", "plan, ask, do"),
        ("sabir deploy shop/ --yes", "without asking"),
        ("sabir deploy shop/ shop.plan", "exactly this plan, or nothing"),
        ("sabir deploy shop/ shop.plan --verify plan.pub", "… if the owner of this key has signed it"),
        ("sabir deploy shop/ --repair", "look at everything again"),
        ("sabir deploy shop/ --at 3", "back to what deployment 3 was asked for"),
    ],
)
@path_argument
@argument("plan", type=PATH, required=False)
@option("--verify", type=PATH, metavar="KEY", help="Do PLAN only if it is signed with this public key.")
@allow_delete_option
@flag("--refresh", help="Compare with the world, not only with what is recorded.")
@flag("--repair", help="Look at everything again, and put right what differs.")
@flag("--once", help="Only what can be foreseen now: no second wave for what rests on values that come back.")
@only_option
@at_option
@execution_options
@project_options
def command(
    *,
    environment: EnvironmentRequest,
    plan: Path | None,
    verify: Path | None,
    allow_delete: str | None,
    refresh: bool,
    repair: bool,
    once: bool,
    only: tuple[str, ...],
    at: int | None,
    words: ExecutionFlags,
) -> int:
    """Bring the world to what is described: plan, ask, do, remember.

    It can be killed at any moment: the next deployment finds out what was done and goes on. A first interrupt lets running
    steps end, a second one stops now. Exit status 1 when a step failed, is unknown or was refused; 130 when interrupted.
    """
    from msgspec.structs import replace

    from sabir.cli.execution import parse_allow_delete, run_plan
    from sabir.operations.deployment.deploy import DeployRequest, deploy_path

    return run_plan(
        environment.path,
        replace(words, yes=words.yes or plan is not None),
        lambda doing: deploy_path(
            DeployRequest(
                environment=environment,
                doing=doing,
                plan_file=plan,
                verify=verify,
                only=only,
                refresh=refresh,
                repair=repair,
                once=once,
                at=at,
                allow_delete=parse_allow_delete(allow_delete),
            )
        ),
    )
