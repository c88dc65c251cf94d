"""The workers of a session: one for each project and digest of its Python code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.limits import worker_lost
from sabir.errors import FindingError
from sabir.graph.graph import Graph
from sabir.graph.json import graph_chunks, load_graph
from sabir.languages.language import Evaluation, EvaluationRequest, RenderOutput
from sabir.operations.query import QueryRequest, Reply
from sabir.operations.worker.child import ERRORS
from sabir.operations.worker.messages import (
    ErrorReply,
    EvaluateWork,
    EvaluationReply,
    FailureReply,
    FindingsReply,
    Message,
    PolicyWork,
    ProgressMessage,
    QueryReply,
    QueryWork,
    RenderedFiles,
    RenderWork,
    Work,
    WorkerReply,
    encode_frame,
)
from sabir.operations.worker.process import WorkerLostError, WorkerProcess
from sabir.operations.worker.tasks import build_task
from sabir.session import Limits
from sabir.source.packages import LoadedPackage

_SECONDS: Final = 300.0
_MEMORY: Final = 4 << 30


class _Assignment(Struct, frozen=True, eq=False):
    digest: bytes
    process: WorkerProcess


class WorkerPool:
    """Starts workers on demand and ends them when their code has changed or there are too many."""

    def __init__(self, *, most: int = 4) -> None:
        self._most = most
        self._lock = Lock()
        self._assigned: dict[Path, _Assignment] = {}
        """By project; the least recently used first."""

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def evaluate(
        self,
        package: LoadedPackage,
        path: Path,
        request: EvaluationRequest,
        *,
        language: str | None,
        texts: Mapping[str, str] = MappingProxyType({}),
        judge: bool = False,
    ) -> Evaluation:
        """Evaluate a package in its worker. A lost worker is a finding, not an exception.

        `texts` replace files of the package by name, for unsaved editors. With `judge` the policy files of an
        environment are checked as well.
        """
        try:
            answer = self._ask(package, path, request, language=language, work=EvaluateWork({**texts}, judge))
        except WorkerLostError as lost:
            return Evaluation(graph=Graph(()), findings=(worker_lost(path.name, str(lost)),))
        assert isinstance(answer, EvaluationReply)
        return Evaluation(
            graph=load_graph(answer.graph, name=str(path)),
            findings=answer.findings.to_findings(),
            rendered=lambda: tuple(answer.rendered),
        )

    def render(
        self,
        package: LoadedPackage,
        path: Path,
        request: EvaluationRequest,
        *,
        work: RenderWork,
        language: str | None,
    ) -> RenderOutput:
        """Render a package in its worker. If the worker is lost there are no files, and a finding with the
        reason.
        """
        try:
            answer = self._ask(package, path, request, language=language, work=work)
        except WorkerLostError as lost:
            return RenderOutput(files={}, findings=(worker_lost(path.name, str(lost)),))
        assert isinstance(answer, RenderedFiles)
        return RenderOutput(
            files=answer.files, findings=answer.findings.to_findings(), archives=answer.archives
        )

    def judge(
        self,
        package: LoadedPackage,
        path: Path,
        request: EvaluationRequest,
        *,
        files: Sequence[str],
        language: str,
    ) -> tuple[Finding, ...]:
        """Check custom rules in files against a package; their expressions may call Python."""
        try:
            answer = self._ask(package, path, request, language=language, work=PolicyWork([*files]))
        except WorkerLostError as lost:
            return (worker_lost(path.name, str(lost)),)
        assert isinstance(answer, FindingsReply)
        return answer.findings.to_findings()

    def query(
        self,
        package: LoadedPackage | None,
        request: QueryRequest,
        graph: Graph | None = None,
        *,
        has_path: bool = True,
    ) -> tuple[Reply, Graph]:
        """Evaluate an expression on a graph, or on the graph of a path; return the reply and the graph it
        refers to.
        """
        path = request.path
        work = QueryWork(
            request.expression,
            request.at,
            json.dumps(request.variables).encode(),
            request.reveal,
            request.trace,
            request.why,
            None if graph is None else b"".join(graph_chunks(graph, reveal=True)),
            has_path,
        )
        try:
            answer = self._ask(package, path, request.evaluation, language=request.language, work=work)
        except WorkerLostError as lost:
            return Reply(values=(), findings=(worker_lost(path.name, str(lost)),)), Graph(())
        assert isinstance(answer, QueryReply)
        asked = graph or Graph(())
        return Reply(
            values=tuple(json.loads(answer.values)),
            findings=answer.findings.to_findings(),
            sensitive=answer.sensitive,
            read=tuple(answer.read),
            trace=tuple(answer.trace),
            nothing=answer.nothing,
        ), asked if answer.graph is None else load_graph(answer.graph, name=str(path))

    def _ask(
        self,
        package: LoadedPackage | None,
        path: Path,
        request: EvaluationRequest,
        *,
        language: str | None,
        work: Work,
    ) -> WorkerReply:
        """Return the reply of a project's worker; raise an exception if it reports an error or is lost."""
        limits = _fill_limits(request.session.limits)
        session = replace(request.session, limits=limits)
        task = encode_frame(build_task(path, replace(request, session=session), language, work))
        assert limits.seconds is not None

        def tell(said: ProgressMessage) -> None:
            listener = request.on_notice if said.notice else request.on_progress
            if listener is not None:
                listener(said.text)

        project, digest = path.resolve(), python_digest(package, request.search_path)
        while True:
            process = self._process(project, digest, request)
            with process.busy:
                if not process.is_alive:
                    continue  # somebody stopped it while this task was waiting for its turn
                try:
                    answer = process.ask(task, seconds=limits.seconds, on_said=tell)
                except (
                    BaseException
                ):  # lost; or the listener's, or Ctrl-C: then the answer still to come is nobody's
                    self._forget(project, process)
                    process.close()
                    raise
            return _check_reply(answer)

    def stop(self, path: Path) -> None:
        """Stop the work on a project immediately; its caller gets a finding with the reason."""
        with self._lock:
            assigned = self._assigned.get(path.resolve())
        if assigned is not None:
            assigned.process.kill("was asked to stop")

    def close(self) -> None:
        with self._lock:
            assigned = [*self._assigned.values()]
            self._assigned.clear()
        for worker in assigned:
            _stop_process(worker.process)

    def _process(self, project: Path, digest: bytes, request: EvaluationRequest) -> WorkerProcess:
        """Return the worker of a project as the most recently used one, and end workers that are no longer
        needed.
        """
        retired: list[WorkerProcess] = []
        with self._lock:
            assigned = self._assigned.pop(project, None)
            if assigned is not None and not (assigned.digest == digest and assigned.process.is_alive):
                retired.append(assigned.process)
                assigned = None
            if assigned is None:
                assigned = _Assignment(digest, WorkerProcess(request.session.environment))
            self._assigned[project] = assigned
            surplus = [*self._assigned][: max(len(self._assigned) - self._most, 0)]
            idle = [other for other in surplus if not self._assigned[other].process.busy.locked()]
            retired += [self._assigned.pop(other).process for other in idle if other != project]
        for process in retired:
            _stop_process(process)
        return assigned.process

    def _forget(self, project: Path, process: WorkerProcess) -> None:
        with self._lock:
            assigned = self._assigned.get(project)
            if assigned is not None and assigned.process is process:
                del self._assigned[project]


