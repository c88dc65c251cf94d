"""YAQL functions of dictionaries. Keys are converted to hashable values first."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, KeysView, Mapping, ValuesView
from typing import Any

from sabir.expressions.yaql.functions import LAMBDA, Library
from sabir.expressions.yaql.kinds import ANY, ITERABLE, KINDS, MAPPING, RULE
from sabir.expressions.yaql.limits import YaqlLimits
from sabir.expressions.yaql.scope import Lambda, YaqlRule
from sabir.expressions.yaql.values import is_equal, to_hashable

FUNCTIONS = Library()

Dict = Mapping[Any, Any]


@FUNCTIONS.function("#map", RULE, rules=True)
def build_map(limits: YaqlLimits, *args: YaqlRule) -> dict[Any, Any]:
    """Build the dictionary of a literal `{key => value}`."""
    return {to_hashable(rule.source, limits): rule.target for rule in args}


@FUNCTIONS.function("dict", RULE, rules=True)
def dict_of_rules(limits: YaqlLimits, *args: YaqlRule) -> dict[Any, Any]:
    """Build a dictionary from rules `key => value`."""
    return build_map(limits, *args)


@FUNCTIONS.function("dict", ITERABLE, rules=True)
def dict_of_pairs(limits: YaqlLimits, items: Iterable[Any]) -> dict[Any, Any]:
    """Build a dictionary from pairs; each needs at least two items."""
    result: dict[Any, Any] = {}
    for pair in items:
        members = iter(pair)
        key = next(members)
        result[to_hashable(key, limits)] = next(members)
        limits.check(result)
    return result


@FUNCTIONS.method("toDict", ITERABLE, LAMBDA, LAMBDA)
def to_dict(
    limits: YaqlLimits, collection: Iterable[Any], key_selector: Lambda, value_selector: Lambda | None = None
) -> dict[Any, Any]:
    """Build a dictionary from items with a key selector and, optionally, a value selector."""
    result: dict[Any, Any] = {}
    for item in collection:
        key = to_hashable(key_selector(item), limits)
        result[key] = item if value_selector is None else value_selector(item)
        limits.check(result)
    return result


@FUNCTIONS.function("#index", MAPPING, ANY)
def value_at(limits: YaqlLimits, dict_: Dict, key: Any) -> Any:
    """Return the value of a key; raise `KeyError` if it is missing."""
    return dict_[to_hashable(key, limits)]


@FUNCTIONS.function("#index", MAPPING, ANY, ANY)
def value_at_or(limits: YaqlLimits, dict_: Dict, key: Any, default: Any) -> Any:
    """Return the value of a key, or the default."""
    return dict_.get(to_hashable(key, limits), default)


@FUNCTIONS.method("get", MAPPING)
def get(limits: YaqlLimits, dict_: Dict, key: Any, default: Any = None) -> Any:
    """Return the value of a key, or the default, which is null unless set."""
    return dict_.get(to_hashable(key, limits), default)


@FUNCTIONS.method("set", MAPPING, ANY, ANY, rules=True)
def set_one(limits: YaqlLimits, dict_: Dict, key: Any, value: Any) -> dict[Any, Any]:
    """Return a copy with one key set."""
    limits.check_sizes((1, dict_), (1, key), (1, value))
    return {**dict_, to_hashable(key, limits): value}


@FUNCTIONS.method("set", MAPPING, MAPPING, rules=True)
def set_many(limits: YaqlLimits, dict_: Dict, replacements: Dict) -> dict[Any, Any]:
    """Return a copy with the keys of another dictionary set."""
    return merge_dicts(limits, dict_, replacements)


@FUNCTIONS.method("set", MAPPING, RULE, rules=True)
def set_rules(limits: YaqlLimits, dict_: Dict, *args: YaqlRule) -> dict[Any, Any]:
    """Return a copy with the keys of rules `key => value` set."""
    return merge_dicts(limits, dict_, build_map(limits, *args))


@FUNCTIONS.method("keys", MAPPING)
def keys(dict_: Dict) -> KeysView[Any]:
    return dict_.keys()


@FUNCTIONS.method("values", MAPPING)
def values(dict_: Dict) -> ValuesView[Any]:
    return dict_.values()


@FUNCTIONS.method("items", MAPPING)
def items(dict_: Dict) -> ItemsView[Any, Any]:
    return dict_.items()


@FUNCTIONS.method("containsKey", MAPPING)
def contains_key(limits: YaqlLimits, dict_: Dict, key: Any) -> bool:
    return to_hashable(key, limits) in dict_


@FUNCTIONS.method("containsValue", MAPPING)
def contains_value(limits: YaqlLimits, dict_: Dict, value: Any) -> bool:
    """Return whether any value equals the given one by YAQL's equality."""
    return any(is_equal(item, value, limits) for item in dict_.values())


@FUNCTIONS.operator("+", MAPPING, MAPPING)
def merge_dicts(limits: YaqlLimits, left: Dict, right: Dict) -> dict[Any, Any]:
    """Return a dictionary with the keys of both; the right one wins."""
    limits.check_sizes((1, left), (1, right))
    return {**left, **right}


@FUNCTIONS.function("isDict")
def is_dict(arg: Any) -> bool:
    return KINDS[type(arg)] == MAPPING


@FUNCTIONS.extension("len", MAPPING)
def dict_length(dict_: Dict) -> int:
    """Return the number of keys."""
    return len(dict_)


@FUNCTIONS.method("delete", MAPPING)
def delete(limits: YaqlLimits, dict_: Dict, *keys: Any) -> dict[Any, Any]:
    """Return a copy without the given keys; missing keys are ignored."""
    return delete_all(limits, dict_, keys)


@FUNCTIONS.method("deleteAll", MAPPING, ITERABLE)
def delete_all(limits: YaqlLimits, dict_: Dict, keys: Iterable[Any]) -> dict[Any, Any]:
    """Return a copy without the keys of a collection; missing keys are ignored."""
    unwanted = {to_hashable(key, limits) for key in keys}
    return {key: value for key, value in dict_.items() if key not in unwanted}
