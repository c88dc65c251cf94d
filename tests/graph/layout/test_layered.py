"""Long rows of columns become lines, read to and fro."""

import pytest

from sabir.graph.layout import Boxes, Gaps, draw_nested
from sabir.graph.layout.layered import in_lines


def test_every_other_line_runs_back() -> None:
    columns = [[number] for number in range(8)]
    corners, lanes, (width, height) = in_lines(
        columns, [(100.0, 40.0)] * 8, across=50.0, between=10.0, shape=1.6
    )
    lines = sorted({y for _, y in corners})
    assert len(lines) >= 2
    first = [x for x, y in corners if y == lines[0]]
    second = [x for x, y in corners if y == lines[1]]
    assert first == sorted(first)
    assert second == sorted(second, reverse=True)
    assert all(
        left <= x and x + 100.0 <= right + 1 for (x, _), (left, right) in zip(corners, lanes, strict=True)
    )
    assert all(0 <= x <= width - 100.0 and 0 <= y <= height - 40.0 for x, y in corners)


@pytest.mark.parametrize("count", [12, 40])
def test_a_chain_is_no_thread(count: int) -> None:
    boxes = Boxes(
        parents=[-1] * count,
        sizes=[(150.0, 38.0)] * count,
        edges=[(number, number + 1) for number in range(count - 1)],
    )
    placed = draw_nested(boxes, Gaps())
    width, height = placed.size
    assert width / height < 4
    corners = placed.corners
    overlaps = [
        (one, other)
        for one in range(count)
        for other in range(one)
        if abs(corners[one][0] - corners[other][0]) < 150 and abs(corners[one][1] - corners[other][1]) < 38
    ]
    assert overlaps == []
    assert all(len(route) >= 2 for route in placed.routes.values())
