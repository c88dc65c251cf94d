"""Package formats 1.0 and 1.1: names of the first YAQL, and functions that could be called either way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sabir.expressions.yaql import Library
from sabir.expressions.yaql.kinds import INT, ITERABLE, STRING

__all__ = ["legacy_library"]

_EITHER_WAY = (
    "toUpper",
    "toLower",
    "startsWith",
    "endsWith",
    "trim",
    "replace",
    "split",
    "join",
    "len",
    "str",
    "int",
    "keys",
    "values",
    "items",
    "get",
)


def legacy_library(base: Library) -> Library:
    library = Library(base)
    for name in _EITHER_WAY:
        library.as_extension(name)

    @library.extension("substr", STRING, INT, INT)
    def substr(string: str, start: int, length: int = -1) -> str:
        return string[start:] if length < 0 else string[start : start + length]

    @library.extension("firstOrDefault", ITERABLE)
    def first_or_default(collection: Iterable[Any], default: Any = None) -> Any:
        return next(iter(collection), default)

    return library
