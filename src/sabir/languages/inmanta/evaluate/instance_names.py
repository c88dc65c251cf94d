"""Display names of instances: the values of an index, or the variable that holds the instance."""

from __future__ import annotations

from collections.abc import Mapping

from sabir.languages.inmanta.evaluate.scopes import WriteSite
from sabir.languages.inmanta.evaluate.values import ModelInstance, PendingSlot
from sabir.languages.inmanta.model.types import format_value
from sabir.languages.inmanta.syntax.nodes import Assign


def index_name(
    instance: ModelInstance, named: Mapping[ModelInstance, str] | None = None, depth: int = 0
) -> str:
    """Return the values of the first index; related instances appear under their own names."""
    names = named or {}
    if instance in names:
        return names[instance]
    entity = instance.entity
    parts: list[str] = []
    for attribute in entity.indexes[0].attributes:
        value = instance.values[entity.slots[attribute]]
        if parts and attribute in entity.defaults and value == entity.defaults[attribute]:
            continue  # what everybody has tells nobody apart
        if type(value) is str:
            parts.append(value)
        elif isinstance(value, ModelInstance):
            deep = depth > 20 or not value.entity.indexes
            parts.append(names.get(value, "…") if deep else index_name(value, names, depth + 1))
        elif not isinstance(value, PendingSlot):
            parts.append(format_value(value))
    return ",".join(parts)


def find_assigned_variable(site: WriteSite) -> str | None:
    """Return the variable that a constructor is assigned to, or None."""
    if site.scope is None:
        return None
    start, end = site.place.span.start, site.place.span.end
    for around, _ in site.scope.chain():
        if around.parent is not None and around.parent.layout is around.layout:
            continue  # the block of an `if`: the other branch may have a variable of the same name
        for name, statements in around.writers.items():
            for statement in statements:
                value = statement.value if isinstance(statement, Assign) else statement
                if value.start == start and value.end == end:
                    return name
    return None
