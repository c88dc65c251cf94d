"""The command `mpl-check`, with exactly the interface of spec 001, "CLI Usage"; it runs the engine of `sabir check`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from sabir import __version__
from sabir.cli import main as sabir
from sabir.cli.boundary import invoke_command, run_command
from sabir.cli.declare import Option, argument, flag, option, sabir_command
from sabir.cli.parameter_types import PATH_TEXT, SuggestedText
from sabir.cli.terminal import print_status
from sabir.errors import UsageError


@sabir_command(
    "mpl-check",
    options_metavar="[options]",
    explained=[
        ("DIRECTORY", "Application working directory (e.g. contains manifest.yaml, Classes/, etc.)"),
        ("PACKAGE", "Compressed application (ZIP-archive)"),
    ],
    notes="Lists are separated by commas. Validators are package, manifest, class and ui, or PKG, MAN, MPL and UI.",
)
@argument("packages", metavar="<PACKAGE | DIRECTORY>...", type=PATH_TEXT, nargs=-1, required=True)
@option("--ignore", metavar="errors", multiple=True, help="Skip errors and warnings.")
@option("--select", metavar="errors", multiple=True, help="Check only for selected errors and warnings.")
@option(
    "--scope",
    metavar="validators",
    multiple=True,
    type=SuggestedText(lambda: ("package", "manifest", "class", "ui")),
    help="List of validators to execute.",
)
@flag("--strict", help="Consider warnings as errors.")
@flag("--discover", help="Check every package in the directories.")
@flag("-v", "--verbose", help="Say which packages are checked.")
@flag("--debug", help="Show where in the checker a fault of it happened.")
@click.version_option(__version__, cls=Option, prog_name="mpl-check", message="%(prog)s %(version)s")
def check(
    *,
    packages: tuple[str, ...],
    ignore: tuple[str, ...],
    select: tuple[str, ...],
    scope: tuple[str, ...],
    strict: bool,
    discover: bool,
    verbose: bool,
    debug: bool,
) -> int:
    """Check Murano application packages."""
    if debug:
        os.environ["SABIR_DEBUG"] = "1"
    if discover:
        packages = _discover_packages(packages)
    for package in packages if verbose else ():
        print_status(f"checking {package}")
    words = ["check", "--language=muranopl"]
    for name, values in (("ignore", ignore), ("select", select), ("scope", scope)):
        words.extend(f"--{name}={value}" for value in values)
    if strict:
        words.append("--strict")
    return invoke_command(sabir.command, "sabir", [*words, "--", *packages])


def _discover_packages(folders: tuple[str, ...]) -> tuple[str, ...]:
    from sabir.operations.packages import discover_packages

    packages = tuple(
        str(package.path)
        for folder in folders
        for package in discover_packages(Path(folder))
        if "muranopl" in package.languages
    )
    if not packages:
        raise UsageError(f"there is no package in {', '.join(folders)}")
    return packages


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and answer with the exit status."""
    return run_command(check, "mpl-check", args)


if __name__ == "__main__":
    sys.exit(main())
