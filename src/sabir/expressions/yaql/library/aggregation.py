"""YAQL functions that combine items and collections: aggregate, group, join, zip, merge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import zip_longest as zip_to_longest
from typing import TYPE_CHECKING, Any

from sabir.expressions.yaql.compile.operators import compare_rarely
from sabir.expressions.yaql.errors import NoMatch, YaqlRuntimeError
from sabir.expressions.yaql.functions import LAMBDA, Library, binary_name
from sabir.expressions.yaql.kinds import INT, ITERABLE, KINDS, MAPPING, SEQUENCE, describe_kind
from sabir.expressions.yaql.library.queries import distinct
from sabir.expressions.yaql.library.sequences import memorize_iterator
from sabir.expressions.yaql.limits import YaqlLimits
from sabir.expressions.yaql.scope import Lambda
from sabir.expressions.yaql.values import is_equal, to_hashable

if TYPE_CHECKING:
    from sabir.expressions.yaql.engine import Engine

FUNCTIONS = Library()

_NOTHING = object()
Items = Iterable[Any]


def _fold_items(limits: YaqlLimits, function: Callable[[Any, Any], Any], collection: Items, seed: Any) -> Any:
    items = iter(collection)
    if seed is _NOTHING:
        seed = next(items, _NOTHING)
        if seed is _NOTHING:
            raise YaqlRuntimeError("the list is empty and there is no initial value")
    for number, item in enumerate(items):
        seed = limits.settle(function(seed, item), number)
    return seed


@FUNCTIONS.method("aggregate", ITERABLE, LAMBDA)
def aggregate(limits: YaqlLimits, collection: Items, selector: Lambda, seed: Any = _NOTHING) -> Any:
    """Fold the items with the selector; without a seed, the first item is the start.

    Raises `YaqlRuntimeError` if there is neither an item nor a seed.
    """
    return _fold_items(limits, selector, collection, seed)


@FUNCTIONS.method("reduce", ITERABLE, LAMBDA)
def reduce(limits: YaqlLimits, collection: Items, selector: Lambda, seed: Any = _NOTHING) -> Any:
    """Fold the items with the selector, as `aggregate` does."""
    return _fold_items(limits, selector, collection, seed)


@FUNCTIONS.method("accumulate", ITERABLE, LAMBDA)
def accumulate(
    limits: YaqlLimits, collection: Items, selector: Lambda, seed: Any = _NOTHING
) -> Iterator[Any]:
    """Yield the intermediate results of a fold, starting with the seed or the first item."""
    items = iter(collection)
    total = next(items, _NOTHING) if seed is _NOTHING else seed
    if total is _NOTHING:
        raise YaqlRuntimeError("the list is empty and there is no initial value")
    yield total
    for number, item in enumerate(items):
        total = limits.settle(selector(total, item), number)
        yield total


@FUNCTIONS.method("sum", ITERABLE)
def sum_items(engine: Engine, collection: Items, initial: Any = _NOTHING) -> Any:
    """Add the items with YAQL's own `+`, so that strings and lists can be summed, too."""
    plus, add = binary_name("+"), engine.dispatcher.binary
    return _fold_items(engine.limits, lambda total, item: add(plus, total, item), collection, initial)


def _is_greater(engine: Engine, first: Any, second: Any) -> bool:
    return bool(
        compare_rarely(">", first, second, lambda a, b: engine.dispatcher.binary(binary_name(">"), a, b))
    )


@FUNCTIONS.function("max")
def max_of_two(engine: Engine, a: Any, b: Any) -> Any:
    """Return the greater of two values by YAQL's `>`; the first one if they are equal."""
    return b if _is_greater(engine, b, a) else a


@FUNCTIONS.function("min")
def min_of_two(engine: Engine, a: Any, b: Any) -> Any:
    """Return the smaller of two values by YAQL's `>`; the second one if they are equal."""
    return a if _is_greater(engine, b, a) else b


@FUNCTIONS.method("max", ITERABLE)
def find_max(engine: Engine, collection: Items, initial: Any = _NOTHING) -> Any:
    """Return the greatest item by YAQL's `>`, including the initial value if there is one."""
    return _fold_items(engine.limits, lambda one, other: max_of_two(engine, one, other), collection, initial)


@FUNCTIONS.method("min", ITERABLE)
def find_min(engine: Engine, collection: Items, initial: Any = _NOTHING) -> Any:
    """Return the smallest item by YAQL's `>`, including the initial value if there is one."""
    return _fold_items(engine.limits, lambda one, other: min_of_two(engine, one, other), collection, initial)


@FUNCTIONS.method("groupBy", ITERABLE, LAMBDA, LAMBDA, LAMBDA)
def group_by(
    limits: YaqlLimits,
    collection: Items,
    key_selector: Lambda,
    value_selector: Lambda | None = None,
    aggregator: Lambda | None = None,
) -> Iterator[Any]:
    """Group the items by key, and return pairs of a key and the list or aggregate of its values."""
    groups: dict[Any, tuple[Any, list[Any]]] = {}
    for item in collection:
        value = item if value_selector is None else value_selector(item)
        key = key_selector(item)
        groups.setdefault(to_hashable(key, limits), (key, []))[1].append(value)
        limits.check(groups)
    pairs = groups.values()
    return (
        ([key, values] for key, values in pairs)
        if aggregator is None
        else _Aggregation(aggregator).over(pairs)
    )


