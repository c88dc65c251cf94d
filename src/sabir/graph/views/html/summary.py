"""Which boxes are drawn: every instance, or in a graph too large for a picture what stands for many of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from sabir.graph.graph import Graph
from sabir.graph.instance import Instance
from sabir.graph.views.links import Ownership

__all__ = ["MOST_BOXES", "Box", "Summary", "summarise"]

MOST_BOXES: Final = 6000
"""The layout of so many takes a few seconds, and nobody looks at more."""


class Box(Struct, frozen=True, kw_only=True):
    """An instance, or (without one) all instances of a type together."""

    name: str
    type: str
    language: str
    parent: int = -1
    instance: int = -1


class Summary(Struct, frozen=True):
    boxes: Sequence[Box]
    box_of: Sequence[int]
    """By number of the instance: its own box, or the one it is folded into."""

    @property
    def is_whole(self) -> bool:
        return all(box.instance == number for number, box in enumerate(self.boxes)) and (
            len(self.boxes) == len(self.box_of)
        )


def summarise(graph: Graph, tree: Ownership, *, most: int = MOST_BOXES) -> Summary:
    """All instances when they are few enough. Else the upper ones; and when even those without an owner are too many,
    one box for all of a type."""
    number = {one.id: position for position, one in enumerate(graph)}
    if len(number) <= most:
        return _whole(graph, tree, number)
    if len(tree.roots) <= most // 2:
        return _upper_levels(tree, number, most)
    for key in (_by_type, _by_language):
        groups = list(dict.fromkeys(map(key, tree.roots)))
        if len(groups) <= most:
            return _grouped(tree, number, groups, key)
    return _grouped(tree, number, [("", "")], _all_together)


def _box(one: Instance, number: int, parent: int) -> Box:
    return Box(name=one.name, type=one.type, language=one.language, parent=parent, instance=number)


def _whole(graph: Graph, tree: Ownership, number: Mapping[str, int]) -> Summary:
    boxes = [
        _box(one, position, number[tree.owner[one.id]] if one.id in tree.owner else -1)
        for position, one in enumerate(graph)
    ]
    return Summary(boxes, range(len(boxes)))


def _upper_levels(tree: Ownership, number: Mapping[str, int], most: int) -> Summary:
    """Level by level; the parts of an owner are drawn all or not at all."""
    boxes: list[Box] = []
    box_of = [-1] * len(number)
    todo: list[tuple[Instance, int]] = [(one, -1) for one in tree.roots]
    room = most - len(todo)
    for one, parent in todo:
        place = number[one.id]
        box_of[place] = len(boxes)
        boxes.append(_box(one, place, parent))
        parts = tree.parts.get(one.id, ())
        if len(parts) <= room:
            room -= len(parts)
            todo += [(part, box_of[place]) for part in parts]
        else:
            _fold(tree, number, parts, box_of=box_of)
    return Summary(boxes, box_of)


def _grouped(
    tree: Ownership,
    number: Mapping[str, int],
    groups: Sequence[tuple[str, str]],
    key: Callable[[Instance], tuple[str, str]],
) -> Summary:
    box_for = {group: position for position, group in enumerate(groups)}
    box_of = [-1] * len(number)
    counts = [0] * len(groups)
    for one in tree.roots:
        place = box_of[number[one.id]] = box_for[key(one)]
        counts[place] += 1
        _fold(tree, number, tree.parts.get(one.id, ()), box_of=box_of)
    boxes = [
        Box(name=type_ or language or "all", type=f"{count:,} instances", language=language)
        for (language, type_), count in zip(groups, counts, strict=True)
    ]
    return Summary(boxes, box_of)


def _fold(
    tree: Ownership, number: Mapping[str, int], parts: Sequence[Instance], *, box_of: list[int]
) -> None:
    inside = list(parts)
    for one in inside:
        box_of[number[one.id]] = box_of[number[tree.owner[one.id]]]
        inside += tree.parts.get(one.id, ())


def _by_type(one: Instance) -> tuple[str, str]:
    return one.language, one.type


def _by_language(one: Instance) -> tuple[str, str]:
    return one.language, ""


def _all_together(_one: Instance) -> tuple[str, str]:
    return "", ""
