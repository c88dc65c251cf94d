"""Schemas in 2.0: entries and keys are described where a type has them, and nowhere else; a data type says what it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import PropertyDefinition, Schema, TypeDefinition
from sabir.languages.tosca.syntax.scopes import Kind

__all__ = ["check_schemas"]

WRONG_SCHEMA: Final = tosca_rule(
    code="TOSCA:E041",
    title="a schema that does not describe its type",
    why="TOSCA 2.0: only lists and maps have an entry_schema; only a map has a key_schema, and its keys are text. A data type derives from "
    "another or has properties, and is not called as one of TOSCA's own types.",
)

_RESERVED: Final = frozenset(
    {
        "string",
        "integer",
        "float",
        "boolean",
        "bytes",
        "nil",
        "timestamp",
        "version",
        "scalar",
        "list",
        "map",
    }
)


def check_schemas(model: Model) -> Iterator[Finding]:
    for kind, table in model.topology.types.items():
        for type_ in {id(type_): type_ for type_ in table.values()}.values():
            if not type_.origin.second:
                continue
            yield from _definitions(model, (*type_.properties.values(), *type_.attributes.values()))
            for capability in type_.capabilities.values():
                inner = (*capability.properties.values(), *capability.attributes.values())
                yield from _definitions(model, inner)
            if kind is Kind.DATA:
                yield from _data_type(model, type_)
    yield from _definitions(model, tuple(model.topology.inputs.values()))


def _definitions(model: Model, definitions: tuple[PropertyDefinition, ...]) -> Iterator[Finding]:
    for definition in definitions:
        if definition.schema is not None and definition.origin.second:
            yield from _schema(model, definition.schema, f"{definition.name!r}")


def _schema(model: Model, schema: Schema, subject: str) -> Iterator[Finding]:
    flat = model.types.find(Kind.DATA, schema.name)
    base = schema.name if flat is None else flat.primitive
    is_there = flat is not None or model.types.is_primitive(schema.name)
    if schema.entry_schema is not None and is_there and base not in ("list", "map"):
        message = f"{subject} is no list or map and cannot have an entry_schema"
        yield WRONG_SCHEMA.at(schema.entry_schema.place, message)
    if schema.key_schema is not None:
        yield from _keys(model, schema.key_schema, base, subject)
    if schema.entry_schema is not None:
        yield from _schema(model, schema.entry_schema, f"an entry of {subject}")


def _keys(model: Model, keys: Schema, base: str | None, subject: str) -> Iterator[Finding]:
    if base != "map":
        yield WRONG_SCHEMA.at(keys.place, f"{subject} is no map and cannot have a key_schema")
        return
    flat = model.types.find(Kind.DATA, keys.name)
    key_base = keys.name if flat is None else flat.primitive
    if key_base != "string" and (flat is not None or model.types.is_primitive(keys.name)):
        yield WRONG_SCHEMA.at(keys.place, f"the keys of {subject} must be text, not {keys.name}")


def _data_type(model: Model, type_: TypeDefinition) -> Iterator[Finding]:
    flat = model.types.find(Kind.DATA, type_.name)
    if type_.name in _RESERVED:
        message = f"data type {type_.name!r} has the name of a type of TOSCA's own"
        yield WRONG_SCHEMA.at(type_.place, message, hint="give it another name")
        return
    if type_.derived_from is None and not type_.properties:
        message = f"data type {type_.name!r} neither derives from another nor has properties"
        yield WRONG_SCHEMA.at(type_.place, message)
    elif flat is not None and flat.primitive not in ("list", "map") and type_.schema is not None:
        message = f"data type {type_.name!r} is no list or map and cannot have an entry_schema"
        yield WRONG_SCHEMA.at(type_.schema.place, message)
    if type_.key_schema is not None and flat is not None:
        yield from _keys(model, type_.key_schema, flat.primitive, f"data type {type_.name!r}")
