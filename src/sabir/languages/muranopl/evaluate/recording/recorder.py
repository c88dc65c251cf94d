"""The recorder of one run: what is read, what decides, what is written.

Every local variable, property and attribute has a step next to it, the one that produced its value. A running
expression appends the steps of its reads to the open list; the enclosing statement takes the list and writes
a step of its own. A condition decides about everything that runs from then on, and about everything that
other code would have written: that is withheld by it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sabir.expressions.yaql import Variables
from sabir.expressions.yaql.scope import Closure
from sabir.graph.origin import How
from sabir.languages.muranopl.evaluate.recording.effects import WriteEffects, find_written_properties
from sabir.languages.muranopl.evaluate.recording.storage import WatchedAttributes, WatchedStatics
from sabir.provenance import (
    CallContext,
    Cell,
    ProvenanceStep,
    ReadTracker,
    Recorder,
    Site,
    Sources,
    ValueSource,
)
from sabir.text import Place, Span
from sabir.text import Source as Text

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.methods import Method
    from sabir.languages.muranopl.evaluate.recording.storage import WatchedValues
    from sabir.languages.muranopl.evaluate.runtime import Runtime
    from sabir.languages.muranopl.model.classes import MuranoClass
    from sabir.languages.muranopl.model.objects import MuranoObject
    from sabir.languages.muranopl.model.properties import PropertyDeclaration


def shadow_key(name: str) -> str:
    """Return the key of the step of a local variable. No variable can have such a name."""
    return "~" + name


class Arguments(Struct, frozen=True, eq=False):
    """The reads for each argument of a call, and for its receiver."""

    receiver: Sequence[ValueSource]
    positional: Sequence[Sequence[ValueSource]]
    named: dict[str, Sequence[ValueSource]]
    keep: int
    """How many reads of the calling statement stand before the receiver."""
    maker: ProvenanceStep | None = None
    """The step that made the object whose constructor it is."""

    def everything(self) -> list[ValueSource]:
        return [source for reads in (*self.positional, *self.named.values()) for source in reads]


class PendingWrite(Struct, frozen=True, eq=False):
    """The statement that is storing a value."""

    site: Site
    value: Any
    more: Sequence[ValueSource] = ()


class _State(threading.local, ReadTracker):
    """The position of one thread. Branches of `Parallel` have one each."""

    def __init__(self) -> None:
        super().__init__()
        self.context = CallContext()
        self.site: Site | None = None
        """The statement that runs."""
        self.writer: PendingWrite | None = None
        self.receiver = 0
        self.arguments: list[Sequence[ValueSource]] = []
        self.pending: Arguments | None = None
        self.result: Sequence[ValueSource] = ()
        self.properties: dict[str, Sequence[ValueSource]] | None = None
        """What was read for each property that `new` is given."""
        self.call: Arguments | None = None
        """The call that is entered."""
        self.attempted: dict[ProvenanceStep, None] | None = None
        """The steps taken inside of `Try`: whether it fails rests on them."""
        self.attempts: list[Any] = []

    @contextmanager
    def apart(self) -> Generator[list[ValueSource]]:
        before, writer, properties = self.open(), self.writer, self.properties
        self.writer, self.properties = None, None
        try:
            yield self.reads
        finally:
            self.reads, self.writer, self.properties = before, writer, properties

    def frame(self) -> tuple[Any, ...]:
        """The part of the state that a call changes."""
        return (self.decided_by, self.context, self.arguments, self.writer, self.properties, self.call)

    def enter(self, decided_by: Sources, context: CallContext, call: Arguments) -> None:
        self.decided_by, self.context, self.arguments, self.writer = decided_by, context, [], None
        self.properties, self.call, self.result = None, call, ()

    def leave(self, frame: tuple[Any, ...]) -> None:
        self.decided_by, self.context, self.arguments, self.writer, self.properties, self.call = frame
        self.result = ()


class RunRecorder(Recorder):
    """Records the steps of one run."""

    def __init__(self) -> None:
        super().__init__()
        self.state = _State()
        self.created: dict[str, ProvenanceStep] = {}
        """What made the objects that code made, by id."""
        self._in_model: dict[tuple[str, str], ProvenanceStep] = {}
        self._resources: dict[str, ProvenanceStep] = {}
        self._written_properties: dict[int, tuple[int, frozenset[str]]] = {}
        self.runtime: Runtime

    def watch(self, runtime: Runtime) -> None:
        """Record the actions of a runtime from now on."""
        self.runtime = runtime
        runtime.attributes.keep_in(WatchedAttributes(self, None, "attribute"))
        runtime.scheduler.carry = self.carry_state

    def watch_class(self, cls: MuranoClass) -> type[Method]:
        """Record the static properties of a class; return the factory of its methods."""
        from sabir.languages.muranopl.evaluate.recording.methods import RecordedMethod

        cls.static_values = WatchedStatics(self, cls)
        return RecordedMethod

    def run(self, site: Site, reads: Sequence[ValueSource], cell: Cell | None = None) -> ProvenanceStep:
        """Record that a site ran now."""
        state = self.state
        step = state.context.step(site, reads, state.decided_by, cell)
        if state.attempted is not None:
            state.attempted[step] = None
        return step

    def mute_reads(self, run: Closure) -> Closure:
        """Wrap a closure whose reads change no value: the predicate of a contract."""

        def muted(variables: Variables) -> Any:
            with self.state.apart():
                return run(variables)

        return muted

    def carry_state(self, task: Callable[[], Any]) -> Callable[[], Any]:
        """Wrap a task for a branch of `Parallel`, so that it continues from the current state."""
        state = self.state
        there = (state.decided_by, state.context, state.site, state.attempted)
        outer = state.reads

        def run() -> Any:
            reads: list[ValueSource] = []
            before = (state.decided_by, state.context, state.site, state.attempted)
            state.decided_by, state.context, state.site, state.attempted = there
            try:
                with state.apart() as reads:
                    return task()
            finally:
                state.decided_by, state.context, state.site, state.attempted = before
                outer.extend(reads)

        return run

    # -- values ------------------------------------------------------------------------------------------------------

    def read(self, values: WatchedValues, key: Any) -> None:
        step = self.current(values, key)
        if step is not None:
            self.state.reads.append(step)

    def final(self, values: Any, key: Any) -> ProvenanceStep | None:
        """Return the step that finally produced a value; None if its declaration is the only source."""
        if key not in values.cells.written and not self.withheld.knows(values.target(key)):
            return None
        return self.current(values, key)

    def record_write(self, values: WatchedValues, key: Any, value: Any) -> None:
        """Record a stored value: by the statement that is storing, or as a first value."""
        state = self.state
        writer = state.writer
        if writer is None:
            return
        cell = (values.cells, key)
        step = self.run(writer.site, (*state.reads, *writer.more), cell)
        if writer.value is not value and not _is_same(writer.value, value):
            declaration = values.declaration(key)
            if declaration is not None:
                step = self.run(self.contract_site(declaration), (step,), cell)
        values.cells.written[key] = (step, self.tick())

    def record_attribute(self, values: WatchedValues, key: Any) -> None:
        """Record a value stored by `setAttr`, which is Python code acting for the calling statement."""
        site = self.state.site
        if site is not None:
            storing = self.site_like(site, How.ASSIGNMENT, f"setAttr {key[-1]}")
            step = self.run(storing, tuple(self.state.reads), (values.cells, key))
            values.cells.written[key] = (step, self.tick())

    # -- decisions -----------------------------------------------------------------------------------------------------

    def decide(self, step: ProvenanceStep, effects: WriteEffects, variables: Variables) -> None:
        """Let a step decide what runs from here on; what other code would have written depends on it as well."""
        self.state.decided_by = (step,)
        for name in effects.variables:
            key = shadow_key(name)
            before = variables.get(key)
            variables[key] = step if before is None else self.join_steps(before, (step,))
        names = self._properties(effects)
        if names:
            now = self.tick()
            for name in names:
                self.withheld.note(name, step, now)

    def _properties(self, effects: WriteEffects) -> frozenset[str]:
        if not effects.calls and not effects.properties:
            return frozenset()
        classes = self.runtime.list_classes()
        closed = self._written_properties.get(id(effects))
        if closed is None or closed[0] != len(classes):
            closed = (len(classes), find_written_properties(effects, classes))
            self._written_properties[id(effects)] = closed
        return closed[1]

    # -- sites -----------------------------------------------------------------------------------------------------------

    def site_like(self, at: Site, how: How, note: str) -> Site:
        """Return the site of another kind of step at the same location."""
        return self.site((at, how, note), at.place, how, note)

    def site_at(self, declaration: PropertyDeclaration, place: Place) -> Site:
        return self.site(declaration, place, How.DEFAULT, declaration.name)

    def contract_site(self, declaration: PropertyDeclaration) -> Site:
        return self.site((declaration,), declaration.contract_place, How.CONVERSION)

    # -- sources other than property values ------------------------------------------------------------------------

    def find_maker(self, object_: MuranoObject) -> ProvenanceStep | None:
        """Return the creator of an object: the statement, or the entry of the model."""
        return self.maker(object_.id, object_.name or object_.id)

    def maker(self, object_id: str, title: str, key: str = "") -> ProvenanceStep | None:
        """Return the statement that created an object, or its header in the model, or one line of the header."""
        step = self.created.get(object_id) or self._in_model.get((object_id, key))
        defined = self.runtime.origins.get(object_id)
        if step is None and defined is not None:
            place = defined[0].of_header(defined[1], key)
            if place is not None:
                note = f"{key} of {title}" if key else f"object {title}"
                step = self._in_model[object_id, key] = ProvenanceStep(Site(place, How.INPUT, note))
        return step

    def find_model_step(self, object_: MuranoObject, name: str) -> ProvenanceStep | None:
        """Return the entry of the model that provides a value for a constructor."""
        step = self._in_model.get((object_.id, "." + name))
        defined = self.runtime.origins.get(object_.id)
        if step is None and defined is not None:
            place = defined[0].of_value(defined[1], name)
            if place is not None:
                step = self._in_model[object_.id, "." + name] = ProvenanceStep(Site(place, How.INPUT, name))
        return step

    def read_header(self, object_: MuranoObject, key: str) -> None:
        step = self.maker(object_.id, object_.name or object_.id, key)
        if step is not None:
            self.state.reads.append(step)

    def read_resource(self, name: str, text: Text) -> None:
        step = self._resources.get(text.name)
        if step is None:
            place = Place(text, Span(0, len(text.text)))
            step = self._resources[text.name] = ProvenanceStep(Site(place, How.FILE, name))
        self.state.reads.append(step)


def _is_same(before: Any, after: Any) -> bool:
    return type(before) is type(after) and bool(before == after)
