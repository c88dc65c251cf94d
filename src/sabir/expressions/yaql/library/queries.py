"""YAQL queries over collections. Most are lazy: they run while their result is iterated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, dropwhile, islice, takewhile
from typing import Any

from sabir.expressions.yaql.errors import YaqlRuntimeError
from sabir.expressions.yaql.functions import LAMBDA, Library
from sabir.expressions.yaql.kinds import ANY, INT, ITERABLE, ITERATOR, KINDS, NULL, SEQUENCE
from sabir.expressions.yaql.limits import YaqlLimits
from sabir.expressions.yaql.scope import Lambda
from sabir.expressions.yaql.values import is_equal, is_iterable, to_hashable

FUNCTIONS = Library()

_NOTHING = object()
Items = Iterable[Any]


@FUNCTIONS.method("where", ITERABLE, LAMBDA)
@FUNCTIONS.method("filter", ITERABLE, LAMBDA)
def where(collection: Items, predicate: Lambda) -> Iterator[Any]:
    """Yield the items for which the predicate holds."""
    # The body of the lambda is called here directly: one Python call less for each item.
    body, variables, limits = predicate.body, predicate.variables, predicate.limits
    for item in collection:
        limits.left -= 1
        variables["$"] = item
        if body(variables):
            yield item


@FUNCTIONS.method("select", ITERABLE, LAMBDA)
@FUNCTIONS.method("map", ITERABLE, LAMBDA)
def select(collection: Items, selector: Lambda) -> Iterator[Any]:
    """Yield the selector's value of each item."""
    body, variables, limits = selector.body, selector.variables, selector.limits
    for item in collection:
        limits.left -= 1
        variables["$"] = item
        yield body(variables)


@FUNCTIONS.method("selectMany", ITERABLE, LAMBDA)
def select_many(limits: YaqlLimits, collection: Items, selector: Lambda) -> Iterator[Any]:
    """Yield the items of the selector's lists, or its values where they are not lists."""
    for item in collection:
        inner = selector(item)
        if is_iterable(inner):
            yield from limits.iterable(inner)
        else:
            yield inner


@FUNCTIONS.method("skip", ITERABLE, INT)
def skip(collection: Items, count: int) -> Iterator[Any]:
    """Yield the items without the first `count`."""
    return islice(collection, count, None)


@FUNCTIONS.method("limit", ITERABLE, INT)
@FUNCTIONS.method("take", ITERABLE, INT)
def limit(collection: Items, count: int) -> Iterator[Any]:
    """Yield at most the first `count` items."""
    return islice(collection, count)


@FUNCTIONS.method("takeWhile", ITERABLE, LAMBDA)
def take_while(collection: Items, predicate: Lambda) -> Iterator[Any]:
    """Yield the items up to the first one for which the predicate does not hold."""
    return takewhile(predicate, collection)


@FUNCTIONS.method("skipWhile", ITERABLE, LAMBDA)
def skip_while(collection: Items, predicate: Lambda) -> Iterator[Any]:
    """Yield the items from the first one on for which the predicate does not hold."""
    return dropwhile(predicate, collection)


@FUNCTIONS.extension("append", ITERABLE)
def append(collection: Items, *args: Any) -> Iterator[Any]:
    """Yield the items, then the arguments."""
    return chain(collection, args)


@FUNCTIONS.extension("concat", ITERABLE)
def concat(*collections: Items) -> Iterator[Any]:
    """Yield the items of all collections in turn."""
    return chain(*collections)


@FUNCTIONS.extension("distinct", ITERABLE, LAMBDA)
def distinct(limits: YaqlLimits, collection: Items, key_selector: Lambda | None = None) -> Iterator[Any]:
    """Yield the first item of each key; the key is the item itself without a selector."""
    seen: set[Any] = set()
    for item in collection:
        key = to_hashable(item if key_selector is None else key_selector(item), limits)
        if key not in seen:
            seen.add(key)
            limits.check(seen)
            yield item


@FUNCTIONS.extension("enumerate", ITERABLE, INT | NULL)
def enumerate_items(collection: Items, start: int = 0) -> Iterator[list[Any]]:
    """Yield pairs of an index and an item."""
    for index, item in enumerate(collection, start):
        yield [index, item]


@FUNCTIONS.extension("any", ITERABLE, LAMBDA)
def any_item(collection: Items, predicate: Lambda | None = None) -> bool:
    """Return whether there is an item, or one for which the predicate holds."""
    return any(predicate is None or predicate(item) for item in collection)


@FUNCTIONS.extension("all", ITERABLE, LAMBDA)
def all_items(collection: Items, predicate: Lambda | None = None) -> bool:
    """Return whether all items are true, or the predicate holds for all."""
    return all(collection) if predicate is None else all(map(predicate, collection))


