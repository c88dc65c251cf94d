"""What people call an instance that has an index: its identifying values."""

from __future__ import annotations

from collections.abc import Mapping

from sabir.languages.inmanta.evaluate.values import Instance, Pending
from sabir.languages.inmanta.model.types import shown_value

__all__ = ["index_name"]


def index_name(instance: Instance, named: Mapping[Instance, str] | None = None, depth: int = 0) -> str:
    """The values of the first index, those of related instances as their own names."""
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
        elif isinstance(value, Instance):
            deep = depth > 20 or not value.entity.indexes
            parts.append(names.get(value, "…") if deep else index_name(value, names, depth + 1))
        elif not isinstance(value, Pending):
            parts.append(shown_value(value))
    return ",".join(parts)
