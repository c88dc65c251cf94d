"""Sets."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any

from sabir.expressions.yaql.kinds import ITERABLE, KINDS, SET
from sabir.expressions.yaql.library.lists import opened
from sabir.expressions.yaql.library.registry import STANDARD
from sabir.expressions.yaql.limits import Limits
from sabir.expressions.yaql.values import hashable

AnySet = Set[Any]


def _members(set_: AnySet) -> frozenset[Any]:
    return set_ if isinstance(set_, frozenset) else frozenset(map(hashable, set_))


@STANDARD.function("set")
def set_of(limits: Limits, *args: Any) -> frozenset[Any]:
    return to_set(limits.iterable(opened(limits, args)))


@STANDARD.method("toSet", ITERABLE)
def to_set(collection: Iterable[Any]) -> frozenset[Any]:
    return frozenset(map(hashable, collection))


@STANDARD.function("isSet")
def is_set(arg: Any) -> bool:
    return KINDS[type(arg)] == SET


@STANDARD.extension("len", SET)
def length(set_: AnySet) -> int:
    return len(set_)


@STANDARD.operator("<", SET, SET)
def less(left: AnySet, right: AnySet) -> bool:
    return left < right


@STANDARD.operator("<=", SET, SET)
def at_most(left: AnySet, right: AnySet) -> bool:
    return left <= right


@STANDARD.operator(">", SET, SET)
def greater(left: AnySet, right: AnySet) -> bool:
    return left > right


@STANDARD.operator(">=", SET, SET)
def at_least(left: AnySet, right: AnySet) -> bool:
    return left >= right


@STANDARD.method("union", SET, SET)
def union(left: AnySet, right: AnySet) -> frozenset[Any]:
    return _members(left) | _members(right)


@STANDARD.method("intersect", SET, SET)
def intersect(left: AnySet, right: AnySet) -> frozenset[Any]:
    return _members(left) & _members(right)


@STANDARD.method("difference", SET, SET)
def difference(left: AnySet, right: AnySet) -> frozenset[Any]:
    return _members(left) - _members(right)


@STANDARD.operator("-", SET, SET)
def minus(left: AnySet, right: AnySet) -> frozenset[Any]:
    return difference(left, right)


@STANDARD.method("symmetricDifference", SET, SET)
def symmetric_difference(left: AnySet, right: AnySet) -> frozenset[Any]:
    return _members(left) ^ _members(right)


@STANDARD.method("add", SET)
def add(set_: AnySet, *values: Any) -> frozenset[Any]:
    return _members(set_) | to_set(values)


@STANDARD.method("remove", SET)
def remove(set_: AnySet, *values: Any) -> frozenset[Any]:
    return _members(set_) - to_set(values)
