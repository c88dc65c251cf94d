"""Which column a node stands in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sabir.graph.order import reversed_edges, topological_order

__all__ = ["acyclic", "layers_of"]


def acyclic(count: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Successor lists with the edges that close a cycle turned round, and no edge twice."""
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
    # Sources first: an edge is turned only when the walk from them meets its own path.
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
    """The layer of each node: right of all its predecessors, in a column that is not taller than `tallest`."""
    order = topological_order(successors)
    if order is None:
        raise ValueError("layers need a graph without cycles")
    predecessors = reversed_edges(successors)
    layer = [0] * len(successors)
    filled: dict[int, float] = {}
    full_until: dict[
        int, int
    ] = {}  # where to go on looking, so that a wide fan does not try every column again

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
    # What has more to its right than to its left moves right: its edges become shorter.
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
