"""The picture of the page as data: boxes with their places, and links with their routes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from itertools import islice
from typing import Any, Final

from sabir.graph.graph import Graph
from sabir.graph.layout import Boxes, Gaps, Placed, nest
from sabir.graph.order import Nesting
from sabir.graph.views.boxes import between_columns, shown_name, shown_type, text_width, words_size
from sabir.graph.views.html.flows import Flows
from sabir.graph.views.html.summary import Box, Summary, summarise
from sabir.graph.views.html.values import without_surrogates
from sabir.graph.views.links import Ownership, links
from sabir.graph.views.words import clipped, one_line

__all__ = ["picture_data"]

_MOST_LINKS: Final = 20_000
"""Links that are laid out; the panel lists all of them."""
_MOST_ROUTED_FLOWS: Final = 120
"""Up to so many flows of values have a say in the layout, and are shown from the start: as a link, from right to left."""
_MOST_LABELS: Final = 60
"""With more links than this the names are written only on those of the selected instance."""
_MOST_NAMES: Final = 6
_BUTTON: Final = 26.0
"""Room for the button that folds an owner."""

_Link = tuple[int, int, str, int]
"""From a box to a box, the names of the relations (none: it only requires it), and how many links it stands for."""


def picture_data(graph: Graph, tree: Ownership, flows: Flows) -> dict[str, Any]:
    summary = summarise(graph, tree)
    nesting = Nesting([box.parent for box in summary.boxes])
    drawn, left_out = _drawn_links(graph, tree, summary, nesting)
    inside = Counter(summary.box_of) if not summary.is_whole else {}
    labels = len(drawn) <= _MOST_LABELS
    flowing = _drawn_flows(flows, summary, nesting, linked={(source, target) for source, target, *_ in drawn})
    routed = len(flowing) <= _MOST_ROUTED_FLOWS
    edges = [(reader, source) for source, reader in flowing] if routed else []
    placed = _placed(summary.boxes, drawn, edges, has_more=set(inside), labels=labels)
    names = list(dict.fromkeys(name for *_, name, _ in drawn))
    name_number = {name: position for position, name in enumerate(names)}
    data: dict[str, Any] = {
        "size": [round(side) for side in placed.size],
        "names": [shown_name(box.name) for box in summary.boxes],
        "types": [shown_type(box.type) for box in summary.boxes],
        "parents": [box.parent for box in summary.boxes],
        "instances": [box.instance for box in summary.boxes],
        "languages": [without_surrogates(box.language) for box in summary.boxes],
        "places": [
            round(number)
            for corner, size in zip(placed.corners, placed.sizes, strict=True)
            for number in (*corner, *size)
        ],
        "linkNames": names,
        "links": [
            [source, target, name_number[name], count, *_points(placed, source, target)]
            for source, target, name, count in drawn
        ],
        "linksLeftOut": left_out,
        "labels": labels,
        "flows": [
            [source, reader, *(_points(placed, reader, source) if routed else ())]
            for source, reader in flowing
        ],
    }
    if not summary.is_whole:
        data["boxOf"] = list(summary.box_of)
    return data


def _drawn_links(
    graph: Graph, tree: Ownership, summary: Summary, nesting: Nesting
) -> tuple[list[_Link], int]:
    """Links between boxes; what connects the same two boxes is one link."""
    number = {one.id: position for position, one in enumerate(graph)}
    names: dict[tuple[int, int], dict[str, None]] = {}
    counts: Counter[tuple[int, int]] = Counter()
    for link in links(graph, tree):
        ends = summary.box_of[number[link.source]], summary.box_of[number[link.target]]
        if nesting.is_along(*ends):
            continue
        found = names.setdefault(ends, {})
        counts[ends] += 1
        if len(found) < _MOST_NAMES:
            found.update(dict.fromkeys(link.names))
    drawn = [
        (source, target, clipped(one_line(", ".join(list(found)[:_MOST_NAMES])), 40), counts[source, target])
        for (source, target), found in names.items()
    ]
    return drawn[:_MOST_LINKS], max(len(drawn) - _MOST_LINKS, 0)


def _drawn_flows(
    flows: Flows, summary: Summary, nesting: Nesting, *, linked: Set[tuple[int, int]]
) -> list[tuple[int, int]]:
    """From box to box, the way the values go. None is drawn within a box, between an owner and its part, and beside a
    link."""
    pairs = dict.fromkeys(
        (summary.box_of[source], summary.box_of[reader])
        for reader, sources in flows.items()
        for source in sources
    )
    drawn = (
        (source, reader)
        for source, reader in pairs
        if not linked & {(source, reader), (reader, source)} and not nesting.is_along(source, reader)
    )
    return list(islice(drawn, _MOST_LINKS))


def _placed(
    boxes: Sequence[Box],
    drawn: Sequence[_Link],
    further: Sequence[tuple[int, int]],
    *,
    has_more: set[int],
    labels: bool,
) -> Placed:
    owners = {box.parent for box in boxes} | has_more
    sizes = [words_size(box.name, box.type) for box in boxes]
    longest = max((text_width(name, 5.4) for *_, name, _ in drawn), default=0.0) if labels else 0.0
    pairs = {(source, target) for source, target, *_ in drawn}
    if any((target, source) in pairs for source, target in pairs):
        longest *= 2  # a label at either end
    between = max(between_columns(len(drawn)), longest + 50.0)
    return nest(
        Boxes(
            parents=[box.parent for box in boxes],
            sizes=[
                (width + _BUTTON, height) if number in owners else (width, height)
                for number, (width, height) in enumerate(sizes)
            ],
            edges=[*((source, target) for source, target, *_ in drawn), *further],
        ),
        Gaps(between_columns=between),
    )


def _points(placed: Placed, source: int, target: int) -> list[int]:
    return [round(number) for point in placed.routes[source, target] for number in point]
