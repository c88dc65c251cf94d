"""Order and heights of the nodes inside columns.

First the order, so that few edges cross: barycenter sweeps to and fro. Then the height of each node, so that edges
run straight: each column moves towards its neighbors, and isotonic regression keeps order and distances.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

_INWARD: Final = 0.97

Neighbours = Sequence[Sequence[int]]


def spread_positions(
    wanted: Sequence[float], weights: Sequence[float], apart: Sequence[float]
) -> list[float]:
    """Return the positions nearest to the desired ones (least squares) that keep order and distances.

    `apart[i]` is the minimum distance between i and i+1. Subtracting the distances so far turns this into isotonic
    regression, which pools neighbors in linear time.
    """
    offsets = [0.0]
    for distance in apart:
        offsets.append(offsets[-1] + distance)
    blocks: list[tuple[float, float, int]] = []  # mean, weight, members
    for position, weight, offset in zip(wanted, weights, offsets, strict=True):
        mean, total, members = position - offset, weight, 1
        while blocks and blocks[-1][0] >= mean:
            other, other_weight, other_members = blocks.pop()
            mean = (mean * total + other * other_weight) / (total + other_weight)
            total += other_weight
            members += other_members
        blocks.append((mean, total, members))
    means = [mean for mean, _, members in blocks for _ in range(members)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


def heights_along(
    columns: Sequence[Sequence[int]],
    neighbours: tuple[Neighbours, Neighbours],
    heights: Sequence[float],
    is_bend: Sequence[bool],
    *,
    gap: float,
    sweeps: int,
) -> list[float]:
    """Return the vertical center of each node.

    Bends of long edges have a larger weight, so that these edges run straight.
    """
    left, right = neighbours
    middle = [0.0] * len(heights)
    apart = [
        [
            (heights[upper] + heights[lower]) / 2 + (gap / 3 if is_bend[upper] and is_bend[lower] else gap)
            for upper, lower in pairwise(column)
        ]
        for column in columns
    ]
    for column, distances in zip(columns, apart, strict=True):
        y = -sum(distances) / 2
        for node, distance in zip(column, [*distances, 0.0], strict=True):
            middle[node] = y
            y += distance
    for sweep in range(sweeps):
        final = sweep >= sweeps - 2
        forward = sweep % 2 == 0
        indexes = range(len(columns)) if forward else range(len(columns) - 1, -1, -1)
        for index in indexes:
            column = columns[index]
            wanted, weights = [], []
            for node in column:
                near = [*left[node], *right[node]] if final else (left if forward else right)[node]
                # Pull slightly towards the axis, or the columns of a large drawing drift apart.
                wanted.append(
                    _INWARD * sum(middle[neighbour] for neighbour in near) / len(near)
                    if near
                    else middle[node]
                )
                weights.append((4.0 if is_bend[node] else 1.0) if near else 0.1)
            for node, y in zip(column, spread_positions(wanted, weights, apart[index]), strict=True):
                middle[node] = y
    return middle


def reduce_crossings(
    columns: list[list[int]], left: Neighbours, right: Neighbours, *, sweeps: int
) -> list[list[int]]:
    """Sweep over the columns with barycenters, to and fro, and return the best order that occurred.

    A sweep may make the order worse, so the one with the fewest crossings is kept.
    """
    position = [0] * len(left)
    for column in columns:
        _number_nodes(column, position)
    best, fewest = [list(column) for column in columns], _all_crossings(columns, right, position)
    for sweep in range(sweeps):
        if not fewest:
            break
        forward = sweep % 2 == 0
        neighbours = left if forward else right
        for column in columns if forward else reversed(columns):
            column.sort(key=_compute_barycenters(column, neighbours, position).__getitem__)
            _number_nodes(column, position)
        crossings = _all_crossings(columns, right, position)
        if crossings < fewest:
            best, fewest = [list(column) for column in columns], crossings
    return best


def _number_nodes(column: list[int], position: list[int]) -> None:
    for index, node in enumerate(column):
        position[node] = index


def _compute_barycenters(column: list[int], neighbours: Neighbours, position: list[int]) -> dict[int, float]:
    """Return the mean position of each node's neighbors; a node without neighbors keeps its position."""
    result: dict[int, float] = {}
    for node in column:
        near = neighbours[node]
        result[node] = (
            sum(position[neighbour] for neighbour in near) / len(near) if near else float(position[node])
        )
    return result


def _all_crossings(columns: list[list[int]], right: Neighbours, position: list[int]) -> int:
    return sum(
        count_crossings(
            [sorted(position[neighbour] for neighbour in right[node]) for node in column], len(following)
        )
        for column, following in pairwise(columns)
    )


def count_crossings(targets: Sequence[Sequence[int]], width: int) -> int:
    """Count the edge crossings between two columns: inversions, with a Fenwick tree in O(n log n)."""
    tree = [0] * (width + 1)
    crossings = seen = 0
    for of_node in targets:
        for target in of_node:
            at_most, index = 0, target + 1
            while index:
                at_most += tree[index]
                index &= index - 1
            crossings += seen - at_most
        for target in of_node:
            seen += 1
            index = target + 1
            while index <= width:
                tree[index] += 1
                index += index & -index
    return crossings
