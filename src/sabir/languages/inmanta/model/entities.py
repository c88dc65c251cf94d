"""Resolved entities and their properties, and the rules of inheritance.

Inheritance has no cycles, and an attribute has one meaning across all parents.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding, RelatedLocation
from sabir.languages.inmanta.model.types import ValueType
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.languages.inmanta.syntax.project import DUPLICATE
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.syntax.project import Namespace


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
        """Whether the relation can hold more than one instance."""
        return self.target is not None and self.high != 1

    @property
    def is_optional(self) -> bool:
        """Whether it may stay unset, and is null then."""
        return self.nullable if self.target is None else self.low == 0 and self.high == 1

    @property
    def full_name(self) -> str:
        return f"{self.entity.shown}.{self.name}"

    def multiplicity(self) -> str:
        if self.low == self.high:
            return f"[{self.low}]"
        return f"[{self.low}:{'' if self.high is None else self.high}]"


class IndexDef(Struct, eq=False):
    """An index: the attributes whose values identify an instance of the entity."""

    entity: EntityType
    attributes: tuple[str, ...]
    place: Place


class ImplementationDef(Struct, eq=False):
    """A named implementation, with the entity it was written for."""

    name: str
    namespace: Namespace
    node: nodes.Implementation
    entity: EntityType
    place: Place


class ImplementDef(Struct, eq=False):
    """An implement statement; `parents` is set if it selects the implementations of the parents."""

    namespace: Namespace
    node: nodes.Implement
    implementations: tuple[ImplementationDef, ...]
    parents: bool
    place: Place


class EntityType(Struct, eq=False, dict=True):
    """An entity. `properties` are its own; `all_properties` includes inherited ones, parents first."""

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
        """The name as users write it in their main file."""
        return self.name.removeprefix("__config__::")

    @cached_property
    def ancestors(self) -> tuple[EntityType, ...]:
        """The entity itself and all its ancestors, each once, left parents first."""
        entities: dict[EntityType, None] = {self: None}
        for parent in self.parents:
            for ancestor in parent.ancestors:
                entities.setdefault(ancestor, None)
        return tuple(entities)

    @cached_property
    def descendants(self) -> tuple[EntityType, ...]:
        """All entities that inherit from it, each once."""
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
        """Whether a parent is missing, so that a missing property is not certain."""
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
        """The names of all properties, for suggestions."""
        return frozenset(self.all_properties)

    @cached_property
    def slots(self) -> dict[str, int]:
        """The slot of each property in an instance."""
        return {name: position for position, name in enumerate(self.all_properties)}

    @cached_property
    def by_slot(self) -> tuple[Property, ...]:
        return tuple(self.all_properties.values())

    @cached_property
    def defaults(self) -> dict[str, object]:
        """Default values: its own before those of the parents, left parent first; `undef` removes one."""
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
        """The properties whose default is `undef`, here or in the parent that decides."""
        removed = {name for parent in self.parents for name in parent.removed_defaults}
        for name, prop in self.properties.items():
            if prop.undef:
                removed.add(name)
            elif prop.default is not NO_DEFAULT:
                removed.discard(name)
        return frozenset(removed)

    def default_place(self, name: str) -> Place | None:
        """Return where the default of an attribute is written."""
        prop = self.properties.get(name)
        if prop is not None and prop.default is not NO_DEFAULT:
            return prop.place
        for parent in self.parents:
            if name in parent.defaults:
                return parent.default_place(name)
        return None

    @cached_property
    def indexes(self) -> tuple[IndexDef, ...]:
        """All indexes, including inherited ones."""
        indexes: dict[tuple[EntityType, tuple[str, ...]], IndexDef] = {}
        for entity in self.ancestors:
            for index in entity.own_indexes:
                indexes.setdefault((entity, tuple(sorted(index.attributes))), index)
        return tuple(indexes.values())

    @cached_property
    def selected(self) -> tuple[tuple[ImplementDef, EntityType], ...]:
        """The implement statements that apply: its own, and those of direct parents with `parents`."""
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


_DEEPEST: Final = 200
"""Levels of parents: an entity has the attributes of all of them, which nobody but an attacker asks so much of."""
TYPE_CYCLE: Final = inmanta_rule(
    "INM:E005",
    "a type is made from itself, or from too many",
    "An entity cannot be its own ancestor, a typedef not its own base. "
    f"Nor can entities extend one another through more than {_DEEPEST} levels.",
)
HIDES: Final = inmanta_rule(
    "INM:W006",
    "an attribute hides a relation of std::Entity",
    "Every entity has the relations `requires` and `provides`. An attribute of such a name takes their place, and "
    "resources of the entity cannot be ordered by it.",
)


def break_cycles(entities: Collection[EntityType]) -> list[Finding]:
    """Remove parents that form a cycle or exceed the depth limit, and register children with their parents.

    This does not recurse: the model is untrusted input, and chains may be long.
    """
    findings: list[Finding] = []
    levels: dict[EntityType, int] = {}
    """Of the entities that were looked at, with all of their ancestors."""
    deep: list[EntityType] = []
    for first in entities:
        path: list[EntityType] = []
        on_path: set[EntityType] = set()
        stack: list[tuple[EntityType, int]] = [(first, 0)]
        while stack:
            entity, at = stack.pop()
            if at == 0:
                if entity in levels:
                    continue
                path.append(entity)
                on_path.add(entity)
            if at < len(entity.parents):
                parent = entity.parents[at]
                if parent in on_path:
                    findings.append(_type_cycle(path[path.index(parent) :]))
                    entity.parents.pop(at)
                    stack.append((entity, at))
                else:
                    stack.append((entity, at + 1))
                    if parent not in levels:
                        stack.append((parent, 0))
            else:
                path.pop()
                on_path.discard(entity)
                levels[entity] = 1 + max((levels[parent] for parent in entity.parents), default=0)
                if levels[entity] > _DEEPEST:
                    deep.append(entity)
                    entity.parents.clear()
                    entity.is_incomplete = True
                    levels[entity] = 1
    for entity in entities:
        for parent in entity.parents:
            parent.children.append(entity)
    return [*findings, *map(_too_deep, deep[:1])]


def _type_cycle(cycle: list[EntityType]) -> Finding:
    names = " → ".join(entity.shown for entity in [*cycle, cycle[0]])
    others = (RelatedLocation(place=entity.place, message=f"{entity.shown} is here") for entity in cycle[1:])
    message = f"entity {cycle[0].shown!r} inherits from itself: {names}"
    return TYPE_CYCLE.at(cycle[0].place, message, related=tuple(others))


def _too_deep(entity: EntityType) -> Finding:
    message = f"entity {entity.shown!r} is more than {_DEEPEST} levels below the first that it inherits from"
    return TYPE_CYCLE.at(entity.place, message)


def check_overrides(entity: EntityType) -> Iterator[Finding]:
    """Report overridden attributes and relations; only a default can be (spec 002, "Entities")."""
    yield from _check_parents(entity)
    for name, prop in entity.properties.items():
        for parent in entity.parents:
            above = parent.all_properties.get(name)
            if above is None or above is prop or _same_type(above, prop):
                continue
            if above.entity.name == "std::Entity" and not prop.is_relation:
                yield _report_hidden(entity, prop, above)
                continue
            kind = "relation" if above.is_relation else "attribute"
            yield DUPLICATE.at(
                prop.place,
                f"{entity.shown!r} cannot override the {kind} {name!r} of {above.entity.shown!r}",
                hint="only the default of an attribute can be changed, with the same type",
                related=(RelatedLocation(place=above.place, message="inherited from here"),),
            )
            break


def _check_parents(entity: EntityType) -> Iterator[Finding]:
    """Report attributes of one name but different types in two parents.

    If a parent has a relation of that name, the first parent wins.
    """
    seen: dict[str, Property] = {}
    for parent in entity.parents:
        for name, prop in parent.all_properties.items():
            other = seen.setdefault(name, prop)
            if other is not prop and (other.is_relation or prop.is_relation):
                prop.hidden = prop.hidden or prop.is_relation
            elif other is not prop and not _same_type(other, prop) and name not in entity.properties:
                yield DUPLICATE.at(
                    entity.place,
                    f"{entity.shown!r} inherits {other.full_name} and {prop.full_name}, which are not the same",
                    related=(
                        RelatedLocation(place=other.place, message="one is here"),
                        RelatedLocation(place=prop.place, message="the other is here"),
                    ),
                )


def _same_type(first: Property, second: Property) -> bool:
    return first.type is not None and second.type is not None and first.type.name == second.type.name


def _report_hidden(entity: EntityType, prop: Property, above: Property) -> Finding:
    """Return the finding for a property that hides one of a parent.

    `std::Entity` is an implicit parent, and published modules have attributes called `requires`.
    """
    above.hidden = True
    return HIDES.at(
        prop.place,
        f"the attribute {prop.name!r} of {entity.shown!r} hides the relation of this name that every entity has",
        hint="what is deployed cannot be ordered by it; another name is better",
    )
