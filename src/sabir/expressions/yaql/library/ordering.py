"""YAQL sorting: `orderBy` and, on its result, `thenBy`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cmp_to_key
from typing import TYPE_CHECKING, Any

from sabir.expressions.yaql.compile.operators import compare_rarely
from sabir.expressions.yaql.functions import LAMBDA, Library, binary_name
from sabir.expressions.yaql.kinds import ITERABLE
from sabir.expressions.yaql.scope import Lambda

if TYPE_CHECKING:
    from sabir.expressions.yaql.engine import Engine

FUNCTIONS = Library()

_NUMBERS = frozenset((int, float))


class SortedIterable:
    """A collection with its sort keys.

    It is sorted when it is first iterated, so `thenBy` can add keys.
    """

    def __init__(self, engine: Engine, collection: Iterable[Any]) -> None:
        self._engine = engine
        self._collection = collection
        self._keys: list[tuple[Lambda, bool]] = []
        self._sorted: list[Any] | None = None

    def by(self, selector: Lambda, *, ascending: bool) -> SortedIterable:
        """Add a less significant sort key, and return this collection."""
        self._keys.append((selector, ascending))
        return self

    def __iter__(self) -> Iterator[Any]:
        if self._sorted is None:
            self._sorted = self._sort()
        return iter(self._sorted)

    def _sort(self) -> list[Any]:
        # Sorting is stable, so sorting by the least significant key first gives the right order. Keys are computed once per item.
        items = list(self._collection)
        if len(items) < 2:
            return items
        for selector, ascending in reversed(self._keys):
            keyed = [(selector(item), item) for item in items]
            kinds = {type(key) for key, _ in keyed}
            if kinds <= _NUMBERS or kinds == {str}:
                keyed.sort(key=_sort_key, reverse=not ascending)
            else:
                keyed.sort(key=cmp_to_key(self._compare), reverse=not ascending)
            items = [item for _, item in keyed]
        return items

    def _compare(self, left: tuple[Any, Any], right: tuple[Any, Any]) -> int:
        first, second = left[0], right[0]
        if self._is(first, "<", second):
            return -1
        return 1 if self._is(first, ">", second) else 0

    def _is(self, first: Any, symbol: str, second: Any) -> bool:
        dispatcher = self._engine.dispatcher
        return bool(
            compare_rarely(symbol, first, second, lambda a, b: dispatcher.binary(binary_name(symbol), a, b))
        )


def _sort_key(pair: tuple[Any, Any]) -> Any:
    return pair[0]


@FUNCTIONS.method("orderBy", ITERABLE, LAMBDA)
def order_by(engine: Engine, collection: Iterable[Any], selector: Lambda) -> SortedIterable:
    """Sort by the selector's value, ascending."""
    return SortedIterable(engine, collection).by(selector, ascending=True)


@FUNCTIONS.method("orderByDescending", ITERABLE, LAMBDA)
def order_by_descending(engine: Engine, collection: Iterable[Any], selector: Lambda) -> SortedIterable:
    """Sort by the selector's value, descending."""
    return SortedIterable(engine, collection).by(selector, ascending=False)


@FUNCTIONS.method("thenBy", SortedIterable, LAMBDA)
def then_by(collection: SortedIterable, selector: Lambda) -> SortedIterable:
    """Sort items that are equal so far by another key, ascending."""
    return collection.by(selector, ascending=True)


@FUNCTIONS.method("thenByDescending", SortedIterable, LAMBDA)
def then_by_descending(collection: SortedIterable, selector: Lambda) -> SortedIterable:
    """Sort items that are equal so far by another key, descending."""
    return collection.by(selector, ascending=False)
