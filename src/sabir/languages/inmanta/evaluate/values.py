"""Cells, instances and relations: where values live while a model is evaluated.

A frame (the variables of a block) and an instance are both lists of slots. A slot holds a value, or a `Pending` as long
as there is none; a relation that can hold several instances has a `RelationValue` in its slot once something touches it.
Language null is Python's None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.finding import Finding

if TYPE_CHECKING:
    from sabir.languages.inmanta.check.entities import EntityType, Property
    from sabir.languages.inmanta.evaluate.engine import Activity
    from sabir.languages.inmanta.evaluate.sites import Site

__all__ = [
    "EMPTY",
    "Frame",
    "Instance",
    "Pending",
    "Read",
    "RelationList",
    "RelationValue",
    "Stop",
    "Wait",
    "flatten",
]

Frame = list[Any]
"""The slots of a block: the frame around it, then `self` or the loop variable, then its own variables."""
Read = Callable[[Frame], Any]
"""A compiled expression."""


class Pending:
    """A slot without a value, and who waits for one."""

    __slots__ = ("waiters",)

    def __init__(self) -> None:
        self.waiters: list[Activity] = []


EMPTY: Final = Pending()
"""The slot nobody waits for yet: shared by all of them, never waited on."""


class Wait(BaseException):
    """Raised by a read of an empty slot, up to the statement that is then parked.

    No Exception, so that a plug-in's `except Exception` cannot swallow it.
    """

    def __init__(self, slots: Frame, slot: int, owner: Instance | None = None) -> None:
        self.slots = slots
        self.slot = slot
        self.owner = owner


class WaitForFirst(Wait):
    """`is defined` on an open relation: its first value decides, or that it closes empty."""


class WaitForKey(Wait):
    """A look-up that no instance answers yet."""

    def __init__(self, waiters: dict[Any, list[Activity]], key: Any) -> None:
        super().__init__([], 0)
        self.waiters = waiters
        self.key = key


class Stop(Exception):
    """A statement that cannot go on; the finding says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class RelationList(list["Instance"]):
    """The complete value of a relation: a list whose order does not matter when compared."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, list):
            return len(self) == len(other) and set(map(id, self)) == set(map(id, other))
        return NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None


class RelationValue:
    """The instances of one end of a relation. `closed`: nothing can be added any more."""

    __slots__ = (
        "closed",
        "first_waiters",
        "listed",
        "listeners",
        "owner",
        "prop",
        "slot",
        "values",
        "waiters",
    )

    def __init__(self, owner: Instance, prop: Property, slot: int) -> None:
        self.owner = owner
        self.prop = prop
        self.slot = slot
        self.values: dict[Instance, Site] = {}
        self.closed = False
        self.listed: RelationList | None = None
        self.waiters: list[Activity] = []
        self.first_waiters: list[Activity] = []
        self.listeners: list[Callable[[Instance], None]] = []

    def complete(self) -> RelationList:
        """The closed relation as a list."""
        listed = self.listed
        if listed is None:
            listed = self.listed = RelationList(self.values)
        return listed


class Instance:
    """An instance of an entity, and what a plug-in or a template sees of it: its attributes by name.

    `_values` has a slot for each property of the entity; `_site` is the constructor that made it, `_maker` the instance
    whose refinement held that constructor, `_writes` which statement wrote a slot later.
    """

    __slots__ = ("_depth", "_entity", "_maker", "_site", "_values", "_writes")

    _writes: dict[int, Site] | None
    _depth: int

    def __init__(self, entity: EntityType, values: Frame, site: Site, maker: Instance | None) -> None:
        self._entity = entity
        self._values = values
        self._site = site
        self._maker = maker
        self._depth = 0 if maker is None else maker._depth + 1
        self._writes = None

    def __getattr__(self, name: str) -> Any:
        slot = self._entity.slots.get(name)
        if slot is None:
            if name == "__deepcopy__" or name.startswith("__"):
                raise AttributeError(name)
            raise AttributeError(f"{self._entity.shown!r} has no attribute {name!r}")
        value = self._values[slot]
        if type(value) is Pending:
            raise Wait(self._values, slot, self)
        if self._entity.on_read is not None:
            self._entity.on_read(self, name)
        if type(value) is RelationValue:
            if not value.closed:
                raise Wait(self._values, slot, self)
            return value.complete()
        return value

    def _type(self) -> EntityType:
        return self._entity

    def type(self) -> EntityType:
        """The entity, for plug-ins."""
        return self._entity

    def is_instance(self, entity: EntityType) -> bool:
        return entity in self._entity.ancestor_set

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(f"an instance of {self._entity.shown!r} cannot be iterated")

    def __repr__(self) -> str:
        location = self._site.place.location
        return f"{self._entity.name} (instantiated at {location.file}:{location.line})"


def flatten(value: list[Any], out: list[Any]) -> None:
    """Add the items of a list, and those of lists in it."""
    for one in value:
        if isinstance(one, list):
            flatten(one, out)
        else:
            out.append(one)
