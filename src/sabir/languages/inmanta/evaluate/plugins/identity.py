"""Which resources an instance is, and what identifies them: asked by the export, and by a model that asks for facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.plugins.api import RegisteredResource
from sabir.languages.inmanta.evaluate.plugins.engine.exporting import Exporter
from sabir.languages.inmanta.evaluate.plugins.engine.references import Reference
from sabir.languages.inmanta.evaluate.plugins.engine.resources import Id, ResourceException
from sabir.languages.inmanta.evaluate.values import Instance, property_of
from sabir.languages.inmanta.evaluate.views import UnknownException, UnknownView, view_of
from sabir.languages.inmanta.model.entities import EntityType

__all__ = ["classes_of", "field_value", "identity_of"]


def classes_of(entity: EntityType, classes: Mapping[str, RegisteredResource]) -> list[RegisteredResource]:
    """The classes for the instances of an entity; one that is registered for several of its parents counts once."""
    by_class: dict[type, RegisteredResource] = {}
    for ancestor in entity.ancestors:
        registered = classes.get(ancestor.name) or classes.get(ancestor.shown)
        if registered is not None:
            by_class.setdefault(registered.cls, registered)
    return list(by_class.values())


def identity_of(instance: Instance, registered: RegisteredResource, exporter: Exporter) -> Id | None:
    """The id of a resource; None when a part of it is not known before deployment."""
    agent = _agent(instance, registered)
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


def _agent(instance: Instance, registered: RegisteredResource) -> Any:
    value: Any = instance
    for name in registered.agent.split("."):
        there = isinstance(value, Instance) and name in value.entity.slots
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


def field_value(instance: Instance, registered: RegisteredResource, exporter: Exporter, name: str) -> Any:
    """A field: what `get_<field>` or `map` of the class computes, else the attribute; unknown when it needs what is."""
    cls: Any = registered.cls
    view = view_of(instance)
    getter: Callable[..., Any] | None = getattr(cls, f"get_{name}", None) or cls.map.get(name)
    try:
        return getattr(view, name) if getter is None else getter(exporter, view)
    except UnknownException as reading:
        return reading.unknown
