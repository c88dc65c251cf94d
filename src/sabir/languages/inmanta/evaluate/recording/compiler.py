"""The recording compiler: constructors and refinements that note what each property depends on.

Each partial compiler of the ordinary one is replaced by a subclass that wraps the compiled reads. The
values are computed by the same code, so a recorded evaluation has the same result.
"""

from __future__ import annotations

from typing import Any

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.compiler import ModelCompiler
from sabir.languages.inmanta.evaluate.construction import ConstructionCompiler, RefinementCompiler
from sabir.languages.inmanta.evaluate.engine import EngineStep as Statement
from sabir.languages.inmanta.evaluate.functions import Functions
from sabir.languages.inmanta.evaluate.recording.engine import RecordedEngine
from sabir.languages.inmanta.evaluate.recording.expressions import (
    PluginPlaces,
    RecordedCalls,
    RecordedExpressions,
    RecordedLookups,
)
from sabir.languages.inmanta.evaluate.recording.recorder import SkippedStatements
from sabir.languages.inmanta.evaluate.recording.templates import RecordedModelTemplates
from sabir.languages.inmanta.evaluate.scopes import BlockScope
from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance, Read
from sabir.languages.inmanta.model.definitions import Definitions
from sabir.languages.inmanta.model.entities import ImplementationDef, ImplementDef
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.project import MAIN
from sabir.provenance import ProvenanceStep, Sources, ValueSource
from sabir.text import Place, Span

_UNPACKED = "**"


class RecordedConstruction(ConstructionCompiler):
    """Constructors that record the reads of each argument as the sources of its property."""

    def __init__(self, compiler: RecordedCompiler) -> None:
        super().__init__(compiler)
        self.recorder = compiler.recorder

    def construct_once(self, node: nodes.Construct, scope: BlockScope) -> Read:
        return self.recorder.remember_reads(super().construct_once(node, scope))

    def construct(self, node: nodes.Construct, scope: BlockScope) -> Read:
        construct = super().construct(node, scope)
        recorder, place = self.recorder, nodes.place_of(scope.space.source, node)

        def traced(frame: Frame) -> Any:
            before, outer = recorder.open(), recorder.arguments
            recorder.arguments = {}
            try:
                instance = construct(frame)
                if instance in recorder.constructed:
                    source: ValueSource = self._again(instance, place)
                else:
                    source = (instance, None)
                    self._note(instance)
            finally:
                recorder.close(before)
                recorder.arguments = outer
            recorder.reads.append(source)
            return instance

        return traced

    def _again(self, instance: ModelInstance, place: Place) -> ValueSource:
        """Return the source of a repeated construction: the index values that found the existing instance."""
        recorder = self.recorder
        keys = [name for index in instance.entity.indexes for name in index.attributes]
        sources: dict[ValueSource, None] = {}
        for name in keys:
            sources.update(dict.fromkeys(recorder.arguments.get(name, ())))
        sources.update(dict.fromkeys((instance, name) for name in keys))
        return recorder.step_at(place, How.INDEX, tuple(sources), "made before")

    def _note(self, instance: ModelInstance) -> None:
        """Record the attributes of a new instance, which are set without a write."""
        recorder = self.recorder
        recorder.constructed.add(instance)
        recorder.make(instance)
        site, properties = instance.site, instance.entity.all_properties
        places = site.argument_places or {}
        for name in site.explicit:
            reads = recorder.arguments.get(name)
            if reads is not None and properties[name].target is None:
                place = places.get(name, site.place)
                rest = recorder.rests(instance, site, place, reads)
                recorder.wrote(instance, properties[name], recorder.step_at(place, site.how, rest))

    def argument(self, read: Read, argument: nodes.Argument) -> Read:
        name = argument.name or _UNPACKED
        recorder = self.recorder

        def traced(frame: Frame) -> Any:
            recorder.reads = []  # what the arguments before it read is theirs
            value = read(frame)
            if name == _UNPACKED:
                recorder.arguments.setdefault(_UNPACKED, []).extend(recorder.reads)
            else:
                recorder.arguments[name] = recorder.reads
            return value

        return traced

    def entry_reader(self, value: Any, argument: nodes.Argument) -> Read:
        name = argument.name or ""
        recorder = self.recorder

        def traced(_: Frame) -> Any:
            recorder.reads = recorder.arguments[name] = list(recorder.arguments.get(_UNPACKED, ()))
            return value

        return traced


