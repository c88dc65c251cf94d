"""Ownership and links of instances, as pictures draw them.

Two instances have one link, however many relations connect them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from sabir.graph.graph import Graph, Instance
from sabir.graph.order import ContainmentIndex


class Ownership(Struct, frozen=True):
    """Owners without cycles: every instance is below exactly one root."""

    roots: tuple[Instance, ...]
    parts: Mapping[str, tuple[Instance, ...]]
    owner: Mapping[str, str]


class InstanceLink(Struct, frozen=True):
    """A link from one instance to another."""

    source: str
    target: str
    names: tuple[str, ...]
    """The relations it represents; empty when the source only requires the target."""


def build_ownership(graph: Graph) -> Ownership:
    """Return the ownership forest of a graph. Owners that are not in the graph are ignored."""
    owner = {
        instance.id: instance.owner
        for instance in graph
        if instance.owner is not None and instance.owner in graph
    }
    # A graph from a file may have a cycle of owners: its first instance counts as a root.
    settled: set[str] = set()
    for instance in graph:
        path: dict[str, None] = {}
        above: str | None = instance.id
        while above is not None and above not in settled:
            if above in path:
                del owner[above]
                break
            path[above] = None
            above = owner.get(above)
        settled.update(path)
    parts: dict[str, list[Instance]] = {}
    for instance in graph:
        if instance.id in owner:
            parts.setdefault(owner[instance.id], []).append(instance)
    return Ownership(
        roots=tuple(instance for instance in graph if instance.id not in owner),
        parts={id_: tuple(below) for id_, below in parts.items()},
        owner=owner,
    )


def walk_nested(tree: Ownership) -> Iterator[tuple[Instance | None, int]]:
    """Yield every instance before its parts, with its depth from 1; after the parts None with the owner's depth."""
    stack: list[tuple[Instance | None, int]] = [(root, 1) for root in reversed(tree.roots)]
    while stack:
        instance, depth = stack.pop()
        yield instance, depth
        parts = () if instance is None else tree.parts.get(instance.id, ())
        if parts:
            stack.append((None, depth))
            stack += [(part, depth + 1) for part in reversed(parts)]


def find_links(graph: Graph, tree: Ownership) -> list[InstanceLink]:
    """Return the links between instances. Links between an owner and its part are omitted: nesting shows them."""
    names: dict[tuple[str, str], list[str]] = {}
    for instance in graph:
        for name, ids in instance.relations.items():
            for id_ in ids:
                labels = names.setdefault((instance.id, id_), [])
                if name not in labels:
                    labels.append(name)
        for id_ in instance.requires:
            names.setdefault((instance.id, id_), [])
    number = {instance.id: position for position, instance in enumerate(graph)}
    nesting = ContainmentIndex(
        [number[tree.owner[instance.id]] if instance.id in tree.owner else -1 for instance in graph]
    )
    return [
        InstanceLink(source, target, tuple(labels))
        for (source, target), labels in names.items()
        if target in graph and not nesting.is_along(number[source], number[target])
    ]
