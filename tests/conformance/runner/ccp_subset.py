"""The subset rule of the CCP cases: expected E against actual A."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from tests.conformance.runner.equality import Numbers, differences

__all__ = ["subset_differences"]

_MISSING = object()


def subset_differences(expected: Any, actual: Any, path: str) -> list[str]:
    if isinstance(expected, dict):
        return _mapping(expected, actual, path)
    if isinstance(expected, list) and isinstance(actual, list):
        return _named(expected, actual, path) if _all_named(expected) else _ordered(expected, actual, path)
    return differences(expected, actual, Numbers.BY_TYPE, path)


def _mapping(expected: dict[str, Any], actual: Any, path: str) -> list[str]:
    special = [key for key in expected if str(key).startswith("$") and key != "$absent"]
    if special:
        return _special(special[0], expected, actual, path)
    if not isinstance(actual, dict):
        return [f"{path}: a mapping expected, {actual!r} found"]
    found = [
        f"{path}.{key}: must be absent, is {actual[key]!r}"
        for key in expected.get("$absent", ())
        if key in actual
    ]
    for key, value in expected.items():
        if key == "$absent":
            continue
        inner = actual.get(key, _MISSING)
        at = f"{path}.{key}"
        found += [f"{at}: missing"] if inner is _MISSING else subset_differences(value, inner, at)
    return found


def _special(key: str, expected: dict[str, Any], actual: Any, path: str) -> list[str]:
    if len(expected) != 1:
        return [f"{path}: {key} stands beside other keys: {sorted(expected)}"]
    value = expected[key]
    match key:
        case "$exact":
            return differences(value, actual, Numbers.BY_TYPE, path)
        case "$present":
            empty = actual is None or (isinstance(actual, str | list | dict) and not actual)
            return [f"{path}: must be there and not empty, is {actual!r}"] if empty else []
        case "$json":
            return _json(value, actual, path)
        case "$b64json":
            return _b64json(value, actual, path)
        case _:
            return [f"{path}: unknown rule {key} in the expectation"]


def _json(expected: Any, actual: Any, path: str) -> list[str]:
    if not isinstance(actual, str):
        return [f"{path}: a text holding JSON expected, {actual!r} found"]
    try:
        parsed = json.loads(actual)
    except ValueError as error:
        return [f"{path}: a text holding JSON expected, {actual!r} is none: {error}"]
    return subset_differences(expected, parsed, f"{path}<json>")


def _b64json(expected: Any, actual: Any, path: str) -> list[str]:
    if not isinstance(actual, str):
        return [f"{path}: base64 of JSON expected, {actual!r} found"]
    try:
        text = base64.b64decode(actual, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        return [f"{path}: base64 of JSON expected, {actual!r} is none: {error}"]
    return _json(expected, text, path)


def _all_named(items: list[Any]) -> bool:
    # An empty list names nothing: it is "any other list" and means that there are no items.
    return bool(items) and all(isinstance(item, dict) and "name" in item for item in items)


def _named(expected: list[Any], actual: list[Any], path: str) -> list[str]:
    found: list[str] = []
    for item in expected:
        name = item["name"]
        same = [other for other in actual if isinstance(other, dict) and other.get("name") == name]
        at = f"{path}[name={name}]"
        if len(same) != 1:
            found.append(f"{at}: one expected, {len(same)} found")
        else:
            found += subset_differences(item, same[0], at)
    return found


def _ordered(expected: list[Any], actual: list[Any], path: str) -> list[str]:
    if len(expected) != len(actual):
        return [f"{path}: {len(expected)} items expected, {len(actual)} found: {actual!r}"]
    pairs = enumerate(zip(expected, actual, strict=True))
    return [
        text for index, (one, other) in pairs for text in subset_differences(one, other, f"{path}[{index}]")
    ]
