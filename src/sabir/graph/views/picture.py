"""A picture of a graph that can be taken in at once: its boxes, folded where they are too many, and one link between two.

The boxes of a picture: which words stand in them, and how much room those take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import Final
from unicodedata import east_asian_width

from msgspec import Struct

from sabir.graph.graph import Graph, Instance
from sabir.graph.layout import Size
from sabir.graph.order import ContainmentIndex
from sabir.graph.views.folding import fold_graph
from sabir.graph.views.links import build_ownership, find_links
from sabir.graph.views.text import clip_text, one_line

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


class BoxLink(Struct, frozen=True, kw_only=True):
    source: int
    target: int
    names: tuple[str, ...]
    """The relations that make it; empty when the source only requires the target."""
    count: int
    """Links between instances that it stands for."""

    @property
    def label(self) -> str:
        name = clip_text(one_line(", ".join(self.names)), 40)
        return name if self.count == 1 else f"{name} ×{self.count:,}".strip()


class Picture(Struct, frozen=True, kw_only=True):
    boxes: Sequence[Box]
    links: Sequence[BoxLink]


def picture_of(graph: Graph) -> Picture:
    tree = build_ownership(graph)
    folding = fold_graph(graph, tree)
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
    nesting = ContainmentIndex([box.parent for box in boxes])
    names: dict[tuple[int, int], dict[str, None]] = {}
    counts: Counter[tuple[int, int]] = Counter()
    for link in find_links(graph, tree):
        ends = place[fronts[number[link.source]]], place[fronts[number[link.target]]]
        if nesting.is_along(*ends):
            continue
        counts[ends] += 1
        gathered = names.setdefault(ends, {})
        if len(gathered) < _MOST_NAMES:
            gathered.update(dict.fromkeys(link.names))
    shown = [
        BoxLink(
            source=source, target=target, names=tuple(gathered)[:_MOST_NAMES], count=counts[source, target]
        )
        for (source, target), gathered in names.items()
    ]
    return Picture(boxes=boxes, links=shown)


_WIDEST: Final = 420.0
"""What a box without parts may take in width; a longer name is cut."""
# Widths for a wide font such as DejaVu Sans, in which much is shown; narrower fonts leave a little air.
_NAME: Final = 8.1
_TYPE: Final = 6.1
_SIDES: Final = 20.0


def fit_name(name: str, width: float) -> str:
    """As much of a name as a box of this width has room for."""
    return _fit_text(one_line(name), width - _SIDES, _NAME)


def fit_type(type_: str, width: float) -> str:
    return _fit_text(one_line(type_), width - _SIDES, _TYPE)


def _fit_text(text: str, width: float, each: float) -> str:
    if text_width(text, each) <= width + each / 2:
        return text
    return clip_text(text, max(int(width / each), 4))


def words_size(name: str, type_: str) -> Size:
    wide = max(text_width(one_line(name), _NAME), text_width(one_line(type_), _TYPE), 50.0)
    return min(wide + _SIDES, _WIDEST), 38.0


def text_width(text: str, each: float) -> float:
    wide = 0 if text.isascii() else sum(east_asian_width(char) in "WF" for char in text)
    return (len(text) + wide) * each


def between_columns(links: int) -> float:
    """The more links, the more room they need between the columns to be told apart."""
    return 60.0 + min(sqrt(links) * 3, 90.0)
