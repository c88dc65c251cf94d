"""Boxes inside boxes: each box contains a drawing of its parts, laid out from the inside out.

An edge between boxes of different parents is laid out in their lowest common ancestor, between the two boxes there
that contain its ends. Inside those boxes its ends are connected by a route that passes between the neighbors, not
through them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from sabir.graph.layout.layered import Drawing, Gaps, Size, draw_layered

Point = tuple[float, float]
Rectangle = tuple[float, float, float, float]
"""Left, top, right, bottom."""

_MARGIN = 3.0
_OUTSIDE = 7.0
_CURVE = 40.0


class Column(Struct, frozen=True):
    """The boxes of one column: its sides, and the heights at which an edge can pass between them."""

    left: float
    right: float
    blocked: tuple[tuple[float, float], ...]
    free: tuple[float, ...]

    def passage(self, y: float) -> float:
        """Return the height nearest to y at which an edge can cross the column."""
        if not any(top - _MARGIN < y < bottom + _MARGIN for top, bottom in self.blocked):
            return y
        after = bisect_left(self.free, y)
        return min(self.free[max(after - 1, 0) : after + 1], key=lambda lane: abs(lane - y))


def columns_of(rectangles: Iterable[Rectangle], lanes: Iterable[Point]) -> list[Column]:
    """Return the columns of a drawing, from left to right."""
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
    """Return the points of a line that leaves a drawing on one side; empty when it can run straight."""
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


Edge = tuple[int, int]

_PADDING = 14.0


class Boxes(Struct, frozen=True, kw_only=True):
    """Boxes 0 … n-1: the parent of each (-1: none), the size of its own text, and the edges."""

    parents: Sequence[int]
    sizes: Sequence[Size]
    edges: Sequence[Edge]


class NestedDrawing(Struct, frozen=True):
    """Corners and sizes of all boxes, and the points of every edge from border to border."""

    size: Size
    corners: Sequence[Point]
    sizes: Sequence[Size]
    routes: Mapping[Edge, tuple[Point, ...]]


def draw_nested(boxes: Boxes, gaps: Gaps) -> NestedDrawing:
    """Lay out boxes inside boxes.

    Edges between boxes of different parents are laid out in the lowest box that contains both.
    """
    count = len(boxes.parents)
    children: list[list[int]] = [[] for _ in range(count + 1)]  # the last one holds the outermost boxes
    for box, parent in enumerate(boxes.parents):
        children[parent].append(box)
    depth = _compute_depths(children, count)
    lifted = {edge: _lift_edge(edge, boxes.parents, depth) for edge in dict.fromkeys(boxes.edges)}
    edges_in: list[list[Edge]] = [[] for _ in range(count + 1)]
    for source, target in lifted.values():
        edges_in[boxes.parents[source]].append((source, target))
    sizes: list[Size] = [*boxes.sizes, (0.0, 0.0)]
    drawings: dict[int, Drawing] = {}
    place_in: list[int] = [0] * (count + 1)
    for box in sorted(range(count + 1), key=lambda box: -depth[box]):
        if not children[box]:
            continue
        for position, child in enumerate(children[box]):
            place_in[child] = position
        inner = [(place_in[source], place_in[target]) for source, target in edges_in[box]]
        drawings[box] = drawing = draw_layered([sizes[child] for child in children[box]], inner, gaps)
        own_width, own_height = sizes[box]
        width = max(own_width, drawing.size[0] + 2 * _PADDING)
        sizes[box] = (width, own_height + drawing.size[1] + 2 * _PADDING) if box < count else drawing.size
    corners = _absolute_corners(children, drawings, boxes.sizes, depth)
    origin = {
        box: _content_corner(corners[box], boxes.sizes[box]) if box < count else (0.0, 0.0)
        for box in drawings
    }

    columns: dict[int, list[Column]] = {}

    def leave(end: int, lifted_end: int, *, rightwards: bool) -> list[Point]:
        """Return the route from the side of a box to the side of the outermost box around it."""
        points = [_side_midpoint(corners[end], sizes[end], right=rightwards)]
        while end != lifted_end:
            parent = boxes.parents[end]
            if parent not in columns:
                rectangles = [_box_rectangle(corners[child], sizes[child]) for child in children[parent]]
                (x, _), lanes = origin[parent], drawings[parent].lanes
                columns[parent] = columns_of(rectangles, [(left + x, right + x) for left, right in lanes])
            points += way_out(points[-1], columns[parent], rightwards=rightwards)
            end = parent
        return points

    def route(edge: Edge) -> tuple[Point, ...]:
        source, target = lifted[edge]
        parent = boxes.parents[source] % (count + 1)
        drawing, (x, y) = drawings[parent], origin[parent]
        bends = drawing.bends.get((place_in[source], place_in[target]), ())
        lanes = [
            (drawing.lanes[place_in[end]][0] + x, drawing.lanes[place_in[end]][1] + x) for end in lifted[edge]
        ]
        forward = lanes[0][0] <= lanes[1][0]
        first = leave(edge[0], source, rightwards=forward)
        last = leave(edge[1], target, rightwards=not forward)
        exits = (lanes[0][forward], first[-1][1]), (lanes[1][not forward], last[-1][1])
        return (*first, exits[0], *((px + x, py + y) for px, py in bends), exits[1], *reversed(last))

    return NestedDrawing(sizes[count], corners[:count], sizes[:count], {edge: route(edge) for edge in lifted})


def _compute_depths(children: Sequence[Sequence[int]], outermost: int) -> list[int]:
    depth = [0] * len(children)
    todo = [outermost]
    for box in todo:
        for child in children[box]:
            depth[child] = depth[box] + 1
        todo += children[box]
    return depth


def _lift_edge(edge: Edge, parents: Sequence[int], depth: Sequence[int]) -> Edge:
    """Return the two siblings that contain the ends of an edge."""
    source, target = edge
    while parents[source] != parents[target]:
        if depth[source] >= depth[target]:
            source = parents[source]
        else:
            target = parents[target]
    return source, target


def _absolute_corners(
    children: Sequence[Sequence[int]],
    drawings: Mapping[int, Drawing],
    heads: Sequence[Size],
    depth: Sequence[int],
) -> list[Point]:
    outermost = len(children) - 1
    corners: list[Point] = [(0.0, 0.0)] * len(children)
    for box in sorted(drawings, key=depth.__getitem__):
        x, y = (0.0, 0.0) if box == outermost else _content_corner(corners[box], heads[box])
        for child, (child_x, child_y) in zip(children[box], drawings[box].corners, strict=True):
            corners[child] = (x + child_x, y + child_y)
    return corners


def _content_corner(corner: Point, head: Size) -> Point:
    """Return where the drawing inside a box starts: below its own text."""
    return corner[0] + _PADDING, corner[1] + head[1] + _PADDING


def _box_rectangle(corner: Point, size: Size) -> Rectangle:
    return corner[0], corner[1], corner[0] + size[0], corner[1] + size[1]


def _side_midpoint(corner: Point, size: Size, *, right: bool) -> Point:
    return corner[0] + (size[0] if right else 0.0), corner[1] + size[1] / 2
