"""Which values rest on which lines: provenance read backwards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sabir.graph.graph import Graph, Instance
from sabir.graph.origin import AttributeRead, Origin
from sabir.graph.record import RecordLayout
from sabir.interpreter import collector_paused
from sabir.text import Location, Source

_Subject = tuple[str | None, str | None]


class Dependent(NamedTuple):  # there may be as many as the graph has values
    """Something that rests on a line: an instance itself, one of its attributes or relations, or an output."""

    instance: str | None
    attribute: str | None
    through: AttributeRead | None = None
    """The value next to it on the way to the line; None when the line made it directly."""


def lines_of(origin: Origin) -> tuple[str, range]:
    """The file of an origin and the lines its place covers."""
    place = origin.place
    if isinstance(place, Location):
        return place.file, range(place.line, place.line + 1)
    source, span = place.source, place.span
    first = source.line_column(span.start)[0]
    # A span that ends behind a line break does not cover the line that begins there.
    last = source.line_column(max(span.start, span.end - 1))[0]
    return source.name, range(first, last + 1)


class Dependence:
    """What rests on what: made in one walk over a graph, then asked for any number of lines.

    Origins are known by their identity here: they are shared, and the graph keeps them.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._made_by: dict[int, list[_Subject]] = {}
        self._resting_on: defaultdict[int, list[Origin]] = defaultdict(list)
        self._reading: defaultdict[_Subject, list[Origin]] = defaultdict(list)
        self._in_source: defaultdict[Source | str, list[Origin]] = defaultdict(list)
        with collector_paused():
            self._walk()

    @property
    def files(self) -> frozenset[str]:
        """The files that values come from."""
        return frozenset(source if isinstance(source, str) else source.name for source in self._in_source)

    def lines(self, file: str) -> int | None:
        """How many lines a file has; None when its text is not at hand."""
        sources = (source for source in self._in_source if isinstance(source, Source) and source.name == file)
        return next((len(source.text.splitlines()) for source in sources), None)

    def on_line(self, file: str, line: int) -> list[Dependent]:
        """Everything that rests on a line, directly or through other values, in graph order."""
        with collector_paused():
            affected = self._spread(self.find_origins(file, line))
            order = (
                {instance.id: position for position, instance in enumerate(self._graph)} if affected else {}
            )
            return sorted(affected.values(), key=lambda entry: _sort_key(entry, order))

    def find_dependents(self, origins: Iterable[Origin]) -> Mapping[tuple[str | None, str | None], Dependent]:
        """Everything that rests on one of these origins, by instance and attribute."""
        with collector_paused():
            return self._spread(origin for origin in origins if id(origin) in self._made_by)

    # The walk

    def _walk(self) -> None:
        made_by, enter = self._made_by, self._enter
        plans: dict[tuple[RecordLayout, RecordLayout, RecordLayout], list[tuple[str, int]]] = {}
        for instance in self._graph:
            id_, creation, row = instance.id, instance.origin, instance.origins.row
            with_it: list[_Subject] = []
            if creation is not None:
                with_it = made_by.get(id(creation)) or enter(creation)
                with_it.append((id_, None))
            layouts = instance.attributes.layout, instance.relations.layout, instance.origins.layout
            plan = plans.get(layouts)
            if plan is None:
                plan = plans[layouts] = _value_positions(instance)
            for name, position in plan:
                # What has no origin of its own was made with its instance.
                if position < 0 or row[position] is creation:
                    with_it.append((id_, name))
                else:
                    origin = row[position]
                    (made_by.get(id(origin)) or enter(origin)).append((id_, name))
        for name, origin in self._graph.output_origins.items():
            enter(origin).append((None, name))

    def _enter(self, origin: Origin) -> list[_Subject]:
        """Note an origin and all that it rests on, if that was not done; the list of what it made."""
        made_by = self._made_by
        if id(origin) in made_by:
            return made_by[id(origin)]
        subjects: list[_Subject] = []
        made_by[id(origin)] = subjects
        waiting = [origin]
        for entered in waiting:
            place = entered.place
            self._in_source[place.file if isinstance(place, Location) else place.source].append(entered)
            for source in entered.sources:
                if isinstance(source, AttributeRead):
                    self._reading[source].append(entered)
                    continue
                self._resting_on[id(source)].append(entered)
                if id(source) not in made_by:
                    made_by[id(source)] = []
                    waiting.append(source)
        return subjects

    # The question

    def find_origins(self, file: str, line: int) -> Iterator[Origin]:
        """The origins whose place covers a line or a part of it: of values, and of what values were computed from."""
        for source, origins in self._in_source.items():
            if isinstance(source, str):
                if source == file:
                    yield from (origin for origin in origins if origin.location.line == line)
            elif source.name == file and line <= len(source.line_starts):
                # Comparing offsets is quicker than looking up lines.
                start = source.offset(line)
                end = start + len(source.line_text(line)) + 1
                for origin in origins:
                    span = origin.place.span  # type: ignore[union-attr]  # those with a location stand by their file
                    if span.start < end and (span.end > start or span.start >= start):
                        yield origin

    def _spread(self, touched: Iterable[Origin]) -> dict[_Subject, Dependent]:
        affected: dict[_Subject, Dependent] = {}
        seen: set[int] = set()
        nearest: list[tuple[Origin, AttributeRead | None]] = [(origin, None) for origin in touched]
        while nearest:
            # All that one value leads to before what that leads to in turn: each is told by its shortest way.
            further: list[tuple[Origin, AttributeRead | None]] = []
            for origin, through in nearest:
                if id(origin) in seen:
                    continue
                seen.add(id(origin))
                nearest += [(reader, through) for reader in self._resting_on.get(id(origin), ())]
                for subject in self._made_by[id(origin)]:
                    if subject not in affected:
                        instance, attribute = subject
                        affected[subject] = Dependent(instance, attribute, through)
                        if instance is not None and subject in self._reading:
                            read = AttributeRead(instance, attribute)
                            further += [(reader, read) for reader in self._reading[subject]]
            nearest = further
        return affected


def _sort_key(affected: Dependent, order: dict[str, int]) -> tuple[int, str]:
    position = len(order) if affected.instance is None else order[affected.instance]
    return position, affected.attribute or ""


def _value_positions(instance: Instance) -> list[tuple[str, int]]:
    """The names of its values, each with where its origin stands in the row, or -1: the same for all of its layouts."""
    index = instance.origins.layout.index
    return [(name, index.get(name, -1)) for name in (*instance.attributes, *instance.relations)]
