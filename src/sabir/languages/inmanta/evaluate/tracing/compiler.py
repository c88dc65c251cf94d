"""The compiler whose parts note what they read and write."""

from __future__ import annotations

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.compiler import Compiler
from sabir.languages.inmanta.evaluate.engine import Step
from sabir.languages.inmanta.evaluate.functions import Functions
from sabir.languages.inmanta.evaluate.tracing.construction import TracedConstruction, TracedRefinements
from sabir.languages.inmanta.evaluate.tracing.engine import TracedEngine
from sabir.languages.inmanta.evaluate.tracing.expressions import (
    TracedCalls,
    TracedExpressions,
    TracedLookups,
)
from sabir.languages.inmanta.evaluate.tracing.plugins import PluginPlaces
from sabir.languages.inmanta.evaluate.tracing.templates import TracedTemplates
from sabir.languages.inmanta.evaluate.tracing.tracer import Trace
from sabir.languages.inmanta.evaluate.tracing.withheld import Withheld
from sabir.languages.inmanta.evaluate.values import Frame
from sabir.languages.inmanta.model.definitions import Definitions
from sabir.languages.inmanta.syntax.project import MAIN
from sabir.text import Place, Span

__all__ = ["TracedCompiler"]


class TracedCompiler(Compiler):
    def __init__(self, definitions: Definitions, engine: TracedEngine, functions: Functions) -> None:
        self.tracer = engine.tracer
        self.places = PluginPlaces()
        self._read_files: dict[tuple[str, str], Trace] = {}
        super().__init__(definitions, engine, functions)
        engine.withheld = Withheld(self, self.tracer)

    def assemble(self) -> None:
        self.lookups = TracedLookups(self)
        self.calls = TracedCalls(self)
        self.refinements = TracedRefinements(self)
        self.construction = TracedConstruction(self)
        self.expressions = TracedExpressions(self)
        self.templates = templates = TracedTemplates(self)
        for entity in self.definitions.entities.values():
            entity.on_read = templates.note

    def compile(self) -> list[tuple[list[Step], Frame]]:
        compiled = super().compile()
        given = self.engine.given
        if given is not None:
            for name in given.inputs:
                slot = self.scopes[MAIN].names[name]
                self.tracer.variables[id(self.frame(MAIN)), slot] = given.origin(name)
        return compiled

    def read_file(self, folder: str, path: str) -> bytes:
        data = super().read_file(folder, path)
        file = self.file(folder, path)
        if file is not None:
            known = self._read_files.get((folder, path))
            if known is None:
                place = Place(file.source, Span(0, len(file.source.text)))
                known = self._read_files[folder, path] = Trace(place, How.FILE, (), f"the whole of {path}")
            self.tracer.reads[known] = None
        return data
