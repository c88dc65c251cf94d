"""Which instances are shown: instances that a library created for itself are hidden unless they are used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sabir.graph.graph import Graph, Instance
from sabir.graph.values import Ref, Sensitive, Value


def find_aliases(graph: Graph) -> Mapping[str, Sequence[str]]:
    """Return the other names of instances by id: the outputs (variables of the project) bound to them."""
    names: dict[str, list[str]] = {}
    for name, value in graph.outputs.items():
        instance = graph.get(value.id) if isinstance(value, Ref) else None
        if instance is not None and name != instance.name:
            names.setdefault(instance.id, []).append(name)
    return names


def without_libraries(graph: Graph) -> Graph:
    """Return the graph without library instances that no visible instance refers to; itself when there are none."""
    if not any(instance.library for instance in graph):
        return graph
    shown = {instance.id: None for instance in graph if not instance.library}
    waiting = [*shown]
    for value in graph.outputs.values():
        waiting += _value_references(value)
    for id_ in waiting:
        instance = graph.get(id_)
        if instance is None:
            continue
        shown[id_] = None
        waiting += [other for other in _list_references(instance) if other not in shown and other in graph]
    return Graph(
        (instance for instance in graph if instance.id in shown),
        outputs=graph.outputs,
        output_origins=graph.output_origins,
    )


def _list_references(instance: Instance) -> Iterator[str]:
    if instance.owner is not None:
        yield instance.owner
    for ids in instance.relations.values():
        yield from ids
    yield from instance.requires
    for value in instance.attributes.values():
        yield from _value_references(value)


def _value_references(value: Value) -> Iterator[str]:
    match value:
        case Ref():
            yield value.id
        case Sensitive():
            return
        case Mapping():
            for item in value.values():
                yield from _value_references(item)
        case str() | bytes():
            return
        case Sequence():
            for item in value:
                yield from _value_references(item)
        case _:
            return
