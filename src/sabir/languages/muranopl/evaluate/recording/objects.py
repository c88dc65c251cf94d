"""The first values of properties: from the model, from `new`, or a default, as converted by the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sabir.graph.origin import How
from sabir.languages.muranopl.evaluate.initialisation import ObjectInitializer
from sabir.languages.muranopl.evaluate.objects import same_value
from sabir.languages.muranopl.evaluate.recording.recorder import Arguments, RunRecorder
from sabir.languages.muranopl.evaluate.recording.storage import FirstValue, WatchedPrivate, WatchedProperties
from sabir.provenance import ProvenanceStep, Site, ValueSource
from sabir.provenance.steps import NOWHERE
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.loader import Loader
    from sabir.languages.muranopl.model.objects import MuranoObject
    from sabir.languages.muranopl.model.properties import PropertyDeclaration


def watch_object(object_: MuranoObject, raw: Mapping[Any, Any], loader: Loader) -> None:
    """Record an object from now on: its creator, and the reads and writes of its properties."""
    recorder = loader.runtime.recorder
    assert recorder is not None
    state = recorder.state
    reads = state.properties or {}
    object_.properties = WatchedProperties(recorder, object_, raw, reads)
    state.properties = None  # nested objects have their own properties
    object_.private = WatchedPrivate(recorder, None, object_.properties.cells.title)
    if state.site is not None and object_.id not in loader.runtime.origins:
        site = _creation_site(recorder, state.site, object_)
        apart = {source for sources in reads.values() for source in sources}
        recorder.created[object_.id] = recorder.run(
            site, [source for source in state.reads if source not in apart]
        )


def _creation_site(recorder: RunRecorder, at: Site, object_: MuranoObject) -> Site:
    return recorder.site_like(at, How.CONSTRUCTOR, f"new {object_.cls.name.rpartition('.')[2]}")


class RecordedInitializer(ObjectInitializer):
    """Sets properties and records the sources of their first values."""

    __slots__ = ("before", "reads", "recorder")

    def __init__(
        self, object_: MuranoObject, values: Mapping[Any, Any], raw: Mapping[Any, Any], loader: Loader
    ) -> None:
        super().__init__(object_, values, raw, loader)
        assert loader.runtime.recorder is not None
        self.recorder = loader.runtime.recorder
        self.before: Any = None
        assert isinstance(object_.properties, WatchedProperties)
        self.reads = object_.properties.reads

    def source_value(self, name: str, declaration: PropertyDeclaration) -> Any:
        self.before = value = super().source_value(name, declaration)
        return value

    def initialise(self, name: str) -> None:
        recorder, object_ = self.recorder, self.object
        declaration = object_.cls.declared[name][0]
        state = recorder.state
        site, is_given = state.site, self._is_given(declaration)
        if not is_given and declaration.node.default is not None:
            place = Place(declaration.cls.node.source, declaration.node.default.span)
            state.site = recorder.site_at(declaration, place)
        before = self.before
        try:
            with recorder.state.apart() as reads:
                super().initialise(name)
            value = self.before
        finally:
            state.site, self.before = site, before
        if name in object_.properties:
            self._note(declaration, reads, value, is_given=is_given)

    def _is_given(self, declaration: PropertyDeclaration) -> bool:
        return declaration.is_read and declaration.name in self.values

    def _note(
        self, declaration: PropertyDeclaration, reads: Sequence[ValueSource], before: Any, *, is_given: bool
    ) -> None:
        """Record a first value. A model value, or a default that reads nothing, needs no step: its declaration
        suffices.
        """
        name, properties = declaration.name, self.object.properties
        maker = self.recorder.created.get(self.object.id)
        after = properties.get(name)
        written = self.raw.get(name, before) if is_given else before
        is_converted = not (after is written or same_value(after, written))
        if maker is None and not reads and (is_given or not is_converted):
            return
        assert isinstance(properties, WatchedProperties)
        first = FirstValue(
            NOWHERE,
            tuple(dict.fromkeys(reads)),
            cell=(properties.cells, name),
            declaration=declaration,
            object_id=self.object.id,
            is_converted=is_converted,
            giver=self._assignment_step(maker, name) if maker is not None and is_given else None,
            maker=None if is_given else maker or self.recorder.find_maker(self.object),
        )
        properties.cells.written[name] = (first, self.recorder.tick())

    def _assignment_step(self, maker: ProvenanceStep, name: str) -> ProvenanceStep:
        """Return the step that set a property of an object that code created."""
        reads = self.reads.get(name)
        if reads is None:
            return maker
        site = self.recorder.site_like(maker.site, How.CONSTRUCTOR, f"{maker.site.note}, {name}")
        return ProvenanceStep(site, tuple(dict.fromkeys(reads)), maker.decided_by)

    def construct(self, names: Sequence[str]) -> None:
        """Announce the call of a constructor with the model's values of these names."""
        maker = self.recorder.find_maker(self.object)
        named: dict[str, Sequence[ValueSource]] = {}
        for name in names:
            if maker is not None and self.object.id in self.recorder.created:
                named[name] = self.reads.get(name, tuple(maker.reads))
            else:
                step = self.recorder.find_model_step(self.object, name)
                named[name] = () if step is None else (step,)
        self.recorder.state.pending = Arguments((), (), named, 0, maker)
