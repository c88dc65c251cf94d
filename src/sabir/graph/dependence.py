"""Which values rest on which lines: provenance read backwards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from sabir.graph.graph import Graph
from sabir.graph.instance import Instance
from sabir.graph.origin import AttributeRead, Origin
from sabir.source.text import Location

__all__ = ["Affected", "lines_of", "values_on_line"]


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
    _known: dict[int, tuple[bool, tuple[AttributeRead, ...]]] = field(
        default_factory=dict[int, tuple[bool, tuple[AttributeRead, ...]]]
    )

    def of(self, origin: Origin) -> tuple[bool, tuple[AttributeRead, ...]]:
        known = self._known.get(id(origin))
        if known is not None:
            return known
        file, lines = lines_of(origin)
        touches = file == self.file and self.line in lines
        reads: dict[AttributeRead, None] = {}
        for source in origin.sources:
            if isinstance(source, AttributeRead):
                reads[source] = None
            else:
                inner, more = self.of(source)
                touches = touches or inner
                reads.update(dict.fromkeys(more))
        known = self._known[id(origin)] = (touches, tuple(reads))
        return known


def values_on_line(graph: Graph, file: str, line: int) -> list[Affected]:
    """Everything that rests on a line, directly or through other values, in graph order."""
    touch = _Touch(file, line)
    found: dict[tuple[str | None, str | None], Affected] = {}
    readers: defaultdict[AttributeRead, list[tuple[str | None, str | None]]] = defaultdict(list)
    for subject, origin in _subjects(graph):
        touches, reads = touch.of(origin)
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


def _readable(subject: tuple[str | None, str | None]) -> tuple[AttributeRead, ...]:
    """The subject as something that other values can read: only values of instances are."""
    instance, attribute = subject
    return () if instance is None or attribute is None else (AttributeRead(instance, attribute),)


def _sort_key(affected: Affected, order: dict[str, int]) -> tuple[int, str]:
    position = len(order) if affected.instance is None else order[affected.instance]
    return position, affected.attribute or ""


def _subjects(graph: Graph) -> Iterable[tuple[tuple[str | None, str | None], Origin]]:
    for instance in graph:
        if instance.origin is not None:
            yield (instance.id, None), instance.origin
        for name in _names(instance):
            # What has no origin of its own was made with its instance.
            origin = instance.origins.get(name) or instance.origin
            if origin is not None:
                yield (instance.id, name), origin
    for name, origin in graph.output_origins.items():
        yield (None, name), origin


def _names(instance: Instance) -> tuple[str, ...]:
    return (*instance.attributes, *instance.relations)
