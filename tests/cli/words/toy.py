"""A command with one of everything."""

from __future__ import annotations

from typing import Any, Final

from sabir.cli.words import PATH, PATH_TEXT, Command, argument, choice, flag, number, option

__all__ = ["TOY"]


def _run(**given: Any) -> int:
    return len(given)


TOY: Final = Command(
    path="toy draw",
    about="Draw a thing.\n\nSecond paragraph, which is long enough that it does not fit on a line of eighty columns.",
    arguments=(argument("thing"), argument("others", "OTHER", many=True, required=False)),
    options=(
        option("-c", "--color", kind=choice("red", "green", "blue"), default="red", help="Its colour."),
        option("-n", "--times", kind=number(int, least=1), help="How often."),
        option("--scale", kind=number(float, above=0), help="How big."),
        option("--label", into="labels", many=True, metavar="NAME=VALUE", help="A label; may be repeated."),
        option("-o", "--output", kind=PATH, metavar="FILE", help="Where to.", section="Writing"),
        option("--rules", kind=PATH_TEXT, many=True, help="Files of rules.", section="Writing"),
        option("--code", proposals=lambda: ("A:1", "A:2", "B:1"), help="A code.", section="Writing"),
        flag("-q", "--quiet", help="Say nothing."),
        flag("-v", "--verbose", help="Say more."),
    ),
    examples=(("toy draw cat", "a cat"), ("toy draw cat -c blue -n 2", "two blue ones")),
    notes="Nothing else.",
    version="1.2",
    run=_run,
)
