"""The recording engine and writer, which note each write and its cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.engine import EngineStep, ModelEngine
from sabir.languages.inmanta.evaluate.interrupts import Wait
from sabir.languages.inmanta.evaluate.recording.recorder import Activation, ModelRecorder, RelationLink
from sabir.languages.inmanta.evaluate.scopes import WriteSite
from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance, RelationValue
from sabir.languages.inmanta.evaluate.writes import InstanceWriter
from sabir.languages.inmanta.model.entities import Property
from sabir.provenance import DecisionOutcome, ValueSource
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.inputs import ModelInputs
    from sabir.languages.inmanta.evaluate.recording.recorder import SkippedStatements


class RecordedEngine(ModelEngine):
    """An engine that tells the recorder which statement runs, and when it is parked or complete."""

    writer: _RecordedWriter

    def __init__(
        self, late: frozenset[Any] = frozenset(), given: ModelInputs | None = None, *, most_instances: int
    ) -> None:
        super().__init__(late, given, most_instances=most_instances)
        self.recorder = ModelRecorder()
        self.writer = _RecordedWriter(self, self.recorder)
        self.withheld: SkippedStatements

    def run(self) -> None:
        super().run()
        self.withheld.finish()

    def run_steps(self, steps: Iterable[EngineStep], frame: Frame) -> None:
        recorder = self.recorder
        outer, reads = recorder.running, recorder.reads
        is_new = outer is not None
        for step in steps:
            if is_new:
                recorder.running, recorder.reads = outer, reads
                recorder.begin_block(step.scope, frame)
                is_new = False
            activation = recorder.running = Activation(step, frame)
            recorder.reads = []
            super().run_steps((step,), frame)
            if not activation.is_parked:
                recorder.end(step, frame)
                self.withheld.record_end(activation)
        recorder.running, recorder.reads = outer, reads

    def park(self, step: EngineStep, frame: Frame, wait: Wait) -> None:
        if self.recorder.running is not None and self.recorder.running.step is step:
            self.recorder.running.is_parked = True
        super().park(step, frame, wait)

    def listen(
        self, relation: RelationValue, step: EngineStep, frame: Frame, body: Callable[[ModelInstance], None]
    ) -> None:
        state = _State(self.recorder)
        super().listen(relation, step, frame, lambda item: state.resume(body, item))

    def copy(self, source: RelationValue, instance: ModelInstance, prop: Property, site: WriteSite) -> None:
        before = len(source.listeners)
        self.writer.note_addition(instance, prop, site)
        super().copy(source, instance, prop, site)
        state = _State(self.recorder)
        for position in range(before, len(source.listeners)):
            source.listeners[position] = state.wrap_body(source.listeners[position])


class _State:
    """The open reads, restored when later work belongs to the same statement."""

    def __init__(self, recorder: ModelRecorder) -> None:
        self.recorder = recorder
        self.current = recorder.running
        self.reads = list(recorder.reads)

    def resume(self, body: Callable[[ModelInstance], None], item: ModelInstance) -> None:
        recorder = self.recorder
        before = recorder.running, recorder.reads
        recorder.running, recorder.reads = self.current, list(self.reads)
        try:
            body(item)
        finally:
            recorder.running, recorder.reads = before

    def wrap_body(self, body: Callable[[ModelInstance], None]) -> Callable[[ModelInstance], None]:
        return lambda item: self.resume(body, item)


class _RecordedWriter(InstanceWriter):
    def __init__(self, engine: ModelEngine, recorder: ModelRecorder) -> None:
        super().__init__(engine)
        self.recorder = recorder
        self._link: RelationLink | None = None

    def assign(self, instance: ModelInstance, prop: Property, value: Any, site: WriteSite) -> None:
        if prop.is_list and value == []:
            self.note_addition(instance, prop, site)
        super().assign(instance, prop, value, site)

    def note_addition(self, instance: ModelInstance, prop: Property, site: WriteSite) -> None:
        """What a statement adds may be nothing, and the statement still is part of why there is no more."""
        place = _argument_place(site, prop)
        rest = self.recorder.rests(instance, site, place, self.recorder.reads)
        step = self.recorder.step_at(place, How.RELATION, rest, outcome=DecisionOutcome.NOTHING_ADDED)
        self.recorder.withheld.note((instance, prop.name), step)

    def link(self, instance: ModelInstance, prop: Property, value: ModelInstance, site: WriteSite) -> None:
        place = _argument_place(site, prop)
        recorder = self.recorder
        before = self._link
        self._link = RelationLink(site, place, recorder.rests(instance, site, place, recorder.reads))
        try:
            super().link(instance, prop, value, site)
        finally:
            self._link = before

    def _link_one(
        self, instance: ModelInstance, prop: Property, value: ModelInstance, site: WriteSite
    ) -> bool:
        done = super()._link_one(instance, prop, value, site)
        if prop.is_list and self._link is not None:
            if done:
                self.recorder.record_link(instance, prop, value, self._link)
            else:
                self.note_addition(instance, prop, site)
        return done

    def _set(self, instance: ModelInstance, prop: Property, value: Any, site: WriteSite) -> bool:
        done = super()._set(instance, prop, value, site)
        if done:
            link = self._link
            if link is None:
                self._note(instance, prop, site, self.recorder.reads)
            else:
                self.recorder.wrote(instance, prop, self.recorder.step_at(link.place, site.how, link.rest))
        return done

    def _null(self, instance: ModelInstance, prop: Property, site: WriteSite) -> None:
        super()._null(instance, prop, site)
        if prop.is_list:
            self._note(instance, prop, site, self.recorder.reads)

    def _note(
        self, instance: ModelInstance, prop: Property, site: WriteSite, reads: list[ValueSource]
    ) -> None:
        place = _argument_place(site, prop)
        step = self.recorder.step_at(place, site.how, self.recorder.rests(instance, site, place, reads))
        self.recorder.wrote(instance, prop, step)


def _argument_place(site: WriteSite, prop: Property) -> Place:
    places = site.argument_places
    return site.place if places is None else places.get(prop.name, site.place)
