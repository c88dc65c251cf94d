"""Why: explain the origin of an instance, an attribute or an output, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError
from sabir.graph.dependence import lines_of
from sabir.graph.graph import Graph, Instance
from sabir.graph.json.values import encode_value
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.secrets import Secrets, holds_sensitive
from sabir.graph.values import Ref, Value
from sabir.graph.views.visibility import without_libraries
from sabir.languages.language import EvaluationRequest
from sabir.operations.evaluation import errors_first, evaluate_path
from sabir.source.packages import LoadedPackage
from sabir.text import Location, Source

_MOST_STEPS: Final = 2000
OUTPUTS: Final = "outputs"


class WhyRequest(Struct, frozen=True, kw_only=True):
    """The project and the subject to explain."""

    path: Path
    subject: str
    """`INSTANCE[.ATTRIBUTE]` by id or name, or `outputs.NAME`."""
    language: str | None = None
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)


class Subject(Struct, frozen=True):
    """The subject: an instance, one of its attributes or relations, or (without instance) an output."""

    instance: Instance | None
    attribute: str | None = None

    def name(self, graph: Graph) -> str:
        if self.instance is None:
            return f"{OUTPUTS}.{self.attribute}"
        alone = len(graph.find_by_name(self.instance.name)) == 1
        called = self.instance.name if alone else self.instance.id
        return called if self.attribute is None else f"{called}.{self.attribute}"


class WhyStep(Struct, frozen=True, kw_only=True):
    """One step. `parent` is the number of the step that depends on this one; the first has none."""

    number: int
    parent: int | None
    depth: int
    subject: str | None
    """What was made here, when it has a name of its own."""
    value: Value = None
    has_value: bool = False
    origin: Origin | None = None
    line_text: str | None = None
    """The line of the source, when the package is at hand and the line may be shown."""
    seen_before: bool = False
    """True when the step was explained further up; what it rests on is not repeated."""

    @property
    def location(self) -> Location | None:
        return None if self.origin is None else self.origin.location


class Explanation(Struct, frozen=True, kw_only=True):
    """The steps of an explanation in depth-first order, with the graph they refer to."""

    graph: Graph
    steps: tuple[WhyStep, ...]
    findings: tuple[Finding, ...] = ()
    cut: bool = False
    """True when there were more steps than anybody reads."""


def why_path(request: WhyRequest) -> Explanation:
    """Evaluate with full provenance and explain a subject.

    Raise `UsageError` with a suggestion for an unknown subject. If there are errors, the subject may be
    missing because of them, so these are raised instead (`FindingError`).
    """
    full = replace(request.evaluation, full_provenance=True)
    evaluated = evaluate_path(request.path, full, language=request.language)
    graph = evaluated.evaluation.graph
    with errors_first(evaluated.evaluation.findings):
        subject = find_subject(graph, request.subject)
    return replace(explain_subject(graph, subject, evaluated.package), findings=evaluated.evaluation.findings)


def find_subject(graph: Graph, words: str) -> Subject:
    """Find the subject `INSTANCE[.ATTRIBUTE]`. Ids and names may contain dots: the longest instance wins."""
    for instance_name, attribute in _split_subject(words):
        instance = _find_instance(graph, instance_name)
        if instance is None:
            continue
        if attribute is None:
            return Subject(instance)
        names = [*instance.attributes, *instance.relations]
        if attribute not in names:
            hint = did_you_mean(attribute, names) or _list_names("it has", names)
            raise UsageError(f"{instance.name!r} has no attribute {attribute!r}: {hint}")
        return Subject(instance, attribute)
    if words in graph.outputs:
        return Subject(None, words)
    prefix, _, output = words.partition(".")
    if prefix == OUTPUTS and output:
        if output in graph.outputs:
            return Subject(None, output)
        hint = did_you_mean(output, graph.outputs) or _list_names("there are", graph.outputs)
        raise UsageError(f"no output {output!r}: {hint}")
    raise UsageError(f"no instance {words!r}: {_instance_hint(graph, words)}")


def _split_subject(words: str) -> Iterator[tuple[str, str | None]]:
    yield words, None
    position = len(words)
    while (position := words.rfind(".", 0, position)) > 0:
        yield words[:position], words[position + 1 :]


def _find_instance(graph: Graph, name: str) -> Instance | None:
    by_id = graph.get(name)
    if by_id is not None:
        return by_id
    instances = graph.find_by_name(name)
    if len(instances) > 1:
        raise UsageError(
            f"{name!r} is the name of {len(instances)} instances: {_list_names('use an id,', [instance.id for instance in instances])}"
        )
    return instances[0] if instances else None


def _instance_hint(graph: Graph, words: str) -> str:
    shown = without_libraries(graph)
    names = dict.fromkeys(
        (*(name for instance in shown for name in (instance.name, instance.id)), *graph.outputs)
    )
    head = words.rpartition(".")[0]
    near = did_you_mean(words, names) or (did_you_mean(head, names) if head else None)
    return near or (_list_names("there are", names) if names else "the graph is empty")


def _list_names(lead: str, names: object, most: int = 6) -> str:
    words = [str(name) for name in names] if isinstance(names, list | Mapping) else []
    if not words:
        return "there are none"
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return f"{lead} {', '.join(words[:most])}{more}"


def explain_subject(graph: Graph, subject: Subject, package: LoadedPackage | None = None) -> Explanation:
    """Return the steps to a subject, each before the steps it depends on. Nothing is followed twice, so
    cycles end.
    """
    return Explainer(graph, package).explain(subject)


class _Todo(Struct, frozen=True):
    parent: int | None
    depth: int
    subject: Subject | Origin
    hidden: bool


def _subject_key(subject: Subject | Origin) -> tuple[str | None, str | None] | int:
    if isinstance(subject, Origin):
        return id(subject)
    return None if subject.instance is None else subject.instance.id, subject.attribute


class Explainer:
    """Explains any number of subjects of one graph."""

    def __init__(self, graph: Graph, package: LoadedPackage | None = None) -> None:
        self.graph = graph
        self.package = package
        self.steps: list[WhyStep] = []
        self.seen: set[tuple[str | None, str | None] | int] = set()
        self.told: set[tuple[Location, How, str | None]] = set()

    @cached_property
    def _secrets(self) -> Secrets:
        return Secrets.of(self.graph)

    def explain(self, subject: Subject) -> Explanation:
        self.steps, self.seen, self.told = [], set(), set()
        stack = [_Todo(None, 0, subject, hidden=False)]
        while stack and len(self.steps) < _MOST_STEPS:
            stack += reversed(self.step(stack.pop()))
        return Explanation(graph=self.graph, steps=tuple(self.steps), cut=bool(stack))

    def step(self, todo: _Todo) -> list[_Todo]:
        """Record one step and return the steps it depends on."""
        number, subject, hidden = len(self.steps), todo.subject, todo.hidden
        value: Value = None
        has_value = False
        if isinstance(subject, Subject):
            key = _subject_key(subject)
            origin = self.origin(subject)
            value, has_value = self.value(subject)
            hidden = holds_sensitive(value)
        else:
            key, origin = _subject_key(subject), subject
            if key in self.seen:
                return []  # a step that has no name of its own is told once
            told = (subject.location, subject.how, subject.note)
            if told in self.told:  # another round of a loop: only what is new follows
                self.seen.add(key)
                below = self.below(subject, todo.parent, todo.depth, hidden=hidden)
                return [task for task in below if _subject_key(task.subject) not in self.seen]
            self.told.add(told)
        again = key in self.seen
        self.seen.add(key)
        self.steps.append(
            WhyStep(
                number=number,
                parent=todo.parent,
                depth=todo.depth,
                subject=subject.name(self.graph) if isinstance(subject, Subject) else None,
                value=value,
                has_value=has_value,
                origin=origin,
                line_text=None if hidden else self.line(origin),
                seen_before=again,
            )
        )
        if again or origin is None:
            return []
        return self.below(origin, number, todo.depth + 1, hidden=hidden)

    def below(self, origin: Origin, parent: int | None, depth: int, *, hidden: bool) -> list[_Todo]:
        return [
            _Todo(parent, depth, self.source(source), hidden)
            for source in origin.sources
            if self.is_in_graph(source)
        ]

    def is_in_graph(self, source: Origin | AttributeRead) -> bool:
        return isinstance(source, Origin) or source.instance in self.graph

    def source(self, source: Origin | AttributeRead) -> Subject | Origin:
        if isinstance(source, Origin):
            return source
        return Subject(self.graph[source.instance], source.attribute)

    def origin(self, subject: Subject) -> Origin | None:
        if subject.instance is None:
            return self.graph.output_origins.get(subject.attribute or "")
        if subject.attribute is None:
            return subject.instance.origin
        # An attribute without an origin of its own was made with its instance.
        return subject.instance.origins.get(subject.attribute) or subject.instance.origin

    def value(self, subject: Subject) -> tuple[Value, bool]:
        if subject.attribute is None:
            return None, False
        if subject.instance is None:
            return self.graph.outputs[subject.attribute], True
        if subject.attribute in subject.instance.attributes:
            return subject.instance.attributes[subject.attribute], True
        if subject.attribute in subject.instance.relations:
            return [Ref(id_) for id_ in subject.instance.relations[subject.attribute]], True
        return None, False

    def line(self, origin: Origin | None) -> str | None:
        """Return the source line of a step, unless it contains a sensitive value."""
        if origin is None:
            return None
        place = origin.place
        location = origin.location
        source = place.source if not isinstance(place, Location) else self._source_of(location.file)
        text = None if source is None else source.line_text(location.line)
        return text if text and not self._secrets.are_in(text) else None

    def _source_of(self, name: str) -> Source | None:
        file = self.package.get_file(name) if self.package is not None else None
        return None if file is None else file.source


WHY_FORMAT: Final = "sabir.why/1"
IMPACT_FORMAT: Final = "sabir.impact/1"
DIFF_FORMAT: Final = "sabir.diff/1"


def why_data(explanation: Explanation) -> dict[str, Any]:
    """Return the explanation as JSON data, the same for the command line and the server."""
    steps = [_step_data(step) for step in explanation.steps]
    return {"format": WHY_FORMAT, "steps": steps, "cut": explanation.cut}


def _step_data(step: WhyStep) -> dict[str, Any]:
    data: dict[str, Any] = {"number": step.number, "parent": step.parent, "subject": step.subject}
    if step.has_value:
        data["value"] = encode_value(step.value)
    if step.origin is not None and step.location is not None:
        location = step.location
        data |= {"file": location.file, "line": location.line, "column": location.column}
        last = lines_of(step.origin)[1][-1]
        if last != location.line:
            data["end_line"] = last
        data |= {"how": step.origin.how.value, "note": step.origin.note, "source": step.line_text}
    if step.seen_before:
        data["seen_before"] = True
    return data