def _stop_process(process: WorkerProcess) -> None:
    process.kill("was stopped")
    with process.busy:  # whoever waits for its answer learns first that there will be none
        process.close()


def _fill_limits(limits: Limits) -> Limits:
    """Return limits without gaps: the code in a worker is untrusted, so it always has limits."""
    return replace(
        limits,
        seconds=_SECONDS if limits.seconds is None else limits.seconds,
        memory=_MEMORY if limits.memory is None else limits.memory,
    )


def _check_reply(answer: Message) -> WorkerReply:
    match answer:
        case ErrorReply(kind="FindingError", findings=findings):
            raise FindingError(findings.to_findings())
        case ErrorReply(kind=kind, message=message):
            raise ERRORS[kind](message)
        case FailureReply(message=message):
            raise WorkerLostError(f"failed: {message}")
        case ProgressMessage():
            raise AssertionError(answer)
        case EvaluationReply() | RenderedFiles() | FindingsReply() | QueryReply():
            return answer


def python_digest(package: LoadedPackage | None, search_path: tuple[Path, ...]) -> bytes:
    """Return a digest of the Python code that an evaluation may load from the package or the search path."""
    digest = sha256()
    for name, content in _python_files(package, search_path):
        digest.update(f"{len(name)}:{len(content)}:".encode() + name + content)
    return digest.digest()


def _python_files(
    package: LoadedPackage | None, search_path: tuple[Path, ...]
) -> Iterator[tuple[bytes, bytes]]:
    for name in () if package is None else package.list():
        file = package.get_file(name) if package is not None and name.endswith(".py") else None
        if file is not None:
            yield name.encode(errors="surrogatepass"), file.raw()
    for folder in search_path:
        # Libraries may be large, and are seldom changed within one tick of the clock.
        for path in sorted(folder.rglob("*.py")):
            try:
                state = path.stat()
            except OSError:
                continue
            yield str(path).encode(errors="surrogateescape"), b"%d %d" % (state.st_mtime_ns, state.st_size)
