"""`inmanta.ast.attribute`, `inmanta.ast.entity`, `inmanta.util`: classes that modules ask about values."""

from __future__ import annotations

from typing import Any

from sabir.languages.inmanta.model.entities import EntityType, Property

__all__ = ["Entity", "JSONSerializable", "RelationAttribute"]

Entity = EntityType


class _Relations(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Property) and value.is_relation


class RelationAttribute(metaclass=_Relations):
    """A property that is a relation, for `isinstance`."""


class JSONSerializable:
    """A value that says itself how it is written as JSON."""

    def json_serialization_step(self) -> Any:
        raise NotImplementedError
