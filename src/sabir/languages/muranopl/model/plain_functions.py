"""Functions of plain data, which need no class, object or run: placeholders, JSON Patch, base64.

JSON Patch (RFC 6902) works on a copy, since values are never changed in place.
"""

from __future__ import annotations

import base64
import binascii
import copy
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.yaql import STANDARD, Library
from sabir.expressions.yaql.kinds import ANY, ITERABLE, MAPPING, SEQUENCE, STRING
from sabir.expressions.yaql.library.embedder import declare_format
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, NativeError, format_value
from sabir.languages.muranopl.model.objects import HostValue, MuranoObject, unwrap_object
from sabir.languages.muranopl.syntax.rules import failure_rule
from sabir.lazy import lazy_pattern


class _Nowhere(Exception):
    """The container of the location that an operation names does not exist."""


def apply_patch(value: Any, operations: Iterable[Any]) -> Any:
    """Return a copy of the value with the JSON Patch operations applied; raise `MuranoError` for a malformed one."""
    result = _copy_value(value)
    for operation in operations:
        if not isinstance(operation, Mapping) or "op" not in operation or "path" not in operation:
            raise _patch_error(f"an operation has `op` and `path`, {format_value(operation)} has not")
        try:
            result = _apply_operation(result, operation)
        except (
            _Nowhere
        ):  # as in the original engine, a path inside a missing container ends the patch silently
            break
    return result


def _copy_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_copy_value(item) for item in value]
    return value if isinstance(value, HostValue) else copy.copy(value)


def _apply_operation(root: Any, operation: Mapping[str, Any]) -> Any:
    path = _parse_pointer(operation["path"])
    if not _is_there(root, path[:-1]):
        raise _Nowhere
    match operation["op"]:
        case "add":
            return _add_value(root, path, _copy_value(_require_key(operation, "value")))
        case "remove":
            return _remove_value(root, path)[0]
        case "replace":
            _find_value(root, path)
            return _replace_value(root, path, _copy_value(_require_key(operation, "value")))
        case "move":
            without, moved = _remove_value(root, _parse_pointer(_require_key(operation, "from")))
            return _add_value(without, path, moved)
        case "copy":
            return _add_value(
                root, path, _copy_value(_find_value(root, _parse_pointer(_require_key(operation, "from"))))
            )
        case "test":
            if _find_value(root, path) != operation.get("value"):
                raise _patch_error(f"the test of {operation['path']!r} failed")
            return root
        case other:
            raise _patch_error(f"there is no operation {other!r}")


def _require_key(operation: Mapping[str, Any], key: str) -> Any:
    if key not in operation:
        raise _patch_error(f"the operation {operation['op']!r} needs {key!r}")
    return operation[key]


def _parse_pointer(text: Any) -> list[str]:
    if not isinstance(text, str) or (text and not text.startswith("/")):
        raise _patch_error(f"a path begins with `/`, {format_value(text)} does not")
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


def _is_there(root: Any, path: list[str]) -> bool:
    try:
        _find_value(root, path)
    except MuranoError:
        return False
    return True


def _find_value(root: Any, path: list[str]) -> Any:
    for part in path:
        if isinstance(root, dict) and part in root:
            root = root[part]
        elif isinstance(root, list) and part.isdigit() and int(part) < len(root):
            root = root[int(part)]
        else:
            raise _patch_error(f"there is nothing at /{'/'.join(path)}")
    return root


def _add_value(root: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    container, last = _find_value(root, path[:-1]), path[-1]
    if isinstance(container, dict):
        container[last] = value
    elif isinstance(container, list) and last == "-":
        container.append(value)
    elif isinstance(container, list) and last.isdigit() and int(last) <= len(container):
        container.insert(int(last), value)
    else:
        raise _patch_error(f"nothing can be added at /{'/'.join(path)}")
    return root


def _replace_value(root: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    container, last = _find_value(root, path[:-1]), path[-1]
    container[int(last) if isinstance(container, list) else last] = value
    return root


def _remove_value(root: Any, path: list[str]) -> tuple[Any, Any]:
    value = _find_value(root, path)
    if not path:
        return None, value
    container = _find_value(root, path[:-1])
    del container[int(path[-1]) if isinstance(container, list) else path[-1]]
    return root, value


def _patch_error(problem: str) -> MuranoError:
    return MuranoError(UNUSABLE_VALUE, f"JSON patch: {problem}")


VALUES: Final = Library(STANDARD)
"""YAQL with what MuranoPL adds for values; the functions of a run stand on top of it."""
declare_format(VALUES)

CLOUD_NEEDED: Final = failure_rule(
    "CloudNeeded",
    "MRUN:E030",
    "a method that needs a cloud",
    "Classes for stacks, agents, networks and machines are declared, so that packages load and compile; their methods "
    "work only in a deployment that connects a cloud.",
)


@VALUES.extension("bind", ANY, MAPPING)
def bind(obj: Any, replacements: Mapping[Any, Any]) -> Any:
    """Fill a structure: `$name` is replaced by the value itself, `$text-{name}` by a string with values inserted."""
    if isinstance(obj, str):
        return _bind_text(obj, replacements)
    if isinstance(obj, Mapping):
        return {bind(key, replacements): bind(value, replacements) for key, value in obj.items()}
    if isinstance(obj, list | tuple):
        return [bind(item, replacements) for item in obj]
    return obj


def _bind_text(text: str, replacements: Mapping[Any, Any]) -> Any:
    if not text.startswith("$"):
        return text
    name = text[1:]
    if "{" in name and _placeholder().search(name):
        return _placeholder().sub(lambda match: str(replacements.get(match.group(1))), name)
    if name not in replacements:
        hint = did_you_mean(name, map(str, replacements))
        raise NativeError(
            "KeyError", repr(name), explained=f"bind: there is no value for {text!r}", hint=hint
        )
    value = replacements[name]
    return text if value is None else value


@VALUES.function("isObject")
def is_object(value: Any) -> bool:
    """Tell whether a value is an object or a type."""
    return isinstance(unwrap_object(value), MuranoObject | MuranoClass)


@VALUES.extension("patch", MAPPING | SEQUENCE, ITERABLE | MAPPING)
def patch(obj: Any, patch: Any) -> Any:
    """Return a structure with a JSON Patch (RFC 6902) applied."""
    operations: Iterable[Any] = [patch] if isinstance(patch, Mapping) else patch
    return apply_patch(obj, operations)


@VALUES.extension("base64encode", STRING)
def base64encode(value: str) -> str:
    """Return the base64 encoding of a string in UTF-8."""
    return base64.b64encode(value.encode()).decode("ascii")


@VALUES.extension("base64decode", STRING)
def base64decode(value: str) -> str:
    """Return the string encoded by base64; raise `MuranoError` if it is malformed or not UTF-8."""
    try:
        return base64.b64decode(value, validate=False).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise MuranoError(UNUSABLE_VALUE, f"{format_value(value)} is no base64 of a text") from None


@VALUES.extension("decryptData", STRING)
def decrypt_data(value: str) -> str:
    """Raise `MuranoError`: decryption needs the key store of a cloud."""
    del value
    raise MuranoError(
        CLOUD_NEEDED,
        "decryptData needs the key store of a cloud, which is not connected",
        hint="give the secret as it is, in a property that the environment keeps",
    )


_placeholder: Final = lazy_pattern(r"\{(\w+?)\}")
