"""The worker's side: tasks come in, one evaluation at a time, messages go out.

The pipes are moved away from standard input and output before anything foreign runs, so that a plug-in which prints or
reads cannot disturb them. Every task starts from the working directory, import path and environment of its owner, whatever
the task before it did to them.
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

from sabir.diagnostics.reasons import said_by
from sabir.errors import FindingError, PluginError, SabirError, UnusableInput, UsageError
from sabir.graph.json import chunks, load
from sabir.interpreter import deepen_stack
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.operations.evaluation import evaluate_path, language_at
from sabir.operations.policy import environment_judgement, judged
from sabir.operations.query import QueryRequest, reply_of
from sabir.operations.render import RenderPathRequest, render_path
from sabir.operations.worker.messages import (
    Broken,
    Done,
    EvaluateWork,
    Found,
    JudgeWork,
    Message,
    QueryWork,
    Refused,
    RenderedFiles,
    RenderWork,
    Replied,
    Said,
    SentFindings,
    Task,
    decode_task,
    framed,
)
from sabir.operations.worker.tasks import request_of
from sabir.pipes import private_pipes, read_message
from sabir.session import Limits
from sabir.source.packages import load_package

ERRORS: Final = {kind.__name__: kind for kind in (UnusableInput, UsageError, PluginError, SabirError)}


def serve() -> None:
    """Work until the owner closes the pipe."""
    deepen_stack()
    tasks, answers = private_pipes()
    waiting: SimpleQueue[bytes] = SimpleQueue()
    # Read beside the work: when the owner is gone, the worker ends even while a plug-in loops.
    Thread(target=_read_tasks, args=(tasks, waiting), daemon=True).start()

    def send(message: Message) -> None:
        answers.write(framed(message))
        answers.flush()

    while True:
        send(_answer(decode_task(waiting.get()), send))


def _read_tasks(tasks: BinaryIO, waiting: SimpleQueue[bytes]) -> None:
    while True:
        task = read_message(tasks)
        if task is None:
            os._exit(0)
        waiting.put(task)


def _answer(task: Task, send: Callable[[Message], None]) -> Message:
    try:
        _prepare(task)
        request = replace(
            request_of(task),
            on_progress=lambda text: send(Said(text, notice=False)),
            on_notice=lambda text: send(Said(text, notice=True)),
        )
        return _worked(task, request)
    except FindingError as error:
        return Refused("FindingError", str(error), SentFindings.of(error.findings))
    except SabirError as error:
        return Refused(type(error).__name__, str(error), SentFindings([], []))
    except BaseException as error:  # noqa: BLE001  # foreign code may raise anything; the owner is told
        said = said_by(error)
        return Broken(f"{type(error).__name__}: {said}" if said else type(error).__name__)


def _worked(task: Task, request: EvaluationRequest) -> Message:
    path = Path(os.fsdecode(task.path))
    match task.work:
        case EvaluateWork(texts=texts, judge=judge):
            evaluated = evaluate_path(path, request, language=task.language, texts=texts)
            evaluation = evaluated.evaluation
            judged_too = environment_judgement(evaluated, request.session) if judge else ()
            rendered = list(evaluation.rendered()) if task.full_provenance else []
            graph = b"".join(chunks(evaluation.graph, reveal=True))
            return Done(graph, SentFindings.of((*evaluation.findings, *judged_too)), rendered)
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
        case JudgeWork(files=names):
            package = load_package(path, request.session.limits.package)
            language = language_at(package, path, task.language)
            return Found(SentFindings.of(judged(package, names, language, request)))
        case QueryWork():
            return _replied(path, request, task.language, task.work)


def _replied(path: Path, request: EvaluationRequest, language: str | None, work: QueryWork) -> Replied:
    evaluation = (
        evaluate_path(path, request, language=language).evaluation
        if work.graph is None
        else Evaluation(graph=load(work.graph, name=str(path)))
    )
    reply = reply_of(
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
    return Replied(
        json.dumps(reply.values).encode(),
        SentFindings.of(reply.findings),
        reply.sensitive,
        [*reply.read],
        [*reply.trace],
        reply.nothing,
        b"".join(chunks(evaluation.graph, reveal=True)) if work.why and work.graph is None else None,
    )


def _prepare(task: Task) -> None:
    os.chdir(os.fsdecode(task.directory))
    sys.path[:] = map(os.fsdecode, task.import_path)
    os.environ.clear()
    os.environ.update({os.fsdecode(name): os.fsdecode(value) for name, value in task.environment})
    _limit(task.limits)


def _limit(limits: Limits) -> None:
    """The limits that the system keeps; time on the clock is kept by the owner. Systems without them have only that one."""
    try:
        import resource
    except ImportError:
        return
    if limits.memory is not None:
        _lower(resource.RLIMIT_AS, limits.memory)
    if limits.seconds is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        # A second more than the clock allows, so that the owner's reason is the one that is told.
        _lower(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime + limits.seconds) + 1)


def _lower(which: int, bound: int) -> None:
    import resource

    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        bound = min(bound, hard)
    resource.setrlimit(which, (bound, hard))
