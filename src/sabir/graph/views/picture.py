"""A picture of a graph that can be taken in at once: its boxes, folded where they are too many, and one link between two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from sabir.graph.graph import Graph
from sabir.graph.instance import Instance
from sabir.graph.order import Nesting
from sabir.graph.views.folding import fold
from sabir.graph.views.links import links, ownership
from sabir.graph.views.words import clipped, one_line

__all__ = ["Box", "Link", "Picture", "picture_of"]

_MOST_NAMES = 6


class Box(Struct, frozen=True, kw_only=True):
    """An instance with what is folded into it, or (without one) a group."""

    name: str
    type: str
    language: str
    parent: int
    """The box it lies in, or -1."""
    instance: Instance | None
    inside: int
    """Instances that are folded into it."""


class Link(Struct, frozen=True, kw_only=True):
    source: int
    target: int
    names: tuple[str, ...]
    """The relations that make it; empty when the source only requires the target."""
    count: int
    """Links between instances that it stands for."""

    @property
    def label(self) -> str:
        name = clipped(one_line(", ".join(self.names)), 40)
        return name if self.count == 1 else f"{name} ×{self.count:,}".strip()


class Picture(Struct, frozen=True, kw_only=True):
    boxes: Sequence[Box]
    links: Sequence[Link]


def picture_of(graph: Graph) -> Picture:
    tree = ownership(graph)
    folding = fold(graph, tree)
    fronts = folding.fronts()
    drawn = [box for box, front in enumerate(fronts) if front == box]
    place = {box: position for position, box in enumerate(drawn)}
    instances = list(graph)
    inside = Counter(fronts[: folding.instances])
    boxes: list[Box] = []
    for box in drawn:
        instance = instances[box] if box < folding.instances else None
        source = instance or folding.groups[box - folding.instances]
        boxes.append(
            Box(
                name=source.name,
                type=source.type,
                language=source.language,
                parent=place.get(folding.parents[box], -1),
                instance=instance,
                inside=inside[box] - (instance is not None),
            )
        )
    number = {instance.id: position for position, instance in enumerate(instances)}
    nesting = Nesting([box.parent for box in boxes])
    names: dict[tuple[int, int], dict[str, None]] = {}
    counts: Counter[tuple[int, int]] = Counter()
    for link in links(graph, tree):
        ends = place[fronts[number[link.source]]], place[fronts[number[link.target]]]
        if nesting.is_along(*ends):
            continue
        counts[ends] += 1
        gathered = names.setdefault(ends, {})
        if len(gathered) < _MOST_NAMES:
            gathered.update(dict.fromkeys(link.names))
    shown = [
        Link(source=source, target=target, names=tuple(gathered)[:_MOST_NAMES], count=counts[source, target])
        for (source, target), gathered in names.items()
    ]
    return Picture(boxes=boxes, links=shown)
