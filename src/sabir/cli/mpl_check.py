"""The command `mpl-check`, with exactly the interface of spec 001, "CLI Usage"; it runs the engine of `sabir check`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from sabir import __version__
from sabir.cli import main as sabir
from sabir.cli.boundary import call, start
from sabir.cli.declare import Option, argument, flag, option, sabir_command
from sabir.cli.kinds import PATH_TEXT, Proposed

__all__ = ["check", "main"]


@sabir_command(
    "mpl-check",
    options_metavar="[options]",
    explained=[
        ("DIRECTORY", "Application working directory (e.g. contains manifest.yaml, Classes/, etc.)"),
        ("PACKAGE", "Compressed application (ZIP-archive)"),
    ],
    notes="Lists are separated by commas. Validators are package, manifest, class and ui, or PKG, MAN, MPL and UI.",
)
@argument("package", metavar="<PACKAGE | DIRECTORY>", type=PATH_TEXT)
@option("--ignore", metavar="errors", multiple=True, help="Skip errors and warnings.")
@option("--select", metavar="errors", multiple=True, help="Check only for selected errors and warnings.")
@option(
    "--scope",
    metavar="validators",
    multiple=True,
    type=Proposed(lambda: ("package", "manifest", "class", "ui")),
    help="List of validators to execute.",
)
@flag("--strict", help="Consider warnings as errors.")
@click.version_option(__version__, cls=Option, prog_name="mpl-check", message="%(prog)s %(version)s")
def check(
    *, package: str, ignore: tuple[str, ...], select: tuple[str, ...], scope: tuple[str, ...], strict: bool
) -> int:
    """Check a Murano application package."""
    words = ["check", "--language=muranopl"]
    for name, values in (("ignore", ignore), ("select", select), ("scope", scope)):
        words.extend(f"--{name}={value}" for value in values)
    if strict:
        words.append("--strict")
    return call(sabir.command, "sabir", [*words, "--", package])


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and answer with the exit status."""
    return start(check, "mpl-check", args)


if __name__ == "__main__":
    sys.exit(main())
