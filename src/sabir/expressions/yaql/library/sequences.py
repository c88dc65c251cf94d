"""YAQL functions that create sequences, memorize lazy ones, and compute with sets."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Set
from itertools import count, cycle, repeat
from typing import Any

from sabir.expressions.yaql.functions import LAMBDA, Library
from sabir.expressions.yaql.kinds import ANY, BOOL, INT, ITERABLE, ITERATOR, KINDS, SEQUENCE, SET
from sabir.expressions.yaql.library.lists import expand_lazy
from sabir.expressions.yaql.limits import YaqlLimits
from sabir.expressions.yaql.scope import Lambda
from sabir.expressions.yaql.values import to_hashable

FUNCTIONS = Library()

_END = object()


class MemorizedIterable:
    """A lazy list that can be iterated repeatedly.

    Each pass first reads the items that earlier passes have fetched, then fetches more. The size of the memory is limited.
    """

    def __init__(self, iterator: Iterator[Any], limits: YaqlLimits) -> None:
        self._iterator = iterator
        self._limits = limits
        self._seen: list[Any] = []
        self._own_pass = iter(self)

    def __iter__(self) -> Iterator[Any]:
        at = 0
        while True:
            if at == len(self._seen):
                fetched = next(self._iterator, _END)
                if fetched is _END:
                    return
                self._seen.append(fetched)
                self._limits.check(self._seen)
            yield self._seen[at]
            at += 1

    def __next__(self) -> Any:
        return next(self._own_pass)


def memorize_iterator(collection: Iterable[Any], limits: YaqlLimits) -> Iterable[Any]:
    """Return the collection in a form that can be iterated repeatedly.

    Only lazy ones are wrapped.
    """
    if KINDS[type(collection)] != ITERATOR:
        return collection
    return MemorizedIterable(iter(collection), limits)


@FUNCTIONS.method("memorize", ITERABLE)
def memorize(limits: YaqlLimits, collection: Iterable[Any]) -> Iterable[Any]:
    """Return the collection in a form that can be iterated repeatedly."""
    return memorize_iterator(collection, limits)


@FUNCTIONS.function("range", INT)
def range_to(stop: int) -> Iterator[int]:
    """Iterate over the integers from 0 up to `stop`, exclusive."""
    return iter(range(stop))


@FUNCTIONS.function("range", INT, INT, INT)
def range_between(start: int, stop: int, step: int = 1) -> Iterator[int]:
    """Iterate over the integers from `start` up to `stop`, exclusive."""
    return iter(range(start, stop, step))


@FUNCTIONS.function("sequence", INT, INT)
def sequence(start: int = 0, step: int = 1) -> Iterator[int]:
    """Iterate over integers without end; the limits of the engine end the iteration."""
    return count(start, step)


@FUNCTIONS.method("repeat", ANY, INT)
def repeat_value(value: Any, times: int = -1) -> Iterator[Any]:
    """Repeat a value; a negative number of times means without end."""
    return repeat(value) if times < 0 else repeat(value, times)


@FUNCTIONS.method("cycle", ITERABLE)
def cycle_items(collection: Iterable[Any]) -> Iterator[Any]:
    """Repeat the items without end."""
    return cycle(collection)


@FUNCTIONS.function("generate", ANY, LAMBDA, LAMBDA, LAMBDA, BOOL)
def generate(
    limits: YaqlLimits,
    initial: Any,
    predicate: Lambda,
    producer: Lambda,
    selector: Lambda | None = None,
    decycle: bool = False,  # noqa: FBT001, FBT002 - a parameter of YAQL
) -> Iterator[Any]:
    """Yield values while the predicate holds, each produced from the one before.

    With `decycle` it ends at the first value that has occurred before.
    """
    seen: set[Any] = set()
    rounds = count()
    while predicate(initial):
        if decycle and not _is_new(initial, seen, limits):
            break
        yield initial if selector is None else selector(initial)
        initial = limits.settle(producer(initial), next(rounds))


@FUNCTIONS.function("generateMany", ANY, LAMBDA, LAMBDA, BOOL, BOOL)
def generate_many(
    limits: YaqlLimits,
    initial: Any,
    producer: Lambda,
    selector: Lambda | None = None,
    decycle: bool = False,  # noqa: FBT001, FBT002 - parameters of YAQL
    depth_first: bool = False,  # noqa: FBT001, FBT002
) -> Iterator[Any]:
    """Yield an initial value and everything that the producer derives from it, breadth or depth first.

    With `decycle` values that have occurred before are skipped, so that cyclic data ends.
    """
    seen: set[Any] = set()
    queue = deque([initial])
    while queue:
        item = queue.popleft()
        if decycle and not _is_new(item, seen, limits):
            continue
        yield item if selector is None else selector(item)
        before = len(queue)
        queue.extend(limits.iterable(producer(item)))
        if depth_first:
            queue.rotate(len(queue) - before)
        limits.check(queue)


def _is_new(item: Any, seen: set[Any], limits: YaqlLimits) -> bool:
    """Return whether an item has not occurred before, and remember it."""
    key = to_hashable(item, limits)
    if key in seen:
        return False
    seen.add(key)
    limits.check(seen)
    return True


@FUNCTIONS.method("defaultIfEmpty", ITERABLE, ITERABLE)
def default_if_empty(limits: YaqlLimits, collection: Iterable[Any], default: Iterable[Any]) -> Iterable[Any]:
    """Return the collection, or the default if it has no items."""
    if KINDS[type(collection)] & (SEQUENCE | SET):
        return collection if len(collection) else default  # type: ignore[arg-type]
    collection = memorize_iterator(collection, limits)
    return default if next(iter(collection), _END) is _END else collection


FUNCTIONS.add_ordering(SET)

AnySet = Set[Any]


def _set_members(set_: AnySet, limits: YaqlLimits) -> frozenset[Any]:
    return set_ if isinstance(set_, frozenset) else to_set(limits, set_)


@FUNCTIONS.function("set")
def set_of(limits: YaqlLimits, *args: Any) -> frozenset[Any]:
    """Build a set of the arguments; lazy lists among them are expanded."""
    return to_set(limits, limits.iterable(expand_lazy(limits, args)))


@FUNCTIONS.method("toSet", ITERABLE)
def to_set(limits: YaqlLimits, collection: Iterable[Any]) -> frozenset[Any]:
    """Build a set of the items, which are converted to hashable values."""
    return frozenset([to_hashable(item, limits) for item in collection])


@FUNCTIONS.function("isSet")
def is_set(arg: Any) -> bool:
    return KINDS[type(arg)] == SET


@FUNCTIONS.extension("len", SET)
def set_length(set_: AnySet) -> int:
    return len(set_)


@FUNCTIONS.method("union", SET, SET)
def union(limits: YaqlLimits, left: AnySet, right: AnySet) -> frozenset[Any]:
    """Return the members of either set."""
    return _set_members(left, limits) | _set_members(right, limits)


@FUNCTIONS.method("intersect", SET, SET)
def intersect(limits: YaqlLimits, left: AnySet, right: AnySet) -> frozenset[Any]:
    """Return the members of both sets."""
    return _set_members(left, limits) & _set_members(right, limits)


@FUNCTIONS.method("difference", SET, SET)
def difference(limits: YaqlLimits, left: AnySet, right: AnySet) -> frozenset[Any]:
    """Return the members of the left set that are not in the right one."""
    return _set_members(left, limits) - _set_members(right, limits)


@FUNCTIONS.operator("-", SET, SET)
def subtract_sets(limits: YaqlLimits, left: AnySet, right: AnySet) -> frozenset[Any]:
    """Return the members of the left set that are not in the right one."""
    return difference(limits, left, right)


@FUNCTIONS.method("symmetricDifference", SET, SET)
def symmetric_difference(limits: YaqlLimits, left: AnySet, right: AnySet) -> frozenset[Any]:
    """Return the members of exactly one of the sets."""
    return _set_members(left, limits) ^ _set_members(right, limits)


@FUNCTIONS.method("add", SET)
def add(limits: YaqlLimits, set_: AnySet, *values: Any) -> frozenset[Any]:
    """Return the set with more members."""
    return _set_members(set_, limits) | to_set(limits, values)


@FUNCTIONS.method("remove", SET)
def remove(limits: YaqlLimits, set_: AnySet, *values: Any) -> frozenset[Any]:
    """Return the set without some members; values that are not members are ignored."""
    return _set_members(set_, limits) - to_set(limits, values)
