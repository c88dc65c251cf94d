"""Templates that record which of their lines read what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import currentframe
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.functions import PluginFunction
from sabir.languages.inmanta.evaluate.scopes import BlockScope
from sabir.languages.inmanta.evaluate.templates import ModelTemplates
from sabir.languages.inmanta.evaluate.values import Frame, Read
from sabir.languages.inmanta.evaluate.views import InstanceView, instance_of
from sabir.languages.inmanta.syntax.project import Namespace
from sabir.provenance import ProvenanceStep, Sources, ValueSource
from sabir.text import Place, Span

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.recording.compiler import RecordedCompiler
    from sabir.text import Source as Text


_Line = tuple[str, int]


class _Rendering(Struct, eq=False):
    """The reads of a template being rendered, by line, and the values of its free names."""

    lines: dict[_Line, dict[ValueSource, None]] = {}
    names: dict[str, Sources] = {}


class _File(Struct, frozen=True, eq=False):
    """A template file, and the lines on which names occur."""

    path: str
    text: Text
    names: dict[str, tuple[int, ...]]
    whole: Place
    lines: dict[int, Place] = {}

    def line(self, number: int) -> Place:
        """Return the place of a line, without surrounding white space."""
        place = self.lines.get(number)
        if place is None:
            start, shown = self.text.offset(number), self.text.line_text(number)
            span = Span(start + len(shown) - len(shown.lstrip()), start + len(shown))
            place = self.lines[number] = Place(self.text, span)
        return place


class RecordedModelTemplates(ModelTemplates):
    """Templates whose output depends on the lines that read a property or variable."""

    compiler: RecordedCompiler

    def __init__(self, compiler: RecordedCompiler) -> None:
        super().__init__(compiler)
        self.recorder = compiler.recorder
        self._rendering: _Rendering | None = None
        self._files: dict[tuple[str, str], tuple[_File, ...]] = {}

    def renderer(self, scope: BlockScope, place: Place) -> Callable[[Frame, str, Mapping[str, Any]], Any]:
        render = super().renderer(scope, place)
        recorder = self.recorder

        def traced(frame: Frame, path: str, values: Mapping[str, Any]) -> Any:
            before, outer = recorder.open(), self._rendering
            rendering = self._rendering = _Rendering()
            try:
                text = render(frame, path, values)
            finally:
                rest = recorder.close(before)
                self._rendering = outer
            recorder.reads += (*self._steps(path, scope.space, rendering), *rest)
            return text

        return traced

    def _steps(self, path: str, space: Namespace, rendering: _Rendering) -> Sources:
        """Return a step for each file, and below it one for each line that reads something."""
        files: list[ProvenanceStep] = []
        for file in self._read(path, space):
            lines: dict[int, dict[ValueSource, None]] = {}
            for (name, line), reads in rendering.lines.items():
                if name == file.path:
                    lines.setdefault(line, {}).update(reads)
            for name, where in file.names.items():
                sources = rendering.names.get(name)
                for line in where if sources else ():
                    lines.setdefault(line, {}).update(dict.fromkeys(sources or ()))
            steps = tuple(
                self.recorder.step_at(file.line(line), How.TEMPLATE, tuple(reads))
                for line, reads in sorted(lines.items())
            )
            files.append(self.recorder.step_at(file.whole, How.TEMPLATE, steps, f"the whole of {file.path}"))
        return tuple(files)

    def _read(self, path: str, space: Namespace) -> tuple[_File, ...]:
        """Return the files of a template: itself, and what it includes."""
        files = self._files.get((space.name, path))
        if files is None:
            from jinja2 import meta
            from jinja2.nodes import Name

            environment = self._environments[space.name]
            by_path: dict[str, _File] = {}
            todo = [path]
            while todo:
                current = todo.pop(0)
                file = self.compiler.file("templates", current)
                if current in by_path or file is None:
                    continue
                tree = environment.parse(file.source.text)
                names: dict[str, dict[int, None]] = {}
                for name in tree.find_all(Name):
                    names.setdefault(name.name, {})[name.lineno] = None
                lines = {name: tuple(where) for name, where in names.items()}
                whole = Place(file.source, Span(0, len(file.source.text)))
                by_path[current] = _File(current, file.source, lines, whole)
                todo += [other for other in meta.find_referenced_templates(tree) if other is not None]
            files = self._files[space.name, path] = tuple(by_path.values())
        return files

    def _reads(self, names: frozenset[str], scope: BlockScope, place: Place) -> list[tuple[str, Read]]:
        return [(name, self._free(name, read)) for name, read in super()._reads(names, scope, place)]

    def _free(self, name: str, read: Read) -> Read:
        recorder = self.recorder

        def traced(frame: Frame) -> Any:
            value, sources = recorder.collect_reads(read, frame)
            if self._rendering is not None:
                self._rendering.names[name] = sources
            return value

        return traced

    def note(self, instance: Any, name: str) -> None:
        """Record a property read by Python: by a line of a template, or by a plugin."""
        line = None if self._rendering is None else _template_line()
        if line is None or self._rendering is None:
            self.recorder.attribute(instance, name)
        else:
            self._rendering.lines.setdefault(line, {})[instance, name] = None

    def _note_here(self, sources: Sources) -> None:
        line = _template_line()
        if self._rendering is not None and line is not None:
            self._rendering.lines.setdefault(line, {}).update(dict.fromkeys(sources))

    def variable(self, home: str, name: str) -> Any:
        value = super().variable(home, name)
        slot = self.compiler.scopes[home].names[name]
        source = self.recorder.variables.get((id(self.compiler.frame(home)), slot))
        if source is not None:
            self._note_here((source,))
        return value

    def python(self, function: PluginFunction) -> Callable[..., Any]:
        call = super().python(function)
        defined = self.compiler.places.of(call)
        if not defined:
            return call

        @wraps(call)
        def traced(*arguments: Any, **named: Any) -> Any:
            self._note_here(defined)
            return call(*arguments, **named)

        return traced

    def _environment(self, space: Namespace) -> Any:
        environment = super()._environment(space)
        plain = environment.getattr

        def traced(obj: Any, attribute: str) -> Any:
            if type(obj) is InstanceView and attribute in instance_of(obj).entity.slots:
                self.note(instance_of(obj), attribute)
            return plain(obj, attribute)

        environment.getattr = traced
        return environment


def _template_line() -> _Line | None:
    """Return the file and line of the template that is running."""
    frame = currentframe()
    while frame is not None:
        template = frame.f_globals.get("__jinja_template__")
        if template is not None:
            return template.name, template.get_corresponding_lineno(frame.f_lineno)
        frame = frame.f_back
    return None
