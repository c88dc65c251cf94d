"""A layered drawing of boxes and the bends of the edges between them.

The steps are those of Sugiyama: reverse the edges that close a cycle, assign each node to a column right of its
predecessors, replace long edges by chains of bends, order the columns, assign heights (`sabir.graph.layout.columns`).
A row of columns that is much wider than high is broken into lines that alternate in direction. Parts that are not
connected are drawn separately and packed on one sheet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import sqrt
from typing import Final

from msgspec import Struct

from sabir.graph.layout.columns import heights_along, reduce_crossings
from sabir.graph.order import find_components, reverse_edges, topological_order


def break_cycles(count: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return successor lists without duplicates, with the edges that close a cycle reversed."""
    successors: list[list[int]] = [[] for _ in range(count)]
    for source, target in dict.fromkeys(edges):
        if source != target:
            successors[source].append(target)
    result: list[dict[int, None]] = [{} for _ in range(count)]
    state = bytearray(count)  # 0 new, 1 on the path, 2 done
    has_incoming = bytearray(count)
    for targets in successors:
        for target in targets:
            has_incoming[target] = 1
    # Start at the sources: an edge is reversed only when a walk from them meets its own path.
    for root in sorted(range(count), key=has_incoming.__getitem__):
        if state[root]:
            continue
        path = [(root, 0)]
        while path:
            node, position = path.pop()
            state[node] = 1
            for position in range(position, len(successors[node])):  # noqa: B020 -- goes on where it stopped
                target = successors[node][position]
                if state[target] == 1:
                    result[target][node] = None
                    continue
                result[node][target] = None
                if not state[target]:
                    path += [(node, position + 1), (target, 0)]
                    break
            else:
                state[node] = 2
    return [list(targets) for targets in result]


def layers_of(successors: Sequence[Sequence[int]], heights: Sequence[float], tallest: float) -> list[int]:
    """Return the layer of each node: right of all its predecessors, in a column not taller than `tallest`."""
    order = topological_order(successors)
    if order is None:
        raise ValueError("layers need a graph without cycles")
    predecessors = reverse_edges(successors)
    layer = [0] * len(successors)
    filled: dict[int, float] = {}
    full_until: dict[
        int, int
    ] = {}  # where to continue searching, so that a wide fan does not try every column again

    def first_free(start: int, height: float) -> int:
        column = start
        while filled.get(column, 0.0) > 0 and filled[column] + height > tallest:
            column = full_until.get(column, column + 1)
        if column > start:
            full_until[start] = column
        return column

    for node in order:
        start = max((layer[predecessor] + 1 for predecessor in predecessors[node]), default=0)
        layer[node] = column = first_free(start, heights[node])
        filled[column] = filled.get(column, 0.0) + heights[node]
    # Move nodes with more edges to the right than to the left rightwards: that shortens their edges.
    for node in reversed(order):
        if len(successors[node]) > len(predecessors[node]):
            column = min(layer[successor] for successor in successors[node]) - 1
            if column > layer[node] and filled.get(column, 0.0) + heights[node] <= tallest:
                filled[layer[node]] -= heights[node]
                filled[column] = filled.get(column, 0.0) + heights[node]
                layer[node] = column
    return _without_gaps(layer)


def _without_gaps(layer: list[int]) -> list[int]:
    new = {old: position for position, old in enumerate(sorted(set(layer)))}
    return [new[old] for old in layer]


Size = tuple[float, float]
Point = tuple[float, float]
Line = tuple[list[Point], list[Point], Size]
"""Corners of the boxes, the x range of each box's column, and the total size."""


