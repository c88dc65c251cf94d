"""Ways into values: fields, keys and indexes that functions name beside an input, property or attribute (2.0)."""

from __future__ import annotations

from collections.abc import Sequence

from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.model.types import TypeTable
from sabir.languages.tosca.syntax.nodes import Schema
from sabir.languages.tosca.syntax.scopes import Kind

__all__ = ["lost"]

_ANYTHING = frozenset({"any", "json", "xml"})


def lost(types: TypeTable, schema: Schema | None, way: Sequence[object]) -> tuple[str, str | None] | None:
    """Where a way into a value of a type ends, and a hint; None when it leads somewhere, or to nobody knows what."""
    for word in way:
        if schema is None or not isinstance(word, str | int):
            return None
        flat = types.find(Kind.DATA, schema.name)
        if flat is None and not types.is_primitive(schema.name):
            return None
        base = schema.name if flat is None else flat.primitive
        if flat is not None and base is None:
            if not flat.properties:
                return None
            if word not in flat.properties:
                return f"{schema.name} has no field {word!r}", did_you_mean(str(word), flat.properties)
            schema = flat.properties[str(word)].schema
        elif base in _ANYTHING:
            return None
        elif base == "list" and isinstance(word, str) and not word.isdigit() and word != "ALL":
            return f"a list has no entry {word!r}", "its entries have numbers, from 0"
        elif base in ("list", "map"):
            schema = schema.entry_schema or (None if flat is None else flat.schema)
        else:
            return f"{schema.name} is no list or map, so it has no entry {word!r}", None
    return None
