"""Types with everything they inherit, flattened once and shared by all templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final, TypeVar

from msgspec import Struct

from sabir.languages.tosca.library import find_shipped, list_shipped_names
from sabir.languages.tosca.model.scalars import ScalarUnits, scalar_units
from sabir.languages.tosca.syntax.nodes import (
    ArtifactDefinition,
    CapabilityDefinition,
    Constraint,
    InterfaceDefinition,
    PropertyDefinition,
    RequirementDefinition,
    Schema,
    Topology,
    TypeDefinition,
)
from sabir.languages.tosca.syntax.schemas import PRIMITIVES
from sabir.languages.tosca.syntax.scopes import TypeKind

DEEPEST_TYPE: Final = 200
"""A type has no more ancestors: each of them costs every heir something, which nobody but an attacker asks for."""


class FlatType(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """A type and what its ancestors give it; `names` are its own and theirs, nearest first."""

    definition: TypeDefinition
    names: tuple[str, ...]
    properties: Mapping[str, PropertyDefinition]
    attributes: Mapping[str, PropertyDefinition]
    capabilities: Mapping[str, CapabilityDefinition]
    requirements: Mapping[str, RequirementDefinition]
    interfaces: Mapping[str, InterfaceDefinition]
    artifacts: Mapping[str, ArtifactDefinition]
    constraints: tuple[Constraint, ...]
    valid_target_types: tuple[str, ...]
    valid_source_types: tuple[str, ...]
    members: tuple[str, ...]
    targets: tuple[str, ...]
    primitive: str | None
    """Of a data type: the primitive type it derives from."""
    schema: Schema | None
    key_schema: Schema | None
    chain: tuple[TypeDefinition, ...]
    """The type and its ancestors, nearest first."""
    scalar: ScalarUnits | None = None
    """Of a data type that derives from `scalar`."""
    is_whole: bool = True
    """False when a parent is not there, or a key is misspelt: then what seems to be missing may well be meant to be there."""

    @property
    def name(self) -> str:
        return self.definition.name

    def is_a(self, name: str) -> bool:
        return name in self.names

    @property
    def is_open(self) -> bool:
        """Whether there may be properties that are not declared."""
        return any(definition.is_open for definition in self.chain)

    @cached_property
    def is_implemented(self) -> bool:
        """Whether it, or a type that it derives from, says what carries out an operation, or listens to something."""
        return any(
            interface.notifications
            or any(operation.implementation is not None for operation in interface.operations.values())
            for definition in self.chain
            for interface in definition.interfaces.values()
        )


class TypeTable:
    """The types of a topology and those that are shipped, found by name and flattened when first needed."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.cycles: list[TypeDefinition] = []
        self.too_deep: TypeDefinition | None = None
        """The first type that has more ancestors than it may."""
        self._flat: dict[tuple[TypeKind, str], FlatType | None] = {}
        self._names: dict[TypeKind, frozenset[str]] = {}
        self._qualified: dict[TypeKind, dict[str, str]] = {}
        self._derives: dict[tuple[TypeKind, str, str], bool] = {}

    def definition(self, kind: TypeKind, name: str) -> TypeDefinition | None:
        declared = self.topology.types[kind].get(name)
        if declared is not None:
            return declared
        for profile in self.topology.profiles or ():
            shipped = find_shipped(profile, kind, name)
            if shipped is not None:
                return shipped
        if name.startswith(("tosca.", "tosca:")):
            # Full normative names are understood everywhere: 2.0 files that use them import a profile of their own.
            return find_shipped("simple", kind, name)
        return None

    def is_primitive(self, name: str) -> bool:
        """Whether a name is one of TOSCA's own types, which no file of the topology defines anew."""
        return name in PRIMITIVES and name not in self.topology.types[TypeKind.DATA]

    def find(self, kind: TypeKind, name: str) -> FlatType | None:
        key = (kind, name)
        if key not in self._flat:
            self._flat[key] = self._flatten(kind, name)
        return self._flat[key]

    def names(self, kind: TypeKind) -> frozenset[str]:
        if kind not in self._names:
            shipped = (list_shipped_names(profile, kind) for profile in self.topology.profiles)
            self._names[kind] = frozenset(self.topology.types[kind]).union(*shipped)
        return self._names[kind]

    def find_qualified_name(self, kind: TypeKind, name: str) -> str | None:
        """The name with its namespace of a type that is called without."""
        if kind not in self._qualified:
            self._qualified[kind] = {full.rpartition(":")[2]: full for full in self.topology.types[kind]}
        full = self._qualified[kind].get(name)
        return None if full is None or ":" not in full else full

    def is_a(self, kind: TypeKind, name: str, ancestor: str) -> bool:
        """Whether a type is another or derives from it; shorthand names count as the full ones."""
        if name == ancestor:
            return True
        key = (kind, name, ancestor)
        derives = self._derives.get(key)
        if derives is None:
            derives = self._derives[key] = self._derives_from(kind, name, ancestor)
        return derives

    def _derives_from(self, kind: TypeKind, name: str, ancestor: str) -> bool:
        flat = self.find(kind, name)
        if flat is None:
            return False
        if ancestor in flat.names:
            return True
        definition = self.definition(kind, ancestor)
        return definition is not None and definition.name in flat.names

    def scalar_units(self) -> list[Mapping[str, float]]:
        """The units of every scalar type of the topology, with their sizes."""
        flats = (self.find(TypeKind.DATA, name) for name in self.topology.types[TypeKind.DATA])
        return [flat.scalar.multipliers for flat in flats if flat is not None and flat.scalar is not None]

    def may_be(self, name: str, other: str) -> bool:
        """Whether a value may be of both of two data types: one of them derives from the other, or is not known."""
        if any(
            self.find(TypeKind.DATA, each) is None and not self.is_primitive(each) for each in (name, other)
        ):
            return True  # one that is not there is said to be so elsewhere
        return any(self._is_data(*pair) for pair in ((name, other), (other, name)))

    def _is_data(self, name: str, ancestor: str) -> bool:
        flat = self.find(TypeKind.DATA, name)
        return self.is_a(TypeKind.DATA, name, ancestor) or (flat is not None and flat.primitive == ancestor)

    def _chain(self, kind: TypeKind, name: str) -> tuple[list[TypeDefinition], str | None]:
        """The type and its ancestors, nearest first, and the primitive that a data type ends in."""
        chain: list[TypeDefinition] = []
        seen: set[int] = set()
        here: str | None = name
        while here is not None:
            if kind is TypeKind.DATA and here in PRIMITIVES and here not in self.topology.types[kind]:
                return chain, here
            definition = self.definition(kind, here)
            if definition is None:
                break
            if id(definition) in seen:
                # `x: {derived_from: x}` refines the shipped type of that name; anything else goes round.
                shipped = find_shipped("simple", kind, here)
                if shipped is None or id(shipped) in seen:
                    self.cycles.append(definition)
                    break
                definition = shipped
            if len(chain) > DEEPEST_TYPE:
                self.too_deep = self.too_deep or chain[0]
                break
            seen.add(id(definition))
            chain.append(definition)
            here = definition.derived_from
        return chain, None

    def _is_whole(self, chain: list[TypeDefinition], primitive: str | None) -> bool:
        last = chain[-1]
        ends = (
            primitive is not None
            or last.derived_from is None
            or (len(chain) > 1 and last.name == last.derived_from)
        )
        is_there = ends or self.definition(last.kind, last.derived_from or "") is not None
        return is_there and not any(definition.loses for definition in chain)

    def _flatten(self, kind: TypeKind, name: str) -> FlatType | None:
        chain, primitive = self._chain(kind, name)
        if not chain:
            return None
        nearest = chain[0]
        requirements: dict[str, RequirementDefinition] = {}
        capabilities: dict[str, CapabilityDefinition] = {}
        for definition in reversed(chain):
            for requirement in definition.requirements:
                requirements[requirement.name] = _refine_requirement(
                    requirements.get(requirement.name), requirement
                )
            for capability in definition.capabilities.values():
                capabilities[capability.name] = _refine_capability(
                    capabilities.get(capability.name), capability
                )
        return FlatType(
            definition=nearest,
            names=tuple(dict.fromkeys(definition.name for definition in chain)),
            properties=merge_properties(definition.properties for definition in reversed(chain)),
            attributes=merge_properties(definition.attributes for definition in reversed(chain)),
            # The own ones first, then those of the types above, as the existing tools list them.
            capabilities={
                name: capabilities[name] for definition in chain for name in definition.capabilities
            },
            requirements=requirements,
            interfaces=_merge_tables(definition.interfaces for definition in reversed(chain)),
            artifacts=_merge_tables(definition.artifacts for definition in reversed(chain)),
            constraints=tuple(constraint for definition in chain for constraint in definition.constraints),
            valid_target_types=next(
                (definition.valid_target_types for definition in chain if definition.valid_target_types), ()
            ),
            valid_source_types=next(
                (definition.valid_source_types for definition in chain if definition.valid_source_types), ()
            ),
            members=next((definition.members for definition in chain if definition.members), ()),
            targets=next((definition.targets for definition in chain if definition.targets), ()),
            primitive=primitive,
            schema=_over_schemas(definition.schema for definition in reversed(chain)),
            key_schema=_over_schemas(definition.key_schema for definition in reversed(chain)),
            chain=tuple(chain),
            scalar=scalar_units(chain) if primitive == "scalar" else None,
            is_whole=self._is_whole(chain, primitive),
        )


