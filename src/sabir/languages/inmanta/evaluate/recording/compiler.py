"""The compiler whose parts note what they read and write."""

from __future__ import annotations

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.compiler import Compiler
from sabir.languages.inmanta.evaluate.engine import Step as Statement
from sabir.languages.inmanta.evaluate.functions import Functions
from sabir.languages.inmanta.evaluate.recording.construction import RecordedConstruction, RecordedRefinements
from sabir.languages.inmanta.evaluate.recording.engine import RecordedEngine
from sabir.languages.inmanta.evaluate.recording.expressions import (
    RecordedCalls,
    RecordedExpressions,
    RecordedLookups,
)
from sabir.languages.inmanta.evaluate.recording.plugins import PluginPlaces
from sabir.languages.inmanta.evaluate.recording.templates import RecordedTemplates
from sabir.languages.inmanta.evaluate.recording.withheld import Withheld
from sabir.languages.inmanta.evaluate.values import Frame
from sabir.languages.inmanta.model.definitions import Definitions
from sabir.languages.inmanta.syntax.project import MAIN
from sabir.provenance import Step
from sabir.text import Place, Span

__all__ = ["RecordedCompiler"]


class RecordedCompiler(Compiler):
    def __init__(self, definitions: Definitions, engine: RecordedEngine, functions: Functions) -> None:
        self.recorder = engine.recorder
        self.places = PluginPlaces(functions.sources)
        self._read_files: dict[tuple[str, str], Step] = {}
        super().__init__(definitions, engine, functions)
        engine.withheld = Withheld(self, self.recorder)

    def assemble(self) -> None:
        self.lookups = RecordedLookups(self)
        self.calls = RecordedCalls(self)
        self.refinements = RecordedRefinements(self)
        self.construction = RecordedConstruction(self)
        self.expressions = RecordedExpressions(self)
        self.templates = templates = RecordedTemplates(self)
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
