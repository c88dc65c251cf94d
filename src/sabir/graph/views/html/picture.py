"""The picture of the page as data: how its boxes are folded, and all links between instances. The page lays them out itself,
because what is open changes while somebody looks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from sabir.graph.graph import Graph
from sabir.graph.views.folding import fold
from sabir.graph.views.html.flows import Flows
from sabir.graph.views.html.values import without_surrogates
from sabir.graph.views.links import Ownership, links
from sabir.graph.views.words import clipped, one_line

__all__ = ["picture_data"]

_MOST_LINKS: Final = 200_000
"""Links that the page knows; the panel lists all of them."""
_MOST_FLOWS: Final = 20_000


def picture_data(graph: Graph, tree: Ownership, flows: Flows) -> dict[str, Any]:
    folding = fold(graph, tree)
    languages = {
        name: number for number, name in enumerate(dict.fromkeys(instance.language for instance in graph))
    }
    number = {instance.id: position for position, instance in enumerate(graph)}
    names: dict[str, int] = {}
    every = links(graph, tree)
    listed: list[int] = []
    for link in every[:_MOST_LINKS]:
        name = clipped(one_line(without_surrogates(", ".join(link.names))), 40)
        listed += (number[link.source], number[link.target], names.setdefault(name, len(names)))
    return {
        "groups": {
            "names": [without_surrogates(group.name) for group in folding.groups],
            "types": [group.type for group in folding.groups],
            "languages": [languages.get(group.language, -1) for group in folding.groups],
        },
        "parents": folding.parents,
        "open": sorted(folding.opened),
        "linkNames": list(names),
        "links": listed,
        "linksLeftOut": max(len(every) - _MOST_LINKS, 0),
        "flows": list(islice(_pairs(flows), _MOST_FLOWS)),
    }


def _pairs(flows: Flows) -> Iterator[tuple[int, int]]:
    """From an instance to the one that read it."""
    for reader, sources in flows.items():
        for source in sources:
            yield source, reader
