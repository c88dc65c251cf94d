"""Recorded renderings: the same text again, with what each part of it was computed from.

This runs after an ordinary rendering that succeeded, which has reported any errors.

Variables record which settings are read. A mapping records the setting that is taken from it. A list
counts as read with all its scalars when it is taken, because Jinja2 and its filters process lists in
ways that cannot be observed. Mappings inside a list are watched separately.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType
from typing import Any, Final

from jinja2 import TemplateError, Undefined, pass_context
from jinja2.runtime import Context

from sabir.expressions.template.environment import BoundedEnvironment
from sabir.expressions.template.findings import Piece
from sabir.expressions.template.limits import MISTAKES, TemplateLimitError, TemplateLimits
from sabir.graph.origin import How
from sabir.languages.ccp.runner.network import address_function
from sabir.languages.ccp.syntax.recording.statements import TemplateMarks, Trace, mark_reads
from sabir.provenance import ProvenanceStep, ReadTracker, Recorder, Site, Sources, ValueSource
from sabir.text import Source as Text

VARIABLES: Final = "variables"
MAPPING: Final = "mapping"
"""The owners of settings, each with the named instance of a service that has them; None is the deployment itself."""

Path = tuple[str | int, ...]
Setting = tuple[Any, Path]
"""A cell of the recorder: whose variables they are, and the way to the value among them."""


class WatchedSettings(dict[str, Any]):
    """A mapping of the configuration that records what is read."""

    __slots__ = ("computing", "owner", "path")

    def __init__(self, computing: ReadTracker, owner: object, path: Path, values: Mapping[str, Any]) -> None:
        self.computing = computing
        self.owner = owner
        self.path = path
        super().__init__({key: self._inside(value, (*path, key)) for key, value in values.items()})

    def _inside(self, value: Any, path: Path) -> Any:
        if isinstance(value, Mapping):
            return WatchedSettings(self.computing, self.owner, path, value)
        if isinstance(value, list):
            return [self._inside(item, (*path, position)) for position, item in enumerate(value)]
        return value

    def note(self, key: str) -> None:
        """Record a read of a value: all of it, except the mappings in it."""
        self._note(super().get(key), (*self.path, key))

    def _note(self, value: Any, path: Path) -> None:
        if isinstance(value, list) and value:
            for position, item in enumerate(value):
                if isinstance(item, dict):  # that there is one counts; what it holds is noted when it is read
                    self._record_read((*path, position, *first_leaf(item)))
                else:
                    self._note(item, (*path, position))
        elif not isinstance(value, dict) or not dict.__len__(value):
            self._record_read(path)

    def _record_read(self, path: Path) -> None:
        self.computing.reads.append((self.owner, path))

    def note_keys(self) -> None:
        """Record that exactly these keys exist."""
        for key in super().__iter__():
            self.note_key(key)

    def note_key(self, key: str) -> None:
        self._record_read((*self.path, key, *first_leaf(super().get(key))))

    def get_unrecorded(self, key: str) -> Any:
        return super().get(key)

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        self.note(key)
        return value

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if super().__contains__(key) else default

    def __contains__(self, key: object) -> bool:
        is_there = super().__contains__(key)
        if is_there:
            self.note_key(str(key))
        return is_there

    def __iter__(self) -> Iterator[str]:
        self.note_keys()
        return super().__iter__()

    def keys(self) -> Any:
        self.note_keys()
        return super().keys()

    def values(self) -> Any:
        self._note_all()
        return super().values()

    def items(self) -> Any:
        self._note_all()
        return super().items()

    def _note_all(self) -> None:
        self.note_keys()
        for key in super().__iter__():
            self.note(key)

    def __len__(self) -> int:
        self.note_keys()
        return super().__len__()

    def __bool__(self) -> bool:
        return len(self) > 0

    def __eq__(self, other: object) -> bool:
        self._note_deep()
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __repr__(self) -> str:
        self._note_deep()
        return super().__repr__()

    __str__ = __repr__

    def copy(self) -> dict[str, Any]:
        return dict(self.items())

    def _note_deep(self) -> None:
        self._note_all()
        for value in super().values():
            for inner in value if isinstance(value, list) else (value,):
                if isinstance(inner, WatchedSettings):
                    inner._note_deep()


def first_leaf(value: Any) -> Path:
    """Return the path to the first scalar, the line that shows that a value exists."""
    if isinstance(value, dict) and (key := next(dict.__iter__(value), None)) is not None:
        return (key, *first_leaf(dict.get(value, key)))
    if isinstance(value, list) and value:
        return (0, *first_leaf(value[0]))
    return ()


_LIMITS: Final = TemplateLimits()


class RecordingEnvironment(BoundedEnvironment):
    """Compiles templates with marks that notify the running rendering."""

    def __init__(
        self, *, load: Callable[[str], Text | None], functions: Mapping[str, Any], filters: Mapping[str, Any]
    ) -> None:
        self.marked: dict[str, TemplateMarks] = {}
        self.rendering: _Rendering | None = None
        super().__init__(load=load, limits=_LIMITS)
        known: dict[str, Any] = self.globals
        known.update(functions)
        self.add_filters(filters)
        marks: dict[str, Any] = self.filters
        marks.update(_MARKS)

    def compile_source(self, source: Text) -> tuple[CodeType, tuple[Piece, ...]]:
        tree = self.parse(source.text, source.name, source.name)
        marked = self.marked[source.name] = mark_reads(tree, source)
        return self.compile(tree, source.name, source.name), marked.pieces


class TracedTemplates:
    """The templates of one component, rendered once more."""

    def __init__(
        self, load: Callable[[str], Text | None], functions: Mapping[str, Any], filters: Mapping[str, Any]
    ) -> None:
        self._environment = RecordingEnvironment(load=load, functions=functions, filters=filters)

    def leniently(self) -> TracedTemplates:
        """Return the same templates with undefined names empty and false, as in file templates."""
        self._environment.keep_trailing_newline = False
        self._environment.undefined = Undefined
        return self

    def trace(
        self, source: Text, instance: str | None, variables: Mapping[str, Any], mapping: Mapping[str, str]
    ) -> Trace | None:
        """Return what each part of the text depends on; None if it takes too long.

        The variables are those of the deployment or of a named instance of a service.
        """
        computing = ReadTracker()
        watched = WatchedSettings(computing, (VARIABLES, instance), (), variables)
        services = WatchedSettings(computing, (MAPPING, instance), (), mapping)
        values = {**dict.copy(watched), "address": address_function(watched, services)}
        computing.reads.clear()  # a copy reads everything
        environment = self._environment
        rendering = environment.rendering = _Rendering(environment, watched, computing)
        environment.meter.restart()
        try:
            template = environment.template(source)
            return rendering.trace(template.root_render_func(template.new_context(values)))
        except (TemplateError, TemplateLimitError, RecursionError, *MISTAKES):
            return None


class _Rendering:
    """The state of one rendering: what is being computed, what decides, which names the template set."""

    def __init__(
        self, environment: RecordingEnvironment, variables: WatchedSettings, computing: ReadTracker
    ) -> None:
        self.environment = environment
        self.variables = variables
        self.computing = computing
        self.recorder = Recorder()
        self.outputs: list[ProvenanceStep] = []
        """Computed for the text and not yet put out."""
        self.written: dict[str, ProvenanceStep] = {}
        """The step that gave a name its value."""
        self._outer: list[tuple[Sources, dict[str, ProvenanceStep]]] = []
        self._aside: list[tuple[list[ValueSource], list[ProvenanceStep], dict[str, ProvenanceStep]]] = []

    def trace(self, chunks: Iterable[str]) -> Trace:
        starts: list[int] = []
        sources: list[Sources] = []
        parts: list[str] = []
        size = 0
        meter = self.environment.meter
        for chunk in chunks:
            starts.append(size)
            sources.append(self.take_outputs())
            parts.append(chunk)
            size += len(chunk)
            meter.room(size)
            meter.step()
        return Trace("".join(parts), tuple(starts), tuple(sources))

    def site(self, template: str, number: int) -> Site:
        return self.environment.marked[template].sites[number]

    def step(self, site: Site) -> ProvenanceStep:
        """Return everything that was read since the last mark."""
        reads = self.computing.distinct(self.computing.reads)
        self.computing.reads.clear()
        return self.recorder.step(site, reads, self.computing.decided_by)

    def take_outputs(self) -> Sources:
        """Return what the following text depends on: what decides about it, and its reads."""
        outputs, self.outputs = self.outputs, []
        read = (source for step in outputs for source in step.reads)
        return tuple(dict.fromkeys((*self.computing.decided_by, *read)))

    # -- marks -----------------------------------------------------------------------------------------------------

    def name(self, value: Any, name: str) -> None:
        step = self.written.get(name)
        if step is not None:
            self.computing.reads.append(step)
        elif value is not None and self.variables.get_unrecorded(name) is value:
            self.variables.note(name)

    def put_out(self, value: Any, site: Site) -> None:
        if isinstance(value, dict | list | tuple):
            str(value)  # which reads all that is inside, as Jinja2 will do when this step is over
        self.outputs.append(self.step(site))

    def set(self, site: Site, names: tuple[str, ...]) -> None:
        for name in names:
            if name in self.written:  # a namespace keeps what other statements put into it
                self.computing.reads.append(self.written[name])
        self.written.update(dict.fromkeys(names, self.step(site)))

    def open(self, sites: tuple[Site, ...]) -> None:
        decided_by = self.computing.decided_by
        self._outer.append((decided_by, dict(self.written)))
        # Each tag of a statement decides which text belongs to which branch.
        tags = tuple(self.recorder.step(site, (), decided_by) for site in sites)
        self.computing.decided_by = (*decided_by, *tags)

    def test(self, site: Site) -> ProvenanceStep:
        outer = self._outer[-1][0]
        decided_by = self.computing.decided_by
        self.computing.decided_by = outer
        tested = self.step(site)
        rest = (step for step in decided_by if not (isinstance(step, ProvenanceStep) and step.site is site))
        self.computing.decided_by = (*rest, tested)
        return tested

    def loop(self, site: Site, names: tuple[str, ...]) -> None:
        self.written.update(dict.fromkeys(names, self.test(site)))

    def round(self) -> None:
        """Assign the reads that led to the next item to the loop."""
        reads = self.computing.reads
        loop = self.computing.decided_by[-1]
        if reads and isinstance(loop, ProvenanceStep):
            loop.gather(list(reads), ())
        reads.clear()

    def close(self, names: tuple[str, ...]) -> None:
        decided_by = self.computing.decided_by
        outer, before = self._outer.pop()
        self.computing.decided_by = outer
        decisions = [step for step in decided_by[len(outer) :] if isinstance(step, ProvenanceStep)]
        if not decisions:
            return
        is_loop = decisions[-1].site.how is How.LOOP
        after, self.written = self.written, before if is_loop else self.written
        for name in names:  # given another value, or not: that was decided here
            earlier: tuple[ValueSource, ...] = tuple(
                step for step in (after.get(name), before.get(name)) if step is not None
            )
            if not earlier and self.variables.get_unrecorded(name) is not None:
                earlier = ((self.variables.owner, (name,)),)
            if not is_loop or name in before:
                self.written[name] = self.recorder.step(decisions[-1].site, (*earlier, *decisions), outer)
        self.outputs.append(ProvenanceStep(decisions[-1].site, tuple(decisions), outer))

    def enter(self) -> None:
        self._aside.append((self.computing.reads, self.outputs, dict(self.written)))
        self.computing.reads, self.outputs = [], []

    def leave(self, site: Site, names: tuple[str, ...]) -> None:
        reads, outputs, before = self._aside.pop()
        inner = [*self.outputs, *self.computing.reads]
        fresh = [step for name, step in self.written.items() if before.get(name) is not step]
        self.computing.reads, self.outputs, self.written = reads, outputs, before
        if names:
            step = self.recorder.step(site, tuple(dict.fromkeys((*inner, *fresh))), self.computing.decided_by)
            self.written.update(dict.fromkeys(names, step))
        else:
            self.computing.reads.append(self.recorder.step(site, tuple(dict.fromkeys(inner))))


def _build_mark(act: Callable[..., Any]) -> Any:
    @pass_context  # so that it is never run while a template is compiled
    def filter_(context: Context, value: Any, template: str, *arguments: Any) -> Any:
        act(context.environment.rendering, value, template, *arguments)  # type: ignore[attr-defined]  # ours has one
        return value

    return filter_


_MARKS: Final[Mapping[str, Any]] = {
    "*name*": _build_mark(lambda run, value, _template, name: run.name(value, name)),
    "*out*": _build_mark(lambda run, value, template, at: run.put_out(value, run.site(template, at))),
    "*set*": _build_mark(lambda run, _value, template, at, names: run.set(run.site(template, at), names)),
    "*test*": _build_mark(lambda run, _value, template, at: run.test(run.site(template, at))),
    "*loop over*": _build_mark(
        lambda run, _value, template, at, names: run.loop(run.site(template, at), names)
    ),
    "*round*": _build_mark(lambda run, _value, _template: run.round()),
    "*open*": _build_mark(
        lambda run, _value, template, numbers: run.open(tuple(run.site(template, at) for at in numbers))
    ),
    "*close*": _build_mark(lambda run, _value, _template, names: run.close(names)),
    "*enter*": _build_mark(lambda run, _value, _template: run.enter()),
    "*leave*": _build_mark(lambda run, _value, template, at, names: run.leave(run.site(template, at), names)),
}
"""What the filters in a marked template do; each gives back what it was given."""
