"""Dataclasses of modules: an entity below `std::Dataclass` has a Python class of the same name and fields.

A plug-in that asks for the class gets an object of it for an instance; an object that a plug-in answers becomes an instance.
"""

from __future__ import annotations

import sys
import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.plugins.declared import resolve_alias
from sabir.languages.inmanta.evaluate.sites import Site
from sabir.languages.inmanta.evaluate.values import EMPTY, Instance, property_of
from sabir.languages.inmanta.evaluate.views import inward, outward
from sabir.languages.inmanta.evaluate.writing import stop
from sabir.languages.inmanta.model.definitions import UNKNOWN_NAME, Definitions
from sabir.languages.inmanta.model.types import TYPE, shown_value
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import Compiler
    from sabir.languages.inmanta.model.entities import EntityType

__all__ = ["Objects", "as_object", "entity_of", "is_object", "wants_objects"]

_FIELDS: Final = "__dataclass_fields__"
_PLUGINS: Final = "inmanta_plugins"


def _is_class(value: object) -> bool:
    return isinstance(value, type) and hasattr(value, _FIELDS) and value.__module__.startswith(_PLUGINS)


def is_object(value: object) -> bool:
    return _is_class(type(value))


def wants_objects(annotation: Any) -> bool:
    """Whether an annotation names a class of a module, itself or inside."""
    annotation = resolve_alias(annotation)
    return _is_class(annotation) or any(map(wants_objects, typing.get_args(annotation)))


def entity_of(cls: type, definitions: Definitions) -> EntityType | None:
    """The entity that a class stands for: `inmanta_plugins.a.b` is the namespace `a::b`."""
    space = "::".join(cls.__module__.split(".")[1:])
    return definitions.entities.get(f"{space}::{cls.__name__}")


def as_object(value: Any) -> Any:
    """A value for a plug-in that asks for objects: instances of data classes, also in lists, as their objects."""
    if isinstance(value, Instance):
        cls = _class_of(value.entity)
        if cls is None:
            return outward(value)
        made = value.entity.objects.get(value)
        if made is None:
            fields = {name: as_object(property_of(value, name)) for name in getattr(cls, _FIELDS)}
            made = value.entity.objects[value] = cls(**fields)
            value.entity.by_object[id(made)] = value
        return made
    if isinstance(value, list):
        return [as_object(item) for item in value]
    return outward(value)


def _class_of(entity: EntityType) -> Callable[..., Any] | None:
    space, _, name = entity.name.rpartition("::")
    module = sys.modules.get(".".join([_PLUGINS, *space.split("::")]))
    cls = getattr(module, name, None)
    return cls if _is_class(cls) else None


class Objects:
    """Makes instances of objects, each once."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler

    def adopted(self, value: Any, place: Place) -> Any:
        """An answer of a plug-in, with instances for the objects in it."""
        if is_object(value):
            return self._instance(value, place)
        if isinstance(value, list | tuple):
            return [self.adopted(item, place) for item in value]
        return inward(value)

    def _instance(self, value: Any, place: Place) -> Instance:
        cls = type(value)
        entity = entity_of(cls, self.compiler.definitions)
        if entity is None:
            message = f"the plug-in answers an object of {cls.__module__}.{cls.__name__}, which no entity stands for"
            raise stop(
                UNKNOWN_NAME, message, place, hint="define an entity of this name that extends std::Dataclass"
            )
        before: Instance | None = entity.by_object.get(id(value))
        if before is not None:
            return before
        fields = {name: self.adopted(getattr(value, name), place) for name in getattr(cls, _FIELDS)}
        values = [entity.defaults.get(name, EMPTY) for name in entity.all_properties]
        for name, field in fields.items():
            prop = entity.all_properties.get(name)
            if prop is None or prop.type is None:
                raise stop(
                    UNKNOWN_NAME, f"{entity.shown!r} has no attribute {name!r}, as the object has", place
                )
            if not prop.type.accepts(field):
                raise stop(
                    TYPE, f"{entity.shown}.{name} is {prop.type.name}, and {shown_value(field)} is not", place
                )
            values[entity.slots[name]] = field
        instance = Instance(entity, values, Site(place, How.PLUGIN, None, frozenset(fields)), None)
        entity.objects[instance] = value
        entity.by_object[id(value)] = instance
        engine = self.compiler.engine
        engine.instances.append(instance)
        if len(engine.instances) > engine.most_instances:
            raise engine.exhausted()
        refine = self.compiler.refinements.refiner(entity)
        if refine is not None:
            refine(instance)
        return instance
