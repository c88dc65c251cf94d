"""Functions as older package formats know them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sabir.expressions.yaql import LAZY_RULE, Library, Rule, Variables
from sabir.expressions.yaql.kinds import ANY, INT, ITERABLE, NULL, OBJECT, STRING
from sabir.languages.muranopl.evaluate.functions.naming import class_argument
from sabir.languages.muranopl.evaluate.objects import MuranoObject, ObjectView

__all__ = ["first_library", "named_types"]

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
    "list",
    "bool",
    "float",
    "select",
    "where",
    "sum",
    "takeWhile",
    "matches",
    "flatten",
    "id",
    "cast",
    "super",
    "psuper",
    "type",
)


def named_types(base: Library) -> Library:
    """Formats up to 1.3: `type` gives the name of the class, not the class."""
    library = Library(base)

    @library.function("type", OBJECT | STRING | NULL)
    def type_(variables: Variables, object: Any) -> Any:  # noqa: A002
        if isinstance(object, MuranoObject | ObjectView):
            return object.cls.name
        return None if object is None else class_argument(object, variables)

    return library


def first_library(base: Library) -> Library:
    """Formats 1.0 and 1.1: names of the first YAQL, and functions that could be called either way."""
    library = Library(base)
    for name in _EITHER_WAY:
        library.as_extension(name)

    @library.extension("switch", ANY, LAZY_RULE, rules=True)
    def switch(value: Any, *conditions: Rule) -> Any:
        """`switch($x, $ > 1 => many, true => one)`: in the conditions `$` is the value."""
        for case in conditions:
            if case.source(value):
                return case.target(value)
        return None

    @library.extension("substr", STRING, INT, INT)
    def substr(string: str, start: int, length: int = -1) -> str:
        return string[start:] if length < 0 else string[start : start + length]

    @library.extension("firstOrDefault", ITERABLE)
    def first_or_default(collection: Iterable[Any], default: Any = None) -> Any:
        return next(iter(collection), default)

    return library
