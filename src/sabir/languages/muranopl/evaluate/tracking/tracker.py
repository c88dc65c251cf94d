"""The steps of one run: what is read, what decides, what is written."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from sabir.expressions.yaql import Variables
from sabir.expressions.yaql.scope import Closure
from sabir.graph.origin import How
from sabir.languages.muranopl.evaluate.tracking.effects import Effects, closed_effects
from sabir.languages.muranopl.evaluate.tracking.records import Cell, Context, Join, Made, Record, Site
from sabir.languages.muranopl.evaluate.tracking.storage import TrackedAttributes, TrackedStatics
from sabir.namedtuples import NamedTuple
from sabir.text import Location, Place, Source, Span

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.classes import MuranoClass
    from sabir.languages.muranopl.evaluate.methods import Method
    from sabir.languages.muranopl.evaluate.objects import MuranoObject
    from sabir.languages.muranopl.evaluate.properties import PropertyDeclaration
    from sabir.languages.muranopl.evaluate.runtime import Runtime
    from sabir.languages.muranopl.evaluate.tracking.storage import _Tracked

__all__ = ["Arguments", "Tracker", "Writer", "shadow"]

_PRECISE: Final = 100
"""Steps of one site that are told apart in one context; then they gather in one."""
_NEAR: Final = 24
"""Steps that are looked at to see whether a step rests on its own last round."""


def shadow(name: str) -> str:
    """The key, beside a local variable, of the step that made it. No variable can have such a name."""
    return "~" + name


class Arguments(NamedTuple):
    """What was read for each argument of a call, and for its receiver."""

    receiver: Sequence[Record]
    positional: Sequence[Sequence[Record]]
    named: dict[str, Sequence[Record]]
    keep: int
    """How many reads of the calling statement stand before the receiver."""
    maker: Record | None = None
    """The step that made the object whose constructor it is."""

    def everything(self) -> list[Record]:
        return [one for reads in (*self.positional, *self.named.values()) for one in reads]


class Writer(NamedTuple):
    """The statement that is storing a value."""

    site: Site
    value: Any
    more: Sequence[Record] = ()


class _State(threading.local):
    """Where one thread is. Branches of `Parallel` have one each."""

    def __init__(self) -> None:
        self.log: list[Record] = []
        """What the running expression has read so far."""
        self.control: Record | None = None
        """What decided last that the running statement runs."""
        self.context = Context()
        self.site: Site | None = None
        """The statement that runs."""
        self.writer: Writer | None = None
        self.receiver = 0
        self.arguments: list[Sequence[Record]] = []
        self.pending: Arguments | None = None
        self.result: Sequence[Record] = ()
        self.given: dict[str, Sequence[Record]] | None = None
        """What was read for each property that `new` is given."""
        self.call: Arguments | None = None
        """The call that is entered."""
        self.trace: dict[Record, None] | None = None
        """The steps taken inside of `Try`: whether it fails rests on them."""
        self.attempts: list[Any] = []

    def frame(self) -> tuple[Any, ...]:
        """What a call changes."""
        return (self.control, self.context, self.arguments, self.writer, self.given, self.call)

    def enter(self, control: Record | None, context: Context, call: Arguments) -> None:
        self.control, self.context, self.arguments, self.writer = control, context, [], None
        self.given, self.call, self.result = None, call, ()

    def leave(self, frame: tuple[Any, ...]) -> None:
        self.control, self.context, self.arguments, self.writer, self.given, self.call = frame
        self.result = ()


class Tracker:
    """Records the steps of one run."""

    def __init__(self) -> None:
        self.state = _State()
        self.created: dict[str, Record] = {}
        """What made the objects that code made, by id."""
        self._time = 0
        self._omitted: dict[str, dict[Record, int]] = {}
        """What decided that properties were not written, by name, the latest last."""
        self._headers: dict[tuple[str, str], Record] = {}
        self._resources: dict[str, Record] = {}
        self._sites: dict[object, Site] = {}
        self._closed: dict[int, tuple[int, frozenset[str]]] = {}
        self.runtime: Runtime

    def watch(self, runtime: Runtime) -> None:
        """Record what a runtime does from now on."""
        self.runtime = runtime
        runtime.attributes.keep_in(TrackedAttributes(self, None, "attribute"))
        runtime.scheduler.carry = self.carried

    def watch_class(self, cls: MuranoClass) -> type[Method]:
        """Record the static properties of a class; gives what its methods are made of."""
        from sabir.languages.muranopl.evaluate.tracking.methods import TrackedMethod

        cls.static_values = TrackedStatics(self, cls)
        return TrackedMethod

    def tick(self) -> int:
        self._time += 1
        return self._time

    # -- steps -------------------------------------------------------------------------------------------------------

    def record(self, site: Site, sources: Sequence[Record], cell: Cell | None = None) -> Record:
        """A step of a site. It is the last one once more, when it rests on that or there are very many."""
        state = self.state
        key = site if cell is None else (site, id(cell.cells), cell.key)
        made = state.context.made.get(key)
        if made is None:
            made = state.context.made[key] = Made()
        made.count += 1
        last = made.last
        if last is not None and (made.count > _PRECISE or self._rests_on(last, sources, state.control)):
            last.gather(sources, state.control)
            found = last
        else:
            found = made.last = Record(site, sources, state.control, cell)
        if state.trace is not None:
            state.trace[found] = None
        return found

    def _rests_on(self, last: Record, sources: Sequence[Record], control: Record | None) -> bool:
        near = [*sources] if control is None else [*sources, control]
        seen = set(map(id, near))
        for one in near:
            if one is last:
                return True
            if len(near) < _NEAR:
                for source in islice(one.all_sources(), _NEAR):
                    if id(source) not in seen:
                        seen.add(id(source))
                        near.append(source)
        return False

    @contextmanager
    def apart(self) -> Generator[list[Record]]:
        """Read for something else than the running statement; gives the list of what is read."""
        state = self.state
        outer, writer, given = state.log, state.writer, state.given
        state.log, state.writer, state.given = [], None, None
        try:
            yield state.log
        finally:
            state.log, state.writer, state.given = outer, writer, given

    def unseen(self, run: Closure) -> Closure:
        """A closure whose reads change no value: the predicate of a contract."""

        def muted(variables: Variables) -> Any:
            with self.apart():
                return run(variables)

        return muted

    def carried(self, task: Callable[[], Any]) -> Callable[[], Any]:
        """A task for a branch of `Parallel`, which goes on from where this one is."""
        state = self.state
        control, context, site, trace, log = state.control, state.context, state.site, state.trace, state.log

        def run() -> Any:
            reads: list[Record] = []
            before = (state.control, state.context, state.site, state.trace)
            state.control, state.context, state.site, state.trace = control, context, site, trace
            try:
                with self.apart() as reads:
                    return task()
            finally:
                state.control, state.context, state.site, state.trace = before
                log.extend(reads)

        return run

    # -- values ------------------------------------------------------------------------------------------------------

    def read(self, values: _Tracked, key: Any) -> None:
        found = self.current(values, key)
        if found is not None:
            self.state.log.append(found)

    def current(self, values: _Tracked, key: Any) -> Record | None:
        """The step that made a value, with what decided since then that it was not written again."""
        cells = values.cells
        known = cells.records.get(key)
        omitted = self._omitted.get(values.name_of(key))
        if known is None:
            first = values.first(key)
            if first is None and not omitted:
                return None
            known = (first or Join((), Cell(cells, key)), 0)
            cells.records[key] = known
        record, time = known
        if omitted:
            newer: list[Record] = []
            for one, when in reversed(omitted.items()):
                if when <= time:
                    break
                newer.append(one)
            if newer:
                record = self._joined(record, newer, Cell(cells, key))
                cells.records[key] = (record, self._time)
        return record

    def final(self, values: Any, key: Any) -> Record | None:
        """The step that made a value in the end; None when there is nothing to say but what its declaration says."""
        if key not in values.cells.records and not self._omitted.get(values.name_of(key)):
            return None
        return self.current(values, key)

    def _joined(self, record: Record, more: Iterable[Record], cell: Cell | None = None) -> Record:
        inside = record.sources if isinstance(record, Join) else {record: None}
        fresh = [one for one in more if one not in inside and one is not record.control]
        return Join((*inside, *fresh), cell) if fresh else record

    def written(self, values: _Tracked, key: Any, value: Any) -> None:
        """A value was stored: by the statement that is storing, or for the first time."""
        state = self.state
        writer = state.writer
        if writer is None:
            return
        cell = Cell(values.cells, key)
        record = self.record(writer.site, (*state.log, *writer.more), cell)
        if writer.value is not value and not _same(writer.value, value):
            record = self._converted(record, values, key, cell) or record
        values.cells.records[key] = (record, self.tick())

    def attached(self, values: _Tracked, key: Any) -> None:
        """`setAttr` stored a value: Python does that, for the statement that calls it."""
        site = self.state.site
        if site is not None:
            step = self.site_like(site, How.ASSIGNMENT, f"setAttr {key[-1]}")
            record = self.record(step, tuple(self.state.log), Cell(values.cells, key))
            values.cells.records[key] = (record, self.tick())

    def _converted(self, record: Record, values: _Tracked, key: Any, cell: Cell) -> Record | None:
        cls = getattr(values, "cls", None)
        declaration: PropertyDeclaration | None = None if cls is None else cls.members.get(key)
        if declaration is None:
            return None
        return self.record(self.contract_site(declaration), (record,), cell)

    def contract_site(self, declaration: PropertyDeclaration) -> Site:
        return self._site((declaration,), declaration.contract_place, How.CONVERSION, None)

    # -- decisions -----------------------------------------------------------------------------------------------------

    def decide(self, record: Record, effects: Effects, variables: Variables) -> None:
        """From here on a step decides what runs; what other code would have written rests on it, too."""
        self.state.control = record
        for name in effects.variables:
            key = shadow(name)
            before = variables.get(key)
            variables[key] = record if before is None else self._joined(before, (record,))
        names = self._properties(effects)
        if names:
            now = self.tick()
            for name in names:
                omitted = self._omitted.setdefault(name, {})
                omitted.pop(record, None)
                omitted[record] = now

    def _properties(self, effects: Effects) -> frozenset[str]:
        if not effects.calls and not effects.properties:
            return frozenset()
        classes = self.runtime.built_classes()
        known = self._closed.get(id(effects))
        if known is None or known[0] != len(classes):
            known = (len(classes), closed_effects(effects, classes))
            self._closed[id(effects)] = known
        return known[1]

    def site_like(self, at: Site, how: How, note: str) -> Site:
        """The site of another kind of step at the same place."""
        return self._site((at, how, note), at.place, how, note)

    def site_at(self, declaration: PropertyDeclaration, place: Place) -> Site:
        return self._site(declaration, place, How.DEFAULT, declaration.name)

    def _site(self, key: object, place: Place | Location, how: How, note: str | None) -> Site:
        found = self._sites.get(key)
        if found is None:
            found = self._sites[key] = Site(place, how, note)
        return found

    # -- things that are not values of properties ------------------------------------------------------------------------

    def made(self, object_: MuranoObject) -> Record | None:
        """What made an object: the statement, or the entry of the model."""
        return self.maker(object_.id, object_.name or object_.id)

    def maker(self, object_id: str, title: str, key: str = "") -> Record | None:
        """The statement that made an object, or its header in the model, or one line of that."""
        found = self.created.get(object_id) or self._headers.get((object_id, key))
        known = self.runtime.origins.get(object_id)
        if found is None and known is not None:
            place = known[0].of_header(known[1], key)
            if place is not None:
                note = f"{key} of {title}" if key else f"object {title}"
                found = self._headers[object_id, key] = Record(Site(place, How.INPUT, note))
        return found

    def given_in_model(self, object_: MuranoObject, name: str) -> Record | None:
        """The entry of the model that gives a value to a constructor."""
        found = self._headers.get((object_.id, "." + name))
        known = self.runtime.origins.get(object_.id)
        if found is None and known is not None:
            place = known[0].of_value(known[1], name)
            if place is not None:
                found = Record(Site(place, How.INPUT, name))
                self._headers[object_.id, "." + name] = found
        return found

    def read_header(self, object_: MuranoObject, key: str) -> None:
        found = self.maker(object_.id, object_.name or object_.id, key)
        if found is not None:
            self.state.log.append(found)

    def read_resource(self, name: str, source: Source) -> None:
        found = self._resources.get(source.name)
        if found is None:
            place = Place(source, Span(0, len(source.text)))
            found = self._resources[source.name] = Record(Site(place, How.FILE, name))
        self.state.log.append(found)


def _same(before: Any, after: Any) -> bool:
    return type(before) is type(after) and bool(before == after)
