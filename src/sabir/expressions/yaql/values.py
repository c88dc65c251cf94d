"""What values have in common: equality, keys, truth, text, and how they leave the engine.

A list is a Python list (a tuple is taken too), a dictionary a dict, a set a frozenset. Values are never changed in place.
Lists and dictionaries cannot be members of a Python set or keys of a dict, so there they stand frozen: tuples, and dicts
that can be hashed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sabir.expressions.yaql.kinds import ITERABLE, KINDS, MAPPING, SEQUENCE, SET
from sabir.expressions.yaql.limits import YaqlLimits

_ATOMS = frozenset((str, int, bool, float, type(None)))


class FrozenDict(dict[Any, Any]):
    """A dictionary that can be a key."""

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


def freeze_value(value: Any) -> Any:
    """The value in a form that can be hashed."""
    kind = KINDS[type(value)]
    if kind == SEQUENCE:
        return tuple([freeze_value(item) for item in value])
    if kind == MAPPING:
        return FrozenDict((key, freeze_value(item)) for key, item in value.items())
    if kind == SET:
        return frozenset(value)
    return value


def to_hashable(value: Any, limits: YaqlLimits | None = None) -> Any:
    """The value itself where it can be hashed, else its frozen form. With limits, its parts are counted first."""
    if type(value) in _ATOMS:
        return value
    try:
        hash(value)
    except TypeError:
        if limits is not None:
            limits.weigh(value)
        return freeze_value(value)
    return value


def is_equal(first: Any, second: Any, limits: YaqlLimits | None = None) -> bool:
    """Whether two values are the same. With limits, the parts of large ones are counted first."""
    if type(first) in _ATOMS or type(second) in _ATOMS:
        return bool(first == second)
    if limits is not None and first is not second and _is_container(first) and _is_container(second):
        limits.weigh(first)
    return _is_equal(first, second)


def _is_container(value: Any) -> bool:
    return isinstance(value, list | tuple | dict)


def _is_equal(first: Any, second: Any) -> bool:
    """By Python's comparison, or part by part: in one of the two values lists may stand frozen, as tuples."""
    if first == second:
        return True
    kind = KINDS[type(first)]
    if kind != KINDS[type(second)]:
        return False
    if kind == SEQUENCE:
        return len(first) == len(second) and all(map(_is_equal, first, second))
    if kind == MAPPING:
        return first.keys() == second.keys() and all(_is_equal(first[key], second[key]) for key in first)
    return False


def is_iterable(value: Any) -> bool:
    """Can be gone through: lists, sets, lazy lists; not strings and dictionaries."""
    return bool(KINDS[type(value)] & ITERABLE)


def text_of(value: Any, limits: YaqlLimits) -> str:
    """A value as `str()` gives it. Lists show as tuples do: users of YAQL know them so."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    return plain_text(value, limits)


def plain_text(value: Any, limits: YaqlLimits) -> str:
    """A value as Python writes it, lists as tuples."""
    if type(value) not in (list, dict):
        return str(value)
    limits.weigh(value)
    return str(_as_tuples(value))


def _as_tuples(value: Any) -> Any:
    kind = type(value)
    if kind is list or kind is tuple:
        return tuple([_as_tuples(item) for item in value])
    if kind is dict:
        return {_as_tuples(key): _as_tuples(item) for key, item in value.items()}
    return value


def finalize_value(value: Any, limits: YaqlLimits, depth: int = 0) -> Any:
    """A value as it leaves the engine: lazy lists run, sets and tuples become lists, down to the last item.

    What is plain already is given back as it is, not copied.
    """
    if type(value) in _ATOMS:
        if type(value) is str or type(value) is int:
            limits.check(value)
        return value
    kind = KINDS[type(value)]
    if kind & ITERABLE:
        return _finalize_items(value, limits, depth + 1)
    if kind == MAPPING:
        return _finalize_mapping(value, limits, depth + 1)
    return value


def _finalize_items(value: Iterable[Any], limits: YaqlLimits, depth: int) -> Any:
    limits.check_depth(depth)
    limits.charge(3)
    items = limits.iterable(value)
    changed = type(value) is not list
    result: list[Any] = []
    append = result.append
    for item in items:
        if type(item) in _ATOMS:
            append(item)
        else:
            final = finalize_value(item, limits, depth)
            changed = changed or final is not item
            append(final)
    if not changed:
        return value
    return limits.check(result)


def _finalize_mapping(value: Mapping[Any, Any], limits: YaqlLimits, depth: int) -> Any:
    limits.check_depth(depth)
    if len(value) > limits.items:
        raise limits.too_many()
    limits.charge(2 * len(value) + 6)
    changed = type(value) is not dict
    result: dict[Any, Any] = {}
    for key, item in value.items():
        final_key, final = finalize_value(key, limits), finalize_value(item, limits, depth)
        changed = changed or final is not item or final_key is not key
        result[final_key] = final
    return result if changed else value
