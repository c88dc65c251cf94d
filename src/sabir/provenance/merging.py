"""Chains of code that overwrites its values: what an attribute of the graph tells is left to that attribute, and steps of
one site that a value rests on are told as one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Final

from sabir.graph.origin import AttributeRead
from sabir.provenance.chains import Chains, Edge, Shape
from sabir.provenance.gathering import rests_on
from sabir.provenance.steps import Cell, Join, Site, Step, ValueSource

__all__ = ["MergingChains"]

_NEAR: Final = 64
"""Steps that are looked at to see whether what decided about a step stands below it anyway."""


class MergingChains(Chains):
    def __init__(self) -> None:
        super().__init__()
        self._merged: dict[frozenset[Step], Step] = {}

    @abstractmethod
    def is_shown(self, cell: Cell) -> bool:
        """Whether the graph has an attribute for a cell."""

    def attribute_of(self, cell: Cell) -> AttributeRead:
        return AttributeRead(cell[0].owner, str(cell[1]))

    def shape(self, step: Step) -> Shape:
        return self._shape(step, has_attribute=self._attribute(step) is not None)

    def told(self, step: Step) -> Shape:
        """A step that is no join, as a chain tells it."""
        return Shape(step.site, tuple(self.edges(_deciding(step))))

    def kind(self, step: Step) -> Hashable:
        """What steps that are told as one have in common."""
        site = step.site
        return (site.place, site.how, site.words)

    def merge(self, steps: list[Step], below: Iterable[ValueSource]) -> Step:
        """One step for several of a kind, resting on what each of them rests on."""
        return Step(steps[0].site, tuple(dict.fromkeys(below)), (), steps[0].cell)

    def _shape(self, step: Step, *, has_attribute: bool) -> Shape:
        if isinstance(step, Join):
            first, *others = (source for source in step.reads if isinstance(source, Step))
            shape = self._shape(first, has_attribute=has_attribute or self._attribute(first) is not None)
            return Shape(shape.site, tuple(dict.fromkeys((*shape.edges, *self.edges(others)))))
        shape = self.told(step)
        site = shape.site
        if site.words is None and step.cell is not None and not has_attribute:
            # No attribute of the graph says what it made.
            return Shape(Site(site.place, site.how, _title(step.cell)), shape.edges)
        return shape

    def edges(self, sources: Iterable[ValueSource]) -> Iterator[Edge]:
        groups: dict[Hashable, list[Step]] = {}
        for source in _flat(sources, self._attribute):
            if not isinstance(source, Step):
                groups.setdefault(source, [])
                continue
            read = self._attribute(source)
            if read is not None:
                groups.setdefault(read, [])
            else:
                groups.setdefault(self.kind(source), []).append(source)
        for key, steps in groups.items():
            if not steps:
                yield key  # type: ignore[misc]  # an attribute or an origin: it is its own key
            elif len(steps) == 1:
                yield steps[0]
            else:
                yield self._one_of(steps)

    def _one_of(self, steps: list[Step]) -> Step:
        key = frozenset(steps)
        merged = self._merged.get(key)
        if merged is None:
            below = [source for step in steps for source in step.sources() if source not in key]
            merged = self._merged[key] = self.merge(steps, below)
        return merged

    def _attribute(self, step: Step) -> AttributeRead | None:
        """The attribute whose value a step made, when that is the value it has in the end."""
        cell = step.cell
        if cell is None or not self.is_shown(cell):
            return None
        latest = cell[0].written.get(cell[1])
        return self.attribute_of(cell) if latest is not None and latest[0] is step else None


def _title(cell: Cell) -> str:
    cells, key = cell
    return f"{cells.title}.{key[-1] if isinstance(key, tuple) else key}"


def _flat(sources: Iterable[ValueSource], attribute: Callable[[Step], object]) -> Iterator[ValueSource]:
    """Joins are no steps of their own, unless an attribute of the graph tells them."""
    waiting = list(sources)[::-1]
    while waiting:
        source = waiting.pop()
        if isinstance(source, Join) and attribute(source) is None:
            waiting.extend(reversed(tuple(source.reads)))
        else:
            yield source


def _deciding(step: Step) -> list[ValueSource]:
    """What a step read, and what decided that it ran, unless what it read rests on that anyway."""
    sources = list(step.reads)
    for decision in step.decided_by:
        if not isinstance(decision, Step):
            sources.append(decision)
        elif not rests_on(decision, step.reads, _NEAR):
            if decision.site.place == step.site.place:
                sources += _deciding(decision)  # a call and its argument stand in one line
            else:
                sources.append(decision)
    return sources
