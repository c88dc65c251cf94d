"""Conversion of recorded steps to origins, after all values are computed.

An origin contains its sources and is immutable, so the sources of a step are converted before the step. Steps of
loops may depend on each other in a cycle, which immutable origins cannot express. Such a cycle is found as a whole
(Tarjan's strongly connected components, without recursion), and each of its steps names the others without their own
sources.

`MergingChains` is for code that overwrites its values. It ends a chain at attributes of the graph, whose own origin
continues it, and merges steps of one site that a value depends on.
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
"""What an origin will name: a step is converted to an origin first."""
_SMALL: Final = 16
"""In a cycle of up to this many steps, each names all others; in a larger one, each names the first, which names all.

Otherwise a cycle of n steps would need n² references.
"""


class StepShape(Struct, frozen=True, eq=False):
    """A step as it appears in a chain: its site and the sources it names."""

    site: Site
    edges: tuple[Edge, ...]


class Chains:
    """The origins of one recording; the same step always gives the same origin."""

    def __init__(self) -> None:
        self._origins: dict[ProvenanceStep, Origin] = {}
        self._reads: dict[Cell, AttributeRead | Origin] = {}

    @abstractmethod
    def attribute_of(self, cell: Cell) -> AttributeRead | Origin:
        """Return the attribute of the graph that a cell became, or the origin of an external value."""

    def shape(self, step: ProvenanceStep) -> StepShape:
        """Return the site and the edges of a step."""
        return StepShape(step.site, tuple(self.edges(step.sources())))

    def edges(self, sources: Iterable[ValueSource]) -> Iterable[Edge]:
        """Return sources in the form in which origins name them, each once."""
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
        """Return the note of a site in a chain."""
        return site.words

    def origin(self, step: ProvenanceStep) -> Origin:
        """Return the origin of a step, including everything it depends on."""
        origins = self._origins
        origin = origins.get(step)
        if origin is None:
            shape = self.shape(step)
            told = [origins.get(edge) if isinstance(edge, ProvenanceStep) else edge for edge in shape.edges]
            if None not in told:  # the common case: chains share their sources
                origin = origins[step] = self._build_origin(shape.site, tuple(told))  # type: ignore[arg-type]
                return origin
            for circle in _find_cycles(step, shape, self.shape, origins):
                self._add(circle)
            origin = origins[step]
        return origin

    def sources(self, sources: Iterable[ValueSource]) -> tuple[Origin | AttributeRead, ...]:
        """Return the sources of an origin that the language creates itself."""
        return tuple(
            [self.origin(edge) if isinstance(edge, ProvenanceStep) else edge for edge in self.edges(sources)]
        )

    def _add(self, circle: list[tuple[ProvenanceStep, StepShape]]) -> None:
        """Create the origins of a cycle; everything outside the cycle has one already.

        Each step first gets a partial origin without the edges inside the cycle. The final origins name these partial
        ones, so no reference leads back.
        """
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
    """Yield the steps that a step depends on, grouped in cycles, each after everything it depends on.

    This is Tarjan's algorithm with an explicit stack: `low` is the smallest index reachable from a step, and a step
    whose `low` is its own index is the root of a component.
    """
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
            if low[step] == index[step]:  # nothing above it is reachable from here: the cycle is complete
                circle: list[ProvenanceStep] = []
                while not circle or circle[-1] is not step:
                    circle.append(waiting.pop())
                    is_waiting.discard(circle[-1])
                yield [(member, shapes.pop(member)) for member in reversed(circle)]


_NEAR: Final = 64
"""Steps that are visited to find out whether a step depends on its decision through its reads anyway."""


class MergingChains(Chains):
    """Chains of code that overwrites values: steps of one kind are merged, attributes of the graph end a chain."""

    def __init__(self) -> None:
        super().__init__()
        self._merged: dict[frozenset[ProvenanceStep], ProvenanceStep] = {}

    @abstractmethod
    def is_shown(self, cell: Cell) -> bool:
        """Return whether the graph has an attribute for a cell."""

    def attribute_of(self, cell: Cell) -> AttributeRead:
        """Return the attribute that a cell of an instance became."""
        return AttributeRead(cell[0].owner, str(cell[1]))

    def shape(self, step: ProvenanceStep) -> StepShape:
        return self._shape(step, has_attribute=self._attribute(step) is not None)

    def describe_step(self, step: ProvenanceStep) -> StepShape:
        """Return the shape of a step that is not a join."""
        return StepShape(step.site, tuple(self.edges(_relevant_sources(step))))

    def kind(self, step: ProvenanceStep) -> Hashable:
        """Return the key that is equal for steps to be merged."""
        site = step.site
        return (site.place, site.how, site.words)

    def merge(self, steps: list[ProvenanceStep], below: Iterable[ValueSource]) -> ProvenanceStep:
        """Return one step for several of a kind; it depends on everything that they depend on."""
        return ProvenanceStep(steps[0].site, tuple(dict.fromkeys(below)), (), steps[0].cell)

    def _shape(self, step: ProvenanceStep, *, has_attribute: bool) -> StepShape:
        if isinstance(step, Join):
            first, *others = (source for source in step.reads if isinstance(source, ProvenanceStep))
            shape = self._shape(first, has_attribute=has_attribute or self._attribute(first) is not None)
            return StepShape(shape.site, tuple(dict.fromkeys((*shape.edges, *self.edges(others)))))
        shape = self.describe_step(step)
        site = shape.site
        if site.words is None and step.cell is not None and not has_attribute:
            # No attribute of the graph names what it made, so the note does.
            return StepShape(Site(site.place, site.how, _cell_title(step.cell)), shape.edges)
        return shape

    def edges(self, sources: Iterable[ValueSource]) -> Iterator[Edge]:
        """Yield the sources: attributes and origins once, steps of the same kind merged."""
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
        """Return the attribute whose final value a step made, or None.

        A value that was overwritten later is not the value of the attribute, so the chain must continue through the
        step.
        """
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
    """Yield sources with joins replaced by what they join, unless an attribute of the graph stands for the join."""
    waiting = list(sources)[::-1]
    while waiting:
        source = waiting.pop()
        if isinstance(source, Join) and attribute(source) is None:
            waiting.extend(reversed(tuple(source.reads)))
        else:
            yield source


def _relevant_sources(step: ProvenanceStep) -> list[ValueSource]:
    """Return what a step read and what decided that it ran, without decisions that its reads depend on anyway."""
    sources = list(step.reads)
    for decision in step.decided_by:
        if not isinstance(decision, ProvenanceStep):
            sources.append(decision)
        elif not rests_on(decision, step.reads, _NEAR):
            if decision.site.place == step.site.place:
                sources += _relevant_sources(decision)  # a call and its argument are on one line
            else:
                sources.append(decision)
    return sources
