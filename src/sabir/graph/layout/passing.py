"""The way of an edge out of the boxes around its end: past the neighbours there, not through them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

__all__ = ["Column", "columns_of", "way_out"]

Point = tuple[float, float]
Rectangle = tuple[float, float, float, float]
"""Left, top, right, bottom."""

_MARGIN = 3.0
_OUTSIDE = 7.0
_CURVE = 40.0


class Column(Struct, frozen=True):
    """Boxes that stand in one column: its sides, and where one can pass between them."""

    left: float
    right: float
    blocked: tuple[tuple[float, float], ...]
    free: tuple[float, ...]

    def passage(self, y: float) -> float:
        """The height nearest to y at which the column can be crossed."""
        if not any(top - _MARGIN < y < bottom + _MARGIN for top, bottom in self.blocked):
            return y
        after = bisect_left(self.free, y)
        return min(self.free[max(after - 1, 0) : after + 1], key=lambda lane: abs(lane - y))


def columns_of(rectangles: Iterable[Rectangle], lanes: Iterable[Point]) -> list[Column]:
    """The columns of a drawing, from left to right."""
    in_lane: dict[Point, list[Rectangle]] = {}
    for rectangle, lane in zip(rectangles, lanes, strict=True):
        in_lane.setdefault(lane, []).append(rectangle)
    columns: list[Column] = []
    for (left, right), boxes in sorted(in_lane.items()):
        blocked = sorted((top, bottom) for _, top, _, bottom in boxes)
        between = [(above[1] + below[0]) / 2 for above, below in pairwise(blocked)]
        free = (blocked[0][0] - _OUTSIDE, *between, blocked[-1][1] + _OUTSIDE)
        columns.append(Column(left, right, tuple(blocked), free))
    return columns


def way_out(start: Point, columns: Sequence[Column], *, rightwards: bool) -> list[Point]:
    """The points by which a line leaves a drawing to one side; empty when it runs straight out."""
    x, y = start
    points: list[Point] = []
    towards = 1.0 if rightwards else -1.0
    for column in columns if rightwards else reversed(columns):
        near, far = (column.left, column.right) if rightwards else (column.right, column.left)
        if (near - x) * towards < 0:
            continue
        passage = column.passage(y)
        if passage != y:
            curve = min(_CURVE, abs(near - x))
            points += [(near - towards * curve, y), (near, passage), (far, passage)]
            x, y = far, passage
    return points
