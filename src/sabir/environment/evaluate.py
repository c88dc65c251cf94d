"""Evaluating an environment: parts in the order their references ask for, circles of parts until nothing changes.

A reference may lead into a part that itself refers back, as long as no value waits for itself. The parts of such a circle
are evaluated together in rounds: what is not known yet is a token that no description contains; a value in which the token
shows up is not known yet either. The rounds end when no value changes any more. Tokens that are left wait for themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from sabir.dataclasses import dataclass, field
from sabir.diagnostics.finding import Finding, Related, Severity
from sabir.environment import FILE_NAME
from sabir.environment.given import Resolved, request_for, value_of
from sabir.environment.merge import MovedPart, moved_part
from sabir.environment.nodes import Environment
from sabir.environment.parts import LoadedPart, load_parts
from sabir.environment.read import read_environment
from sabir.environment.references import Reference, references
from sabir.environment.resolve import Resolver
from sabir.errors import UsageError
from sabir.graph.graph import Graph
from sabir.graph.instance import Instance
from sabir.graph.order import strongly_connected
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.record import Record
from sabir.graph.values import Sensitive, Value
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.source.packages import LoadedPackage
from sabir.source.text import Span

__all__ = ["evaluate_environment", "load_environment", "prepare_parts"]

_TOKEN: Final = "unknown-9f1c27d4"
_SLACK: Final = 2


def load_environment(package: LoadedPackage) -> tuple[Environment | None, tuple[Finding, ...]]:
    file = package.get_file(FILE_NAME)
    if file is None:
        return None, (Finding.about_file("ENV:E001", "there is no sabir.yaml here", FILE_NAME),)
    return read_environment(file)


def evaluate_environment(package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
    run, findings = _run(package, request)
    return Evaluation(graph=Graph(()) if run is None else run.graph(), findings=findings)


def _run(package: LoadedPackage, request: EvaluationRequest) -> tuple[_Run | None, tuple[Finding, ...]]:
    environment, findings = load_environment(package)
    if environment is None:
        return None, findings
    _check_overrides(environment, request)
    parts, more = load_parts(environment, package)
    usable = {one.part.name: one for one in parts}
    run = _Run(environment, usable, request, [*findings, *more])
    run.broken.update(part.name for part in environment.parts if part.name not in usable)
    run.evaluate()
    return run, tuple(run.findings)


def _check_overrides(environment: Environment, request: EvaluationRequest) -> None:
    """What no part would take must not be dropped in silence."""
    names = [part.name for part in environment.parts]
    for given in request.overrides:
        part, _, rest = given.partition("/")
        if part not in names or not rest:
            shown = ", ".join(f"{name}/…" for name in names)
            raise UsageError(f"--set {given}: begin with the part that the instance is in: {shown}")


def prepare_parts(
    package: LoadedPackage, request: EvaluationRequest
) -> tuple[tuple[tuple[LoadedPart, EvaluationRequest], ...], tuple[Finding, ...]]:
    """Every part that was evaluated, with the request that evaluates it with the values of the other parts."""
    run, findings = _run(package, request)
    if run is None:
        return (), findings
    ready = (loaded for name, loaded in run.parts.items() if name in run.done)
    return tuple((one, request_for(run.environment, one, request, run.resolved)) for one in ready), findings


@dataclass(slots=True)
class _Run:
    environment: Environment
    parts: Mapping[str, LoadedPart]
    request: EvaluationRequest
    findings: list[Finding]
    resolved: dict[Span, Resolved] = field(default_factory=dict[Span, Resolved])
    done: dict[str, MovedPart] = field(default_factory=dict[str, MovedPart])
    broken: set[str] = field(default_factory=set[str])
    """Parts that could not be evaluated to the end; what refers to them is not reported on top."""

    def evaluate(self) -> None:
        asked = references(self.environment)
        by_part: dict[str | None, list[Reference]] = {}
        for reference in asked:
            by_part.setdefault(reference.part, []).append(reference)
        for group in self._groups(by_part):
            if len(group) == 1 and group[0] not in {
                name for one in by_part.get(group[0], ()) for name in one.parts
            }:
                self._part(group[0], by_part.get(group[0], ()))
            else:
                self._circle(group, [one for name in group for one in by_part.get(name, ())])
        self._resolve(by_part.get(None, ()), report=True)

    def _groups(self, by_part: Mapping[str | None, Sequence[Reference]]) -> list[list[str]]:
        """The parts, each after those it refers to; parts that refer to each other together."""
        names = [*self.parts]
        number = {name: position for position, name in enumerate(names)}
        needs = [
            sorted({number[other] for one in by_part.get(name, ()) for other in one.parts if other in number})
            for name in names
        ]
        return [sorted((names[one] for one in group), key=names.index) for group in strongly_connected(needs)]

    def _part(self, name: str, asked: Iterable[Reference]) -> None:
        if not self._resolve(asked, report=True):
            self.broken.add(name)
            return
        self.findings.extend(self._run_part(name))

    def _run_part(self, name: str) -> list[Finding]:
        """Evaluate one part with what is resolved now."""
        loaded = self.parts[name]
        if self.request.on_progress is not None:
            self.request.on_progress(f"{name} ({loaded.language.name})")
        given = request_for(self.environment, loaded, self.request, self.resolved)
        evaluation = loaded.language.evaluate(loaded.package, given)
        origins = {span: one.origin for span, one in self.resolved.items()}
        self.done[name] = moved_part(name, evaluation.graph, loaded.places, origins)
        if any(finding.severity is Severity.ERROR for finding in evaluation.findings):
            self.broken.add(name)
        return [loaded.places.finding(finding) for finding in evaluation.findings]

    def _circle(self, group: Sequence[str], asked: Sequence[Reference]) -> None:
        inner = [one for one in asked if one.parts & set(group)]
        outer = [one for one in asked if one not in inner]
        if not self._resolve(outer, report=True):
            self.broken.update(group)
            return
        for reference in inner:
            self.resolved[reference.span] = Resolved(_TOKEN, self._origin(reference))
        findings: list[Finding] = []
        for _ in range(len(inner) + _SLACK):
            findings = [finding for name in group for finding in self._run_part(name)]
            before = {one.span: self.resolved[one.span].value for one in inner}
            self._resolve(inner, report=False)
            if all(_same(before[one.span], self.resolved[one.span].value) for one in inner):
                break
        waiting = [one for one in inner if _holds_token(self.resolved[one.span].value)]
        if waiting:
            self.broken.update(group)
            self.findings.append(self._wait_finding(waiting))
        else:
            self.broken.difference_update(group)
            self.findings.extend(findings)
            if any(finding.severity is Severity.ERROR for finding in findings):
                self.broken.update(group)

    def _wait_finding(self, waiting: Sequence[Reference]) -> Finding:
        first, *others = waiting
        names = ", ".join(f"{one.part}.{one.key}" for one in waiting)
        return Finding(
            code="ENV:E007",
            message=f"these values wait for each other: {names}",
            place=self.environment.place(first.span),
            hint="give one of them a value that does not come from the other parts",
            related=tuple(
                Related(place=self.environment.place(one.span), message=f"{one.part}.{one.key} waits, too")
                for one in others
            ),
        )

    def _resolve(self, asked: Iterable[Reference], *, report: bool) -> bool:
        """Evaluate expressions over what is there; False when one of them gave nothing."""
        asked = list(asked)
        if not asked:
            return True
        resolver = Resolver(self.environment, self.graph(with_outputs=False))
        fine = True
        for reference in asked:
            if reference.parts & self.broken and report:
                fine = False
                continue
            outcome = resolver.resolve(reference)
            if isinstance(outcome, Resolved):
                token = _holds_token(outcome.value)
                self.resolved[reference.span] = Resolved(_TOKEN, outcome.origin) if token else outcome
            elif report:
                self.findings.append(outcome)
                fine = False
        return fine

    def _origin(self, reference: Reference) -> Origin:
        return Origin(self.environment.place(reference.span), How.REFERENCE, note=reference.key)

    def _edges(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The instances of other parts whose values a part is given, and the parts they belong to."""
        spans = [one.span for one in references(self.environment) if one.part == name]
        reads = [
            read.instance
            for span in spans
            if span in self.resolved
            for read in self.resolved[span].origin.sources
            if isinstance(read, AttributeRead) and read.instance.partition("/")[0] != name
        ]
        parts = (instance.partition("/")[0] for instance in reads)
        return tuple(dict.fromkeys(reads)), tuple(dict.fromkeys(parts))

    def graph(self, *, with_outputs: bool = True) -> Graph:
        """Everything that is evaluated by now."""
        made: list[Instance] = []
        for name, moved in self.done.items():
            loaded = self.parts[name]
            uses, requires = self._edges(name)
            made.append(
                Instance(
                    id=name,
                    type="sabir.Part",
                    language=loaded.language.name,
                    name=name,
                    attributes=Record.of({"path": loaded.part.path, **_outputs(moved.outputs)}),
                    relations=Record.of({"uses": uses} if uses else {}),
                    requires=requires,
                    origin=Origin(self.environment.place(loaded.part.span), How.LITERAL, note="part"),
                )
            )
            made.extend(moved.instances)
        if not with_outputs or self.environment.outputs is None:
            return Graph(made)
        outputs: dict[str, Value] = {}
        origins: dict[str, Origin] = {}
        for key, node in self.environment.outputs.items():
            label = getattr(key, "text", "?")
            outputs[label] = value_of(node, self.resolved)
            found = self.resolved.get(node.span)
            origins[label] = found.origin if found else Origin(self.environment.place(node.span), How.LITERAL)
        return Graph(made, outputs=outputs, output_origins=origins)


def _outputs(outputs: Mapping[str, Value]) -> Mapping[str, Value]:
    return {"outputs": dict(outputs)} if outputs else {}


def _holds_token(value: Any) -> bool:
    if isinstance(value, str):
        return _TOKEN in value
    if isinstance(value, Sensitive):
        return _holds_token(value.value)
    if isinstance(value, Mapping):
        return any(_holds_token(key) or _holds_token(item) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return any(_holds_token(item) for item in value)
    return False


def _same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)
