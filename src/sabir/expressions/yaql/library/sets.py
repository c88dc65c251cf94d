"""Sets."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any

from sabir.expressions.yaql.functions import Library
from sabir.expressions.yaql.kinds import ITERABLE, KINDS, SET
from sabir.expressions.yaql.library.lists import opened
from sabir.expressions.yaql.limits import Limits
from sabir.expressions.yaql.values import hashable

FUNCTIONS = Library()
FUNCTIONS.ordered(SET)

AnySet = Set[Any]


def _members(set_: AnySet, limits: Limits) -> frozenset[Any]:
    return set_ if isinstance(set_, frozenset) else to_set(limits, set_)


@FUNCTIONS.function("set")
def set_of(limits: Limits, *args: Any) -> frozenset[Any]:
    return to_set(limits, limits.iterable(opened(limits, args)))


@FUNCTIONS.method("toSet", ITERABLE)
def to_set(limits: Limits, collection: Iterable[Any]) -> frozenset[Any]:
    return frozenset([hashable(item, limits) for item in collection])


@FUNCTIONS.function("isSet")
def is_set(arg: Any) -> bool:
    return KINDS[type(arg)] == SET


@FUNCTIONS.extension("len", SET)
def length(set_: AnySet) -> int:
    return len(set_)


@FUNCTIONS.method("union", SET, SET)
def union(limits: Limits, left: AnySet, right: AnySet) -> frozenset[Any]:
    return _members(left, limits) | _members(right, limits)


@FUNCTIONS.method("intersect", SET, SET)
def intersect(limits: Limits, left: AnySet, right: AnySet) -> frozenset[Any]:
    return _members(left, limits) & _members(right, limits)


@FUNCTIONS.method("difference", SET, SET)
def difference(limits: Limits, left: AnySet, right: AnySet) -> frozenset[Any]:
    return _members(left, limits) - _members(right, limits)


@FUNCTIONS.operator("-", SET, SET)
def minus(limits: Limits, left: AnySet, right: AnySet) -> frozenset[Any]:
    return difference(limits, left, right)


@FUNCTIONS.method("symmetricDifference", SET, SET)
def symmetric_difference(limits: Limits, left: AnySet, right: AnySet) -> frozenset[Any]:
    return _members(left, limits) ^ _members(right, limits)


@FUNCTIONS.method("add", SET)
def add(limits: Limits, set_: AnySet, *values: Any) -> frozenset[Any]:
    return _members(set_, limits) | to_set(limits, values)


@FUNCTIONS.method("remove", SET)
def remove(limits: Limits, set_: AnySet, *values: Any) -> frozenset[Any]:
    return _members(set_, limits) - to_set(limits, values)
