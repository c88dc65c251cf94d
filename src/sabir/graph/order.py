"""Graph algorithms on integers: nodes are 0 … n-1, edges are adjacency lists.

All of them run in linear time and without recursion, because graphs may be deeper than the stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

Adjacency = Sequence[Sequence[int]]


def topological_order(successors: Adjacency) -> list[int] | None:
    """Return all nodes, each before its successors; None when there is a cycle.

    Of several nodes that could come next, the smallest comes first, so that the order is deterministic.
    """
    waiting = [0] * len(successors)
    for targets in successors:
        for target in targets:
            waiting[target] += 1
    ready = [node for node, count in enumerate(waiting) if not count]
    heapify(ready)
    order: list[int] = []
    while ready:
        node = heappop(ready)
        order.append(node)
        for target in successors[node]:
            waiting[target] -= 1
            if not waiting[target]:
                heappush(ready, target)
    return order if len(order) == len(successors) else None


def strongly_connected(successors: Adjacency) -> list[list[int]]:
    """Return the strongly connected components (Tarjan), each with sorted nodes.

    A component comes after the components it reaches.
    """
    count = len(successors)
    index, low = [-1] * count, [0] * count
    on_stack = bytearray(count)
    stack: list[int] = []
    groups: list[list[int]] = []
    clock = 0
    for root in range(count):
        if index[root] >= 0:
            continue
        path = [(root, 0)]
        while path:
            node, position = path.pop()
            if not position:
                index[node] = low[node] = clock
                clock += 1
                stack.append(node)
                on_stack[node] = 1
            targets = successors[node]
            while position < len(targets):
                target = targets[position]
                position += 1
                if index[target] < 0:
                    path += [(node, position), (target, 0)]
                    break
                if on_stack[target]:
                    low[node] = min(low[node], index[target])
            else:
                if low[node] == index[node]:
                    groups.append(_pop_group(stack, node, on_stack))
                if path:
                    parent = path[-1][0]
                    low[parent] = min(low[parent], low[node])
    return groups


def _pop_group(stack: list[int], root: int, on_stack: bytearray) -> list[int]:
    group: list[int] = []
    while True:
        node = stack.pop()
        on_stack[node] = 0
        group.append(node)
        if node == root:
            return sorted(group)


def find_components(successors: Adjacency) -> list[list[int]]:
    """Return the weakly connected components, ordered by their smallest node; nodes are sorted."""
    predecessors = reverse_edges(successors)
    seen = bytearray(len(successors))
    groups: list[list[int]] = []
    for root in range(len(successors)):
        if seen[root]:
            continue
        seen[root] = 1
        group = [root]
        for node in group:
            for other in (*successors[node], *predecessors[node]):
                if not seen[other]:
                    seen[other] = 1
                    group.append(other)
        groups.append(sorted(group))
    return groups


def reverse_edges(successors: Adjacency) -> list[list[int]]:
    """Return the predecessors of every node."""
    predecessors: list[list[int]] = [[] for _ in successors]
    for node, targets in enumerate(successors):
        for target in targets:
            predecessors[target].append(node)
    return predecessors


class ContainmentIndex:
    """An index of a forest that answers in constant time whether one node is inside another.

    A depth-first walk numbers the nodes once; everything inside a node then has a contiguous range of numbers.
    """

    def __init__(self, parents: Sequence[int]) -> None:
        """`parents` has -1 for a root and contains no cycles."""
        children: list[list[int]] = [[] for _ in range(len(parents) + 1)]  # the last one holds the roots
        for node, parent in enumerate(parents):
            children[parent].append(node)
        self._first = [0] * len(children)
        self._behind = [0] * len(children)
        clock = 0
        stack = [len(parents)]
        while stack:
            node = stack.pop()
            if node < 0:
                self._behind[~node] = clock
                continue
            self._first[node] = clock
            clock += 1
            stack.append(~node)
            stack += reversed(children[node])

    def is_inside(self, inner: int, outer: int) -> bool:
        """Return whether a node is the other or inside it, at any depth."""
        return self._first[outer] <= self._first[inner] < self._behind[outer]

    def is_along(self, node: int, other: int) -> bool:
        """Return whether one of two nodes is inside the other, or they are the same."""
        return self.is_inside(node, other) or self.is_inside(other, node)
