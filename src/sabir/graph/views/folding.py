"""Folding of large graphs: boxes that represent many instances and can be opened one by one.

Every instance is a box. A container (an owner, or the whole graph) with too many parts gets groups between it and its
parts: one per type, and where a type has too many instances, chunks of them by name. So opening a box never shows
more than `MOST_BOXES`, whatever the graph is. This module also chooses which containers are open at first: from the
top, as long as there is room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Final

from msgspec import Struct

from sabir.graph.graph import PART_TYPE, Graph, Instance
from sabir.graph.views.links import Ownership
from sabir.graph.views.text import one_line

MOST_BOXES: Final = 60
"""Number of boxes that a reader can still distinguish."""


class BoxGroup(Struct, frozen=True, kw_only=True):
    """A box that represents several instances of one container."""

    name: str
    type: str
    language: str
    """Empty when the instances are in several languages."""


class FoldedGraph(Struct, frozen=True, kw_only=True):
    """The boxes of a graph: first its instances by number, then the groups."""

    groups: Sequence[BoxGroup]
    parents: Sequence[int]
    """The parent of each box, or -1."""
    opened: frozenset[int]
    """The containers that are open at first."""

    @property
    def instances(self) -> int:
        return len(self.parents) - len(self.groups)

    def fronts(self) -> list[int]:
        """Return for each box the box that represents it at first: itself when visible, else the one it is folded into."""
        fronts = [-1] * len(self.parents)
        for box in outside_in(self.parents):
            parent = self.parents[box]
            is_seen = parent < 0 or (fronts[parent] == parent and parent in self.opened)
            fronts[box] = box if is_seen else fronts[parent]
        return fronts


def fold_graph(graph: Graph, tree: Ownership, *, most: int = MOST_BOXES) -> FoldedGraph:
    """Group the instances of a graph so that no container has more than `most` boxes."""
    folder = _Folder(graph, most)
    number = folder.number
    folder.place([number[root.id] for root in tree.roots], -1)
    for owner, parts in tree.parts.items():
        folder.place([number[part.id] for part in parts], number[owner])
    return FoldedGraph(groups=folder.groups, parents=folder.parents, opened=_choose_open(folder))


class _Folder:
    def __init__(self, graph: Graph, most: int) -> None:
        self.instances: list[Instance] = list(graph)
        self.number: Mapping[str, int] = {
            instance.id: position for position, instance in enumerate(self.instances)
        }
        self.most = most
        self.groups: list[BoxGroup] = []
        self.parents = [-1] * len(self.instances)

    def place(self, boxes: Sequence[int], parent: int) -> None:
        """Put instances into a container, with groups between them where there are too many."""
        if len(boxes) <= self.most:
            for box in boxes:
                self.parents[box] = parent
            return
        kinds: dict[tuple[str, str], list[int]] = {}
        for box in boxes:
            instance = self.instances[box]
            kinds.setdefault((instance.language, instance.type), []).append(box)
        if len(kinds) == 1:
            self._place_pieces(boxes, parent)
        elif len(kinds) > self.most:
            self._place_many_kinds(list(kinds.values()), parent)
        else:
            self._place_kinds(list(kinds.values()), parent)

    def _place_kinds(self, kinds: Sequence[Sequence[int]], parent: int) -> None:
        """Create a group per type; instances of the rarest types stay ungrouped as long as there is room."""
        largest = self._largest_kept([len(members) for members in kinds])
        for members in kinds:
            if len(members) <= largest:
                for box in members:
                    self.parents[box] = parent
            else:
                self.place(members, self._group(self.instances[members[0]].type, members, parent))

    def _largest_kept(self, counts: Sequence[int]) -> int:
        """Return the largest number of instances for which a type stays ungrouped; equal numbers are treated alike."""
        largest, boxes = 1, len(counts)
        for count in sorted(set(counts)):
            boxes += (count - 1) * counts.count(count)
            if boxes > self.most // 2 or count > self.most // 4:
                break
            largest = count
        return largest

    def _place_many_kinds(self, kinds: Sequence[Sequence[int]], parent: int) -> None:
        """Place more types than boxes: frequent types get their own groups, the others share one."""
        ordered = sorted(kinds, key=len, reverse=True)
        frequent, rare = ordered[: self.most // 2], ordered[self.most // 2 :]
        self._place_kinds(frequent, parent)
        members = [box for kind in rare for box in kind]
        group = self._group(f"{len(rare):,} further types", members, parent)
        if len(rare) > self.most:
            self._place_pieces(members, group)
        else:
            self._place_kinds(rare, group)

    def _place_pieces(self, boxes: Sequence[int], parent: int) -> None:
        pieces = min(self.most // 2, ceil(len(boxes) / (self.most // 2)))
        size = ceil(len(boxes) / pieces)
        for start in range(0, len(boxes), size):
            members = boxes[start : start + size]
            first, last = (one_line(self.instances[box].name) for box in (members[0], members[-1]))
            group = self._group(f"{first} … {last}", members, parent)
            if len(members) > self.most:
                self._place_pieces(members, group)
            else:
                for box in members:
                    self.parents[box] = group

    def _group(self, name: str, members: Sequence[int], parent: int) -> int:
        languages = {self.instances[box].language for box in members}
        self.groups.append(
            BoxGroup(
                name=name,
                type=f"{len(members):,} instances",
                language=languages.pop() if len(languages) == 1 else "",
            )
        )
        self.parents.append(parent)
        return len(self.parents) - 1


def outside_in(parents: Sequence[int]) -> list[int]:
    """Return all boxes, each after its parent."""
    inside: list[list[int]] = [[] for _ in parents]
    order: list[int] = []
    for box, parent in enumerate(parents):
        (order if parent < 0 else inside[parent]).append(box)
    for box in order:
        order += inside[box]
    return order


def _choose_open(folder: _Folder) -> frozenset[int]:
    """Choose the owners that are open at first, from the top, as long as there is room.

    Siblings of one type are opened all or not at all. Groups stay closed until the reader opens them.
    """
    inside: dict[int, list[int]] = {}
    for box, parent in enumerate(folder.parents):
        inside.setdefault(parent, []).append(box)
    seen = len(inside.get(-1, ()))
    opened: set[int] = set()
    waiting = [-1]
    for holder in waiting:
        cohorts: dict[object, list[int]] = {}
        for box in inside.get(holder, ()):
            if box in inside and box < len(folder.instances):
                instance = folder.instances[box]
                key = box if instance.type == PART_TYPE else (instance.language, instance.type)
                cohorts.setdefault(key, []).append(box)
        for cohort in cohorts.values():
            parts = sum(len(inside[box]) for box in cohort)
            if seen + parts <= folder.most:
                seen += parts
                opened.update(cohort)
                waiting += cohort
    return frozenset(opened)
