"""Dataclasses of modules, and the identity of resources.

An entity that extends `std::Dataclass` has a Python class of the same name and fields. A plugin that
declares the class gets an object of it for an instance. An object that a plugin returns becomes an
instance.

Which resources an instance is exported as, and their ids, is needed by the export and by models that
ask for facts.
"""

from __future__ import annotations

import sys
import typing
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sabir.graph.origin import How
from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.plugins.api import RegisteredResource
from sabir.languages.inmanta.evaluate.plugins.engine.exporting import Exporter
from sabir.languages.inmanta.evaluate.plugins.engine.references import Reference
from sabir.languages.inmanta.evaluate.plugins.engine.resources import Id, ResourceException
from sabir.languages.inmanta.evaluate.plugins.signature import resolve_alias
from sabir.languages.inmanta.evaluate.scopes import WriteSite
from sabir.languages.inmanta.evaluate.values import EMPTY, ModelInstance, property_of
from sabir.languages.inmanta.evaluate.views import (
    UnknownException,
    UnknownView,
    from_python,
    to_python,
    view_of,
)
from sabir.languages.inmanta.evaluate.writes import stop
from sabir.languages.inmanta.model.definitions import UNKNOWN_NAME, Definitions
from sabir.languages.inmanta.model.entities import EntityType
from sabir.languages.inmanta.model.types import TYPE, format_value
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import ModelCompiler


def classes_of(entity: EntityType, classes: Mapping[str, RegisteredResource]) -> list[RegisteredResource]:
    """Return the resource classes of an entity; one registered for several of its parents counts once."""
    by_class: dict[type, RegisteredResource] = {}
    for ancestor in entity.ancestors:
        registered = classes.get(ancestor.name) or classes.get(ancestor.shown)
        if registered is not None:
            by_class.setdefault(registered.cls, registered)
    return list(by_class.values())


def identity_of(instance: ModelInstance, registered: RegisteredResource, exporter: Exporter) -> Id | None:
    """Return the id of a resource, or None if a part of it is not known before deployment."""
    agent = _find_agent_name(instance, registered)
    value = field_value(instance, registered, exporter, registered.id_attribute)
    if isinstance(agent, Unknown) or isinstance(value, UnknownView):
        return None
    identity = Id(registered.entity, agent, registered.id_attribute, str(value))
    if "," in agent:
        raise ResourceException(f"the name of an agent may not hold a comma: {agent!r}")
    if "]" in str(value):
        raise ResourceException(
            f"Invalid id for resource {identity}: a value that identifies one may not hold ']'"
        )
    return identity


def _find_agent_name(instance: ModelInstance, registered: RegisteredResource) -> Any:
    value: Any = instance
    for name in registered.agent.split("."):
        there = isinstance(value, ModelInstance) and name in value.entity.slots
        held = property_of(value, name) if there else None
        if held is None:
            raise ResourceException(
                f"Unable to get the name of the agent: in the path {registered.agent}, {name!r} does not exist"
            )
        value = held
    if isinstance(value, Reference):
        raise ResourceException(
            "the agent of a resource cannot be a reference: it has to be known when it is exported"
        )
    if not isinstance(value, str | Unknown):
        raise ResourceException(
            f"The agent attribute should lead to a string, got {value} of type {type(value).__name__}"
        )
    return value


def field_value(
    instance: ModelInstance, registered: RegisteredResource, exporter: Exporter, name: str
) -> Any:
    """Return a field: the result of `get_<field>` or `map` of the class, or the attribute.

    The field is unknown if it is computed from an unknown value.
    """
    cls: Any = registered.cls
    view = view_of(instance)
    getter: Callable[..., Any] | None = getattr(cls, f"get_{name}", None) or cls.map.get(name)
    try:
        return getattr(view, name) if getter is None else getter(exporter, view)
    except UnknownException as reading:
        return reading.unknown


