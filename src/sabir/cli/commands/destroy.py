"""`sabir destroy`: take away what was deployed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.cli.declare import flag, option, sabir_command
from sabir.cli.deploying import only_option, wanted_options
from sabir.cli.kinds import Number
from sabir.cli.options import format_option, path_argument, quiet_option

if TYPE_CHECKING:
    from sabir.operations.deploying import EnvironmentRequest

__all__ = ["command"]


@sabir_command(
    "destroy",
    examples=[
        ("sabir destroy shop/", "show what would go, ask for the name, do it"),
        ("sabir destroy shop/ --yes --allow-delete all", "without asking"),
    ],
)
@path_argument
@flag("-y", "--yes", help="Do not ask.")
@option(
    "--allow-delete", metavar="N|all", help="Consent to so many deletions, when they are more than a fifth."
)
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
    yes: bool,
    allow_delete: str | None,
    only: tuple[str, ...],
    parallel: int,
    wait: float,
    format_: str,
    quiet: bool,
) -> int:
    """Take away everything that is recorded, in the reverse of the order it came in.

    What must not be destroyed (prevent_destroy) refuses the whole. Exit status as of `sabir deploy`.
    """
    from sabir.cli.doing import Words, carry_out

    return carry_out(
        Words(
            environment=environment,
            only=only,
            destroy=True,
            yes=yes,
            allow_delete=allow_delete,
            parallel=parallel,
            wait=wait,
            format_=format_,
            quiet=quiet,
        )
    )
