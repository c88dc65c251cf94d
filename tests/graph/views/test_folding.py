"""What a picture shows of a graph that is too large for one."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings

from sabir.graph import Graph, Instance, Record
from sabir.graph.graph import PART_TYPE
from sabir.graph.views.folding import FoldedGraph, fold_graph
from sabir.graph.views.links import build_ownership
from sabir.graph.views.picture import picture_of
from tests.graph.strategies import graphs
from tests.graph.views.html.pages import services


def flat(hosts: int, networks: int = 3) -> Graph:
    """Hosts, each in one of the networks."""
    return Graph(
        [
            *(Instance(id=f"n{n}", type="Network", language="toy", name=f"net-{n}") for n in range(networks)),
            *(
                Instance(
                    id=f"h{n}",
                    type="Host",
                    language="toy",
                    name=f"host-{n}",
                    relations=Record.of({"in": (f"n{n % networks}",)}),
                )
                for n in range(hosts)
            ),
        ]
    )


def folded(graph: Graph, most: int = 60) -> FoldedGraph:
    return fold_graph(graph, build_ownership(graph), most=most)


def shown(graph: Graph) -> list[str]:
    return [f"{box.name} {box.inside or ''}".strip() for box in picture_of(graph).boxes]


def test_a_small_graph_is_shown_whole() -> None:
    assert len(shown(services(60))) == 60


def test_what_is_frequent_becomes_one_box_and_what_is_rare_stays() -> None:
    assert shown(flat(500)) == ["net-0", "net-1", "net-2", "Host 500"]


def test_links_between_folded_boxes_have_numbers() -> None:
    picture = picture_of(flat(500))
    assert [(picture.boxes[link.target].name, link.label) for link in picture.links] == [
        ("net-0", "in ×167"),
        ("net-1", "in ×167"),
        ("net-2", "in ×166"),
    ]


def test_a_group_opens_to_pieces_by_name() -> None:
    folding = folded(flat(500))
    pieces = [group.name for group in folding.groups if "…" in group.name]
    assert pieces[0] == "host-0 … host-29"
    assert len(pieces) == 17


def test_owners_of_a_type_are_open_all_or_none() -> None:
    assert len(folded(services(56)).opened) == 14
    owners = [Instance(id=f"{n}", type="Rack", language="toy", name=f"{n}") for n in range(10)]
    disks = [
        Instance(id=f"{n}/{disk}", type="Disk", language="toy", name="d", owner=f"{n}")
        for n in range(10)
        for disk in range(6)
    ]
    assert not folded(Graph([*owners, *disks])).opened  # there is room for some, but not for all


def test_parts_of_an_environment_are_opened_one_by_one() -> None:
    parts = [Instance(id=name, type=PART_TYPE, language="toy", name=name) for name in ("small", "large")]
    inside = [
        Instance(id=f"{part}/{n}", type=f"T{n}", language="toy", name=f"{n}", owner=part)
        for part, count in (("small", 5), ("large", 59))
        for n in range(count)
    ]
    assert folded(Graph([*parts, *inside])).opened == {0}


@pytest.mark.parametrize("count", [61, 1000, 20_000])
@pytest.mark.parametrize("each", [1, 4, 500])
def test_no_box_opens_to_more_than_can_be_told_apart(count: int, each: int) -> None:
    folding = folded(services(count, each=each))
    assert max(Counter(folding.parents).values()) <= 60


def test_many_types_share_a_group() -> None:
    graph = Graph(Instance(id=f"{n}", type=f"T{n}", language="toy", name=f"x{n}") for n in range(5000))
    folding = folded(graph)
    assert max(Counter(folding.parents).values()) <= 60
    assert "4,970 further types" in [group.name for group in folding.groups]


@settings(max_examples=60)
@given(graphs())
def test_every_instance_is_in_one_box(graph: Graph) -> None:
    folding = folded(graph, most=4)
    fronts = folding.fronts()
    assert folding.instances == len(graph)
    assert all(0 <= front < len(fronts) and fronts[front] == front for front in fronts)
