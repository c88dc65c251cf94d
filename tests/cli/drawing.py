"""A command with one of everything."""

from __future__ import annotations

from typing import Any

import click

from sabir.cli.declare import Option, argument, flag, option, sabir_command
from sabir.cli.parameter_types import PATH, PATH_TEXT, Number, SuggestedText, WordChoice

__all__ = ["draw", "seen"]

seen: list[dict[str, Any]] = []
"""What the command was called with."""


@sabir_command(
    "draw",
    examples=[("toy draw cat", "a cat"), ("toy draw cat -c blue -n 2", "two blue ones")],
    notes="Nothing else.",
)
@argument("thing")
@argument("others", metavar="[OTHER]…", nargs=-1)
@option("-c", "--color", type=WordChoice("red", "green", "blue"), default="red", help="Its colour.")
@option("-n", "--times", type=Number(int, least=1), help="How often.")
@option("--scale", type=Number(float, above=0), help="How big.")
@option("--label", "labels", multiple=True, metavar="NAME=VALUE", help="A label; may be repeated.")
@option("-o", "--output", type=PATH, metavar="FILE", help="Where to.", section="Writing")
@option("--rules", type=PATH_TEXT, metavar="FILE", multiple=True, help="Files of rules.", section="Writing")
@option("--code", type=SuggestedText(lambda: ("A:1", "A:2", "B:1")), help="A code.", section="Writing")
@flag("-q", "--quiet", help="Say nothing.")
@flag("-v", "--verbose", help="Say more.")
@click.version_option("1.2", cls=Option, prog_name="draw", message="%(prog)s %(version)s")
def draw(**values: Any) -> int:
    """Draw a thing.

    Second paragraph, which is long enough that it does not fit on a line of eighty columns.
    """
    seen.append(values)
    return len(values)
