"""`sabir resolve`: settle a step whose outcome is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.cli.declare import flag, sabir_command
from sabir.cli.deploying import environment_options
from sabir.cli.options import path_and
from sabir.cli.terminal import print_status
from sabir.errors import UsageError

if TYPE_CHECKING:
    from sabir.operations.deployment.environment import EnvironmentRequest


@sabir_command(
    "resolve",
    examples=[
        ("sabir resolve shop/ db/migrate --done", "somebody looked: it was done"),
        ("sabir resolve shop/ db/migrate --redo", "it was not done: do it again"),
        ("sabir resolve shop/ app@run/3 --done", "one effect of a program"),
    ],
)
@path_and("step", "STEP")
@flag("--done", help="It was done; it is recorded so.")
@flag("--redo", help="It was not done; the next deployment does it again.")
@environment_options
def command(*, environment: EnvironmentRequest, step: str, done: bool, redo: bool) -> int:
    """Settle a step of which nobody could tell whether it was done. STEP is the address of its resource."""
    from sabir.operations.deployment.resolve import resolve_step

    if done is redo:
        raise UsageError("say what you found: --done or --redo")
    settled = resolve_step(environment, step, done=done)
    print_status(
        f"{settled.key} of deployment {settled.deployment}: {'done' if done else 'to be done again'}"
    )
    return 0
