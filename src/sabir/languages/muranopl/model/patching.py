"""JSON patch (RFC 6902) on values that are never changed in place."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, shown
from sabir.languages.muranopl.model.hosts import HostValue

__all__ = ["apply_patch"]


class _Nowhere(Exception):
    """The container of the place that an operation names is not there."""


def apply_patch(value: Any, operations: Iterable[Any]) -> Any:
    result = _copied(value)
    for operation in operations:
        if not isinstance(operation, Mapping) or "op" not in operation or "path" not in operation:
            raise _bad(f"an operation has `op` and `path`, {shown(operation)} has not")
        try:
            result = _apply(result, operation)
        except _Nowhere:  # as the existing engine: what lies below nothing ends the patch silently
            break
    return result


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_copied(item) for item in value]
    return value if isinstance(value, HostValue) else copy.copy(value)


def _apply(root: Any, operation: Mapping[str, Any]) -> Any:
    path = _path(operation["path"])
    if not _is_there(root, path[:-1]):
        raise _Nowhere
    match operation["op"]:
        case "add":
            return _add(root, path, _copied(_needed(operation, "value")))
        case "remove":
            return _removed(root, path)[0]
        case "replace":
            _get(root, path)
            return _replace(root, path, _copied(_needed(operation, "value")))
        case "move":
            without, moved = _removed(root, _path(_needed(operation, "from")))
            return _add(without, path, moved)
        case "copy":
            return _add(root, path, _copied(_get(root, _path(_needed(operation, "from")))))
        case "test":
            if _get(root, path) != operation.get("value"):
                raise _bad(f"the test of {operation['path']!r} failed")
            return root
        case other:
            raise _bad(f"there is no operation {other!r}")


def _needed(operation: Mapping[str, Any], key: str) -> Any:
    if key not in operation:
        raise _bad(f"the operation {operation['op']!r} needs {key!r}")
    return operation[key]


def _path(text: Any) -> list[str]:
    if not isinstance(text, str) or (text and not text.startswith("/")):
        raise _bad(f"a path begins with `/`, {shown(text)} does not")
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


def _is_there(root: Any, path: list[str]) -> bool:
    try:
        _get(root, path)
    except MuranoError:
        return False
    return True


def _get(root: Any, path: list[str]) -> Any:
    for part in path:
        if isinstance(root, dict) and part in root:
            root = root[part]
        elif isinstance(root, list) and part.isdigit() and int(part) < len(root):
            root = root[int(part)]
        else:
            raise _bad(f"there is nothing at /{'/'.join(path)}")
    return root


def _add(root: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    container, last = _get(root, path[:-1]), path[-1]
    if isinstance(container, dict):
        container[last] = value
    elif isinstance(container, list) and last == "-":
        container.append(value)
    elif isinstance(container, list) and last.isdigit() and int(last) <= len(container):
        container.insert(int(last), value)
    else:
        raise _bad(f"nothing can be added at /{'/'.join(path)}")
    return root


def _replace(root: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    container, last = _get(root, path[:-1]), path[-1]
    container[int(last) if isinstance(container, list) else last] = value
    return root


def _removed(root: Any, path: list[str]) -> tuple[Any, Any]:
    value = _get(root, path)
    if not path:
        return None, value
    container = _get(root, path[:-1])
    del container[int(path[-1]) if isinstance(container, list) else path[-1]]
    return root, value


def _bad(problem: str) -> MuranoError:
    return MuranoError(UNUSABLE_VALUE, f"JSON patch: {problem}")
