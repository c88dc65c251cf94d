"""Evaluation of an environment: its parts in dependency order, and the expressions between them.

A part is evaluated after the parts it refers to. Parts that refer to each other form a group, which `cycles`
solves. Expressions are evaluated on the graph of the parts that are already done. A part that needs values
from a deployment that did not happen yet is not an error: it becomes a pending resource and is evaluated
again by `sabir deploy`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean, join_names
from sabir.environment import FILE_NAME
from sabir.environment.cycles import CycleSolver
from sabir.environment.examples import environment_rule
from sabir.environment.externals import Externals
from sabir.environment.graph import PartsGraph
from sabir.environment.inputs import COMPOSED_SECRET, ResolvedValue, SensitiveInputs
from sabir.environment.merge import MovedPart
from sabir.environment.nodes import Environment
from sabir.environment.part_runner import PartRunner
from sabir.environment.parts import LoadedPart, load_parts
from sabir.environment.read import NOT_AN_ENVIRONMENT, read_environment
from sabir.environment.references import ValueReference, find_references
from sabir.errors import UsageError
from sabir.expressions.query import (
    QueryError,
    QueryResource,
    QuerySession,
    evaluate,
    read_from_graph,
    resources_of,
)
from sabir.graph.address import Address
from sabir.graph.graph import Graph
from sabir.graph.order import strongly_connected
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.values import find_unknown_names
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.provenance import ReadTracker
from sabir.resources.resource import DesiredResources, PendingResource
from sabir.resources.secrets import COMPOSED_HINT, composed_message, find_composed, is_reference
from sabir.session import Session as WorkSession
from sabir.source.packages import LoadedPackage
from sabir.text import Place, Span

NO_VALUE: Final = environment_rule(
    "E006",
    "a reference that gives no value",
    "The expression matches nothing, or matches an instance where a value is needed. Query the environment to see "
    "what is there: sabir query . '::db'.",
    run=True,
)


class Resolver:
    """Evaluates the expressions of `sabir.yaml` on one state of the graph."""

    def __init__(
        self, environment: Environment, graph: Graph, work: WorkSession, externals: Externals
    ) -> None:
        self._environment = environment
        self._graph = graph
        self._session = QuerySession(work=work, externals=externals)
        self._root = resources_of(graph, self._session)

    def resolve(self, reference: ValueReference) -> ResolvedValue | Finding:
        place = self._environment.place(reference.span)
        if is_reference(reference.expression):
            return ResolvedValue(reference.expression, Origin(place, How.LITERAL, (), reference.key))
        computing = self._session.computing = ReadTracker()
        try:
            result = evaluate(reference.expression, self._root)
        except QueryError as error:
            return error.with_location(place).finding
        finally:
            self._session.computing = None
        if not result.values:
            return self._report_no_value(reference)
        if _holds_instance(result.value):
            message = f"the expression of {_reference_name(reference)} gives an instance, not a value"
            hint = "add the attribute that is meant: …::NAME"
            return NO_VALUE.at(place, message, hint=hint)
        read = read_from_graph(computing.reads)
        values = (instance.attributes[key] for instance, key in read if key in instance.attributes)
        secret = find_composed(reference.expression, result.value, values)
        if secret is not None:
            return COMPOSED_SECRET.at(place, composed_message(secret), hint=COMPOSED_HINT)
        sources = tuple(AttributeRead(instance.id, key) for instance, key in read)
        return ResolvedValue(result.value, Origin(place, How.REFERENCE, sources, reference.key))

    def _report_no_value(self, reference: ValueReference) -> Finding:
        """Return the finding for an expression without a match, with available names where the expression
        shows the intent.
        """
        text = reference.expression.get("eval") if isinstance(reference.expression, dict) else None
        hint = self._suggest_path(text) if isinstance(text, str) else None
        message = f"the expression of {_reference_name(reference)} gives nothing"
        return NO_VALUE.at(self._environment.place(reference.span), message, hint=hint)

    def _suggest_path(self, path: str) -> str | None:
        names = [segment for segment in path.split("::") if segment and segment[0] not in ".*?[$"]
        if not names:
            return None
        candidates = self._graph.find_by_name(names[0])
        if not candidates:
            return did_you_mean(names[0], {instance.name for instance in self._graph})
        names_below = {inner.name for instance in candidates for inner in self._graph.list_parts(instance.id)}
        names_below |= {key for instance in candidates for key in (*instance.attributes, *instance.relations)}
        for name in names[1:]:
            inner = self._graph.find_by_name(name)
            if name not in names_below and not inner:
                return (
                    did_you_mean(name, names_below)
                    or f"{names[0]!r} has {', '.join(sorted(names_below)[:8])}"
                )
            names_below |= {key for instance in inner for key in (*instance.attributes, *instance.relations)}
        return None


def _holds_instance(value: Any) -> bool:
    if isinstance(value, QueryResource):
        return True
    if isinstance(value, dict):
        return any(_holds_instance(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return any(_holds_instance(item) for item in value)
    return False


def _reference_name(reference: ValueReference) -> str:
    return f"{reference.part}.{reference.key}" if reference.part is not None else reference.key


WAITS: Final = environment_rule(
    "W002",
    "a part that waits for values",
    "It is given values that are known only once another part is deployed, and its language cannot be evaluated without. "
    "sabir deploy evaluates it as soon as they are known, in the same deployment.",
    run=True,
)


def load_environment(package: LoadedPackage) -> tuple[Environment | None, tuple[Finding, ...]]:
    """Read `sabir.yaml` of a package; None, with findings, if the file is missing or not usable."""
    file = package.get_file(FILE_NAME)
    if file is None:
        return None, (NOT_AN_ENVIRONMENT.about_file(FILE_NAME, "there is no sabir.yaml here"),)
    return read_environment(file)


def evaluate_environment(package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
    """Evaluate all parts into one graph. Rendered objects and desired resources are only computed when
    they are needed.
    """
    run, findings = _evaluate_parts(package, request)
    if run is None:
        return Evaluation(graph=Graph(()), findings=findings)
    parts = tuple(run.done.values())
    return Evaluation(
        graph=run.graph.whole(run.done),
        findings=findings,
        rendered=lambda: [rendered for part in parts for rendered in part.rendered()],
        wanted=lambda: _merge_desired_resources(run.environment, parts, tuple(run.pending.values())),
    )


def _merge_desired_resources(
    environment: Environment, parts: Sequence[MovedPart], pending: Sequence[PendingResource]
) -> DesiredResources:
    """Combine the desired resources of all parts, on the targets of the environment."""
    asked = [part.wanted() for part in parts]
    return DesiredResources(
        resources=tuple(resource for wanted in asked for resource in wanted.resources),
        operations=tuple(operation for wanted in asked for operation in wanted.operations),
        targets=(*environment.targets, *(target for wanted in asked for target in wanted.targets)),
        lifecycles=environment.lifecycles,
        moved=environment.moved,
        secrets=environment.secrets,
        findings=tuple(finding for wanted in asked for finding in wanted.findings),
        idle=tuple(finding for wanted in asked for finding in wanted.idle),
        pending=(*pending, *(each for wanted in asked for each in wanted.pending)),
    )


class PreparedPart(Struct, frozen=True, eq=False):
    """A part with the evaluation request that holds its values from the other parts."""

    loaded: LoadedPart
    place: Place
    request: EvaluationRequest
    sensitive: SensitiveInputs | None
    """The sensitive values among its inputs."""


def prepare_parts(
    package: LoadedPackage, request: EvaluationRequest
) -> tuple[tuple[PreparedPart, ...], tuple[Finding, ...]]:
    """Return every part that could be evaluated, with its request, for renderers that evaluate it again."""
    run, findings = _evaluate_parts(package, request)
    if run is None:
        return (), findings
    ready = ((name, loaded) for name, loaded in run.runner.parts.items() if name in run.done)
    return tuple(
        PreparedPart(
            ready_part,
            run.environment.place(ready_part.part.span),
            *run.runner.request_for(name, run.resolved),
        )
        for name, ready_part in ready
    ), findings


def _evaluate_parts(
    package: LoadedPackage, request: EvaluationRequest
) -> tuple[_Run | None, tuple[Finding, ...]]:
    environment, findings = load_environment(package)
    if environment is None:
        return None, findings
    _check_overrides(environment, request)
    parts, more = load_parts(environment, package, request.session)
    usable = {part.part.name: part for part in parts}
    runner = PartRunner(environment, usable, _by_part(find_references(environment)), request)
    run = _Run(environment, runner, [*findings, *more])
    run.broken.update(part.name for part in environment.parts if part.name not in usable)
    run.evaluate()
    return run, tuple(run.findings)


def _by_part(asked: Iterable[ValueReference]) -> Mapping[str | None, Sequence[ValueReference]]:
    by_part: dict[str | None, list[ValueReference]] = {}
    for reference in asked:
        by_part.setdefault(reference.part, []).append(reference)
    return by_part


def _check_overrides(environment: Environment, request: EvaluationRequest) -> None:
    """Raise `UsageError` for an override that no part receives, instead of ignoring it."""
    names = [part.name for part in environment.parts]
    for subject in request.overrides:
        part, slash, rest = subject.partition("/")
        if part in names and rest:
            continue
        near = did_you_mean(part, names) if slash else None
        shown = join_names(f"{name}/…" for name in names)
        raise UsageError(
            f"--set {subject}: there is no part {part!r}: {near}"
            if near
            else f"--set {subject}: begin with the part that the instance is in: {shown}"
        )


class _Run:
    def __init__(self, environment: Environment, runner: PartRunner, findings: list[Finding]) -> None:
        self.environment = environment
        self.runner = runner
        self.findings = findings
        folder = next((part.folder for part in runner.parts.values()), None)
        self._externals = Externals(environment, folder, runner.request.reach, runner.request.session)
        self.resolved: dict[Span, ResolvedValue] = {}
        self.graph = PartsGraph(environment, runner, self.resolved)
        self.done: dict[str, MovedPart] = {}
        self.broken: set[str] = set()
        """Parts with errors. References to them are not reported: they would only repeat the error."""
        self.pending: dict[str, PendingResource] = {}
        """The broken parts that only wait for values of a deployment."""

    def evaluate(self) -> None:
        for group in self._groups():
            inner = [
                reference
                for name in group
                for reference in self._list_references(name)
                if reference.parts & {*group}
            ]
            outer = [
                reference
                for name in group
                for reference in self._list_references(name)
                if not reference.parts & {*group}
            ]
            if not self._resolve_all(outer):
                self.broken.update(group)
                self._wait_too(group, outer)
            elif inner:
                self._solve_cycle(group, inner)
            else:
                self._part(group[0])
        self._resolve_all(self._list_references(None))

    def _list_references(self, name: str | None) -> Sequence[ValueReference]:
        return self.runner.asked.get(name, ())

    def _groups(self) -> list[list[str]]:
        """Return the parts in dependency order; parts that refer to each other are in one group."""
        names = [*self.runner.parts]
        number = {name: position for position, name in enumerate(names)}
        needs = [
            sorted(
                {
                    number[other]
                    for reference in self._list_references(name)
                    for other in reference.parts
                    if other in number
                }
            )
            for name in names
        ]
        return [[names[position] for position in group] for group in strongly_connected(needs)]

    def _part(self, name: str) -> None:
        outcome = self.runner.run(name, self.resolved)
        if outcome.errors and (missing := self._missing(name)):
            self._wait(name, f"it needs {', '.join(missing)}, known once that is deployed")
            return
        self.done[name] = outcome.moved
        self.findings.extend(outcome.findings)
        if outcome.errors:
            self.broken.add(name)

    def _missing(self, name: str) -> list[str]:
        """Return the names of values given to a part that are known after a deployment: they may explain
        its errors.
        """
        values = (self.resolved[reference.span].value for reference in self._list_references(name))
        names = (name for value in values for name in find_unknown_names(value))
        return [*dict.fromkeys(name.lstrip("/").replace("|", ".") for name in names)]

    def _wait(self, name: str, reason: str) -> None:
        part = self.runner.parts[name].part
        self.broken.add(name)
        self.pending[name] = PendingResource(address=Address("", part=name), reason=reason)
        message = f"part {name!r} is not evaluated yet: {reason}"
        self.findings.append(WAITS.at(self.environment.place(part.span), message))

    def _wait_too(self, group: Sequence[str], asked: Sequence[ValueReference]) -> None:
        """Mark a part as pending that is given values of a pending part."""
        others = {other for reference in asked for other in reference.parts if other in self.pending}
        for name in group if others else ():
            self._wait(name, f"it needs values of {', '.join(sorted(others))}")

    def _solve_cycle(self, group: Sequence[str], inner: Sequence[ValueReference]) -> None:
        def resolve(
            moved: Mapping[str, MovedPart], asked: Sequence[ValueReference]
        ) -> Sequence[ResolvedValue | Finding]:
            return self._resolve(asked, {**self.done, **moved})

        solved = CycleSolver(self.environment, group, inner, self.resolved, self.runner.run, resolve).solve()
        self.resolved.update(solved.values)
        self.done.update({name: outcome.moved for name, outcome in solved.outcomes.items()})
        self.findings.extend(solved.findings)
        if not solved.whole:
            self.broken.update(group)

    def _resolve_all(self, asked: Sequence[ValueReference]) -> bool:
        """Evaluate and store expressions; return False if one of them has no value, which is reported."""
        # A missing value from a broken part would only repeat the error of that part.
        usable = [reference for reference in asked if not reference.parts & self.broken]
        fine = len(usable) == len(asked)
        for reference, outcome in zip(usable, self._resolve(usable, self.done), strict=True):
            if isinstance(outcome, ResolvedValue):
                self.resolved[reference.span] = outcome
            else:
                self.findings.append(outcome)
                fine = False
        return fine

    def _resolve(
        self, asked: Sequence[ValueReference], done: Mapping[str, MovedPart]
    ) -> Sequence[ResolvedValue | Finding]:
        """Evaluate expressions on the graph of the parts that they refer to."""
        if not asked:
            return ()
        needed = frozenset[str]().union(*(reference.parts for reference in asked))
        graph = Graph(self.graph.instances({name: moved for name, moved in done.items() if name in needed}))
        resolver = Resolver(self.environment, graph, self.runner.request.session, self._externals)
        return [resolver.resolve(reference) for reference in asked]
