"""Which values rest on which lines: provenance read backwards."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator

from sabir.dataclasses import dataclass, field
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
class _Line:
    """A line, and which origins stand on it."""

    file: str
    line: int
    # The offsets of the line in each source of that name: comparing them is quicker than looking up lines.
    _edges: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])

    def has(self, origin: Origin) -> bool:
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
    steps = _Steps(_Line(file, line))
    for subject, origin in _subjects(graph):
        steps.made(subject, origin)
    found = steps.affected()
    order = {instance.id: position for position, instance in enumerate(graph)}
    return sorted(found.values(), key=lambda one: _sort_key(one, order))


class _Steps:
    """The steps of all chains, turned round. Origins are shared, so each is looked at once, however deep it lies."""

    def __init__(self, line: _Line) -> None:
        self._line = line
        self._made: dict[int, list[_Subject]] = {}
        """By identity of an origin what it made; the graph keeps the origins alive."""
        self._above: defaultdict[int, list[int]] = defaultdict(list)
        self._readers: defaultdict[AttributeRead, list[int]] = defaultdict(list)
        self._on_line: list[int] = []

    def made(self, subject: _Subject, origin: Origin) -> None:
        known = self._made.get(id(origin))
        if known is None:
            known = self._look(origin)
        known.append(subject)

    def _look(self, origin: Origin) -> list[_Subject]:
        own: list[_Subject] = []
        self._made[id(origin)] = own
        todo = [origin]
        while todo:
            one = todo.pop()
            if self._line.has(one):
                self._on_line.append(id(one))
            for source in one.sources:
                if isinstance(source, AttributeRead):
                    self._readers[source].append(id(one))
                    continue
                self._above[id(source)].append(id(one))
                if id(source) not in self._made:
                    self._made[id(source)] = []
                    todo.append(source)
        return own

    def affected(self) -> dict[_Subject, Affected]:
        found: dict[_Subject, Affected] = {}
        seen: set[int] = set()
        # Nearest first: the way that is named is a short one.
        todo: deque[tuple[int, AttributeRead | None]] = deque((one, None) for one in self._on_line)
        while todo:
            origin, through = todo.popleft()
            if origin in seen:
                continue
            seen.add(origin)
            todo.extendleft((one, through) for one in self._above.get(origin, ()))
            for subject in self._made[origin]:
                if subject in found:
                    continue
                found[subject] = Affected(*subject, through=through)
                if subject[0] is not None:
                    read = AttributeRead(subject[0], subject[1])
                    todo.extend((one, read) for one in self._readers.get(read, ()))
        return found


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
