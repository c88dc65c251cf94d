"""The standard library of YAQL 3: one subject a module, each with a table of its functions, all of them in `STANDARD`."""

from sabir.expressions.yaql.functions import Library
from sabir.expressions.yaql.library import (
    aggregation,
    arithmetic,
    control,
    dates,
    dictionaries,
    lists,
    ordering,
    queries,
    regex,
    sequences,
    strings,
)

__all__ = ["STANDARD"]

STANDARD = Library.of(
    arithmetic.FUNCTIONS,
    control.FUNCTIONS,
    sequences.FUNCTIONS,
    queries.FUNCTIONS,
    aggregation.FUNCTIONS,
    dates.FUNCTIONS,
    dictionaries.FUNCTIONS,
    lists.FUNCTIONS,
    ordering.FUNCTIONS,
    regex.FUNCTIONS,
    strings.FUNCTIONS,
)
"""What every engine knows unless it is given another library."""
