"""Checks of schemas, data types and scalar types (TOSCA 2.0).

Entry and key schemas are allowed for lists and maps only, and required there. A scalar type declares units or
prefixes with multipliers and one canonical unit; `scalar` itself is abstract.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.model.scalars import is_number
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import (
    PropertyDefinition,
    ScalarDefinition,
    Schema,
    SourceValue,
    TypeDefinition,
)
from sabir.languages.tosca.syntax.scopes import TypeKind

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


def check_schemas(model: TopologyModel) -> Iterator[Finding]:
    """Check the schemas in 2.0 types: of properties, attributes, capabilities and data types."""
    for kind, table in model.topology.types.items():
        for type_ in {id(type_): type_ for type_ in table.values()}.values():
            if not type_.origin.second:
                continue
            yield from _check_definitions(model, (*type_.properties.values(), *type_.attributes.values()))
            for capability in type_.capabilities.values():
                inner = (*capability.properties.values(), *capability.attributes.values())
                yield from _check_definitions(model, inner)
            if kind is TypeKind.DATA:
                yield from _data_type(model, type_)
    yield from _check_definitions(model, tuple(model.topology.inputs.values()))


def _check_definitions(
    model: TopologyModel, definitions: tuple[PropertyDefinition, ...]
) -> Iterator[Finding]:
    for definition in definitions:
        if definition.schema is not None and definition.origin.second:
            yield from _check_schema(model, definition.schema, f"{definition.name!r}")


def _check_schema(model: TopologyModel, schema: Schema, subject: str) -> Iterator[Finding]:
    flat = model.types.find(TypeKind.DATA, schema.name)
    base = schema.name if flat is None else flat.primitive
    is_there = flat is not None or model.types.is_primitive(schema.name)
    if schema.entry_schema is not None and is_there and base not in ("list", "map"):
        message = f"{subject} is no list or map and cannot have an entry_schema"
        yield WRONG_SCHEMA.at(schema.entry_schema.place, message)
    if schema.key_schema is not None:
        yield from _check_key_schema(model, schema.key_schema, base, subject)
    if schema.entry_schema is not None:
        yield from _check_schema(model, schema.entry_schema, f"an entry of {subject}")


def _check_key_schema(
    model: TopologyModel, keys: Schema, base: str | None, subject: str
) -> Iterator[Finding]:
    if base != "map":
        yield WRONG_SCHEMA.at(keys.place, f"{subject} is no map and cannot have a key_schema")
        return
    flat = model.types.find(TypeKind.DATA, keys.name)
    key_base = keys.name if flat is None else flat.primitive
    if key_base != "string" and (flat is not None or model.types.is_primitive(keys.name)):
        yield WRONG_SCHEMA.at(keys.place, f"the keys of {subject} must be text, not {keys.name}")


def _data_type(model: TopologyModel, type_: TypeDefinition) -> Iterator[Finding]:
    flat = model.types.find(TypeKind.DATA, type_.name)
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
        yield from _check_key_schema(model, type_.key_schema, flat.primitive, f"data type {type_.name!r}")


WRONG_SCALAR: Final = tosca_rule(
    code="TOSCA:E037",
    title="a scalar type that cannot be used",
    why="A scalar type derives from scalar, has units with numbers as multipliers, one of them 1, and says which unit is the canonical "
    "one when several could be. Its data type is integer, float or derived from one of them.",
)


def check_scalar_types(model: TopologyModel) -> Iterator[Finding]:
    """Check the units, prefixes and canonical unit of each type that derives from `scalar`."""
    for type_ in model.topology.types[TypeKind.DATA].values():
        flat = model.types.find(TypeKind.DATA, type_.name)
        if flat is None or not type_.origin.second:
            continue
        if flat.primitive != "scalar":
            if type_.scalar is not None and model.topology.complete and flat.is_whole:
                message = f"data type {type_.name!r} has units but does not derive from scalar"
                yield WRONG_SCALAR.at(type_.place, message, hint="add 'derived_from: scalar'")
        else:
            yield from _check_scalar(model, type_, flat)


def _check_scalar(model: TopologyModel, type_: TypeDefinition, flat: FlatType) -> Iterator[Finding]:
    subject = f"data type {type_.name!r}"
    units = flat.scalar
    assert units is not None
    if not flat.is_whole:
        return
    if type_.properties:
        yield WRONG_SCALAR.at(type_.place, f"{subject} is a scalar and cannot have properties")
    definition = type_.scalar or ScalarDefinition()
    wrong = [
        *_check_multipliers(definition.units, subject),
        *_check_multipliers(definition.prefixes, subject),
    ]
    wrong += [*_unit_names(type_, flat, definition, subject)]
    yield from wrong
    if wrong:
        return
    if not units.units:
        yield WRONG_SCALAR.at(
            type_.place, f"{subject} has no units", hint="add 'units:', as {g: 1, kg: 1000}"
        )
        return
    yield from _check_scalar_data_type(model, type_, flat, definition)
    if 1 not in units.units.values():
        yield WRONG_SCALAR.at(type_.place, f"{subject} has no unit with the multiplier 1")
    elif units.prefixes and 1 not in units.prefixes.values():
        hint = "add '\"\": 1' to allow the unit without a prefix"
        yield WRONG_SCALAR.at(type_.place, f"{subject} has no prefix with the multiplier 1", hint=hint)
    else:
        yield from _check_canonical_unit(type_, flat)
    yield from _check_multiplier_values(model, definition, subject)


def _unit_names(
    type_: TypeDefinition, flat: FlatType, definition: ScalarDefinition, subject: str
) -> Iterator[Finding]:
    """Check that a unit is one word and keeps the multiplier of the parent types."""
    for word, written, tables in (
        ("unit", definition.units, [above.scalar.units for above in flat.chain[1:] if above.scalar]),
        ("prefix", definition.prefixes, [above.scalar.prefixes for above in flat.chain[1:] if above.scalar]),
    ):
        data: Any = None if written is None else written.data
        inherited = [table.data for table in tables if table is not None and isinstance(table.data, dict)]
        for name, size in data.items() if isinstance(data, dict) else ():
            if any(character.isspace() for character in str(name or "")):
                yield WRONG_SCALAR.at(type_.place, f"the {word} {name!r} of {subject} has a space in it")
            if any(above.get(name, size) != size for above in inherited):
                message = f"the {word} {name!r} of {subject} has another multiplier than the one it inherits"
                yield WRONG_SCALAR.at(type_.place, message)


def _check_multipliers(written: SourceValue | None, subject: str) -> Iterator[Finding]:
    data: Any = {} if written is None else written.data
    for name, size in data.items() if isinstance(data, dict) else ():
        if not is_number(size):
            assert written is not None
            yield WRONG_SCALAR.at(
                written.place, f"the multiplier of {name!r} in {subject} must be a number, not {size!r}"
            )


def _check_scalar_data_type(
    model: TopologyModel, type_: TypeDefinition, flat: FlatType, definition: ScalarDefinition
) -> Iterator[Finding]:
    schema = definition.data_type
    if schema is None:
        return
    base = _find_primitive(model, schema)
    if base is not None and base not in ("integer", "float"):
        message = f"the data type of {type_.name!r} must be integer or float, or derive from one of them"
        yield WRONG_SCALAR.at(schema.place, message)
    inherited = next(
        (above.scalar.data_type for above in flat.chain[1:] if above.scalar and above.scalar.data_type), None
    )
    is_derived = len(flat.chain) > 1
    before = "float" if inherited is None else inherited.name
    if is_derived and not _is_derived_from(model, schema.name, before):
        message = f"the data type of {type_.name!r} does not derive from {before!r}, which it inherits"
        yield WRONG_SCALAR.at(schema.place, message)


def _is_derived_from(model: TopologyModel, name: str, ancestor: str) -> bool:
    flat = model.types.find(TypeKind.DATA, name)
    return name == ancestor or (flat is not None and (ancestor in flat.names or flat.primitive == ancestor))


def _find_primitive(model: TopologyModel, schema: Schema) -> str | None:
    """Return the primitive type of a schema; None for an unknown type, reported elsewhere."""
    flat = model.types.find(TypeKind.DATA, schema.name)
    if flat is not None:
        return flat.primitive or "map"
    return schema.name if model.types.is_primitive(schema.name) else None


def _check_canonical_unit(type_: TypeDefinition, flat: FlatType) -> Iterator[Finding]:
    units = flat.scalar
    assert units is not None
    named = units.canonical_unit
    if named is None:
        ones = [unit for unit, size in units.multipliers.items() if size == 1]
        if len(ones) > 1:
            message = f"data type {type_.name!r} has several units with the multiplier 1: {', '.join(ones)}"
            yield WRONG_SCALAR.at(type_.place, message, hint=f"add 'canonical_unit: {ones[0]}'")
        return
    written = type_.scalar.canonical_unit if type_.scalar is not None else None
    place = type_.place if written is None else written.place
    if named not in units.multipliers:
        hint = did_you_mean(named, units.multipliers)
        message = f"the canonical unit {named!r} is none of the units of {type_.name!r}"
        yield WRONG_SCALAR.at(place, message, hint=hint)
    elif units.multipliers[named] != 1:
        message = f"the canonical unit {named!r} of {type_.name!r} must have the multiplier 1"
        yield WRONG_SCALAR.at(place, message)


def _check_multiplier_values(
    model: TopologyModel, definition: ScalarDefinition, subject: str
) -> Iterator[Finding]:
    """Check multipliers against the data type, which must allow them as values."""
    schema = definition.data_type
    if schema is None or _find_primitive(model, schema) not in ("integer", "float"):
        return
    check = model.values.check(schema)
    for written in filter(None, (definition.units, definition.prefixes)):
        data: Any = written.data
        for name, size in data.items() if isinstance(data, dict) else ():
            number = int(size) if float(size).is_integer() else size
            for misfit in check(number):
                message = f"the multiplier of {name!r} in {subject}: {misfit.message}"
                yield WRONG_SCALAR.at(written.place, message)
