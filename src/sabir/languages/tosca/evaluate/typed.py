"""A value as its type has it: fields left out have their defaults, numbers where text is meant are text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from sabir.languages.tosca.model.types import FlatType, TypeTable
from sabir.languages.tosca.model.values import holds_expression
from sabir.languages.tosca.syntax.nodes import PropertyDefinition, Schema
from sabir.languages.tosca.syntax.scopes import Kind

__all__ = ["read_text", "typed"]

_TEXTS: Final = frozenset({"string", "version"})
_READ: Final[Mapping[str, type | tuple[type, ...]]] = {
    "integer": int,
    "float": (int, float),
    "boolean": bool,
    "list": list,
    "map": dict,
}


def typed(data: Any, schema: Schema, types: TypeTable, text: str | None = None) -> Any:
    """The value of a property; `text` is how it is written, which tells 1.10 from 1.1."""
    match data:
        case bool() | str() | None:
            return data
        case int() | float():
            return _number(data, schema.name, types, text)
        case Mapping():
            return data if holds_expression(data) else _map(data, schema, types)
        case list() if schema.entry_schema is not None:
            return [typed(item, schema.entry_schema, types) for item in data]
        case _:
            return data


def read_text(text: str, schema: Schema, types: TypeTable) -> Any:
    """The value that a text of a program means by its type; the text where it is none of that type."""
    flat = types.find(Kind.DATA, schema.name)
    base = flat.primitive if flat is not None and flat.primitive is not None else schema.name
    wanted = _READ.get(base) or (dict if flat is not None and flat.properties else None)
    if wanted is None:
        return text
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
    return value if isinstance(value, wanted) else text


def _number(data: float, name: str, types: TypeTable, text: str | None) -> Any:
    flat = types.find(Kind.DATA, name)
    base = flat.primitive if flat is not None and flat.primitive is not None else name
    if base in _TEXTS:
        return str(data) if text is None else text.strip()
    return float(data) if base == "float" else data


def _map(data: Mapping[Any, Any], schema: Schema, types: TypeTable) -> Mapping[Any, Any]:
    flat = types.find(Kind.DATA, schema.name)
    if flat is not None and flat.properties:
        return _with_defaults(data, flat, types)
    entry = schema.entry_schema
    return data if entry is None else {key: typed(item, entry, types) for key, item in data.items()}


def _with_defaults(data: Mapping[Any, Any], flat: FlatType, types: TypeTable) -> Mapping[Any, Any]:
    fields = {key: _field(item, flat.properties.get(key), types) for key, item in data.items()}
    missing = {
        name: definition.default.data
        for name, definition in flat.properties.items()
        if definition.default is not None and name not in data
    }
    return {**fields, **missing}


def _field(item: Any, definition: PropertyDefinition | None, types: TypeTable) -> Any:
    if definition is None or definition.schema is None:
        return item
    return typed(item, definition.schema, types)
