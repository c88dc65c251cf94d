"""Equality of plain data, as the READMEs ask for it, with the differences in words."""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum
from math import isnan
from typing import Any

__all__ = ["Numbers", "differences", "is_same", "kind_of"]


class Numbers(Enum):
    """How integers and floats compare. A boolean is never a number."""

    BY_VALUE = "1 equals 1.0"
    BY_TYPE = "1 differs from 1.0"


def kind_of(value: Any) -> str:
    """The kind of a value in the words of the reports."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "float"
        case str():
            return "text"
        case list():
            return "list"
        case dict():
            return "mapping"
        case _:
            return type(value).__name__


def differences(expected: Any, actual: Any, numbers: Numbers, path: str = "") -> list[str]:
    """What differs between two pieces of plain data; empty when they are equal."""
    at = path or "value"
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _mapping_differences(expected, actual, numbers, path)
    if isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            return [
                f"{at}: {len(expected)} items expected, {len(actual)} found: {expected!r} against {actual!r}"
            ]
        return [
            found
            for index, (one, other) in enumerate(zip(expected, actual, strict=True))
            for found in differences(one, other, numbers, f"{path}[{index}]")
        ]
    return (
        []
        if _same_scalar(expected, actual, numbers)
        else [f"{at}: {_shown(expected)} expected, {_shown(actual)} found"]
    )


def is_same(expected: Any, actual: Any, numbers: Numbers) -> bool:
    return not differences(expected, actual, numbers)


def _mapping_differences(
    expected: dict[Any, Any], actual: dict[Any, Any], numbers: Numbers, path: str
) -> list[str]:
    wanted = {_comparable_key(key, numbers): key for key in expected}
    there = {_comparable_key(key, numbers): key for key in actual}
    found = [f"{path}.{wanted[key]}: missing" for key in wanted if key not in there]
    found += [
        f"{path}.{there[key]}: not expected: {actual[there[key]]!r}" for key in there if key not in wanted
    ]
    for key, written in wanted.items():
        if key in there:
            found += differences(expected[written], actual[there[key]], numbers, f"{path}.{written}")
    return found


def _comparable_key(key: Any, numbers: Numbers) -> Hashable:
    """Python takes 1, 1.0 and True for the same key; the kind beside the key keeps apart what has to be."""
    if isinstance(key, int | float) and not isinstance(key, bool) and numbers is Numbers.BY_VALUE:
        return ("number", key)
    hashable: Hashable = repr(key) if isinstance(key, list | dict) else key
    return (kind_of(key), hashable)


def _same_scalar(expected: Any, actual: Any, numbers: Numbers) -> bool:
    if _is_number(expected) and _is_number(actual):
        if numbers is Numbers.BY_TYPE and type(expected) is not type(actual):
            return False
        return bool(expected == actual) or (_is_nan(expected) and _is_nan(actual))
    return type(expected) is type(actual) and bool(expected == actual)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and isnan(value)


def _shown(value: Any) -> str:
    return f"{value!r} ({kind_of(value)})"
