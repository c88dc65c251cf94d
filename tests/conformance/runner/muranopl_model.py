"""Comparison of a written object model with the expected one (README of the muranopl cases, key `model`)."""

from __future__ import annotations

import re
from typing import Any

from tests.conformance.runner.equality import Numbers, differences

__all__ = ["model_differences"]

_GENERATED_ID = re.compile(r"<id-\d+>")
_HEADER = "?"


def model_differences(expected: Any, actual: Any) -> list[str]:
    return _differences(expected, actual, "model", {})


def _differences(expected: Any, actual: Any, path: str, ids: dict[str, str]) -> list[str]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _mapping(expected, actual, path, ids)
    if isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            return [f"{path}: {len(expected)} items expected, {len(actual)} found: {actual!r}"]
        pairs = enumerate(zip(expected, actual, strict=True))
        return [
            found
            for index, (one, other) in pairs
            for found in _differences(one, other, f"{path}[{index}]", ids)
        ]
    if isinstance(expected, str) and _GENERATED_ID.fullmatch(expected):
        return _generated_id(expected, actual, path, ids)
    return differences(expected, actual, Numbers.BY_VALUE, path)


def _mapping(expected: dict[Any, Any], actual: dict[Any, Any], path: str, ids: dict[str, str]) -> list[str]:
    """Exactly the same keys, apart from the header: of that only what the expectation names."""
    found: list[str] = []
    if _HEADER in expected:
        found += _header(expected[_HEADER], actual.get(_HEADER), f"{path}.?", ids)
    wanted = {key for key in expected if key != _HEADER}
    there = {key for key in actual if key != _HEADER}
    found += [f"{path}.{key}: missing" for key in expected if key in wanted - there]
    found += [f"{path}.{key}: not expected: {actual[key]!r}" for key in actual if key in there - wanted]
    for key in expected:
        if key in wanted & there:
            found += _differences(expected[key], actual[key], f"{path}.{key}", ids)
    return found


def _header(expected: dict[str, Any], actual: Any, path: str, ids: dict[str, str]) -> list[str]:
    if not isinstance(actual, dict):
        return [f"{path}: missing"]
    found: list[str] = []
    for key, value in expected.items():
        if key not in actual:
            found.append(f"{path}.{key}: missing")
        else:
            found += _differences(_normal(key, value), _normal(key, actual[key]), f"{path}.{key}", ids)
    return found


def _normal(key: str, value: Any) -> Any:
    if key == "type" and isinstance(value, str):
        return value.partition("/")[0]
    if key == "_actions":
        names = [entry.get("name") for entry in value.values()] if isinstance(value, dict) else list(value)
        return sorted(names, key=str)
    return value


def _generated_id(expected: str, actual: Any, path: str, ids: dict[str, str]) -> list[str]:
    if not isinstance(actual, str):
        return [f"{path}: a generated id (text) expected, {actual!r} found"]
    known = ids.setdefault(expected, actual)
    return [] if known == actual else [f"{path}: {expected} is {known!r} elsewhere, {actual!r} here"]
