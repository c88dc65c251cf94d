"""Fields of a kind, and validation of the values that a resource gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from msgspec import Struct

from sabir.diagnostics.suggestions import did_you_mean
from sabir.graph.values import Unknown, Value, reveal_value


class FieldType(Enum):
    """The type of a field; the value is its description in messages."""

    TEXT = "a text"
    NUMBER = "a number"
    INTEGER = "a whole number"
    FLAG = "true or false"
    LIST = "a list"
    MAP = "a mapping"
    DATA = "a text or bytes"
    ANY = "any value"


class Field(Struct, frozen=True, kw_only=True):
    """A field of a kind, or a setting of a target."""

    about: str
    type: FieldType = FieldType.TEXT
    required: bool = False
    choices: tuple[str, ...] = ()
    replaces: bool = False
    """It cannot be changed in place: the resource is deleted and re-created."""
    sensitive: bool = False
    """Its value is never displayed, whether or not the author marked it."""


def field_problems(fields: Mapping[str, Field], desired: Mapping[str, Value]) -> dict[str, str]:
    """Return the problems of a resource's fields by field name: unknown, of the wrong type, or missing.

    Unknown values and references to secrets are accepted for every type.
    """
    problems: dict[str, str] = {}
    for name, value in desired.items():
        declared = fields.get(name)
        if declared is None:
            near = did_you_mean(name, fields) or f"there are {', '.join(fields)}"
            problems[name] = f"there is no field {name!r}: {near}"
        elif (problem := _describe_problem(declared, value)) is not None:
            problems[name] = f"{name} must be {problem}"
    missing = [name for name, declared in fields.items() if declared.required and desired.get(name) is None]
    return {**problems, **{name: f"it needs the field {name!r}: {fields[name].about}" for name in missing}}


def _describe_problem(declared: Field, value: Value) -> str | None:
    plain = reveal_value(value)
    if plain is None or isinstance(plain, Unknown) or _is_reference(plain):
        return None
    if declared.choices and isinstance(plain, str) and plain not in declared.choices:
        near = did_you_mean(plain, declared.choices)
        return f"one of {', '.join(declared.choices)}" + (f": {near}" if near else "")
    return None if _is_type(declared.type, plain) else declared.type.value


def _is_reference(value: Any) -> bool:
    """Tell whether a value is a reference to a secret; see `sabir.resources.secrets`."""
    return isinstance(value, Mapping) and value.keys() == {"$secret"}


def _is_type(type_: FieldType, value: Any) -> bool:
    match type_:
        case FieldType.TEXT:
            return isinstance(value, str)
        case FieldType.NUMBER:
            return isinstance(value, int | float) and not isinstance(value, bool)
        case FieldType.INTEGER:
            return isinstance(value, int) and not isinstance(value, bool)
        case FieldType.FLAG:
            return isinstance(value, bool)
        case FieldType.LIST:
            return isinstance(value, Sequence) and not isinstance(value, str | bytes)
        case FieldType.MAP:
            return isinstance(value, Mapping)
        case FieldType.DATA:
            return isinstance(value, str | bytes)
        case FieldType.ANY:
            return True