T = TypeVar("T")


def _merge_tables(tables: Iterable[Mapping[str, T]]) -> dict[str, T]:
    merged: dict[str, T] = {}
    for table in tables:
        merged.update(table)
    return merged


def merge_properties(tables: Iterable[Mapping[str, PropertyDefinition]]) -> dict[str, PropertyDefinition]:
    """A derived type may refine a definition without saying its type again, or only give a value."""
    merged: dict[str, PropertyDefinition] = {}
    for table in tables:
        for name, new in table.items():
            old = merged.get(name)
            # Before 2.0 a definition with a type is one of its own.
            is_whole = old is None or (new.schema is not None and not new.origin.second)
            merged[name] = new if old is None or is_whole else _refine_property(old, new)
    return merged


def _refine_property(old: PropertyDefinition, new: PropertyDefinition) -> PropertyDefinition:
    required = old.required and new.required
    if new.origin.second:
        required = new.required if new.says_required else old.required
    return PropertyDefinition(
        name=new.name,
        span=new.span,
        origin=new.origin,
        schema=_refine_schema(old.schema, new.schema or new.refined_schema),
        required=required,
        default=new.default or old.default,
        value=new.value or old.value,
        metadata={**old.metadata, **new.metadata},
        is_attribute=new.is_attribute,
    )


