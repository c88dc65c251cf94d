"""The recorded steps to a value as origins: loops merged, what an attribute of the graph tells left to that attribute."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from itertools import islice
from typing import Final

from sabir.graph.origin import AttributeRead, How, Origin
from sabir.languages.muranopl.evaluate.objects import MuranoObject
from sabir.languages.muranopl.evaluate.tracking.records import Cell, Initial, Join, Record, Site
from sabir.languages.muranopl.evaluate.tracking.storage import TrackedProperties
from sabir.languages.muranopl.evaluate.tracking.tracker import Tracker
from sabir.languages.muranopl.graph.origins import Origins
from sabir.namedtuples import NamedTuple

__all__ = ["Steps"]

Source = Origin | AttributeRead
_SMALL: Final = 16
"""Steps of a circle that each name all others; of a larger one they name the first, which names all."""
_NEAR: Final = 64


class _Shape(NamedTuple):
    """A step without the circles: its site, and what it rests on."""

    site: Site
    edges: tuple[Record | Source, ...]


class Steps:
    """Origins of recorded steps. `shown` are the properties that the graph has, by object id and name."""

    def __init__(self, tracker: Tracker, origins: Origins, shown: frozenset[tuple[str, str]]) -> None:
        self.tracker = tracker
        self.origins = origins
        self.shown = shown
        self._done: dict[Record, Origin] = {}
        self._merged: dict[frozenset[Record], Record] = {}

    def of_object(self, object_: MuranoObject) -> Origin:
        made = self.tracker.made(object_)
        if made is None:
            return self.origins.of_object(object_)
        return self._origin(made)

    def of_property(self, object_: MuranoObject, name: str) -> Origin | None:
        record = self.tracker.final(object_.properties, name)
        if record is None:
            assert isinstance(object_.properties, TrackedProperties)
            record = self.tracker.current(object_.properties, name)
        return None if record is None else self._origin(record)

    # -- one step --------------------------------------------------------------------------------------------------------

    def _shape(self, record: Record, *, is_told: bool = False) -> _Shape:
        is_told = is_told or self._read(record) is not None
        if isinstance(record, Join):
            first, *others = record.sources
            site, edges = self._shape(first, is_told=is_told)
            return _Shape(site, tuple(dict.fromkeys((*edges, *self._sources(others)))))
        site, edges = self._first_value(record) if isinstance(record, Initial) else self._step(record)
        if site.note is None and record.cell is not None and not is_told:
            site = Site(
                site.place, site.how, _title(record.cell)
            )  # no attribute of the graph says what it made
        return _Shape(site, edges)

    def _step(self, record: Record) -> _Shape:
        return _Shape(record.site, tuple(self._sources(_deciding(record))))

    def _first_value(self, record: Initial) -> _Shape:
        declaration, reads = record.declaration, tuple(record.sources)
        contract = self.tracker.contract_site(declaration)
        if record.given is not None:
            if record.is_converted:
                return _Shape(contract, tuple(self._sources((record.given, *reads))))
            return _Shape(record.given.site, tuple(self._sources((*record.given.all_sources(), *reads))))
        outside = None
        if record.object_id is not None:
            outside = self.origins.given_parts(record.object_id, declaration)
        if outside is not None:
            if record.is_converted or reads:
                return _Shape(contract, (outside, *self._sources(reads)))
            return _Shape(Site(outside.place, outside.how, outside.note), outside.sources)
        default = self.origins.default(declaration)
        site = Site(default.place, How.DEFAULT, default.note)
        if reads and not declaration.configured:
            site = Site(default.place, How.EXPRESSION, "default")
        owner = () if record.owner is None else (record.owner,)
        if record.is_converted:
            return _Shape(contract, (Record(site, (*reads, *owner)),))
        return _Shape(site, tuple(self._sources((*reads, *owner))))

    def _sources(self, records: Iterable[Record]) -> Iterator[Record | Source]:
        """What a step names: attributes of the graph, and steps that no attribute tells, equal ones as one."""
        groups: dict[object, list[Record]] = {}
        for record in _flat(records, self._read):
            read = self._read(record)
            if read is not None:
                groups.setdefault(read, [])
                continue
            groups.setdefault(self._kind(record), []).append(record)
        for key, group in groups.items():
            if isinstance(key, AttributeRead):
                yield key
            elif len(group) == 1:
                yield group[0]
            else:
                yield self._one_of(group)

    def _one_of(self, group: list[Record]) -> Record:
        key = frozenset(group)
        found = self._merged.get(key)
        if found is None:
            below = (one for record in group for one in record.all_sources() if one not in key)
            first = group[0]
            if isinstance(first, Initial):
                found = first.like(below)
            else:
                found = Record(first.site, below, None, first.cell)
            self._merged[key] = found
        return found

    def _kind(self, record: Record) -> object:
        """What steps that are told as one have in common."""
        site = record.site
        if not isinstance(record, Initial):
            return (site.place, site.how, site.note)
        if record.object_id in self.origins.runtime.origins:
            return record  # the model gives each object its own values
        return (record.declaration, record.is_converted, None if record.given is None else record.given.site)

    def _read(self, record: Record) -> AttributeRead | None:
        """The attribute whose value a step made, when that is the value it has in the end."""
        cell = record.cell
        if cell is None or cell.cells.owner is None or (cell.cells.owner, cell.key) not in self.shown:
            return None
        known = cell.cells.records.get(cell.key)
        if known is None or known[0] is not record:
            return None
        return AttributeRead(cell.cells.owner, str(cell.key))

    # -- all steps below -------------------------------------------------------------------------------------------------

    def _origin(self, record: Record) -> Origin:
        found = self._done.get(record)
        if found is None:
            for circle in _circles(record, self._shape, self._done):
                self._note(circle)
            found = self._done[record]
        return found

    def _note(self, circle: list[tuple[Record, _Shape]]) -> None:
        """Origins of steps that rest on each other; all that is outside of the circle has one already."""
        members = {record for record, _ in circle}

        def outside(shape: _Shape) -> tuple[Source, ...]:
            return tuple(
                self._done[one] if isinstance(one, Record) else one
                for one in shape.edges
                if not (isinstance(one, Record) and one in members)
            )

        if len(circle) == 1:
            ((record, shape),) = circle
            self._done[record] = _made(shape.site, outside(shape))
            return
        parts = {record: _made(shape.site, outside(shape)) for record, shape in circle}
        if len(circle) > _SMALL:
            (first, shape), *_ = circle
            whole = _made(
                shape.site, (*parts[first].sources, *(one for key, one in parts.items() if key is not first))
            )
            for record, shape in circle:
                self._done[record] = whole if record is first else _made(shape.site, (*outside(shape), whole))
            return
        for record, shape in circle:
            others = (one for key, one in parts.items() if key is not record)
            self._done[record] = _made(shape.site, (*parts[record].sources, *others))


def _made(site: Site, sources: tuple[Source, ...]) -> Origin:
    return Origin(site.place, site.how, sources, site.note)


def _title(cell: Cell) -> str:
    key = cell.key[-1] if isinstance(cell.key, tuple) else cell.key
    return f"{cell.cells.title}.{key}"


def _flat(records: Iterable[Record], is_told: Callable[[Record], object]) -> Iterator[Record]:
    """Joins are no steps of their own, unless an attribute of the graph tells them."""
    waiting = list(records)[::-1]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Join) and is_told(one) is None:
            waiting.extend(reversed(one.sources))
        else:
            yield one


def _deciding(record: Record) -> list[Record]:
    """What a step read, and what decided that it was taken, unless what it read rests on that anyway."""
    found = list(record.sources)
    control = record.control
    if control is None or _is_near(control, found):
        return found
    if control.site.place == record.site.place:
        return [*found, *_deciding(control)]  # a call and its argument stand in one line
    return [*found, control]


def _is_near(wanted: Record, start: Iterable[Record]) -> bool:
    near = list(start)
    seen = set(near)
    for one in near:
        if one is wanted:
            return True
        if len(near) < _NEAR:
            fresh = [source for source in islice(one.all_sources(), _NEAR) if source not in seen]
            seen.update(fresh)
            near.extend(fresh)
    return False


def _circles(
    start: Record, shape_of: Callable[[Record], _Shape], done: Container[Record]
) -> Iterator[list[tuple[Record, _Shape]]]:
    """The steps below one, in circles of those that rest on each other, each after all that it rests on (Tarjan)."""
    shapes: dict[Record, _Shape] = {start: shape_of(start)}
    index: dict[Record, int] = {start: 0}
    low: dict[Record, int] = {start: 0}
    waiting = [start]
    is_waiting = {start}
    path: list[tuple[Record, Iterator[Record | Source]]] = [(start, iter(shapes[start].edges))]
    while path:
        record, edges = path[-1]
        for one in edges:
            if not isinstance(one, Record) or one in done:
                continue
            if one not in index:
                index[one] = low[one] = len(index)
                shapes[one] = shape_of(one)
                waiting.append(one)
                is_waiting.add(one)
                path.append((one, iter(shapes[one].edges)))
                break
            if one in is_waiting:
                low[record] = min(low[record], index[one])
        else:
            path.pop()
            if path:
                low[path[-1][0]] = min(low[path[-1][0]], low[record])
            if low[record] == index[record]:
                circle: list[Record] = []
                while not circle or circle[-1] is not record:
                    circle.append(waiting.pop())
                    is_waiting.discard(circle[-1])
                yield [(one, shapes.pop(one)) for one in reversed(circle)]
