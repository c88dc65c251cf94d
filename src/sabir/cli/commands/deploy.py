"""`sabir deploy`: bring the world to what is described."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.cli.declare import argument, flag, option, sabir_command
from sabir.cli.deploying import only_option, wanted_options
from sabir.cli.kinds import PATH, Number
from sabir.cli.options import format_option, path_argument, quiet_option

if TYPE_CHECKING:
    from pathlib import Path

    from sabir.operations.deploying import EnvironmentRequest

__all__ = ["command"]


@sabir_command(
    "deploy",
    examples=[
        ("sabir deploy shop/", "plan, ask, do"),
        ("sabir deploy shop/ --yes", "without asking"),
        ("sabir deploy shop/ shop.plan", "exactly this plan, or nothing"),
        ("sabir deploy shop/ --repair", "look at everything again"),
    ],
)
@path_argument
@argument("plan", type=PATH, required=False)
@flag("-y", "--yes", help="Do not ask.")
@option(
    "--allow-delete", metavar="N|all", help="Consent to so many deletions, when they are more than a fifth."
)
@flag("--refresh", help="Compare with the world, not only with what is recorded.")
@flag("--repair", help="Look at everything again, and put right what differs.")
@only_option
@option("--parallel", type=Number(int, least=1), default=10, help="How many steps may run at once.")
@option(
    "--wait", type=Number(float, least=0), default=0.0, help="Seconds to wait for another deployment of it."
)
@format_option("text", "json", help="Progress for people, or one JSON event a line.")
@quiet_option
@wanted_options
def command(
    *,
    environment: EnvironmentRequest,
    plan: Path | None,
    yes: bool,
    allow_delete: str | None,
    refresh: bool,
    repair: bool,
    only: tuple[str, ...],
    parallel: int,
    wait: float,
    format_: str,
    quiet: bool,
) -> int:
    """Bring the world to what is described: plan, ask, do, remember.

    It can be killed at any moment: the next deployment finds out what was done and goes on. A first interrupt lets running
    steps end, a second one stops now. Exit status 1 when a step failed, is unknown or was refused; 130 when interrupted.
    """
    from sabir.cli.doing import Words, carry_out

    return carry_out(
        Words(
            environment=environment,
            plan_file=plan,
            only=only,
            refresh=refresh,
            repair=repair,
            yes=yes,
            allow_delete=allow_delete,
            parallel=parallel,
            wait=wait,
            format_=format_,
            quiet=quiet,
        )
    )
