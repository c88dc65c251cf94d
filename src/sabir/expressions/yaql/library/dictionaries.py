"""Dictionaries."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, KeysView, Mapping, ValuesView
from typing import Any

from sabir.expressions.yaql.functions import LAMBDA
from sabir.expressions.yaql.kinds import ANY, ITERABLE, KINDS, MAPPING, RULE
from sabir.expressions.yaql.library.registry import STANDARD
from sabir.expressions.yaql.limits import Limits
from sabir.expressions.yaql.scope import Lambda, Rule
from sabir.expressions.yaql.values import equal, hashable

Dict = Mapping[Any, Any]


@STANDARD.function("#map", RULE, rules=True)
def build_map(limits: Limits, *args: Rule) -> dict[Any, Any]:
    return {hashable(rule.source, limits): rule.target for rule in args}


@STANDARD.function("dict", RULE, rules=True)
def dict_of_rules(limits: Limits, *args: Rule) -> dict[Any, Any]:
    return build_map(limits, *args)


@STANDARD.function("dict", ITERABLE, rules=True)
def dict_of_pairs(limits: Limits, items: Iterable[Any]) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    for pair in items:
        members = iter(pair)
        key = next(members)
        result[hashable(key, limits)] = next(members)
        limits.check(result)
    return result


@STANDARD.method("toDict", ITERABLE, LAMBDA, LAMBDA)
def to_dict(
    limits: Limits, collection: Iterable[Any], key_selector: Lambda, value_selector: Lambda | None = None
) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    for item in collection:
        key = hashable(key_selector(item), limits)
        result[key] = item if value_selector is None else value_selector(item)
        limits.check(result)
    return result


@STANDARD.function("#index", MAPPING, ANY)
def value_at(limits: Limits, dict_: Dict, key: Any) -> Any:
    return dict_[hashable(key, limits)]


@STANDARD.function("#index", MAPPING, ANY, ANY)
def value_at_or(limits: Limits, dict_: Dict, key: Any, default: Any) -> Any:
    return dict_.get(hashable(key, limits), default)


@STANDARD.method("get", MAPPING)
def get(limits: Limits, dict_: Dict, key: Any, default: Any = None) -> Any:
    return dict_.get(hashable(key, limits), default)


@STANDARD.method("set", MAPPING, ANY, ANY, rules=True)
def set_one(limits: Limits, dict_: Dict, key: Any, value: Any) -> dict[Any, Any]:
    limits.check_sizes((1, dict_), (1, key), (1, value))
    return {**dict_, hashable(key, limits): value}


@STANDARD.method("set", MAPPING, MAPPING, rules=True)
def set_many(limits: Limits, dict_: Dict, replacements: Dict) -> dict[Any, Any]:
    return plus(limits, dict_, replacements)


@STANDARD.method("set", MAPPING, RULE, rules=True)
def set_rules(limits: Limits, dict_: Dict, *args: Rule) -> dict[Any, Any]:
    return plus(limits, dict_, build_map(limits, *args))


@STANDARD.method("keys", MAPPING)
def keys(dict_: Dict) -> KeysView[Any]:
    return dict_.keys()


@STANDARD.method("values", MAPPING)
def values(dict_: Dict) -> ValuesView[Any]:
    return dict_.values()


@STANDARD.method("items", MAPPING)
def items(dict_: Dict) -> ItemsView[Any, Any]:
    return dict_.items()


@STANDARD.method("containsKey", MAPPING)
def contains_key(limits: Limits, dict_: Dict, key: Any) -> bool:
    return hashable(key, limits) in dict_


@STANDARD.method("containsValue", MAPPING)
def contains_value(limits: Limits, dict_: Dict, value: Any) -> bool:
    return any(equal(item, value, limits) for item in dict_.values())


@STANDARD.operator("+", MAPPING, MAPPING)
def plus(limits: Limits, left: Dict, right: Dict) -> dict[Any, Any]:
    limits.check_sizes((1, left), (1, right))
    return {**left, **right}


@STANDARD.function("isDict")
def is_dict(arg: Any) -> bool:
    return KINDS[type(arg)] == MAPPING


@STANDARD.extension("len", MAPPING)
def length(dict_: Dict) -> int:
    return len(dict_)


@STANDARD.method("delete", MAPPING)
def delete(limits: Limits, dict_: Dict, *keys: Any) -> dict[Any, Any]:
    return delete_all(limits, dict_, keys)


@STANDARD.method("deleteAll", MAPPING, ITERABLE)
def delete_all(limits: Limits, dict_: Dict, keys: Iterable[Any]) -> dict[Any, Any]:
    unwanted = {hashable(key, limits) for key in keys}
    return {key: value for key, value in dict_.items() if key not in unwanted}
