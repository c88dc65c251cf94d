"""The worker's side of the protocol: tasks in, one evaluation at a time, messages out.

The pipes are moved away from stdin and stdout before third-party code runs, so that a plugin that prints or
reads cannot disturb them. Every task starts with the working directory, import path and environment of the
owner, whatever the previous task did to them.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import BinaryIO, Final

from msgspec.structs import replace

from sabir.diagnostics.reasons import error_text
from sabir.errors import FindingError, InputError, PluginError, SabirError, UsageError
from sabir.graph.json import graph_chunks, load_graph
from sabir.interpreter import deepen_stack
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.operations.evaluation import evaluate_path, language_at
from sabir.operations.policy import check_evaluation_policy, check_policy_files
from sabir.operations.query import QueryRequest, evaluate_query
from sabir.operations.render import RenderPathRequest, render_path
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
    SentFindings,
    WorkerTask,
    decode_task,
    encode_frame,
)
from sabir.operations.worker.tasks import build_request
from sabir.pipes import private_pipes, read_message
from sabir.session import Limits
from sabir.source.packages import load_package

ERRORS: Final = {kind.__name__: kind for kind in (InputError, UsageError, PluginError, SabirError)}


def serve_tasks() -> None:
    """Run tasks until the owner closes the pipe."""
    deepen_stack()
    tasks, answers = private_pipes()
    waiting: SimpleQueue[bytes] = SimpleQueue()
    # Read beside the work: when the owner is gone, the worker ends even while a plug-in loops.
    Thread(target=_read_tasks, args=(tasks, waiting), daemon=True).start()

    def send(message: Message) -> None:
        answers.write(encode_frame(message))
        answers.flush()

    while True:
        send(_run_task(decode_task(waiting.get()), send))


def _read_tasks(tasks: BinaryIO, waiting: SimpleQueue[bytes]) -> None:
    while True:
        task = read_message(tasks)
        if task is None:
            os._exit(0)
        waiting.put(task)


def _run_task(task: WorkerTask, send: Callable[[Message], None]) -> Message:
    try:
        _prepare_process(task)
        request = replace(
            build_request(task),
            on_progress=lambda text: send(ProgressMessage(text, notice=False)),
            on_notice=lambda text: send(ProgressMessage(text, notice=True)),
        )
        return _run_work(task, request)
    except FindingError as error:
        return ErrorReply("FindingError", str(error), SentFindings.of(error.findings))
    except SabirError as error:
        return ErrorReply(type(error).__name__, str(error), SentFindings([], []))
    except BaseException as error:  # noqa: BLE001  # foreign code may raise anything; the owner is told
        said = error_text(error)
        return FailureReply(f"{type(error).__name__}: {said}" if said else type(error).__name__)


def _run_work(task: WorkerTask, request: EvaluationRequest) -> Message:
    path = Path(os.fsdecode(task.path))
    match task.work:
        case EvaluateWork(texts=texts, judge=judge):
            evaluated = evaluate_path(path, request, language=task.language, texts=texts)
            evaluation = evaluated.evaluation
            judged_too = check_evaluation_policy(evaluated, request.session) if judge else ()
            rendered = list(evaluation.rendered()) if task.full_provenance else []
            graph = b"".join(graph_chunks(evaluation.graph, reveal=True))
            return EvaluationReply(graph, SentFindings.of((*evaluation.findings, *judged_too)), rendered)
        case RenderWork(to=to, directory=directory, render=render):
            files = render_path(
                RenderPathRequest(
                    path=path,
                    to=to,
                    language=task.language,
                    directory=directory,
                    evaluation=request,
                    render=render,
                )
            )
            return RenderedFiles({**files.files}, SentFindings.of(files.findings), {**files.archives})
        case PolicyWork(files=names):
            package = load_package(path, request.session.limits.package)
            language = language_at(package, path, task.language)
            return FindingsReply(SentFindings.of(check_policy_files(package, names, language, request)))
        case QueryWork():
            return _run_query(path, request, task.language, task.work)


def _run_query(path: Path, request: EvaluationRequest, language: str | None, work: QueryWork) -> QueryReply:
    evaluation = (
        evaluate_path(path, request, language=language).evaluation
        if work.graph is None
        else Evaluation(graph=load_graph(work.graph, name=str(path)))
    )
    reply = evaluate_query(
        evaluation,
        QueryRequest(
            path=path,
            expression=work.expression,
            at=work.at,
            variables=json.loads(work.variables),
            evaluation=request,
            reveal=work.reveal,
            trace=work.trace,
            why=work.why,
        ),
        has_path=work.has_path,
    )
    return QueryReply(
        json.dumps(reply.values).encode(),
        SentFindings.of(reply.findings),
        reply.sensitive,
        [*reply.read],
        [*reply.trace],
        reply.nothing,
        b"".join(graph_chunks(evaluation.graph, reveal=True)) if work.why and work.graph is None else None,
    )


def _prepare_process(task: WorkerTask) -> None:
    os.chdir(os.fsdecode(task.directory))
    sys.path[:] = map(os.fsdecode, task.import_path)
    os.environ.clear()
    os.environ.update({os.fsdecode(name): os.fsdecode(value) for name, value in task.environment})
    _apply_limits(task.limits)


def _apply_limits(limits: Limits) -> None:
    """Set the limits of the operating system, where it has them; the owner enforces the time limit."""
    try:
        import resource
    except ImportError:
        return
    if limits.memory is not None:
        _lower_limit(resource.RLIMIT_AS, limits.memory)
    if limits.seconds is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        # A second more than the clock allows, so that the owner's reason is the one that is told.
        _lower_limit(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime + limits.seconds) + 1)


def _lower_limit(which: int, bound: int) -> None:
    import resource

    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        bound = min(bound, hard)
    resource.setrlimit(which, (bound, hard))
