"""What pictures draw: who is part of whom, and one link between two instances however many relations they have."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from sabir.graph.graph import Graph
from sabir.graph.instance import Instance
from sabir.graph.order import Nesting

__all__ = ["Link", "Ownership", "links", "ownership"]


class Ownership(Struct, frozen=True):
    """Owners without cycles: every instance is below exactly one root."""

    roots: tuple[Instance, ...]
    parts: Mapping[str, tuple[Instance, ...]]
    owner: Mapping[str, str]


class Link(Struct, frozen=True):
    source: str
    target: str
    names: tuple[str, ...]
    """The relations that make it; empty when the source only requires the target."""


def ownership(graph: Graph) -> Ownership:
    owner = {one.id: one.owner for one in graph if one.owner is not None and one.owner in graph}
    # A graph read from a file may have owners in a circle: the first of the circle counts as a root.
    settled: set[str] = set()
    for one in graph:
        path: dict[str, None] = {}
        above: str | None = one.id
        while above is not None and above not in settled:
            if above in path:
                del owner[above]
                break
            path[above] = None
            above = owner.get(above)
        settled.update(path)
    parts: dict[str, list[Instance]] = {}
    for one in graph:
        if one.id in owner:
            parts.setdefault(owner[one.id], []).append(one)
    return Ownership(
        roots=tuple(one for one in graph if one.id not in owner),
        parts={id_: tuple(found) for id_, found in parts.items()},
        owner=owner,
    )


def links(graph: Graph, tree: Ownership) -> list[Link]:
    """Links between instances of the graph. One between an owner and its part is left out: the nesting shows it."""
    names: dict[tuple[str, str], list[str]] = {}
    for one in graph:
        for name, ids in one.relations.items():
            for id_ in ids:
                found = names.setdefault((one.id, id_), [])
                if name not in found:
                    found.append(name)
        for id_ in one.requires:
            names.setdefault((one.id, id_), [])
    number = {one.id: position for position, one in enumerate(graph)}
    nesting = Nesting([number[tree.owner[one.id]] if one.id in tree.owner else -1 for one in graph])
    return [
        Link(source, target, tuple(found))
        for (source, target), found in names.items()
        if target in graph and not nesting.is_along(number[source], number[target])
    ]
