"""Recorded steps as origins: done when all values are there, and instances have ids.

An origin names what it rests on and is never changed, so what a step rests on is done before it. Steps of loops may rest on
each other in a circle: such a circle is found as a whole (Tarjan), and each of its steps names the others without what
they name in turn.

Chains of code that overwrites its values: what an attribute of the graph tells is left to that attribute, and steps of
one site that a value rests on are told as one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Container, Hashable, Iterable, Iterator
from typing import Final, Union

from msgspec import Struct

from sabir.graph.origin import AttributeRead, Origin
from sabir.provenance.loops import rests_on
from sabir.provenance.steps import Cell, Join, ProvenanceStep, Site, ValueSource

Edge = Union[ProvenanceStep, Origin, AttributeRead]
"""What an origin will name: a step is an origin to be."""
_SMALL: Final = 16
"""Steps of a circle that each name all others; of a larger one they name the first, which names all."""


class StepShape(Struct, frozen=True, eq=False):
    """A step as a chain tells it: its site, and what it names."""

    site: Site
    edges: tuple[Edge, ...]


class Chains:
    """The origins of one recording."""

    def __init__(self) -> None:
        self._origins: dict[ProvenanceStep, Origin] = {}
        self._reads: dict[Cell, AttributeRead | Origin] = {}

    @abstractmethod
    def attribute_of(self, cell: Cell) -> AttributeRead | Origin:
        """The attribute of the graph that a cell became, or the origin of what came into it from outside."""

    def shape(self, step: ProvenanceStep) -> StepShape:
        return StepShape(step.site, tuple(self.edges(step.sources())))

    def edges(self, sources: Iterable[ValueSource]) -> Iterable[Edge]:
        """Sources as origins name them, each once."""
        reads = self._reads
        edges: list[Edge] = []
        for source in dict.fromkeys(sources):
            if isinstance(source, tuple):
                read = reads.get(source)
                if read is None:
                    read = reads[source] = self.attribute_of(source)
                edges.append(read)
            else:
                edges.append(source)
        return edges

    def words(self, site: Site) -> str | None:
        """What is said of a site in a chain."""
        return site.words

    def origin(self, step: ProvenanceStep) -> Origin:
        """The origin of a step, with all that is below it."""
        origins = self._origins
        origin = origins.get(step)
        if origin is None:
            shape = self.shape(step)
            told = [origins.get(edge) if isinstance(edge, ProvenanceStep) else edge for edge in shape.edges]
            if None not in told:  # nearly always: chains share what is below them
                origin = origins[step] = self._build_origin(shape.site, tuple(told))  # type: ignore[arg-type]
                return origin
            for circle in _find_cycles(step, shape, self.shape, origins):
                self._add(circle)
            origin = origins[step]
        return origin

    def sources(self, sources: Iterable[ValueSource]) -> tuple[Origin | AttributeRead, ...]:
        """What an origin that the language makes itself names."""
        return tuple(
            [self.origin(edge) if isinstance(edge, ProvenanceStep) else edge for edge in self.edges(sources)]
        )

    def _add(self, circle: list[tuple[ProvenanceStep, StepShape]]) -> None:
        """Origins of steps that rest on each other; all that is outside of the circle has one already."""
        if len(circle) == 1:
            ((step, shape),) = circle
            self._origins[step] = self._build_origin(shape.site, self._outside(shape, (step,)))
            return
        members = {step for step, _ in circle}
        outside = {step: self._outside(shape, members) for step, shape in circle}
        parts = {step: self._build_origin(shape.site, outside[step]) for step, shape in circle}
        first = circle[0][0]
        others = tuple(part for step, part in parts.items() if step is not first)
        whole = self._build_origin(circle[0][1].site, (*outside[first], *others))
        for step, shape in circle:
            if step is first:
                self._origins[step] = whole
            elif len(circle) > _SMALL:
                self._origins[step] = self._build_origin(shape.site, (*outside[step], whole))
            else:
                rest = (part for member, part in parts.items() if member is not step)
                self._origins[step] = self._build_origin(shape.site, (*outside[step], *rest))

    def _outside(
        self, shape: StepShape, members: Container[ProvenanceStep]
    ) -> tuple[Origin | AttributeRead, ...]:
        return tuple(
            self._origins[edge] if isinstance(edge, ProvenanceStep) else edge
            for edge in shape.edges
            if not (isinstance(edge, ProvenanceStep) and edge in members)
        )

    def _build_origin(self, site: Site, sources: tuple[Origin | AttributeRead, ...]) -> Origin:
        return Origin(site.place, site.how, sources, self.words(site))


def _find_cycles(
    start: ProvenanceStep,
    shape: StepShape,
    shape_of: Callable[[ProvenanceStep], StepShape],
    done: Container[ProvenanceStep],
) -> Iterator[list[tuple[ProvenanceStep, StepShape]]]:
    """The steps below one, in circles of those that rest on each other, each after all that it rests on."""
    shapes = {start: shape}
    index: dict[ProvenanceStep, int] = {start: 0}
    low: dict[ProvenanceStep, int] = {start: 0}
    waiting = [start]
    is_waiting = {start}
    path: list[tuple[ProvenanceStep, Iterator[Edge]]] = [(start, iter(shape.edges))]
    while path:
        step, edges = path[-1]
        for edge in edges:
            if not isinstance(edge, ProvenanceStep) or edge in done:
                continue
            if edge not in index:
                index[edge] = low[edge] = len(index)
                shapes[edge] = shape_of(edge)
                waiting.append(edge)
                is_waiting.add(edge)
                path.append((edge, iter(shapes[edge].edges)))
                break
            if edge in is_waiting:
                low[step] = min(low[step], index[edge])
        else:
            path.pop()
            if path:
                above = path[-1][0]
                low[above] = min(low[above], low[step])
            if low[step] == index[step]:  # nothing above it is reached from here: the circle is whole
                circle: list[ProvenanceStep] = []
                while not circle or circle[-1] is not step:
                    circle.append(waiting.pop())
                    is_waiting.discard(circle[-1])
                yield [(member, shapes.pop(member)) for member in reversed(circle)]


_NEAR: Final = 64
"""Steps that are looked at to see whether what decided about a step stands below it anyway."""


class MergingChains(Chains):
    def __init__(self) -> None:
        super().__init__()
        self._merged: dict[frozenset[ProvenanceStep], ProvenanceStep] = {}

    @abstractmethod
    def is_shown(self, cell: Cell) -> bool:
        """Whether the graph has an attribute for a cell."""

    def attribute_of(self, cell: Cell) -> AttributeRead:
        return AttributeRead(cell[0].owner, str(cell[1]))

    def shape(self, step: ProvenanceStep) -> StepShape:
        return self._shape(step, has_attribute=self._attribute(step) is not None)

    def describe_step(self, step: ProvenanceStep) -> StepShape:
        """A step that is no join, as a chain tells it."""
        return StepShape(step.site, tuple(self.edges(_relevant_sources(step))))

    def kind(self, step: ProvenanceStep) -> Hashable:
        """What steps that are told as one have in common."""
        site = step.site
        return (site.place, site.how, site.words)

    def merge(self, steps: list[ProvenanceStep], below: Iterable[ValueSource]) -> ProvenanceStep:
        """One step for several of a kind, resting on what each of them rests on."""
        return ProvenanceStep(steps[0].site, tuple(dict.fromkeys(below)), (), steps[0].cell)

    def _shape(self, step: ProvenanceStep, *, has_attribute: bool) -> StepShape:
        if isinstance(step, Join):
            first, *others = (source for source in step.reads if isinstance(source, ProvenanceStep))
            shape = self._shape(first, has_attribute=has_attribute or self._attribute(first) is not None)
            return StepShape(shape.site, tuple(dict.fromkeys((*shape.edges, *self.edges(others)))))
        shape = self.describe_step(step)
        site = shape.site
        if site.words is None and step.cell is not None and not has_attribute:
            # No attribute of the graph says what it made.
            return StepShape(Site(site.place, site.how, _cell_title(step.cell)), shape.edges)
        return shape

    def edges(self, sources: Iterable[ValueSource]) -> Iterator[Edge]:
        groups: dict[Hashable, list[ProvenanceStep]] = {}
        for source in _flatten_joins(sources, self._attribute):
            if not isinstance(source, ProvenanceStep):
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

    def _one_of(self, steps: list[ProvenanceStep]) -> ProvenanceStep:
        key = frozenset(steps)
        merged = self._merged.get(key)
        if merged is None:
            below = [source for step in steps for source in step.sources() if source not in key]
            merged = self._merged[key] = self.merge(steps, below)
        return merged

    def _attribute(self, step: ProvenanceStep) -> AttributeRead | None:
        """The attribute whose value a step made, when that is the value it has in the end."""
        cell = step.cell
        if cell is None or not self.is_shown(cell):
            return None
        latest = cell[0].written.get(cell[1])
        return self.attribute_of(cell) if latest is not None and latest[0] is step else None


def _cell_title(cell: Cell) -> str:
    cells, key = cell
    return f"{cells.title}.{key[-1] if isinstance(key, tuple) else key}"


def _flatten_joins(
    sources: Iterable[ValueSource], attribute: Callable[[ProvenanceStep], object]
) -> Iterator[ValueSource]:
    """Joins are no steps of their own, unless an attribute of the graph tells them."""
    waiting = list(sources)[::-1]
    while waiting:
        source = waiting.pop()
        if isinstance(source, Join) and attribute(source) is None:
            waiting.extend(reversed(tuple(source.reads)))
        else:
            yield source


def _relevant_sources(step: ProvenanceStep) -> list[ValueSource]:
    """What a step read, and what decided that it ran, unless what it read rests on that anyway."""
    sources = list(step.reads)
    for decision in step.decided_by:
        if not isinstance(decision, ProvenanceStep):
            sources.append(decision)
        elif not rests_on(decision, step.reads, _NEAR):
            if decision.site.place == step.site.place:
                sources += _relevant_sources(decision)  # a call and its argument stand in one line
            else:
                sources.append(decision)
    return sources
