"""`inmanta.ast.entity` and `inmanta.ast.attribute`: entities and attributes for Python of modules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sabir.languages.inmanta.evaluate.plugins.engine.faults import RuntimeException
from sabir.languages.inmanta.model.entities import EntityType, Property

if TYPE_CHECKING:
    from sabir.languages.inmanta.model.types import ValueType

__all__ = ["Attribute", "AttributeType", "Entity", "JSONSerializable", "RelationAttribute", "entity_view"]


def entity_view(entity: EntityType) -> Entity:
    """Return the view of an entity. Each entity has one, so that views compare by identity."""
    view: Entity | None = entity.python_view
    if view is None:
        view = entity.python_view = Entity(entity)
    return view


class Entity:
    """An entity type."""

    def __init__(self, entity: EntityType) -> None:
        self._entity = entity
        self.instances: list[Any] = []
        """Views of all that there are, once the model is exported; while it is evaluated nobody knows them all."""

    @property
    def name(self) -> str:
        return self._entity.name.rpartition("::")[2]

    def get_name(self) -> str:
        return self.name

    def get_full_name(self) -> str:
        return self._entity.name

    type_string = type_string_internal = get_full_name

    @property
    def attributes(self) -> dict[str, Attribute]:
        """The entity's own attributes, without those of its parents."""
        return {name: attribute_view(prop) for name, prop in self._entity.properties.items()}

    def get_attributes(self) -> dict[str, Attribute]:
        return self.attributes

    def get_attribute(self, name: str) -> Attribute | None:
        prop = self._entity.all_properties.get(name)
        return None if prop is None else attribute_view(prop)

    def has_attribute(self, attribute: str) -> bool:
        return attribute in self._entity.all_properties

    def get_all_attribute_names(self) -> list[str]:
        return list(self._entity.all_properties)

    @property
    def parent_entities(self) -> list[Entity]:
        return _entity_views(self._entity.parents)

    @property
    def child_entities(self) -> list[Entity]:
        return _entity_views(self._entity.children)

    def get_all_parent_names(self) -> list[str]:
        return [ancestor.name for ancestor in self._entity.ancestors[1:]]

    def get_all_parent_entities(self) -> set[Entity]:
        return set(_entity_views(self._entity.ancestors[1:]))

    def get_all_child_entities(self) -> set[Entity]:
        below = _entity_views(self._entity.children)
        return {*below, *(inner for child in below for inner in child.get_all_child_entities())}

    def is_parent(self, parent_candidate: Entity) -> bool:
        return parent_candidate._entity in self._entity.ancestors[1:]

    def is_subclass(self, superclass_candidate: Entity, *, strict: bool = True) -> bool:
        return self.is_parent(superclass_candidate) or (not strict and superclass_candidate is self)

    def get_indices(self) -> list[list[str]]:
        return [sorted(index.attributes) for index in self._entity.indexes]

    def get_default_values(self) -> dict[str, Any]:
        return dict(self._entity.defaults)

    def get_all_instances(self) -> list[Any]:
        """Return views of all instances, including those of child entities."""
        return list(self.instances)

    def validate(self, value: Any) -> bool:
        """Return whether a value is an instance of the entity; an unknown value may be one."""
        entity = getattr(value, "entity", None)
        if entity is None or self._entity not in entity.ancestor_set:
            raise RuntimeException(None, f"Invalid value '{value}', expected {self._entity.name}")
        return True

    def __str__(self) -> str:
        return self._entity.name

    def __repr__(self) -> str:
        return f"Entity({self._entity.name})"


def _entity_views(entities: Iterable[EntityType]) -> list[Entity]:
    return [entity_view(entity) for entity in entities]


class AttributeType:
    """The type of an attribute: its name, and a test of values."""

    def __init__(self, type_: ValueType | Entity) -> None:
        self._type = type_

    def type_string(self) -> str:
        return self._type.type_string() if isinstance(self._type, Entity) else self._type.name

    type_string_internal = type_string

    def __str__(self) -> str:
        return self.type_string()


class Attribute:
    """An attribute of an entity."""

    end: Attribute | None = None

    def __init__(self, prop: Property) -> None:
        self._property = prop

    @property
    def name(self) -> str:
        return self._property.name

    def get_name(self) -> str:
        return self._property.name

    @property
    def entity(self) -> Entity:
        return entity_view(self._property.entity)

    def get_entity(self) -> Entity:
        return self.entity

    @property
    def type(self) -> Any:
        prop = self._property
        if prop.target is not None:
            return entity_view(prop.target)
        assert prop.type is not None
        return AttributeType(prop.type)

    def get_type(self) -> Any:
        return self.type

    def is_optional(self) -> bool:
        return self._property.nullable

    def is_multi(self) -> bool:
        prop = self._property
        return prop.type is not None and prop.type.name.rstrip("?").endswith("[]")

    def __str__(self) -> str:
        return self._property.name


class RelationAttribute(Attribute):
    """One end of a relation; `end` is the other end, if it has a name."""

    @property
    def end(self) -> Attribute | None:  # type: ignore[override]  # of a relation it is computed
        reverse = self._property.reverse
        return None if reverse is None else attribute_view(reverse)

    @property
    def low(self) -> int:
        return self._property.low

    @property
    def high(self) -> int | None:
        return self._property.high

    def is_optional(self) -> bool:
        return self._property.low == 0

    def is_multi(self) -> bool:
        return self._property.high != 1

    def __str__(self) -> str:
        return f"{self._property.entity.name}.{self._property.name}"


def attribute_view(prop: Property) -> Attribute:
    """Return the view of an attribute or of a relation."""
    return RelationAttribute(prop) if prop.is_relation else Attribute(prop)


class JSONSerializable:
    """A value that defines its own JSON form."""

    def json_serialization_step(self) -> Any:
        raise NotImplementedError
