"""What differs between two states of an object, field by field, in paths that people write: `spec.replicas`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sabir.graph.values import Sensitive, Value
from sabir.resources.outcome import FieldChange

OPERATION: Final = "sabir/operation"
"""The annotation that keeps the id of the last operation, so that a step that was cut off can be told from one that was done."""

# What the server itself writes: it says nothing about what is wanted.
_OF_THE_SERVER: Final = frozenset(
    [
        "status",
        "metadata.creationTimestamp",
        "metadata.generation",
        "metadata.managedFields",
        "metadata.resourceVersion",
        "metadata.selfLink",
        "metadata.uid",
        f"metadata.annotations.{OPERATION}",
    ]
)
_SECRET_KEYS: Final = ("data", "stringData")


def changes_between(
    before: Mapping[str, Any], after: Mapping[str, Any], sensitive: frozenset[str] = frozenset()
) -> tuple[FieldChange, ...]:
    """Every field in which the states differ; values below a sensitive path stay hidden."""
    hidden = sensitive | _of_secret(after)
    return tuple(
        FieldChange(field=path, before=_mark_value(path, old, hidden), after=_mark_value(path, new, hidden))
        for path, old, new in _compare_values(before, after, "")
        if path not in _OF_THE_SERVER
    )


def sensitive_paths(value: Value, path: str = "") -> frozenset[str]:
    """Where sensitive values stand in a manifest."""
    if isinstance(value, Sensitive):
        return frozenset([path])
    if isinstance(value, Mapping):
        inner = (sensitive_paths(item, f"{path}.{key}" if path else key) for key, item in value.items())
    elif isinstance(value, list | tuple):
        inner = (sensitive_paths(item, f"{path}[{index}]") for index, item in enumerate(value))
    else:
        return frozenset()
    return frozenset().union(*inner)


def redact_manifest(manifest: Mapping[str, Any], sensitive: frozenset[str]) -> dict[str, Value]:
    """An object of the server with its secret values marked, to be recorded and shown."""
    hidden = sensitive | _of_secret(manifest)
    return {
        key: _mark_nested(value, key, hidden) for key, value in manifest.items() if key not in _OF_THE_SERVER
    }


def _of_secret(manifest: Mapping[str, Any]) -> frozenset[str]:
    if manifest.get("kind") != "Secret":
        return frozenset()
    return frozenset(f"{key}.{name}" for key in _SECRET_KEYS for name in manifest.get(key) or ())


def _mark_nested(value: Any, path: str, hidden: frozenset[str]) -> Value:
    if path in hidden:
        return Sensitive(value)
    if isinstance(value, Mapping):
        return {
            key: _mark_nested(item, f"{path}.{key}", hidden)
            for key, item in value.items()
            if f"{path}.{key}" not in _OF_THE_SERVER
        }
    if isinstance(value, list):
        return [_mark_nested(item, f"{path}[{index}]", hidden) for index, item in enumerate(value)]
    result: Value = value
    return result


def _mark_value(path: str, value: Any, hidden: frozenset[str]) -> Value:
    is_hidden = any(path == other or path.startswith((f"{other}.", f"{other}[")) for other in hidden)
    if value is None:
        return None
    return Sensitive(value) if is_hidden else _mark_nested(value, path, hidden)


def _compare_values(before: Any, after: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if path in _OF_THE_SERVER:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys([*before, *after]):
            inner = f"{path}.{key}" if path else key
            yield from _compare_values(before.get(key), after.get(key), inner)
    elif _are_lists(before, after) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _compare_values(old, new, f"{path}[{index}]")
    elif before != after and not (_is_empty(before) and _is_empty(after)):
        yield path, before, after


def _are_lists(before: Any, after: Any) -> bool:
    return all(
        isinstance(value, Sequence) and not isinstance(value, str | bytes) for value in (before, after)
    )


def _is_empty(value: Any) -> bool:
    return value is None or value in ({}, [])
