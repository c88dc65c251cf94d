"""Functions of plain data, which need no class, object or run: placeholders, JSON patches, base64."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.yaql import STANDARD, Library
from sabir.expressions.yaql.kinds import ANY, ITERABLE, MAPPING, SEQUENCE, STRING
from sabir.expressions.yaql.library.embedder import declare_format
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, NativeFailure, shown
from sabir.languages.muranopl.model.objects import MuranoObject, unwrapped
from sabir.languages.muranopl.model.patching import apply_patch
from sabir.languages.muranopl.syntax.failures import failure_rule
from sabir.lazy import lazy_pattern

__all__ = ["VALUES"]

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
    """Fill a structure: `$name` is the value itself, `$text-{name}` a text with values put in."""
    if isinstance(obj, str):
        return _bound_text(obj, replacements)
    if isinstance(obj, Mapping):
        return {bind(key, replacements): bind(value, replacements) for key, value in obj.items()}
    if isinstance(obj, list | tuple):
        return [bind(item, replacements) for item in obj]
    return obj


def _bound_text(text: str, replacements: Mapping[Any, Any]) -> Any:
    if not text.startswith("$"):
        return text
    name = text[1:]
    if "{" in name and _placeholder().search(name):
        return _placeholder().sub(lambda match: str(replacements.get(match.group(1))), name)
    if name not in replacements:
        hint = did_you_mean(name, map(str, replacements))
        raise NativeFailure(
            "KeyError", repr(name), explained=f"bind: there is no value for {text!r}", hint=hint
        )
    value = replacements[name]
    return text if value is None else value


@VALUES.function("isObject")
def is_object(value: Any) -> bool:
    return isinstance(unwrapped(value), MuranoObject | MuranoClass)


@VALUES.extension("patch", MAPPING | SEQUENCE, ITERABLE | MAPPING)
def patch(obj: Any, patch: Any) -> Any:
    """A JSON patch (RFC 6902) applied to a structure."""
    operations: Iterable[Any] = [patch] if isinstance(patch, Mapping) else patch
    return apply_patch(obj, operations)


@VALUES.extension("base64encode", STRING)
def base64encode(value: str) -> str:
    return base64.b64encode(value.encode()).decode("ascii")


@VALUES.extension("base64decode", STRING)
def base64decode(value: str) -> str:
    try:
        return base64.b64decode(value, validate=False).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise MuranoError(UNUSABLE_VALUE, f"{shown(value)} is no base64 of a text") from None


@VALUES.extension("decryptData", STRING)
def decrypt_data(value: str) -> str:
    del value
    raise MuranoError(
        CLOUD_NEEDED,
        "decryptData needs the key store of a cloud, which is not connected",
        hint="give the secret as it is, in a property that the environment keeps",
    )


_placeholder: Final = lazy_pattern(r"\{(\w+?)\}")
