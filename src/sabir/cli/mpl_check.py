"""The command `mpl-check`, with exactly the interface of spec 001, "CLI Usage"; it runs the engine of `sabir check`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sabir import __version__
from sabir.cli.boundary import start
from sabir.cli.words import PATH_TEXT, Command, argument, flag, option
from sabir.cli.words.read import run_command

if TYPE_CHECKING:
    from sabir.cli.words.complete import Proposals

__all__ = ["command", "main"]


def _check(
    *, package: str, ignore: tuple[str, ...], select: tuple[str, ...], scope: tuple[str, ...], strict: bool
) -> int:
    from sabir.cli.main import run

    words = ["check", "--language=muranopl"]
    for name, values in (("ignore", ignore), ("select", select), ("scope", scope)):
        words.extend(f"--{name}={value}" for value in values)
    if strict:
        words.append("--strict")
    return run([*words, "--", package])


def _validators() -> tuple[str, ...]:
    return ("package", "manifest", "class", "ui")


command: Final = Command(
    path="mpl-check",
    options_metavar="[options]",
    about="Check a Murano application package.",
    explained=(
        ("DIRECTORY", "Application working directory (e.g. contains manifest.yaml, Classes/, etc.)"),
        ("PACKAGE", "Compressed application (ZIP-archive)"),
    ),
    arguments=(argument("package", "<PACKAGE | DIRECTORY>", kind=PATH_TEXT),),
    options=(
        option("--ignore", metavar="errors", many=True, help="Skip errors and warnings."),
        option("--select", metavar="errors", many=True, help="Check only for selected errors and warnings."),
        option(
            "--scope",
            metavar="validators",
            many=True,
            proposals=_validators,
            help="List of validators to execute.",
        ),
        flag("--strict", help="Consider warnings as errors."),
    ),
    notes="Lists are separated by commas. Validators are package, manifest, class and ui, or PKG, MAN, MPL and UI.",
    version=__version__,
    run=_check,
)


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and answer with the exit status."""
    return start(args, lambda words: run_command(command, words), _proposals)


def _proposals(before: Sequence[str], word: str) -> Proposals:
    from sabir.cli.words.complete import proposals

    return proposals(command, before, word)


if __name__ == "__main__":
    sys.exit(main())
