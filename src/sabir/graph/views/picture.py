"""A picture of a graph at a readable size: folded boxes, one link between two, and the text of each box."""

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
    """An instance and everything folded into it, or a group when it has no instance."""

    name: str
    type: str
    language: str
    parent: int
    """The box it lies in, or -1."""
    instance: Instance | None
    inside: int
    """Number of instances that are folded into it."""


class BoxLink(Struct, frozen=True, kw_only=True):
    """A link between two boxes; it represents all links between the instances inside them."""

    source: int
    target: int
    names: tuple[str, ...]
    """The relations it represents; empty when the source only requires the target."""
    count: int
    """Number of links between instances that it represents."""

    @property
    def label(self) -> str:
        name = clip_text(one_line(", ".join(self.names)), 40)
        return name if self.count == 1 else f"{name} ×{self.count:,}".strip()


class Picture(Struct, frozen=True, kw_only=True):
    """The boxes and links of a picture, before they have positions."""

    boxes: Sequence[Box]
    links: Sequence[BoxLink]


def picture_of(graph: Graph) -> Picture:
    """Fold a graph and return the boxes that are visible at first, with the links between them."""
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
"""Maximum width of a box without parts; a longer name is truncated."""
# Widths for a wide font such as DejaVu Sans, a common fallback; narrower fonts leave some space.
_NAME: Final = 8.1
_TYPE: Final = 6.1
_SIDES: Final = 20.0


def fit_name(name: str, width: float) -> str:
    """Truncate a name to the width of a box."""
    return _fit_text(one_line(name), width - _SIDES, _NAME)


def fit_type(type_: str, width: float) -> str:
    """Truncate a type to the width of a box; types are drawn smaller than names."""
    return _fit_text(one_line(type_), width - _SIDES, _TYPE)


def _fit_text(text: str, width: float, each: float) -> str:
    if text_width(text, each) <= width + each / 2:
        return text
    return clip_text(text, max(int(width / each), 4))


def words_size(name: str, type_: str) -> Size:
    """Return the size of a box that shows a name and a type."""
    wide = max(text_width(one_line(name), _NAME), text_width(one_line(type_), _TYPE), 50.0)
    return min(wide + _SIDES, _WIDEST), 38.0


def text_width(text: str, each: float) -> float:
    """Return the width of a text; `each` is the width of a character."""
    wide = 0 if text.isascii() else sum(east_asian_width(char) in "WF" for char in text)
    return (len(text) + wide) * each


def between_columns(links: int) -> float:
    """Return the space between columns: the more links, the more space they need to be distinguishable."""
    return 60.0 + min(sqrt(links) * 3, 90.0)
