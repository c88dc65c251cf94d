"""The engine and the writer that note what is written, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.engine import Engine, Step
from sabir.languages.inmanta.evaluate.sites import Site
from sabir.languages.inmanta.evaluate.tracing.tracer import Activation, Link, Source, Tracer
from sabir.languages.inmanta.evaluate.values import Frame, Instance, RelationValue, Wait
from sabir.languages.inmanta.evaluate.writing import Writer
from sabir.languages.inmanta.model.entities import Property
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.given import Given
    from sabir.languages.inmanta.evaluate.tracing.withheld import Withheld

__all__ = ["ADDS_NOTHING", "TracedEngine"]

ADDS_NOTHING = "adds nothing"


class TracedEngine(Engine):
    writer: _TracedWriter

    def __init__(self, late: frozenset[Any] = frozenset(), given: Given | None = None) -> None:
        super().__init__(late, given)
        self.tracer = Tracer()
        self.writer = _TracedWriter(self, self.tracer)
        self.withheld: Withheld

    def run(self) -> None:
        super().run()
        self.withheld.finish()

    def run_steps(self, steps: Iterable[Step], frame: Frame) -> None:
        tracer = self.tracer
        outer, reads = tracer.current, tracer.reads
        is_new = outer is not None
        for step in steps:
            if is_new:
                tracer.current, tracer.reads = outer, reads
                tracer.begin_block(step.scope, frame)
                is_new = False
            own = tracer.current = Activation(step, frame)
            tracer.reads = {}
            super().run_steps((step,), frame)
            if not own.is_parked:
                tracer.end(step, frame)
                self.withheld.ended(own)
        tracer.current, tracer.reads = outer, reads

    def park(self, step: Step, frame: Frame, wait: Wait) -> None:
        if self.tracer.current is not None and self.tracer.current.step is step:
            self.tracer.current.is_parked = True
        super().park(step, frame, wait)

    def listen(
        self, relation: RelationValue, step: Step, frame: Frame, body: Callable[[Instance], None]
    ) -> None:
        state = _State(self.tracer)
        super().listen(relation, step, frame, lambda item: state.resume(body, item))

    def copy(self, source: RelationValue, instance: Instance, prop: Property, site: Site) -> None:
        before = len(source.listeners)
        self.writer.note_addition(instance, prop, site)
        super().copy(source, instance, prop, site)
        state = _State(self.tracer)
        for position in range(before, len(source.listeners)):
            source.listeners[position] = state.resuming(source.listeners[position])


class _State:
    """What is open now, to be open again when something runs that belongs to the same statement."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self.current = tracer.current
        self.reads = dict(tracer.reads)

    def resume(self, body: Callable[[Instance], None], item: Instance) -> None:
        tracer = self.tracer
        before = tracer.current, tracer.reads
        tracer.current, tracer.reads = self.current, self.reads
        try:
            body(item)
        finally:
            tracer.current, tracer.reads = before

    def resuming(self, body: Callable[[Instance], None]) -> Callable[[Instance], None]:
        return lambda item: self.resume(body, item)


class _TracedWriter(Writer):
    def __init__(self, engine: Engine, tracer: Tracer) -> None:
        super().__init__(engine)
        self.tracer = tracer
        self._link: Link | None = None

    def assign(self, instance: Instance, prop: Property, value: Any, site: Site) -> None:
        if prop.is_list and value == []:
            self.note_addition(instance, prop, site)
        super().assign(instance, prop, value, site)

    def note_addition(self, instance: Instance, prop: Property, site: Site) -> None:
        """What a statement adds may be nothing, and the statement still is part of why there is no more."""
        place = _place(site, prop)
        sources = self.tracer.rests(instance, site, place, self.tracer.reads)
        trace = self.tracer.trace(place, How.RELATION, sources, ADDS_NOTHING)
        self.tracer.withheld.setdefault((instance, prop.name), {})[trace] = None

    def link(self, instance: Instance, prop: Property, value: Instance, site: Site) -> None:
        place = _place(site, prop)
        tracer = self.tracer
        before = self._link
        self._link = Link(site, place, tracer.rests(instance, site, place, tracer.reads))
        try:
            super().link(instance, prop, value, site)
        finally:
            self._link = before

    def _link_one(self, instance: Instance, prop: Property, value: Instance, site: Site) -> bool:
        done = super()._link_one(instance, prop, value, site)
        if prop.is_list and self._link is not None:
            if done:
                self.tracer.related(instance, prop, value, self._link)
            else:
                self.note_addition(instance, prop, site)
        return done

    def _set(self, instance: Instance, prop: Property, value: Any, site: Site) -> bool:
        done = super()._set(instance, prop, value, site)
        if done:
            link = self._link
            if link is None:
                self._note(instance, prop, site, self.tracer.reads)
            else:
                self.tracer.wrote(instance, prop, self.tracer.trace(link.place, site.how, link.sources))
        return done

    def _null(self, instance: Instance, prop: Property, site: Site) -> None:
        super()._null(instance, prop, site)
        if prop.is_list:
            self._note(instance, prop, site, self.tracer.reads)

    def _note(self, instance: Instance, prop: Property, site: Site, reads: dict[Source, None]) -> None:
        place = _place(site, prop)
        trace = self.tracer.trace(place, site.how, self.tracer.rests(instance, site, place, reads))
        self.tracer.wrote(instance, prop, trace)


def _place(site: Site, prop: Property) -> Place:
    places = site.argument_places
    return site.place if places is None else places.get(prop.name, site.place)
