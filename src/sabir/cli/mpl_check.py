"""The command `mpl-check`, with exactly the interface of spec 001, "CLI Usage"; it runs the engine of `sabir check`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

# Most of a short run is loading modules; collecting among them finds nothing and costs a tenth of it.
gc.set_threshold(100_000)

import click  # noqa: E402

from sabir import __version__  # noqa: E402

__all__ = ["command", "main"]


@click.command(
    "mpl-check",
    options_metavar="[options]",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.argument("package", metavar="<PACKAGE | DIRECTORY>")
@click.option("--ignore", metavar="errors", multiple=True, help="Skip errors and warnings.")
@click.option(
    "--select", metavar="errors", multiple=True, help="Check only for selected errors and warnings."
)
@click.option("--scope", metavar="validators", multiple=True, help="List of validators to execute.")
@click.option("--strict", is_flag=True, help="Consider warnings as errors.")
@click.version_option(__version__, "--version", prog_name="mpl-check", message="%(prog)s %(version)s")
def command(
    package: str, ignore: tuple[str, ...], select: tuple[str, ...], scope: tuple[str, ...], strict: bool
) -> list[str]:
    """Check a Murano application package.

    \b
    DIRECTORY  Application working directory (e.g. contains manifest.yaml, Classes/, etc.)
    PACKAGE    Compressed application (ZIP-archive)

    Lists are separated by commas. Validators are package, manifest, class and ui, or PKG, MAN, MPL and UI.
    """
    words = ["check", "--language=muranopl"]
    for option, values in (("ignore", ignore), ("select", select), ("scope", scope)):
        words.extend(f"--{option}={value}" for value in values)
    if strict:
        words.append("--strict")
    return [*words, "--", package]


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and answer with the exit status."""
    from sabir.cli.boundary import explain_failure
    from sabir.cli.main import main as sabir

    try:
        with command.make_context("mpl-check", [*(sys.argv[1:] if args is None else args)]) as context:
            words: list[str] = command.invoke(context)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except (click.ClickException, click.Abort) as error:
        return explain_failure(error)
    return sabir(words)


if __name__ == "__main__":
    sys.exit(main())
