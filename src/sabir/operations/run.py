"""Run: call a method of a package, in a language whose projects have methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.errors import UsageError
from sabir.languages.language import EvaluationRequest, RunCall, RunResult, Runs
from sabir.operations.evaluation import language_at
from sabir.source.packages import load_package

FORMAT: Final = "sabir.run/1"


class RunRequest(Struct, frozen=True, kw_only=True):
    """The package, the method to call and its arguments."""

    path: Path
    call: str | None = None
    """`[OBJECT.]METHOD`, or `CLASS.METHOD` for a static one; None calls `deploy` of the root object."""
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)
    record: bool = False
    """Let a cloud that only writes down what it is asked stand in for the real one."""
    step_limit: int | None = None
    time_limit: float | None = None
    report: Callable[[str, str], None] | None = None
    """Lines that the code itself reports: level and text."""


def run_path(request: RunRequest) -> RunResult:
    """Load the package and its model, call the method, and return the result with the resulting model."""
    session = request.evaluation.session
    if request.step_limit is not None or request.time_limit is not None:
        limits = replace(session.limits, steps=request.step_limit, seconds=request.time_limit)
        session = replace(session, limits=limits)
    package = load_package(request.path, session.limits.package)
    language = language_at(package, request.path, None)
    if not isinstance(language, Runs):
        raise UsageError(f"{package.name} is {language.name}, which has no methods to run")
    call = RunCall(call=request.call, args=request.args, record=request.record, report=request.report)
    return language.run(package, replace(request.evaluation, session=session), call)


def run_document(done: RunResult) -> dict[str, Any]:
    """Return the result as JSON data."""
    document: dict[str, Any] = {"format": FORMAT, "result": done.result, "model": done.model}
    if done.actions is not None:
        document["actions"] = list(done.actions)
    return document
