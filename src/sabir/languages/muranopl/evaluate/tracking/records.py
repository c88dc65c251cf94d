"""Steps of the way to a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sabir.graph.origin import How
from sabir.namedtuples import NamedTuple
from sabir.text import Location, Place

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.properties import PropertyDeclaration
    from sabir.languages.muranopl.evaluate.tracking.storage import Cells

__all__ = ["Cell", "Context", "Initial", "Join", "Made", "Record", "Site"]


class Site:
    """A place in code that makes steps, the same object at every run of it."""

    __slots__ = ("how", "note", "place")

    def __init__(self, place: Place | Location, how: How, note: str | None = None) -> None:
        self.place = place
        self.how = how
        self.note = note


class Cell(NamedTuple):
    """Where a value is kept: a property of an object, of a class, or an attribute."""

    cells: Cells
    key: object


class Record:
    """One step. `sources` are the steps it read; `control` is what decided that it was taken.

    A step that is taken over and over in a loop gathers what all its rounds read, so a loop is as long as its text.
    """

    __slots__ = ("cell", "control", "site", "sources")

    def __init__(
        self,
        site: Site,
        sources: Iterable[Record] = (),
        control: Record | None = None,
        cell: Cell | None = None,
    ) -> None:
        self.site = site
        self.sources = dict.fromkeys(sources)
        self.control = control
        self.cell = cell

    def gather(self, sources: Iterable[Record], control: Record | None) -> None:
        """What another round of the same step rests on."""
        for one in sources:
            if isinstance(one, Join):  # there is a new one at every round; what it joins is not
                self.sources.update(one.sources)
            else:
                self.sources[one] = None
        if control is not None and control is not self.control:
            self.sources[control] = None
        self.sources.pop(self, None)

    def all_sources(self) -> Iterator[Record]:
        yield from self.sources
        if self.control is not None:
            yield self.control


class Join(Record):
    """Several steps of which any may have made the value: no step of its own."""

    __slots__ = ()

    def __init__(self, sources: Iterable[Record], cell: Cell | None = None) -> None:
        super().__init__(_NOWHERE, sources, None, cell)


class Initial(Record):
    """The first value of a property: given, or its default; then what the contract made of it."""

    __slots__ = ("declaration", "given", "is_converted", "object_id", "owner")

    def __init__(
        self,
        declaration: PropertyDeclaration,
        cell: Cell,
        *,
        object_id: str | None,
        sources: Iterable[Record] = (),
        is_converted: bool,
        given: Record | None = None,
        owner: Record | None = None,
    ) -> None:
        super().__init__(_NOWHERE, sources, None, cell)
        self.declaration = declaration
        self.object_id = object_id
        self.is_converted = is_converted
        self.given = given
        """What gave it, when code did; None: the model, or nobody."""
        self.owner = owner
        """What made the object, when nobody gave the value: then its class decides."""

    def like(self, sources: Iterable[Record]) -> Initial:
        """The same step for several objects that code made, resting on what each of them rests on."""
        assert self.cell is not None
        return Initial(
            self.declaration,
            self.cell,
            object_id=None,
            sources=(one for one in sources if one is not self.given),
            is_converted=self.is_converted,
            given=None
            if self.given is None
            else Record(self.given.site, self.given.sources, self.given.control),
        )

    def all_sources(self) -> Iterator[Record]:
        yield from self.sources
        if self.given is not None:
            yield self.given
        if self.owner is not None:
            yield self.owner


class Made:
    """The steps that one site made in one context."""

    __slots__ = ("count", "last")

    def __init__(self) -> None:
        self.count = 0
        self.last: Record | None = None


class Context:
    """The way by which a method was called. Calls from the same place on the same object share one."""

    __slots__ = ("children", "depth", "key", "made", "parent")

    def __init__(self, key: object = None, parent: Context | None = None) -> None:
        self.key = key
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.children: dict[object, Context] = {}
        self.made: dict[object, Made] = {}

    def inner(self, key: object, site: object) -> Context:
        """The context of a call made here. A method that calls itself on the same object stays in its own."""
        if self.depth > _DEEP:
            above: Context | None = self
            while above is not None:
                if above.key == key:
                    return above
                above = above.parent
        if site is None:  # a constructor that the model calls, once
            return Context(key, self)
        found = self.children.get((site, key))
        if found is None:
            found = self.children[site, key] = Context(key, self)
        return found


_DEEP = 8
_NOWHERE: Site = None  # type: ignore[assignment]  # steps that have no place of their own