class _Aggregation:
    """Applies an aggregator to groups.

    An aggregator takes the values of a group. In older versions it took the pair of key and values and returned a pair. As in
    YAQL 3, the old way is tried when the first groups fail the new way, as long as no group has decided the question.
    """

    def __init__(self, aggregator: Lambda) -> None:
        self._aggregator = aggregator
        self._may_take_pairs = True
        self._failure: YaqlRuntimeError | None = None

    def over(self, groups: Items) -> Iterator[Any]:
        for key, values in groups:
            yield self._one(key, values)

    def _one(self, key: Any, values: list[Any]) -> Any:
        if self._failure is None:
            try:
                result = self._aggregator(values)
            except YaqlRuntimeError as problem:
                if not (isinstance(problem, NoMatch) or isinstance(problem.__cause__, IndexError)):
                    raise
                self._failure = problem
            else:
                if not _looks_like_pair(result, values, self._aggregator.limits):
                    self._may_take_pairs = False
                return [key, result]
        if self._may_take_pairs:
            result = self._of_pair(key, values)
            if result is not None:
                return result
        raise self._failure

    def _of_pair(self, key: Any, values: list[Any]) -> Any:
        try:
            result = self._aggregator([key, values])
        except YaqlRuntimeError:
            return None
        return (
            result
            if KINDS[type(result)] & ITERABLE and hasattr(result, "__len__") and len(result) == 2
            else None
        )


def _looks_like_pair(result: Any, values: list[Any], limits: YaqlLimits) -> bool:
    return (
        len(values) == 2
        and KINDS[type(result)] == SEQUENCE
        and len(result) == 2
        and is_equal(result[0], values[0], limits)
    )


@FUNCTIONS.method("zip", ITERABLE)
def zip_lists(*collections: Items) -> Iterator[list[Any]]:
    """Return lists of the items at equal positions, as many as the shortest collection has."""
    return map(list, zip(*collections, strict=False))


@FUNCTIONS.method("zipLongest", ITERABLE)
def zip_longest(*collections: Items, **kwargs: Any) -> Iterator[list[Any]]:
    """Return lists of the items at equal positions, with `default` where a collection has ended."""
    return map(list, zip_to_longest(*collections, fillvalue=kwargs.get("default")))


@FUNCTIONS.method("join", ITERABLE, ITERABLE, LAMBDA, LAMBDA)
def join(
    limits: YaqlLimits, collection1: Items, collection2: Items, predicate: Lambda, selector: Lambda
) -> Iterator[Any]:
    """Yield the selector's value for each pair of items that meets the predicate.

    The second collection is iterated several times, so a lazy one is memorized.
    """
    collection2 = memorize_iterator(collection2, limits)
    for own in collection1:
        for other in collection2:
            if predicate(own, other):
                yield selector(own, other)


@FUNCTIONS.method("mergeWith", MAPPING, MAPPING, LAMBDA, LAMBDA, INT)
def merge_with(
    limits: YaqlLimits,
    dict_: Mapping[Any, Any],
    another: Mapping[Any, Any],
    list_merger: Lambda | None = None,
    item_merger: Lambda | None = None,
    max_levels: int = 0,
) -> dict[Any, Any]:
    """Merge two dictionaries recursively, up to `max_levels` levels; 0 means without limit.

    Lists are joined without duplicates unless `list_merger` combines them; other values of the second dictionary win unless
    `item_merger` combines them. Raises `YaqlRuntimeError` where a list meets a dictionary.
    """
    merge = _Merge(limits, list_merger, item_merger)
    return merge.dicts(dict_, another, max_levels)


class _Merge:
    def __init__(self, limits: YaqlLimits, list_merger: Lambda | None, item_merger: Lambda | None) -> None:
        self._limits = limits
        self._list_merger = list_merger
        self._item_merger = item_merger

    def dicts(self, first: Mapping[Any, Any], second: Mapping[Any, Any], levels: int) -> dict[Any, Any]:
        result = dict(first)
        for key, value in second.items():
            result[key] = self._values(first[key], value, levels) if key in first else value
        return result

    def _values(self, first: Any, second: Any, levels: int) -> Any:
        kind = KINDS[type(second)]
        if levels != 1 and kind in (MAPPING, SEQUENCE):
            if KINDS[type(first)] != kind:
                raise YaqlRuntimeError(f"cannot merge {describe_kind(first)} with {describe_kind(second)}")
            if kind == MAPPING:
                return self.dicts(first, second, max(levels - 1, 0))
            if self._list_merger is None:
                return list(distinct(self._limits, [*first, *second]))
            return self._list_merger(first, second)
        return second if self._item_merger is None else self._item_merger(first, second)
