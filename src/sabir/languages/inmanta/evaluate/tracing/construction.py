"""Constructors and refinements that note what each property rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.construction import ConstructionCompiler
from sabir.languages.inmanta.evaluate.refinements import RefinementCompiler
from sabir.languages.inmanta.evaluate.scopes import Scope
from sabir.languages.inmanta.evaluate.tracing.tracer import Source, Sources
from sabir.languages.inmanta.evaluate.values import Frame, Instance, Read
from sabir.languages.inmanta.model.entities import ImplementationDef, ImplementDef
from sabir.languages.inmanta.syntax import nodes
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.tracing.compiler import TracedCompiler

__all__ = ["TracedConstruction", "TracedRefinements"]

_UNPACKED = "**"


class TracedConstruction(ConstructionCompiler):
    def __init__(self, compiler: TracedCompiler) -> None:
        super().__init__(compiler)
        self.tracer = compiler.tracer

    def nested_construct(self, node: nodes.Construct, scope: Scope) -> Read:
        return self.tracer.remembering(super().nested_construct(node, scope))

    def construct(self, node: nodes.Construct, scope: Scope) -> Read:
        construct = super().construct(node, scope)
        tracer, place = self.tracer, nodes.place_of(scope.space.source, node)

        def traced(frame: Frame) -> Any:
            before, outer = tracer.open(), tracer.arguments
            tracer.arguments = {}
            try:
                instance = construct(frame)
                if instance in tracer.constructed:
                    found: Source = self._again(instance, place)
                else:
                    found = (instance, None)
                    self._note(instance)
            finally:
                tracer.close(before)
                tracer.arguments = outer
            tracer.reads[found] = None
            return instance

        return traced

    def _again(self, instance: Instance, place: Place) -> Source:
        """A second constructor with the same identifying values: they found the instance that was there."""
        tracer = self.tracer
        keys = [name for index in instance.entity.indexes for name in index.attributes]
        sources: dict[Source, None] = {}
        for name in keys:
            sources.update(tracer.arguments.get(name, {}))
        sources.update(dict.fromkeys((instance, name) for name in keys))
        return tracer.trace(place, How.INDEX, tuple(sources), "made before")

    def _note(self, instance: Instance) -> None:
        """A new instance has its attributes without anybody writing them."""
        tracer = self.tracer
        tracer.constructed.add(instance)
        tracer.make(instance)
        site, properties = instance.site, instance.entity.all_properties
        places = site.argument_places or {}
        for name in site.explicit:
            reads = tracer.arguments.get(name)
            if reads is not None and properties[name].target is None:
                place = places.get(name, site.place)
                sources = tracer.rests(instance, site, place, reads)
                tracer.wrote(instance, properties[name], tracer.trace(place, site.how, sources))

    def argument(self, read: Read, argument: nodes.Argument) -> Read:
        name = argument.name or _UNPACKED
        tracer = self.tracer

        def traced(frame: Frame) -> Any:
            own: dict[Source, None] = {}
            tracer.reads = own  # what the arguments before it read is theirs
            value = read(frame)
            if name == _UNPACKED:
                tracer.arguments.setdefault(_UNPACKED, {}).update(tracer.reads)
            else:
                tracer.arguments[name] = tracer.reads
            return value

        return traced

    def unpacked(self, value: Any, argument: nodes.Argument) -> Read:
        name = argument.name or ""
        tracer = self.tracer

        def traced(_: Frame) -> Any:
            tracer.reads = tracer.arguments[name] = dict(tracer.arguments.get(_UNPACKED, {}))
            return value

        return traced


class TracedRefinements(RefinementCompiler):
    def __init__(self, compiler: TracedCompiler) -> None:
        super().__init__(compiler)
        self.tracer = compiler.tracer

    def run_body(self, implementation: ImplementationDef, instance: Instance) -> None:
        layout, steps, space_frame = self.body(implementation)
        frame = [space_frame, instance, *layout.rest()]
        if steps:
            why = self._selected(implementation, instance)
            self.tracer.blocks[id(frame), id(steps[0].scope)] = (frame, why)
        self.engine.run_steps(steps, frame)

    def _selected(self, implementation: ImplementationDef, instance: Instance) -> Sources:
        """The `implement` that selected an implementation for an instance, with what its condition read."""
        current = self.tracer.current
        decided: Sources = ()
        node: Any = None
        if current is not None:  # a condition holds
            decided, node = tuple(self.tracer.reads), current.step.node
        for implement, declared in instance.entity.selected:
            if implementation in implement.implementations and (
                implement.node is node if node is not None else implement.node.condition is None
            ):
                sources: Sources = (*decided, (instance, None))
                if declared is not instance.entity:
                    sources = (*sources, *self._inherited(instance))
                return (self.tracer.trace(implement.place, How.REFINEMENT, sources, _words(implement)),)
        return (*decided, (instance, None))

    def _inherited(self, instance: Instance) -> Sources:
        return tuple(
            self.tracer.trace(one.place, How.REFINEMENT, (), _words(one))
            for one in instance.entity.implements
            if one.parents
        )


def _words(implement: ImplementDef) -> str:
    return f"implement {implement.node.entity.name}"
