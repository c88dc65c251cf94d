"""The order within each column, so that few edges cross."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

__all__ = ["count_crossings", "ordered"]

Neighbours = Sequence[Sequence[int]]


def ordered(columns: list[list[int]], left: Neighbours, right: Neighbours, *, sweeps: int) -> list[list[int]]:
    """Sweeps by barycentre to and fro; the order with the fewest crossings that was met is kept."""
    position = [0] * len(left)
    for column in columns:
        _number(column, position)
    best, fewest = [list(column) for column in columns], _all_crossings(columns, right, position)
    for sweep in range(sweeps):
        if not fewest:
            break
        forward = sweep % 2 == 0
        neighbours = left if forward else right
        for column in columns if forward else reversed(columns):
            column.sort(key=_barycentres(column, neighbours, position).__getitem__)
            _number(column, position)
        crossings = _all_crossings(columns, right, position)
        if crossings < fewest:
            best, fewest = [list(column) for column in columns], crossings
    return best


def _number(column: list[int], position: list[int]) -> None:
    for index, node in enumerate(column):
        position[node] = index


def _barycentres(column: list[int], neighbours: Neighbours, position: list[int]) -> dict[int, float]:
    """Means of the neighbours' positions; a node without neighbours stays where it is."""
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
    """Pairs of edges that cross between two columns: inversions, counted with a Fenwick tree."""
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
