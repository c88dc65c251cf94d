"""Details of instances for the panel, in blocks that the page decodes on demand.

A block is `{"files": […], "hows": […], "origins": […], "rows": […]}`, and the first one has the outputs. A row is
`[status, origin, [[attribute, value, origin], …], [[relation, [target, …], origin], …], [required, …], [[relation,
source], …], number of relations that refer to it, [instance it read, …], [instance that read it, …], number of
those]`. Origins are numbers in the block, -1 for none; targets are numbers of instances, or ids of instances that are
not in the graph.

The flow of values is computed from provenance: an instance that was computed from values of another need not have a
relation to it, and across languages it never has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from msgspec import Struct

from sabir.graph.graph import Graph, Instance
from sabir.graph.origin import AttributeRead, Origin
from sabir.graph.views.html.values import SafeLines, page_value, without_surrogates

Flows = Mapping[int, Sequence[int]]
"""By number of an instance, the instances that it directly read."""

_MOST_STEPS: Final = 500
"""Maximum number of steps followed from one value; only pathological graphs have more."""


def value_flows(graph: Graph) -> Flows:
    """Return for each instance the instances whose values it was computed from, by number."""
    number = {instance.id: position for position, instance in enumerate(graph)}
    by_origin: dict[
        int, tuple[int, ...]
    ] = {}  # by identity: origins are shared, and the graph keeps them alive
    flows: dict[int, list[int]] = {}
    for reader, instance in enumerate(graph):
        read: dict[int, None] = {}
        for origin in (instance.origin, *instance.origins.row):
            if origin is None or not origin.sources:
                continue
            sources = by_origin.get(id(origin))
            if sources is None:
                sources = by_origin[id(origin)] = _read_by(origin, number)
            read.update(dict.fromkeys(sources))
        read.pop(reader, None)
        if read:
            flows[reader] = list(read)
    return flows


def _read_by(origin: Origin, number: Mapping[str, int]) -> tuple[int, ...]:
    instances: dict[int, None] = {}
    todo = [origin]
    seen = {id(origin)}
    for step in todo:
        for source in step.sources:
            if isinstance(source, AttributeRead):
                if source.instance in number:
                    instances[number[source.instance]] = None
            elif id(source) not in seen and len(seen) < _MOST_STEPS:
                seen.add(id(source))
                todo.append(source)
    return tuple(instances)


BLOCK: Final = 1000
"""Instances per block."""
_MOST_ORIGINS: Final = 30_000
"""Maximum number of provenance steps per block; only pathological graphs have more."""
_MOST_INCOMING: Final = 200


def detail_blocks(graph: Graph, lines: SafeLines, flows: Flows) -> Iterator[dict[str, Any]]:
    """Yield the blocks of a graph in the order of its instances."""
    number = {instance.id: position for position, instance in enumerate(graph)}
    incoming = _collect_incoming(graph, number)
    readers = _invert_flows(flows)
    instances = iter(graph)
    first = True
    while (batch := list(islice(instances, BLOCK))) or first:
        origins = _Origins(lines, number)
        rows = [
            [
                *_instance_row(instance, origins, number, incoming.get(number[instance.id])),
                *_flow_columns(number[instance.id], flows, readers),
            ]
            for instance in batch
        ]
        block: dict[str, Any] = {"rows": rows}
        if first:
            block["outputs"] = [
                [
                    without_surrogates(name),
                    page_value(value, number),
                    origins.at(graph.output_origins.get(name)),
                ]
                for name, value in graph.outputs.items()
            ]
        yield block | origins.data()
        first = False


def _invert_flows(flows: Flows) -> dict[int, list[int]]:
    readers: dict[int, list[int]] = {}
    for reader, sources in flows.items():
        for source in sources:
            readers.setdefault(source, []).append(reader)
    return readers


def _flow_columns(number: int, flows: Flows, readers: Mapping[int, Sequence[int]]) -> list[Any]:
    read_by = readers.get(number, ())
    return [flows.get(number, ()), read_by[:_MOST_INCOMING], len(read_by)]


class _IncomingLinks(Struct):
    count: int
    shown: list[tuple[str, int]]


def _collect_incoming(graph: Graph, number: Mapping[str, int]) -> dict[int, _IncomingLinks]:
    """Return the relations that refer to an instance, by its number: the first ones, and how many there are."""
    incoming: dict[int, _IncomingLinks] = {}
    for source, instance in enumerate(graph):
        names = (*instance.relations.layout.keys, "requires")
        for name, targets in zip(names, (*instance.relations.row, instance.requires), strict=True):
            for target in targets:
                if target not in number:
                    continue
                links = incoming.setdefault(number[target], _IncomingLinks(0, []))
                links.count += 1
                if links.count <= _MOST_INCOMING:
                    links.shown.append((without_surrogates(name), source))
    return incoming


def _instance_row(
    instance: Instance, origins: _Origins, number: Mapping[str, int], incoming: _IncomingLinks | None
) -> list[Any]:
    def numbered(ids: Sequence[str]) -> list[int | str]:
        return [number.get(id_, without_surrogates(id_)) for id_ in ids]

    return [
        None if instance.status is None else without_surrogates(instance.status),
        origins.at(instance.origin),
        [
            [without_surrogates(name), page_value(value, number), origins.at(instance.origins.get(name))]
            for name, value in zip(instance.attributes.layout.keys, instance.attributes.row, strict=True)
        ],
        [
            [without_surrogates(name), numbered(targets), origins.at(instance.origins.get(name))]
            for name, targets in zip(instance.relations.layout.keys, instance.relations.row, strict=True)
        ],
        numbered(instance.requires),
        incoming.shown if incoming else [],
        incoming.count if incoming else 0,
    ]


class _Origins:
    """The origins of a block by number.

    An origin is `[file, line, column, how, note, line of source, [source, …]]`. A source is the number of an origin
    or `[instance, attribute]` (attribute null for the instance itself); null means that further sources were dropped.
    """

    def __init__(self, lines: SafeLines, instances: Mapping[str, int]) -> None:
        self._lines = lines
        self._instances = instances
        self._numbers: dict[int, int] = {}
        self._rows: list[list[Any]] = []
        self._files: dict[str, int] = {}
        self._hows: dict[str, int] = {}

    def at(self, origin: Origin | None) -> int:
        if origin is None:
            return -1
        number = self._numbers.get(id(origin))
        if number is not None:
            return number
        todo = [origin]
        self._note(origin)
        for step in todo:
            sources = self._rows[self._numbers[id(step)]][6]
            for source in step.sources:
                if isinstance(source, AttributeRead):
                    if source.instance in self._instances:
                        attribute = source.attribute
                        shown = None if attribute is None else without_surrogates(attribute)
                        sources.append([self._instances[source.instance], shown])
                elif id(source) in self._numbers:
                    sources.append(self._numbers[id(source)])
                elif len(self._rows) < _MOST_ORIGINS:
                    sources.append(self._note(source))
                    todo.append(source)
                else:
                    sources.append(None)
        return self._numbers[id(origin)]

    def _note(self, origin: Origin) -> int:
        location = origin.location
        number = self._numbers[id(origin)] = len(self._rows)
        self._rows.append(
            [
                self._files.setdefault(without_surrogates(location.file), len(self._files)),
                location.line,
                location.column,
                self._hows.setdefault(origin.how.value, len(self._hows)),
                None if origin.note is None else self._lines.redact(origin.note),
                self._lines.of(origin),
                [],
            ]
        )
        return number

    def data(self) -> dict[str, Any]:
        return {"files": list(self._files), "hows": list(self._hows), "origins": self._rows}
