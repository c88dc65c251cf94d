"""Forms of YAQL 0.2, for texts that still use them. With `Dialect.LEGACY`, where `=>` is an operator that makes a pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any

from sabir.expressions.yaql.errors import YaqlRuntimeError
from sabir.expressions.yaql.functions import LAMBDA, Library
from sabir.expressions.yaql.kinds import ANY, INT, ITERABLE, KINDS, NULL, SEQUENCE
from sabir.expressions.yaql.library.queries import where
from sabir.expressions.yaql.limits import Limits
from sabir.expressions.yaql.scope import Lambda, Scope, Variables, variable_key
from sabir.expressions.yaql.values import hashable

__all__ = ["declare_legacy", "dict_of_tuples", "range_", "tuple_"]

_EITHER_WAY = ("get", "list", "bool", "int", "float", "select", "where", "join", "sum", "takeWhile")


def declare_legacy(library: Library) -> None:
    """Adds the old forms to a library; some hide the new ones of the same name."""
    library.function("tuple")(tuple_)
    library.extension("dict", tuple, rules=True)(dict_of_tuples)
    library.function("#map", tuple, rules=True)(dict_of_tuples)
    library.function("#index", ITERABLE, LAMBDA)(item_or_items)
    library.extension("range", INT, INT | NULL)(range_)
    library.extension("switch", ANY, LAMBDA, rules=True)(switch)
    library.method("as", ANY, LAMBDA, rules=True)(as_)
    library.hide_parents("#index", "switch", "#map")
    for name in _EITHER_WAY:
        library.as_extension(name)


def tuple_(*args: Any) -> tuple[Any, ...]:
    return args


def dict_of_tuples(limits: Limits, *tuples: Sequence[Any]) -> dict[Any, Any]:
    return {hashable(pair[0], limits): pair[1] for pair in tuples}


def item_or_items(collection: Iterable[Any], index_expression: Lambda) -> Any:
    """`$[1]` is an item, `$[$ > 1]` are all items for which it holds."""
    if KINDS[type(collection)] == SEQUENCE:
        assert isinstance(collection, Sequence)
        index = _index(index_expression)
        if isinstance(index, int) and not isinstance(index, bool):
            return collection[index]
    return where(collection, index_expression)


def _index(expression: Lambda) -> Any:
    try:
        return expression()
    except YaqlRuntimeError:  # a condition on the items need not make sense outside of them
        return None


def range_(start: int, stop: int | None = None) -> Iterator[int]:
    return count(start) if stop is None else iter(range(start, stop))


def switch(value: Any, *conditions: Lambda) -> Any:
    """`$.switch($ > 1 => a, true => b)`"""
    for condition in conditions:
        holds, result = _pair(condition(value), "switch")
        if holds:
            return result
    return None


def as_(variables: Variables, receiver: Any, *mappings: Lambda) -> Scope:
    """`$.as($ => x)`: names for values; what follows the dot goes on with the receiver."""
    named = variables.copy()
    for mapping in mappings:
        value, name = _pair(mapping(receiver), "as")
        named[variable_key(name)] = value
    named["0"] = receiver
    return Scope(named)


def _pair(value: Any, where_from: str) -> tuple[Any, Any]:
    if not isinstance(value, tuple) or len(value) != 2:
        raise YaqlRuntimeError(f"`{where_from}` takes pairs `a => b`")
    return value
