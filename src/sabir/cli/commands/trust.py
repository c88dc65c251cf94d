"""`sabir trust`: allow a project something once, instead of with each command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sabir.cli.declare import argument, flag, sabir_command
from sabir.cli.parameter_types import PATH
from sabir.cli.session_options import TRUST_WORD, command_session
from sabir.cli.terminal import print_status, write_text

if TYPE_CHECKING:
    from pathlib import Path

    from sabir.operations.trust import Grant


@sabir_command(
    "trust",
    examples=[
        ("sabir trust shop/", "its Python may run, as it is now"),
        ("sabir trust shop/ python env:PORT", "and it may see one environment variable"),
        ("sabir trust --list", "what is trusted, and what has changed since"),
        ("sabir trust --revoke shop/", "trust it no more"),
    ],
    explained=[
        (
            "WORDS",
            "python, scripts, env, env:NAME, network, private-network, write-files, outside [default: python]",
        ),
    ],
    notes="""
    Leave is kept in your own configuration (sabir/trust.json in XDG_CONFIG_HOME, else in ~/.config), with the digests of
    the project's code. When the code changes, leave ends until you give it again. No file of a project can give itself leave.
    """,
)
@argument("path", type=PATH, required=False)
@argument("words", metavar="[WORDS…]", nargs=-1, type=TRUST_WORD)
@flag("--list", "listing", help="Show every project that is trusted.")
@flag("--revoke", help="Forget what PATH is trusted with.")
def command(*, path: Path | None, words: tuple[str, ...], listing: bool, revoke: bool) -> int:
    """Remember what the project at PATH may do beyond being read, for its code as it is now."""
    from sabir.operations.trust import grant_permission, list_grants, revoke_permission
    from sabir.session import Trust

    session = command_session()
    if listing:
        for leave in list_grants(session):
            write_text(_grant_line(leave))
        return 0
    if path is None:
        click.get_current_context().fail("name a PATH, or --list")
    if revoke:
        there = revoke_permission(path, session)
        print_status(f"{path} is trusted no more" if there else f"{path} was not trusted")
        return 0 if there else 2
    leave = grant_permission(path, Trust.of(words or ("python",)), session)
    print_status(
        f"{leave.project} may now use: {', '.join(leave.trust.words)}; as long as its code ({_count_files(leave)}) stays as it is"
    )
    return 0


def _grant_line(leave: Grant) -> str:
    changed = f" (ended: {leave.changes})" if leave.changes else ""
    return f"{leave.project}: {', '.join(leave.trust.words)}{changed}\n"


def _count_files(leave: Grant) -> str:
    return "1 file" if leave.files == 1 else f"{leave.files} files"
