"""The standard library of YAQL 3, one subject a module. Importing a module declares its functions in `STANDARD`."""

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
)
from sabir.expressions.yaql.library.registry import STANDARD

__all__ = [
    "STANDARD",
    "arithmetic",
    "branching",
    "combining",
    "dates",
    "dictionaries",
    "lists",
    "ordering",
    "queries",
    "regex",
    "sequences",
    "sets",
    "strings",
    "system",
]
