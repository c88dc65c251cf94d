"""`sabir new`: a small correct project to begin with."""

from __future__ import annotations

from pathlib import Path

from sabir.cli.declare import argument, sabir_command
from sabir.cli.parameter_types import PATH, WordChoice

_KINDS = ("muranopl", "inmanta", "ccp", "tosca", "environment")


@sabir_command(
    "new",
    examples=[
        ("sabir new inmanta web-shop", "a model in the folder web-shop"),
        ("sabir new environment web-shop here/", "two languages wired together, in the folder here"),
    ],
)
@argument("kind", metavar="|".join(_KINDS), type=WordChoice(*_KINDS))
@argument("name")
@argument("folder", metavar="[FOLDER]", type=PATH, required=False)
def command(*, kind: str, name: str, folder: Path | None) -> int:
    """Write a small project that passes check and compile.

    NAME is in small letters, digits and dashes; the project is written to FOLDER, or to a folder of that name.
    """
    from sabir.cli.terminal import print_status, write_text
    from sabir.operations.scaffold import KINDS, new_project

    place = folder or Path(name)
    for file in new_project(kind, name, place):
        write_text(f"{file}\n")
    print_status(
        f"{KINDS[kind]}; go on with: sabir check {place} · sabir compile {place} --format text · sabir plan {place}"
    )
    return 0
