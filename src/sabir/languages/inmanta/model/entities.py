"""Entities and their properties, resolved: what an evaluator needs to know about a type."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from sabir.languages.inmanta.model.types import ValueType
from sabir.languages.inmanta.syntax import nodes
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.syntax.project import Namespace

__all__ = ["NO_DEFAULT", "EntityType", "ImplementDef", "ImplementationDef", "IndexDef", "Property"]

NO_DEFAULT: Final = object()


class Property(Struct, eq=False):
    """An attribute (`type` is set) or one end of a relation (`target` is set) of an entity."""

    name: str
    entity: EntityType
    place: Place
    type: ValueType | None = None
    nullable: bool = False
    default: object = NO_DEFAULT
    undef: bool = False
    target: EntityType | None = None
    low: int = 0
    high: int | None = None
    reverse: Property | None = None
    annotations: tuple[nodes.Expression, ...] = ()
    hidden: bool = False
    """Whether some entity below has an attribute of this name instead."""

    @property
    def is_relation(self) -> bool:
        return self.target is not None

    @property
    def is_list(self) -> bool:
        """A relation that can hold more than one instance."""
        return self.target is not None and self.high != 1

    @property
    def is_optional(self) -> bool:
        """May stay without a value: null then."""
        return self.nullable if self.target is None else self.low == 0 and self.high == 1

    @property
    def full_name(self) -> str:
        return f"{self.entity.shown}.{self.name}"

    def multiplicity(self) -> str:
        if self.low == self.high:
            return f"[{self.low}]"
        return f"[{self.low}:{'' if self.high is None else self.high}]"


class IndexDef(Struct, eq=False):
    entity: EntityType
    attributes: tuple[str, ...]
    place: Place


class ImplementationDef(Struct, eq=False):
    name: str
    namespace: Namespace
    node: nodes.Implementation
    entity: EntityType
    place: Place


class ImplementDef(Struct, eq=False):
    namespace: Namespace
    node: nodes.Implement
    implementations: tuple[ImplementationDef, ...]
    parents: bool
    place: Place


class EntityType(Struct, eq=False, dict=True):
    """An entity. `properties` are its own; `all_properties` has the inherited ones too, parents first."""

    name: str
    namespace: Namespace
    place: Place
    node: nodes.Entity
    parents: list[EntityType] = []
    children: list[EntityType] = []
    properties: dict[str, Property] = {}
    own_indexes: list[IndexDef] = []
    implements: list[ImplementDef] = []
    is_incomplete: bool = False
    """Whether a parent that it names does not exist."""
    objects: dict[Any, Any] = {}
    """Of a data class: the Python objects of its instances, by instance, as far as somebody asked for them."""
    by_object: dict[int, Any] = {}
    """The same the other way, by the identity of the object."""
    python_view: Any = None
    """What Python of modules sees of it."""
    on_read: Callable[[Any, str], None] | None = None
    """Told of every property that Python (a plug-in, a template, a resource) reads of an instance."""

    @property
    def shown(self) -> str:
        """The name as users write it in their own main file."""
        return self.name.removeprefix("__config__::")

    @cached_property
    def ancestors(self) -> tuple[EntityType, ...]:
        """The entity itself and all above it, each once, left parents first."""
        entities: dict[EntityType, None] = {self: None}
        for parent in self.parents:
            for ancestor in parent.ancestors:
                entities.setdefault(ancestor, None)
        return tuple(entities)

    @cached_property
    def descendants(self) -> tuple[EntityType, ...]:
        """All that inherit from it, each once."""
        entities: dict[EntityType, None] = {}
        todo = [*self.children]
        while todo:
            entity = todo.pop()
            if entity not in entities:
                entities[entity] = None
                todo += entity.children
        return tuple(entities)

    @cached_property
    def lacks_parents(self) -> bool:
        """Whether what it inherits is not all there, so that nothing can be said about what it does not have."""
        return any(entity.is_incomplete for entity in self.ancestors)

    @cached_property
    def ancestor_set(self) -> frozenset[EntityType]:
        return frozenset(self.ancestors)

    @cached_property
    def all_properties(self) -> dict[str, Property]:
        inherited: dict[str, Property] = {}
        for parent in self.parents:
            for name, prop in parent.all_properties.items():
                inherited.setdefault(name, prop)
        return inherited | self.properties

    @cached_property
    def property_names(self) -> frozenset[str]:
        """To look for near names in."""
        return frozenset(self.all_properties)

    @cached_property
    def slots(self) -> dict[str, int]:
        """Where an instance keeps each property."""
        return {name: position for position, name in enumerate(self.all_properties)}

    @cached_property
    def by_slot(self) -> tuple[Property, ...]:
        return tuple(self.all_properties.values())

    @cached_property
    def defaults(self) -> dict[str, object]:
        """Default values: own ones before those of the parents, the left parent first; `undef` removes one."""
        defaults: dict[str, object] = {}
        removed: set[str] = set()
        for prop in self.properties.values():
            if prop.undef:
                removed.add(prop.name)
            elif prop.default is not NO_DEFAULT:
                defaults[prop.name] = prop.default
        for parent in self.parents:
            for name, value in parent.defaults.items():
                if name not in removed:
                    defaults.setdefault(name, value)
            removed |= {name for name in parent.removed_defaults if name not in defaults}
        return defaults

    @cached_property
    def removed_defaults(self) -> frozenset[str]:
        """The properties whose default is `undef`, here or in a parent whose word holds here."""
        removed = {name for parent in self.parents for name in parent.removed_defaults}
        for name, prop in self.properties.items():
            if prop.undef:
                removed.add(name)
            elif prop.default is not NO_DEFAULT:
                removed.discard(name)
        return frozenset(removed)

    def default_place(self, name: str) -> Place | None:
        """Where the default of an attribute is written."""
        prop = self.properties.get(name)
        if prop is not None and prop.default is not NO_DEFAULT:
            return prop.place
        for parent in self.parents:
            if name in parent.defaults:
                return parent.default_place(name)
        return None

    @cached_property
    def indexes(self) -> tuple[IndexDef, ...]:
        """All indexes, inherited ones included."""
        indexes: dict[tuple[EntityType, tuple[str, ...]], IndexDef] = {}
        for entity in self.ancestors:
            for index in entity.own_indexes:
                indexes.setdefault((entity, tuple(sorted(index.attributes))), index)
        return tuple(indexes.values())

    @cached_property
    def selected(self) -> tuple[tuple[ImplementDef, EntityType], ...]:
        """The implement statements that hold for an instance: own ones, and those of direct parents when asked for."""
        selected: dict[ImplementDef, EntityType] = {}
        for implement in self.implements:
            selected.setdefault(implement, self)
            if implement.parents:
                for parent in self.parents:
                    for inherited, entity in parent.selected:
                        selected.setdefault(inherited, entity)
        return tuple(selected.items())

    def __repr__(self) -> str:
        return f"<entity {self.name}>"