def in_lines(
    columns: Sequence[Sequence[int]], sizes: Sequence[Size], *, across: float, between: float, shape: float
) -> Line:
    """Place columns of boxes in lines that alternate in direction, so that successors are near.

    `across` is the space between columns, `between` the space between boxes and between lines.
    """
    widths = [max(sizes[box][0] for box in column) for column in columns]
    heights = [sum(sizes[box][1] + between for box in column) - between for column in columns]
    whole = sum(widths) + across * len(columns)
    count = max(2, round(sqrt(whole / ((max(heights) + across) * shape))))
    lines: list[list[int]] = [[]]
    used = 0.0
    for number, width in enumerate(widths):
        if lines[-1] and used + width / 2 > whole / count:
            lines.append([])
            used = 0.0
        lines[-1].append(number)
        used += width + across
    total = max(sum(widths[number] + across for number in line) - across for line in lines)
    corners: list[Point] = [(0.0, 0.0)] * len(sizes)
    lanes: list[Point] = [(0.0, 0.0)] * len(sizes)
    y = 0.0
    for turn, line in enumerate(lines):
        height = max(heights[number] for number in line)
        x = total if turn % 2 else 0.0
        for number in line:
            left = x - widths[number] if turn % 2 else x
            top = y + (height - heights[number]) / 2
            for box in columns[number]:
                corners[box] = (left + (widths[number] - sizes[box][0]) / 2, top)
                lanes[box] = (left, left + widths[number])
                top += sizes[box][1] + between
            x += (widths[number] + across) * (-1 if turn % 2 else 1)
        y += height + across
    return corners, lanes, (total, y - across)


def pack_drawings(
    sizes: Sequence[Size], margins: Sequence[float], *, shape: float
) -> tuple[list[Size], Size]:
    """Return the corner of each drawing and the size of the sheet.

    Drawings are placed on shelves, tall ones first, equal ones in the given order.
    """
    area = sum(
        (width + margin) * (height + margin) for (width, height), margin in zip(sizes, margins, strict=True)
    )
    widest = max(sqrt(area * shape), max((width for width, _ in sizes), default=0.0))
    places: list[Size] = [(0.0, 0.0)] * len(sizes)
    stack_x = stack_width = stack_y = shelf_y = shelf_height = right = 0.0
    started = False
    for index in sorted(range(len(sizes)), key=lambda drawing: -sizes[drawing][1]):
        (width, height), margin = sizes[index], margins[index]
        if started and width <= stack_width and stack_y + height <= shelf_y + shelf_height:
            places[index] = (stack_x, stack_y)
            stack_y += height + margin
            continue
        stack_x = stack_x + stack_width + margin if started else 0.0
        if not started or stack_x + width > widest:
            shelf_y += shelf_height + margin if started else 0.0
            stack_x, shelf_height = 0.0, height
        places[index] = (stack_x, shelf_y)
        stack_width, stack_y = width, shelf_y + height + margin
        right = max(right, stack_x + width)
        started = True
    return places, (right, shelf_y + shelf_height)


Edge = tuple[int, int]

_SHAPE: Final = 1.6
"""Desired width of a sheet divided by its height: that of a screen."""
_FEWEST_COLUMNS: Final = 6
_TOO_LONG: Final = 6.0
"""Width divided by height from which a row of columns is broken into lines …"""
_LONG: Final = 1800.0
"""… if it is wider than a screen."""
_BUSY: Final = 7
"""Number of edges from which a node gets a trunk."""
_MOST_BENDS: Final = 5000
"""With more bends, every node with two edges gets a trunk: single lines cannot be followed any more."""


class Gaps(Struct, frozen=True):
    """Space between columns and boxes, in the unit of the box sizes."""

    between_columns: float = 70.0
    between_boxes: float = 14.0
    between_drawings: float = 40.0
    bend: float = 4.0
    """Height that a passing edge takes in a column."""


class Drawing(Struct, frozen=True):
    """Positions of boxes and edges: `corners` (top left) by node, `lanes` by node, `bends` by edge.

    The lane of a node is the x range of its column.
    """

    size: Size
    corners: Sequence[Point]
    lanes: Sequence[Point]
    bends: Mapping[Edge, tuple[Point, ...]]


