"""Which values rest on which lines: provenance read backwards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from sabir.graph.graph import Graph
from sabir.graph.origin import AttributeRead, Origin
from sabir.source.text import Location

__all__ = ["Affected", "lines_of", "values_on_line"]

_Subject = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Affected:
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


@dataclass(slots=True)
class _Touch:
    """Whether an origin touches a line, and the values it reads; origins are shared, so each is looked at once."""

    file: str
    line: int
    known: dict[int, tuple[bool, tuple[AttributeRead, ...]]] = field(
        default_factory=dict[int, tuple[bool, tuple[AttributeRead, ...]]]
    )
    # The offsets of the line in each source of that name: comparing them is quicker than looking up lines.
    _edges: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])

    def of(self, origin: Origin) -> tuple[bool, tuple[AttributeRead, ...]]:
        known = self.known.get(id(origin))
        if known is not None:
            return known
        touches = self._is_on_line(origin)
        reads: dict[AttributeRead, None] = {}
        for source in origin.sources:
            if isinstance(source, AttributeRead):
                reads[source] = None
            else:
                inner, more = self.of(source)
                touches = touches or inner
                reads.update(dict.fromkeys(more))
        known = self.known[id(origin)] = (touches, tuple(reads))
        return known

    def _is_on_line(self, origin: Origin) -> bool:
        place = origin.place
        if isinstance(place, Location):
            return place.file == self.file and place.line == self.line
        source, span = place.source, place.span
        if source.name != self.file:
            return False
        edges = self._edges.get(id(source))
        if edges is None:
            start = source.offset(self.line) if self.line <= len(source.line_starts) else len(source.text) + 1
            edges = self._edges[id(source)] = (start, start + len(source.line_text(self.line)) + 1)
        return span.start < edges[1] and max(span.end, span.start + 1) > edges[0]


def values_on_line(graph: Graph, file: str, line: int) -> list[Affected]:
    """Everything that rests on a line, directly or through other values, in graph order."""
    touch = _Touch(file, line)
    known, look = touch.known, touch.of
    found: dict[_Subject, Affected] = {}
    readers: defaultdict[AttributeRead, list[_Subject]] = defaultdict(list)
    for subject, origin in _subjects(graph):
        touches, reads = known.get(id(origin)) or look(origin)
        if touches:
            found[subject] = Affected(*subject)
        for read in reads:
            readers[read].append(subject)
    waiting = [read for subject in found for read in _readable(subject)]
    while waiting:
        read = waiting.pop()
        for subject in readers.get(read, ()):
            if subject not in found:
                found[subject] = Affected(*subject, through=read)
                waiting.extend(_readable(subject))
    order = {instance.id: position for position, instance in enumerate(graph)}
    return sorted(found.values(), key=lambda one: _sort_key(one, order))


def _readable(subject: _Subject) -> tuple[AttributeRead, ...]:
    """The subject as something that other values can read: only values of instances are."""
    instance, attribute = subject
    return () if instance is None or attribute is None else (AttributeRead(instance, attribute),)


def _sort_key(affected: Affected, order: dict[str, int]) -> tuple[int, str]:
    position = len(order) if affected.instance is None else order[affected.instance]
    return position, affected.attribute or ""


def _subjects(graph: Graph) -> Iterator[tuple[_Subject, Origin]]:
    for instance in graph:
        id_, own = instance.id, instance.origin
        if own is not None:
            yield (id_, None), own
        index, row = instance.origins.layout.index, instance.origins.row
        for name in (*instance.attributes.layout.keys, *instance.relations.layout.keys):
            position = index.get(name)
            # What has no origin of its own was made with its instance.
            origin = own if position is None else row[position]
            if origin is not None:
                yield (id_, name), origin
    for name, origin in graph.output_origins.items():
        yield (None, name), origin
