import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.graph.order import (
    ContainmentIndex,
    find_components,
    reverse_edges,
    strongly_connected,
    topological_order,
)

Edges = list[list[int]]


@st.composite
def adjacencies(draw: st.DrawFn) -> Edges:
    count = draw(st.integers(0, 12))
    return [draw(st.lists(st.integers(0, count - 1), max_size=4)) for _ in range(count)]


def reachable(edges: Edges, start: int) -> set[int]:
    found, todo = {start}, [start]
    for node in todo:
        new = set(edges[node]) - found
        found |= new
        todo += new
    return found


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([[1], [2], []], [0, 1, 2], id="chain"),
        pytest.param([[], [0], [0]], [1, 2, 0], id="least first"),
        pytest.param([[1, 1], []], [0, 1], id="edge twice"),
        pytest.param([[1], [0]], None, id="cycle"),
        pytest.param([[0]], None, id="self"),
    ],
)
def test_topological_order(edges: Edges, expected: list[int] | None) -> None:
    assert topological_order(edges) == expected


@given(adjacencies())
def test_groups_are_what_reaches_each_other_and_come_after_what_they_reach(edges: Edges) -> None:
    groups = strongly_connected(edges)
    assert sorted(node for group in groups for node in group) == list(range(len(edges)))
    reach = [reachable(edges, node) for node in range(len(edges))]
    place = {node: position for position, group in enumerate(groups) for node in group}
    for one in range(len(edges)):
        for other in reach[one]:
            assert place[other] <= place[one]
            assert (place[one] == place[other]) == (one in reach[other])


@given(adjacencies())
def test_an_order_exists_exactly_when_there_is_no_cycle(edges: Edges) -> None:
    cyclic = any(len(group) > 1 for group in strongly_connected(edges)) or any(
        node in targets for node, targets in enumerate(edges)
    )
    order = topological_order(edges)
    assert (order is None) == cyclic
    if order is not None:
        place = {node: position for position, node in enumerate(order)}
        assert all(place[node] < place[target] for node in place for target in edges[node])


@given(adjacencies())
def test_components_do_not_touch(edges: Edges) -> None:
    groups = find_components(edges)
    place = {node: position for position, group in enumerate(groups) for node in group}
    assert len(place) == len(edges)
    assert all(place[node] == place[target] for node in place for target in edges[node])
    both = [[*out, *back] for out, back in zip(edges, reverse_edges(edges), strict=True)]
    assert all(reachable(both, group[0]) == set(group) for group in groups)


def test_a_long_chain_needs_no_deep_stack() -> None:
    chain: Edges = [[node + 1] for node in range(50_000)] + [[]]
    assert len(strongly_connected(chain)) == 50_001
    assert topological_order(chain) == list(range(50_001))


@given(
    st.integers(0, 30).flatmap(lambda size: st.tuples(*(st.integers(-1, node - 1) for node in range(size))))
)
def test_nesting_is_what_a_walk_upwards_finds(parents: tuple[int, ...]) -> None:
    nesting = ContainmentIndex(parents)

    def above(node: int) -> list[int]:
        return [] if node < 0 else [node, *above(parents[node])]

    for inner in range(len(parents)):
        for outer in range(len(parents)):
            assert nesting.is_inside(inner, outer) == (outer in above(inner))
