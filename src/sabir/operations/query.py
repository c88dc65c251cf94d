"""Query: an Unfurl expression over the graph of any language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from sabir.diagnostics.finding import Finding, Severity
from sabir.diagnostics.near import did_you_mean
from sabir.errors import FindingError, UsageError
from sabir.expressions.query import (
    Artifact,
    GraphResource,
    Project,
    Resource,
    Session,
    evaluate,
    is_sensitive,
    parse_expression,
    redacted,
    resources_of,
    reveal_deep,
)
from sabir.graph.graph import Graph
from sabir.graph.values import Unknown
from sabir.languages.language import EvaluationRequest
from sabir.operations.evaluate import evaluate_path

__all__ = ["Answer", "QueryRequest", "query_graph", "query_path"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRequest:
    path: Path
    expression: str
    at: str | None = None
    """The instance to start from, by name or id; the root unless given."""
    variables: Mapping[str, Any] = field(default_factory=dict[str, Any])
    language: str | None = None
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)
    reveal: bool = False
    trace: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """All matches, as plain data that may be shown; instances stand as their names."""

    values: tuple[Any, ...]
    findings: tuple[Finding, ...] = ()
    sensitive: bool = False
    """Whether something was hidden."""
    origins: tuple[str, ...] = ()
    """Places of the instances among the matches."""
    trace: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        return any(one.severity is Severity.ERROR for one in self.findings)


def query_path(request: QueryRequest) -> Answer:
    evaluated = evaluate_path(request.path, request.evaluation, language=request.language)
    project = _project(request)
    return query_graph(
        evaluated.evaluation.graph, request, project=project, findings=evaluated.evaluation.findings
    )


def query_graph(
    graph: Graph, request: QueryRequest, *, project: Project | None = None, findings: tuple[Finding, ...] = ()
) -> Answer:
    lines: list[str] = []
    session = Session(project=project or Project(), on_trace=lines.append)
    root = resources_of(graph, session)
    expression = parse_expression(request.expression)
    if request.trace:
        expression = (
            {**expression, "trace": 1}
            if isinstance(expression, dict) and "eval" in expression
            else {"eval": expression, "trace": 1}
        )
    try:
        result = evaluate(expression, _start(root, request.at), request.variables)
    except FindingError as error:
        return Answer(values=(), findings=(*findings, *error.findings), trace=tuple(lines))
    hidden = any(is_sensitive(value) for value in result.values) and not request.reveal
    shown = [reveal_deep(value) if request.reveal else redacted(value) for value in result.values]
    places = [one.instance.origin for one in result.values if isinstance(one, GraphResource)]
    return Answer(
        values=tuple(_shown(value) for value in shown),
        findings=findings,
        sensitive=hidden,
        origins=tuple(str(origin.location) for origin in places if origin is not None),
        trace=tuple(lines),
    )


def _project(request: QueryRequest) -> Project:
    path = request.path if request.path.is_dir() else request.path.parent
    return Project(directory=path.resolve(), permissions=request.evaluation.trust)


def _start(root: Resource, at: str | None) -> Resource:
    if at is None:
        return root
    known = root.all()
    name, _, part = at.partition("/")
    found = known.get(at) or known.get(name)
    if found is None:
        hint = did_you_mean(at, known) or "`::*::.name` lists the instances"
        raise UsageError(f"there is no instance {at!r}: {hint}")
    if part and at not in known:
        return next((one for one in [*found.children, *found.requirements] if one.name == part), found)
    return found


def _shown(value: Any) -> Any:
    """The value as plain data for JSON and YAML."""
    if isinstance(value, Resource):
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
        return {str(key): _shown(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
