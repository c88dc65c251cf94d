"""Orders over integers: nodes are 0 … n-1, edges are adjacency lists. No recursion, linear time."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

Adjacency = Sequence[Sequence[int]]


def topological_order(successors: Adjacency) -> list[int] | None:
    """Every node before its successors; of those that could come next, the least first. None when there is a cycle."""
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
    """Groups of nodes that reach each other (Tarjan). A group comes after the groups it reaches; nodes are sorted."""
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
    """Groups of nodes that are connected when directions do not count, by their least node; nodes are sorted."""
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
    predecessors: list[list[int]] = [[] for _ in successors]
    for node, targets in enumerate(successors):
        for target in targets:
            predecessors[target].append(node)
    return predecessors


class ContainmentIndex:
    """Who lies in whom, asked often: a walk of the forest is numbered once, and what lies in a node is a range."""

    def __init__(self, parents: Sequence[int]) -> None:
        """`parents` has -1 for a root and no circles."""
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
        """Whether a node is the other or lies in it, at any depth."""
        return self._first[outer] <= self._first[inner] < self._behind[outer]

    def is_along(self, node: int, other: int) -> bool:
        """Whether one of two nodes lies in the other, or they are the same."""
        return self.is_inside(node, other) or self.is_inside(other, node)