_FIELDS: Final = "__dataclass_fields__"
_PLUGINS: Final = "inmanta_plugins"


def _is_class(value: object) -> bool:
    return isinstance(value, type) and hasattr(value, _FIELDS) and value.__module__.startswith(_PLUGINS)


def is_object(value: object) -> bool:
    """Return whether a value is an object of a module's dataclass."""
    return _is_class(type(value))


def wants_objects(annotation: Any) -> bool:
    """Return whether an annotation names a dataclass of a module, itself or in a type argument."""
    annotation = resolve_alias(annotation)
    return _is_class(annotation) or any(map(wants_objects, typing.get_args(annotation)))


def entity_of(cls: type, definitions: Definitions) -> EntityType | None:
    """Return the entity of a class: `inmanta_plugins.a.b` is the namespace `a::b`."""
    space = "::".join(cls.__module__.split(".")[1:])
    return definitions.entities.get(f"{space}::{cls.__name__}")


def as_object(value: Any) -> Any:
    """Return a value in which instances of dataclasses are replaced by their objects, also in lists."""
    if isinstance(value, ModelInstance):
        cls = _class_of(value.entity)
        if cls is None:
            return to_python(value)
        made = value.entity.objects.get(value)
        if made is None:
            fields = {name: as_object(property_of(value, name)) for name in getattr(cls, _FIELDS)}
            made = value.entity.objects[value] = cls(**fields)
            value.entity.by_object[id(made)] = value
        return made
    if isinstance(value, list):
        return [as_object(item) for item in value]
    return to_python(value)


def _class_of(entity: EntityType) -> Callable[..., Any] | None:
    space, _, name = entity.name.rpartition("::")
    module = sys.modules.get(".".join([_PLUGINS, *space.split("::")]))
    cls = getattr(module, name, None)
    return cls if _is_class(cls) else None


class DataclassConverter:
    """Converts objects to instances, each object once."""

    def __init__(self, compiler: ModelCompiler) -> None:
        self.compiler = compiler

    def convert(self, value: Any, place: Place) -> Any:
        """Return the result of a plugin, with instances instead of objects."""
        if is_object(value):
            return self._instance(value, place)
        if isinstance(value, list | tuple):
            return [self.convert(item, place) for item in value]
        return from_python(value)

    def _instance(self, value: Any, place: Place) -> ModelInstance:
        cls = type(value)
        entity = entity_of(cls, self.compiler.definitions)
        if entity is None:
            message = f"the plug-in answers an object of {cls.__module__}.{cls.__name__}, which no entity stands for"
            raise stop(
                UNKNOWN_NAME, message, place, hint="define an entity of this name that extends std::Dataclass"
            )
        before: ModelInstance | None = entity.by_object.get(id(value))
        if before is not None:
            return before
        fields = {name: self.convert(getattr(value, name), place) for name in getattr(cls, _FIELDS)}
        values = [entity.defaults.get(name, EMPTY) for name in entity.all_properties]
        for name, field in fields.items():
            prop = entity.all_properties.get(name)
            if prop is None or prop.type is None:
                raise stop(
                    UNKNOWN_NAME, f"{entity.shown!r} has no attribute {name!r}, as the object has", place
                )
            if not prop.type.accepts(field):
                raise stop(
                    TYPE,
                    f"{entity.shown}.{name} is {prop.type.name}, and {format_value(field)} is not",
                    place,
                )
            values[entity.slots[name]] = field
        instance = ModelInstance(entity, values, WriteSite(place, How.PLUGIN, None, frozenset(fields)), None)
        entity.objects[instance] = value
        entity.by_object[id(value)] = instance
        engine = self.compiler.engine
        engine.instances.append(instance)
        if len(engine.instances) > engine.most_instances:
            raise engine.instance_limit_error()
        refine = self.compiler.refinements.refiner(entity)
        if refine is not None:
            refine(instance)
        return instance
