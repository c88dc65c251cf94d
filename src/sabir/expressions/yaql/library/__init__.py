"""The standard library of YAQL 3: one subject a module, each with a table of its functions, all of them in `STANDARD`."""

from sabir.expressions.yaql.functions import Library
from sabir.expressions.yaql.library import (
    arithmetic,
    branching,
    combining,
    dates,
    dictionaries,
    lists,
    ordering,
    queries,
    regex,
    sequences,
    sets,
    strings,
    system,
    timespans,
)

__all__ = ["STANDARD"]

STANDARD = Library.of(
    arithmetic.FUNCTIONS,
    branching.FUNCTIONS,
    sequences.FUNCTIONS,
    queries.FUNCTIONS,
    combining.FUNCTIONS,
    dates.FUNCTIONS,
    timespans.FUNCTIONS,
    dictionaries.FUNCTIONS,
    lists.FUNCTIONS,
    ordering.FUNCTIONS,
    regex.FUNCTIONS,
    sets.FUNCTIONS,
    strings.FUNCTIONS,
    system.FUNCTIONS,
)
"""What every engine knows unless it is given another library."""
