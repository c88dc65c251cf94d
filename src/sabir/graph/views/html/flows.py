"""The flow of values: whose values an instance was computed from. No relation need tell of it, across languages none does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sabir.graph.graph import Graph
from sabir.graph.origin import AttributeRead, Origin

__all__ = ["Flows", "value_flows"]

Flows = Mapping[int, Sequence[int]]
"""By number of an instance the instances that it directly read."""

_MOST_STEPS: Final = 500
"""Steps that are followed from one value; only a tangle has more."""


def value_flows(graph: Graph) -> Flows:
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
