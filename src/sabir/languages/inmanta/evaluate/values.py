"""Slots, instances and relations: where values are stored while a model is evaluated.

A frame (the variables of a block) and an instance are both lists of slots. A slot holds a value, or a
`PendingSlot` while there is none. A relation that can hold several instances has a `RelationValue` in
its slot from its first use. The null of the language is Python's None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.interrupts import Wait

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.engine import ParkedStatement
    from sabir.languages.inmanta.evaluate.scopes import WriteSite
    from sabir.languages.inmanta.model.entities import EntityType, Property


Frame = list[Any]
"""The slots of a block: the frame around it, then `self` or the loop variable, then its own variables."""
Read = Callable[[Frame], Any]
"""A compiled expression."""


class PendingSlot:
    """A slot without a value, and the statements that wait for one."""

    __slots__ = ("waiters",)

    def __init__(self) -> None:
        self.waiters: list[ParkedStatement] = []


EMPTY: Final = PendingSlot()
"""The slot nobody waits for yet: shared by all of them, never waited on."""


class RelationList(list[Any]):
    """The complete value of a relation: a list whose order does not matter in comparisons."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, list):
            return len(self) == len(other) and set(map(id, self)) == set(map(id, other))
        return NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None


class RelationValue:
    """The instances of one end of a relation.

    `closed`: nothing can be added any more. `unknowns`: members that are not known before deployment.
    """

    __slots__ = (
        "closed",
        "first_waiters",
        "listed",
        "listeners",
        "owner",
        "prop",
        "slot",
        "unknowns",
        "values",
        "waiters",
    )

    def __init__(self, owner: ModelInstance, prop: Property, slot: int) -> None:
        self.owner = owner
        self.prop = prop
        self.slot = slot
        self.values: dict[ModelInstance, WriteSite] = {}
        self.unknowns: tuple[Unknown, ...] = ()
        self.closed = False
        self.listed: RelationList | None = None
        self.waiters: list[ParkedStatement] = []
        self.first_waiters: list[ParkedStatement] = []
        self.listeners: list[Callable[[ModelInstance], None]] = []

    def complete(self) -> RelationList:
        """Return the closed relation as a list."""
        listed = self.listed
        if listed is None:
            listed = self.listed = RelationList((*self.values, *self.unknowns))
        return listed


class ModelInstance:
    """An instance of an entity. Third-party code never gets it, only its view (`views`).

    `values` has a slot for each property of the entity; `site` is the constructor that created it,
    `maker` the instance whose refinement contains that constructor, `writes` the statement that wrote a
    slot later.
    """

    __slots__ = ("depth", "entity", "maker", "site", "values", "view", "writes")

    def __init__(
        self, entity: EntityType, values: Frame, site: WriteSite, maker: ModelInstance | None
    ) -> None:
        self.entity = entity
        self.values = values
        self.site = site
        self.maker = maker
        self.depth: int = 0 if maker is None else maker.depth + 1
        self.writes: dict[int, WriteSite] | None = None
        self.view: Any = None

    def get_attribute(self, name: str) -> AttributeOfInstance:
        """Return an attribute in the form that Python of modules expects when it builds its own proxies."""
        return AttributeOfInstance(self, name)

    def __repr__(self) -> str:
        location = self.site.place.location
        return f"{self.entity.name} (instantiated at {location.file}:{location.line})"


class AttributeOfInstance:
    """An attribute of an instance as Python of modules accesses it."""

    __slots__ = ("_instance", "_name")

    def __init__(self, instance: ModelInstance, name: str) -> None:
        self._instance = instance
        self._name = name

    def get_value(self) -> Any:
        return property_of(self._instance, self._name)


def property_of(instance: ModelInstance, name: str) -> Any:
    """Return the complete value of a property for Python code; AttributeError if the entity has none."""
    entity = instance.entity
    slot = entity.slots.get(name)
    if slot is None:
        raise AttributeError(f"{entity.shown!r} has no attribute {name!r}")
    value = instance.values[slot]
    if type(value) is PendingSlot:
        raise Wait(instance.values, slot, instance)
    if entity.on_read is not None:
        entity.on_read(instance, name)
    if type(value) is RelationValue:
        if not value.closed:
            raise Wait(instance.values, slot, instance)
        return value.complete()
    return value


def flatten_into(value: list[Any], out: list[Any]) -> None:
    """Append the items of a list, and those of nested lists."""
    for item in value:
        if isinstance(item, list):
            flatten_into(item, out)
        else:
            out.append(item)
