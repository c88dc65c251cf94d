"""The standard library of YAQL 3, one module for each subject.

Each module fills a table `FUNCTIONS` with its overloads; `STANDARD` combines them all.
"""

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
"""The library of an engine that is created without one."""