def draw_layered(sizes: Sequence[Size], edges: Sequence[Edge], gaps: Gaps) -> Drawing:
    """Lay out boxes of the given sizes; parts that are not connected are drawn separately and packed."""
    successors: list[list[int]] = [[] for _ in sizes]
    for source, target in edges:
        successors[source].append(target)
    area = sum((width + gaps.between_columns) * (height + gaps.between_boxes) for width, height in sizes)
    tallest = max(sqrt(area / _SHAPE) * 1.15, 200.0)
    groups = find_components(successors)
    group_of = {node: position for position, group in enumerate(groups) for node in group}
    edges_of: list[list[Edge]] = [[] for _ in groups]
    for edge in dict.fromkeys(edges):
        if edge[0] != edge[1]:
            edges_of[group_of[edge[0]]].append(edge)
    drawings = [
        _draw_connected([sizes[node] for node in group], group, edges, gaps=gaps, tallest=tallest)
        for group, edges in zip(groups, edges_of, strict=True)
    ]
    # Boxes without edges are packed tightly; drawings with edges get more space around them.
    margins = [gaps.between_drawings if edges else gaps.between_boxes for edges in edges_of]
    places, size = pack_drawings([drawing.size for drawing in drawings], margins, shape=_SHAPE)
    corners: list[Point] = [(0.0, 0.0)] * len(sizes)
    lanes = list(corners)
    bends: dict[Edge, tuple[Point, ...]] = {}
    for drawing, group, (x, y) in zip(drawings, groups, places, strict=True):
        for node, corner, lane in zip(group, drawing.corners, drawing.lanes, strict=True):
            corners[node] = (corner[0] + x, corner[1] + y)
            lanes[node] = (lane[0] + x, lane[1] + x)
        for edge, points in drawing.bends.items():
            bends[edge] = tuple((px + x, py + y) for px, py in points)
    return Drawing(size, corners, lanes, bends)


def _draw_connected(
    sizes: Sequence[Size], names: Sequence[int], edges: Sequence[Edge], *, gaps: Gaps, tallest: float
) -> Drawing:
    local = {name: index for index, name in enumerate(names)}
    successors = break_cycles(len(sizes), [(local[source], local[target]) for source, target in edges])
    spaced = [height + gaps.between_boxes for _, height in sizes]
    chains = _Chains(successors, layers_of(successors, spaced, tallest))
    heights = [height for _, height in sizes] + [gaps.bend] * (len(chains.layer) - len(sizes))
    columns = _first_order(chains.layer, len(sizes))
    many = len(chains.layer) > 3000
    columns = reduce_crossings(columns, chains.left, chains.right, sweeps=6 if many else 20)
    is_bend = [False] * len(sizes) + [True] * (len(chains.layer) - len(sizes))
    middle = heights_along(
        columns,
        (chains.left, chains.right),
        heights,
        is_bend,
        gap=gaps.between_boxes,
        sweeps=8 if many else 16,
    )
    boxes = [[node for node in column if node < len(sizes)] for column in columns]
    boxes = [column for column in boxes if column]
    if _is_too_long(boxes, sizes, gaps):
        corners, lanes_of, size = in_lines(
            boxes, sizes, across=gaps.between_columns, between=gaps.between_boxes, shape=_SHAPE
        )
        return Drawing(size, corners, lanes_of, {})
    top = min(y - height / 2 for y, height in zip(middle, heights, strict=True))
    bottom = max(y + height / 2 for y, height in zip(middle, heights, strict=True))
    lanes = _column_lanes(columns, sizes, gaps)
    lane_of = [lanes[layer] for layer in chains.layer]
    corners = [
        (
            lane_of[node][0] + (lane_of[node][1] - lane_of[node][0] - width) / 2,
            middle[node] - height / 2 - top,
        )
        for node, (width, height) in enumerate(sizes)
    ]
    bends: dict[Edge, tuple[Point, ...]] = {}
    for source, target in edges:
        points = [
            point
            for bend in chains.bends(local[source], local[target])
            for point in ((lane_of[bend][0], middle[bend] - top), (lane_of[bend][1], middle[bend] - top))
        ]
        turned = chains.layer[local[source]] > chains.layer[local[target]]
        bends[source, target] = tuple(reversed(points)) if turned else tuple(points)
    return Drawing((lanes[-1][1], bottom - top), corners, lane_of[: len(sizes)], bends)


