"""Where absolute paths of Unfurl expressions begin in a text, for those who look at texts that are no expressions alone."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["absolute_path", "typed_path"]

# At the start of a text, after a bracket, a blank or an operator of a filter; inside of a path it only goes on.
_BEGINNING = r"(?<![\w\]?*.)])::"


@cache
def absolute_path() -> re.Pattern[str]:
    """`::name`; what begins otherwise (`::*`, `::[…]`) looks everywhere, and has no name."""
    return re.compile(rf"{_BEGINNING}(?:(?P<name>[A-Za-z_][\w-]*)|(?=[*.\[]))")


@cache
def typed_path() -> re.Pattern[str]:
    """A path that ends where somebody types."""
    return re.compile(rf"{_BEGINNING}[\w-]*\Z")
