"""The first values of properties: from the model, from `new`, or a default, and what the contract made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sabir.graph.origin import How
from sabir.languages.muranopl.evaluate.constants import same_value
from sabir.languages.muranopl.evaluate.initialising import Initialising
from sabir.languages.muranopl.evaluate.tracking.records import Cell, Initial, Record, Site
from sabir.languages.muranopl.evaluate.tracking.storage import TrackedPrivate, TrackedProperties
from sabir.languages.muranopl.evaluate.tracking.tracker import Arguments, Tracker
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.loading import Loader
    from sabir.languages.muranopl.evaluate.objects import MuranoObject
    from sabir.languages.muranopl.evaluate.properties import PropertyDeclaration

__all__ = ["TrackedInitialising", "watch"]


def watch(object_: MuranoObject, raw: Mapping[Any, Any], loader: Loader) -> None:
    """Record an object from now on: who made it, who reads and writes its properties."""
    tracker = loader.runtime.tracker
    assert tracker is not None
    state = tracker.state
    given = state.given or {}
    object_.properties = TrackedProperties(tracker, object_, raw, given)
    state.given = None  # objects inside of it have properties of their own
    object_.private = TrackedPrivate(tracker, None, object_.properties.cells.title)
    if state.site is not None and object_.id not in loader.runtime.origins:
        site = _making_site(tracker, state.site, object_)
        apart = {one for reads in given.values() for one in reads}
        tracker.created[object_.id] = tracker.record(site, [one for one in state.log if one not in apart])


def _making_site(tracker: Tracker, at: Site, object_: MuranoObject) -> Site:
    return tracker.site_like(at, How.CONSTRUCTOR, f"new {object_.cls.name.rpartition('.')[2]}")


class TrackedInitialising(Initialising):
    """Sets properties and records what their first values rest on."""

    __slots__ = ("before", "reads", "tracker")

    def __init__(
        self, object_: MuranoObject, given: Mapping[Any, Any], raw: Mapping[Any, Any], loader: Loader
    ) -> None:
        super().__init__(object_, given, raw, loader)
        assert loader.runtime.tracker is not None
        self.tracker = loader.runtime.tracker
        self.before: Any = None
        assert isinstance(object_.properties, TrackedProperties)
        self.reads = object_.properties.reads

    def source_value(self, name: str, declaration: PropertyDeclaration) -> Any:
        self.before = value = super().source_value(name, declaration)
        return value

    def initialise(self, name: str) -> None:
        tracker, object_ = self.tracker, self.object
        declaration = object_.cls.declared[name][0]
        state = tracker.state
        site, is_given = state.site, self._is_given(declaration)
        if not is_given and declaration.node.default is not None:
            place = Place(declaration.cls.node.source, declaration.node.default.span)
            state.site = tracker.site_at(declaration, place)
        before = self.before
        try:
            with tracker.apart() as reads:
                super().initialise(name)
            value = self.before
        finally:
            state.site, self.before = site, before
        if name in object_.properties:
            self._note(declaration, reads, value, is_given=is_given)

    def _is_given(self, declaration: PropertyDeclaration) -> bool:
        return declaration.is_read and declaration.name in self.values

    def _note(
        self, declaration: PropertyDeclaration, reads: Sequence[Record], before: Any, *, is_given: bool
    ) -> None:
        """A value that the model gives, or a default that reads nothing, needs no record: its declaration tells."""
        name, properties = declaration.name, self.object.properties
        owner = self.tracker.created.get(self.object.id)
        after = properties.get(name)
        written = self.raw.get(name, before) if is_given else before
        is_converted = not (after is written or same_value(after, written))
        if owner is None and not reads and (is_given or not is_converted):
            return
        assert isinstance(properties, TrackedProperties)
        given = self._giving(owner, name) if owner is not None and is_given else None
        first = Initial(
            declaration,
            Cell(properties.cells, name),
            object_id=self.object.id,
            sources=reads,
            is_converted=is_converted,
            given=given,
            owner=None if is_given else owner or self.tracker.made(self.object),
        )
        properties.cells.records[name] = (first, self.tracker.tick())

    def _giving(self, owner: Record, name: str) -> Record:
        """The step that gave a property to an object that code made."""
        reads = self.reads.get(name)
        if reads is None:
            return owner
        site = self.tracker.site_like(owner.site, How.CONSTRUCTOR, f"{owner.site.note}, {name}")
        return Record(site, reads, owner.control)

    def construct(self, names: Sequence[str]) -> None:
        """The constructor is called next, with the given values of these names."""
        maker = self.tracker.made(self.object)
        named: dict[str, Sequence[Record]] = {}
        for name in names:
            if maker is not None and self.object.id in self.tracker.created:
                named[name] = self.reads.get(name, tuple(maker.sources))
            else:
                found = self.tracker.given_in_model(self.object, name)
                named[name] = () if found is None else (found,)
        self.tracker.state.pending = Arguments((), (), named, 0, maker)