def _is_too_long(columns: Sequence[Sequence[int]], sizes: Sequence[Size], gaps: Gaps) -> bool:
    width = sum(max(sizes[box][0] for box in column) + gaps.between_columns for column in columns)
    height = max(sum(sizes[box][1] + gaps.between_boxes for box in column) for column in columns)
    return len(columns) > _FEWEST_COLUMNS and width > _TOO_LONG * height and width > _LONG


def _first_order(layer: Sequence[int], boxes: int) -> list[list[int]]:
    """Return the initial order of each column.

    Bends start in the middle of their column: where nothing else decides, a trunk has boxes on both sides.
    """
    columns: list[list[int]] = [[] for _ in range(max(layer) + 1)]
    bends: list[list[int]] = [[] for _ in columns]
    for node, position in enumerate(layer):
        (columns if node < boxes else bends)[position].append(node)
    for column, passing in zip(columns, bends, strict=True):
        half = len(column) // 2
        column[half:half] = passing
    return columns


def _column_lanes(columns: Sequence[Sequence[int]], sizes: Sequence[Size], gaps: Gaps) -> list[Point]:
    lanes: list[Point] = []
    x = 0.0
    for column in columns:
        width = max((sizes[node][0] for node in column if node < len(sizes)), default=0.0)
        lanes.append((x, x + width))
        x += width + gaps.between_columns
    return lanes


class _Chains:
    """Long edges as chains of bends, one in each column they pass.

    The edges of a busy node share one chain: 400 edges form one trunk, and the number of bends stays linear. A node
    with few edges has separate chains, so that each edge can be followed.
    """

    def __init__(self, successors: Sequence[Sequence[int]], layer: list[int]) -> None:
        self.layer = layer
        self._trunks: dict[tuple[Edge, int], int] = {}
        self._bends: dict[Edge, tuple[int, ...]] = {}
        incoming = [0] * len(successors)
        for targets in successors:
            for target in targets:
                incoming[target] += 1
        passed_columns = sum(
            layer[target] - layer[node] - 1 for node, targets in enumerate(successors) for target in targets
        )
        busy = _BUSY if passed_columns < _MOST_BENDS else 2
        pairs: dict[Edge, None] = {}
        for source, targets in enumerate(successors):
            for target in targets:
                by_source = len(targets) >= incoming[target]
                trunk = (source, -1) if by_source else (-1, target)
                if max(len(targets), incoming[target]) < busy:
                    trunk = (source, target)
                passed = range(layer[source] + 1, layer[target])
                chain = tuple(self._bend(trunk, column) for column in passed)
                self._bends[source, target] = chain
                nodes = (source, *chain, target)
                pairs.update(dict.fromkeys(pairwise(nodes)))
        self.left: list[list[int]] = [[] for _ in layer]
        self.right: list[list[int]] = [[] for _ in layer]
        for before, after in pairs:
            self.right[before].append(after)
            self.left[after].append(before)

    def _bend(self, trunk: Edge, layer: int) -> int:
        key = (trunk, layer)
        if key not in self._trunks:
            self._trunks[key] = len(self.layer)
            self.layer.append(layer)
        return self._trunks[key]

    def bends(self, source: int, target: int) -> tuple[int, ...]:
        """Return the bends of an edge from left to right, whatever its direction."""
        bends = self._bends.get((source, target))
        return self._bends[target, source] if bends is None else bends
