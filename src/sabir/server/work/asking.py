"""Questions to the graph of an environment, answered in processes that the system limits.

Each process keeps the last few graphs it evaluated, and the service the last few that were asked for as a whole: readers of one
revision cost one evaluation, however many they are. Nothing here writes: leave to write files or to run scripts is for jobs.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sabir.checks.formatters.data import finding_data
from sabir.deployments.store.seal import KEY_VARIABLE
from sabir.diagnostics.finding import Finding, Severity
from sabir.errors import FindingError, Overrun, SabirError
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.operations.limits import enforce_limits
from sabir.server.work.process_pool import LimitedProcesses, ProcessEndedError
from sabir.session import PROFILES, Session, Trust

if TYPE_CHECKING:
    from sabir.graph.graph import Graph as InstanceGraph
    from sabir.graph.values import Value
    from sabir.operations.evaluation import EvaluatedPath


_QUESTIONS_A_PROCESS: Final = 1000
_GRAPHS: Final = 8
_JOBS_ONLY: Final = frozenset({"scripts", "write-files"})


class GraphSubject(Struct, frozen=True, kw_only=True):
    """What is evaluated. Two that are equal have the same graph."""

    path: Path
    revision: int
    trust: tuple[str, ...] = ()
    model: Path | None = None
    search_path: tuple[Path, ...] = ()
    state: str
    environment: str
    serial: int
    """Of the state: values that deployments gave back are part of the graph."""
    redacted: bool = False
    """For a token that may not deploy: secret values are hidden, and queries read no files."""


class GraphQuestion(Struct, frozen=True):
    """The whole graph."""


class PictureQuestion(Struct, frozen=True):
    """The graph as the page that `compile --format html` writes."""

    title: str


class ExpressionQuestion(Struct, frozen=True, kw_only=True):
    expression: str
    at: str | None = None
    variables: dict[str, Any] = {}


class WhyQuestion(Struct, frozen=True):
    subject: str


class ImpactQuestion(Struct, frozen=True):
    line: str


class WhatIfQuestion(Struct, frozen=True):
    values: dict[str, Any]


Question = (
    GraphQuestion | PictureQuestion | ExpressionQuestion | WhyQuestion | ImpactQuestion | WhatIfQuestion
)


class TaskResponse(Struct, frozen=True):
    status: int
    body: bytes
    """JSON; of a picture, HTML."""


class GraphTasks:
    def __init__(self) -> None:
        self._processes = LimitedProcesses(pieces=_QUESTIONS_A_PROCESS)
        self._graphs: OrderedDict[GraphSubject, asyncio.Task[TaskResponse]] = OrderedDict()

    async def graph(self, subject: GraphSubject) -> TaskResponse:
        """The graph of a revision; whoever asks while it is evaluated waits for the same evaluation."""
        task = self._graphs.get(subject)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._graphs[subject] = asyncio.create_task(self.ask(subject, GraphQuestion()))
            while len(self._graphs) > _GRAPHS:
                self._graphs.popitem(last=False)
        self._graphs.move_to_end(subject)
        # A reader who goes away does not take the evaluation from the others.
        return await asyncio.shield(task)

    async def ask(self, subject: GraphSubject, question: Question) -> TaskResponse:
        try:
            return await self._processes.run(_answer_question, subject, question)
        except ProcessEndedError as ended:
            # It may have been the work of another: the next reader tries again.
            self._graphs.pop(subject, None)
            return _refusal_response(f"the evaluation was stopped: {ended}")

    def close(self) -> None:
        self._processes.close()


# In a process of the pool


def _answer_question(subject: GraphSubject, question: Question) -> TaskResponse:
    try:
        with enforce_limits(PROFILES["strict"], subject.path.name):
            return _answer_within(subject, question)
    except Overrun as stopped:
        return _refusal_response("the evaluation was stopped", [stopped.finding])
    except FindingError as error:
        return _refusal_response("there are errors in what is described", error.findings)
    except RecursionError:
        return _refusal_response("what is described is nested too deeply")
    except SabirError as error:
        return _error_response(400, str(error), ())


def _answer_within(subject: GraphSubject, question: Question) -> TaskResponse:
    from sabir.operations.evaluation import errors_first
    from sabir.operations.impact import impact_data, impact_in
    from sabir.operations.why import explain_subject, find_subject, why_data

    if isinstance(question, WhatIfQuestion):
        return _what_if_response(subject, question)
    evaluated = _shown(subject, _evaluate_subject(subject))
    graph, findings = evaluated.evaluation.graph, evaluated.evaluation.findings
    match question:
        case GraphQuestion():
            return _graph_response(subject, evaluated.evaluation)
        case PictureQuestion(title=title):
            return _picture_response(title, evaluated)
        case ExpressionQuestion():
            return _query_response(subject, evaluated.evaluation, question)
        case WhyQuestion(subject=words):
            with errors_first(findings):
                return _data_response(
                    why_data(explain_subject(graph, find_subject(graph, words), evaluated.package))
                )
        case ImpactQuestion(line=line):
            return _data_response(impact_data(impact_in(evaluated.evaluation, line)))


def _graph_response(subject: GraphSubject, evaluation: Evaluation) -> TaskResponse:
    from sabir.graph.json import graph_chunks

    graph = msgspec.Raw(b"".join(graph_chunks(evaluation.graph)))
    findings = [finding_data(finding) for finding in evaluation.findings]
    return _data_response({"revision": subject.revision, "findings": findings, "graph": graph})


def _picture_response(title: str, evaluated: EvaluatedPath) -> TaskResponse:
    from sabir.graph.views.html import PageContent, html_view
    from sabir.graph.views.visibility import without_libraries

    package = evaluated.package

    def read_line(file: str, line: int) -> str | None:
        source_file = None if package is None else package.get_file(file)
        return None if source_file is None else source_file.source.line_text(line)

    evaluation = evaluated.evaluation
    content = PageContent(title=title, findings=evaluation.findings, read_line=read_line)
    return TaskResponse(200, b"".join(html_view(without_libraries(evaluation.graph), content)))


def _query_response(
    subject: GraphSubject, evaluation: Evaluation, question: ExpressionQuestion
) -> TaskResponse:
    from sabir.operations.query import QueryRequest, query_evaluation, query_graph

    request = QueryRequest(
        path=subject.path,
        expression=question.expression,
        at=question.at,
        variables=question.variables,
        evaluation=EvaluationRequest(session=_open_session(() if subject.redacted else subject.trust)),
    )
    answer = (
        query_graph(evaluation.graph, request) if subject.redacted else query_evaluation(evaluation, request)
    )
    if answer.failed and not answer.values:
        return _refusal_response("there are errors", answer.findings)
    findings = [finding_data(finding) for finding in answer.findings]
    return _data_response(
        {
            "values": answer.values,
            "hidden": answer.sensitive,
            "nothing": answer.nothing,
            "findings": findings,
        }
    )


def _what_if_response(subject: GraphSubject, question: WhatIfQuestion) -> TaskResponse:
    from sabir.graph.diff import compare_graphs
    from sabir.graph.json import decode_value
    from sabir.operations.diff import DiffResult, difference_data
    from sabir.operations.evaluation import evaluate_path
    from sabir.operations.why import DIFF_FORMAT

    unchanged = _evaluate_subject(subject)
    values = {name: decode_value(value) for name, value in question.values.items()}
    changed = evaluate_path(subject.path, replace(_evaluation_request(subject), overrides=values))
    before = _shown(subject, unchanged, changed.evaluation.graph).evaluation
    after = _shown(subject, changed, unchanged.evaluation.graph).evaluation
    if any(finding.severity is Severity.ERROR for finding in after.findings):
        raise FindingError(after.findings)
    difference = DiffResult(
        before=before.graph, after=after.graph, diff=compare_graphs(before.graph, after.graph)
    )
    return _data_response({"format": DIFF_FORMAT, **difference_data(difference)})


def _shown(subject: GraphSubject, evaluated: EvaluatedPath, *others: InstanceGraph) -> EvaluatedPath:
    """What was evaluated, as whoever asks may see it."""
    if not subject.redacted:
        return evaluated
    from sabir.server.work.redaction import mark_graph

    evaluation = evaluated.evaluation
    findings = tuple(map(_without_quotes, evaluation.findings))
    shown = replace(evaluation, graph=mark_graph(evaluation.graph, *others), findings=findings)
    return replace(evaluated, evaluation=shown)


def _without_quotes(finding: Finding) -> Finding:
    from sabir.server.work.redaction import redact_text

    return replace(finding, message=redact_text(finding.message))


@lru_cache(_GRAPHS // 2)
def _evaluate_subject(subject: GraphSubject) -> EvaluatedPath:
    from sabir.operations.evaluation import evaluate_path

    return evaluate_path(subject.path, _evaluation_request(subject))


def _evaluation_request(subject: GraphSubject) -> EvaluationRequest:
    return EvaluationRequest(
        model=subject.model,
        search_path=subject.search_path,
        observed=_read_observations(subject),
        full_provenance=True,
        session=_open_session(subject.trust),
    )


def _read_observations(subject: GraphSubject) -> Mapping[str, Value]:
    from sabir.deployments.store.store import StateStore

    if not subject.serial:
        return {}
    store = StateStore.open(subject.state, subject.environment, key=os.environ.get(KEY_VARIABLE))
    try:
        return store.load_observations()
    finally:
        store.close()


@lru_cache(16)
def _open_session(trust: tuple[str, ...]) -> Session:
    """The session of everything with this leave: Python of a package runs in a process of its own."""
    from sabir.operations.worker import WorkerPool

    allowed = Trust.of(word for word in trust if word not in _JOBS_ONLY)
    return Session(
        trust=allowed, limits=PROFILES["strict"], environment=dict(os.environ), workers=WorkerPool(most=1)
    )


# Answers


def _data_response(data: Any) -> TaskResponse:
    return TaskResponse(200, msgspec.json.encode(data, enc_hook=str))


def _refusal_response(message: str, findings: Sequence[Finding] = ()) -> TaskResponse:
    return _error_response(422, message, findings)


def _error_response(status: int, message: str, findings: Sequence[Finding]) -> TaskResponse:
    said = {"message": message, "code": status, "findings": [finding_data(finding) for finding in findings]}
    return TaskResponse(status, msgspec.json.encode({"error": said}))