class RecordedRefinements(RefinementCompiler):
    """Refinements that record which `implement` statement selected an implementation."""

    def __init__(self, compiler: RecordedCompiler) -> None:
        super().__init__(compiler)
        self.recorder = compiler.recorder

    def run_body(self, implementation: ImplementationDef, instance: ModelInstance) -> None:
        layout, steps, space_frame = self.body(implementation)
        frame = [space_frame, instance, *layout.rest()]
        if steps:
            why = self._find_selection(implementation, instance)
            self.recorder.blocks[id(frame), id(steps[0].scope)] = (frame, why)
        self.engine.run_steps(steps, frame)

    def _find_selection(self, implementation: ImplementationDef, instance: ModelInstance) -> Sources:
        """Return the `implement` that selected an implementation, with what its condition read."""
        current = self.recorder.running
        decided: Sources = ()
        node: Any = None
        if current is not None:  # a condition holds
            decided, node = self.recorder.distinct(self.recorder.reads), current.step.node
        for implement, declared in instance.entity.selected:
            if implementation in implement.implementations and (
                implement.node is node if node is not None else implement.node.condition is None
            ):
                sources: Sources = (*decided, (instance, None))
                if declared is not instance.entity:
                    sources = (*sources, *self._list_inherited(instance))
                return (
                    self.recorder.step_at(
                        implement.place, How.REFINEMENT, sources, _implement_note(implement)
                    ),
                )
        return (*decided, (instance, None))

    def _list_inherited(self, instance: ModelInstance) -> Sources:
        return tuple(
            self.recorder.step_at(implement.place, How.REFINEMENT, (), _implement_note(implement))
            for implement in instance.entity.implements
            if implement.parents
        )


def _implement_note(implement: ImplementDef) -> str:
    return f"implement {implement.node.entity.name}"


class RecordedCompiler(ModelCompiler):
    """A model compiler whose parts record what they read and write."""

    def __init__(self, definitions: Definitions, engine: RecordedEngine, functions: Functions) -> None:
        self.recorder = engine.recorder
        self.places = PluginPlaces(functions.sources)
        self._read_files: dict[tuple[str, str], ProvenanceStep] = {}
        super().__init__(definitions, engine, functions)
        engine.withheld = SkippedStatements(self, self.recorder)

    def assemble(self) -> None:
        self.lookups = RecordedLookups(self)
        self.calls = RecordedCalls(self)
        self.refinements = RecordedRefinements(self)
        self.construction = RecordedConstruction(self)
        self.expressions = RecordedExpressions(self)
        self.templates = templates = RecordedModelTemplates(self)
        for entity in self.definitions.entities.values():
            entity.on_read = templates.note

    def compile(self) -> list[tuple[list[Statement], Frame]]:
        compiled = super().compile()
        given = self.engine.given
        if given is not None:
            for name in given.inputs:
                slot = self.scopes[MAIN].names[name]
                self.recorder.variables[id(self.frame(MAIN)), slot] = given.origin(name)
        return compiled

    def read_file(self, folder: str, path: str) -> bytes:
        data = super().read_file(folder, path)
        file = self.file(folder, path)
        if file is not None:
            step = self._read_files.get((folder, path))
            if step is None:
                place = Place(file.source, Span(0, len(file.source.text)))
                step = self.recorder.step_at(place, How.FILE, (), f"the whole of {path}")
                self._read_files[folder, path] = step
            self.recorder.reads.append(step)
        return data
