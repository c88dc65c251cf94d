"""Which values depend on which lines: provenance in reverse.

Provenance leads from a value to its origin and from there to the steps and attributes it was computed from.
`Dependence` walks over the graph once and stores these edges in the other direction:

    origin -> subjects      what an origin made (an instance, an attribute, an output)
    origin -> origins       the steps that were computed from it
    subject -> origins      the steps that read an attribute
    source -> origins       the origins whose place is in that source

A question starts at the origins of a line and follows these edges breadth first. Evaluators share origins between all
values of one statement, so the number of origins grows with the text and not with the graph.
"""

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
    """A dependent of a line: an instance, one of its attributes or relations, or an output.

    An output has no `instance`; the instance itself has no `attribute`.
    """

    instance: str | None
    attribute: str | None
    through: AttributeRead | None = None
    """The value before this one on the path from the line; None when the line made it directly."""


def lines_of(origin: Origin) -> tuple[str, range]:
    """Return the file of an origin and the range of lines (from 1) that its place covers."""
    place = origin.place
    if isinstance(place, Location):
        return place.file, range(place.line, place.line + 1)
    source, span = place.source, place.span
    first = source.line_column(span.start)[0]
    # A span that ends after a line break does not cover the line that starts there.
    last = source.line_column(max(span.start, span.end - 1))[0]
    return source.name, range(first, last + 1)


class Dependence:
    """Reverse provenance of a graph: built in one walk, then queried for any number of lines.

    Origins are compared by identity. That is safe because they are shared and the graph keeps them alive, so an id is
    not reused.
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
        """The files in which values have an origin."""
        return frozenset(source if isinstance(source, str) else source.name for source in self._in_source)

    def lines(self, file: str) -> int | None:
        """Return how many lines a file has; None when its text is not available."""
        sources = (source for source in self._in_source if isinstance(source, Source) and source.name == file)
        return next((len(source.text.splitlines()) for source in sources), None)

    def on_line(self, file: str, line: int) -> list[Dependent]:
        """Return everything that depends on a line, directly or through other values, in graph order."""
        with collector_paused():
            affected = self._spread(self.find_origins(file, line))
            order = (
                {instance.id: position for position, instance in enumerate(self._graph)} if affected else {}
            )
            return sorted(affected.values(), key=lambda entry: _sort_key(entry, order))

    def find_dependents(self, origins: Iterable[Origin]) -> Mapping[tuple[str | None, str | None], Dependent]:
        """Return everything that depends on one of these origins, by instance and attribute."""
        with collector_paused():
            return self._spread(origin for origin in origins if id(origin) in self._made_by)

    # -- building the index

    def _walk(self) -> None:
        made_by, enter = self._made_by, self._enter
        plans: dict[tuple[RecordLayout, RecordLayout, RecordLayout], list[tuple[str, int]]] = {}
        for instance in self._graph:
            id_, creation, row = instance.id, instance.origin, instance.origins.row
            with_it: list[_Subject] = []
            if creation is not None:
                with_it = made_by.get(id(creation)) or enter(creation)
                with_it.append((id_, None))
            # Instances of the same layouts have the same values at the same positions.
            layouts = instance.attributes.layout, instance.relations.layout, instance.origins.layout
            plan = plans.get(layouts)
            if plan is None:
                plan = plans[layouts] = _value_positions(instance)
            for name, position in plan:
                # A value without its own origin was made together with its instance.
                if position < 0 or row[position] is creation:
                    with_it.append((id_, name))
                else:
                    origin = row[position]
                    (made_by.get(id(origin)) or enter(origin)).append((id_, name))
        for name, origin in self._graph.output_origins.items():
            enter(origin).append((None, name))

    def _enter(self, origin: Origin) -> list[_Subject]:
        """Record an origin and its sources, unless done already; return the list of what it made.

        Appending to `waiting` while iterating over it walks the whole chain without recursion, however long it is.
        """
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

    # -- queries

    def find_origins(self, file: str, line: int) -> Iterator[Origin]:
        """Yield the origins whose place overlaps a line: origins of values, and of what values were computed from."""
        for source, origins in self._in_source.items():
            if isinstance(source, str):
                if source == file:
                    yield from (origin for origin in origins if origin.location.line == line)
            elif source.name == file and line <= len(source.line_starts):
                # Comparing offsets is faster than computing the lines of each span.
                start = source.offset(line)
                end = start + len(source.line_text(line)) + 1
                for origin in origins:
                    span = origin.place.span  # type: ignore[union-attr]  # those with a location stand by their file
                    if span.start < end and (span.end > start or span.start >= start):
                        yield origin

    def _spread(self, touched: Iterable[Origin]) -> dict[_Subject, Dependent]:
        """Return everything reachable from the origins, each with its predecessor on a shortest path.

        `nearest` grows while it is iterated over: steps computed from a step belong to the same round, because only
        reading an attribute counts as a hop.
        """
        affected: dict[_Subject, Dependent] = {}
        seen: set[int] = set()
        nearest: list[tuple[Origin, AttributeRead | None]] = [(origin, None) for origin in touched]
        while nearest:
            # Finish all values at one distance before those at the next, so that each is reached by a shortest path.
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
    """Return the names of the values, each with the position of its origin in the row, or -1 when it has none."""
    index = instance.origins.layout.index
    return [(name, index.get(name, -1)) for name in (*instance.attributes, *instance.relations)]
