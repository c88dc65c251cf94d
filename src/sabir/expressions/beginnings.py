"""Where absolute paths of Unfurl expressions begin in a text, for those who look at texts that are no expressions alone."""

from __future__ import annotations

from typing import Final

from sabir.lazy import lazy_pattern

__all__ = ["absolute_path", "typed_path"]

# At the start of a text, after a bracket, a blank or an operator of a filter; inside of a path it only goes on.
_BEGINNING = r"(?<![\w\]?*.)])::"

absolute_path: Final = lazy_pattern(rf"{_BEGINNING}(?:(?P<name>[A-Za-z_][\w-]*)|(?=[*.\[]))")
"""`::name`; what begins otherwise (`::*`, `::[…]`) looks everywhere, and has no name."""
typed_path: Final = lazy_pattern(rf"{_BEGINNING}[\w-]*\Z")
"""A path that ends where somebody types."""
