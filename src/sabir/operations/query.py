"""Query: evaluate an Unfurl expression on the graph of any language.

If a path matches nothing, `explain_no_match` finds the first segment without a match and suggests a similar
name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding, Severity
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import FindingError, UsageError
from sabir.expressions.query import (
    Artifact,
    EnsembleProject,
    GraphResource,
    QueryResource,
    QuerySession,
    evaluate,
    is_sensitive,
    parse_expression,
    read_from_graph,
    redact_value,
    resources_of,
    reveal_deep,
)
from sabir.expressions.query.syntax import Empty, Name, parse_path
from sabir.graph.graph import Graph
from sabir.graph.values import Unknown
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.operations.evaluation import evaluate_path, workers_for
from sabir.operations.why import Explainer, Explanation, Subject
from sabir.provenance import ReadTracker, Sources
from sabir.source.packages import LoadedPackage, load_package


def explain_no_match(expression: Any, start: QueryResource, variables: Mapping[str, Any]) -> str | None:
    """Return one sentence on where the path ends, or None if there is nothing to add to "no match"."""
    if isinstance(expression, dict):
        expression = expression.get("eval")
    if not isinstance(expression, str):
        return None
    try:
        path = parse_path(expression)
    except FindingError:
        return None
    before: list[Any] = [start]
    reached = ""
    for segment in path.segments:
        if isinstance(segment.key, Empty) and not reached:
            before = [start.root.all()]
            continue
        text = path.source.text[: segment.span.end]
        try:
            values = list(evaluate(text, start, variables).values)
        except FindingError:
            return None
        if not values:
            return _describe_missing_key(segment.key, reached, before)
        before, reached = values, text
    return None


def _describe_missing_key(key: object, reached: str, before: Iterable[Any]) -> str | None:
    if not isinstance(key, Name):
        return None
    keys = _collect_keys(before)
    where = f"{reached!r} has" if reached else "there is"
    if key.text in keys:
        return f"{where} {key.text!r}, but the filters let nothing through"
    near = did_you_mean(key.text, keys)
    return f"{where} no {key.text!r}" + (f": {near}" if near else "")


def _collect_keys(values: Iterable[Any]) -> set[str]:
    keys: set[str] = set()
    for value in values:
        if isinstance(value, QueryResource):
            keys.update(value.keys())
        elif isinstance(value, Mapping):
            keys.update(str(key) for key in value)
        elif isinstance(value, list | tuple):
            keys |= _collect_keys(value)
    return keys


class QueryRequest(Struct, frozen=True, kw_only=True):
    """An expression, the project it is evaluated on, and what the answer contains."""

    path: Path
    expression: str
    at: str | None = None
    """The instance to start from, by name or id; the root unless given."""
    variables: Mapping[str, Any] = field(default_factory=dict[str, Any])
    language: str | None = None
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)
    reveal: bool = False
    trace: bool = False
    why: bool = False


class QueryAnswer(Struct, frozen=True, kw_only=True):
    """All matches as plain data without sensitive values; instances are given by name."""

    values: tuple[Any, ...]
    findings: tuple[Finding, ...] = ()
    sensitive: bool = False
    """Whether something was hidden."""
    chains: tuple[Explanation, ...] = ()
    """When asked why: what stands behind each instance among the matches, and each value that was read for them."""
    trace: tuple[str, ...] = ()
    nothing: str | None = None
    """Why nothing matches, where that can be said."""

    @property
    def failed(self) -> bool:
        return any(finding.severity is Severity.ERROR for finding in self.findings)


class Reply(Struct, kw_only=True):
    """An answer as it comes from a worker: without the sources and graphs that only the owner has."""

    values: tuple[Any, ...]
    findings: tuple[Finding, ...] = ()
    sensitive: bool = False
    read: tuple[tuple[str, str | None], ...] = ()
    """When asked why: the instances among the matches, and the attributes that were read for them, by id."""
    trace: tuple[str, ...] = ()
    nothing: str | None = None


def query_path(request: QueryRequest) -> QueryAnswer:
    """Evaluate the project and the expression, in a worker if Python code of the project may run."""
    evaluation = replace(request.evaluation, full_provenance=request.why)
    workers = workers_for(request.evaluation)
    if workers is not None:  # an expression can call Python, too
        package = load_package(request.path, evaluation.session.limits.package)
        reply, graph = workers.query(package, replace(request, evaluation=evaluation))
        return _build_answer(reply, graph, package)
    evaluated = evaluate_path(request.path, evaluation, language=request.language)
    return query_evaluation(evaluated.evaluation, request, evaluated.package)


def query_graph(graph: Graph, request: QueryRequest) -> QueryAnswer:
    """Answer from a graph alone, without information that only its language has."""
    return _answer_query(Evaluation(graph=graph), request, None, has_path=False)


def query_evaluation(
    evaluation: Evaluation, request: QueryRequest, package: LoadedPackage | None = None
) -> QueryAnswer:
    """Answer from an evaluation of the path of the request."""
    return _answer_query(evaluation, request, package, has_path=True)


def _answer_query(
    evaluation: Evaluation, request: QueryRequest, package: LoadedPackage | None, *, has_path: bool
) -> QueryAnswer:
    workers = workers_for(request.evaluation)
    if workers is None:
        reply = evaluate_query(evaluation, request, has_path=has_path)
        return _build_answer(reply, evaluation.graph, package)
    reply, graph = workers.query(package, request, evaluation.graph, has_path=has_path)
    return _build_answer(replace(reply, findings=(*evaluation.findings, *reply.findings)), graph, package)


def _build_answer(reply: Reply, graph: Graph, package: LoadedPackage | None) -> QueryAnswer:
    return QueryAnswer(
        values=reply.values,
        findings=reply.findings,
        sensitive=reply.sensitive,
        chains=_explain_reads(graph, reply.read, package),
        trace=reply.trace,
        nothing=reply.nothing,
    )


def evaluate_query(evaluation: Evaluation, request: QueryRequest, *, has_path: bool = True) -> Reply:
    """Evaluate the expression in this process. Without a path, relative files cannot be read."""
    lines: list[str] = []
    graph, findings = evaluation.graph, evaluation.findings
    project = _open_project(request) if has_path else EnsembleProject()
    session = QuerySession(project=project, work=request.evaluation.session, on_trace=lines.append)
    root = (evaluation.resources or resources_of)(graph, session)
    computing = session.computing = ReadTracker() if request.why else None
    expression = parse_expression(request.expression)
    if request.trace:
        expression = (
            {**expression, "trace": 1}
            if isinstance(expression, dict) and "eval" in expression
            else {"eval": expression, "trace": 1}
        )
    try:
        start = _find_start(graph, root, request.at)
        result = evaluate(expression, start, request.variables)
    except FindingError as error:
        return Reply(values=(), findings=(*findings, *error.findings), trace=tuple(lines))
    data = [value for value in result.values if not isinstance(value, QueryResource)]
    opened = reveal_deep if request.reveal else redact_value
    return Reply(
        values=tuple(
            [
                value.name if isinstance(value, QueryResource) else _plain_data(opened(value))
                for value in result.values
            ]
        ),
        findings=findings,
        sensitive=any(map(is_sensitive, data)) and not request.reveal,
        read=() if computing is None else tuple(_list_reads(result.values, computing.close([]))),
        trace=tuple(lines),
        nothing=None if result.values else explain_no_match(expression, start, request.variables),
    )


def _list_reads(values: Sequence[Any], reads: Sources) -> Iterator[tuple[str, str | None]]:
    yield from ((value.instance.id, None) for value in values if isinstance(value, GraphResource))
    yield from ((instance.id, key) for instance, key in read_from_graph(reads))


def _explain_reads(
    graph: Graph, read: Iterable[tuple[str, str | None]], package: LoadedPackage | None
) -> tuple[Explanation, ...]:
    subjects = [Subject(graph[id_], key) for id_, key in read if id_ in graph]
    by_name = {subject.name(graph): subject for subject in subjects}
    explainer = Explainer(graph, package)
    return tuple(map(explainer.explain, by_name.values()))


def _open_project(request: QueryRequest) -> EnsembleProject:
    path = request.path if request.path.is_dir() else request.path.parent
    return EnsembleProject(directory=path.resolve())


def _find_start(graph: Graph, root: QueryResource, at: str | None) -> QueryResource:
    if at is None:
        return root
    resources = root.all()
    numbered = graph.find_by_number(at)
    at = at if numbered is None or at in resources else numbered.name
    name, _, part = at.partition("/")
    resource = resources.get(at) or resources.get(name)
    if resource is None:
        hint = did_you_mean(at, resources) or "`::*::.name` lists the instances"
        raise UsageError(f"there is no instance {at!r}: {hint}")
    if part and at not in resources:
        return next(
            (below for below in [*resource.children, *resource.requirements] if below.name == part), resource
        )
    return resource


def _plain_data(value: Any) -> Any:
    """The value as plain data for JSON and YAML."""
    if isinstance(value, QueryResource):
        return value.name
    if isinstance(value, Artifact):
        return value.location
    if isinstance(value, Unknown):
        return None
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    if isinstance(value, Mapping):
        return {str(key): _plain_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_data(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
