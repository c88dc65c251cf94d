from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.graph.layout import Boxes, Gaps, NestedDrawing, draw_layered, draw_nested
from sabir.graph.layout.columns import count_crossings, spread_positions
from sabir.graph.layout.layered import break_cycles, layers_of, pack_drawings
from sabir.graph.order import topological_order

Edge = tuple[int, int]


@st.composite
def edge_lists(draw: st.DrawFn) -> tuple[int, list[Edge]]:
    count = draw(st.integers(1, 12))
    ends = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(ends, ends), max_size=24))


@st.composite
def box_sets(draw: st.DrawFn) -> Boxes:
    count, edges = draw(edge_lists())
    parents = [draw(st.integers(-1, box - 1)) for box in range(count)]

    def above(box: int) -> list[int]:
        found = []
        while box >= 0:
            found.append(box)
            box = parents[box]
        return found

    sizes = [(draw(st.integers(20, 200)) * 1.0, draw(st.integers(10, 60)) * 1.0) for _ in range(count)]
    apart = [(one, other) for one, other in edges if one not in above(other) and other not in above(one)]
    return Boxes(parents=parents, sizes=sizes, edges=apart)


@given(edge_lists())
def test_cycles_are_broken_and_every_edge_kept(drawn: tuple[int, list[Edge]]) -> None:
    count, edges = drawn
    result = break_cycles(count, edges)
    assert topological_order(result) is not None
    kept = {frozenset((one, other)) for one, targets in enumerate(result) for other in targets}
    assert kept == {frozenset(edge) for edge in edges if edge[0] != edge[1]}


@given(edge_lists(), st.integers(1, 5))
def test_edges_go_to_a_later_column_and_columns_stay_low(drawn: tuple[int, list[Edge]], most: int) -> None:
    count, edges = drawn
    successors = break_cycles(count, edges)
    layer = layers_of(successors, [1.0] * count, float(most))
    assert all(layer[one] < layer[other] for one, targets in enumerate(successors) for other in targets)
    assert max(layer.count(one) for one in set(layer)) <= most
    assert set(layer) == set(range(max(layer) + 1))


@pytest.mark.parametrize(
    ("targets", "crossings"),
    [([[0], [1]], 0), ([[1], [0]], 1), ([[0, 1], [0, 1]], 1), ([[2], [1], [0]], 3), ([[], []], 0)],
)
def test_crossings(targets: list[list[int]], crossings: int) -> None:
    assert count_crossings(targets, 3) == crossings


@given(st.lists(st.tuples(st.integers(-99, 99), st.integers(1, 9)), min_size=1, max_size=9))
def test_spread_keeps_order_and_distance(drawn: list[tuple[int, int]]) -> None:
    wanted, weights = [float(one) for one, _ in drawn], [float(weight) for _, weight in drawn]
    found = spread_positions(wanted, weights, [5.0] * (len(drawn) - 1))
    assert all(other - one > 4.999 for one, other in pairwise(found))
    if all(other - one >= 5 for one, other in pairwise(wanted)):
        assert found == pytest.approx(wanted)


def overlaps(one: int, other: int, placed: NestedDrawing) -> bool:
    (x, y), (width, height) = placed.corners[one], placed.sizes[one]
    (other_x, other_y), (other_width, other_height) = placed.corners[other], placed.sizes[other]
    return (
        x < other_x + other_width - 0.01
        and other_x < x + width - 0.01
        and y < other_y + other_height - 0.01
        and other_y < y + height - 0.01
    )


@given(box_sets())
def test_boxes_lie_in_their_parents_and_nowhere_else(boxes: Boxes) -> None:
    placed = draw_nested(boxes, Gaps())
    for one, parent in enumerate(boxes.parents):
        (x, y), (width, height) = placed.corners[one], placed.sizes[one]
        (left, top), (outer_width, outer_height) = (
            (placed.corners[parent], placed.sizes[parent]) if parent >= 0 else ((0.0, 0.0), placed.size)
        )
        head = boxes.sizes[parent][1] if parent >= 0 else 0.0
        assert left - 0.01 <= x
        assert x + width <= left + outer_width + 0.01
        assert top + head - 0.01 <= y
        assert y + height <= top + outer_height + 0.01
        for other in range(one):
            if boxes.parents[other] == parent:
                assert not overlaps(one, other, placed)
    assert set(placed.routes) == set(boxes.edges)


@given(box_sets())
def test_edges_begin_and_end_at_the_sides_of_their_boxes(boxes: Boxes) -> None:
    placed = draw_nested(boxes, Gaps())
    for edge, route in placed.routes.items():
        for box, (x, y) in zip(edge, (route[0], route[-1]), strict=True):
            (left, top), (width, height) = placed.corners[box], placed.sizes[box]
            assert y == pytest.approx(top + height / 2)
            assert min(abs(x - left), abs(x - left - width)) < 0.01


def test_a_long_edge_passes_between_the_boxes_of_the_columns_it_crosses() -> None:
    sizes = [(100.0, 40.0)] * 6
    drawing = draw_layered(sizes, [(0, 1), (1, 2), (2, 3), (0, 4), (4, 2), (0, 3), (5, 3), (0, 5)], Gaps())
    for x, y in drawing.bends[0, 3]:
        for (left, top), (width, height) in zip(drawing.corners, sizes, strict=True):
            assert not (left < x < left + width and top < y < top + height)


@given(st.lists(st.tuples(st.integers(1, 90), st.integers(1, 90)), min_size=1, max_size=12))
def test_packed_drawings_do_not_touch(drawn: list[tuple[int, int]]) -> None:
    sizes = [(float(width), float(height)) for width, height in drawn]
    corners, sheet = pack_drawings(sizes, [5.0] * len(sizes), shape=1.6)
    placed = NestedDrawing(sheet, corners, sizes, {})
    assert not any(overlaps(one, other, placed) for one in range(len(sizes)) for other in range(one))
    assert all(
        x + width <= sheet[0] and y + height <= sheet[1]
        for (x, y), (width, height) in zip(corners, sizes, strict=True)
    )


def test_the_same_boxes_give_the_same_drawing() -> None:
    boxes = Boxes(parents=[-1, 0, 0, -1], sizes=[(90.0, 30.0)] * 4, edges=[(1, 3), (2, 3), (1, 2)])
    assert draw_nested(boxes, Gaps()) == draw_nested(boxes, Gaps())


def test_an_edge_out_of_a_box_goes_past_the_other_parts() -> None:
    # 1 and 2 stand side by side in 0; the edge from 1 to 3 must not run through 2.
    boxes = Boxes(parents=[-1, 0, 0, -1], sizes=[(90.0, 30.0)] * 4, edges=[(1, 2), (1, 3)])
    placed = draw_nested(boxes, Gaps())
    (left, top), (width, height) = placed.corners[2], placed.sizes[2]
    inside = [(x, y) for x, y in placed.routes[1, 3] if left <= x <= left + width]
    assert inside
    assert not any(top <= y <= top + height for _, y in inside)
