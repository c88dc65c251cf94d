"""Classes that extend themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sabir.languages.muranopl.check.class_view import ClassDocument
from sabir.languages.muranopl.syntax.classes import DEEPEST_CLASS

__all__ = ["deep_class", "inheritance_cycles"]


def inheritance_cycles(classes: Mapping[str, ClassDocument]) -> Iterator[tuple[str, ...]]:
    """The ways that lead from a class back to itself, each beginning with its first class by file name.

    Of cycles that share a class only one is given. Every class is looked at once, however long its ancestry.
    """
    order = sorted(classes, key=lambda name: (classes[name].source.name, name))
    rank = {name: number for number, name in enumerate(order)}
    done: set[str] = set()
    told: set[str] = set()
    for start in order:
        way: dict[str, Iterator[str]] = {}
        if start not in done:
            way[start] = _parents(classes, start)
        while way:
            name, parents = next(reversed(way.items()))
            parent = next(parents, None)
            if parent is None:
                del way[name]
                done.add(name)
            elif parent in way:
                names = [*way]
                cycle = names[names.index(parent) :]
                if not told.intersection(cycle):
                    told.update(cycle)
                    first = cycle.index(min(cycle, key=rank.__getitem__))
                    yield (*cycle[first:], *cycle[:first])
            elif parent not in done:
                way[parent] = _parents(classes, parent)


def deep_class(classes: Mapping[str, ClassDocument]) -> str | None:
    """The first class, by file name, that has more levels of ancestors than the engine follows; circles count as none."""
    levels: dict[str, int] = {}
    deep = []
    for start in classes:
        way = {start: _parents(classes, start)} if start not in levels else {}
        while way:
            name, parents = next(reversed(way.items()))
            parent = next(parents, None)
            if parent is None:
                del way[name]
                above = (levels[parent] for parent in _parents(classes, name) if parent in levels)
                levels[name] = 1 + max(above, default=0)
                if levels[name] > DEEPEST_CLASS:
                    deep.append(name)
            elif parent not in way and parent not in levels:
                way[parent] = _parents(classes, parent)
    return min(deep, key=lambda name: (classes[name].source.name, name), default=None)


def _parents(classes: Mapping[str, ClassDocument], name: str) -> Iterator[str]:
    for parent in classes[name].head.extends:
        if parent.name is not None and parent.name in classes:
            yield parent.name
