"""Functions of the first package formats: names of the first YAQL, callable as function or method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sabir.expressions.yaql import LAMBDA, LAZY_RULE, Lambda, Library, Variables, YaqlRule, YaqlRuntimeError
from sabir.expressions.yaql.kinds import ANY, INT, ITERABLE, MAPPING, NULL, STRING
from sabir.expressions.yaql.library.embedder import build_tuple, dict_of_tuples, range_from
from sabir.expressions.yaql.library.queries import where
from sabir.expressions.yaql.scope import YaqlScope, variable_key
from sabir.expressions.yaql.values import to_hashable
from sabir.languages.muranopl.model.errors import MuranoError

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
    "int",
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


def first_library(base: Library) -> Library:
    """Return the functions of formats 1.0 and 1.1: names of the first YAQL, callable as function or method."""
    library = Library(base)
    library.function("#index", ITERABLE | MAPPING, LAMBDA)(_item_or_items)
    library.function("tuple")(build_tuple)
    library.extension("dict", tuple, rules=True)(dict_of_tuples)
    library.extension("range", INT, INT | NULL)(range_from)
    library.extension("switch", ANY, LAZY_RULE, rules=True)(_select_case)
    library.method("as", ANY, LAZY_RULE, rules=True)(_bind_names)
    library.extension("substr", STRING, INT, INT)(_take_substring)
    library.extension("firstOrDefault", ITERABLE)(_first_or_default)
    library.hide_parents("#index", "switch")
    for name in _EITHER_WAY:
        library.as_extension(name)
    return library


def _item_or_items(collection: Any, index_expression: Lambda) -> Any:
    """Evaluate an index: `$list[1]` is an item, `$list[$.x > 1]` a selection, `$dictionary[key]` a value."""
    index = _evaluate_index(index_expression)
    if isinstance(collection, Mapping):
        if index is not None and not isinstance(index, bool):
            return collection[to_hashable(index)]
        return list(where(list(collection), index_expression))
    if isinstance(collection, Sequence) and isinstance(index, int) and not isinstance(index, bool):
        return collection[index]
    return list(where(collection, index_expression))


def _evaluate_index(expression: Lambda) -> Any:
    """Evaluate the index on the collection; a condition on items may fail there, which is not an error."""
    try:
        return expression()
    except YaqlRuntimeError:
        return None
    except MuranoError as error:
        if not error.can_be_caught:
            raise
        return None


def _select_case(value: Any, *conditions: YaqlRule) -> Any:
    """Evaluate `switch($x, $ > 1 => many, true => one)`: `$` is the value in the conditions."""
    if isinstance(value, YaqlRule) and value.source:  # the newer form, which has no value
        return value.target
    for case in conditions:
        if case.source(value):
            return case.target(value)
    return None


def _bind_names(variables: Variables, receiver: Any, *mappings: YaqlRule) -> YaqlScope:
    """Evaluate `$.as(len($) => n) -> $n`: bind names to values and continue with the receiver."""
    named = variables.copy()
    for mapping in mappings:
        named[variable_key(mapping.target(receiver))] = mapping.source(receiver)
    named["0"] = receiver
    return YaqlScope(named)


def _take_substring(string: str, start: int, length: int = -1) -> str:
    return string[start:] if length < 0 else string[start : start + length]


def _first_or_default(collection: Iterable[Any], default: Any = None) -> Any:
    return next(iter(collection), default)