def _over_schemas(schemas: Iterable[Schema | None]) -> Schema | None:
    """Of a type that is a list or a map: what it and its ancestors, farthest first, say of entries or keys."""
    merged: Schema | None = None
    for schema in schemas:
        merged = _refine_schema(merged, schema)
    return merged


def _refine_schema(old: Schema | None, new: Schema | None) -> Schema | None:
    """A new validation does not take the place of the old one: a value has to pass both."""
    if old is None or new is None:
        return new or old
    return Schema(
        name=new.name or old.name,
        span=new.span,
        origin=new.origin,
        constraints=(*old.constraints, *new.constraints),
        entry_schema=_refine_schema(old.entry_schema, new.entry_schema),
        key_schema=_refine_schema(old.key_schema, new.key_schema),
    )


def _refine_capability(old: CapabilityDefinition | None, new: CapabilityDefinition) -> CapabilityDefinition:
    if old is None:
        return new
    return CapabilityDefinition(
        name=new.name,
        span=new.span,
        origin=new.origin,
        type=new.type or old.type,
        valid_source_types=new.valid_source_types or (() if new.type != old.type else old.valid_source_types),
        valid_relationship_types=new.valid_relationship_types or old.valid_relationship_types,
        occurrences=new.occurrences or old.occurrences,
        properties=merge_properties([old.properties, new.properties]),
        attributes=merge_properties([old.attributes, new.attributes]),
    )


def _refine_requirement(
    old: RequirementDefinition | None, new: RequirementDefinition
) -> RequirementDefinition:
    if old is None:
        return new
    return RequirementDefinition(
        name=new.name,
        span=new.span,
        origin=new.origin,
        capability=new.capability or old.capability,
        node=new.node or old.node,
        relationship=new.relationship or old.relationship,
        occurrences=old.occurrences if new.origin.second and not new.says_occurrences else new.occurrences,
        says_occurrences=new.says_occurrences or old.says_occurrences,
        node_filter=new.node_filter or old.node_filter,
        refinement=new.refinement or old.refinement,
    )
