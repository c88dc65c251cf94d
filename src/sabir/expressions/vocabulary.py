"""Where absolute paths of Unfurl expressions begin in a text, for those who look at texts that are no expressions alone.

Points in time read by a form that the user wrote.

The operators of TOSCA 2.0 that say whether something holds: functions in expressions, and the words of constraints.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from sabir.lazy import lazy_pattern

# At the start of a text, after a bracket, a blank or an operator of a filter; inside of a path it only goes on.
_BEGINNING = r"(?<![\w\]?*.)])::"

absolute_path: Final = lazy_pattern(rf"{_BEGINNING}(?:(?P<name>[A-Za-z_][\w-]*)|(?=[*.\[]))")
"""`::name`; what begins otherwise (`::*`, `::[…]`) looks everywhere, and has no name."""
typed_path: Final = lazy_pattern(rf"{_BEGINNING}[\w-]*\Z")
"""A path that ends where somebody types."""


def read_moment(text: str, form: str) -> datetime:
    """`datetime.strptime`, whose pattern does not compile where a directive stands twice; ValueError then, too."""
    try:
        return datetime.strptime(text, form)
    except re.error:
        raise ValueError(f"{form!r} is no form of a date: a directive stands in it twice") from None


LOGIC: Final = ("and", "or", "not", "xor")
COMPARISONS: Final = (
    "equal",
    "greater_than",
    "greater_or_equal",
    "less_than",
    "less_or_equal",
    "in_range",
    "valid_values",
    "matches",
)
CONTAINMENTS: Final = (
    "has_suffix",
    "has_prefix",
    "contains",
    "has_entry",
    "has_key",
    "has_all_entries",
    "has_all_keys",
    "has_any_entry",
    "has_any_key",
)