@FUNCTIONS.extension("len", ITERATOR)
def collection_length(limits: YaqlLimits, collection: Items) -> int:
    """Count the items by iterating them; the limits are charged, so that an endless list ends."""
    items, total = iter(collection), 0
    while part := sum(1 for _ in islice(items, 10_000)):
        limits.charge(part)  # this list may be longer than others: a range knows no limit here
        total += part
    return total


@FUNCTIONS.method("count", ITERABLE)
def count(limits: YaqlLimits, collection: Items) -> int:
    """Return the number of items."""
    return collection_length(limits, collection)


@FUNCTIONS.method("first", ITERABLE, ANY)
def first(collection: Items, default: Any = _NOTHING) -> Any:
    """Return the first item, or the default. Raises `YaqlRuntimeError` if there is neither."""
    for item in collection:
        return item
    return _default_or_fail(default)


@FUNCTIONS.method("last", ITERABLE, ANY)
def last(collection: Items, default: Any = _NOTHING) -> Any:
    """Return the last item, or the default. Raises `YaqlRuntimeError` if there is neither."""
    latest = default
    if KINDS[type(collection)] == SEQUENCE:
        latest = collection[-1] if collection else default  # type: ignore[index]
    else:
        for latest in collection:  # noqa: B007 - the last one is what counts
            pass
    return _default_or_fail(latest)


def _default_or_fail(default: Any) -> Any:
    if default is _NOTHING:
        raise YaqlRuntimeError("the list is empty")
    return default


@FUNCTIONS.method("single", ITERABLE)
def single(collection: Items) -> Any:
    """Return the only item; raise `YaqlRuntimeError` if there are none or several."""
    items = list(islice(collection, 2))
    if len(items) == 1:
        return items[0]
    raise YaqlRuntimeError("the list has more than one item" if items else "the list is empty")


@FUNCTIONS.method("indexOf", ITERABLE)
def index_of(limits: YaqlLimits, collection: Items, item: Any) -> int:
    """Return the index of the first equal item, or -1."""
    return next((index for index, other in enumerate(collection) if is_equal(other, item, limits)), -1)


@FUNCTIONS.method("lastIndexOf", ITERABLE)
def last_index_of(limits: YaqlLimits, collection: Items, item: Any) -> int:
    """Return the index of the last equal item, or -1."""
    latest = -1
    for index, other in enumerate(collection):
        if is_equal(other, item, limits):
            latest = index
    return latest


@FUNCTIONS.method("indexWhere", ITERABLE, LAMBDA)
def index_where(collection: Items, predicate: Lambda) -> int:
    """Return the index of the first item for which the predicate holds, or -1."""
    return next((index for index, item in enumerate(collection) if predicate(item)), -1)


@FUNCTIONS.method("lastIndexWhere", ITERABLE, LAMBDA)
def last_index_where(collection: Items, predicate: Lambda) -> int:
    """Return the index of the last item for which the predicate holds, or -1."""
    latest = -1
    for index, item in enumerate(collection):
        if predicate(item):
            latest = index
    return latest


@FUNCTIONS.method("slice", ITERABLE, INT)
def slice_items(collection: Items, length: int) -> Iterator[list[Any]]:
    """Yield lists of `length` items; the last one may be shorter."""
    items = iter(collection)
    while part := list(islice(items, length)):
        yield part


@FUNCTIONS.method("splitWhere", ITERABLE, LAMBDA)
def split_where(collection: Items, predicate: Lambda) -> Iterator[list[Any]]:
    """Yield the lists between items for which the predicate holds; these items are dropped."""
    part: list[Any] = []
    for item in list(collection):
        if predicate(item):
            yield part
            part = []
        else:
            part.append(item)
    if part:
        yield part


@FUNCTIONS.method("sliceWhere", ITERABLE, LAMBDA)
def slice_where(limits: YaqlLimits, collection: Items, predicate: Lambda) -> Iterator[list[Any]]:
    """Yield lists of consecutive items for which the predicate has equal values."""
    part: list[Any] = []
    before: Any = _NOTHING
    for item in list(collection):
        now = predicate(item)
        if before is not _NOTHING and not is_equal(now, before, limits):
            yield part
            part = []
        part.append(item)
        before = now
    if part:
        yield part


@FUNCTIONS.method("splitAt", ITERABLE, INT)
def split_at(collection: Items, index: int) -> list[list[Any]]:
    """Return the items before an index and those from it on."""
    items = list(collection)
    return [items[:index], items[index:]]


@FUNCTIONS.method("reverse", ITERABLE)
def reverse(collection: Items) -> Iterator[Any]:
    """Return an iterator over the items in reverse order."""
    items = list(collection)
    items.reverse()
    return iter(items)
