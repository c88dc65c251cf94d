"""YAQL functions that create and change lists. Changes return a new list or a lazy one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from sabir.expressions.yaql.functions import Library
from sabir.expressions.yaql.kinds import ANY, COLLECTION, INT, ITERABLE, ITERATOR, KINDS, SEQUENCE
from sabir.expressions.yaql.limits import YaqlLimits
from sabir.expressions.yaql.values import is_equal, is_iterable

FUNCTIONS = Library()


def expand_lazy(limits: YaqlLimits, items: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    """Yield the items, with the items of nested lazy lists in their place."""
    for item in items:
        if KINDS[type(item)] == ITERATOR:
            limits.check_depth(depth)
            yield from expand_lazy(limits, limits.iterable(item), depth + 1)
        else:
            yield item


@FUNCTIONS.function("list")
def list_of(limits: YaqlLimits, *args: Any) -> list[Any]:
    """Build a list of the arguments; lazy lists among them are expanded."""
    return list(limits.iterable(expand_lazy(limits, args)))


@FUNCTIONS.function("#list")
def build_list(*args: Any) -> list[Any]:
    """Build the list of a literal `[a, b]`."""
    return list(args)


@FUNCTIONS.method("flatten", ITERABLE)
def flatten(limits: YaqlLimits, collection: Iterable[Any]) -> Iterator[Any]:
    """Yield the items of nested lists, at any depth that the limits allow."""
    return _flatten_items(limits, collection, 0)


def _flatten_items(limits: YaqlLimits, collection: Iterable[Any], depth: int) -> Iterator[Any]:
    limits.check_depth(depth)
    for item in collection:
        if is_iterable(item):
            yield from _flatten_items(limits, limits.iterable(item), depth + 1)
        else:
            yield item


@FUNCTIONS.method("toList", ITERABLE)
def to_list(collection: Iterable[Any]) -> list[Any]:
    """Return the collection as a list.

    A list is returned itself, because YAQL values are not changed.
    """
    return collection if type(collection) is list else list(collection)


@FUNCTIONS.function("#index", SEQUENCE, INT)
def item_at(list_: Sequence[Any], index: int) -> Any:
    """Return the item at an index; negative indexes count from the end. Raises `IndexError`."""
    return list_[index]


@FUNCTIONS.operator("in", ANY, ITERABLE)
def is_in(limits: YaqlLimits, value: Any, collection: Iterable[Any]) -> bool:
    """Return whether the collection contains the value."""
    return contains(limits, collection, value)


@FUNCTIONS.method("contains", ITERABLE, ANY)
def contains(limits: YaqlLimits, collection: Iterable[Any], value: Any) -> bool:
    """Return whether the collection contains the value.

    Lists and dictionaries are compared by content.
    """
    if isinstance(value, list | dict | tuple):
        return any(is_equal(item, value, limits) for item in collection)
    return value in collection


@FUNCTIONS.operator("+", ITERABLE, ITERABLE)
def concat_lists(limits: YaqlLimits, left: Iterable[Any], right: Iterable[Any]) -> Any:
    """Concatenate two collections: sets are united, lists are joined, anything else is chained lazily."""
    if isinstance(left, frozenset) and isinstance(right, frozenset):
        return limits.charge_value(left | right)
    if KINDS[type(left)] == SEQUENCE == KINDS[type(right)]:
        limits.check_sizes((1, left), (1, right))
        return [*left, *right]
    return chain(left, right)


@FUNCTIONS.operator("*", SEQUENCE, INT)
def repeat_list(limits: YaqlLimits, left: Sequence[Any], right: int) -> list[Any]:
    """Repeat a list; the size of the result is checked first."""
    limits.check_sizes((1 - right, []), (right, left))
    return list(left) * right


@FUNCTIONS.operator("*", INT, SEQUENCE)
def by_times(limits: YaqlLimits, left: int, right: Sequence[Any]) -> list[Any]:
    """Repeat a list, with the factor on the left."""
    return repeat_list(limits, right, left)


@FUNCTIONS.function("isList")
def is_list(arg: Any) -> bool:
    """Return whether the value is a list; a lazy list is not one."""
    return KINDS[type(arg)] == SEQUENCE


@FUNCTIONS.function("isIterable")
def is_iterable_(value: Any) -> bool:
    """Return whether the value can be iterated; strings and dictionaries cannot."""
    return is_iterable(value)


@FUNCTIONS.extension("len", SEQUENCE)
def list_length(sequence: Sequence[Any]) -> int:
    return len(sequence)


@FUNCTIONS.method("delete", ITERABLE, INT, INT)
def delete(collection: Iterable[Any], position: int, count: int = 1) -> Iterator[Any]:
    """Yield the items without `count` of them from a position on; a negative count means all."""
    for index, item in enumerate(collection):
        if not _is_within(index, position, count):
            yield item


@FUNCTIONS.method("replace", ITERABLE, INT, ANY, INT)
def replace(collection: Iterable[Any], position: int, value: Any, count: int = 1) -> Iterator[Any]:
    """Yield the items with `count` of them from a position on replaced by one value."""
    return _replace_items(collection, position, (value,), count)


@FUNCTIONS.method("replaceMany", ITERABLE, INT, ITERABLE, INT)
def replace_many(
    collection: Iterable[Any], position: int, values: Iterable[Any], count: int = 1
) -> Iterator[Any]:
    """Yield the items with `count` of them from a position on replaced by several values."""
    return _replace_items(collection, position, values, count)


def _replace_items(
    collection: Iterable[Any], position: int, values: Iterable[Any], count: int
) -> Iterator[Any]:
    done = False
    for index, item in enumerate(collection):
        if not _is_within(index, position, count):
            yield item
        elif not done:
            yield from values
            done = True


def _is_within(index: int, position: int, count: int) -> bool:
    """Return whether an index is one of `count` from the position on.

    A negative count means all.
    """
    return index >= position if count < 0 else position <= index < position + count


@FUNCTIONS.method("insert", ITERATOR | COLLECTION, INT, ANY)
def insert_lazily(collection: Iterable[Any], position: int, value: Any) -> Iterator[Any]:
    """Yield the items with a value inserted; at the end if the position is behind it."""
    index = -1
    for index, item in enumerate(collection):
        if index == position:
            yield value
        yield item
    if position > index:
        yield value


@FUNCTIONS.method("insert", SEQUENCE, INT, ANY)
def insert(collection: Sequence[Any], position: int, value: Any) -> list[Any]:
    """Return a copy with a value inserted; negative positions count from the end."""
    copy = list(collection)
    copy.insert(position, value)
    return copy


@FUNCTIONS.method("insertMany", ITERABLE, INT, ITERABLE)
def insert_many(collection: Iterable[Any], position: int, values: Iterable[Any]) -> Iterator[Any]:
    """Yield the items with several values inserted: first for a negative position, last behind the end."""
    index = -1
    if position < 0:
        yield from values
    for index, item in enumerate(collection):
        if index == position:
            yield from values
        yield item
    if position > index:
        yield from values
